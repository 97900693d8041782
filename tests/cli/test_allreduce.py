"""`pavane solve NETWORK allreduce`: one problem, one report, one file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pavane.cli import run
from pavane.formats import read_schedule


def test_one_file_and_one_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The schedule is written and valid, with the bound of the whole."""
    assert run(["solve", "octagon", "allreduce", "-o", str(tmp_path / "sum.json")]) == 0
    result = read_schedule(tmp_path / "sum.json").result()
    assert result.problem.collective.kind == "ALLREDUCE"
    assert result.num_steps in (5, 6)
    assert result.bound is not None
    assert result.bound.steps == 5


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
    assert line == (
        "phases      reduction of 3 steps, broadcast of 3; they share no step; 6 steps against a bound of 6 for the "
        "whole and 6 for one phase after the other"
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
        assert run(["solve", "octagon", collective, "--seed", "3", "--workers", workers, "-o", str(file)]) == 0
        found.append(read_schedule(file).result().schedule)
    assert found[0] == found[1]
