"""The earliest end of a tiny timed problem, by branch and bound over the orders in which transfers start.

Written from the model alone. Transfers are placed one after the other, by their starts. Each starts when its data are
usable and its channels, links and ports are free after those before it; where that would be before the last start,
another order has the same schedule. Every schedule can be moved to such starts without ending later: moving a transfer
to the left and sorting again makes the sum of all starts smaller, until nothing moves.

Partial sums of a reduction leave a location once, after all that arrive there: of two that leave one after the other,
the later can carry both. Those of an allreduce contain any arrivals that have nothing in common.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from itertools import combinations
from typing import NamedTuple

from pavane.model.problem import Problem
from tests.bounds.exhaustive import TooMany, resting_places, transfer_paths
from tests.timed_checker import piece_bytes

FAR = 2**62

Data = tuple[tuple[tuple[int, ...], ...], ...]
"""What each kind of message has at each location; see the classes below."""


class Hop(NamedTuple):
    """A path that a transfer may take, between locations by number."""

    sender: int
    receiver: int
    path: tuple[int, ...]
    units: frozenset[int]
    delay: int


class State(NamedTuple):
    """What has been placed so far."""

    last: int
    """The last start."""
    end: int
    free: tuple[int, ...]
    """When each unit is free."""
    ports: tuple[tuple[int, ...], ...]
    """When each port of each processor is free: those that send, then those that receive."""
    data: Data


class Step(NamedTuple):
    """A transfer that could be next: its data are usable from `ready` on."""

    hop: Hop
    message: int
    ready: int
    content: int


def earliest_end(problem: Problem, known: int, most_tried: int = 20_000) -> int | None:
    """Return the earliest end of any schedule, or `known` if none ends before; None where that takes too many trials.

    Args:
        timed: The problem.
        known: The end of a valid schedule.
        most_tried: The most transfers that are placed.
    """
    kinds: dict[str, Callable[[Problem, int, int], _Search]] = {
        "private": _Copies,
        "broadcast": _Copies,
        "reduction": _Partials,
        "allreduce": _Sums,
    }
    try:
        return kinds[problem.pattern](problem, known, most_tried).run()
    except (TooMany, RecursionError):
        return None


class _Search(ABC):
    """The branch and bound; subclasses say what data are, and which transfers can be next."""

    def __init__(self, problem: Problem, known: int, most_tried: int) -> None:
        self.problem, self.problem, self.best, self.tries_left = problem, problem, known, most_tried
        network = self.problem.network
        self.homes = resting_places(self.problem)
        unit = list(range(network.num_channels))
        if self.problem.rules.duplex == "half":
            unit = [min(c, back) if back >= 0 else c for c, back in enumerate(network.opposite.tolist())]
        latencies = problem.timing.links.latencies.tolist()
        self.hops = [
            Hop(sender, receiver, path, frozenset(unit[c] for c in path), sum(latencies[c] for c in path))
            for sender, receiver, path in transfer_paths(self.problem, self.homes)
        ]
        sizes = [piece_bytes(problem, message) for message in range(self.problem.num_messages)]
        overheads, rates = problem.timing.links.overheads.tolist(), problem.timing.links.bandwidths.tolist()
        self.holds = {
            (hop, size): max((overheads[c] + (size * 10**12 + rates[c] - 1) // rates[c] for c in hop.path), default=0)
            for hop in self.hops
            for size in set(sizes)
        }
        self.sizes = sizes
        self.away = self._away(min(sizes, default=1))
        self.seen: set[State] = set()

    def _away(self, size: int) -> list[list[int]]:
        """Return the least time between all locations."""
        everything = range(len(self.homes))
        away = [[0 if a == b else FAR for b in everything] for a in everything]
        for hop in self.hops:
            time = self.holds[hop, size] + hop.delay
            away[hop.sender][hop.receiver] = min(away[hop.sender][hop.receiver], time)
        for via in everything:
            for a in everything:
                for b in everything:
                    away[a][b] = min(away[a][b], away[a][via] + away[via][b])
        return away

    def run(self) -> int:
        """Place transfers in every order."""
        num_ports = 0 if self.problem.rules.ports == "all" else int(self.problem.rules.ports)
        ports = ((0,) * num_ports,) * (2 * self.problem.network.num_processors)
        self._grow(State(0, 0, (0,) * self.problem.network.num_channels, ports, self.first()))
        return self.best

    def _grow(self, state: State) -> None:
        if self.is_done(state.data):
            self.best = min(self.best, state.end)
            return
        if max(state.end, self.least_end(state)) >= self.best:
            return
        if state in self.seen:
            return
        self.seen.add(state)
        later = [one for step in self.steps(state.data) if (one := self._placed(state, step)) is not None]
        for one in sorted(later, key=lambda one: (one.last, one.end)):
            self._grow(one)

    def _placed(self, state: State, step: Step) -> State | None:
        """Return the state with one more transfer; None where another order has it, or it ends too late."""
        self.tries_left -= 1
        if self.tries_left < 0:
            raise TooMany
        hop, hold = step.hop, self.holds[step.hop, self.sizes[step.message]]
        num_processors = self.problem.network.num_processors
        sides = [hop.sender] if hop.sender < num_processors else []
        sides += [num_processors + hop.receiver] if hop.receiver < num_processors else []
        takes_ports = hold > 0 and self.problem.rules.ports != "all"
        lanes = [min(state.ports[side]) for side in sides] if takes_ports else []
        start = max([step.ready, *lanes, *(state.free[unit] for unit in hop.units)])
        usable = start + hold + hop.delay
        if start < state.last or usable >= self.best:
            return None
        free = tuple(max(start, start + hold if unit in hop.units else at) for unit, at in enumerate(state.free))
        ports = list(state.ports)
        for side in sides if takes_ports else ():
            ports[side] = tuple(sorted((start + hold, *sorted(ports[side])[1:])))
        ends = tuple(tuple(max(start, at) for at in some) for some in ports)
        return State(start, max(state.end, usable), free, ends, self.after(state.data, step, usable))

    def changed(self, data: Data, message: int, location: int, value: tuple[int, ...]) -> Data:
        """Return data with another value of a message at a location."""
        row = list(data[message])
        row[location] = value
        return (*data[:message], tuple(row), *data[message + 1 :])

    @abstractmethod
    def first(self) -> Data:
        """Return the data at the beginning."""

    @abstractmethod
    def is_done(self, data: Data) -> bool:
        """Return whether everything is where it belongs."""

    @abstractmethod
    def least_end(self, state: State) -> int:
        """Return an end that no continuation is before."""

    @abstractmethod
    def steps(self, data: Data) -> Iterator[Step]:
        """Yield the transfers that could be next."""

    @abstractmethod
    def after(self, data: Data, step: Step, usable: int) -> Data:
        """Return the data after a transfer."""


class _Copies(_Search):
    """Messages that are copied or moved: data are when each is usable, and whether it has left; () is never."""

    def first(self) -> Data:
        ends = self.problem.ends.tolist()
        return tuple(tuple((0, 0) if at == label[0] else () for at in range(len(self.homes))) for label in ends)

    def wanted(self) -> Iterator[tuple[int, int]]:
        """Yield each message with each of its targets."""
        for message, label in enumerate(self.problem.ends.tolist()):
            for target in label[1:] or self.problem.collective.receivers:
                yield message, target

    def is_done(self, data: Data) -> bool:
        return all(data[message][target] for message, target in self.wanted())

    def least_end(self, state: State) -> int:
        ends = [0]
        for message, target in self.wanted():
            row = state.data[message]
            if not row[target]:
                ways = [max(state.last, at[0]) + self.away[x][target] for x, at in enumerate(row) if at]
                ends.append(min(ways))
        return max(ends)

    def steps(self, data: Data) -> Iterator[Step]:
        is_private = self.problem.pattern == "private"
        is_whole = is_private and self.problem.rules.switching == "wormhole"
        for message, label in enumerate(self.problem.ends.tolist()):
            for hop in self.hops:
                here, there = data[message][hop.sender], data[message][hop.receiver]
                if not here or there or (is_private and (here[1] or hop.sender == label[1])):
                    continue
                if not is_whole or [hop.sender, hop.receiver] == label:
                    yield Step(hop, message, here[0], 0)

    def after(self, data: Data, step: Step, usable: int) -> Data:
        if self.problem.pattern == "private":
            data = self.changed(data, step.message, step.hop.sender, (step.ready, 1))
        return self.changed(data, step.message, step.hop.receiver, (usable, 0))


class _Partials(_Search):
    """Partial sums that move: data are the contributions at a location, when they are usable, and whether they left."""

    def first(self) -> Data:
        members = self.problem.collective.senders
        row = tuple((1 << at if at in members else 0, 0, 0) for at in range(len(self.homes)))
        # A target may have a contribution of its own, or none.
        return (row,) * self.problem.num_messages

    def is_done(self, data: Data) -> bool:
        whole = sum(1 << member for member in self.problem.collective.senders)
        targets = self.problem.ends[:, 0].tolist()
        own = [1 << target & whole for target in targets]
        return all(data[m][target][0] | own[m] == whole for m, target in enumerate(targets))

    def least_end(self, state: State) -> int:
        ends = [0]
        for row, (target,) in zip(state.data, self.problem.ends.tolist(), strict=True):
            for location, (content, usable, has_left) in enumerate(row):
                if content and not has_left and location != target:
                    ends.append(max(state.last, usable) + self.away[location][target])
        return max(ends)

    def steps(self, data: Data) -> Iterator[Step]:
        for message, (target,) in enumerate(self.problem.ends.tolist()):
            for hop in self.hops:
                content, usable, has_left = data[message][hop.sender]
                if content and not has_left and hop.sender != target and not data[message][hop.receiver][2]:
                    yield Step(hop, message, usable, content)

    def after(self, data: Data, step: Step, usable: int) -> Data:
        data = self.changed(data, step.message, step.hop.sender, (0, 0, 1))
        content, before, _ = data[step.message][step.hop.receiver]
        return self.changed(data, step.message, step.hop.receiver, (content | step.content, max(before, usable), 0))


class _Sums(_Search):
    """Sums of an allreduce: data are the contents of all arrivals at a location, each with when it is usable."""

    def first(self) -> Data:
        return (((),) * len(self.homes),) * self.problem.num_messages

    def own(self, location: int) -> int:
        """Return the contribution of a location."""
        return 1 << location if location in self.problem.collective.senders else 0

    def is_complete(self, row: tuple[tuple[int, ...], ...], member: int) -> bool:
        """Return whether a member has the sum: of its own and all that came and that nothing else contains."""
        whole = sum(self.own(other) for other in self.problem.collective.senders)
        came = set(row[member][::2])
        contents = [one for one in came if not any(one != other and one | other == other for other in came)]
        union = 0
        for content in contents:
            union |= content
        # A sum of numbers without common bits is their union.
        return union == sum(contents) and union | self.own(member) == whole

    def is_done(self, data: Data) -> bool:
        return all(self.is_complete(row, member) for row in data for member in self.problem.collective.senders)

    def least_end(self, state: State) -> int:
        members, ends = self.problem.collective.senders, [0]
        for row in state.data:
            for member in members:
                if not self.is_complete(row, member):
                    into = [self.away[x][member] for x in range(len(self.homes)) if x != member]
                    ends.append(state.last + min(into))
                    known = self.own(member)
                    for content in row[member][::2]:
                        known |= content
                    # A contribution that nothing has brought comes from where it is, or is on its way to.
                    ends += [
                        min(
                            [max(state.last, at) + self.away[x][member] for x, at in self._holders(row, other)],
                            default=FAR,
                        )
                        for other in members
                        if not self.own(other) & known
                    ]
        return max(ends)

    def _holders(self, row: tuple[tuple[int, ...], ...], member: int) -> Iterator[tuple[int, int]]:
        """Yield where a contribution is, and when it is usable there."""
        yield member, 0
        for location, arrivals in enumerate(row):
            for content, usable in zip(arrivals[::2], arrivals[1::2], strict=True):
                if content & self.own(member):
                    yield location, usable

    def steps(self, data: Data) -> Iterator[Step]:
        for message, row in enumerate(data):
            for location, arrivals in enumerate(row):
                sums = dict(self._sums(location, list(zip(arrivals[::2], arrivals[1::2], strict=True))))
                for hop in self.hops:
                    if hop.sender == location:
                        fresh = {c: at for c, at in sums.items() if c not in row[hop.receiver][::2]}
                        yield from (Step(hop, message, at, content) for content, at in fresh.items())

    def _sums(self, location: int, arrivals: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
        """Yield what a location can send: contents and when they are usable, the earliest of alike ones last."""
        found = []
        for size in range(len(arrivals) + 1):
            for some in combinations(arrivals, size):
                contents = [content for content, _ in some]
                union = 0
                for content in contents:
                    union |= content
                if union == sum(contents) and union | self.own(location):
                    found.append((union | self.own(location), max((at for _, at in some), default=0)))
        yield from sorted(found, key=lambda one: -one[1])

    def after(self, data: Data, step: Step, usable: int) -> Data:
        arrivals = data[step.message][step.hop.receiver]
        pairs = sorted([*zip(arrivals[::2], arrivals[1::2], strict=True), (step.content, usable)])
        flat = tuple(number for pair in pairs for number in pair)
        return self.changed(data, step.message, step.hop.receiver, flat)
