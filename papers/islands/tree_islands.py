"""Islands of MBOA: many runs at once, each of which learns its own trees, on what compiles islands.cu.

An island has the state of its run's generator, PCG64, and draws from it what the run draws on a processor, so that both
make the same chromosomes, evaluation by evaluation. First populations are drawn here and copied to the device, which
repairs and evaluates them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import log
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from papers.islands.archipelago import (
    THREADS_PER_MULTIPROCESSOR,
    Device,
    IslandLayout,
    files_of,
    findings,
    state_of,
)
from papers.islands.islands import THREADS, Islands, item_type, layout_of, rounded
from pavane.judge.result import Run
from pavane.model.arrays import Ints, Reals
from pavane.model.problem import Problem
from pavane.parallel.budget import Budget
from pavane.solvers.evolutionary.encoders import encode
from pavane.solvers.evolutionary.encoding import new_key
from pavane.solvers.evolutionary.kernels.generations import Variation
from pavane.solvers.evolutionary.mboa import MBOA
from pavane.solvers.evolutionary.populations import Evolution
from pavane.solvers.evolutionary.reproduction import SWAPS, Reproduction
from pavane.solvers.solver import Finding

WANTS_FOUNDERS = 3
"""How islands.cu says that a population is stuck and a new one is due."""

GLOBAL_WARPS = 8
"""How many warps of an island grow trees at a time where the memory that a block shares is too small for two."""

MARKS = 64
"""Bytes of a block for the marks of a generation."""


@dataclass(frozen=True)
class TreeIslands(Islands):
    """MBOA on one encoding, ready to live on a device; its islands have generators for seeds."""

    reproduction: Reproduction = field(kw_only=True)

    unstored: ClassVar[frozenset[str]] = frozenset(("children", "trees"))

    @cached_property
    def sizes(self) -> dict[str, int]:
        """Return the numbers of parents, offspring and members that meet, and of memory, as macros."""
        how, size = self.reproduction, self.evolution.population_size
        parents, children, met = how.num_parents, how.num_offspring, how.window or how.tournament
        return {
            "PARENTS": parents,
            "CHILDREN": children,
            "ROWS": max(size, parents, children),
            "TOURNAMENT": how.tournament,
            "MET": met,
            "MEETINGS": max(parents * how.tournament, (children + 1) * met),
            "CANDIDATES": how.learner.most_candidates,
            "NODES": 2 * how.learner.most_leaves - 1,
            "VALUES": int(self.encoding.cardinalities.max()),
            "REDRAWN": self.encoding.genome.num_items if how.mutation == "gene" else 1,
        }

    def _settings(self, layout: IslandLayout) -> dict[str, str]:
        """Return the macros of the program."""
        how, sizes = self.reproduction, self.sizes
        flags = {
            "IS_MBOA": True,
            "REPAIRS": how.repairs,
            "SWAPS": how.swaps,
            "RESTRICTED": how.window is not None,
        }
        numbers = sizes | {name: int(flag) for name, flag in flags.items()}
        numbers |= {
            "PATIENCE": -1 if how.patience is None else how.patience,
            "NEW_PATH_AFTER": -1 if how.new_path_after is None else how.new_path_after,
            "GLOBAL_WARPS": GLOBAL_WARPS,
            "TREE_BYTES": self._tree_bytes,
            "POOL": max(0, layout.shared - self._least_shared(layout)),
            "BLOCKS": max(1, THREADS[-1] // (layout.team * layout.teams)) if layout.shared else 1,
        }
        count = "unsigned char" if sizes["PARENTS"] <= np.iinfo(np.uint8).max else "unsigned short"
        return super()._settings(layout) | {name: str(number) for name, number in numbers.items()} | {"COUNT": count}

    def _tables(self) -> list[Any]:
        """Return the tables of the genome, the logarithms of factorials, and the prices of forks by their tests."""
        learner, sizes = self.reproduction.learner, self.sizes
        numbers = np.arange(1, sizes["PARENTS"] + sizes["VALUES"] + 1)
        logs: Reals = np.concatenate(([0.0], np.cumsum(np.log(numbers))))
        leaf_price = learner.leaf_price * float(np.log(sizes["PARENTS"]))
        most_tests = int(np.minimum(self.encoding.cardinalities, sizes["PARENTS"]).sum())
        prices = [leaf_price, *(leaf_price + learner.test_price * log(tests) for tests in range(1, most_tests + 1))]
        return [*super()._tables(), logs, np.array(prices)]

    # -- memory

    @property
    def _tree_bytes(self) -> int:
        """Return the bytes of memory for the trees of an island, as decision_trees.cu lays it out."""
        sizes, items = self.sizes, self.encoding.num_items
        item, rows = np.dtype(item_type(self.encoding)).itemsize, sizes["PARENTS"]
        parts = [4 * items] * 4 + [4 * sizes["MEETINGS"], sizes["VALUES"] * items * item, rows * items * item]
        parts += [2 * rows * items, 20 * sizes["NODES"] * items]
        most, lanes = min(sizes["VALUES"], rows), 32
        chosen = 4 * items if items > sizes["CANDIDATES"] else 0
        weighing = [8 * lanes * most, 4 * lanes * most, 4 * most, chosen, 2 * rows, 2 * lanes * most * most]
        return sum(map(rounded, parts)) + GLOBAL_WARPS * sum(map(rounded, weighing))

    @property
    def _bytes(self) -> int:
        """Return the bytes of memory of an island."""
        item = np.dtype(item_type(self.encoding)).itemsize
        return super()._bytes + self._tree_bytes + self.sizes["ROWS"] * self.encoding.num_items * item

    def _least_shared(self, layout: IslandLayout) -> int:
        """Return the bytes that the threads of a block share without the memory in which trees grow."""
        one = layout_of(self.encoding, self.sizes["ROWS"], 2**31, 1)
        two = layout_of(self.encoding, self.sizes["ROWS"], 2**31, 2 * one.team)
        each = (two.shared - one.shared) // max(1, two.teams - one.teams)
        return one.shared + (layout.teams - one.teams) * each + MARKS

    def _layout(self, num_islands: int) -> IslandLayout:
        """Lay out blocks: as many as each multiprocessor must hold; what they do not share otherwise is for trees."""
        most_shared, rows = self.device.most_shared, self.sizes["ROWS"]
        least = layout_of(self.encoding, rows, most_shared, 1).shared + MARKS
        multiprocessors = max(1, self.device.num_threads // THREADS_PER_MULTIPROCESSOR)
        blocks = min(THREADS[-1] // THREADS[0], -(-num_islands // multiprocessors), max(1, most_shared // (2 * least)))
        # A block takes 1,024 bytes more than its threads share.
        shared = ((most_shared + 1024) // blocks - 1024) // 8 * 8
        threads = max(number for number in THREADS if number * blocks <= THREADS[-1])
        team, teams, _ = layout_of(self.encoding, rows, (shared - MARKS) // 2, threads)
        # Trees need threads, even where chromosomes are so large that few are made at a time.
        while 2 * team * teams <= threads:
            team *= 2
        return IslandLayout(team, teams, shared)

    def _memory(self, seeds: Sequence[Any], most: int) -> dict[str, Any]:
        """Make the memory of islands, with a first population each."""
        keys = [(0, 0)] * len(seeds)
        memory = super()._memory(keys, most)
        item, rows = item_type(self.encoding), (len(seeds), self.sizes["ROWS"], self.encoding.num_items)
        memory["children"] = self.device.zeros(rows, item)
        memory["generators"] = self.device.zeros((len(seeds), 6), np.uint64)
        memory["trees"] = self.device.zeros((len(seeds), self._tree_bytes), np.uint8)
        for number, rng in enumerate(seeds):
            self._found(memory, number, rng, most)
        return memory

    def _found(self, memory: Mapping[str, Any], number: int, rng: np.random.Generator, left: int) -> None:
        """Draw a first population for an island."""
        size = min(self.evolution.population_size, left)
        founders = self.reproduction.founders(size, rng).astype(item_type(self.encoding))
        memory["chromosomes"][number, :size] = self.device.array(founders)
        if self.reproduction.repairs:
            memory["keys"][number] = self.device.array(np.array(new_key(rng), dtype=np.uint32))
        memory["generators"][number] = self.device.array(state_of(rng))

    def _renew(self, memory: Mapping[str, Any], running: Ints, most: int) -> None:
        """Draw new populations for islands that are stuck."""
        end = self.device.numpy(memory["end"])
        for number in running[end[running] == WANTS_FOUNDERS].tolist():
            rng = _generator_with(self.device.numpy(memory["generators"][number]))
            made = int(self.device.numpy(memory["made"])[number])
            self._found(memory, number, rng, most - made)
            memory["fewest"][number] = -1
            memory["end"][number] = 0

    def _names(self, seeds: Sequence[Any]) -> list[Any]:
        """Return what tells the runs of seeds from others: the states of generators."""
        return [state_of(rng).tolist() for rng in seeds]


def _generator_with(words: np.ndarray[Any, Any]) -> np.random.Generator:
    """Return a generator PCG64 with a state."""
    high, low, step_high, step_low, half, has_half = words.tolist()
    bits = np.random.PCG64()
    bits.state = {
        "bit_generator": "PCG64",
        "state": {"state": high << 64 | low, "inc": step_high << 64 | step_low},
        "has_uint32": has_half,
        "uinteger": half,
    }
    return np.random.Generator(bits)


def tree_islands_of(
    solver: MBOA, problem: Problem, num_steps: int, rng: np.random.Generator, budget: Budget, device: Device
) -> TreeIslands | None:
    """Prepare runs of MBOA on a device; None where there is no schedule of this encoding."""
    encoding = encode(problem, num_steps, solver.coding, rng)
    if encoding is None:
        return None
    most = solver.most_evaluations if budget.evaluations is None else budget.evaluations
    size = solver.size_for(problem, num_steps, encoding.num_genes, budget)
    evolution = Evolution(solver.coding, Variation(SWAPS, 0, is_sampled=False), size, 0, most)
    return TreeIslands(evolution, encoding, device, reproduction=solver.reproduction(encoding, size))


def each_on_a_tree_island(
    islands: TreeIslands | None, rngs: Sequence[np.random.Generator], budget: Budget, file: Path | None = None
) -> Iterator[tuple[int, Finding]]:
    """Make a run of MBOA with each of some generators, on an island each; yield their numbers and findings.

    Without islands there is no schedule of the encoding, and nothing is run. With a file, runs that the time limit
    interrupts are stored in files named after it, as those of other islands are.
    """
    if islands is None:
        yield from ((number, Finding(None, run=Run(0), is_final=True)) for number in range(len(rngs)))
        return
    is_final = islands.encoding.genome.num_steps >= islands.encoding.problem.num_deliveries
    for number, finding in findings(islands, rngs, islands.evolution.most_evaluations, budget, files_of(file)):
        yield number, finding._replace(is_final=is_final)
