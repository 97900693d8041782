"""Islands: many runs of UMDA or of the genetic algorithm at once, on a GPU or whatever compiles kernels/islands.cu.

An island with a run's key makes what the run makes on a processor, evaluation by evaluation: a GPU changes the time,
not the runs. Tables, settings and limits are copied to the device, and chromosomes are copied back; other modules judge
the schedules.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from math import ceil
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from pavane.errors import InputError
from pavane.judge.result import Run
from pavane.model.arrays import Ints
from pavane.model.problem import Problem
from pavane.parallel.budget import Budget
from pavane.solvers.evolutionary.encoding import Encoding, new_key
from pavane.solvers.evolutionary.island_file import read_memory, write_memory
from pavane.solvers.evolutionary.kernels.genes import BROADCAST_ITEMS
from pavane.solvers.evolutionary.populations import Evolution, encoded
from pavane.solvers.solver import Finding

SECONDS_PER_LAUNCH = 0.25
"""How long the islands live on between two looks at them."""

THREADS = (256, 512, 1024)
"""How many a block may have: the fewer islands live, the more threads each of them gets."""


UNSTORED = frozenset(("children", "trees"))
"""The memory of islands that needs no storing: its contents last for a generation."""

SUCCESS = 1
"""How islands.cu says that a run has ended with a chromosome without conflicts."""


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

    def program(self, defined: Mapping[str, str]) -> Callable[[int, int, int, Sequence[Any]], None]:
        """Compile the islands with macros; return how to run blocks, of a number of threads and of shared bytes."""
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


# -- tables and settings


def tables_of(encoding: Encoding) -> list[Ints]:
    """Return the tables of a genome in the order in which the program takes them."""
    genome = encoding.genome
    sizes = np.diff(genome.first_gene)
    message_of = np.repeat(np.arange(len(sizes)), sizes)
    tables = (
        genome.room,
        genome.first_sent,
        genome.genes_sent,
        genome.sender_of,
        message_of,
        genome.origin_of,
        genome.first_gene,
        genome.target_of,
        genome.first_source,
        genome.source_of,
        genome.pair_of,
        genome.first_path,
        genome.unit_offsets,
        genome.units,
        genome.capacity,
        encoding.cardinalities,
    )
    # An empty table has no address.
    return [np.append(table, 0).astype(np.int32) for table in tables]


def item_type(encoding: Encoding) -> type[np.uint8] | type[np.uint16]:
    """Return the smallest type that holds every item."""
    most = int(encoding.cardinalities.max())
    if most > np.iinfo(np.uint16).max:
        raise InputError(f"{most:,} values of one item are too many for islands; set most_paths lower")
    return np.uint8 if most <= np.iinfo(np.uint8).max else np.uint16


def defined(encoding: Encoding, evolution: Evolution, layout: IslandLayout) -> dict[str, str]:
    """Return the macros of the program: the numbers of the problem and the settings of the algorithm."""
    genome, variation, size = encoding.genome, evolution.variation, evolution.population_size
    mutation = variation.mutation
    numbers = {
        "PER_GENE": genome.num_items,
        "GENES": encoding.num_genes,
        "ITEMS": encoding.num_items,
        "STEPS": genome.num_steps,
        "UNITS": len(genome.capacity),
        "PROCESSORS": len(genome.room),
        "MESSAGES": len(genome.origin_of),
        "ROOM": int(genome.room.sum()),
        "COUNTS_PAIRS": int(genome.counts_pairs),
        "POPULATION": size,
        "PATIENCE": evolution.patience,
        "POLISH": variation.num_polish,
        "SWAPS_WITHIN": int(mutation.within),
        "SWAPS_IDLE": int(mutation.idle),
        "CHANGES": mutation.num_changes,
        "TEAM": layout.team,
        "TEAMS": layout.teams,
    }
    elite = min(variation.num_elite, size - 1)
    numbers |= {
        "IS_UMDA": int(variation.is_sampled),
        "WHOLE_GENES": int(variation.whole_genes),
        "TRUNCATES": int(variation.truncates),
        "KEEPS_BETTER": int(variation.keeps_better),
        "CHILDREN": size // 2 if variation.is_sampled else size - elite,
        "ELITE": elite,
        "TOURNAMENT": variation.tournament_size,
    }
    likely = {"MUTATION": mutation.probability, "PATH_SHARE": mutation.path_share, "CROSSOVER": variation.crossover}
    words = {name: f"{ceil(probability * 2**32)}ull" for name, probability in likely.items()}
    item = "unsigned char" if item_type(encoding) is np.uint8 else "unsigned short"
    return {name: str(number) for name, number in numbers.items()} | words | {"ITEM": item}


def layout_of(
    encoding: Encoding, population_size: int, most_shared: int, num_threads: int = THREADS[0]
) -> IslandLayout:
    """Lay out a block: a thread for two genes at most, then as many teams as threads and memory allow."""
    team = 1
    while team < THREADS[0] and 2 * team < encoding.num_genes:
        team *= 2
    hall, bench = _shared_bytes(encoding, population_size)
    teams = max(1, min(num_threads // team, population_size, (most_shared - hall) // (bench + 16)))
    while team * teams % 32:
        # Warps are whole: a team more, or threads that idle.
        teams, team = (teams, team * 2) if teams == 1 or team * teams < 32 else (teams - 1, team)
    shared = hall + teams * (bench + 16)
    if shared > most_shared:
        raise InputError(
            f"islands of {encoding.num_genes:,} messages in {encoding.genome.num_steps} steps need {shared:,} bytes of "
            f"memory a block, and the GPU has {most_shared:,}; use `device` cpu"
        )
    return IslandLayout(team, teams, shared)


def _shared_bytes(encoding: Encoding, population_size: int) -> tuple[int, int]:
    """Return what a block shares, and what each team has of it besides; as islands.cu lays it out."""
    genome = encoding.genome
    is_broadcast, processors = genome.num_items == BROADCAST_ITEMS, len(genome.room)
    parts = [
        8,
        16,
        4,
        4 * len(genome.capacity) * genome.num_steps,
        0 if is_broadcast else 2 * processors * genome.num_steps,
        2 * len(genome.origin_of) * processors if is_broadcast else 0,
        encoding.num_items * np.dtype(item_type(encoding)).itemsize,
    ]
    return 3 * _rounded(4 * population_size), sum(_rounded(part) for part in parts)


def _rounded(size: int) -> int:
    return (size + 7) // 8 * 8


# -- life


class Look(NamedTuple):
    """What is seen of islands between two launches."""

    ended: list[tuple[int, IslandRun]]
    """The islands whose runs have ended since the last look, by their numbers, and the runs."""
    made: int
    """The evaluations of the island that has made the most."""
    fewest: int
    """The fewest conflicts of any island that lives."""


@dataclass(frozen=True)
class Islands:
    """An algorithm on one encoding, ready to live on a device."""

    evolution: Evolution
    encoding: Encoding
    device: Device
    _programs: dict[IslandLayout, Callable[[int, int, int, Sequence[Any]], None]] = field(default_factory=dict)

    @property
    def at_once(self) -> int:
        """Return how many islands the memory of the device holds."""
        return max(1, self.device.memory // self._bytes)

    def lives(
        self, seeds: Sequence[Any], most: Callable[[], int], is_over: Callable[[], bool], file: Path | None = None
    ) -> Iterator[Look]:
        """Let an island live for each key until its run has ended, and look at them now and then.

        A run ends with success or after as many evaluations as `most` says by then; when the time is over those that
        live end as they are. There must not be more keys than `at_once`. With a file, islands that live when the time
        is over do not end: they are stored there, and the next call resumes them, evaluation by evaluation.
        """
        tables = [self.device.array(table) for table in self._tables()]
        memory, digest = self._memory(seeds, most()), self._digest(seeds, most())
        if file is not None and file.exists():
            memory |= {name: self.device.array(values) for name, values in read_memory(file, digest).items()}
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
            write_memory(file, digest, {name: self.device.numpy(memory[name]) for name in memory.keys() - UNSTORED})
        elif len(running):
            yield Look(self._ended(memory, running), 0, 0)

    def _tables(self) -> list[Any]:
        """Return the tables of the program, in the order in which it takes them."""
        return list(tables_of(self.encoding))

    def _settings(self, layout: IslandLayout) -> dict[str, str]:
        """Return the macros of the program."""
        return defined(self.encoding, self.evolution, layout)

    def _renew(self, memory: Mapping[str, Any], running: Ints, most: int) -> None:
        """Give islands what they cannot make themselves; these need nothing."""

    def _digest(self, seeds: Sequence[Any], most: int) -> str:
        """Return a digest of what determines the runs; the layout of blocks does not."""
        settings = self._settings(IslandLayout(1, 1, 0))
        digest = hashlib.sha256(repr((sorted(settings.items()), self._names(seeds), most)).encode())
        for table in self._tables():
            digest.update(table.tobytes())
        return digest.hexdigest()

    def _names(self, seeds: Sequence[Any]) -> list[Any]:
        """Return what tells the runs of seeds from others: keys themselves."""
        names: list[Any] = np.array(seeds).tolist()
        return names

    def _layout(self, num_islands: int) -> IslandLayout:
        """Lay out the blocks of so many islands."""
        size, shared, threads = self.evolution.population_size, self.device.most_shared, self.device.num_threads
        enough = [number for number in THREADS if number * num_islands <= threads]
        return layout_of(self.encoding, size, shared, max(enough, default=THREADS[0]))

    def _program(self, layout: IslandLayout) -> Callable[[int, int, int, Sequence[Any]], None]:
        """Return the program for a layout, compiled once."""
        if layout not in self._programs:
            self._programs[layout] = self.device.program(self._settings(layout))
        return self._programs[layout]

    @property
    def _most_lines(self) -> int:
        """Return how many lines of a trace are kept; conflicts seldom become fewer as often."""
        return min(4096, 64 + 4 * self.encoding.num_genes)

    @property
    def _bytes(self) -> int:
        """Return the bytes of memory of an island."""
        item = np.dtype(item_type(self.encoding)).itemsize
        populations = (2 * self.evolution.population_size + 1) * self.encoding.num_items * item
        return populations + 8 * self._most_lines + 16 * self.evolution.population_size + 256

    def _memory(self, keys: Sequence[Any], most: int) -> dict[str, Any]:
        """Make the memory of islands, in the order in which the program takes it."""
        size, population, items = len(keys), self.evolution.population_size, self.encoding.num_items
        longs, ints, item = np.int64, np.int32, item_type(self.encoding)
        rows, zeros = (size, population, items), self.device.zeros
        return {
            "keys": self.device.array(np.array(keys, dtype=np.uint32)),
            "chromosomes": zeros(rows, item),
            "children": zeros(rows, item),
            "winners": zeros((size, items), item),
            "fitness": zeros((size, population), ints),
            "born": zeros((size, population), longs),
            "made": zeros((size,), longs),
            "improved": zeros((size,), longs),
            "fewest": self.device.array(np.full(size, -1, dtype=ints)),
            "least": self.device.array(np.full(size, np.iinfo(ints).max, dtype=ints)),
            "end": zeros((size,), ints),
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


# -- searches on islands


def best_of_islands(
    evolution: Evolution,
    problem: Problem,
    num_steps: int,
    rng: np.random.Generator,
    budget: Budget,
    num_islands: int,
    device: Device,
) -> Finding:
    """Look for a schedule on many islands: the one that needs the fewest evaluations gives it, of equals the first.

    Every island may make as many evaluations as a run. What is counted is the run of the one that gives the schedule,
    or else of the one that came nearest.
    """
    most = evolution.most_evaluations if budget.evaluations is None else budget.evaluations
    encoding = encoded(evolution, problem, num_steps, rng)
    if encoding is None or most <= 0 or budget.is_over:
        return Finding(None, run=Run(0), is_final=encoding is None)
    keys = [new_key(rng) for _ in range(num_islands)]
    islands = Islands(evolution, encoding, device)
    runs: dict[int, IslandRun] = {}

    def limit() -> int:
        # An island that has not succeeded within the evaluations that another needed cannot win any more.
        return min((run.evaluations for run in runs.values() if run.chromosome is not None), default=most)

    for first in range(0, num_islands, islands.at_once):
        for look in islands.lives(keys[first : first + islands.at_once], limit, lambda: budget.is_over):
            if budget.on_conflicts is not None and look.made:
                budget.on_conflicts(look.made, look.fewest)
            runs |= {first + number: run for number, run in look.ended}
    _, best = min(runs.items(), key=lambda one: (one[1].conflicts, one[1].evaluations, one[0]))
    schedule = None if best.chromosome is None else encoding.schedule(best.chromosome)
    return Finding(schedule, run=Run(best.evaluations, best.trace), is_final=num_steps >= problem.num_deliveries)


def each_on_an_island(
    evolution: Evolution,
    problem: Problem,
    num_steps: int,
    rngs: Sequence[np.random.Generator],
    budget: Budget,
    device: Device,
    file: Path | None = None,
) -> Iterator[tuple[int, Finding]]:
    """Make a run with each of some generators, on an island each; yield their numbers and findings as they end.

    With a file, runs that the time limit interrupts are not yielded but stored in files named after it, from which the
    next call resumes them.
    """
    most = evolution.most_evaluations if budget.evaluations is None else budget.evaluations
    is_final, files = num_steps >= problem.num_deliveries, files_of(file)
    for encoding, numbers in _alike(evolution, problem, num_steps, rngs):
        if encoding is None:
            yield from ((number, Finding(None, run=Run(0), is_final=True)) for number in numbers)
            continue
        islands, keys = Islands(evolution, encoding, device), [new_key(rngs[number]) for number in numbers]
        for number, finding in findings(islands, keys, most, budget, files):
            yield numbers[number], finding._replace(is_final=is_final)


def files_of(file: Path | None) -> Iterator[Path | None]:
    """Yield names of files for interrupted runs, for one turn of islands after the other."""
    return (file and file.with_name(f"{file.stem}-{number}.npz") for number in count(1))


def findings(
    islands: Islands, seeds: Sequence[Any], most: int, budget: Budget, files: Iterator[Path | None]
) -> Iterator[tuple[int, Finding]]:
    """Make the runs of seeds, in turns where memory is short; yield their numbers and findings as they end."""
    for first in range(0, len(seeds), islands.at_once):
        some = seeds[first : first + islands.at_once]
        for look in islands.lives(some, lambda: most, lambda: budget.is_over, next(files)):
            for number, run in look.ended:
                schedule = None if run.chromosome is None else islands.encoding.schedule(run.chromosome)
                yield first + number, Finding(schedule, run=Run(run.evaluations, run.trace))


def _alike(
    evolution: Evolution, problem: Problem, num_steps: int, rngs: Sequence[np.random.Generator]
) -> list[tuple[Encoding | None, list[int]]]:
    """Return encodings, and the numbers of the generators that have each: where no symmetry is chosen, all have one."""
    if not evolution.coding.symmetric:
        return [(encoded(evolution, problem, num_steps, rngs[0]), list(range(len(rngs))))]
    groups: dict[bytes, tuple[Encoding | None, list[int]]] = {}
    for number, rng in enumerate(rngs):
        encoding = encoded(evolution, problem, num_steps, rng)
        symmetry = None if encoding is None else encoding.symmetry
        name = b"" if symmetry is None else symmetry.processors.tobytes()
        groups.setdefault(name, (encoding, []))[1].append(number)
    return list(groups.values())
