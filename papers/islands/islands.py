"""Islands of UMDA and of the genetic algorithm: many runs at once, by islands.cu.

An island with a run's key makes what the run makes on a processor, evaluation by evaluation.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from papers.islands.archipelago import (
    Archipelago,
    Device,
    IslandLayout,
    Program,
    files_of,
    findings,
)
from pavane.errors import InputError
from pavane.judge.result import Run
from pavane.model.arrays import Ints
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.parallel.budget import Budget
from pavane.solvers.evolutionary.encoding import Encoding, new_key
from pavane.solvers.evolutionary.kernels.genes import BROADCAST_ITEMS
from pavane.solvers.evolutionary.populations import Evolution, encoded
from pavane.solvers.solver import Finding

THREADS = (256, 512, 1024)
"""How many a block may have: the fewer islands live, the more threads each of them gets."""

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
            f"memory a block, and the GPU has {most_shared:,}"
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
    return 3 * rounded(4 * population_size), sum(rounded(part) for part in parts)


def rounded(size: int) -> int:
    """Return how many bytes of whole words of eight hold a size."""
    return (size + 7) // 8 * 8


# -- life


@dataclass(frozen=True)
class Islands(Archipelago):
    """UMDA or the genetic algorithm on one encoding, ready to live on a device; its islands have keys for seeds."""

    evolution: Evolution
    encoding: Encoding
    device: Device
    _programs: dict[IslandLayout, Program] = field(default_factory=dict)

    unstored: ClassVar[frozenset[str]] = frozenset(("children",))

    def schedule(self, chromosome: Ints) -> Schedule:
        """Return the schedule of a chromosome without conflicts."""
        return self.encoding.schedule(chromosome)

    def _tables(self) -> list[Any]:
        """Return the tables of the genome."""
        return list(tables_of(self.encoding))

    def _settings(self, layout: IslandLayout) -> dict[str, str]:
        """Return the macros of the program."""
        return defined(self.encoding, self.evolution, layout)

    def _layout(self, num_islands: int) -> IslandLayout:
        """Lay out the blocks of so many islands."""
        size, shared, threads = self.evolution.population_size, self.device.most_shared, self.device.num_threads
        enough = [number for number in THREADS if number * num_islands <= threads]
        return layout_of(self.encoding, size, shared, max(enough, default=THREADS[0]))

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

    def _memory(self, seeds: Sequence[Any], most: int) -> dict[str, Any]:
        """Make the memory of islands."""
        size, population, items = len(seeds), self.evolution.population_size, self.encoding.num_items
        item, zeros = item_type(self.encoding), self.device.zeros
        return {
            "keys": self.device.array(np.array(seeds, dtype=np.uint32)),
            "chromosomes": zeros((size, population, items), item),
            "children": zeros((size, population, items), item),
            "fitness": zeros((size, population), np.int32),
            "born": zeros((size, population), np.int64),
            "improved": zeros((size,), np.int64),
            "fewest": self.device.array(np.full(size, -1, dtype=np.int32)),
            **self._records(size, items, item),
        }


# -- searches on islands


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
