"""Start-ups and TCO under store-and-forward with all ports: widths for the steps first, then what fits into them.

There is no choice of transfers then: each channel may have its transfers in every step. A step in which the largest
payload is w lets w times as much through as one without combining. So a schedule of T start-ups and TCO R is T widths
that add up to R and a schedule with that room: private messages by ejection search through time,
broadcasts rarest first. What goes over a channel in a step is put together at the end. Small problems are decided
exactly, for all widths at once (SCCL, Cai et al. 2021, section 3, has the same question of steps and rounds).

Where switches pass, the messages that share a transfer go the same way over them. Rarest first knows that, ejection
search does not: private messages are then left to the exact program, and larger problems of them to `combining`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, islice, pairwise
from math import comb

import numpy as np

from pavane.bounds.exhaustive import NAME as EXHAUSTIVE
from pavane.bounds.occupancy import occupancy_bound
from pavane.errors import InputError
from pavane.model.arrays import Longs
from pavane.model.bound import Bound
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.parallel.budget import Budget, as_builder
from pavane.solvers.broadcast.payload_limits import spread_with_widths
from pavane.solvers.broadcast.switch_ways import MOST_WAYS, num_ways_in
from pavane.solvers.bundles import Bundles
from pavane.solvers.ejection.time_ejection import TimeEjection
from pavane.solvers.exact.widths_program import Decision, decide, num_variables
from pavane.solvers.solver import Finding, argument, seed_of
from pavane.solvers.solving import solve_by_steps
from pavane.solvers.supports import Supports

MOST_LISTED = 2_000
"""Up to this many divisions of the TCO are listed; of more a sample is drawn."""

MOST_DELIVERIES = 20_000
"""With more arrivals of messages every try takes long."""


@dataclass(frozen=True)
class Widths:
    """Widths for the steps, then messages that fit into them; combining under store-and-forward."""

    name: str = "widths"
    goal: int = argument(0)
    """A lower bound on the TCO."""
    most_tco: int | None = argument(None)
    """The largest TCO; None: no limit."""
    tries: int = 8
    """How many choices of widths are tried for each TCO."""
    most_cells: int = 10_000_000
    """What each try may look at where messages are private, in pairs of a hop and a step."""
    most_effort: int = 3_000
    """What each try may take where messages are broadcast, in transfers."""
    most_variables: int = 20_000
    """Programs of up to this size are decided exactly."""
    brief_effort: float = 0.1
    """The deterministic time of a first decision, in units of CP-SAT, about seconds: most need no more."""
    effort: float = 0.5
    """The same of a second one, after tries."""

    @property
    def supports(self) -> Supports:
        """Supports combining where every channel has its own transfers, and nothing else limits them."""
        return Supports(
            switching=("store-and-forward",),
            combining=True,
            ports="all",
            duplex="full",
            most_arrivals=MOST_DELIVERIES,
            where="no two processors on a router, and past switches few enough paths",
            holds=self._fits,
            takes=("capacities",),
        )

    def _fits(self, problem: Problem) -> bool:
        """Return whether paths are few enough; past switches private messages need the exact program."""
        network = problem.network
        if len(set(network.router_of.tolist())) < network.num_processors:
            return False
        if not problem.passes_switches:
            return True
        is_small = num_ways_in(problem) <= MOST_WAYS
        return is_small and (problem.pattern != "private" or num_variables(problem, 1) <= self.most_variables)

    def find(self, problem: Problem, num_steps: int, rng: np.random.Generator, budget: Budget) -> Finding:
        """Search for a schedule of at most `num_steps` start-ups with little TCO."""
        try:
            lowest = max(self.goal, occupancy_bound(problem, num_steps, 0.0).figure)
        except InputError:
            return Finding(None)  # no schedule has as few start-ups
        search = _WidthSearch(self, problem, num_steps, rng, budget)
        # One message at a time over one channel at a time is a schedule, if a long one.
        most = problem.num_deliveries * problem.network.num_routers if self.most_tco is None else self.most_tco
        search.run(lowest, most)
        proven = search.refuted
        if proven < lowest:
            return Finding(search.best)
        bound = Bound(proven + 1, EXHAUSTIVE, {"method": self.name}, objective="tco", num_steps=num_steps)
        return Finding(search.best, (bound,))

    __call__ = solve_by_steps


class _WidthSearch:
    """The search for the least TCO of a number of start-ups."""

    def __init__(
        self, solver: Widths, problem: Problem, num_steps: int, rng: np.random.Generator, budget: Budget
    ) -> None:
        self.solver, self.problem, self.num_steps = solver, problem, num_steps
        self.rng, self.budget, self.seed = rng, budget, seed_of(rng)
        self.bundles = Bundles.of(problem.network)
        self.best: Schedule | None = None
        self.refuted = 0
        """The highest TCO of which there is no schedule."""
        self.is_small = num_variables(problem, num_steps) <= solver.most_variables

    def run(self, lowest: int, most: int) -> None:
        """Try one TCO after the other, in growing strides until one is found, then between the last ones."""
        failed, tco, stride = lowest - 1, lowest, 1
        while tco <= most and not self.budget.is_over:
            found = self._tried(tco)
            if found is not None:
                self.best = found
                self.budget.on_improvement(as_builder(found))
            else:
                failed = tco
            if self.best is None:
                tco = most if tco < most < tco + stride else tco + stride
                stride *= 2
            elif self.best.tco <= failed + 1:
                return
            else:
                tco = (failed + self.best.tco) // 2

    def _tried(self, tco: int) -> Schedule | None:
        """Search for a schedule of at most that TCO: one try, a brief decision, other tries, a longer decision."""
        solver, choices = self.solver, divide_tco(tco, self.num_steps, self.rng)
        for tries, effort in ((1, solver.brief_effort), (solver.tries - 1, solver.effort)):
            for widths in islice(choices, tries):
                found = None if self.budget.is_over else self._in(widths)
                if found is not None:
                    return found
            decision = self._decided(tco, effort)
            if decision.schedule is not None or decision.is_refuted:
                return decision.schedule
        return None

    def _decided(self, tco: int, effort: float) -> Decision:
        """Decide whether there is a schedule of at most that TCO, where the program is small."""
        if not self.is_small or self.budget.is_over:
            return Decision()
        decision = decide(self.problem, self.num_steps, tco, effort=effort, seed=self.seed, budget=self.budget)
        if decision.is_refuted:
            self.refuted = max(self.refuted, tco)
        return decision

    def _in(self, widths: Longs) -> Schedule | None:
        """Search for a schedule in steps of these widths."""
        problem, solver = self.problem, self.solver
        if problem.pattern == "private" and problem.passes_switches:
            return None  # what shares a transfer shares its way, which ejection search does not know
        if problem.pattern == "private":
            search = TimeEjection(detour=1, most_cells=solver.most_cells)
            return search.in_widths(problem, widths, self.rng, self.budget).schedule
        spread = spread_with_widths(problem, widths.tolist(), self.rng, self.budget, solver.most_effort)
        return None if spread is None else self.bundles.combined(spread, widths)


def divide_tco(tco: int, num_steps: int, rng: np.random.Generator) -> Iterator[Longs]:
    """Yield widths of the steps that add up to the TCO, even ones first, and of those the ones that grow.

    At first only neighbours have what is to be sent, so early steps are the first to be narrow.
    """
    if num_steps > tco:
        return
    if comb(tco - 1, num_steps - 1) <= MOST_LISTED:
        cuts = combinations(range(1, tco), num_steps - 1)
        every = [[b - a for a, b in pairwise((0, *cut, tco))] for cut in cuts]
        every.sort(key=lambda widths: (max(widths) - min(widths), [-width for width in reversed(widths)]))
        yield from (np.array(widths, dtype=np.int64) for widths in every)
        return
    least, more = divmod(tco, num_steps)
    even = np.full(num_steps, least, dtype=np.int64)
    even[num_steps - more :] += 1
    yield even
    yield even[::-1].copy()
    while True:
        widths = even.copy()
        for _ in range(1 + int(rng.integers(num_steps))):
            wide, narrow = rng.integers(num_steps, size=2).tolist()
            if widths[narrow] > 1:
                widths[wide] += 1
                widths[narrow] -= 1
        yield widths
