"""Trees: an allreduce along a spanning tree of each piece, so chosen that channels are loaded alike.

Each edge of a tree carries one sum each way, 2 (p - 1) transfers of a piece over p locations, which is the least there
can be. Trees are grown one at a time over the channels that others load least, near to the bound by classes of routers
(greedy packing of spanning trees; Nash-Williams 1961, Tutte 1961). Steps are then found by list scheduling, moved to
the end and to the beginning by turns. As long as there is effort left, single trees are grown again.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pavane.bounds import counted_bounds
from pavane.judge.result import Run
from pavane.model.arrays import Ints, Longs
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.parallel.budget import Budget
from pavane.solvers.allreduce.growing import MOST_EDGES, Grower, num_edges
from pavane.solvers.allreduce.tree_steps import (
    AllTreeTransfers,
    Tree,
    TreeTransfers,
    TreeUnits,
    justify_steps,
    orders,
    schedule_of,
)
from pavane.solvers.solver import Finding, argument
from pavane.solvers.solving import solve_once
from pavane.solvers.supports import Supports

FLATNESSES = (0.02, 0.1, 0.4, 2.0)
"""The price of an edge farther out, as a part of that of a full channel: long trees load evenly, flat are quick."""

FIRST_FLATNESSES = (0.1, 0.4, 0.02, 2.0)
"""The order in which they are tried."""

FIRST_ORDERS = 12
"""How many orders the steps of new trees are first found in."""

SWEEPS = 2
"""How often every tree is grown again between all others, before any steps are found."""

EFFORT_OF_A_TRY = 2_000
"""What a new tree takes besides finding steps, in sendings that are given one."""

PASSES = 4
"""How often sendings move to the end and back, each time that trees have changed."""


@dataclass(frozen=True)
class Trees:
    """Allreduce along one spanning tree for each piece, with balanced channels; the seed decides among equals."""

    name: str = "trees"
    most_effort: int = 3_000_000
    """Sendings given a step, and for each try `EFFORT_OF_A_TRY`, after which the search ends; a first schedule is
    finished anyway."""
    least_steps: int = argument(0)
    """A lower bound on the steps, by better arguments than counting."""
    first: tuple[Tree, ...] | None = argument(None)
    """Trees to begin with; None: they are grown."""

    supports = Supports(
        patterns=("allreduce",),
        combining=False,
        restricted=False,
        where=f"at most {MOST_EDGES:,} hops between locations",
        holds=lambda problem: num_edges(problem) <= MOST_EDGES,
        takes=("capacities", "allreduce"),
    )

    def find(
        self, problem: Problem, num_steps: int | None, rng: np.random.Generator, budget: Budget
    ) -> Schedule | Finding | None:
        """Return the shortest schedule found before the effort or the time is spent."""
        lowest = max(counted_bounds(problem)[0].figure, self.least_steps)
        if num_steps is not None and num_steps < lowest:
            return None
        search = _TreeSearch(problem, lowest, rng, budget, self.most_effort)
        if not search.grower.joins_all:
            return None
        search.begin(self.first)
        search.improve(max(lowest, num_steps or 0))
        return Finding(search.schedule(), run=Run(search.tries))

    __call__ = solve_once


class _TreeSearch:
    """The trees so far, and steps for what runs along them."""

    def __init__(
        self, problem: Problem, lowest: int, rng: np.random.Generator, budget: Budget, most_effort: int
    ) -> None:
        self.problem, self.lowest, self.rng, self.budget = problem, lowest, rng, budget
        self.ground = TreeUnits(problem)
        self.grower = Grower(problem, self.ground, lowest)
        self.left, self.tries = most_effort, 0
        self.most_tries = budget.evaluations
        self.trees: list[Tree] = []
        self.sent: list[TreeTransfers] = []
        self.steps: Ints = np.zeros(0, np.int32)

    @property
    def is_over(self) -> bool:
        """Return whether effort or time is spent."""
        return self.left <= 0 or self.tries >= (self.most_tries or 2**31) or self.budget.is_over

    def schedule(self) -> Schedule:
        """Return the schedule so far."""
        return schedule_of(self.trees, self.steps)

    def begin(self, first: tuple[Tree, ...] | None) -> None:
        """Grow all trees, with each flatness, and keep the best of them."""
        if first is not None:
            for tree in first:
                self.grower.load(tree, 1)
            self._take(list(first))
            return
        kept: tuple[int, list[Tree], list[int], list[TreeTransfers], Ints] | None = None
        for flatness in FIRST_FLATNESSES:
            if kept is not None and (self.is_over or kept[0] <= self.lowest):
                break
            trees = self._all_grown(flatness, is_urgent=kept is None)
            if kept is not None and len(trees) < self.problem.num_messages:
                break
            self._take(trees)
            reached = int(self.steps.max()) + 1
            if kept is None or reached < kept[0]:
                kept = reached, self.trees, self.grower.loads, self.sent, self.steps
        assert kept is not None
        _, self.trees, self.grower.loads, self.sent, self.steps = kept

    def _all_grown(self, flatness: float, is_urgent: bool) -> list[Tree]:
        """Grow a tree for each piece, then each again between all others; fewer where the time is over."""
        self.grower.loads = [0] * len(self.grower.loads)
        trees: list[Tree] = []
        for sweep in range(1 + SWEEPS):
            for number in range(self.problem.num_messages):
                if self.budget.is_over and (sweep or not is_urgent):
                    return trees
                if sweep:
                    self.grower.load(trees[number], -1)
                start = self.grower.start(self.rng, flatness)
                trees[number : number + 1] = [self.grower.grown(start, self.rng, flatness)]
        return trees

    def _take(self, trees: list[Tree]) -> None:
        """Take trees, and find steps for them in some orders."""
        self.trees, self.sent = trees, [self.ground.sent(tree) for tree in trees]
        rows = self.ground.rows(self.sent)
        found: Ints | None = None
        for _, order in zip(range(FIRST_ORDERS), orders(rows, self.lowest, self.rng), strict=False):
            if found is not None and self.is_over:
                break
            limit = len(order) if found is None else int(found.max())
            steps = self._placed(rows, order, limit)
            if steps is not None:
                found = steps
        assert found is not None
        self.steps = self._justified(rows, found)

    def _placed(self, rows: AllTreeTransfers, order: Longs, limit: int) -> Ints | None:
        self.tries += 1
        self.left -= EFFORT_OF_A_TRY + len(order)
        # Room for a few steps is cheaper to make than room for all, and mostly enough.
        few = min(limit, 4 * self.lowest + 16)
        steps = self.ground.placed(rows, order, few)
        return steps if steps is not None or few == limit else self.ground.placed(rows, order, limit)

    def _justified(self, rows: AllTreeTransfers, steps: Ints) -> Ints:
        passes = 0 if self.budget.is_over else PASSES
        self.left -= 2 * passes * len(steps)
        return justify_steps(self.ground, rows, steps, self.rng, passes)

    def improve(self, enough: int) -> None:
        """Grow single trees again, those that end last the most often, and keep what is not worse."""
        cost = _cost(self.steps)
        self.budget.on_improvement(self.schedule)
        while cost[0] >= enough and not self.is_over:
            number = self._piece()
            before = self.trees[number]
            self.grower.load(before, -1)
            flatness = float(self.rng.choice(FLATNESSES))
            is_anywhere = self.rng.random() < 0.5
            start = int(self.rng.choice(self.grower.starts)) if is_anywhere else self.grower.start(self.rng, flatness)
            tree = self.grower.grown(start, self.rng, flatness)
            steps, sent = self._with(number, tree, cost[0] + 1)
            if steps is not None and _cost(steps) <= cost:
                self.trees[number], self.sent, self.steps = tree, sent, steps
                if _cost(steps)[0] < cost[0]:
                    self.budget.on_improvement(self.schedule)
                cost = _cost(steps)
            else:
                self.grower.load(tree, -1)
                self.grower.load(before, 1)

    def _piece(self) -> int:
        """Pick a piece: by turns any, and one that is under way in the last step."""
        if self.rng.random() < 0.3:
            return int(self.rng.integers(len(self.trees)))
        last = self.rng.choice(np.flatnonzero(self.steps == self.steps.max()))
        ends = np.cumsum([len(one.senders) for one in self.sent])
        return int(np.searchsorted(ends, last, side="right"))

    def _with(self, number: int, tree: Tree, limit: int) -> tuple[Ints | None, list[TreeTransfers]]:
        """Find steps for another tree of one piece, with those of others in their order."""
        sent = list(self.sent)
        first = sum(len(one.senders) for one in sent[:number])
        last = first + len(sent[number].senders)
        new = sent[number] = self.ground.sent(tree)
        stretch = limit / (new.waits + new.follow + 1)
        now = (new.waits + self.rng.random() * 0.5) * stretch.min()
        keys = np.concatenate((self.steps[:first], now, self.steps[last:]))
        rows = self.ground.rows(sent)
        steps = self._placed(rows, np.lexsort((self.rng.random(len(keys)), keys)), 2 * limit)
        return (None if steps is None else self._justified(rows, steps)), sent


def _cost(steps: Ints) -> tuple[int, int]:
    """Return the last step, and how many sendings are in it."""
    last = int(steps.max())
    return last, int((steps == last).sum())
