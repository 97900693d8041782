"""The run table: finished runs are stored in a file, and never made twice."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pavane.campaign import runs
from pavane.campaign.solver_study import study
from pavane.errors import InputError
from pavane.model.collectives import alltoall
from pavane.model.problem import Problem
from pavane.networks import ring
from pavane.parallel.tasks import LocalContext
from pavane.search.options import SearchOptions
from tests.campaign.fakes import PROBLEM, Fake, calls, fake_study


def test_a_run_that_is_stopped_half_way_is_none(tmp_path: Path) -> None:
    """What it found until then is no answer: with more time it might have found another."""
    shared, request = runs._Shared(SearchOptions(), PROBLEM), runs.RunLine(method="fake", seed=0, target=9)
    for stopped, error in ((False, None), (True, "it was stopped")):
        context = LocalContext(lambda stopped=stopped: stopped, lambda _: None)  # type: ignore[misc]
        run, _ = runs._search(shared, context, None, Fake(str(tmp_path)), request, None, None)
        assert (run.is_success, run.error) == (not stopped, error)


def test_tables_are_joined_by_joining_their_files(tmp_path: Path) -> None:
    """A run that is in both counts once, and a study of both makes none again."""
    parts = [tmp_path / "one.jsonl", tmp_path / "two.jsonl"]
    for path, seeds in zip(parts, (3, 2), strict=True):
        fake_study(tmp_path, seeds=seeds, kept=path)
    joined = tmp_path / "both.jsonl"
    joined.write_bytes(b"".join(path.read_bytes() for path in parts))
    assert [run.seed for run in runs.read_runs(joined)] == [0, 1, 2]
    (tmp_path / "calls").unlink()
    fake_study(tmp_path, seeds=3, kept=joined)
    assert calls(tmp_path) == []


@pytest.mark.parametrize("workers", [1, 2])
def test_more_seeds_add_to_a_study(workers: int, tmp_path: Path) -> None:
    """Finished seeds are not run again, whatever the number of workers."""
    fake_study(tmp_path, seeds=2, kept=tmp_path / "kept.jsonl")
    fake_study(tmp_path, seeds=5, kept=tmp_path / "kept.jsonl", workers=workers)
    assert sorted(calls(tmp_path)) == [0, 1, 2, 3, 4]


def test_another_run_is_not_taken_for_a_finished_one(tmp_path: Path) -> None:
    """Another problem, setting, number of steps or budget is another run."""
    kept, fake = tmp_path / "kept.jsonl", Fake(str(tmp_path))
    turned = Problem(ring(5), alltoall(ring(5)))
    study(PROBLEM, [fake], num_steps=9, seeds=1, file=kept)
    study(turned, [fake], num_steps=9, seeds=1, file=kept)
    study(PROBLEM, [replace(fake, pace=1)], num_steps=9, seeds=1, file=kept)
    study(PROBLEM, [fake], num_steps=8, seeds=1, file=kept)
    study(PROBLEM, [fake], SearchOptions(evaluations=50), num_steps=9, seeds=1, file=kept)
    study(PROBLEM, [fake], SearchOptions(seconds=50.0), num_steps=9, seeds=1, file=kept)
    assert len(calls(tmp_path)) == 6
    study(PROBLEM, [fake], num_steps=9, seeds=1, file=kept)
    assert len(calls(tmp_path)) == 6


def test_a_run_with_an_error_is_made_again(tmp_path: Path) -> None:
    """An error is nothing finished."""
    (tmp_path / "raise-1").touch()
    fake_study(tmp_path, seeds=3, kept=tmp_path / "kept.jsonl")
    (tmp_path / "raise-1").unlink()
    found = fake_study(tmp_path, seeds=3, kept=tmp_path / "kept.jsonl")
    assert calls(tmp_path) == [0, 1, 2, 1]
    assert [run.error for run in found.runs] == [None] * 3


def test_a_line_that_is_no_run_is_refused(tmp_path: Path) -> None:
    """It says where it stands; nothing is run and nothing is written over."""
    kept = tmp_path / "kept.jsonl"
    fake_study(tmp_path, seeds=2, kept=kept)
    path = kept
    for nonsense in ("{}", "nonsense", '{"format": "pavane/run/2"}'):
        text = f"{nonsense}\n{path.read_text()}"
        path.write_text(text)
        with pytest.raises(InputError, match=r"kept.jsonl, line 1: not a run"):
            fake_study(tmp_path, seeds=3, kept=kept)
        assert path.read_text() == text
    assert calls(tmp_path) == [0, 1]
