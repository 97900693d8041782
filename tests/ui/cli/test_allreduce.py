"""`pavane solve NETWORK allreduce`: one problem, one report, one file."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from pavane.io import read_schedule, write_schedule
from pavane.judge.result import Result
from pavane.ui.cli import run
from tests.allreduces import OVERLAP, OVERLAPPING, hops


def test_one_file_and_one_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The schedule is written and valid, with the bound of the whole."""
    assert run(["solve", "ring:4", "allreduce", "--ports", "1", "-o", str(tmp_path / "sum.json")]) == 0
    result = read_schedule(tmp_path / "sum.json").result()
    assert result.problem.collective.kind == "ALLREDUCE"
    assert result.num_steps == 6
    assert result.bound is not None
    assert result.bound.steps == 6


def test_figures_of_the_whole(capsys: pytest.CaptureFixture[str]) -> None:
    """Through one port each processor takes part in 2 (n - 1) transfers of n pieces between n of them."""
    assert run(["solve", "ring:4", "allreduce", "--ports", "1", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["collective"], told["steps"], told["bound"]) == ("ALLREDUCE", 6, 6)


def test_options_that_do_not_fit_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """An allreduce in parts has no root; in one part it has."""
    assert run(["solve", "ring:4", "allreduce", "--root", "1"]) == 2
    assert "does not take --root" in capsys.readouterr().err
    assert run(["solve", "ring:4", "reduce-broadcast", "--root", "1"]) == 0


def test_the_phases_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    """Beside the steps a line says how long the phases are, what they share, and both bounds."""
    assert run(["solve", "ring:4", "allreduce", "--ports", "1"]) == 0
    (line,) = (line for line in capsys.readouterr().out.splitlines() if line.startswith("phases"))
    assert re.fullmatch(
        r"phases {6}reduction of \d steps, broadcast of \d; they share (no step|\d steps?); 6 steps against a bound "
        "of 6 for the whole and 6 for one phase after the other",
        line,
    )


def test_keys_are_those_of_any_collective(capsys: pytest.CaptureFixture[str]) -> None:
    """One object: what an allgather has, and what the phases are."""
    assert run(["solve", "ring:4", "allreduce", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert run(["solve", "ring:4", "allgather", "--json"]) == 0
    known = json.loads(capsys.readouterr().out)
    more = {"parts", "reduction_steps", "broadcast_steps", "shared_steps", "bound_of_phases"}
    assert set(told) == set(known) | more
    assert (told["parts"], told["bound_of_phases"]) == (4, 4)
    assert told["reduction_steps"] + told["broadcast_steps"] - told["shared_steps"] == told["steps"]


def test_a_schedule_to_stdout(capsys: pytest.CaptureFixture[str]) -> None:
    """`-o -` takes an allreduce as it takes any schedule."""
    assert run(["solve", "ring:3", "allreduce", "-o", "-"]) == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out)["problem"]["collective"]["kind"] == "ALLREDUCE"
    assert "phases" in printed.err


@pytest.mark.parametrize("collective", ["allreduce", "reduce-broadcast"])
def test_same_seed_same_answer_with_more_workers(collective: str, tmp_path: Path) -> None:
    """Two processes find what one does."""
    found = []
    for workers in ("1", "2"):
        file = tmp_path / f"{workers}.json"
        assert run(["solve", "ring:4", collective, "--seed", "3", "--workers", workers, "-o", str(file)]) == 0
        found.append(read_schedule(file).result().schedule)
    assert found[0] == found[1]


def test_faults_tell_both_allreduces_apart(capsys: pytest.CaptureFixture[str]) -> None:
    """A column each, whose title says the number of parts; only the one in one part has a root."""
    assert run(["faults", "ring:4", "allreduce", "reduce-broadcast", "--root", "1", "--time", "60"]) == 0
    out = capsys.readouterr().out
    assert "fault    ALLREDUCE  ALLREDUCE in 1 part" in out
    assert "2 planned, 6 more by symmetry" in out


def test_a_fault_may_take_the_root_away(capsys: pytest.CaptureFixture[str]) -> None:
    """Without the processor that the one part is named after, there is no root; in parts the others have theirs."""
    assert run(["faults", "ring:4", "allreduce", "reduce-broadcast", "--kind", "processor", "--time", "1"]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines() if line.startswith("processor 0")]
    assert rows[0][-2:] == ["no", "root*"]


def test_an_allreduce_is_not_repaired(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A start before the fault is refused in one line, with what to do instead."""
    file = str(tmp_path / "sum.json")
    assert run(["solve", "ring:4", "allreduce", "--method", "greedy", "-o", file]) == 0
    capsys.readouterr()
    assert run(["solve", "ring:4 less 0-1", "allreduce", "--start", file]) == 2
    error = capsys.readouterr().err
    assert error.startswith("pavane: error: an allreduce is not repaired")
    assert error.count("\n") == 1
    assert run(["solve", "ring:4 less 0-1", "allreduce", "--method", "greedy"]) == 0


def test_what_is_added_is_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Paths, table and programs tell a sum that is added from one that takes another's place."""
    file = tmp_path / "line.json"
    write_schedule(file, Result(OVERLAP, hops(OVERLAP, OVERLAPPING)))
    assert run(["show", str(file)]) == 0
    out = capsys.readouterr().out
    assert "phases      reduction of 3 steps, broadcast of 3; they share 2 steps\n" in out
    assert "     2  01 [+1], 10 [0], 12 [0], 21 [+1]\n" in out
    assert "part  1      2      3      4\n0     +1,+1  0,2\n1            +1,+1  0,2\n" in out
    assert "+p: processor p adds what comes to its sum; p: it takes the place of its sum\n" in out
    assert run(["show", str(file), "--as", "programs"]) == 0
    out = capsys.readouterr().out
    assert "step 1: receive and add 0 from p0; receive and add 0 from p2" in out
    assert "step 2: send 1 to p1 by 01; receive 0 from p1" in out


def test_verify_tells_the_phases(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Valid, and how many steps both phases share; as JSON, too."""
    file = tmp_path / "line.json"
    write_schedule(file, Result(OVERLAP, hops(OVERLAP, OVERLAPPING)))
    assert run(["verify", str(file)]) == 0
    assert "they share 2 steps" in capsys.readouterr().out
    assert run(["verify", str(file), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["valid"], told["parts"], told["shared_steps"]) == (True, 3, 2)


@pytest.mark.parametrize("name", ["allreduce", "reduce-broadcast"])
def test_bounds_of_the_whole(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """They are told as for any collective."""
    assert run(["bounds", "ring:4", name, "--ports", "1"]) == 0
    assert ("6 steps" if name == "allreduce" else "2 steps") in capsys.readouterr().out


def test_a_study_of_allreduces(capsys: pytest.CaptureFixture[str]) -> None:
    """Solvers of broadcasts are compared on an allreduce as on anything else."""
    arguments = ["--method", "greedy", "--method", "rarest-first", "--steps", "6", "--seeds", "2", "--json"]
    assert run(["study", "ring:4", "allreduce", "--ports", "1", *arguments]) == 0
    assert json.loads(capsys.readouterr().out)


def test_a_root_that_is_not_there_is_out_of_range(capsys: pytest.CaptureFixture[str]) -> None:
    """It is told as for any other collective."""
    assert run(["solve", "ring:4", "reduce-broadcast", "--root", "7"]) == 2
    assert "root 7 is out of range; ring:4 has processors 0 to 3" in capsys.readouterr().err
