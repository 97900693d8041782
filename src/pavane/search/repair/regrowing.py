"""A timetable that keeps the transfers of an old schedule, and regrows what a fault cut off.

Every arrival of a message has a home: the transfer that brought it in the old schedule. An arrival that is outside
returns home if it can. Otherwise it takes the way that ejects least, from any holder of the message: one transfer under
wormhole switching, several hops under store-and-forward. An arrival that ejects others becomes heavier, so that two do
not eject each other for ever. Reductions are repaired backwards. Under tdm a step is a slot.
"""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from pavane.model import switch_hops
from pavane.model.problem import Problem
from pavane.model.schedule import Transfer
from pavane.solvers.candidates import PathFinder
from pavane.solvers.slot_timing import Timing
from pavane.solvers.step_table import TransferUnits

ORIGIN = -1
"""Stands for the transfer by which a message came to its origin."""

Arrival = tuple[int, int]
"""A message and a location it comes to."""


class Hop(NamedTuple):
    """A transfer without its messages."""

    start: int
    sender: int
    receiver: int
    path: tuple[int, ...]


Old = tuple[Hop, tuple[int, ...], bool]
"""A transfer of the old schedule, the messages it carries, and whether its path still exists."""


class Regrowing(TransferUnits):
    """One attempt to repair a schedule in a number of steps: transfers that break no rule."""

    def __init__(
        self, problem: Problem, num_steps: int, old: Iterable[Old], finder: PathFinder, rng: np.random.Generator
    ) -> None:
        super().__init__(problem)
        self.num_steps, self.finder, self.rng = num_steps, finder, rng
        self.timing = Timing.of(problem, num_steps)
        self.hops: list[Hop] = []
        self.carried: list[set[int]] = []
        self.taken: dict[tuple[int, int], list[int]] = defaultdict(list)
        """The transfers that use a unit in a step."""
        self.between: dict[tuple[int, int, int], int] = {}
        """Under combining the transfer between two locations in a step, which other messages may join."""
        self.came: list[dict[int, int]] = [{origin: ORIGIN} for origin in problem.ends[:, 0].tolist()]
        """For each message the locations that hold it, and the transfer that brought it."""
        self.sent: list[dict[int, set[int]]] = [defaultdict(set) for _ in self.came]
        """For each message where a location sent it on to."""
        self.homes: dict[Arrival, Hop] = {}
        self.weights: Counter[Arrival] = Counter()
        self.home_router: list[int] = problem.network.router_of.tolist()
        self.leading = _leading(problem) if problem.rules.switching == "store-and-forward" else None
        for hop, messages, is_alive in old:
            for message in messages if is_alive else ():
                self.homes[message, hop.receiver] = hop
                if hop.receiver not in self.came[message] and self._is_free(message, hop):
                    self.enter(message, hop)
        self.targets = set(_targets(problem))
        self.outside = sorted(arrival for arrival in self.targets if arrival[1] not in self.came[arrival[0]])

    def run(self, most_moves: int, may_eject: bool, is_over: Callable[[], bool]) -> list[Transfer] | None:
        """Return the repaired transfers; None if not all arrivals were made within `most_moves`."""
        for _ in range(most_moves):
            self.outside = [arrival for arrival in self.outside if not self._return_home(*arrival)]
            if not self.outside:
                self._prune()
                rows = zip(self.hops, self.carried, strict=True)
                return [Transfer(*hop, tuple(sorted(messages))) for hop, messages in rows if messages]
            if is_over():
                return None
            noise = self.rng.random(len(self.outside)).tolist()
            last = Hop(self.num_steps, 0, 0, ())
            _, _, arrival = min((self.homes.get(a, last).start, noise[i], a) for i, a in enumerate(self.outside))
            way = self._cheapest(arrival, may_eject)
            if way is None:
                return None
            self._take(arrival, way)
        return None

    # -- the timetable

    def uses(self, hop: Hop) -> list[tuple[int, int]]:
        """Return the channels, links and ports that a hop uses, each with the step."""
        units, shifts = self.timing.uses(self.of(hop.sender, hop.receiver, hop.path), len(hop.path))
        steps = [hop.start + shift for shift in shifts]
        return list(
            zip(units, steps if self.timing.period is None else [s % self.num_steps for s in steps], strict=True)
        )

    def ready(self, message: int, location: int) -> int:
        """Return the first step in which a location that holds a message can send it."""
        number = self.came[message][location]
        return 0 if number == ORIGIN else self._arrival(self.hops[number]) + 1

    def enter(self, message: int, hop: Hop) -> None:
        """Enter a hop of a message; it joins a transfer between the same locations if it may."""
        number = self._joined(hop)
        if number is None:
            number = len(self.hops)
            self.hops.append(hop)
            self.carried.append(set())
            if self.problem.rules.combining:
                self.between[hop[:3]] = number
            for use in self.uses(hop):
                self.taken[use].append(number)
        self.carried[number].add(message)
        self.came[message][hop.receiver] = number
        self.sent[message][hop.sender].add(hop.receiver)

    def lose(self, message: int, location: int) -> list[Arrival]:
        """Take an arrival out, with all that was sent on from there; return the lost arrivals."""
        number = self.came[message].pop(location)
        onward = sorted(self.sent[message].pop(location, ()))
        lost = [(message, location), *(each for there in onward for each in self.lose(message, there))]
        hop = self.hops[number]
        self.sent[message][hop.sender].discard(location)
        self.carried[number].discard(message)
        if not self.carried[number]:
            self.between.pop(hop[:3], None)
            for use in self.uses(hop):
                self.taken[use].remove(number)
        return lost

    def victims(self, hop: Hop, barred: frozenset[int] = frozenset()) -> set[int] | None:
        """Return the lightest transfers that make room for a hop; None where all in its way must stay."""
        victims: set[int] = set()
        for use in self.uses(hop):
            users = self.taken.get(use, ())
            if len(users) < self.capacity[use[0]] or victims.intersection(users):
                continue
            movable = [number for number in users if number not in barred]
            if not movable:
                return None
            victims.add(min(movable, key=lambda number: (self._weight(number), number)))
        return victims

    def _weight(self, number: int) -> int:
        """Return how many arrivals depend on a transfer, those that ejected others counted several times."""
        location = self.hops[number].receiver
        return sum(self._below(message, location) for message in self.carried[number])

    def _below(self, message: int, location: int) -> int:
        onward = self.sent[message].get(location, ())
        return 1 + self.weights[message, location] + sum(self._below(message, there) for there in onward)

    def _arrival(self, hop: Hop) -> int:
        """Return the last step in which a hop uses its receiver's port; it is held after it."""
        return hop.start + self.timing.arrival(len(hop.path))

    def _is_inside(self, hop: Hop) -> bool:
        repeats = self.timing.period is not None
        return hop.start < self.num_steps and (repeats or self._arrival(hop) < self.num_steps)

    def _is_ready(self, message: int, hop: Hop) -> bool:
        is_held = hop.sender in self.came[message]
        return is_held and self._is_inside(hop) and self.ready(message, hop.sender) <= hop.start

    def _is_free(self, message: int, hop: Hop) -> bool:
        """Return whether a message can take a hop without ejecting anything."""
        return self._is_ready(message, hop) and (self._joined(hop) is not None or self.victims(hop) == set())

    def _joined(self, hop: Hop) -> int | None:
        return self.between.get(hop[:3]) if self.problem.rules.combining else None

    # -- arrivals

    def _return_home(self, message: int, location: int) -> bool:
        """Restore an arrival and, before it, those of its relays; False where that is impossible."""
        hops: list[Hop] = []
        while location not in self.came[message]:
            hop = self.homes.get((message, location))
            if hop is None or (hops and self._arrival(hop) >= hops[-1].start):
                return False
            hops.append(hop)
            location = hop.sender
        if hops and not self._is_ready(message, hops[-1]):
            return False
        if not all(self._is_inside(hop) and (self._joined(hop) is not None or not self.victims(hop)) for hop in hops):
            return False
        for hop in reversed(hops):
            self.enter(message, hop)
        return True

    def _take(self, arrival: Arrival, way: tuple[Hop, ...]) -> None:
        """Enter the hops of an arrival and put outside what they eject."""
        message, barred = arrival[0], self._chain(arrival[0], way[0].sender)
        lost: list[Arrival] = []
        for hop in way:
            for number in sorted(() if self._joined(hop) is not None else self.victims(hop, barred) or ()):
                for carried in sorted(self.carried[number]):
                    if self.came[carried].get(self.hops[number].receiver) == number:
                        lost += self.lose(carried, self.hops[number].receiver)
            # A location on the way may have lost or kept its copy; it gets one only if it has none.
            if hop.receiver not in self.came[message]:
                self.enter(message, hop)
                barred |= {self.came[message][hop.receiver]}
        self.weights[arrival] += bool(lost)
        everyone = dict.fromkeys([*self.outside, *sorted(self.targets.intersection(lost))])
        self.outside = [each for each in everyone if each[1] not in self.came[each[0]]]

    def _chain(self, message: int, location: int) -> frozenset[int]:
        """Return the transfers that brought a message to a location."""
        numbers = set()
        while (number := self.came[message][location]) != ORIGIN:
            numbers.add(number)
            location = self.hops[number].sender
        return frozenset(numbers)

    def _prune(self) -> None:
        """Remove relays that serve no target any more."""
        for message, came in enumerate(self.came):
            while idle := [
                place
                for place, number in came.items()
                if number != ORIGIN and (message, place) not in self.targets and not self.sent[message].get(place)
            ]:
                for place in idle:
                    self.lose(message, place)

    # -- ways

    def _cheapest(self, arrival: Arrival, may_eject: bool) -> tuple[Hop, ...] | None:
        """Return the hops by which an arrival ejects least; None where there is no way."""
        message, target = arrival
        held = sorted(self.came[message])
        barred = {location: self._chain(message, location) for location in held}
        heap: list[tuple[float, int, int, int, tuple[Hop, ...]]] = [
            (0.0, self.ready(message, location), number, location, ()) for number, location in enumerate(held)
        ]
        heapq.heapify(heap)
        count, settled = len(heap), defaultdict[int, list[int]](list)
        while heap:
            cost, ready, _, here, hops = heapq.heappop(heap)
            if here == target and hops:
                return hops
            # Ways come in the order of their cost: a later one is of use only if it is earlier in the schedule.
            if any(earlier <= ready for earlier in settled[here]):
                continue
            settled[here].append(ready)
            for there, path in self._ahead(message, here, target):
                for start in range(ready, self.num_steps):
                    hop = Hop(start, here, there, path)
                    if not self._is_inside(hop):
                        break
                    victims = (
                        set() if self._joined(hop) is not None else self.victims(hop, barred[(*hops, hop)[0].sender])
                    )
                    if victims is None or (victims and not may_eject):
                        continue
                    price = sum(map(self._weight, victims))
                    late = 0.02 * start / self.num_steps + 0.01 * float(self.rng.random())
                    count += 1
                    heapq.heappush(heap, (cost + price + late, self._arrival(hop) + 1, count, there, (*hops, hop)))
                    if self.leading is not None and not price:
                        break  # later is no better
        return None

    def _ahead(self, message: int, here: int, target: int) -> Iterator[tuple[int, tuple[int, ...]]]:
        """Yield where one transfer of a message may go from a location on its way to a target, and by which path."""
        router, home = self.home_router[here] if here >= 0 else ~here, self.home_router[target]
        if self.leading is None:
            yield from ((target, path) for path in self.finder.between(router, home))
            return
        if router == home:
            yield target, ()
        for head, path in self.leading[router]:
            rests = self.problem.network.processors_on[head] or (~head,)
            free = [target] if head == home else [place for place in rests if place not in self.came[message]]
            yield from ((place, path) for place in free[:1])


@lru_cache(maxsize=2)
def _leading(problem: Problem) -> list[list[tuple[int, tuple[int, ...]]]]:
    """Return for each router where one step leads under store-and-forward, and by which path."""
    leading: list[list[tuple[int, tuple[int, ...]]]] = [[] for _ in range(problem.network.num_routers)]
    for hop in switch_hops.hops(problem):
        leading[hop.tail].append((hop.head, hop.path))
    return leading


def _targets(problem: Problem) -> Iterator[Arrival]:
    """Yield every arrival that the collective requires."""
    for message, label in enumerate(problem.ends.tolist()):
        ends = label[1:] if problem.pattern == "private" else problem.collective.receivers
        yield from ((message, target) for target in ends if target != label[0])
