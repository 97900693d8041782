"""`pavane solve NETWORK allreduce`: one problem, one report, one file."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from pavane.io import read_schedule, write_schedule
from pavane.judge.result import Result
from tests.allreduces import OVERLAP, OVERLAPPING, hops
from tests.ui.cli.calls import Call


def test_options_that_do_not_fit_are_refused(call: Call) -> None:
    """An allreduce in parts has no root; in one part it has."""
    assert call("solve", "ring:4", "allreduce", "--root", "1").is_refusal("does not take --root")
    call.good("solve", "ring:4", "reduce-broadcast", "--root", "1")


def test_the_phases_are_told(call: Call) -> None:
    """Beside the steps a line says how long the phases are, what they share, and both bounds; the file is valid."""
    lines = call.good("solve", "ring:4", "allreduce", "--ports", "1", "-o", "sum.json").splitlines()
    (line,) = (line for line in lines if line.startswith("phases"))
    assert re.fullmatch(
        r"phases {6}reduction of \d steps, broadcast of \d; they share (no step|\d steps?); 6 steps against a bound "
        "of 6 for the whole and 6 for one phase after the other",
        line,
    )
    result = read_schedule("sum.json").result()
    assert (result.problem.collective.kind, result.num_steps, result.status) == ("ALLREDUCE", 6, "optimal")


def test_keys_are_those_of_any_collective(call: Call) -> None:
    """One object: what an allgather has, and what the phases are."""
    told, known = (json.loads(call.good("solve", "ring:4", kind, "--json")) for kind in ("allreduce", "allgather"))
    assert set(told) - set(known) == {"parts", "reduction_steps", "broadcast_steps", "shared_steps", "bound_of_phases"}
    assert set(known) <= set(told)
    assert (told["parts"], told["bound_of_phases"]) == (4, 4)
    assert told["reduction_steps"] + told["broadcast_steps"] - told["shared_steps"] == told["steps"]


def test_faults_tell_both_allreduces_apart(call: Call) -> None:
    """A column each, whose title says the number of parts; only the one in one part has a root."""
    out = call.good("faults", "ring:4", "allreduce", "reduce-broadcast", "--root", "1", "--time", "60")
    assert re.search("fault +ALLREDUCE .*ALLREDUCE in 1 part", out)
    assert "searches    4, 6 more by symmetry" in out


def test_an_allreduce_is_not_repaired(call: Call) -> None:
    """A start before the fault is refused in one line, with what to do instead."""
    call.good("solve", "ring:4", "allreduce", "--method", "greedy", "-o", "sum.json")
    refused = call("solve", "ring:4 less 0-1", "allreduce", "--start", "sum.json")
    assert refused.is_refusal("pavane: error: an allreduce is not repaired")
    call.good("solve", "ring:4 less 0-1", "allreduce", "--method", "greedy")


@pytest.fixture
def overlapping(tmp_path: Path) -> Path:
    """Write an allreduce on a line whose phases share steps."""
    write_schedule(tmp_path / "line.json", Result(OVERLAP, hops(OVERLAP, OVERLAPPING)))
    return tmp_path / "line.json"


def test_what_is_added_is_shown(call: Call, overlapping: Path) -> None:
    """Paths, table and programs tell a sum that is added from one that takes another's place."""
    out = call.good("show", overlapping)
    assert "phases      reduction of 3 steps, broadcast of 3; they share 2 steps; " in out
    assert "     2  01 [+1], 10 [0], 12 [0], 21 [+1]\n" in out
    assert "part  1      2      3      4\n0     +1,+1  0,2\n1            +1,+1  0,2\n" in out
    assert "+p: processor p adds what comes to its sum; p: it takes the place of its sum\n" in out
    out = call.good("show", overlapping, "--as", "programs")
    assert "step 1: receive and add 0 from p0; receive and add 0 from p2" in out
    assert "step 2: send 1 to p1 by 01; receive 0 from p1" in out


def test_verify_tells_the_phases(call: Call, overlapping: Path) -> None:
    """Valid, and how many steps both phases share; as JSON, too."""
    assert "they share 2 steps" in call.good("verify", overlapping)
    told = json.loads(call.good("verify", overlapping, "--json"))
    assert (told["valid"], told["parts"], told["shared_steps"]) == (True, 3, 2)


@pytest.mark.parametrize(("name", "steps"), [("allreduce", "6 steps"), ("reduce-broadcast", "2 steps")])
def test_bounds_of_the_whole(name: str, steps: str, call: Call) -> None:
    """They are told as for any collective."""
    assert steps in call.good("bounds", "ring:4", name, "--ports", "1")
