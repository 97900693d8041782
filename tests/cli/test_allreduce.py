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
