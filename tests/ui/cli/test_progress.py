"""What a progress line says; nothing is shown where stderr is no terminal."""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from fractions import Fraction

import pytest

from pavane.parallel.progress import Progress
from pavane.ui.cli.progress import Bar, bar_of, show_progress, waited_for


def test_every_kind_of_work_has_its_words() -> None:
    """A text, how much of the whole is done, and what is left."""
    search = Progress("umda", 3.2, num_steps=5, bound=4, conflicts=7)
    assert bar_of(search) == Bar("umda: trying 5 steps (7 conflicts left), best none yet, bound 4", 3.2, None, "3 s")
    timed = Progress("auto", 3.0, 7.0, best=6, bound=4)
    assert bar_of(timed) == Bar("auto: trying any steps, best 6, bound 4", 3.0, 10.0, "7 s left")
    assert bar_of(replace(timed, step_word="slot")).text == "auto: trying any slots, best 6, bound 4"
    pieces = bar_of(replace(timed, pieces=3, message_times=Fraction(7, 3)))
    assert pieces == Bar(
        "3 pieces (best so far 7/3 message times): auto: trying any steps, best 6, bound 4", 3.0, 10.0, "7 s left"
    )
    assert bar_of(replace(timed, pieces=1)).text.startswith("1 piece: auto: ")
    front = Progress("combining", 1.0, num_steps=3, points=((2, 9), (4, 7)))
    assert bar_of(front) == Bar(
        "combining: trying 3 start-ups, best 2 start-ups, TCO 9; 4 start-ups, TCO 7", 1.0, None, "1 s"
    )
    study = Progress("umda, seed 2", 1.0, 9.0, done=3, total=20, outcomes={"succeeded": 1, "failed": 2})
    assert bar_of(study) == Bar("1 succeeded, 2 failed, umda, seed 2", 3, 20, "3/20, 9 s left")
    assert bar_of(Progress("ring:8, swap", 1.0, done=2, total=9)) == Bar("ring:8, swap", 2, 9, "2/9")
    bounds = Progress("tried distance, best bound 3 steps", 1.0)
    assert bar_of(bounds) == Bar("tried distance, best bound 3 steps", 1.0, None, "1 s")


def test_without_a_terminal_nothing_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    """A file of stderr has no progress in it."""
    with show_progress() as show:
        show(Progress("AAS, 0-1", 1.0, done=2, total=9))
    assert capsys.readouterr().err == ""


def test_what_takes_longer_than_a_moment_is_shown(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A terminal says what is being done, and nothing of it is left when it is done."""
    monkeypatch.setattr("pavane.ui.cli.progress.MOMENT", 0.0)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    said, until = "", time.monotonic() + 300
    with waited_for("reading a file"):
        while "reading a file" not in said and time.monotonic() < until:
            said += capsys.readouterr().err
            time.sleep(0.01)
    assert "reading a file" in said
    assert "reading a file" not in capsys.readouterr().err.rpartition("\x1b[2K")[2]
