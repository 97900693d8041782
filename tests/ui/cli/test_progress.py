"""What a progress line says; nothing is shown where stderr is no terminal."""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from fractions import Fraction

import pytest

from pavane.atlas.sweeps import SweepProgress
from pavane.campaign.benchmark import StudyProgress
from pavane.campaign.faults import FaultProgress
from pavane.campaign.network_comparison import CompareProgress
from pavane.campaign.workload_model.prediction import PredictionProgress
from pavane.parallel.progress import Progress
from pavane.ui.cli.progress import (
    Bar,
    of_comparison,
    of_faults,
    of_prediction,
    of_search,
    of_study,
    of_sweep,
    shown,
    waited_for,
)


def test_every_kind_of_work_has_its_words() -> None:
    """A text, how much of the whole is done, and what is left."""
    search = Progress("umda", 3.2, num_steps=5, bound=4, conflicts=7)
    assert of_search(search) == Bar("umda: trying 5 steps (7 conflicts left), best none yet, bound 4", 3.2, None, "3 s")
    timed = Progress("auto", 3.0, 7.0, best=6, bound=4)
    assert of_search(timed) == Bar("auto: trying any steps, best 6, bound 4", 3.0, 10.0, "7 s left")
    pieces = of_search(replace(timed, pieces=3, message_times=Fraction(7, 3)))
    assert pieces == Bar(
        "3 pieces (best so far 7/3 message times): auto: trying any steps, best 6, bound 4", 3.0, 10.0, "7 s left"
    )
    assert of_search(replace(timed, pieces=1)).text.startswith("1 piece: auto: ")
    front = Progress("combining", 1.0, num_steps=3, points=((2, 9), (4, 7)))
    assert of_search(front) == Bar("combining: trying 3 start-ups, best 2/9, 4/7", 1.0, None, "1 s")
    study = StudyProgress(3, 20, 1, 2, 1.0, 9.0)
    assert of_study(study) == Bar("3 of 20 runs, 1 success, 2 errors", 3, 20, "9 s left")
    faults = FaultProgress(2, 9, "0-1", "AAS", 1.0)
    assert of_faults(faults) == Bar("AAS, 0-1", 2, 9, "2/9")
    comparison = CompareProgress(2, 9, 1, "AAS on ring:8", 1.0, 59.0)
    assert of_comparison(comparison) == Bar("2 of 9 searches, 1 proven, AAS on ring:8", 2, 9, "59 s left at most")
    assert of_prediction(PredictionProgress("ring:8", "swap", 2, 9)) == Bar("ring:8, swap", 2, 9, "2/9")
    sweep = SweepProgress(2, 9, "AAS on ring:8", 59.0)
    assert of_sweep(sweep) == Bar("2 of 9 problems, AAS on ring:8", 2, 9, "59 s left")


def test_without_a_terminal_nothing_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    """Whoever keeps stderr in a file wants no bars in it."""
    with shown(of_faults) as show:
        show(FaultProgress(2, 9, "0-1", "AAS", 1.0))
    assert capsys.readouterr().err == ""


def test_what_takes_longer_than_a_moment_is_shown(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A terminal says what is being done, and nothing of it is left when it is done."""
    monkeypatch.setattr("pavane.ui.cli.progress.MOMENT", 0.0)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    said, until = "", time.monotonic() + 30
    with waited_for("reading a file"):
        while "reading a file" not in said and time.monotonic() < until:
            said += capsys.readouterr().err
            time.sleep(0.01)
    assert "reading a file" in said
    assert "reading a file" not in capsys.readouterr().err.rpartition("\x1b[2K")[2]
