"""Many runs of an algorithm at once, an island each, on a GPU or whatever compiles islands.cu.

An island makes what the run with its seed makes on a processor, evaluation by evaluation: a GPU changes the time, not
the runs. Tables, settings and limits are copied to the device, and solutions are copied back; other modules judge the
schedules. Subclasses have the algorithms.
"""

from __future__ import annotations

import hashlib
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np

from pavane.errors import InputError
from pavane.judge.result import Run
from pavane.model.arrays import Ints
from pavane.model.schedule import Schedule
from pavane.parallel.budget import Budget
from pavane.solvers.solver import Finding

SECONDS_PER_LAUNCH = 0.25
"""How long the islands live on between two looks at them."""

SUCCESS = 1
"""How a program says that a run has ended with a solution without conflicts."""

THREADS_PER_MULTIPROCESSOR = 2048

Program = Callable[[int, int, int, Sequence[Any]], None]
"""Runs a number of blocks, each of a number of threads and of shared bytes, with arguments."""


class Device(Protocol):
    """What islands live on."""

    @property
    def most_shared(self) -> int:
        """Return the bytes of memory that the threads of a block may share."""
        ...

    @property
    def memory(self) -> int:
        """Return the bytes of memory for all islands together."""
        ...

    @property
    def num_threads(self) -> int:
        """Return how many threads run at the same time."""
        ...

    def array(self, values: Any) -> Any:
        """Return a copy of an array on the device."""
        ...

    def zeros(self, shape: tuple[int, ...], kind: Any) -> Any:
        """Return an array of zeros on the device."""
        ...

    def numpy(self, values: Any) -> Any:
        """Return a copy of a device's array here."""
        ...

    def program(self, defined: Mapping[str, str]) -> Program:
        """Compile the islands with macros."""
        ...


class IslandRun(NamedTuple):
    """How the run of an island ended."""

    chromosome: Ints | None
    """One without conflicts."""
    evaluations: int
    trace: tuple[tuple[int, int], ...]
    """The evaluations made and the conflicts left, whenever they became fewer."""

    @property
    def conflicts(self) -> int:
        """Return how many were left."""
        return self.trace[-1][1] if self.trace else np.iinfo(np.int32).max


class IslandLayout(NamedTuple):
    """How the threads of a block share the work and the memory."""

    team: int
    """Threads for a chromosome, a power of two."""
    teams: int
    """Chromosomes at a time."""
    shared: int
    """Bytes."""


class Look(NamedTuple):
    """What is seen of islands between two launches."""

    ended: list[tuple[int, IslandRun]]
    """The islands whose runs have ended since the last look, by their numbers, and the runs."""
    made: int
    """The evaluations of the island that has made the most."""
    fewest: int
    """The fewest conflicts of any island that lives."""


class Archipelago(ABC):
    """An algorithm on one problem, ready to live on a device."""

    device: Device
    _programs: dict[IslandLayout, Program]

    unstored: ClassVar[frozenset[str]] = frozenset()
    """The memory that needs no storing: its contents last for a generation, or are made again."""

    @abstractmethod
    def schedule(self, chromosome: Ints) -> Schedule:
        """Return the schedule of a solution without conflicts."""

    @abstractmethod
    def _tables(self) -> list[Any]:
        """Return the tables of the program, in the order in which it takes them."""

    @abstractmethod
    def _settings(self, layout: IslandLayout) -> dict[str, str]:
        """Return the macros of the program."""

    @abstractmethod
    def _layout(self, num_islands: int) -> IslandLayout:
        """Lay out the blocks of so many islands."""

    @property
    @abstractmethod
    def _bytes(self) -> int:
        """Return the bytes of memory of an island."""

    @property
    @abstractmethod
    def _most_lines(self) -> int:
        """Return how many lines of a trace are kept."""

    @abstractmethod
    def _memory(self, seeds: Sequence[Any], most: int) -> dict[str, Any]:
        """Make the memory of islands, in the order in which the program takes it."""

    def _names(self, seeds: Sequence[Any]) -> list[Any]:
        """Return what tells the runs of seeds from others: the seeds themselves."""
        names: list[Any] = np.array(seeds).tolist()
        return names

    def _renew(self, memory: Mapping[str, Any], running: Ints, most: int) -> None:  # noqa: B027
        """Give islands what they cannot make themselves; most need nothing."""

    @property
    def at_once(self) -> int:
        """Return how many islands the memory of the device holds."""
        return max(1, self.device.memory // self._bytes)

    def lives(
        self, seeds: Sequence[Any], most: Callable[[], int], is_over: Callable[[], bool], file: Path | None = None
    ) -> Iterator[Look]:
        """Let an island live for each seed until its run has ended, and look at them now and then.

        A run ends with success or after as many evaluations as `most` says by then; when the time is over those that
        live end as they are. There must not be more seeds than `at_once`. With a file, islands that live when the time
        is over do not end: they are stored there, and the next call resumes them, evaluation by evaluation.
        """
        tables = [self.device.array(table) for table in self._tables()]
        memory, digest = self._memory(seeds, most()), self._digest(seeds, most())
        if file is not None and file.exists():
            memory |= {name: self.device.array(values) for name, values in _read_memory(file, digest).items()}
        end = self.device.numpy(memory["end"])
        running, num_generations = np.flatnonzero(end == 0).astype(np.int32), 1
        if end.any():
            yield Look(self._ended(memory, np.flatnonzero(end).astype(np.int32)), 0, 0)
        while len(running) and not is_over():
            layout = self._layout(len(running))
            program = self._program(layout)
            begun = time.monotonic()
            numbers = (np.int32(num_generations), np.int32(self._most_lines), np.int64(most()))
            args = [*tables, self.device.array(running), *memory.values(), *numbers]
            program(len(running), layout.team * layout.teams, layout.shared, args)
            self._renew(memory, running, most())
            end = self.device.numpy(memory["end"])[running]
            took = max(time.monotonic() - begun, 1e-6)
            # How many generations pass before the next look changes nothing in them.
            num_generations = max(1, min(2 * num_generations, int(num_generations * SECONDS_PER_LAUNCH / took)))
            made, least = (self.device.numpy(memory[name])[running] for name in ("made", "least"))
            yield Look(self._ended(memory, running[end > 0]), int(made.max()), int(least.min()))
            running = running[end == 0]
        if len(running) and file is not None:
            stored = memory.keys() - self.unstored
            _write_memory(file, digest, {name: self.device.numpy(memory[name]) for name in stored})
        elif len(running):
            yield Look(self._ended(memory, running), 0, 0)

    def _records(self, size: int, winner: int, kind: Any) -> dict[str, Any]:
        """Make the memory that all programs have at its end: solutions of so many numbers, and records of runs."""
        zeros, ints = self.device.zeros, np.int32
        return {
            "winners": zeros((size, winner), kind),
            "made": zeros((size,), np.int64),
            "end": zeros((size,), ints),
            "least": self.device.array(np.full(size, np.iinfo(ints).max, dtype=ints)),
            "trace": zeros((size, self._most_lines, 2), ints),
            "lines": zeros((size,), ints),
        }

    def _ended(self, memory: Mapping[str, Any], numbers: Ints) -> list[tuple[int, IslandRun]]:
        """Read runs off the device."""
        if not len(numbers):
            return []
        at = self.device.array(numbers)
        names = ("winners", "made", "end", "lines", "trace")
        winners, made, end, lines, trace = (self.device.numpy(memory[name][at]) for name in names)
        runs = []
        for i, number in enumerate(numbers.tolist()):
            chromosome = winners[i].astype(np.int32) if end[i] == SUCCESS else None
            improvements = tuple((after, left) for after, left in trace[i, : int(lines[i])].tolist())
            runs.append((number, IslandRun(chromosome, int(made[i]), improvements)))
        return runs

    def _digest(self, seeds: Sequence[Any], most: int) -> str:
        """Return a digest of what determines the runs; the layout of blocks does not."""
        settings = self._settings(IslandLayout(1, 1, 0))
        digest = hashlib.sha256(repr((sorted(settings.items()), self._names(seeds), most)).encode())
        for table in self._tables():
            digest.update(table.tobytes())
        return digest.hexdigest()

    def _program(self, layout: IslandLayout) -> Program:
        """Return the program for a layout, compiled once."""
        if layout not in self._programs:
            self._programs[layout] = self.device.program(self._settings(layout))
        return self._programs[layout]


def state_of(rng: np.random.Generator) -> np.ndarray[Any, Any]:
    """Return the state of a generator PCG64 as six words."""
    state = rng.bit_generator.state
    words = [word for number in (state["state"]["state"], state["state"]["inc"]) for word in divmod(number, 2**64)]
    return np.array([*words, state["uinteger"], state["has_uint32"]], dtype=np.uint64)


def _write_memory(file: Path, digest: str, memory: Mapping[str, Any]) -> None:
    """Store the arrays of islands, with a digest of their runs; an older file is replaced only by a whole one."""
    part = file.with_suffix(".part")
    with part.open("wb") as output:
        np.savez_compressed(output, allow_pickle=False, digest=np.array(digest), **memory)
    part.replace(file)


def _read_memory(file: Path, digest: str) -> dict[str, Any]:
    """Return the stored arrays of islands; refuse those of other runs."""
    with np.load(file, allow_pickle=False) as stored:
        if str(stored["digest"]) != digest:
            raise InputError(f"{file} has islands of another problem, setting, limit or seed; delete it to start over")
        return {name: stored[name] for name in stored.files if name != "digest"}


def files_of(file: Path | None) -> Iterator[Path | None]:
    """Yield names of files for interrupted runs, for one turn of islands after the other."""
    return (file and file.with_name(f"{file.stem}-{number}.npz") for number in count(1))


def findings(
    islands: Archipelago, seeds: Sequence[Any], most: int, budget: Budget, files: Iterator[Path | None]
) -> Iterator[tuple[int, Finding]]:
    """Make the runs of seeds, in turns where memory is short; yield their numbers and findings as they end."""
    for first in range(0, len(seeds), islands.at_once):
        some = seeds[first : first + islands.at_once]
        for look in islands.lives(some, lambda: most, lambda: budget.is_over, next(files)):
            for number, run in look.ended:
                schedule = None if run.chromosome is None else islands.schedule(run.chromosome)
                yield first + number, Finding(schedule, run=Run(run.evaluations, run.trace))
