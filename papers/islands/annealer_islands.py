"""Islands of HGSA: many runs at once, a block of threads each and a warp for each annealer, by annealing.cu.

An island makes the moves that the run with its seed makes on a processor, one for one. Whether a change for the worse
is accepted is decided by a table of whole numbers, made here from the same exponential function: conflicts are whole
numbers, and the temperatures are a known sequence.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import ceil, exp
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from papers.islands.archipelago import (
    THREADS_PER_MULTIPROCESSOR,
    Archipelago,
    Device,
    IslandLayout,
    Program,
    files_of,
    findings,
    state_of,
)
from pavane.judge.result import Run
from pavane.model.arrays import Ints
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.parallel.budget import Budget
from pavane.solvers.evolutionary.annealers import AnnealerExchange, AnnealingSearch
from pavane.solvers.evolutionary.hgsa import HGSA
from pavane.solvers.evolutionary.hops import HopEncoding
from pavane.solvers.solver import Finding, seed_of

LANES = 32
MOST_WARPS = 32
"""Of a block; more annealers than these take turns."""

CERTAIN = 2**33
"""How annealing.cu knows that something always happens, so that no number is drawn for it."""


@dataclass(frozen=True)
class AnnealerIslands(Archipelago):
    """HGSA on one encoding, ready to live on a device; its islands have whole numbers for seeds."""

    exchange: AnnealerExchange
    hops: HopEncoding
    search: AnnealingSearch
    most: int
    """Evaluations of a run."""
    device: Device
    _programs: dict[IslandLayout, Program] = field(default_factory=dict)

    unstored: ClassVar[frozenset[str]] = frozenset(("uses", "loads", "differing", "both_paths", "both_steps"))

    def schedule(self, chromosome: Ints) -> Schedule:
        """Return the schedule of a solution: a row for each gene, of its path and the steps of its hops."""
        rows = chromosome.reshape(self.hops.num_genes, -1)
        return self.hops.schedule(rows[:, 0], rows[:, 1:])

    @cached_property
    def sizes(self) -> dict[str, int]:
        """Return the numbers of the problem, as macros."""
        tables = self.search.tables
        hops, units = (
            np.diff(tables.first_hop),
            np.concatenate(([0], np.cumsum(np.diff(tables.first_unit)[tables.hops]))),
        )
        units_of_path = units[tables.first_hop[1:]] - units[tables.first_hop[:-1]]
        return {
            "ANNEALERS": self.exchange.num_annealers,
            "GENES": len(tables.message_of),
            "HOPS": int(hops.max()),
            "NUM_HOPS": len(tables.first_unit) - 1,
            "STEPS": tables.num_steps,
            "MESSAGES": int(tables.message_of[-1]) + 1,
            "UNITS": len(tables.capacity),
            "MOVABLE": len(self.search.moves.movable),
            # One gene more adds no more conflicts than its path has units, and one for what is absorbed.
            "CHANGES": max(1, self.search.moves.num_mutated) * (int(units_of_path.max()) + 1),
        }

    def _settings(self, layout: IslandLayout) -> dict[str, str]:
        """Return the macros of the program."""
        exchange, moves, sizes = self.exchange, self.search.moves, self.sizes
        numbers = sizes | {
            "AT_ONCE": int(self.search.tables.starts_at_once),
            "EXCHANGE_EVERY": exchange.every,
            "MOVES_PER_TEMPERATURE": exchange.moves_per_temperature,
            "MUTATED": moves.num_mutated,
            "BY_GAP": int(exchange.wheel == "gap"),
            "MASTER_KEEPS_BEST": int(exchange.master_keeps == "best"),
            "LOADS_ARE_SHARED": int(layout.shared > self._shared),
            "TEAM": layout.team,
            "TEAMS": layout.teams,
        }
        likely = {"NEW_PATH": moves.new_path, "NEW_SEQUENCE": moves.new_sequence}
        words = {name: CERTAIN if chance >= 1.0 else _words(chance) for name, chance in likely.items()}
        words["CHILD_MUTATION"] = _words(moves.child_mutation)
        step = "unsigned char" if sizes["STEPS"] <= np.iinfo(np.uint8).max else "unsigned short"
        return (
            {name: str(number) for name, number in numbers.items()}
            | {name: f"{number}ull" for name, number in words.items()}
            | {"STEP": step, "IS_HGSA": "1"}
        )

    def _tables(self) -> list[Any]:
        """Return the tables of the genes, and what is accepted at each temperature."""
        tables = self.search.tables
        genes = (
            tables.message_of,
            tables.first_path,
            tables.first_hop,
            tables.hops,
            tables.first_unit,
            tables.units,
            tables.capacity,
            tables.absorption_of,
            self.search.moves.movable,
        )
        # An empty table has no address.
        return [*(np.append(table, 0).astype(np.int32) for table in genes), *self._thresholds]

    @cached_property
    def _thresholds(self) -> tuple[Any, Any]:
        """Return how many words out of 2^32 accept each change for the worse at each level of the temperature.

        Levels at which all are refused need no row. From the first temperature of 0 on no word is drawn.
        """
        exchange = self.exchange
        most_moves = self.most // exchange.num_annealers + exchange.every
        temperatures = exchange.temperatures(np.arange(most_moves // exchange.moves_per_temperature + 1))
        rows = []
        for temperature in temperatures.tolist():
            changes = range(1, self.sizes["CHANGES"] + 1)
            rows.append([_words(exp(-change / temperature)) if temperature > 0 else 0 for change in changes])
            if exchange.cooling <= 1 and not any(rows[-1]):
                break
        cold = np.flatnonzero(temperatures <= 0)
        levels = np.array([len(rows), cold[0] if len(cold) else len(temperatures)], dtype=np.int64)
        return np.array(rows, dtype=np.uint64), levels

    # -- memory

    @property
    def _shared(self) -> int:
        """Return the bytes that the threads of a block share without loads, as annealing.cu lays them out."""
        return sum((size * self.exchange.num_annealers + 7) // 8 * 8 for size in (8, 4, 4, 4, 4))

    @property
    def _load_bytes(self) -> int:
        return 4 * self.exchange.num_annealers * self.sizes["UNITS"] * self.sizes["STEPS"]

    def _layout(self, num_islands: int) -> IslandLayout:
        """Lay out the blocks: a warp for each annealer; loads are shared where all blocks then fit at once."""
        blocks = -(-num_islands // max(1, self.device.num_threads // THREADS_PER_MULTIPROCESSOR))
        # A block takes 1,024 bytes more than its threads share.
        room, shared = (self.device.most_shared + 1024) // blocks - 1024, self._shared
        if shared + self._load_bytes <= room:
            shared += self._load_bytes
        return IslandLayout(LANES, min(self.exchange.num_annealers, MOST_WARPS), shared)

    @property
    def _most_lines(self) -> int:
        """Return how many lines of a trace are kept: there is one for an exchange at most."""
        return 4096

    @property
    def _bytes(self) -> int:
        """Return the bytes of memory of an island."""
        sizes = self.sizes
        genes = sizes["GENES"] * (16 + 6 * sizes["HOPS"] + 4 * (1 + sizes["HOPS"]))
        return sizes["ANNEALERS"] * (4 * self.search.num_uses + genes + 64) + self._load_bytes + 8 * self._most_lines

    def _memory(self, seeds: Sequence[Any], most: int) -> dict[str, Any]:
        """Make the memory of islands, with a generator for each annealer and one for the wheel."""
        sizes, zeros = self.sizes, self.device.zeros
        each = (len(seeds), sizes["ANNEALERS"])
        genes, hops, ints = sizes["GENES"], sizes["HOPS"], np.int32
        step = np.uint8 if sizes["STEPS"] <= np.iinfo(np.uint8).max else np.uint16
        drawn = [self.exchange.generators(seed, sizes["STEPS"]) for seed in seeds]
        return {
            "paths": zeros((*each, genes), ints),
            "steps": zeros((*each, genes, hops), step),
            "uses": zeros((*each, self.search.num_uses), ints),
            "loads": zeros((*each, sizes["UNITS"] * sizes["STEPS"]), ints),
            "differing": zeros((*each, genes), ints),
            "both_paths": zeros((*each, genes, 2), ints),
            "both_steps": zeros((*each, genes, 2, hops), step),
            "states": self.device.array(np.array([states for states, _ in drawn], dtype=np.uint32)),
            "energies": zeros(each, ints),
            "drawn": zeros(each, ints),
            "wheels": self.device.array(np.array([state_of(wheel) for _, wheel in drawn])),
            "moves": self.device.array(np.full(len(seeds), -1, dtype=np.int64)),
            **self._records(len(seeds), genes * (1 + hops), ints),
        }

    def _names(self, seeds: Sequence[Any]) -> list[Any]:
        """Return what tells the runs of seeds from others: seeds of any size."""
        return list(seeds)


def _words(chance: float) -> int:
    """Return how many words out of 2^32 are below a probability."""
    return ceil(chance * 2**32)


def annealer_islands_of(
    solver: HGSA, problem: Problem, num_steps: int, budget: Budget, device: Device
) -> AnnealerIslands | None:
    """Prepare runs of HGSA on a device; None where no schedule has so few steps, or the time is over before."""
    most = solver.most_evaluations if budget.evaluations is None else budget.evaluations
    prepared = solver.prepared(problem, num_steps, budget) if most > 0 else None
    return None if prepared is None else AnnealerIslands(solver.exchange, *prepared, most, device)


def each_on_an_annealer_island(
    islands: AnnealerIslands | None, rngs: Sequence[np.random.Generator], budget: Budget, file: Path | None = None
) -> Iterator[tuple[int, Finding]]:
    """Make a run of HGSA with each of some generators, on an island each; yield their numbers and findings.

    Without islands nothing is run. With a file, runs that the time limit interrupts are stored in files named after it,
    as those of other islands are.
    """
    if islands is None:
        is_interrupted = file is not None and budget.is_over
        yield from ((number, Finding(None, run=Run(0))) for number in range(0 if is_interrupted else len(rngs)))
        return
    yield from findings(islands, [seed_of(rng) for rng in rngs], islands.most, budget, files_of(file))
