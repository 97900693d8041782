"""The constraint program of "is there a schedule of S steps?", as far as it does not matter how transfers run.

Its variables say which message arrives at which location in which step. A location is a processor p >= 0 or, under
store-and-forward, a pure switch r written as ~r, unless switches pass. A private wormhole message arrives at its target
and nowhere else; every other message may rest at any location, member or not.

How the arrivals come about is said by the paths (`paths`) or flows (`flows`) built on top. They enter what
they use of every unit of capacity; then the program is closed by the capacities and by rows that follow from the lower
bounds. Those rows are redundant, but a search that branches on single transfers would count for ever without them.

Under tdm a step is a slot, and a message arrives in the last slot in which it uses its receiver's port.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from pavane.bounds.cut_loads import RouterCut, arriving, entering, leaving
from pavane.bounds.growth import informed
from pavane.bounds.prices import bought, price_list, sold_per_step
from pavane.bounds.slots import as_steps
from pavane.model.bound import Bound
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule, Transfer
from pavane.model.switch_hops import steps_from
from pavane.parallel.budget import Budget

Location = int
Unit = int
"""A channel's unit of capacity; then the injection of each processor; then the ejection of each."""
Literal = Any
"""A variable of the program, or its negation; CP-SAT comes without types."""


class OutOfTime(Exception):
    """The deadline passed while the program was being written down."""


@dataclass(frozen=True)
class Journey:
    """One message: where it starts, where it must get, and in which steps it may arrive at each location."""

    origin: Location
    targets: frozenset[Location]
    windows: dict[Location, range]

    def senders(self, num_steps: int) -> Iterator[tuple[Location, range]]:
        """Yield the locations that may send the message, and in which steps."""
        yield self.origin, range(num_steps)
        for location, window in self.windows.items():
            if window:
                yield location, range(window.start + 1, num_steps)


class ScheduleProgram:
    """The arrivals of messages at locations, in `num_steps` steps."""

    def __init__(self, problem: Problem, num_steps: int, bounds: Sequence[Bound], budget: Budget) -> None:
        """Write down the messages of a problem."""
        from ortools.sat.python import cp_model

        self.problem, self.num_steps, self.bounds, self.budget = problem, num_steps, bounds, budget
        network = problem.network
        self.model: Any = cp_model.CpModel()
        self.is_stored = problem.rules.switching == "store-and-forward"
        self.has_slots = problem.rules.has_slots
        self.busy = problem.rules.packet_slots
        """For how many steps a transfer uses each unit; 1 unless slots are counted."""
        self.loads = as_steps(problem) if self.has_slots else problem
        """The problem that the bounds are about."""
        self.router_of: dict[Location, int] = dict(enumerate(network.router_of.tolist()))
        self.passes = problem.is_switch & problem.passes_switches
        """Which routers are switches where nothing rests under store-and-forward."""
        if self.is_stored and not problem.passes_switches:
            self.router_of |= {~router: router for router, there in enumerate(network.processors_on) if not there}
        self.capacity = network.capacity.tolist() + problem.injection.tolist() + problem.ejection.tolist()
        self.channel_unit: list[Unit] = problem.units.tolist()
        self.journeys = list(_journeys(problem, num_steps, self.router_of))
        self.uses: dict[tuple[Unit, int], list[Literal]] = {}
        self.arrives: dict[tuple[int, Location, int], Literal] = {}
        self.holds: dict[tuple[int, Location, int], Literal] = {}
        """Whether a location has a message when a step begins; an origin always has, and is not listed."""
        for message, journey in enumerate(self.journeys):
            self.check_time()
            for location, window in journey.windows.items():
                self._arrive_once(message, location, window)
                self._hold_after_arrival(message, location, window)
            self._grow(message, journey)
            if problem.pattern == "private" and self.is_stored:
                self._stay_together(message, journey)

    def check_time(self) -> None:
        """Give up if the deadline has passed."""
        if self.budget.is_over:
            raise OutOfTime

    def injection(self, processor: int) -> Unit:
        """Return the unit of a processor's injection."""
        return self.problem.network.num_channels + processor

    def ejection(self, processor: int) -> Unit:
        """Return the unit of a processor's ejection."""
        return self.problem.network.num_channels + self.problem.network.num_processors + processor

    def use(self, unit: Unit, step: int, literal: Literal) -> None:
        """Enter that a variable, if set, uses a unit from a step on; a table that repeats is entered again in front."""
        for busy in range(step, step + self.busy):
            self.uses.setdefault((unit, busy % self.num_steps), []).append(literal)

    def start(self, arrival: int, num_channels: int) -> int:
        """Return the step in which a transfer along so many channels starts in order to arrive in a step."""
        rules = self.problem.rules
        if not self.has_slots:
            return arrival
        start: int = arrival - rules.flight(num_channels) - self.busy + 1
        return start % self.num_steps if rules.wrap else start

    def close(self) -> None:
        """Add the rows that need to know all uses."""
        self._respect_capacities()
        for weights, spare in self._bounded():
            self.check_time()
            self.waste_little(weights, spare)

    # -- messages

    def _arrive_once(self, message: int, location: Location, window: range) -> None:
        """A target gets a message exactly once, any other location at most once."""
        arrivals = [self.model.new_bool_var("") for _ in window]
        for step, arrival in zip(window, arrivals, strict=True):
            self.arrives[message, location, step] = arrival
            if location >= 0:
                self.use(self.ejection(location), step - self.busy + 1, arrival)
        if location in self.journeys[message].targets:
            self.model.add_exactly_one(arrivals)
        else:
            self.model.add_at_most_one(arrivals)

    def _hold_after_arrival(self, message: int, location: Location, window: range) -> None:
        """A location has a message from the step after its arrival on."""
        held: Literal = None
        for step in range(window.start, self.num_steps - 1):
            if step in window:
                arrival = self.arrives[message, location, step]
                if held is None:
                    held = arrival
                else:
                    before, held = held, self.model.new_bool_var("")
                    self.model.add_exactly_one(before, arrival, ~held)
            if held is not None:
                self.holds[message, location, step + 1] = held

    def _stay_together(self, message: int, journey: Journey) -> None:
        """A private message is in one location at a time: copies beside its way are useless."""
        for step in range(self.num_steps):
            self.model.add_at_most_one(self.arrives[message, p, step] for p, w in journey.windows.items() if step in w)

    def _grow(self, message: int, journey: Journey) -> None:
        """A broadcast message spreads by the ports of those that have it, at most (gecco07 eq. (4)), from both ends."""
        if self.problem.pattern != "broadcast" or self.has_slots or self.problem.has_trees:
            return  # in slots it spreads more slowly, by how long paths take, and trees spread over all at once
        wanted = len(journey.targets)
        most = informed(self.problem, journey.origin, wanted)
        factor = 1 + max(self.capacity[self.injection(p)] for p in range(self.problem.network.num_processors))
        if self.is_stored:
            factor = max(factor, 1 + int(self.problem.network.out_degrees.max(initial=0)))
        for step in range(1, self.num_steps):
            others = [self.holds[message, p, step] for p in journey.windows if (message, p, step) in self.holds]
            least = -(-(wanted + 1) // factor ** (self.num_steps - step)) - 1
            most_others = most[step] - 1 if step < len(most) else len(others)
            if least > 0 or most_others < len(others):
                self.model.add_linear_constraint(sum(others), max(least, 0), max(most_others, 0))

    # -- pieces

    @property
    def alike(self) -> Iterator[tuple[int, int]]:
        """Yield pieces of one message, each with the next: they are interchangeable."""
        if self.problem.has_pieces:
            ends = self.problem.ends
            yield from ((piece, piece + 1) for piece in np.flatnonzero((ends[1:] == ends[:-1]).all(axis=1)).tolist())

    def farthest(self, message: int) -> Location:
        """Return the target that a message reaches last if it goes straight on."""
        journey = self.journeys[message]
        return max(journey.targets, key=lambda target: (journey.windows[target].start, target))

    def order_pieces(self) -> None:
        """Pieces of one message may exchange their ways, so that they come to one of its targets in order.

        That goes together with the order of steps: of all ways to number steps and pieces the one that comes first when
        pieces are compared by their steps, one after the other, has both.
        """
        for piece, following in self.alike:
            target = self.farthest(piece)
            window = self.journeys[piece].windows[target]
            for step in window:
                arrivals = [self.arrives[piece, target, earlier] for earlier in window if earlier <= step]
                self.model.add_bool_or(~self.arrives[following, target, step], *arrivals)

    # -- steps

    def order_steps(self, forced: Sequence[frozenset[Unit]]) -> None:
        """Private wormhole messages may exchange steps, so steps are numbered as messages first appear in them.

        The messages that all need the unit with the least room come first: where it takes one at a time, this gives
        each of them its own step. `forced` lists the units that each message needs whichever way it goes.
        """
        needed_by: dict[Unit, list[int]] = {}
        for message, units in enumerate(forced):
            for unit in sorted(units):
                needed_by.setdefault(unit, []).append(message)
        tightest = max(needed_by, key=lambda unit: (len(needed_by[unit]) / self.capacity[unit], -unit))
        ordered = needed_by[tightest] + [m for m in range(len(forced)) if tightest not in forced[m]]
        for number, message in enumerate(ordered[: self.num_steps]):
            for step in range(self.num_steps):
                arrival = self._direct(message, step)
                if step > number:
                    self.model.add(arrival == 0)
                elif step:
                    earlier = [self._direct(other, step - 1) for other in ordered[:number]]
                    self.model.add_bool_or(~arrival, *earlier)

    def fix_rotation(self) -> None:
        """A table that repeats may be rotated, so that the first message arrives in slot 0."""
        self.model.add(self._direct(0, 0) == 1)

    def _direct(self, message: int, step: int) -> Literal:
        (target,) = self.journeys[message].targets
        return self.arrives[message, target, step]

    # -- capacities and bounds

    def _respect_capacities(self) -> None:
        """No channel, link or port carries more in a step than its capacity."""
        for (unit, step), uses in self.uses.items():
            self.check_time()
            idle = self.idle[unit][step]
            if self.capacity[unit] == 1:
                self.model.add_exactly_one(*uses, idle)
            else:
                self.model.add(sum(uses) + idle == self.capacity[unit])

    @cached_property
    def idle(self) -> list[list[Literal]]:
        """What is left unused of every unit in every step."""
        return [[self.model.new_int_var(0, room, "") for _ in range(self.num_steps)] for room in self.capacity]

    def waste_little(self, weights: dict[Unit, int], spare: int, wasted: Literal = 0) -> None:
        """A bound says how much of its units must be used over all steps; so only the rest may stay idle.

        `wasted` is what messages use of it beyond their need.
        """
        room = sum(weight * self.capacity[unit] for unit, weight in weights.items()) * self.num_steps
        if spare < room:
            idle = sum(weight * idle for unit, weight in weights.items() for idle in self.idle[unit])
            self.model.add(idle + wasted <= spare)

    def _bounded(self) -> Iterator[tuple[dict[Unit, int], int]]:
        """Yield what the lower bounds count: units by weight, and how much of them may stay idle."""
        problem, network = self.loads, self.problem.network
        if problem.pattern == "private":
            for bound in self.bounds:
                if "channels" in bound.certificate:
                    yield self._priced(bound)
            return
        sides = [np.arange(network.num_routers) == router for router in range(network.num_routers)]
        proven = [bound.certificate["routers"] for bound in self.bounds if "routers" in bound.certificate]
        sides += [np.isin(np.arange(network.num_routers), routers) for routers in proven]
        for inside in sides:
            for side in (inside, ~inside):
                yield self._cut(leaving(problem, side), self._leaving_units(side))
        yield self._cut(entering(problem), set(self.channel_unit))
        for receiver in problem.collective.receivers:
            yield self._cut(arriving(problem, receiver), {self.ejection(receiver)})

    def _priced(self, bound: Bound) -> tuple[dict[Unit, int], int]:
        prices = price_list(self.loads, bound.certificate)
        weights: dict[Unit, int] = {}
        for channel, price in enumerate(prices.channels.tolist()):
            unit = self.channel_unit[channel]
            weights[unit] = max(price, weights.get(unit, 0))
        for processor, (out, back) in enumerate(zip(prices.injection, prices.ejection, strict=True)):
            weights[self.injection(processor)] = int(out)
            weights[self.ejection(processor)] = int(back)
        spare = self.num_steps * sold_per_step(self.loads, prices) - bought(self.loads, prices)
        return {unit: weight for unit, weight in weights.items() if weight}, spare

    def _leaving_units(self, inside: npt.NDArray[np.bool_]) -> set[Unit]:
        tails, heads = inside[self.problem.network.tails], inside[self.problem.network.heads]
        crossing = (tails & ~heads) | (heads & ~tails & (self.problem.rules.duplex == "half"))
        return set(self.problem.units[crossing].tolist())

    def _cut(self, cut: RouterCut, units: set[Unit]) -> tuple[dict[Unit, int], int]:
        return dict.fromkeys(sorted(units), 1), self.num_steps * cut.per_step - cut.num_messages


def _journeys(problem: Problem, num_steps: int, router_of: dict[Location, int]) -> Iterator[Journey]:
    """Yield the messages in order; no window is wider than the way from the origin and to a target allows."""
    network, rules = problem.network, problem.rules
    distances = network.distances
    if problem.passes_switches:
        distances = np.stack([steps_from(problem, router) for router in range(network.num_routers)])
    direct = problem.pattern == "private" and rules.runs_whole_paths

    def hops(start: Location, end: Location) -> int:
        """Return the least number of steps from location to location; as many as there are where there is no way."""
        distance = int(distances[router_of[start], router_of[end]])
        if distance < 0:
            return num_steps
        if rules.has_slots:
            return 1 if rules.wrap else rules.flight(distance) + rules.packet_slots
        return max(distance, 1) if rules.switching == "store-and-forward" else 1

    for label in problem.ends.tolist():
        origin = label[0]
        targets = frozenset(label[1:] or problem.collective.receivers) - {origin}
        windows = {}
        for location in router_of:
            if location == origin or (direct and location not in targets):
                continue
            ahead = 0 if location in targets else min(hops(location, target) for target in targets)
            window = range(hops(origin, location) - 1, num_steps - ahead)
            if window or location in targets:
                windows[location] = window
        yield Journey(origin, targets, windows)


def schedule_of(program: ScheduleProgram, transfers: Sequence[Transfer]) -> Schedule:
    """Make a schedule of the transfers that lead to a target in the end, without steps that do nothing; slots stay.

    A copy that is neither wanted nor sent on does no harm to a broadcast, but read backwards it would be a partial
    result that comes from nowhere.
    """
    useful = {(message, target) for message, journey in enumerate(program.journeys) for target in journey.targets}
    kept = []
    for transfer in sorted(transfers, key=lambda transfer: -transfer.start):
        (message,) = transfer.messages
        if (message, transfer.receiver) in useful:
            useful.add((message, transfer.sender))
            kept.append(transfer)
    if program.has_slots:
        return Schedule.from_transfers(kept, program.num_steps)
    steps = {step: number for number, step in enumerate(sorted({transfer.start for transfer in kept}))}
    return Schedule.from_transfers(transfer._replace(start=steps[transfer.start]) for transfer in kept)
