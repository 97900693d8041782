"""Trees of an allreduce, one for each piece, and steps for what runs along them.

Along each edge of a piece's tree one sum goes each way. What a location sends to a neighbour waits for what comes from
all its other neighbours, and for nothing else: it then has all contributions of its own side, and where the
neighbour's sum has come already, all there are. So there is neither a centre nor a phase.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from pavane.jit.compiling import compiled
from pavane.model.arrays import Ints, Longs
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.solvers.allreduce.kernels.tree_sums import Sendings, TreeArrivals, place_sums
from pavane.solvers.step_table import TransferUnits


class TreeEdge(NamedTuple):
    """Two locations that send each other a sum of a piece."""

    one: int
    other: int
    there: tuple[int, ...]
    """The path from the one to the other."""
    back: tuple[int, ...]


Tree = tuple[TreeEdge, ...]


class TreeTransfers(NamedTuple):
    """What runs along one tree: first there along each edge, then back along each."""

    senders: Ints
    receivers: Ints
    units: Ints
    """[sending, number]: channels, then ports of processors; -1 after the last."""
    waits: Longs
    """How many sendings one after the other come before each."""
    follow: Longs
    """How many sendings one after the other come after each."""


class AllTreeTransfers(NamedTuple):
    """What runs along all trees, one piece after the other."""

    sent: list[TreeTransfers]
    forwards: Sendings
    backwards: Sendings
    num_keys: int


class TreeUnits(TransferUnits):
    """What sums along trees use, and the steps in which they fit."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        self.room: Ints = np.array(self.capacity, dtype=np.int32)
        self.num_locations = problem.network.num_processors + problem.network.num_routers
        """A pure switch r, written ~r, comes after the processors, at -1 - r from the end."""

    def sent(self, tree: Tree) -> TreeTransfers:
        """Return what runs along a tree."""
        there = [(edge.one, edge.other, edge.there) for edge in tree]
        back = [(edge.other, edge.one, edge.back) for edge in tree]
        taken = [self.of(*way) for way in there + back]
        units = np.full((len(taken), max(map(len, taken))), -1, dtype=np.int32)
        for row, some in enumerate(taken):
            units[row, : len(some)] = some
        senders, receivers, _ = zip(*there, *back, strict=True)
        waits = _longest_waits(senders, receivers)
        # Read backwards every sending goes the other way along its edge, and waits for the same rule.
        turned = np.roll(waits, len(tree))
        return TreeTransfers(np.array(senders, np.int32), np.array(receivers, np.int32), units, waits, turned)

    def rows(self, sent: list[TreeTransfers]) -> AllTreeTransfers:
        """Put what runs along all trees together."""
        width = max(one.units.shape[1] for one in sent)
        units = np.full((sum(len(one.units) for one in sent), width), -1, dtype=np.int32)
        first = 0
        for one in sent:
            units[first : first + len(one.units), : one.units.shape[1]] = one.units
            first += len(one.units)
        key = np.repeat(np.arange(len(sent), dtype=np.int32) * self.num_locations, [len(one.units) for one in sent])
        senders = key + np.concatenate([one.senders for one in sent]) % self.num_locations
        receivers = key + np.concatenate([one.receivers for one in sent]) % self.num_locations
        num_keys = len(sent) * self.num_locations
        return AllTreeTransfers(
            sent, Sendings(senders, receivers, units), Sendings(receivers, senders, units), num_keys
        )

    def placed(self, rows: AllTreeTransfers, order: Longs, num_steps: int, backwards: bool = False) -> Ints | None:
        """Return steps, each the first with room, in an order; None: there are too few.

        Backwards, steps are counted from the end.
        """
        arrivals = TreeArrivals(
            np.zeros(rows.num_keys, np.int32), np.full(rows.num_keys, -1, np.int32), np.zeros(rows.num_keys, np.int32)
        )
        steps = np.zeros(len(order), np.int32)
        loads = np.zeros((num_steps, len(self.room)), np.int32)
        sendings = rows.backwards if backwards else rows.forwards
        fits = compiled(place_sums)(order, sendings, arrivals, self.room, loads, steps)
        return steps if fits else None


def _longest_waits(senders: Sequence[int], receivers: Sequence[int]) -> Longs:
    """Return how many sendings one after the other each one waits for."""
    into: dict[int, list[int]] = {}
    for number, receiver in enumerate(receivers):
        into.setdefault(receiver, []).append(number)
    waits = np.full(len(senders), -1, dtype=np.int64)
    for start in range(len(senders)):
        stack = [start]
        while stack:
            one = stack[-1]
            before = [other for other in into.get(senders[one], ()) if senders[other] != receivers[one]]
            unknown = [other for other in before if waits[other] < 0] if waits[one] < 0 else []
            if unknown:
                stack += unknown
            else:
                waits[one] = max((int(waits[other]) + 1 for other in before), default=0)
                stack.pop()
    return waits


def orders(rows: AllTreeTransfers, num_steps: int, rng: np.random.Generator) -> Iterator[Longs]:
    """Yield orders to begin with, in which what is waited for comes first.

    The first puts what has the longest to go before all else. In the others pieces start one after the other over about
    `num_steps` steps, so that sums of some spread while those of others are still gathered, as in a pipeline.
    """
    waits = np.concatenate([one.waits for one in rows.sent])
    follow = np.concatenate([one.follow for one in rows.sent])
    sizes = [len(one.waits) for one in rows.sent]
    yield np.lexsort((rng.random(len(waits)), -follow))
    while True:
        within = num_steps * rng.choice((0.25, 0.5, 0.75, 1.0))
        offsets = np.repeat(rng.permutation(len(sizes)) * (within / len(sizes)), sizes)
        key = waits if rng.random() < 0.5 else -follow
        yield np.lexsort((rng.random(len(waits)), offsets + key))


def justify_steps(
    ground: TreeUnits, rows: AllTreeTransfers, steps: Ints, rng: np.random.Generator, passes: int
) -> Ints:
    """Return steps of as few or fewer, moved to the end and to the beginning by turns (Valls et al. 2005)."""
    best = steps
    for _ in range(passes):
        num_steps = int(steps.max()) + 1
        late = ground.placed(rows, np.lexsort((rng.random(len(steps)), -steps)), num_steps, backwards=True)
        assert late is not None  # where each was there is room
        early = ground.placed(rows, np.lexsort((rng.random(len(steps)), -late)), num_steps)
        assert early is not None
        steps = early
        if steps.max() < best.max():
            best = steps
    return best


def schedule_of(trees: Sequence[Tree], steps: Ints) -> Schedule:
    """Return the schedule of sums along the trees of the pieces, in their order."""
    senders: list[int] = []
    receivers: list[int] = []
    paths: list[tuple[int, ...]] = []
    for tree in trees:
        senders += [edge.one for edge in tree] + [edge.other for edge in tree]
        receivers += [edge.other for edge in tree] + [edge.one for edge in tree]
        paths += [edge.there for edge in tree] + [edge.back for edge in tree]
    return Schedule.from_columns(
        int(steps.max()) + 1,
        steps,
        senders,
        receivers,
        ([len(path) for path in paths], [channel for path in paths for channel in path]),
        np.repeat(np.arange(len(trees)), [2 * len(tree) for tree in trees]),
    )


def trees_of(problem: Problem, spread: Schedule) -> tuple[Tree, ...]:
    """Return the trees along which a broadcast spreads its messages, where every channel has one back."""
    back = problem.network.opposite.tolist()
    ways: list[list[TreeEdge]] = [[] for _ in range(problem.num_messages)]
    for _, sender, receiver, path, messages, _ in spread:
        turned = tuple(back[channel] for channel in reversed(path))
        for message in messages:
            ways[message].append(TreeEdge(sender, receiver, path, turned))
    members = frozenset(problem.collective.senders)
    return tuple(leading(edges, members) for edges in ways)


def leading(edges: list[TreeEdge], members: frozenset[int]) -> Tree:
    """Leave out edges, listed as they lead outwards, that lead to no member."""
    used, kept = set(members), []
    for edge in reversed(edges):
        if edge.other in used:
            used.add(edge.one)
            kept.append(edge)
    return tuple(kept)
