"""One run of a study."""

from __future__ import annotations

from pathlib import Path

from pavane.campaign.benchmark.trial import RunLimits, RunTask, tried
from pavane.parallel.tasks import LocalContext
from tests.campaign.benchmark.fakes import PROBLEM, Fake


def test_a_run_that_is_stopped_half_way_is_none(tmp_path: Path) -> None:
    """What it found until then is no answer: with more time it might have found another."""
    task = RunTask(PROBLEM.digest(), "fake", Fake(str(tmp_path)), 0, RunLimits(9))
    whole = tried(PROBLEM, LocalContext(lambda: False, lambda _: None), task)
    assert (whole.is_success, whole.error) == (True, None)
    part = tried(PROBLEM, LocalContext(lambda: True, lambda _: None), task)
    assert (part.is_success, part.error) == (False, "it was stopped")
