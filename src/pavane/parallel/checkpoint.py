"""Checkpointing: the record of a search, from which it can be resumed after it was killed.

A search with counted effort is deterministic. A resumed search therefore runs again from its beginning, and takes the
results of recorded attempts from the checkpoint; for the attempt that was running the checkpoint has a loop state, from
which its solver resumes. Nothing that is loaded is trusted: schedules and bounds are judged again, and a solver
validates its loop state before it uses it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import NamedTuple

import numpy as np

from pavane.errors import CheckpointError, InvalidSchedule, PavaneError, in_one_line
from pavane.jit import clock
from pavane.judge.result import Provenance, Result, Run
from pavane.judge.verdict import EXHAUSTIVE, Verdict
from pavane.model.bound import Bound, OccupancyBound
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.parallel.loop_state import LoopState

SECONDS_BETWEEN_WRITES = 10.0
"""The most work that is lost when a search is killed."""

MOST_SHARE_OF_TIME = 0.05
"""If writing takes long it happens less often: writing may take at most this part of the time."""


class SavedLoop(NamedTuple):
    """The loop states of an attempt, from the outermost loop inwards."""

    key: str
    is_timed: bool
    states: tuple[LoopState, ...]


@dataclass(frozen=True)
class AttemptRecord:
    """The answer of an attempt without its problem, as a checkpoint or another process has it; not judged yet."""

    provenance: Provenance
    requested_steps: int | None = None
    schedule: Schedule | None = None
    bounds: tuple[Bound, ...] = ()
    occupancy_bounds: tuple[OccupancyBound, ...] = ()
    run: Run | None = None
    notes: tuple[str, ...] = ()
    is_timed: bool = False
    """Whether a time limit may have ended it; a search without a time limit ignores such records."""
    interrupted: bool = False
    """Whether the attempt was stopped; it is not recorded then."""

    @classmethod
    def of(cls, answer: Result | AttemptRecord) -> AttemptRecord:
        """Return an answer as a record."""
        if isinstance(answer, AttemptRecord):
            return answer
        return cls(
            answer.provenance,
            answer.requested_steps,
            answer.schedule,
            answer.bounds,
            answer.occupancy_bounds,
            answer.run,
            answer.notes,
        )

    def result(self, problem: Problem) -> Result:
        """Return the result, whose schedule is judged."""
        return Result(
            problem,
            self.schedule,
            self.bounds,
            self.provenance,
            self.requested_steps,
            self.run,
            self.notes,
            occupancy_bounds=self.occupancy_bounds,
        )


@dataclass
class Checkpoint:
    """Results of attempts and the loop state of the running one, saved now and then."""

    write: Callable[[Checkpoint], None] = field(repr=False)
    name: str = "the checkpoint"
    """The name of the checkpoint in error messages."""
    entries: dict[str, AttemptRecord] = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict)
    """The files of finished parts of a search, by their keys: timed schedules, which are judged when they are read."""
    saved_loop: SavedLoop | None = None
    is_cut: bool = False
    """Whether a time limit has ended a part of the search, so that it can be resumed."""
    seconds_before: float = 0.0
    """The seconds of earlier runs of the search."""
    failure: str = ""
    """Why the last failed attempt to save it failed."""

    def __post_init__(self) -> None:
        self.started = clock.now()
        self._due = self.started + SECONDS_BETWEEN_WRITES

    @property
    def seconds(self) -> float:
        """Return the seconds that the search has taken, including earlier runs."""
        return self.seconds_before + clock.now() - self.started

    @property
    def is_due(self) -> bool:
        """Whether it is time to save."""
        return clock.now() >= self._due

    def save(self) -> None:
        """Save the whole record."""
        begun = clock.now()
        try:
            self.write(self)
        except Exception as error:  # for example a full disk; the search continues without its checkpoint
            self.failure = str(error) if isinstance(error, PavaneError) else in_one_line(error)
        now = clock.now()
        self._due = now + max(SECONDS_BETWEEN_WRITES, (now - begun) / MOST_SHARE_OF_TIME)

    def recorded_result(self, key: str, problem: Problem, is_timed: bool) -> Result | None:
        """Return the recorded result of an attempt, judged again; None if the attempt has to run."""
        entry = self.entries.get(key)
        if entry is None or (entry.is_timed and not is_timed):
            return None
        verdicts = [Verdict(problem, bound, None) for bound in entry.bounds]
        verdicts += [Verdict(problem, bound, bound.num_steps) for bound in entry.occupancy_bounds]
        for verdict in verdicts:
            if not verdict.is_proven:
                raise self.refusal(f"a bound in it is {verdict}")
        try:
            return entry.result(problem)
        except InvalidSchedule as error:
            raise self.refusal(str(error)) from None

    def record(self, key: str, answer: Result | AttemptRecord, is_timed: bool) -> None:
        """Record the answer of an attempt.

        An exhaustive search leaves no certificate that could be judged again, so its answer is not recorded.
        """
        arguments = {bound.argument for bound in answer.bounds} | {bound.argument for bound in answer.occupancy_bounds}
        if EXHAUSTIVE in arguments:
            return
        self.entries[key] = replace(AttemptRecord.of(answer), is_timed=is_timed)
        if self.saved_loop is not None and self.saved_loop.key == key:
            self.saved_loop = None
        if self.is_due:
            self.save()

    def record_files(self, files: Mapping[str, bytes]) -> None:
        """Record the files of a finished part of a search, all or none."""
        self.files |= files
        if self.is_due:
            self.save()

    def loop_checkpoint(self, key: str, is_timed: bool) -> LoopCheckpoint:
        """Return the loop checkpoint of an attempt, with the loaded states if they belong to this attempt."""
        saved = self.saved_loop
        is_usable = saved is not None and saved.key == key and (is_timed or not saved.is_timed)
        return LoopCheckpoint(self, key, is_timed, loaded=list(saved.states) if is_usable and saved is not None else [])

    def refusal(self, why: str) -> CheckpointError:
        """Return the error for an invalid checkpoint."""
        return CheckpointError(f"{self.name}: cannot resume: {why}; remove it to start the search from the beginning")


@dataclass
class LoopCheckpoint:
    """The loop state of the running attempt; its solver loads it first, and saves it between kernel calls."""

    checkpoint: Checkpoint = field(repr=False)
    key: str
    is_timed: bool
    outer: tuple[LoopState, ...] = ()
    loaded: list[LoopState] = field(default_factory=list)
    """Loaded states that have not been used yet, the outermost first."""

    @property
    def is_due(self) -> bool:
        """Whether it is time to save."""
        return self.checkpoint.is_due

    def load(self, *kinds: str) -> LoopState | None:
        """Return the next loaded state, once; None if it is not of these kinds."""
        if not self.loaded or self.loaded[0].kind not in kinds:
            self.loaded.clear()
            return None
        return self.loaded.pop(0)

    def save(self, state: LoopState) -> None:
        """Save the state of the attempt."""
        self.checkpoint.saved_loop = SavedLoop(self.key, self.is_timed, (*self.outer, state))
        self.checkpoint.save()

    def nested(self, state: LoopState) -> LoopCheckpoint:
        """Return the loop checkpoint of a loop inside one that is in a state."""
        return LoopCheckpoint(self.checkpoint, self.key, self.is_timed, (*self.outer, state), self.loaded)

    @contextmanager
    def validating(self) -> Iterator[None]:
        """Refuse the checkpoint if a state that is read in this block lacks a value or has an invalid one."""
        try:
            yield
        except (ArithmeticError, LookupError, TypeError, ValueError) as error:
            text = " ".join(f"{type(error).__name__}: {error}".split())
            raise self.checkpoint.refusal(f"the state of {self.key} cannot be read ({text})") from None


def key_of(problem: Problem, solver: object, num_steps: int | None, seed: int, evaluations: int | None) -> str:
    """Return the key of an attempt: it covers all that decides the result, except time."""
    text = "\n".join((problem.digest(), _description(solver), repr((num_steps, seed, evaluations))))
    name = str(getattr(solver, "name", type(solver).__name__))
    return f"{name} {hashlib.sha256(text.encode()).hexdigest()[:32]}"


def _description(value: object) -> str:
    """Return a text that is equal for equal settings, in every process."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype}{value.shape}{hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()}"
    if is_dataclass(value) and not isinstance(value, type):
        items = (f"{item.name}={_description(getattr(value, item.name))}" for item in fields(value))
        # A class that was renamed keeps the name that checkpoints of before record.
        return f"{getattr(value, 'recorded_name', type(value).__name__)}({', '.join(items)})"
    if isinstance(value, (tuple, list)):
        return f"({', '.join(map(_description, value))})"
    if value is None or isinstance(value, (bool, int, float, str)):
        return repr(value)
    return type(value).__name__
