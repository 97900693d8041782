"""Repair in place: deliver the messages that a fault cut off, over idle channels first, then by ejecting others.

Every arrival has a home: the transfer that brought the message in the old schedule. An arrival that is outside returns
home if it can. Otherwise it takes the way that ejects least: one transfer from any holder under wormhole switching,
several hops under store-and-forward. An arrival that ejects others becomes heavier, so that two do not eject each other
for ever. Ejected arrivals may return home later.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np

from pavane.model.problem import Problem
from pavane.search.repair.cheapest_ways import Arrival, CheapestWays
from pavane.search.repair.timetable import ORIGIN, Hop, Timetable
from pavane.solvers.candidates import PathFinder

Old = tuple[Hop, tuple[int, ...], bool]
"""A transfer of the old schedule, the messages it carries, and whether its path still exists."""


class InPlaceRepair:
    """One attempt to repair a schedule in a number of steps."""

    def __init__(
        self,
        problem: Problem,
        num_steps: int,
        old: Iterable[Old],
        finder: PathFinder,
        rng: np.random.Generator,
    ) -> None:
        self.problem, self.timetable, self.rng = problem, Timetable(problem, num_steps), rng
        self.ways = CheapestWays(self.timetable, finder, rng)
        self.homes: dict[Arrival, Hop] = {}
        self.onward: dict[Arrival, list[int]] = {}
        """The steps in which the old schedule sent a message on from a location."""
        self.led: set[Arrival] = set()
        """The locations from which the old schedule sent a message on at all, over dead channels too."""
        self.receivers = frozenset(problem.collective.receivers)
        for hop, messages, is_alive in old:
            self.led |= {(message, hop.sender) for message in messages}
            for message in messages if is_alive else ():
                self.onward.setdefault((message, hop.sender), []).append(hop.step)
                if self.timetable.fits(message, hop):
                    self.timetable.enter(message, hop)
                self.homes[message, hop.receiver] = hop
        self.outside = [a for a in self._targets() if a[1] not in self.timetable.came[a[0]]]

    def _targets(self) -> Iterator[Arrival]:
        """Yield every arrival that the collective requires."""
        labels = self.problem.ends.tolist()
        for message, label in enumerate(labels):
            targets = label[1:] if self.problem.pattern == "private" else self.problem.collective.receivers
            yield from ((message, target) for target in targets if target != label[0])

    def run(self, most_moves: int, may_eject: bool, is_over: Callable[[], bool]) -> bool:
        """Make all arrivals; return whether that succeeded within `most_moves`."""
        for _ in range(most_moves):
            self.outside = [arrival for arrival in self.outside if not self._return_home(*arrival)]
            if not self.outside:
                self._settle()
                return True
            if is_over():
                return False
            noise = self.rng.random(len(self.outside)).tolist()
            last = self.timetable.num_steps
            keys = [(self.homes[a].step if a in self.homes else last, noise[i], a) for i, a in enumerate(self.outside)]
            arrival = min(keys)[2]
            way = self.ways.cheapest(arrival, self.onward.get(arrival, ()), self._wanted(arrival), may_eject)
            if way is None:
                return False
            self._take(arrival, way)
        return False

    # -- homes

    def _return_home(self, message: int, location: int) -> bool:
        """Restore an arrival and, before it, those of its relays; False where that is impossible."""
        came = self.timetable.came[message]
        if location in came:
            return True
        hops: list[Hop] = []
        while location not in came:
            hop = self.homes.get((message, location))
            if hop is None or not self.timetable.is_inside(hop):
                return False
            if hops and self.timetable.arrival(hop) >= hops[-1].step:
                return False
            hops.append(hop)
            location = hop.sender
        if self.timetable.ready(message, location) > hops[-1].step:
            return False
        if any(self.timetable.full_units(hop) and not self._joins(hop) for hop in hops):
            return False
        for hop in reversed(hops):
            self.timetable.enter(message, hop)
        return True

    def _joins(self, hop: Hop) -> bool:
        there = self.timetable.can_join(hop)
        return there is not None and self.timetable.entries[there].hop == hop

    def _settle(self) -> None:
        """Return arrivals home where possible, now that all are made, and remove relays that serve none any more."""
        moved = True
        while moved:
            moved = False
            for (message, location), home in self.homes.items():
                if self._may_move(message, location, home):
                    number = self.timetable.came[message][location]
                    moved |= self._move_home(message, location, number, home)
        targets = set(self._targets())
        pruned = True
        while pruned:
            pruned = False
            for message, came in enumerate(self.timetable.came):
                for location in [location for location in came if (message, location) not in targets]:
                    if self._is_idle(message, location):
                        self.timetable.lose(message, location, [])
                        pruned = True

    def _may_move(self, message: int, location: int, home: Hop) -> bool:
        """Return whether an arrival that is not at home may move there, apart from the channels of its path."""
        table = self.timetable
        number = table.came[message].get(location)
        if number is None or table.entries[number].hop == home:
            return False
        onward = [table.entries[n].hop.step for n in table.sent[message].get(location, ())]
        if onward and min(onward) <= table.arrival(home):
            return False
        if home.sender not in table.came[message] or table.ready(message, home.sender) > home.step:
            return False
        return not self._depends(message, home.sender, location)

    def _is_idle(self, message: int, location: int) -> bool:
        """Return whether a message was relayed to a location that does not send it on; old idle transfers stay."""
        number = self.timetable.came[message][location]
        if self.timetable.sent[message].get(location) or number == ORIGIN:
            return False
        is_home = self.homes.get((message, location)) == self.timetable.entries[number].hop
        return not is_home or (message, location) in self.led

    def _depends(self, message: int, location: int, on: int) -> bool:
        entries = self.timetable.entries
        return any(entries[n].hop.receiver == on for n in self.timetable.chain(message, location))

    def _move_home(self, message: int, location: int, number: int, home: Hop) -> bool:
        """Move one arrival home if its leaving makes room; what was sent on from there stays."""
        book, entry = self.timetable, self.timetable.entries[number]
        onward = book.sent[message].pop(location, set())
        book.lose(message, location, [])
        fits = book.fits(message, home)
        book.enter(message, home if fits else entry.hop)
        if onward:
            book.sent[message][location] = onward
        return fits

    # -- ways

    def _wanted(self, but: Arrival) -> dict[tuple[int, int], int]:
        """Count the units and steps that arrivals outside would need to return home."""
        wanted: dict[tuple[int, int], int] = {}
        for arrival in self.outside:
            hop = self.homes.get(arrival)
            if arrival != but and hop is not None:
                for use in self.timetable.uses(hop):
                    wanted[use] = wanted.get(use, 0) + 1
        return wanted

    def _take(self, arrival: Arrival, way: list[Hop]) -> None:
        """Enter the hops of an arrival and put outside what they eject."""
        message, _ = arrival
        barred = frozenset(self.timetable.chain(message, way[0].sender))
        lost: list[Arrival] = []
        has_ejected = False
        for hop in way:
            there = self.timetable.can_join(hop)
            if there is not None:
                hop = self.timetable.entries[there].hop
            else:
                for number in sorted(self.ways.victims(hop, barred) or ()):
                    has_ejected = True
                    lost += self.timetable.cross_out(number)
            # A location on the way may have lost or kept its copy; it gets one only if it has none.
            if hop.receiver not in self.timetable.came[message]:
                self.timetable.enter(message, hop)
                barred |= {self.timetable.came[message][hop.receiver]}
        if has_ejected:
            self.ways.weights[arrival] = self.ways.weights.get(arrival, 1.0) + 1.0
        targets = {a for a in lost if self._is_target(a)}
        self.outside = [a for a in {**dict.fromkeys(self.outside), **dict.fromkeys(sorted(targets))} if not self._in(a)]

    def _in(self, arrival: Arrival) -> bool:
        return arrival[1] in self.timetable.came[arrival[0]]

    def _is_target(self, arrival: Arrival) -> bool:
        message, location = arrival
        if self.problem.pattern == "private":
            return bool(self.problem.ends[message, 1] == location)
        return location in self.receivers
