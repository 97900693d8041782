"""`pavane solve NETWORK allreduce`: a reduce-scatter, then an allgather, with one report and a file each."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pavane.cli import run
from pavane.formats import read_schedule


def test_a_file_each_and_one_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Both schedules are written and valid, and the report ends with the steps of both together."""
    assert run(["solve", "octagon", "allreduce", "-o", str(tmp_path / "sum.json")]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "allreduce   6 steps: a reduce-scatter, then an allgather"
    kinds = {}
    for part in ("reduce-scatter", "allgather"):
        result = read_schedule(tmp_path / f"sum.{part}.json").result()
        kinds[part] = (result.problem.collective.kind, result.num_steps)
    assert kinds == {"reduce-scatter": ("AAR", 3), "allgather": ("AAB", 3)}
    assert sorted(file.name for file in tmp_path.iterdir()) == ["sum.allgather.json", "sum.reduce-scatter.json"]


def test_figures_of_both_parts(capsys: pytest.CaptureFixture[str]) -> None:
    """The JSON has the steps in all and the figures of each part."""
    assert run(["solve", "ring:4", "allreduce", "--ports", "1", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["collective"], told["steps"]) == ("ALLREDUCE", 6)
    assert [part["collective"] for part in told["parts"]] == ["AAR", "AAB"]


def test_options_that_do_not_fit_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """Like its parts, an allreduce goes from all to all."""
    assert run(["solve", "ring:4", "allreduce", "--root", "1"]) == 2
    assert "does not take --root" in capsys.readouterr().err
