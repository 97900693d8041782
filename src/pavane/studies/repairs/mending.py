"""Mending: bring messages where a fault keeps them from, at first into idle channels, then by pushing others out.

Every arrival has a home: the transfer that brought the message in the old schedule. Whatever is outside goes home if it
can. Otherwise it takes the way that pushes out least: over one transfer from any holder under wormhole switching, over
several hops under store-and-forward. What was pushed becomes heavier, so that two do not push each other for ever, and
may come home later.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator

import numpy as np

from pavane.model.problem import Problem
from pavane.solvers.candidates import PathFinder
from pavane.studies.repairs.book import Book, Hop

Arrival = tuple[int, int]
"""A message and a place it comes to."""

Old = tuple[Hop, tuple[int, ...], bool]
"""A transfer of the old schedule, the messages it carries, and whether its path still exists."""

SPOILS_A_HOME = 0.3
"""What it costs to take a channel that somebody outside may still need to come home."""
COMES_LATE = 0.5
"""What it costs to come too late for a transfer that was to send the message on."""


class Mending:
    """One attempt to mend a schedule in a number of steps."""

    def __init__(
        self,
        problem: Problem,
        num_steps: int,
        old: Iterable[Old],
        finder: PathFinder,
        rng: np.random.Generator,
    ) -> None:
        self.problem, self.book, self.rng, self.finder = problem, Book(problem, num_steps), rng, finder
        network = problem.network
        self.stored = problem.rules.switching == "store-and-forward"
        self.home_router: list[int] = network.router_of.tolist()
        self.homes: dict[Arrival, Hop] = {}
        self.onward: dict[Arrival, list[int]] = {}
        """The steps in which the old schedule sent a message on from a place."""
        self.weights: dict[Arrival, float] = {}
        self.led: set[Arrival] = set()
        """The places from which the old schedule sent a message on at all, over dead channels too."""
        self.receivers = frozenset(problem.collective.receivers)
        for hop, messages, is_alive in old:
            self.led |= {(message, hop.sender) for message in messages}
            for message in messages if is_alive else ():
                self.onward.setdefault((message, hop.sender), []).append(hop.step)
                if self.book.fits(message, hop):
                    self.book.enter(message, hop)
                self.homes[message, hop.receiver] = hop
        self.outside = [a for a in self._targets() if a[1] not in self.book.came[a[0]]]

    def _targets(self) -> Iterator[Arrival]:
        """Yield every arrival that the collective asks for."""
        labels = self.problem.labels.tolist()
        for message, label in enumerate(labels):
            targets = label[1:] if self.problem.pattern == "private" else self.problem.collective.receivers
            yield from ((message, target) for target in targets if target != label[0])

    def run(self, most_moves: int, may_push: bool, is_over: Callable[[], bool]) -> bool:
        """Bring everything in; say whether that worked within so many moves."""
        for _ in range(most_moves):
            self.outside = [arrival for arrival in self.outside if not self._goes_home(*arrival)]
            if not self.outside:
                self._settle()
                return True
            if is_over():
                return False
            noise = self.rng.random(len(self.outside)).tolist()
            last = self.book.num_steps
            keys = [(self.homes[a].step if a in self.homes else last, noise[i], a) for i, a in enumerate(self.outside)]
            arrival = min(keys)[2]
            way = self._way(arrival, may_push)
            if way is None:
                return False
            self._take(arrival, way)
        return False

    # -- homes

    def _goes_home(self, message: int, place: int) -> bool:
        """Put an arrival where it was, and before it those of the relays it came over; False where that cannot be."""
        came = self.book.came[message]
        if place in came:
            return True
        hops: list[Hop] = []
        while place not in came:
            hop = self.homes.get((message, place))
            if hop is None or (hops and hop.step >= hops[-1].step):
                return False
            hops.append(hop)
            place = hop.sender
        if self.book.ready(message, place) > hops[-1].step:
            return False
        if any(self.book.full_units(hop) and not self._joins(hop) for hop in hops):
            return False
        for hop in reversed(hops):
            self.book.enter(message, hop)
        return True

    def _joins(self, hop: Hop) -> bool:
        there = self.book.can_join(hop)
        return there is not None and self.book.entries[there].hop == hop

    def _settle(self) -> None:
        """Bring back home whatever may, now that all is in, and leave out relays that lead nowhere any more."""
        moved = True
        while moved:
            moved = False
            for (message, place), hop in self.homes.items():
                number = self.book.came[message].get(place)
                if number is None or self.book.entries[number].hop == hop:
                    continue
                onward = [self.book.entries[n].hop.step for n in self.book.sent[message].get(place, ())]
                if onward and min(onward) <= hop.step:
                    continue
                if hop.sender not in self.book.came[message] or self.book.ready(message, hop.sender) > hop.step:
                    continue
                if self._depends(message, hop.sender, place):
                    continue
                moved |= self._moves_home(message, place, number, hop)
        targets = set(self._targets())
        pruned = True
        while pruned:
            pruned = False
            for message, came in enumerate(self.book.came):
                for place in list(came):
                    idle = not self.book.sent[message].get(place)
                    if idle and came[place] >= 0 and (message, place) not in targets:
                        hop = self.book.entries[came[place]].hop
                        if self.homes.get((message, place)) != hop or (message, place) in self.led:
                            self.book.lose(message, place, [])
                            pruned = True

    def _depends(self, message: int, place: int, on: int) -> bool:
        entries = self.book.entries
        return any(entries[n].hop.receiver == on for n in self.book.chain(message, place))

    def _moves_home(self, message: int, place: int, number: int, home: Hop) -> bool:
        """Move one arrival home where its own leaving makes room, and keep what was sent on from there."""
        book, entry = self.book, self.book.entries[number]
        onward = book.sent[message].pop(place, set())
        book.lose(message, place, [])
        fits = book.fits(message, home)
        book.enter(message, home if fits else entry.hop)
        if onward:
            book.sent[message][place] = onward
        return fits

    # -- ways

    def _way(self, arrival: Arrival, may_push: bool) -> list[Hop] | None:
        """Return the hops by which an arrival costs least; None where there is no way."""
        message, target = arrival
        book = self.book
        late = self.onward.get(arrival, ())
        wanted = self._wanted(arrival)
        heap: list[tuple[float, int, int, int, tuple[Hop, ...]]] = []
        count = 0
        for place in sorted(book.came[message]):
            heap.append((0.0, book.ready(message, place), count, place, ()))
            count += 1
        barred = {place: frozenset(book.chain(message, place)) for place in book.came[message]}
        heapq.heapify(heap)
        settled: dict[int, list[int]] = {}
        while heap:
            cost, ready, _, place, hops = heapq.heappop(heap)
            if place == target and hops:
                return list(hops)
            # Ways come in the order of their cost: a later one is of use only if it is earlier in the schedule.
            if any(earlier <= ready for earlier in settled.get(place, ())):
                continue
            settled.setdefault(place, []).append(ready)
            if hops and not self.stored:
                continue
            start = hops[0].sender if hops else place
            for there, path in self._hops(message, place, target):
                for step in range(ready, book.num_steps):
                    hop = Hop(step, place, there, path)
                    price = self._price(message, hop, barred[start], wanted, may_push)
                    if price is None:
                        continue
                    price += COMES_LATE * sum(step >= s for s in late) if there == target else 0.0
                    price += 0.02 * step / book.num_steps + 0.01 * float(self.rng.random())
                    count += 1
                    heapq.heappush(heap, (cost + price, step + 1, count, there, (*hops, hop)))
                    if self.stored and price < 0.05:
                        break  # later is no better
        return None

    def _hops(self, message: int, place: int, target: int) -> Iterator[tuple[int, tuple[int, ...]]]:
        """Yield where one transfer of a message may go from a place on its way to a target, and by which path."""
        network = self.problem.network
        router = self.home_router[place] if place >= 0 else ~place
        if not self.stored:
            for path in self.finder.between(router, self.home_router[target]):
                yield target, path
            return
        if router == self.home_router[target]:
            yield target, ()
        for channel in network.out_channels[router]:
            head = int(network.heads[channel])
            if head == self.home_router[target]:
                yield target, (channel,)
                continue
            free = [p for p in network.processors_on[head] if p not in self.book.came[message]]
            if network.processors_on[head]:
                yield from ((p, (channel,)) for p in free[:1])
            elif ~head not in self.book.came[message]:
                yield ~head, (channel,)

    def _price(
        self, message: int, hop: Hop, barred: frozenset[int], wanted: dict[tuple[int, int], int], may_push: bool
    ) -> float | None:
        """Return what a hop pushes out, by weight; None where it pushes what must stay."""
        if self.book.can_join(hop) is not None:
            return 0.0
        units = self.book.units(hop)
        if not may_push and self.book.is_full(units, hop.step):
            return None
        price = SPOILS_A_HOME * sum(wanted.get((unit, hop.step), 0) for unit in units) if wanted else 0.0
        victims = self._victims(hop, barred) if may_push else set()
        return None if victims is None else price + sum(self._weight(number) for number in victims)

    def _victims(self, hop: Hop, barred: frozenset[int]) -> set[int] | None:
        """Return the lightest entries that make room for a hop; None where all in its way must stay."""
        victims: set[int] = set()
        for users in self.book.full_units(hop):
            if victims.intersection(users):
                continue
            movable = [number for number in users if number not in barred]
            if not movable:
                return None
            victims.add(min(movable, key=lambda number: (self._weight(number), number)))
        return victims

    def _weight(self, number: int) -> float:
        entry = self.book.entries[number]
        place = entry.hop.receiver
        return sum(self.weights.get((m, place), 1.0) + self.book.dependents(m, place) for m in entry.messages)

    def _wanted(self, but: Arrival) -> dict[tuple[int, int], int]:
        """Count the units and steps that arrivals outside would need to come home."""
        wanted: dict[tuple[int, int], int] = {}
        for arrival in self.outside:
            hop = self.homes.get(arrival)
            if arrival != but and hop is not None:
                for unit in self.book.units(hop):
                    wanted[unit, hop.step] = wanted.get((unit, hop.step), 0) + 1
        return wanted

    def _take(self, arrival: Arrival, way: list[Hop]) -> None:
        """Enter the hops of an arrival and put outside what they push out."""
        message, _ = arrival
        barred = frozenset(self.book.chain(message, way[0].sender))
        lost: list[Arrival] = []
        pushed = False
        for hop in way:
            there = self.book.can_join(hop)
            if there is not None:
                hop = self.book.entries[there].hop
            else:
                for number in sorted(self._victims(hop, barred) or ()):
                    pushed = True
                    lost += self.book.cross_out(number)
            # A place on the way may have lost or kept its copy; it gets one only if it has none.
            if hop.receiver not in self.book.came[message]:
                self.book.enter(message, hop)
                barred |= {self.book.came[message][hop.receiver]}
        if pushed:
            self.weights[arrival] = self.weights.get(arrival, 1.0) + 1.0
        targets = {a for a in lost if self._is_target(a)}
        self.outside = [a for a in {**dict.fromkeys(self.outside), **dict.fromkeys(sorted(targets))} if not self._in(a)]

    def _in(self, arrival: Arrival) -> bool:
        return arrival[1] in self.book.came[arrival[0]]

    def _is_target(self, arrival: Arrival) -> bool:
        message, place = arrival
        if self.problem.pattern == "private":
            return bool(self.problem.labels[message, 1] == place)
        return place in self.receivers
