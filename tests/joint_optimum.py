"""The true optimum of a tiny problem of several collectives at once, by trying everything.

Written from the model and the second judge alone, as `tests.tree_optimum` is: of each message of each collective every
set of transfers that a step may have is listed with what the judge counts of channels and ports, and the sets of all
messages share a step if their counts fit together. Partial results of reductions move, forwards in time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import product
from typing import NamedTuple

from pavane.model.problem import Problem
from pavane.model.schedule import Transfer
from tests.bounds.exhaustive import TooMany, resting_places, transfer_paths
from tests.checker import all_uses, links

Row = tuple[int, ...]
"""Of one message what each location has, as bits: 1 for a copy, or the contributions in a sum."""
Uses = Counter[tuple[str, int]]

MOST_SETS = 2_000
"""Sets of transfers of one message in a step."""


def fewest_joint_steps(problem: Problem, most_tried: int) -> int | None:
    """Return the least number of steps of any schedule of all; None where that takes too many trials."""
    try:
        return _JointOptimum(problem, most_tried).run()
    except TooMany:
        return None


class _Message(NamedTuple):
    """A message: its collective, its ends, and whether copies of it stay where they are sent from."""

    part: int
    label: tuple[int, ...]
    stays: bool


class _JointOptimum:
    def __init__(self, problem: Problem, most_tried: int) -> None:
        self.problem, self.parts, self.tries_left = problem, problem.parts, most_tried
        self.homes = resting_places(self.parts[0])
        self.size = problem.network.num_processors
        self.ways: dict[tuple[int, int], list[tuple[int, ...]]] = {}
        for sender, receiver, path in transfer_paths(self.parts[0], self.homes):
            self.ways.setdefault((sender, receiver), []).append(path)
        self.most = self._limits()
        self.pairs = links(self.parts[0]) if problem.rules.duplex == "half" else ()
        self.messages = [
            _Message(number, tuple(label), part.pattern in ("private", "broadcast"))
            for number, part in enumerate(self.parts)
            for label in part.ends.tolist()
        ]
        self.options = cache(self._options)

    def _limits(self) -> Uses:
        """Return what channels and ports carry in a step."""
        network, ports = self.problem.network, self.problem.rules.ports
        carries = [1] * network.num_channels if network.capacities is None else network.capacities.tolist()
        most = Counter({("channel", channel): room for channel, room in enumerate(carries)})
        for side, kind in enumerate(("sends", "receives")):
            for processor, home in enumerate(network.router_of.tolist()):
                rooms = zip(network.channels.tolist(), carries, strict=True)
                degree = sum(room for ends, room in rooms if ends[side] == home)
                most[kind, processor] = degree if ports == "all" else ports
        return most

    def run(self) -> int:
        """Go step by step until in some state everything is where it belongs."""
        steps, states = 0, {tuple(self._first(message) for message in self.messages)}
        while not any(self._is_done(state) for state in states):
            steps, states = steps + 1, self._largest({later for state in states for later in self._later(state)})
        return steps

    def _first(self, message: _Message) -> Row:
        members = self.parts[message.part].collective.senders
        if message.stays:
            return tuple(int(p == message.label[0]) for p in range(len(self.homes)))
        return tuple(1 << p if p in members else 0 for p in range(len(self.homes)))

    def _is_done(self, state: tuple[Row, ...]) -> bool:
        for message, row in zip(self.messages, state, strict=True):
            part = self.parts[message.part]
            collective, everyone = part.collective, sum(1 << p for p in part.collective.senders)
            if part.pattern == "private":
                goal = {message.label[1]: 1}
            elif part.pattern == "broadcast":
                goal = dict.fromkeys(collective.receivers, 1)
            elif part.pattern == "reduction":
                goal = {message.label[0]: everyone}
            else:
                goal = dict.fromkeys(collective.senders, everyone)
            if any(row[p] != wanted for p, wanted in goal.items()):
                return False
        return True

    def _largest(self, states: set[tuple[Row, ...]]) -> set[tuple[Row, ...]]:
        """Drop states that have the same sums as another, and no more copies."""
        kept: list[tuple[Row, ...]] = []
        for state in sorted(states, key=lambda one: -sum(map(sum, one))):
            self._count_tries(1 + len(kept) // 8)
            if not any(self._is_covered(state, other) for other in kept):
                kept.append(state)
        return set(kept)

    def _is_covered(self, state: tuple[Row, ...], other: tuple[Row, ...]) -> bool:
        rows = zip(self.messages, state, other, strict=True)
        return all(a == b or (m.stays and all(x <= y for x, y in zip(a, b, strict=True))) for m, a, b in rows)

    def _count_tries(self, number: int) -> None:
        self.tries_left -= number
        if self.tries_left < 0:
            raise TooMany

    def _later(self, state: tuple[Row, ...]) -> Iterator[tuple[Row, ...]]:
        """Yield the states after one more step."""

        def share(number: int, used: Uses, rows: tuple[Row, ...]) -> Iterator[tuple[Row, ...]]:
            self._count_tries(1)
            if number == len(state):
                yield rows
                return
            for after, uses in self.options(self.messages[number], state[number]):
                more = used + Counter(dict(uses))
                if self._fits(more):
                    yield from share(number + 1, more, (*rows, after))

        yield from share(0, Counter(), ())

    def _fits(self, used: Uses) -> bool:
        if any(times > self.most[use] for use, times in used.items()):
            return False
        return all(
            not (used["channel", a] and used["channel", b])
            or used["channel", a] + used["channel", b] <= self.most["channel", a]
            for a, b in self.pairs
        )

    def _options(self, message: _Message, row: Row) -> list[tuple[Row, tuple[tuple[tuple[str, int], int], ...]]]:
        """List what a step may do with a message, and what that uses, but for what does the same with more."""
        part, found = self.parts[message.part], dict[Row, list[Uses]]()
        for transfers in self._sets(message, row):
            after = self._after(part, row, transfers)
            if after is None:
                continue
            ends = [t._replace(sender=self._end(t.sender), receiver=self._end(t.receiver)) for t in transfers]
            uses = Counter((use.kind, use.number) for use in all_uses(part, ends))
            if self._fits(uses) and not any(other <= uses for other in found.get(after, ())):
                found.setdefault(after, []).append(uses)
        return [(after, tuple(sorted(uses.items()))) for after, each in found.items() for uses in each]

    def _end(self, location: int) -> int:
        return location if location < self.size else ~self.homes[location]

    def _sets(self, message: _Message, row: Row) -> Iterator[list[Transfer]]:
        """Yield every set of transfers of a message in one step that may be of use."""
        ways = [Transfer(0, s, r, path, (0,)) for (s, r), paths in self.ways.items() if row[s] for path in paths]
        part = self.parts[message.part]
        everywhere = range(len(self.homes))
        if part.pattern == "private" and part.rules.switching == "wormhole":
            ways = [t for t in ways if (t.sender, t.receiver) == message.label]
        if message.stays:
            each = [[t for t in ways if t.receiver == to and not row[to]] for to in everywhere]
        elif part.pattern == "reduction":
            each = [[t for t in ways if t.sender == here] for here in everywhere]
        else:
            useful = [t for t in ways if row[t.sender] & ~row[t.receiver]]
            useful = [t for t in useful if row[t.sender] & row[t.receiver] in (0, row[t.receiver])]
            each = [[t for t in useful if (t.sender, t.receiver) == ends] for ends in self.ways]
        number = 1
        for choices in each:
            number *= 1 + len(choices)
        if number > MOST_SETS:
            raise TooMany
        for chosen in product(*([None, *choices] for choices in each if choices)):
            self._count_tries(1)
            yield [transfer for transfer in chosen if transfer is not None]

    def _after(self, part: Problem, row: Row, transfers: list[Transfer]) -> Row | None:
        """Return what locations have after some transfers; None where a contribution would count twice."""
        after = list(row)
        if part.pattern == "reduction":
            for transfer in transfers:
                after[transfer.sender] = 0
        for receiver in {transfer.receiver for transfer in transfers}:
            arriving = [row[transfer.sender] for transfer in transfers if transfer.receiver == receiver]
            replaced = part.pattern == "allreduce" and any(row[receiver] & one for one in arriving)
            total = sum(one.bit_count() for one in arriving) + (0 if replaced else after[receiver].bit_count())
            for one in arriving:
                after[receiver] |= one
            if total != after[receiver].bit_count():
                return None
        return tuple(after)
