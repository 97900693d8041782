"""The cheapest way of a message to a location: its transfers, and what they eject from the timetable.

Under wormhole switching a way is one transfer from any holder of the message, under store-and-forward several hops.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np

from pavane.model import switch_hops as leaps
from pavane.model.problem import Problem
from pavane.search.repair.timetable import Hop, Timetable
from pavane.solvers.candidates import PathFinder

Arrival = tuple[int, int]
"""A message and a location it comes to."""

SPOILS_A_HOME = 0.3
"""The cost of a channel that another arrival outside may still need to return home."""

COMES_LATE = 0.5
"""The cost of arriving too late for a transfer that sent the message on."""


class CheapestWays:
    """Finds ways through a timetable; heavy arrivals are ejected last, and the weight is 1 unless set."""

    def __init__(self, table: Timetable, finder: PathFinder, rng: np.random.Generator) -> None:
        self.table, self.finder, self.rng = table, finder, rng
        self.weights: dict[Arrival, float] = {}
        self.stored = table.problem.rules.switching == "store-and-forward"
        self.leading = _hops_from(table.problem) if self.stored else []
        self.home_router: list[int] = table.problem.network.router_of.tolist()

    def cheapest(
        self, arrival: Arrival, deadlines: Sequence[int], wanted: dict[tuple[int, int], int], may_eject: bool
    ) -> list[Hop] | None:
        """Return the hops by which an arrival costs least; None where there is no way.

        From its deadlines on it comes too late to be sent on as before. Wanted units and steps, with how many arrivals
        want them, are better left free.
        """
        (message, target), table = arrival, self.table
        heap: list[tuple[float, int, int, int, tuple[Hop, ...]]] = []
        count = 0
        for location in sorted(table.came[message]):
            heap.append((0.0, table.ready(message, location), count, location, ()))
            count += 1
        barred = {location: frozenset(table.chain(message, location)) for location in table.came[message]}
        heapq.heapify(heap)
        settled: dict[int, list[int]] = {}
        while heap:
            cost, ready, _, location, hops = heapq.heappop(heap)
            if location == target and hops:
                return list(hops)
            # Ways come in the order of their cost: a later one is of use only if it is earlier in the schedule.
            if any(earlier <= ready for earlier in settled.get(location, ())):
                continue
            settled.setdefault(location, []).append(ready)
            start = hops[0].sender if hops else location
            for there, path in self._hops(message, location, target):
                for step in range(ready, table.num_steps):
                    hop = Hop(step, location, there, path)
                    if not table.is_inside(hop):
                        break
                    price = self._price(hop, barred[start], wanted, may_eject)
                    if price is None:
                        continue
                    last = table.arrival(hop)
                    price += COMES_LATE * sum(last >= deadline for deadline in deadlines) if there == target else 0.0
                    price += 0.02 * step / table.num_steps + 0.01 * float(self.rng.random())
                    count += 1
                    heapq.heappush(heap, (cost + price, last + 1, count, there, (*hops, hop)))
                    if self.stored and price < 0.05:
                        break  # later is no better
        return None

    def _hops(self, message: int, location: int, target: int) -> Iterator[tuple[int, tuple[int, ...]]]:
        """Yield where one transfer of a message may go from a location on its way to a target, and by which path."""
        processors_on = self.table.problem.network.processors_on
        router = self.home_router[location] if location >= 0 else ~location
        if not self.stored:
            for path in self.finder.between(router, self.home_router[target]):
                yield target, path
            return
        if router == self.home_router[target]:
            yield target, ()
        for head, path in self.leading[router]:
            if head == self.home_router[target]:
                yield target, path
                continue
            free = [p for p in processors_on[head] if p not in self.table.came[message]]
            if processors_on[head]:
                yield from ((p, path) for p in free[:1])
            elif ~head not in self.table.came[message]:
                yield ~head, path

    def _price(
        self, hop: Hop, barred: frozenset[int], wanted: dict[tuple[int, int], int], may_eject: bool
    ) -> float | None:
        """Return the weight of what a hop ejects; None where it would eject what must stay."""
        if self.table.can_join(hop) is not None:
            return 0.0
        uses = self.table.uses(hop)
        if not may_eject and self.table.is_full(uses):
            return None
        price = SPOILS_A_HOME * sum(wanted.get(use, 0) for use in uses) if wanted else 0.0
        victims = self.victims(hop, barred) if may_eject else set()
        return None if victims is None else price + sum(self._weight(number) for number in victims)

    def victims(self, hop: Hop, barred: frozenset[int]) -> set[int] | None:
        """Return the lightest entries that make room for a hop; None where all in its way must stay."""
        victims: set[int] = set()
        for users in self.table.full_units(hop):
            if victims.intersection(users):
                continue
            movable = [number for number in users if number not in barred]
            if not movable:
                return None
            victims.add(min(movable, key=lambda number: (self._weight(number), number)))
        return victims

    def _weight(self, number: int) -> float:
        entry = self.table.entries[number]
        location = entry.hop.receiver
        return sum(self.weights.get((m, location), 1.0) + self.table.dependents(m, location) for m in entry.messages)


@lru_cache(maxsize=2)
def _hops_from(problem: Problem) -> list[list[tuple[int, tuple[int, ...]]]]:
    """Return for each router where one step leads under store-and-forward, and by which path."""
    leading: list[list[tuple[int, tuple[int, ...]]]] = [[] for _ in range(problem.network.num_routers)]
    for hop in leaps.hops(problem):
        leading[hop.tail].append((hop.head, hop.path))
    return leading
