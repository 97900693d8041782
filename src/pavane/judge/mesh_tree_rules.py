"""The judge of trees along the lines of a mesh: what the starts of legs prove of all deliveries.

**Deliveries.** The legs of a message go along all dimensions, one after the other, the first from its origin and each
next one from all routers that have the message. A router receives it by the leg along the last dimension, in this
order, in which it differs from the origin: exactly once.

**Order.** A leg starts in the same step at all its routers. These have the message when all legs before have ended, and
the last of them receives it then: a leg must start after that, and may.

**Channels.** Legs of one way along a line all end at its last router, so they all use its last channel. They run
without waiting: if two of them are on one channel in one step, they are on the last channel in one step, too, and if
not, they meet nowhere. So it is enough to compare the steps in which legs end. A leg along dimension a runs on all
lines of a whose coordinates are those of the origin in the dimensions that are still to come. With one more leg before
it there is one such dimension less. So two legs have a line in common if and only if their origins agree in the
dimensions that are still to come for the later one.

**Reductions** are broadcasts read backwards: a router sends its sum once, after all that it receives. An **allreduce**
is a reduction, and a broadcast after its last step. All rules are exact.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

import numpy as np

from pavane.errors import InputError
from pavane.judge.mesh_rules import are_among, joined, missing_links
from pavane.judge.table_rules import MOST_STEPS
from pavane.judge.violation import Rule, Violation
from pavane.model.arrays import Flags, Longs
from pavane.model.mesh_trees import MeshTrees
from pavane.model.problem import Problem


def verify_mesh_trees(problem: Problem, table: MeshTrees, most: int = 100) -> list[Violation]:
    """Return what is wrong with trees along lines; nothing means that the schedule of all messages is valid."""
    _check_kind_of_problem(problem)
    found = list(islice(missing_links(problem.network, table.sizes), most))
    found = found or list(islice(_columns(problem, table), most))
    if found:
        return found
    case = _TreeCase(problem, table)
    for rules in ((_times,), (_order, _channels, _empty_steps)):
        found = [violation for rule in rules for violation in islice(rule(case), most)]
        if found:
            return found
    return []


def _check_kind_of_problem(problem: Problem) -> None:
    """Refuse problems for which trees along lines have no meaning."""
    collective, rules, everyone = problem.collective, problem.rules, range(problem.network.num_routers)
    if (
        collective.kind not in ("AAB", "AAR", "ALLREDUCE")
        or not problem.network.is_slim
        or not collective.is_plain
        or any(sorted(side) != list(everyone) for side in (collective.senders, collective.receivers))
        or (rules.ports, rules.duplex, rules.combining) != ("all", "full", False)
        or rules.has_slots
        or rules.routing not in ("minimal", "any")
    ):
        raise InputError(
            "trees along lines are for allgather, reduce-scatter and allreduce among all processors, one on each "
            "router, all-port and full duplex, without slots, pieces and combining, under minimal or any routing"
        )


def _columns(problem: Problem, table: MeshTrees) -> Iterator[Violation]:
    """Every message has a first dimension, and a start for each leg and way."""
    num_routers, num_axes = problem.network.num_routers, len(table.sizes)
    if not 1 <= table.num_steps <= MOST_STEPS or (problem.pattern == "allreduce" and table.num_steps % 2):
        yield Violation(
            "outside-period", f"it has 1 to {MOST_STEPS:,} steps, an allreduce two times as many as a phase"
        )
    elif (table.first_axes.shape, table.starts.shape) != ((num_routers,), (num_axes, 2, num_routers)) or any(
        column.dtype.kind != "i" for column in (table.first_axes, table.starts)
    ):
        yield Violation("broken-path", "the columns do not have whole numbers for each message, leg and way")
    elif ((table.first_axes < 0) | (table.first_axes >= num_axes)).any():
        yield Violation("broken-path", "a message has no first dimension")


class _TreeCase:
    """Trees under verification."""

    def __init__(self, problem: Problem, table: MeshTrees) -> None:
        self.table, self.sizes, self.axes = table, np.array(table.sizes, dtype=np.int64), range(len(table.sizes))
        self.places = np.stack(np.unravel_index(np.arange(problem.network.num_routers), table.sizes)).astype(np.int64)
        self.span = table.num_steps // 2 if problem.pattern == "allreduce" else table.num_steps
        """The steps of one phase."""
        self.dimensions = (table.first_axes.astype(np.int64) + np.array(self.axes)[:, None]) % len(table.sizes)
        """The dimension of each leg: dimensions[leg, router]."""
        here = np.take_along_axis(self.places, self.dimensions, axis=0)
        self.lengths = np.stack([self.sizes[self.dimensions] - 1 - here, here], axis=1)
        """The channels of each leg on a line: lengths[leg, way, router]."""
        self.ends = table.starts + self.lengths
        """The first step after each leg."""

    def of_legs(self, rule: Rule, is_wrong: Flags, text: str) -> Iterator[Violation]:
        """Yield a violation for each marked leg: is_wrong[leg, way, router]."""
        for leg, way, router in np.argwhere(is_wrong & (self.lengths > 0)).tolist():
            step = int(self.table.starts[leg, way, router])
            where = (
                f"message of router {router}, leg {leg} {('up', 'down')[way]} dimension {self.dimensions[leg, router]}"
            )
            yield Violation(rule, f"{where}, step {step}: {text}", step=step)

    def groups(self, axis: int, leg: int, routers: Longs) -> Longs:
        """Return what origins have in common if a leg of theirs along a dimension runs on the same lines."""
        total = np.zeros(len(routers), dtype=np.int64)
        for ahead in range(1, len(self.axes) - leg):
            other = (axis + ahead) % len(self.axes)
            total = total * self.sizes[other] + self.places[other, routers]
        return total


def _times(case: _TreeCase) -> Iterator[Violation]:
    """Legs start and end within their phase."""
    starts = case.table.starts
    # Compared without a sum, which could be too large a number.
    is_outside = (starts < 0) | (starts > case.span - case.lengths)
    yield from case.of_legs("outside-period", is_outside, f"it is not within {case.span:,} steps")


def _order(case: _TreeCase) -> Iterator[Violation]:
    """A leg starts when all legs before have ended."""
    ends = np.where(case.lengths > 0, case.ends, 0).max(axis=1)
    ready = np.concatenate([np.zeros_like(ends[:1]), np.maximum.accumulate(ends, axis=0)[:-1]])
    is_early = case.table.starts < ready[:, None]
    yield from case.of_legs("not-held", is_early, "a router of it does not have the message yet")


def _channels(case: _TreeCase) -> Iterator[Violation]:
    """Legs of one way that have a line in common end in different steps."""
    is_wrong = np.zeros_like(case.lengths, dtype=bool)
    times, ranks = np.unique(case.ends, return_inverse=True)
    ranks = ranks.reshape(case.ends.shape)
    for axis in case.axes:
        for way in range(2):
            legs = [np.flatnonzero((case.dimensions[leg] == axis) & (case.lengths[leg, way] > 0)) for leg in case.axes]
            for leg in case.axes:
                earlier, own = (
                    [case.groups(axis, leg, legs[each]) * len(times) + ranks[each, way, legs[each]] for each in some]
                    for some in (range(leg), (leg,))
                )
                is_double = are_among(own[0], np.concatenate([own[0][:0], *earlier]))
                order = np.argsort(own[0], kind="stable")
                is_double[order[1:]] |= np.diff(own[0][order]) == 0
                is_wrong[leg, way, legs[leg]] = is_double
    yield from case.of_legs("channel-capacity", is_wrong, "another one uses the last channel of its line when it does")


def _empty_steps(case: _TreeCase) -> Iterator[Violation]:
    """In every step there is a transfer."""
    has_leg = case.lengths > 0
    nothing = np.zeros(1, dtype=np.int64)
    begins, ends = joined(*(np.concatenate([nothing, each[has_leg]]) for each in (case.table.starts, case.ends)))
    for step in ends[ends < np.append(begins[1:], case.span)].tolist():
        yield Violation("empty-step", f"step {step}: no transfer", step=step)


# -- single deliveries, for trees whose other rules hold


class Arrivals(NamedTuple):
    """How trees bring messages to routers."""

    senders: Longs
    steps: Longs


def arrivals(table: MeshTrees, messages: Longs, routers: Longs) -> Arrivals:
    """Return how each of some messages comes to a router other than its origin.

    It comes by the last leg along whose dimension the router differs from the origin, from its neighbour on that side.
    """
    sizes = np.array(table.sizes, dtype=np.int64)
    places = np.stack(np.unravel_index(np.arange(table.num_routers), table.sizes)).astype(np.int64)
    strides = np.append(np.cumprod(sizes[:0:-1])[::-1], 1)
    senders, steps = np.full(len(messages), -1, dtype=np.int64), np.full(len(messages), -1, dtype=np.int64)
    for leg in range(len(sizes)):
        axes = (table.first_axes[messages].astype(np.int64) + leg) % len(sizes)
        gaps = places[axes, routers] - places[axes, messages]
        starts = table.starts[leg, (gaps < 0).astype(np.int64), messages]
        senders = np.where(gaps != 0, routers - np.sign(gaps) * strides[axes], senders)
        steps = np.where(gaps != 0, starts + np.abs(gaps) - 1, steps)
    return Arrivals(senders, steps)


def num_arrivals(table: MeshTrees) -> Longs:
    """Return how many messages come to routers in each step."""
    sizes, changes = np.array(table.sizes, dtype=np.int64), np.zeros(table.num_steps + 1, dtype=np.int64)
    places = np.stack(np.unravel_index(np.arange(table.num_routers), table.sizes)).astype(np.int64)
    # A leg runs on as many lines as there are routers that have its message.
    num_lines = np.ones(table.num_routers, dtype=np.int64)
    for leg in range(len(sizes)):
        axes = (table.first_axes.astype(np.int64) + leg) % len(sizes)
        here = places[axes, np.arange(table.num_routers)]
        for way, lengths in enumerate((sizes[axes] - 1 - here, here)):
            runs = np.flatnonzero(lengths)
            starts = table.starts[leg, way, runs]
            np.add.at(changes, starts, num_lines[runs])
            np.subtract.at(changes, starts + lengths[runs], num_lines[runs])
        num_lines *= sizes[axes]
    return np.cumsum(changes)[:-1]
