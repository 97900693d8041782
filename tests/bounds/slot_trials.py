"""The fewest slots of a tiny tdm problem, by trying every path and start, written from the model alone.

Private messages are placed one after the other. A broadcast is tried transfer by transfer in the order of their starts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from pavane.model.duals import dual
from pavane.model.problem import Problem

Use = tuple[str, int, int]
"""A kind of unit, its number and a slot."""


class TooManyTrials(Exception):
    """The problem is not tiny."""


class Flight(NamedTuple):
    """What a packet uses, and from which slot on its receiver holds it."""

    uses: tuple[Use, ...]
    held: int


@lru_cache(maxsize=256)
def fewest_slots(problem: Problem, most_tried: int = 30_000) -> int | None:
    """Return the least number of slots of any schedule; None where that takes too many trials."""
    if problem.pattern == "reduction":
        return fewest_slots(dual(problem), most_tried)
    trials = _Trials(problem, most_tried)
    try:
        num_slots = 1
        while not trials.are_enough(num_slots):
            num_slots += 1
    except TooManyTrials:
        return None
    return num_slots


class _Trials:
    def __init__(self, problem: Problem, most_tried: int) -> None:
        self.problem, self.left = problem, most_tried
        self.home = problem.network.router_of.tolist()
        self.units = problem.units.tolist()
        self.room = {("channel", at): room for at, room in enumerate(problem.network.capacity.tolist())}
        for kind, ports in (("in", problem.injection), ("out", problem.ejection)):
            self.room |= {(kind, at): room for at, room in enumerate(ports.tolist())}
        self.load: Counter[Use] = Counter()

    def are_enough(self, num_slots: int) -> bool:
        """Return whether there is a schedule of so many slots."""
        self.num_slots = num_slots
        self.load.clear()
        if self.problem.rules.packet_slots > num_slots:
            return False
        if self.problem.pattern == "private":
            return self._place(0)
        origins = self.problem.ends[:, 0].tolist()
        return self._send([{origin: 0} for origin in origins], (0, 0, 0, 0))

    def _place(self, message: int) -> bool:
        """Place this message and all after it."""
        if message == len(self.problem.ends):
            return True
        sender, receiver = self.problem.ends[message].tolist()
        return any(self._with(flight, message + 1) for _, flight in self._flights(sender, receiver, 0))

    def _with(self, flight: Flight, following: int) -> bool:
        if not self._take(flight):
            return False
        if self._place(following):
            return True
        self.load.subtract(flight.uses)
        return False

    def _send(self, held: list[dict[int, int]], last: tuple[int, int, int, int]) -> bool:
        """Add transfers that start no earlier than the last one until all receivers hold all messages."""
        receivers = self.problem.collective.receivers
        if all(receiver in copies for copies in held for receiver in receivers):
            return True
        for message, copies in enumerate(held):
            for sender in list(copies):
                for receiver in sorted(set(range(len(self.home))) - copies.keys()):
                    for start, flight in self._flights(sender, receiver, max(last[0], copies[sender])):
                        order = (start, message, sender, receiver)
                        if order <= last or not self._take(flight):
                            continue
                        copies[receiver] = flight.held
                        if self._send(held, order):
                            return True
                        del copies[receiver]
                        self.load.subtract(flight.uses)
        return False

    def _take(self, flight: Flight) -> bool:
        """Enter a packet where it fits."""
        self.left -= 1
        if self.left < 0:
            raise TooManyTrials
        self.load.update(flight.uses)
        if all(self.load[use] <= self.room[use[:2]] for use in flight.uses):
            return True
        self.load.subtract(flight.uses)
        return False

    def _flights(self, sender: int, receiver: int, earliest: int) -> Iterator[tuple[int, Flight]]:
        """Yield every start and flight between two processors."""
        rules, period = self.problem.rules, self.num_slots
        hop, busy = rules.router_delay + rules.link_delay, range(rules.packet_slots)
        for path in self._paths(self.home[sender], self.home[receiver]):
            for start in range(earliest, period):
                end = start + len(path) * hop + rules.router_delay
                if not rules.wrap and end + len(busy) > period:
                    break
                uses = [("in", sender, start), ("out", receiver, end)]
                uses += [("channel", self.units[channel], start + i * hop) for i, channel in enumerate(path, 1)]
                slots = tuple((kind, at, (slot + more) % period) for kind, at, slot in uses for more in busy)
                yield start, Flight(slots, end + len(busy))

    def _paths(self, start: int, end: int) -> list[tuple[int, ...]]:
        """Return all paths that meet no router twice; under minimal routing the shortest ones."""
        paths: list[tuple[int, ...]] = []
        waiting: list[tuple[tuple[int, ...], tuple[int, ...]]] = [((), (start,))]
        while waiting:
            path, met = waiting.pop()
            if met[-1] == end:
                paths.append(path)
                continue
            for channel, (tail, head) in enumerate(self.problem.network.channels.tolist()):
                if tail == met[-1] and head not in met:
                    waiting.append(((*path, channel), (*met, head)))
        shortest = min(map(len, paths))
        return [path for path in paths if self.problem.rules.routing == "any" or len(path) == shortest]
