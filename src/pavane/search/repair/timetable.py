"""A timetable of transfers that can be entered and crossed out, with the holders of messages and the used channels.

It covers private and broadcast messages; reductions are repaired backwards. Each message has come to some locations,
each by one transfer; crossing a transfer out crosses out all that was sent on from there. A transfer may carry several
messages under combining. Under tdm a step is a slot, and a transfer uses its channels and ports one after the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from pavane.model.problem import Problem
from pavane.model.schedule import Schedule, Transfer
from pavane.solvers.slot_timing import Timing
from pavane.solvers.step_table import TransferUnits

ORIGIN = -1
"""Stands for the transfer by which a message came to its origin."""


Use = tuple[int, int]
"""A unit and a step in which it is used."""


class Hop(NamedTuple):
    """A way from one location to another that starts in a step."""

    step: int
    sender: int
    receiver: int
    path: tuple[int, ...]


@dataclass
class TimetableEntry:
    """A hop in the timetable and the messages it carries."""

    hop: Hop
    messages: set[int] = field(default_factory=set)


class Timetable:
    """Transfers of at most `num_steps` steps that break no rule, but may leave messages undelivered."""

    def __init__(self, problem: Problem, num_steps: int) -> None:
        self.problem, self.num_steps = problem, num_steps
        self.timing = Timing.of(problem, num_steps)
        self.units = TransferUnits(problem)
        self.entries: dict[int, TimetableEntry] = {}
        self.taken: dict[tuple[int, int], list[int]] = {}
        """The entries that use a unit in a step."""
        self.between: dict[tuple[int, int, int], list[int]] = {}
        """The entries of a step from one location to another, for messages that may join them."""
        self.came: list[dict[int, int]] = [{origin: ORIGIN} for origin in problem.ends[:, 0].tolist()]
        """For each message the locations that hold it, and the entry that brought it."""
        self.sent: list[dict[int, set[int]]] = [{} for _ in self.came]
        self.next_number = 0

    def uses(self, hop: Hop) -> list[Use]:
        """Return the channels, links and ports that a hop uses, each with the step."""
        units, shifts = self.timing.uses(self.units.of(hop.sender, hop.receiver, hop.path), len(hop.path))
        if self.timing.period is None:
            return [(unit, hop.step + shift) for unit, shift in zip(units, shifts, strict=True)]
        return [(unit, (hop.step + shift) % self.num_steps) for unit, shift in zip(units, shifts, strict=True)]

    def arrival(self, hop: Hop) -> int:
        """Return the last step in which a hop uses its receiver's port; it is held after it."""
        return hop.step + self.timing.arrival(len(hop.path))

    def is_inside(self, hop: Hop) -> bool:
        """Return whether a hop starts in the schedule, and ends in it unless it repeats."""
        repeats = self.timing.period is not None
        return hop.step < self.num_steps and (repeats or self.arrival(hop) < self.num_steps)

    def ready(self, message: int, location: int) -> int:
        """Return the first step in which a location that holds a message can send it."""
        number = self.came[message][location]
        return 0 if number == ORIGIN else self.arrival(self.entries[number].hop) + 1

    def full_units(self, hop: Hop) -> list[list[int]]:
        """Return, for each unit on the way that has no room, the entries that use it."""
        full = []
        for use in self.uses(hop):
            users = self.taken.get(use, [])
            if len(users) >= self.units.capacity[use[0]]:
                full.append(users)
        return full

    def is_full(self, uses: list[Use]) -> bool:
        """Return whether some unit has no room in its step."""
        taken, capacity = self.taken, self.units.capacity
        return any(len(taken.get(use, ())) >= capacity[use[0]] for use in uses)

    def can_join(self, hop: Hop) -> int | None:
        """Return an entry between the same locations in the same step, where combining lets a message join it."""
        if not self.problem.rules.combining:
            return None
        return next(iter(self.between.get((hop.step, hop.sender, hop.receiver), ())), None)

    def fits(self, message: int, hop: Hop) -> bool:
        """Return whether a message can take a hop without ejecting anything."""
        holds = self.came[message]
        return (
            hop.sender in holds
            and hop.receiver not in holds
            and self.ready(message, hop.sender) <= hop.step
            and self.is_inside(hop)
            and (self._same(hop) is not None or not self.is_full(self.uses(hop)))
        )

    def _same(self, hop: Hop) -> int | None:
        """Return the entry along the very same way, which a message may join under combining."""
        if not self.problem.rules.combining:
            return None
        numbers = self.between.get((hop.step, hop.sender, hop.receiver), ())
        return next((n for n in numbers if self.entries[n].hop == hop), None)

    def enter(self, message: int, hop: Hop) -> None:
        """Enter a hop of a message; it joins an entry along the same way."""
        number = self._same(hop)
        if number is None:
            number = self.next_number
            self.next_number += 1
            self.entries[number] = TimetableEntry(hop)
            self.between.setdefault((hop.step, hop.sender, hop.receiver), []).append(number)
            for use in self.uses(hop):
                self.taken.setdefault(use, []).append(number)
        self.entries[number].messages.add(message)
        self.came[message][hop.receiver] = number
        self.sent[message].setdefault(hop.sender, set()).add(number)

    def cross_out(self, number: int) -> list[tuple[int, int]]:
        """Take an entry out, with all that depends on it; return the lost arrivals: message and location."""
        lost: list[tuple[int, int]] = []
        if number in self.entries:
            for message in sorted(self.entries[number].messages):
                self.lose(message, self.entries[number].hop.receiver, lost)
        return lost

    def lose(self, message: int, location: int, lost: list[tuple[int, int]]) -> None:
        """Take one arrival out, with all that was sent on from there."""
        number = self.came[message].pop(location)
        lost.append((message, location))
        entry = self.entries[number]
        for onward in sorted(self.sent[message].pop(location, ())):
            self.lose(message, self.entries[onward].hop.receiver, lost)
        self.sent[message].get(entry.hop.sender, set()).discard(number)
        entry.messages.discard(message)
        if not entry.messages:
            del self.entries[number]
            self.between[entry.hop.step, entry.hop.sender, entry.hop.receiver].remove(number)
            for use in self.uses(entry.hop):
                self.taken[use].remove(number)

    def dependents(self, message: int, location: int) -> int:
        """Count the arrivals that depend on an arrival."""
        onward = self.sent[message].get(location, ())
        return sum(1 + self.dependents(message, self.entries[number].hop.receiver) for number in onward)

    def chain(self, message: int, location: int) -> Iterator[int]:
        """Yield the entries that brought a message to a location, back to the origin."""
        while (number := self.came[message][location]) != ORIGIN:
            yield number
            location = self.entries[number].hop.sender

    def transfers(self) -> Iterator[Transfer]:
        """Yield the transfers of the timetable."""
        for entry in self.entries.values():
            hop = entry.hop
            yield Transfer(hop.step, hop.sender, hop.receiver, hop.path, tuple(sorted(entry.messages)))


def without_empty_steps(transfers: Iterable[Transfer]) -> Schedule:
    """Make a schedule, closing up where no transfer is left in a step."""
    rows = list(transfers)
    number = {step: index for index, step in enumerate(sorted({row.start for row in rows}))}
    return Schedule.from_transfers([row._replace(start=number[row.start]) for row in rows])
