"""Sweeps: every problem once, kept when it is there, and gone on with after an end of any sort."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pavane.atlas import sweeps as sweeping
from pavane.atlas.atlas_file import AtlasFile
from pavane.atlas.known import known_of
from pavane.atlas.lists import problems_on
from pavane.atlas.sweeps import Sweep, sweep
from pavane.errors import InputError
from pavane.judge.result import Result
from pavane.model.problem import Problem
from pavane.networks import network
from pavane.parallel.progress import Progress
from pavane.parallel.tasks import WorkerLost
from pavane.search.options import SearchOptions
from pavane.ui.cli import run
from tests.atlas.relabelling import relabelled
from tests.problems import problem_of

SMALL = [network(spec) for spec in ("ring:4", "octagon", "complete:4")]
LIMITS = SearchOptions(seconds=20.0)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return the name of a new file."""
    return tmp_path / "atlas.sqlite"


def swept(path: Path, problems: list[Problem], limits: SearchOptions = LIMITS, **settings: Any) -> Sweep:
    """Sweep over problems."""
    with AtlasFile(path, is_written=True) as atlas:
        return sweep(atlas, problems, limits, **settings)


def test_a_sweep_keeps_what_it_finds(path: Path) -> None:
    """Every problem has a row, judged, and a second sweep searches for none of those that are proven."""
    problems = list(problems_on(SMALL))
    made = swept(path, [*problems, *(relabelled(problem, 1) for problem in problems)])
    assert (made.problems, made.proven, made.searched, made.bettered) == (24, 24, 24, 24)
    with AtlasFile(path) as atlas:
        assert len(atlas) == 24
        for problem in problems:
            known = known_of(atlas, problem, pytest.fail)
            assert known.is_settled
            assert known.figures is not None
            assert known.figures.seconds == 20.0
    assert swept(path, problems) == Sweep(24, 24, 0, 0)


def test_processes_change_nothing(path: Path) -> None:
    """Two processes search, and this one writes the same rows."""
    problems = list(problems_on(SMALL[:2]))
    limits = SearchOptions(evaluations=1_000)
    assert swept(path, problems, replace(limits, workers=2)).proven == 16
    alone = path.with_name("alone.sqlite")
    swept(alone, problems, limits)
    with AtlasFile(path) as one, AtlasFile(alone) as other:
        assert list(one.figures()) == list(other.figures())


def test_what_had_enough_effort_is_not_searched_again(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An open problem is searched again for more time, for more evaluations, or where that is asked for."""
    problem = problem_of("ring:4", "AAS")
    searches: list[Result | None] = []

    def found_nothing(options: object, context: object, asked: Problem, known: Result | None, seconds: object) -> Any:
        searches.append(known)
        return None, (), Result(asked, None).provenance

    monkeypatch.setattr(sweeping, "search_problem", found_nothing)
    for limits, again, expected in (
        (SearchOptions(seconds=2.0), False, 1),
        (SearchOptions(seconds=2.0), False, 0),
        (SearchOptions(seconds=1.0), False, 0),
        (SearchOptions(seconds=3.0), False, 1),
        (SearchOptions(evaluations=10), False, 1),
        (SearchOptions(evaluations=10), False, 0),
        (SearchOptions(seconds=3.0, evaluations=11), False, 1),
        (SearchOptions(seconds=1.0), True, 1),
    ):
        assert swept(path, [problem], limits, again=again).searched == expected
    assert len(searches) == 5


def test_a_search_starts_from_what_is_known(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What an atlas knows is handed to the search, judged."""
    problem = problem_of("ring:4", "AAS")
    given: list[Result | None] = []

    def known_is(options: object, context: object, asked: Problem, known: Result | None, seconds: object) -> Any:
        given.append(known)
        return None, (), Result(asked, None).provenance

    swept(path, [problem])
    with closing(sqlite3.connect(path)) as file:
        file.execute("UPDATE problems SET bound = 1")
        file.commit()
    monkeypatch.setattr(sweeping, "search_problem", known_is)
    notes: list[str] = []
    swept(path, [problem], again=True, note=notes.append)
    (known,) = given
    assert known is not None
    assert known.schedule is not None
    assert known.bounds == ()
    assert "is dropped" in notes[0]


def test_a_search_that_breaks_costs_its_problem(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What goes wrong with one problem is told, and the others go on."""
    monkeypatch.setattr(
        sweeping, "find_or_interrupt", lambda *_, **__: (0 for _ in ()).throw(ZeroDivisionError("no such luck"))
    )
    made = swept(path, list(problems_on(SMALL[:1], ["AAS"])))
    assert len(made.failures) == 2
    assert "alltoall (AAS) from 4 senders" in made.failures[0]
    assert "ZeroDivisionError: no such luck" in made.failures[0]
    assert isinstance(sweeping.search_problem(LIMITS, None, problem_of("ring:4"), None, 1.0), WorkerLost)  # type: ignore[arg-type]


def test_an_interrupt_in_disguise_is_an_interrupt(monkeypatch: pytest.MonkeyPatch) -> None:
    """A package that was interrupted while it loads raises an error of its own, which costs no problem."""

    def loading(*_: object, **__: object) -> None:
        raise ImportError("half loaded") from KeyboardInterrupt()

    monkeypatch.setattr(sweeping, "find_or_interrupt", loading)
    with pytest.raises(KeyboardInterrupt):
        sweeping.search_problem(LIMITS, None, problem_of("ring:4"), None, 1.0)  # type: ignore[arg-type]


def test_an_interrupt_ends_a_sweep(path: Path) -> None:
    """Ctrl-C keeps the rows that are finished and says so; the next sweep makes the others."""

    def interrupt(now: Progress) -> None:
        if now.done == 2:
            raise KeyboardInterrupt

    problems = list(problems_on(SMALL[:1]))
    made = swept(path, problems, replace(LIMITS, on_progress=interrupt))
    assert made.interrupted
    with AtlasFile(path) as atlas:
        assert len(atlas) == 2
    made = swept(path, problems)
    assert (made.searched, made.interrupted) == (6, False)


def test_a_sweep_without_limits_is_refused(path: Path) -> None:
    """A sweep needs a limit for each problem."""
    with pytest.raises(InputError, match="a sweep needs `seconds` or `evaluations`"):
        swept(path, [], SearchOptions())


HANGING = """
import sys, time
from pavane.atlas import sweeps as sweeping
from pavane.ui.cli import run
first, calls = sweeping.search_problem, []
def hanging(*call):
    calls.append(call)
    if len(calls) > 5:
        print("hanging", flush=True)
        time.sleep(600)
    return first(*call)
sweeping.search_problem = hanging
sys.exit(run(sys.argv[1:]))
"""
"""A sweep whose sixth search does not end."""


def test_a_killed_sweep_makes_no_row_twice(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A sweep that is killed -9 leaves whole rows; run again, it makes the others, and none of those again."""
    words = ["atlas", "sweep", str(path), "--network", "ring:4", "--network", "octagon", "--time", "20"]
    with subprocess.Popen([sys.executable, "-c", HANGING, *words], stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == "hanging\n"
        os.kill(running.pid, signal.SIGKILL)
    before = _count(path)
    assert 4 <= before < 16
    assert run(words) == 0
    assert f"searched    {16 - before}, " in capsys.readouterr().out
    assert _count(path) == 16


def _count(path: Path) -> int:
    with AtlasFile(path) as atlas:
        return len(atlas)
