"""What a search has done so far, so that it can go on after it was killed.

A search whose effort is counted does the same every time. So it is made again from its beginning, and every attempt
whose answer stands in the journal is answered from there; of the attempt that was under way the journal has a bookmark,
from which its solver goes on. Nothing that was read is believed: schedules and bounds are judged again, and a solver
checks its bookmark before it uses it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, is_dataclass
from typing import NamedTuple

import numpy as np

from pavane.errors import CheckpointError, InvalidSchedule, PavaneError, in_one_line
from pavane.jit import clock
from pavane.judge.result import Provenance, Result, Run
from pavane.judge.verdict import EXHAUSTIVE, Verdict
from pavane.model.bound import Bound, OccupancyBound
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.parallel.loop_state import Mark

SECONDS_BETWEEN_WRITES = 10.0
"""What a kill may cost."""

MOST_SHARE_OF_TIME = 0.05
"""Where writing takes long it is done less often: it has no more than this part of the time."""


class Bookmarked(NamedTuple):
    """Where an attempt is: marks from the outermost loop inwards."""

    key: str
    is_timed: bool
    marks: tuple[Mark, ...]


@dataclass(frozen=True)
class Entry:
    """What came of an attempt, as far as a search needs it; nothing of it has been judged."""

    is_timed: bool
    """Whether time may have ended it; a search without a time limit does not ask for such answers."""
    solver: str
    seed: int = 0
    asked: int | None = None
    schedule: Schedule | None = None
    bounds: tuple[Bound, ...] = ()
    occupancy_bounds: tuple[OccupancyBound, ...] = ()
    run: Run | None = None
    notes: tuple[str, ...] = ()


@dataclass
class Journal:
    """Answers of attempts and the bookmark of the one under way, written down now and then."""

    write: Callable[[Journal], None] = field(repr=False)
    name: str = "the checkpoint"
    """How errors call what was read."""
    entries: dict[str, Entry] = field(default_factory=dict)
    bookmarked: Bookmarked | None = None
    is_cut: bool = False
    """Whether time has ended a part of the search, so that there is something to go on with."""
    seconds_before: float = 0.0
    """What earlier runs of the search took."""
    failure: str = ""
    """Why it could not be written, the last time that it could not."""

    def __post_init__(self) -> None:
        self.started = clock.now()
        self._due = self.started + SECONDS_BETWEEN_WRITES

    @property
    def seconds(self) -> float:
        """Return the seconds that the search has taken, those of earlier runs among them."""
        return self.seconds_before + clock.now() - self.started

    @property
    def is_due(self) -> bool:
        """Whether it is time to write."""
        return clock.now() >= self._due

    def written(self) -> None:
        """Write down all that is known."""
        begun = clock.now()
        try:
            self.write(self)
        except Exception as error:  # a full disk, perhaps; the search is worth more than its checkpoint
            self.failure = str(error) if isinstance(error, PavaneError) else in_one_line(error)
        now = clock.now()
        self._due = now + max(SECONDS_BETWEEN_WRITES, (now - begun) / MOST_SHARE_OF_TIME)

    def answer(self, key: str, problem: Problem, is_timed: bool) -> Result | None:
        """Return what an attempt has answered before, judged again; None where it is to be made."""
        entry = self.entries.get(key)
        if entry is None or (entry.is_timed and not is_timed):
            return None
        verdicts = [Verdict(problem, bound, None) for bound in entry.bounds]
        verdicts += [Verdict(problem, bound, bound.num_steps) for bound in entry.occupancy_bounds]
        for verdict in verdicts:
            if not verdict.is_proven:
                raise self.refusal(f"a bound in it is {verdict}")
        try:
            return Result(
                problem,
                entry.schedule,
                entry.bounds,
                Provenance(entry.solver, entry.seed),
                entry.asked,
                entry.run,
                entry.notes,
                occupancy_bounds=entry.occupancy_bounds,
            )
        except InvalidSchedule as error:
            raise self.refusal(str(error)) from None

    def record(self, key: str, result: Result, is_timed: bool) -> None:
        """Take down what an attempt has answered.

        What rests on an exhaustive search leaves nothing that could be judged again, so it is searched for again.
        """
        arguments = {bound.argument for bound in result.bounds} | {bound.argument for bound in result.occupancy_bounds}
        if EXHAUSTIVE in arguments:
            return
        self.entries[key] = Entry(
            is_timed,
            result.provenance.solver,
            result.provenance.seed,
            result.asked,
            result.schedule,
            result.bounds,
            result.occupancy_bounds,
            result.run,
            result.notes,
        )
        if self.bookmarked is not None and self.bookmarked.key == key:
            self.bookmarked = None
        if self.is_due:
            self.written()

    def bookmark(self, key: str, is_timed: bool) -> Bookmark:
        """Return the bookmark of an attempt, with what was read if it is about this one."""
        read = self.bookmarked
        is_ours = read is not None and read.key == key and (is_timed or not read.is_timed)
        return Bookmark(self, key, is_timed, found=list(read.marks) if is_ours and read is not None else [])

    def refusal(self, why: str) -> CheckpointError:
        """Return the error for a checkpoint that cannot be so."""
        return CheckpointError(f"{self.name}: cannot be gone on from: {why}; remove it, and the search starts anew")


@dataclass
class Bookmark:
    """Where the attempt under way is; its solver reads it at the beginning, and sets it between calls of kernels."""

    journal: Journal = field(repr=False)
    key: str
    is_timed: bool
    outer: tuple[Mark, ...] = ()
    found: list[Mark] = field(default_factory=list)
    """Marks that were read, the outermost first, and that nobody has asked for yet."""

    @property
    def is_due(self) -> bool:
        """Whether it is to be set."""
        return self.journal.is_due

    def read(self, *kinds: str) -> Mark | None:
        """Return the mark that was read, once; None where there is none of these kinds."""
        if not self.found or self.found[0].kind not in kinds:
            self.found.clear()
            return None
        return self.found.pop(0)

    def set(self, mark: Mark) -> None:
        """Say where the attempt is, and have it written."""
        self.journal.bookmarked = Bookmarked(self.key, self.is_timed, (*self.outer, mark))
        self.journal.written()

    def within(self, mark: Mark) -> Bookmark:
        """Return the bookmark of what is done inside a loop that is at some mark."""
        return Bookmark(self.journal, self.key, self.is_timed, (*self.outer, mark), self.found)

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Refuse the checkpoint where something in a mark that is read in this block is missing or cannot be so."""
        try:
            yield
        except (ArithmeticError, LookupError, TypeError, ValueError) as error:
            text = " ".join(f"{type(error).__name__}: {error}".split())
            raise self.journal.refusal(f"where {self.key} was cannot be read ({text})") from None


def key_of(problem: Problem, solver: object, num_steps: int | None, seed: int, evaluations: int | None) -> str:
    """Return the name of an attempt: it says all that decides its answer, but for time."""
    text = "\n".join((problem.digest(), _described(solver), repr((num_steps, seed, evaluations))))
    name = str(getattr(solver, "name", type(solver).__name__))
    return f"{name} {hashlib.sha256(text.encode()).hexdigest()[:32]}"


def _described(value: object) -> str:
    """Return a text that is the same for the same settings, in every process."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype}{value.shape}{hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()}"
    if is_dataclass(value) and not isinstance(value, type):
        inside = (f"{one.name}={_described(getattr(value, one.name))}" for one in fields(value))
        return f"{type(value).__name__}({', '.join(inside)})"
    if isinstance(value, (tuple, list)):
        return f"({', '.join(map(_described, value))})"
    if value is None or isinstance(value, (bool, int, float, str)):
        return repr(value)
    return type(value).__name__
