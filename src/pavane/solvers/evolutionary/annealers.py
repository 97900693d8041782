"""The annealers of HGSA at work, in this process or in several; kernels/annealing.py makes their moves.

Every annealer has its own random numbers, so that it does the same wherever it works. Counters of uses and loads stay
where they are: a process that receives annealers counts them again.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from pavane.jit import compiled
from pavane.model.arrays import Longs, Reals
from pavane.parallel.pool import Pool
from pavane.parallel.tasks import TaskContext, WorkerLost
from pavane.solvers.evolutionary.kernels.annealing import AnnealingPhase, Moves, Tally, anneal, new_scratch
from pavane.solvers.evolutionary.kernels.hops import Annealers, Counters, HopTables, count_anew, start_genes

MOST_INTERPRETED_GENES = 2_000
"""Up to this number of genes of all annealers together the first moves are made before machine code would be loaded:
they solve the smallest problems."""


class AnnealingSearch(NamedTuple):
    """What stays the same while annealers look for a schedule of one number of steps."""

    tables: HopTables
    moves: Moves

    @property
    def num_uses(self) -> int:
        """Return the number of counters that an annealer has for uses: of a message, a hop and a step."""
        tables = self.tables
        return (int(tables.message_of[-1]) + 1) * (len(tables.first_unit) - 1) * tables.num_steps


class AnnealerExchange(NamedTuple):
    """How annealers cool and exchange their solutions; HGSA explains the settings."""

    num_annealers: int
    every: int
    start_temperature: float
    moves_per_temperature: int
    cooling: float
    wheel: Literal["inverse", "gap"]
    master_keeps: Literal["drawn", "best"]

    def temperatures(self, levels: Longs) -> Reals:
        """Return the temperatures after numbers of coolings."""
        temperatures: Reals = np.float64(self.start_temperature) * np.float64(self.cooling) ** levels
        return temperatures

    def temperatures_until_next(self, num_moves: int) -> Reals:
        """Return the temperatures from one exchange to the next, when an annealer has made a number of moves."""
        return self.temperatures((num_moves + np.arange(self.every)) // self.moves_per_temperature)

    def generators(self, seed: int, num_steps: int) -> tuple[Longs, np.random.Generator]:
        """Return the states of a generator for each annealer, a row each, and a generator for the master's wheel."""
        source = np.random.SeedSequence((seed, num_steps))
        words = np.maximum(source.generate_state(4 * self.num_annealers, np.uint32), 1)
        return words.astype(np.int64).reshape(self.num_annealers, 4), np.random.default_rng(source)

    def drawn(self, conflicts: Longs, wheel: np.random.Generator) -> Longs:
        """Turn the wheel once for every annealer, and return whose solution each gets."""
        chances = conflicts.max() - conflicts + 1.0 if self.wheel == "gap" else 1.0 / (1.0 + conflicts)
        ends = np.cumsum(chances)
        drawn: Longs = np.searchsorted(ends, wheel.random(len(conflicts)) * ends[-1], side="right")
        if self.master_keeps == "best":
            drawn[0] = conflicts.argmin()
        return drawn.clip(max=len(conflicts) - 1)


class AnnealingState(NamedTuple):
    """The annealers at an exchange."""

    annealers: Annealers
    num_moves: Longs
    """How many moves each has made."""
    fewest: Longs
    """The fewest conflicts that each has seen."""


def started(search: AnnealingSearch, states: Longs) -> tuple[Annealers, Counters]:
    """Make annealers with random solutions, one for each row of states of random generators."""
    tables, size = search.tables, len(states)
    num_genes, most_hops = len(tables.message_of), int(np.diff(tables.first_hop).max())
    annealers = Annealers(
        np.zeros((size, num_genes), dtype=np.int32),
        np.zeros((size, num_genes, most_hops), dtype=np.int32),
        np.zeros(size, dtype=np.int64),
        states,
    )
    is_small = annealers.paths.size <= MOST_INTERPRETED_GENES
    (start_genes if is_small else compiled(start_genes))(tables, annealers)
    return annealers, counted(search, annealers, is_compiled=not is_small)


def counted(search: AnnealingSearch, annealers: Annealers, *, is_compiled: bool = True) -> Counters:
    """Count what annealers use, and their conflicts."""
    tables, size = search.tables, len(annealers.paths)
    counters = Counters(
        np.zeros((size, search.num_uses), dtype=np.int16),
        np.zeros((size, len(tables.capacity) * tables.num_steps), dtype=np.int16),
    )
    (compiled(count_anew) if is_compiled else count_anew)(tables, annealers, counters)
    return counters


def rows_of(annealers: Annealers, numbers: Longs) -> Annealers:
    """Return copies of some annealers."""
    return Annealers(*(column[numbers] for column in annealers))


def advanced(
    pool: Pool, search: AnnealingSearch, annealers: Annealers, counters: Counters, stretch: AnnealingPhase
) -> AnnealingState:
    """Let annealers work until the next exchange, shared out among a pool; `counters` serve a pool of one."""
    calls: list[tuple[Annealers, Counters | None, AnnealingPhase]]
    if pool.size == 1:
        calls = [(annealers, counters, stretch)]
    else:
        parts = np.array_split(np.arange(len(annealers.paths)), pool.size)
        calls = [(rows_of(annealers, part), None, _part_of(stretch, part)) for part in parts]
    progress = []
    for number, answer in pool.results(advance, calls):
        # The work of a lost process is done here.
        progress.append(advance(search, None, *calls[number]) if isinstance(answer, WorkerLost) else answer)
    return AnnealingState(
        Annealers(*map(np.concatenate, zip(*(one.annealers for one in progress), strict=True))),
        np.concatenate([one.num_moves for one in progress]),
        np.concatenate([one.fewest for one in progress]),
    )


def advance(
    search: AnnealingSearch,
    _: TaskContext | None,
    annealers: Annealers,
    counters: Counters | None,
    stretch: AnnealingPhase,
) -> AnnealingState:
    """Let some annealers work until the next exchange, which comes too soon to check for a stop.

    Without counters, count them.
    """
    tables, moves = search
    is_first = counters is not None and len(stretch.mates.paths) == 0
    is_interpreted = is_first and annealers.paths.size <= MOST_INTERPRETED_GENES
    kernel = anneal if is_interpreted else compiled(anneal)
    if counters is None:
        counters = counted(search, annealers)
    tally = Tally(np.zeros(len(annealers.paths), dtype=np.int64), np.zeros(len(annealers.paths), dtype=np.int64))
    kernel(tables, moves, annealers, counters, stretch, new_scratch(tables, moves, annealers.steps), tally)
    return AnnealingState(annealers, *tally)


def _part_of(stretch: AnnealingPhase, part: Longs) -> AnnealingPhase:
    mates = rows_of(stretch.mates, part) if len(stretch.mates.paths) else stretch.mates
    return AnnealingPhase(mates, stretch.temperatures, stretch.num_moves[part])
