"""Re-plans in a folder: they are kept, found again, and never made twice."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pavane.campaign.faults import FaultStudy, faults
from pavane.campaign.faults.study import Replan
from pavane.errors import InputError
from pavane.judge.result import Result
from pavane.model.problem import Problem
from pavane.networks import mesh, ring
from pavane.parallel.tasks import WorkerLost
from pavane.search.fewest_steps import find_or_interrupt
from pavane.search.options import SearchOptions


def _outcomes(study: FaultStudy) -> list[tuple[str, int | None]]:
    return [(replan.outcome, replan.steps) for row in (study.no_fault, *study.rows) for replan in row.replans]


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the names of the networks that are planned for, as they are planned."""
    named: list[str] = []

    def noted(problem: Problem, *options: Any, **settings: Any) -> Result:
        named.append(problem.network.name)
        return find_or_interrupt(problem, *options, **settings)

    monkeypatch.setattr("pavane.campaign.faults.replanning.find_or_interrupt", noted)
    return named


def test_what_is_planned_is_not_planned_again(tmp_path: Path, made: list[str]) -> None:
    """The same study reads it; another seed or time limit is another study."""
    first = faults(ring(5), ["aas"], folder=tmp_path)
    before = len(made)
    assert before == len((tmp_path / "replans.jsonl").read_text().splitlines()) == 2
    assert _outcomes(faults(ring(5), ["aas"], folder=tmp_path)) == _outcomes(first)
    assert len(made) == before
    faults(ring(5), ["aas"], options=SearchOptions(seed=1), folder=tmp_path)
    assert len(made) == 2 * before
    faults(ring(5), ["aas"], options=SearchOptions(seconds=50.0), folder=tmp_path)
    assert len(made) == 3 * before


def test_an_interrupted_study_goes_on(tmp_path: Path, made: list[str]) -> None:
    """What is missing is planned, and the table is that of a study in one go."""

    def interrupt(_: object) -> None:
        if len(made) == 2:
            raise KeyboardInterrupt

    cut = faults(mesh(2, 3), ["aas"], folder=tmp_path, options=SearchOptions(on_progress=interrupt))
    assert cut.interrupted
    kept = len((tmp_path / "replans.jsonl").read_text().splitlines())
    assert kept == 2
    whole = faults(mesh(2, 3), ["aas"], folder=tmp_path)
    assert not whole.interrupted
    assert len(made) == len(set(made))
    assert _outcomes(whole) == _outcomes(faults(mesh(2, 3), ["aas"]))


def test_a_line_says_what_was_planned(tmp_path: Path) -> None:
    """For people who read the file, too; anything else is refused."""
    faults(ring(4), ["aas"], folder=tmp_path)
    path = tmp_path / "replans.jsonl"
    line = json.loads(path.read_text().splitlines()[0])
    assert (line["format"], line["outcome"], line["steps"], line["seed"]) == ("pavane/replan/1", "optimal", 2, 0)
    assert line["about"].startswith("alltoall (AAS) from 4 senders")
    path.write_text("nonsense\n")
    with pytest.raises(InputError, match=r"replans.jsonl, line 1: not a re-plan"):
        faults(ring(4), ["aas"], folder=tmp_path)


def test_what_is_lost_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A re-plan whose worker was killed twice is unknown, and made again next time."""
    monkeypatch.setattr("pavane.campaign.faults.replanning._replan", lambda *_: WorkerLost("killed"))
    found = faults(ring(4), ["aas"], folder=tmp_path)
    assert found.no_fault.replans == (Replan("unknown"),)
    assert (tmp_path / "replans.jsonl").read_text() == ""
