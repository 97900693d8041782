"""The judge of mesh tables: what the exchanges along one line of each dimension prove of the whole schedule.

**Messages of a displacement.** Transfers of different lines or dimensions do not meet. A leg along a dimension runs on
a line whose other coordinates are those of the origin, or of the target where that leg came before. Coordinates of
targets are those of origins plus the displacement, modulo the side. So for given ends of the leg, the messages of one
displacement run on different lines, one on each.

**Channels.** All legs of a displacement along a dimension have the same distance modulo the side, and legs of different
distances have different ends. So if the displacements in an exchange have different distances along it, each line has
at most one leg for each pair of ends, and legs meet in no channel if those of a whole exchange on one line do not.
Exchanges of a dimension follow one another: the next starts when all legs of the last have ended.

**Messages.** A leg ends at the target's coordinate, and every dimension in which the ends differ has a leg. So it is
enough that the exchanges in which a displacement goes do not overlap: each leg starts where the last one ended.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import combinations, islice

import numpy as np

from pavane.errors import InputError
from pavane.judge.violation import Violation
from pavane.model.arrays import Longs
from pavane.model.mesh_table import MeshTable
from pavane.model.problem import Problem


def verify_mesh_table(problem: Problem, table: MeshTable, most: int = 100) -> list[Violation]:
    """Return what is wrong with a mesh table; nothing means that the schedule of all messages is valid."""
    _check_kind_of_problem(problem)
    case = _MeshCase(problem, table)
    for rules in ((_mesh,), (_columns,), (_exchanges,), (_places, _legs_in_order), (_empty_steps,)):
        found = [violation for rule in rules for violation in islice(rule(case), most)]
        if found:
            return found
    return []


def _check_kind_of_problem(problem: Problem) -> None:
    """Refuse problems for which a mesh table has no meaning."""
    collective, rules = problem.collective, problem.rules
    if (
        collective.kind != "AAS"
        or not problem.network.is_slim
        or not collective.is_plain
        or not problem.is_total
        or (rules.switching, rules.ports, rules.duplex, rules.combining) != ("store-and-forward", "all", "full", False)
    ):
        raise InputError(
            "a mesh table is for alltoall among all processors, one on each router, by store-and-forward, all-port and "
            "full duplex, without pieces and combining"
        )


class _MeshCase:
    """A mesh table under verification."""

    def __init__(self, problem: Problem, table: MeshTable) -> None:
        self.network, self.table = problem.network, table
        self.axes = range(len(table.sizes))

    @cached_property
    def distances(self) -> Longs:
        """The distance of each displacement along each dimension: distances[dimension, displacement]."""
        return np.stack(np.unravel_index(np.arange(self.network.num_routers), self.table.sizes)).astype(np.int64)

    def legs(self, axis: int) -> tuple[Longs, Longs, Longs, Longs]:
        """Return way (0 up, 1 down), origin, target and start of each leg of an exchange, with lines turned for 1.

        Turned, all legs run upwards.
        """
        size, starts = self.table.sizes[axis], self.table.starts[axis]
        origins, targets = np.triu_indices(size, 1)
        ways = np.repeat([0, 1], len(origins))
        begins = np.concatenate([starts[origins, targets], starts[::-1, ::-1][origins, targets]])
        return ways, np.tile(origins, 2), np.tile(targets, 2), begins

    @cached_property
    def spans(self) -> list[int]:
        """The number of steps of an exchange along each dimension."""
        every = [self.legs(axis) for axis in self.axes]
        return [int((begins + targets - origins).max(initial=0)) for _, origins, targets, begins in every]


def _mesh(case: _MeshCase) -> Iterator[Violation]:
    """The network has the links of the mesh, whose routers are numbered row by row."""
    network, sizes = case.network, case.table.sizes
    if not sizes or min(sizes) < 1 or np.prod(sizes, dtype=np.float64) != network.num_routers:
        yield Violation("broken-path", f"the sides {sizes} do not make the {network.num_routers:,} routers")
        return
    numbers = network.tails.astype(np.int64) * network.num_routers + network.heads
    routers = np.arange(network.num_routers).reshape(sizes)
    for axis in range(len(sizes)):
        before, after = (np.delete(routers, end, axis).reshape(-1) for end in (-1, 0))
        for tails, heads in ((before, after), (after, before)):
            for at in np.flatnonzero(~np.isin(tails * network.num_routers + heads, numbers)).tolist():
                yield Violation("broken-path", f"no channel leads from router {tails[at]} to router {heads[at]}")


def _columns(case: _MeshCase) -> Iterator[Violation]:
    """Exchanges are for all pairs of ends along each dimension, and displacements for all dimensions."""
    table = case.table
    shapes = [(size, size) for size in table.sizes]
    if [starts.shape for starts in table.starts] != shapes:
        yield Violation("broken-path", "the starts of an exchange do not have an entry for each pair of routers")
    elif table.firsts.shape != (len(table.sizes), case.network.num_routers):
        yield Violation("broken-path", "the exchanges do not have an entry for each dimension and displacement")


def _exchanges(case: _MeshCase) -> Iterator[Violation]:
    """In an exchange no two legs are on one channel in one step.

    A leg from o is on the channel after router j in step start + j - o. So two legs of one way meet if and only if they
    have the same start - o and share a channel.
    """
    for axis in case.axes:
        ways, origins, targets, begins = case.legs(axis)
        if (begins < 0).any():
            yield Violation("broken-path", f"a leg along dimension {axis} starts before its exchange")
            continue
        order = np.lexsort((origins, begins - origins, ways))
        ways, origins, targets, begins = (column[order] for column in (ways, origins, targets, begins))
        is_same = (np.diff(ways) == 0) & (np.diff(begins - origins) == 0)
        for at in np.flatnonzero(is_same & (origins[1:] < targets[:-1])).tolist():
            step, router = begins[at + 1], origins[at + 1]
            where = f"router {case.table.sizes[axis] - 1 - router if ways[at] else router}"
            yield Violation(
                "channel-capacity", f"step {step} of the exchange along dimension {axis}: two legs meet at {where}"
            )


def _places(case: _MeshCase) -> Iterator[Violation]:
    """Exchanges of a dimension do not overlap, and the displacements in one have different distances along it."""
    for axis, span in zip(case.axes, case.spans, strict=True):
        chosen = np.flatnonzero(case.distances[axis])
        firsts, distances = case.table.firsts[axis][chosen], case.distances[axis][chosen]
        windows = np.unique(firsts)
        for first in windows[(windows < 0) | (windows + span > case.table.num_steps)].tolist():
            yield Violation("broken-path", f"the exchange along dimension {axis} from step {first} leaves the schedule")
        for at in np.flatnonzero(np.diff(windows) < span).tolist():
            text = f"exchanges along dimension {axis} from steps {windows[at]} and {windows[at + 1]} overlap"
            yield Violation("channel-capacity", text, step=int(windows[at + 1]))
        order = np.lexsort((distances, firsts))
        is_double = (np.diff(firsts[order]) == 0) & (np.diff(distances[order]) == 0)
        for at in np.flatnonzero(is_double).tolist():
            first, one, other = firsts[order[at]], chosen[order[at]], chosen[order[at + 1]]
            text = f"displacements {one} and {other} have one place in the exchange along dimension {axis} from {first}"
            yield Violation("channel-capacity", text, step=int(first))


def _legs_in_order(case: _MeshCase) -> Iterator[Violation]:
    """The exchanges in which a displacement goes do not overlap."""
    firsts, spans = case.table.firsts, case.spans
    for one, other in combinations(case.axes, 2):
        is_apart = (firsts[one] + spans[one] <= firsts[other]) | (firsts[other] + spans[other] <= firsts[one])
        has_both = (case.distances[[one, other]] > 0).all(axis=0)
        for displacement in np.flatnonzero(has_both & ~is_apart).tolist():
            yield Violation("not-held", f"displacement {displacement}: its legs along {one} and {other} overlap")


def _empty_steps(case: _MeshCase) -> Iterator[Violation]:
    """In every step there is a transfer."""
    busy = [(np.zeros(1, dtype=np.int64),) * 2]
    for axis in case.axes:
        ways, origins, targets, begins = case.legs(axis)
        distances = np.where(ways, origins - targets, targets - origins) % case.table.sizes[axis]
        chosen = np.flatnonzero(case.distances[axis])
        order = chosen[np.argsort(case.table.firsts[axis][chosen], kind="stable")]
        windows, first_members = np.unique(case.table.firsts[axis][order], return_index=True)
        ends = begins + targets - origins
        whole = _joined(begins, ends)
        for first, members in zip(windows.tolist(), np.split(order, first_members[1:]), strict=True):
            runs = whole
            if len(members) < case.table.sizes[axis] - 1:
                some = np.isin(distances, case.distances[axis][members])
                runs = _joined(begins[some], ends[some])
            busy.append((first + runs[0], first + runs[1]))
    starts, ends = _joined(*(np.concatenate([runs[side] for runs in busy]) for side in (0, 1)))
    # The first run is empty unless a transfer starts in step 0; every run but the last is followed by an empty step.
    for step in ends[(ends < np.append(starts[1:], case.table.num_steps))].tolist():
        yield Violation("empty-step", f"step {step}: no transfer", step=step)


def _joined(begins: Longs, ends: Longs) -> tuple[Longs, Longs]:
    """Return the runs of steps that some intervals cover together, in order."""
    order = np.argsort(begins, kind="stable")
    begins, latest = begins[order], np.maximum.accumulate(ends[order])
    is_first = np.append(True, begins[1:] > latest[:-1])[: len(begins)]
    return begins[is_first], latest[np.append(is_first[1:], True)[: len(begins)]]
