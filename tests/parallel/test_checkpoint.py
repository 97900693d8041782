"""Journals: answers by their attempts, and a bookmark for the one under way."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

from pavane.errors import CheckpointError
from pavane.judge.result import Provenance, Result, Run
from pavane.judge.verdict import EXHAUSTIVE
from pavane.model.bound import Bound
from pavane.parallel.budget import Budget
from pavane.parallel.checkpoint import Checkpoint, _description, key_of
from pavane.parallel.loop_state import LoopState
from pavane.solvers import SOLVERS
from pavane.solvers.evolutionary.umda import UMDA
from pavane.solvers.large_scatter.warm_start import WarmStart
from pavane.solvers.large_scatter.windowed_first_fit import WindowedFirstFit
from tests.problems import problem_of

RING = problem_of("ring:4", "AAS")


@pytest.fixture
def written() -> list[Checkpoint]:
    """Return a list that journals enter when they are written."""
    return []


@pytest.fixture
def journal(written: list[Checkpoint]) -> Checkpoint:
    """Return a journal of which nothing goes to a file."""
    return Checkpoint(written.append)


def test_an_answer_is_that_of_its_attempt(journal: Checkpoint) -> None:
    """The key says all that decides an answer: problem, settings, steps, seed and evaluations."""
    keys = {
        key_of(RING, UMDA(), 3, 0, None),
        key_of(problem_of("ring:5", "AAS"), UMDA(), 3, 0, None),
        key_of(RING, UMDA(polish=1), 3, 0, None),
        key_of(RING, UMDA(), 4, 0, None),
        key_of(RING, UMDA(), 3, 1, None),
        key_of(RING, UMDA(), 3, 0, 10),
    }
    assert len(keys) == 6
    assert key_of(RING, UMDA(), 3, 0, None) in keys


def test_a_schedule_in_the_settings_counts() -> None:
    """Starting from another schedule is another attempt, though both have as many steps."""
    first, second = (SOLVERS["greedy"](problem_of("mesh:3x3"), None, seed, Budget()).schedule for seed in (0, 1))
    assert first is not None
    assert second is not None
    assert first != second
    keys = {key_of(RING, WarmStart(start, 1), None, 0, None) for start in (first, second, first)}
    assert len(keys) == 2


def test_settings_of_any_kind_are_told_by_their_class() -> None:
    """A function in a setting has no text that is the same in every process: its class stands for it."""

    @dataclass(frozen=True)
    class Odd:
        """A solver with a function among its settings."""

        rule: object
        name: str = "odd"

    keys = {key_of(RING, Odd(rule), None, 0, None) for rule in (lambda: 1, lambda: 2)}
    assert len(keys) == 1
    assert key_of(RING, Odd({1}), None, 0, None) not in keys


def test_an_answer_is_judged_when_it_is_asked_for(journal: Checkpoint) -> None:
    """What was recorded comes back as a result, with its run and notes; an invalid schedule does not."""
    found = SOLVERS["greedy"](RING, None, 3, Budget()).amended(run=Run(5, ((1, 2),)), notes=("so",))
    journal.record("it", found, is_timed=False)
    again = journal.recorded_result("it", RING, is_timed=False)
    assert again is not None
    assert (again.schedule, again.run, again.notes) == (found.schedule, found.run, found.notes)
    assert again.provenance == Provenance("greedy", 3)
    assert journal.recorded_result("other", RING, is_timed=False) is None
    with pytest.raises(CheckpointError, match="breaks a rule"):
        journal.recorded_result("it", problem_of("ring:5", "AAS"), is_timed=False)


def test_what_time_has_ended_is_for_searches_in_time(journal: Checkpoint) -> None:
    """A counted search does not take the answer of an attempt that time may have ended; the other way round it does."""
    journal.record("timed", Result(RING, None), is_timed=True)
    journal.record("counted", Result(RING, None), is_timed=False)
    asked = [(key, timed) for key in ("timed", "counted") for timed in (True, False)]
    known = [one for one in asked if journal.recorded_result(one[0], RING, one[1]) is not None]
    assert known == [("timed", True), ("counted", True), ("counted", False)]


def test_exhaustive_searches_are_made_again(journal: Checkpoint) -> None:
    """What leaves nothing to judge is not written down."""
    journal.record("it", Result(RING, None, (Bound(9, EXHAUSTIVE, {}),)), is_timed=False)
    assert not journal.entries


def test_a_bookmark_is_read_once_and_only_by_its_attempt(journal: Checkpoint, written: list[Checkpoint]) -> None:
    """Marks come back from the outermost loop inwards; of another kind or attempt there are none."""
    outer, inner = LoopState("outer", {"at": 1}, {}), LoopState("inner", {}, {"a": np.arange(3)})
    journal.loop_checkpoint("it", is_timed=False).nested(outer).save(inner)
    assert written == [journal]
    found = journal.loop_checkpoint("it", is_timed=True)
    assert found.load("outer") is outer
    assert found.nested(outer).load("inner", "other") is inner
    assert found.load("inner") is None
    assert journal.loop_checkpoint("another", is_timed=False).load("outer") is None
    assert journal.loop_checkpoint("it", is_timed=False).load("inner") is None
    journal.record("it", Result(RING, None), is_timed=False)
    assert journal.saved_loop is None


def test_a_budget_sets_a_bookmark_when_it_is_due(journal: Checkpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a journal nothing is made; with one it is made when the seconds are over, or the time."""
    made: list[int] = []

    def make(number: int) -> LoopState:
        made.append(number)
        return LoopState("it", {}, {})

    Budget().save_state(make, 1)
    marked = replace(Budget.of(checkpoint=journal), loop_checkpoint=journal.loop_checkpoint("it", is_timed=False))
    marked.save_state(make, 2)
    assert made == []
    replace(marked, deadline=0.0).save_state(make, 3)
    monkeypatch.setattr(Checkpoint, "is_due", True)
    marked.save_state(make, 4)
    assert made == [3, 4]


def test_errors_in_a_mark_are_told_in_one_line(journal: Checkpoint) -> None:
    """Whatever is wrong with a mark, the text names the checkpoint and says what to do."""
    bookmark = journal.loop_checkpoint("it", is_timed=False)
    for error in (KeyError("x"), ValueError("a\nb"), TypeError("no"), IndexError("3")):
        with (
            pytest.raises(CheckpointError, match=r"the checkpoint: cannot resume: .*remove it"),
            bookmark.validating(),
        ):
            raise error


def test_renamed_solvers_have_their_recorded_names() -> None:
    """Attempts in checkpoints of earlier versions are found although their classes have other names now."""
    assert _description(WarmStart(None, 5)).startswith("Shortening(start=None, enough=5, ")
    assert _description(WindowedFirstFit()) == "Haste(name='first-fit')"
