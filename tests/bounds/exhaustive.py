"""The true optimum of a tiny problem, by trying everything: breadth-first over who holds what.

Written from the model alone. In each step every set of transfers that fits is tried. Copies are never a burden, so of
two states the one that holds less is dropped; under combining a transfer then carries all that its sender holds.
Partial results of reductions move and are followed one by one.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

from pavane.model.problem import Problem
from tests.checker import ORDERS, turn_fault

State = tuple[int, ...]
"""For each location the messages that it holds, as bits; for reductions see `Partials`."""

Partials = tuple[State, ...]
"""For each message and location the contributions that lie there, as bits."""


class TooMany(Exception):
    """The search has grown beyond what it was allowed."""


class Move(NamedTuple):
    """A way from one location to another: locations by number, the channels' units as a sum of bytes."""

    sender: int
    receiver: int
    units: int
    """One in the byte of each unit that it takes, so that the loads of a step are the sum of its moves."""
    room: int
    """How many transfers it could make in a step, by its channels."""


class Action(NamedTuple):
    """A move that carries messages, as bits."""

    move: Move
    carried: int


@lru_cache(maxsize=8)  # it is asked for every bound of a problem
def fewest_steps(problem: Problem, most_tried: int = 20_000) -> int | None:
    """Return the least number of steps of any schedule; None where that takes too many trials."""
    try:
        return _Search(problem, most_tried).run()
    except TooMany:
        return None


def simple_paths(problem: Problem, start: int, end: int) -> Iterator[tuple[int, ...]]:
    """Yield every path between two routers that meets no router twice, as channels."""
    channels = list(enumerate(problem.network.channels.tolist()))

    def grow(path: tuple[int, ...], met: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if met[-1] == end:
            yield path
            return
        for channel, (tail, head) in channels:
            if tail == met[-1] and head not in met:
                yield from grow((*path, channel), (*met, head))

    return grow((), (start,))


def admissible_paths(problem: Problem, start: int, end: int) -> list[tuple[int, ...]]:
    """List the paths between two routers that the routing admits."""
    paths = list(simple_paths(problem, start, end))
    if problem.rules.routing in ORDERS:
        heads = problem.network.heads.tolist()
        return [path for path in paths if not turn_fault(problem, [start, *(heads[channel] for channel in path)])]
    if problem.rules.routing == "minimal" and paths:
        shortest = min(len(path) for path in paths)
        paths = [path for path in paths if len(path) == shortest]
    return paths


def resting_places(problem: Problem) -> list[int]:
    """Return the router of each location: of the processors, then of the switches where messages rest."""
    homes: list[int] = problem.network.router_of.tolist()
    if problem.rules.switching == "store-and-forward" and problem.rules.switches == "hold":
        homes += [router for router in range(problem.network.num_routers) if router not in homes]
    return homes


def transfer_paths(problem: Problem, homes: list[int]) -> Iterator[tuple[int, int, tuple[int, ...]]]:
    """Yield every path that a transfer may take, with the locations at its ends."""
    channels = problem.network.channels.tolist()
    stored = problem.rules.switching == "store-and-forward"
    for sender, start in enumerate(homes):
        for receiver, end in enumerate(homes):
            if sender == receiver:
                continue
            paths: list[tuple[int, ...]]
            if stored and problem.rules.switches != "hold":
                listed = admissible_paths if problem.rules.routing == "minimal" else simple_paths
                paths = [
                    path
                    for path in listed(problem, start, end)
                    if not set(homes) & {channels[channel][1] for channel in path[:-1]}
                ]
            elif stored:
                paths = [(c,) for c, ends in enumerate(channels) if ends == [start, end]]
                paths += [()] * (start == end)
            else:
                paths = admissible_paths(problem, start, end)
            yield from ((sender, receiver, path) for path in sorted(set(paths)))


class _Search:
    def __init__(self, problem: Problem, most_tried: int) -> None:
        self.problem, self.tries_left = problem, most_tried
        network = problem.network
        homes = resting_places(problem)
        self.num_processors = network.num_processors
        self.homes = homes
        self.unit = [1 << 8 * channel for channel in range(network.num_channels)]
        self.carries = [1] * network.num_channels if network.capacities is None else network.capacities.tolist()
        # A byte that holds more than its unit carries gets its highest bit when this is added.
        self.slack = sum((127 - most) << 8 * channel for channel, most in enumerate(self.carries))
        self.overflow = sum(128 << 8 * channel for channel in range(network.num_channels))
        if problem.rules.duplex == "half":
            for channel, back in enumerate(network.opposite.tolist()):
                if 0 <= back < channel:
                    self.unit[channel] = self.unit[back]
        self.moves = list(self._moves())
        self.out, self.into = (
            [
                1000
                if location >= self.num_processors
                else problem.rules.ports
                if problem.rules.ports != "all"
                else sum(
                    most
                    for ends, most in zip(network.channels.tolist(), self.carries, strict=True)
                    if ends[side] == homes[location]
                )
                for location in range(len(homes))
            ]
            for side in (0, 1)
        )

    def _moves(self) -> Iterator[Move]:
        for sender, receiver, path in transfer_paths(self.problem, self.homes):
            room = min((self.carries[c] for c in path), default=1000)
            yield Move(sender, receiver, sum(self.unit[c] for c in path), room)

    def has_room(self, used: int, units: int) -> bool:
        """Whether the units can carry one more, beside what is used."""
        return not (used + units + self.slack) & self.overflow

    def wants(self) -> State:
        """Return what every location must hold in the end."""
        wanted = [0] * len(self.homes)
        for message, label in enumerate(self.problem.ends.tolist()):
            for target in label[1:] or [r for r in self.problem.collective.receivers if r != label[0]]:
                wanted[target] |= 1 << message
        return tuple(wanted)

    def first(self) -> State:
        """Return what every location holds in the beginning."""
        labels = self.problem.ends.tolist()
        return tuple(sum(1 << m for m, label in enumerate(labels) if label[0] == p) for p in range(len(self.homes)))

    def run(self) -> int:
        """Go step by step until some state has everything where it belongs."""
        labels = self.problem.ends.tolist()
        if self.problem.pattern == "reduction":
            senders = self.problem.collective.senders
            alone = tuple(1 << location if location in senders else 0 for location in range(len(self.homes)))
            start: Partials = (alone,) * len(labels)
            everyone = sum(1 << sender for sender in senders)
            steps, partials = 0, {start}
            while not any(all(state[m][r] == everyone for m, (r,) in enumerate(labels)) for state in partials):
                steps, partials = steps + 1, {later for state in partials for later in self.reduced(state)}
            return steps
        if self.problem.pattern == "allreduce":
            return self.run_sums()
        wanted = self.wants()
        steps, states = 0, {self.first()}
        while not any(all(w & ~s == 0 for w, s in zip(wanted, state, strict=True)) for state in states):
            steps, states = steps + 1, self.largest({later for state in states for later in self.copied(state)})
        return steps

    def run_sums(self) -> int:
        """Go step by step until in some state every member has all contributions to every piece."""
        members = self.problem.collective.senders
        alone = tuple(1 << location if location in members else 0 for location in range(len(self.homes)))
        everyone = sum(1 << member for member in members)
        steps, sums = 0, {(alone,) * self.problem.num_messages}
        while not any(all(row[member] == everyone for row in state for member in members) for state in sums):
            steps, sums = steps + 1, {later for state in sums for later in self.summed(state)}
        return steps

    def largest(self, states: set[State]) -> set[State]:
        """Drop states that hold no more than another."""
        ordered = sorted(states, key=lambda state: -sum(row.bit_count() for row in state))
        kept: list[State] = []
        for state in ordered:
            if not any(all(a & ~b == 0 for a, b in zip(state, other, strict=True)) for other in kept):
                kept.append(state)
            self.tries_left -= len(kept) // 8
            if self.tries_left < 0:
                raise TooMany
        return set(kept)

    def count_a_try(self) -> None:
        """Give up after too many."""
        self.tries_left -= 1
        if self.tries_left < 0:
            raise TooMany

    def fitting(self, actions: list[Action], at: int, used: int, ports: tuple[int, ...]) -> Iterator[list[Action]]:
        """Yield every set of the actions from number `at` on that no channel or port is too narrow for."""
        self.count_a_try()
        if at == len(actions):
            yield []
            return
        (sender, receiver, units, _), _ = actions[at]
        size = len(self.homes)
        has_port = ports[sender] < self.out[sender] and ports[size + receiver] < self.into[receiver]
        if has_port and self.has_room(used, units):
            more = list(ports)
            more[sender] += 1
            more[size + receiver] += 1
            for others in self.fitting(actions, at + 1, used + units, tuple(more)):
                yield [actions[at], *others]
        yield from self.fitting(actions, at + 1, used, ports)

    def actions(self, state: State) -> list[Action]:
        """List what may be sent where it is not yet, where copies stay."""
        rules, labels = self.problem.rules, self.problem.ends.tolist()
        actions = []
        for move in self.moves:
            fresh = state[move.sender] & ~state[move.receiver]
            if rules.combining:
                actions += [Action(move, fresh)] if fresh else []
                continue
            for message, label in enumerate(labels):
                direct = rules.switching == "wormhole" and self.problem.pattern == "private"
                if fresh >> message & 1 and (not direct or [move.sender, move.receiver] == label):
                    actions.append(Action(move, 1 << message))
        return actions

    def loads(self, messages: list[int]) -> Iterator[int]:
        """Yield what a transfer may carry of some messages, as bits: one of them, or under combining any of them."""
        for size in range(1, len(messages) + 1 if self.problem.rules.combining else 2):
            for some in combinations(messages, size):
                self.count_a_try()
                yield sum(1 << message for message in some)

    def copied(self, state: State) -> Iterator[State]:
        """Yield the states after one more step, where copies stay."""
        actions = self.actions(state)
        for chosen in self.fitting(actions, 0, 0, (0,) * (2 * len(self.homes))):
            rows = list(state)
            for move, carried in chosen:
                rows[move.receiver] |= carried
            yield tuple(rows)

    def summed(self, state: Partials) -> Iterator[Partials]:
        """Yield the states after one more step, where running sums grow."""
        actions = []
        for move in self.moves:
            # What brings nothing new is refused, and what has only a part of the sum there counts that twice.
            useful = [
                m
                for m, row in enumerate(state)
                if row[move.sender] & ~row[move.receiver]
                and row[move.sender] & row[move.receiver] in (0, row[move.receiver])
            ]
            actions += [Action(move, load) for load in self.loads(useful)]
        size, ports = len(self.homes), [0] * (2 * len(self.homes))
        brought = [[0] * size for _ in state]

        def grow(at: int, used: int) -> Iterator[Partials]:
            self.count_a_try()
            if at == len(actions):
                # All pieces are alike: their order says nothing.
                rows = zip(state, brought, strict=True)
                yield tuple(sorted(tuple(a | b for a, b in zip(*row, strict=True)) for row in rows))
                return
            yield from grow(at + 1, used)
            (sender, receiver, units, _), load = actions[at]
            carried = [(m, state[m][sender]) for m in range(len(state)) if load >> m & 1]
            has_port = ports[sender] < self.out[sender] and ports[size + receiver] < self.into[receiver]
            # Nothing that arrives in a step counts twice.
            is_new = not any(brought[m][receiver] & one for m, one in carried)
            if has_port and is_new and self.has_room(used, units):
                for more in (1, -1):
                    ports[sender] += more
                    ports[size + receiver] += more
                    for m, one in carried:
                        brought[m][receiver] ^= one
                    if more == 1:
                        yield from grow(at + 1, used + units)

        yield from grow(0, 0)

    def reduced(self, state: Partials) -> Iterator[Partials]:
        """Yield the states after one more step, where partial results move."""
        actions = []
        for move in self.moves:
            here = [m for m in range(len(state)) if state[m][move.sender]]
            actions += [Action(move, load) for load in self.loads(here)]
        for chosen in self.fitting(actions, 0, 0, (0,) * (2 * len(self.homes))):
            rows = [list(row) for row in state]
            sent: set[tuple[int, int]] = set()
            twice = False
            for move, carried in chosen:
                for message in range(len(state)):
                    if carried >> message & 1:
                        twice |= (message, move.sender) in sent
                        sent.add((message, move.sender))
                        rows[message][move.sender] &= ~state[message][move.sender]
            for move, carried in chosen:
                for message in range(len(state)):
                    if carried >> message & 1:
                        rows[message][move.receiver] |= state[message][move.sender]
            if not twice:
                yield tuple(tuple(row) for row in rows)
