"""Squeaky wheel optimization of broadcasts in slots: what arrives last is served earlier the next time.

D. Joslin, D. Clements: Squeaky Wheel Optimization, JAIR 10 (1999). First fit (`greedy`) serves the arrivals of all
messages one after the other, so its schedule depends on their order only. The arrivals in the last slot move forward in
it, by chance, and a few others move anywhere; the order is replaced where the schedule is not longer and no more arrive
in the last slot. The first order serves the nearest targets first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

import numpy as np

from pavane.model.problem import Problem
from pavane.model.schedule import Schedule, Transfer
from pavane.parallel.budget import Budget
from pavane.solvers.greedy import broadcast_in_order
from pavane.solvers.solver import argument
from pavane.solvers.solving import solve_once

Arrival: TypeAlias = tuple[int, int]
"""A message and a processor that receives it."""

MOVED = 20
"""One of so many arrivals, at most, moves without a reason: fewer are soon stuck, and more forget what was good."""


@dataclass(frozen=True)
class SqueakyWheel:
    """First fit in one order of arrivals after another; the latest are served earlier."""

    takes_capacities: ClassVar[bool] = True

    name: str = "squeaky-wheel"
    rounds: int = 80
    """Orders to try; most gains come in the first ones."""
    least_steps: int = argument(0)
    """No schedule has fewer steps than this."""

    def supports(self, problem: Problem) -> bool:
        """Supports broadcasts and reductions in slots under minimal or any routing."""
        return problem.rules.has_slots and problem.pattern != "private" and problem.restriction is None

    def find(
        self, problem: Problem, num_steps: int | None, rng: np.random.Generator, budget: Budget
    ) -> Schedule | None:
        """Improve an order of arrivals until the requested slots suffice or the effort is spent."""
        enough = num_steps or self.least_steps
        best = _placed(problem, _nearest_first(problem, rng), 2**31)
        for _ in range(self.rounds - 1):
            if best.cost[0] <= enough or budget.is_over:
                break
            trial = _placed(problem, _moved(best, rng), best.cost[0])
            if trial.cost <= best.cost:
                best = trial
        return Schedule.from_transfers(best.transfers, best.cost[0])

    __call__ = solve_once


@dataclass(frozen=True)
class _Placed:
    """An order of arrivals, and the schedule that first fit makes of it."""

    order: Sequence[Arrival]
    transfers: Sequence[Transfer]
    ends: Sequence[int]
    """How many slots there are until each arrival is complete."""

    @property
    def cost(self) -> tuple[int, int]:
        """Return the number of slots, and the number of arrivals that need the last one."""
        last = max(self.ends)
        return last, self.ends.count(last)


def _nearest_first(problem: Problem, rng: np.random.Generator) -> list[Arrival]:
    """Return all arrivals by their distance from the origin."""
    router_of, receivers = problem.network.router_of, problem.collective.receivers
    origins = problem.ends[:, 0].tolist()
    arrivals = [(message, to) for message, origin in enumerate(origins) for to in receivers if to != origin]
    away = {origin: problem.network.distances_from(int(router_of[origin])) for origin in set(origins)}
    distances = np.array([away[origins[message]][router_of[to]] for message, to in arrivals])
    order = np.lexsort((rng.random(len(arrivals)), distances))
    return [arrivals[i] for i in order.tolist()]


def _placed(problem: Problem, order: Sequence[Arrival], most_slots: int) -> _Placed:
    """Place arrivals in an order, until one needs more slots than allowed."""
    rules, transfers, ends = problem.rules, [], []
    for transfer in broadcast_in_order(problem, order):
        transfers.append(transfer)
        ends.append(transfer.step + rules.flight(len(transfer.path)) + rules.packet_slots)
        if ends[-1] > most_slots:
            break
    return _Placed(order, transfers, ends)


def _moved(placed: _Placed, rng: np.random.Generator) -> list[Arrival]:
    """Return the order with the latest arrivals moved forward, and a few others moved anywhere."""
    size, last = len(placed.order), max(placed.ends)
    keys = np.arange(size, dtype=np.float64)
    late = np.flatnonzero(np.array(placed.ends) == last)
    keys[late] *= rng.random(len(late))
    others = rng.integers(size, size=rng.integers(1 + max(1, size // MOVED)))
    keys[others] = size * rng.random(len(others))
    return [placed.order[i] for i in np.argsort(keys, kind="stable").tolist()]
