"""Few start-ups, little traffic: schedules under the combining rule, for a given number of start-ups (noc section 3).

A schedule is sought in two layers. The outer one is the sets: for every step, transfers whose paths share nothing.
The inner one is the payloads: messages run through the steps that the sets span, private ones on priced shortest
paths, broadcasts on trees. First the sets are annealed until every target is reachable from its origins at all, which
is a matter of bits; then sets and payloads together, to make the sum of the largest payloads of all steps small. A move
pushes one transfer into a step, ejects what is in its way and fills up.

Where the problem has symmetries that move every processor, trials apply every move to whole orbits: fewer things
to decide, and the evenness that good schedules have comes for free. Which group of symmetries suits is found out by
short trials.

Where switches pass under store-and-forward, a transfer runs over them until it comes to a router with processors.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pavane.bounds import counted_bounds
from pavane.errors import InputError
from pavane.jit import compiled
from pavane.judge.result import Run
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.parallel.budget import Budget
from pavane.solvers.combining.kernels.transfer_sets import (
    Annealing,
    TransferWork,
    anneal_reach,
    fill,
)
from pavane.solvers.combining.layout import CombiningLayout
from pavane.solvers.combining.payloads import UNKNOWN, WORK_BETWEEN_LOOKS, PathPayloads, TreePayloads
from pavane.solvers.solver import Finding, argument
from pavane.solvers.solving import solve_by_steps
from pavane.solvers.supports import Supports
from pavane.symmetry.groups import Group, free_groups

MOST_MESSAGES = 300_000
"""Above this the tables of ways take too much room."""

MOST_ROUTERS = 4096
"""Above this the fabric takes too much room."""

MOST_STEPS = 4096
"""Above this combining has nothing to offer that schedules without it have not."""

REACH = 0.3
"""What part of the work the search for sets that reach all targets may take."""

REACH_HOT, REACH_COLD = 1.0, 0.3
"""The heat of that search at first and in the end, in targets that are not reached."""

HEAT_OF_PATHS, HEAT_OF_TREES = (0.02, 0.0012), (0.006, 0.0008)
"""The heat at first and in the end, as parts of what is annealed; paths are led greedily, so they need more."""


@dataclass(frozen=True)
class Combining:
    """Annealing of sets of transfers and of the payloads on them."""

    name: str = "combining"
    goal: int = argument(0)
    """A TCO that is good enough to stop at."""
    trials: int = 3
    """How many groups of symmetries to try before the best of them is taken up again."""
    group: int | None = argument(None)
    """Which group of symmetries to use alone, by its index in `free_groups(problem)`; None: find out which suits.

    The same problem has the same list of groups, but another version of pavane may list others.
    """
    reach_moves: int = 400_000
    """Moves until every target must be reached."""
    most_moves: int = 100_000
    """Moves that lower the payloads, in all trials."""
    work: float = 4e8
    """The work of all moves of all trials, about, in looks at transfers; a few seconds' worth."""

    supports = Supports(
        combining=True,
        most_routers=MOST_ROUTERS,
        where=f"at most {4 * MOST_MESSAGES:,} arrivals, or {MOST_MESSAGES:,} private messages",
        holds=lambda problem: problem.num_deliveries * (1 + 3 * (problem.pattern == "private")) <= 4 * MOST_MESSAGES,
    )

    def find(self, problem: Problem, num_steps: int, rng: np.random.Generator, budget: Budget) -> Finding:
        """Look for a schedule of at most `num_steps` start-ups with little TCO."""
        if num_steps > MOST_STEPS or num_steps < counted_bounds(problem)[0].figure:
            return Finding(None, run=Run(0), is_final=num_steps > MOST_STEPS)
        search = _StartUpSearch(self, problem, num_steps, rng, budget)
        return Finding(search.best(), run=Run(search.made))

    __call__ = solve_by_steps


class _StartUpSearch:
    """One search at a number of start-ups."""

    def __init__(
        self, solver: Combining, problem: Problem, num_steps: int, rng: np.random.Generator, budget: Budget
    ) -> None:
        self.solver, self.problem, self.num_steps, self.rng = solver, problem, num_steps, rng
        self.budget = budget
        self.made = 0
        """Moves so far."""
        self.leader: tuple[PathPayloads | TreePayloads, Group] | None = None
        """The best payloads so far, and the group that they were found with."""

    @property
    def is_spent(self) -> bool:
        """Whether time or evaluations are used up."""
        evaluations = self.budget.evaluations
        return self.budget.is_over or (evaluations is not None and self.made >= evaluations)

    def _allowed(self, moves: int) -> int:
        """Return as many moves as the budget allows."""
        evaluations = self.budget.evaluations
        return moves if evaluations is None else max(0, min(moves, evaluations - self.made))

    def best(self) -> Schedule | None:
        """Return the best schedule; an interrupt (Ctrl-C) is raised again once the best has been reported."""
        try:
            self._try_groups()
        except KeyboardInterrupt:
            if self.leader is not None and self.budget.on_schedule is not None:
                self.budget.on_schedule(self.leader[0].schedule())
            raise
        return None if self.leader is None else self.leader[0].schedule()

    def _try_groups(self) -> None:
        """Try several groups of symmetries with little effort, then the best of them with as much as all others."""
        no_group: Group = ()
        efforts, are_known = [(no_group, 0.0)], False
        while efforts and not self.is_spent and (self.leader is None or self.leader[0].tco > self.solver.goal):
            group, share = efforts.pop(0)
            layout = CombiningLayout.of(self.problem, group)
            work = layout.work(layout.sets(self.num_steps))
            if (share > 0.0 or self._exchange(work)) and self._reach(layout, work, share):
                self._lower(layout, work, group, share)
            if not are_known:
                groups, are_known = self._groups(), True
                efforts = [(group, 0.5 / len(groups) if len(groups) > 1 else 1.0) for group in groups]
            elif not efforts and share < 0.5 and self.leader is not None:
                efforts.append((self.leader[1], 0.5))

    def _groups(self) -> list[Group]:
        """Return the groups to try: one of each order, from the largest on, which leaves the least to decide."""
        groups = free_groups(self.problem)
        number = self.solver.group
        if number is not None:
            if not 0 <= number < len(groups):
                raise InputError(f"group {number}: the problem has groups 0 to {len(groups) - 1}; choose one of them")
            return [groups[number]]
        orders = sorted({len(group) for group in groups}, reverse=True)[: self.solver.trials]
        of_order = [[group for group in groups if len(group) == order] for order in orders]
        return [some[int(self.rng.integers(len(some)))] for some in of_order]

    def _exchange(self, work: TransferWork) -> bool:
        """Put in the exchange along the bits of processors' numbers (hypercubes); False where paths are in the way."""
        num_processors = self.problem.network.num_processors
        if num_processors != 1 << (num_processors.bit_length() - 1) or num_processors > 1 << self.num_steps:
            return False
        for step in range(num_processors.bit_length() - 1):
            partner_of = np.arange(num_processors) ^ (1 << step)
            if not compiled(fill)(work, step, partner_of, self.rng):
                return False
        return True

    def _reach(self, layout: CombiningLayout, work: TransferWork, share: float) -> bool:
        """Anneal the sets until all targets are reached; False where they are not."""
        fabric, reach = layout.fabric, layout.reach(self.num_steps)
        for step in range(self.num_steps):
            if not self.is_spent:
                compiled(fill)(work, step, np.arange(0), self.rng)
        cost = 3 * (len(fabric.home) * self.num_steps * reach.reached.shape[2] + 4 * len(fabric.unit_of))
        total = max(2_000, min(self.solver.reach_moves, int(REACH * share * self.solver.work / cost)))
        done = 0
        while not self.is_spent and done < total:
            # Cooled in stages, so that the clock can be looked at.
            moves = self._allowed(min(total - done, max(100, int(WORK_BETWEEN_LOOKS / cost))))
            heat = REACH_HOT * REACH_COLD ** (done / total), REACH_HOT * REACH_COLD ** ((done + moves) / total)
            missing, made = compiled(anneal_reach)(work, reach, heat, moves, self.rng)
            done += max(1, made)
            self.made += made
            if missing == 0:
                return True
        return False

    def _lower(self, layout: CombiningLayout, work: TransferWork, group: Group, share: float) -> None:
        """Anneal sets and payloads; what they come to leads if it is the best, whatever ends the annealing."""
        few = self.num_steps <= 2.5 * np.log2(max(2, layout.problem.network.num_processors))
        kind = PathPayloads if self.problem.pattern == "private" else TreePayloads
        found = kind(layout, work.sets, group, 8.0 if few else 4.0)
        for _ in found.start(work, self.rng):
            if self.budget.is_over:
                return
        try:
            self._anneal(found, work, group, share)
        finally:
            if found.tco < (UNKNOWN if self.leader is None else self.leader[0].tco):
                self.leader = found, group

    def _anneal(self, found: PathPayloads | TreePayloads, work: TransferWork, group: Group, share: float) -> None:
        """Cool sets and payloads down, for a share of the work."""
        num_steps, num_inlets = work.sets.sender.shape
        level = max(1.0, found.level)  # where every message is lost there is no load, and still something to cool
        # What a move strands goes through all steps again.
        cost = num_steps * num_inlets * (8.0 + 6.0 * level / num_steps / (1 + len(group)))
        total = max(200, int(share * min(self.solver.work / cost, self.solver.most_moves)))
        at_a_time, done = max(1, int(WORK_BETWEEN_LOOKS / cost)), 0
        hot, cold = (part * level for part in (HEAT_OF_PATHS if isinstance(found, PathPayloads) else HEAT_OF_TREES))
        least = UNKNOWN if self.leader is None else self.leader[0].tco
        while done < total:
            moves = max(1, self._allowed(min(at_a_time, total - done)))
            plan = Annealing(
                moves, self.solver.goal, 4.0 + 0.1 * level, hot, cold, progress=done / total, pace=1.0 / total
            )
            made = found.anneal(work, plan, self.rng)
            done += max(1, made)
            self.made += made
            if found.tco < least:
                least = found.tco
                self.budget.on_improvement(found.schedule)
            if self.is_spent or found.tco <= self.solver.goal:
                break
