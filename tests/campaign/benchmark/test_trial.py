"""One run of a study, and finished runs in a folder: they are stored, and never made twice."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from pavane.campaign.benchmark import study
from pavane.campaign.benchmark.trial import RunLimits, RunTask, run_trial
from pavane.errors import InputError
from pavane.model.collectives import alltoall
from pavane.model.problem import Problem
from pavane.networks import ring
from pavane.parallel.tasks import LocalContext
from pavane.search.options import SearchOptions
from tests.campaign.benchmark.fakes import PROBLEM, Fake, calls, fake_study, timeless


def test_a_run_that_is_stopped_half_way_is_none(tmp_path: Path) -> None:
    """What it found until then is no answer: with more time it might have found another."""
    task = RunTask(PROBLEM.digest(), "fake", Fake(str(tmp_path)), 0, RunLimits(9))
    whole = run_trial(PROBLEM, LocalContext(lambda: False, lambda _: None), task)
    assert (whole.is_success, whole.error) == (True, None)
    part = run_trial(PROBLEM, LocalContext(lambda: True, lambda _: None), task)
    assert (part.is_success, part.error) == (False, "it was stopped")


@pytest.mark.parametrize("workers", [1, 2])
def test_more_seeds_add_to_a_study(workers: int, tmp_path: Path) -> None:
    """Finished seeds are not run again, whatever the number of workers."""
    fake_study(tmp_path, seeds=2, kept=tmp_path / "kept")
    fake_study(tmp_path, seeds=5, kept=tmp_path / "kept", workers=workers)
    assert sorted(calls(tmp_path)) == [0, 1, 2, 3, 4]


def test_another_run_is_not_taken_for_a_finished_one(tmp_path: Path) -> None:
    """Another problem, setting, number of steps or budget is another run."""
    kept, fake = tmp_path / "kept", Fake(str(tmp_path))
    turned = Problem(ring(5), alltoall(ring(5)))
    study(PROBLEM, [fake], num_steps=9, seeds=1, folder=kept)
    study(turned, [fake], num_steps=9, seeds=1, folder=kept)
    study(PROBLEM, [replace(fake, pace=1)], num_steps=9, seeds=1, folder=kept)
    study(PROBLEM, [fake], num_steps=8, seeds=1, folder=kept)
    study(PROBLEM, [fake], SearchOptions(evaluations=50), num_steps=9, seeds=1, folder=kept)
    study(PROBLEM, [fake], SearchOptions(seconds=50.0), num_steps=9, seeds=1, folder=kept)
    assert len(calls(tmp_path)) == 6
    study(PROBLEM, [fake], num_steps=9, seeds=1, folder=kept)
    assert len(calls(tmp_path)) == 6


def test_a_run_with_an_error_is_made_again(tmp_path: Path) -> None:
    """An error is nothing finished."""
    (tmp_path / "raise-1").touch()
    fake_study(tmp_path, seeds=3, kept=tmp_path / "kept")
    (tmp_path / "raise-1").unlink()
    found = fake_study(tmp_path, seeds=3, kept=tmp_path / "kept")
    assert calls(tmp_path) == [0, 1, 2, 1]
    assert [run.error for run in found.runs] == [None] * 3


def test_a_torn_last_line_is_ignored(tmp_path: Path) -> None:
    """What a crash cut off is made again, with a note; the lines before it count, and the file is whole again."""
    kept = tmp_path / "kept"
    first = fake_study(tmp_path, seeds=3, kept=kept)
    path = kept / "runs.jsonl"
    whole = path.read_bytes()
    notes: list[str] = []
    for cut in (1, 40):
        path.write_bytes(whole[:-cut])
        found = fake_study(tmp_path, seeds=3, kept=kept)
        notes += found.notes
        assert timeless(found).runs == timeless(first).runs
        assert [json.loads(line)["seed"] for line in path.read_text().splitlines()] == [0, 1, 2]
    assert calls(tmp_path) == [0, 1, 2, 2, 2]
    assert notes == [f"{path}: its last line was cut off and is ignored; that run is made again"] * 2


def test_a_line_that_is_no_run_is_refused(tmp_path: Path) -> None:
    """It says where it stands; nothing is run and nothing is written over."""
    kept = tmp_path / "kept"
    fake_study(tmp_path, seeds=2, kept=kept)
    path = kept / "runs.jsonl"
    for nonsense in ("{}", "nonsense", '{"format": "pavane/run/2"}'):
        text = f"{nonsense}\n{path.read_text()}"
        path.write_text(text)
        with pytest.raises(InputError, match=r"runs.jsonl, line 1: not a run"):
            fake_study(tmp_path, seeds=3, kept=kept)
        assert path.read_text() == text
    assert calls(tmp_path) == [0, 1]


def test_a_folder_that_cannot_be_used_is_refused(tmp_path: Path) -> None:
    """Before the first run."""
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="runs cannot be stored there"):
        fake_study(tmp_path, kept=tmp_path / "file")
    assert calls(tmp_path) == []
