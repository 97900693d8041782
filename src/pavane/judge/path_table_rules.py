"""The judge of path tables: what one processor's paths prove of the whole schedule.

**Symmetry.** Translations permute routers and processors and keep the channels. On the processors they commute and
together take processor 0 to every one. What commutes with all of these and leaves one processor in place leaves all in
place. So exactly one of them takes processor 0 to processor w; as permutations of processors, call it T_w.

**Kinds.** The channels that one channel c is taken to are a kind. They are as many as the processors, and can be
labelled by processors so that every translation takes the channel of w to the channel of its image of w. Both are
checked. So T_w takes the channel labelled o to the one labelled T_w(o), however it is composed; and for each o, the
processors T_w(o) are all different.

**Steps.** All processors do a row in the same step. A hop of the table over a channel labelled o uses, for the message
of w, the channel labelled T_w(o) of its kind: each channel of the kind once. So a channel carries in a step as many
transfers as the table has hops of its kind in that step. For the same reason a row sends once from every processor and
arrives once at every processor, and ports carry as many transfers in a step as it has rows.

**Messages.** A translation takes paths to paths of the same length. The rows of a target lead from processor 0 to it,
so from every w they lead to T_w of it. Each target once is each pair of processors once.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import combinations, islice

import numpy as np

from pavane.errors import InputError
from pavane.judge.violation import Rule, Violation
from pavane.model.arrays import Flags, Ints, Longs
from pavane.model.path_table import PathTable
from pavane.model.problem import Problem


def verify_path_table(problem: Problem, table: PathTable, most: int = 100) -> list[Violation]:
    """Return what is wrong with a path table; nothing means that the schedule of all processors is valid."""
    _check_kind_of_problem(problem)
    case = _PathCase(problem, table)
    for rules in ((_permutations,), (_columns,), (_kinds,), (_paths, _loads, _ports, _messages, _empty_steps)):
        found = [violation for rule in rules for violation in islice(rule(case), most)]
        if found:
            return found
    return []


def _check_kind_of_problem(problem: Problem) -> None:
    """Refuse problems for which a path table has no meaning."""
    collective, rules, everyone = problem.collective, problem.rules, range(problem.network.num_processors)
    if (
        collective.kind != "AAS"
        or collective.sizes
        or sorted(collective.senders) != list(everyone)
        or sorted(collective.receivers) != list(everyone)
        or (rules.duplex, rules.combining) != ("full", False)
        or rules.switching == "tdm"
        or rules.routing not in ("minimal", "any")
    ):
        raise InputError(
            "a path table is for alltoall among all processors, by wormhole or store-and-forward, full duplex, without "
            "sizes and combining, under minimal or any routing"
        )


class _PathCase:
    """A path table under verification."""

    def __init__(self, problem: Problem, table: PathTable) -> None:
        self.problem, self.table, self.network = problem, table, problem.network
        self.is_stored = problem.rules.switching == "store-and-forward"
        self.kind_of = np.full(self.network.num_channels, -1, dtype=np.int64)
        """The kind of each channel that the table uses, or that such a channel is taken to."""

    def of_rows(self, rule: Rule, is_wrong: Flags, text: str) -> Iterator[Violation]:
        """Yield a violation for each marked row."""
        for row in np.flatnonzero(is_wrong).tolist():
            yield Violation(rule, f"row {row} of the table, step {self.table.steps[row]}: {text}")

    @cached_property
    def lengths(self) -> Longs:
        """The number of channels of each row."""
        return np.diff(self.table.path_offsets)

    @cached_property
    def row_of_hop(self) -> Longs:
        """The row of each channel of the table."""
        return np.repeat(np.arange(len(self.table)), self.lengths)

    def any_hop(self, marked: Flags) -> Flags:
        """Return which rows have a marked channel."""
        flags: Flags = np.bincount(self.row_of_hop[marked], minlength=len(self.table)) > 0
        return flags

    def homes(self, processors: Ints) -> Longs:
        """Return the routers of processors."""
        return self.network.router_of[processors].astype(np.int64)

    def distances(self, start: int, limit: int) -> Longs:
        """Return the distance of every router from one, measured here; farther ones have the limit."""
        distances = np.full(self.network.num_routers, limit, dtype=np.int64)
        is_front = np.zeros(self.network.num_routers, dtype=bool)
        is_front[start], far = True, 0
        while far < limit:
            distances[is_front] = far
            heads = self.network.heads[is_front[self.network.tails]]
            is_front = np.zeros_like(is_front)
            is_front[heads] = True
            is_front &= distances == limit
            far += 1
        return distances


def _permutations(case: _PathCase) -> Iterator[Violation]:
    """Translations are permutations that keep channels and homes, commute, and take processor 0 to every processor."""
    network, table = case.network, case.table
    routers, processors = table.router_shifts, table.processor_shifts
    if routers.shape != (len(processors), network.num_routers) or processors.shape[1:] != (network.num_processors,):
        yield Violation("not-symmetric", "the translations do not have an entry for each router and processor")
        return
    for number, (homes, shift) in enumerate(zip(routers, processors, strict=True)):
        for permutation, size in ((homes, network.num_routers), (shift, network.num_processors)):
            if not np.array_equal(np.sort(permutation), np.arange(size)):
                yield Violation("not-symmetric", f"translation {number} is not a permutation")
                return
        if not np.array_equal(network.router_of[shift], homes[network.router_of]):
            yield Violation("not-symmetric", f"translation {number} takes a processor away from its router")
        numbers = network.tails.astype(np.int64) * network.num_routers + network.heads
        images = homes[network.tails].astype(np.int64) * network.num_routers + homes[network.heads]
        if not np.array_equal(np.sort(images), np.unique(numbers)):
            yield Violation("not-symmetric", f"translation {number} does not keep the channels, or some are parallel")
    for one, other in combinations(processors, 2):
        if not np.array_equal(one[other], other[one]):
            yield Violation("not-symmetric", "two translations do not commute")
    reached, before = np.zeros(network.num_processors, dtype=bool), -1
    reached[:1] = True
    while before < (before := int(reached.sum())):
        for shift in processors:
            # All that one translation reaches, in any number, before the next is tried: 1, 2, 4, ... at a time.
            for _ in range(network.num_processors.bit_length()):
                reached[shift[reached]] = True
                shift = shift[shift]
    if not reached.all():
        yield Violation("not-symmetric", "the translations do not take processor 0 to every processor")


def _columns(case: _PathCase) -> Iterator[Violation]:
    """Rows have a step, processors, a message and channels that exist."""
    table, size = case.table, case.network.num_processors
    columns = (table.senders, table.receivers, table.messages)
    offsets = table.path_offsets
    if any(len(column) != len(table) for column in columns) or len(offsets) != len(table) + 1 or offsets[0] != 0:
        yield Violation("broken-path", "the columns of the table do not have an entry for each row")
        return
    if offsets[-1] != len(table.channels) or (case.lengths < 0).any():
        yield Violation("broken-path", "the paths of the table do not follow one another")
        return
    if table.num_steps > len(table):
        yield Violation("empty-step", f"{table.num_steps:,} steps have {len(table):,} rows")
        return
    is_wrong = (table.steps < 0) | (table.steps >= table.num_steps)
    for ends in (table.senders, table.receivers):
        is_wrong |= (ends < 0) | (ends >= size)
    yield from case.of_rows("wrong-ends", is_wrong, "its step or its ends do not exist")
    pieces = case.problem.collective.pieces
    is_none = (table.messages < pieces) | (table.messages >= size * pieces)
    yield from case.of_rows("unknown-message", is_none, "it carries no message")
    if len(table.channels) and not 0 <= table.channels.min() <= table.channels.max() < case.network.num_channels:
        yield Violation("broken-path", "the table names channels that do not exist")


def _kinds(case: _PathCase) -> Iterator[Violation]:
    """What a channel of the table is taken to has a label for each processor, which all translations keep."""
    network, table = case.network, case.table
    translates, size = table.translates(network), network.num_processors
    kind, channels = 0, np.unique(table.channels)
    while len(channels):
        labelled = translates.images(channels[:1].astype(np.int64) + size)[:, 0] - size
        if len(np.unique(labelled)) < size:
            yield Violation("not-symmetric", f"translations take channel {channels[0]} to fewer than {size} channels")
            return
        tails, heads = network.tails[labelled], network.heads[labelled]
        for homes, shift in zip(table.router_shifts, table.processor_shifts, strict=True):
            images = labelled[shift]
            if not np.array_equal(network.tails[images], homes[tails]) or not np.array_equal(
                network.heads[images], homes[heads]
            ):
                yield Violation("not-symmetric", f"translations move processors and channel {channels[0]} differently")
                return
        capacity = network.capacity[labelled]
        if (capacity != capacity[0]).any():
            yield Violation("not-symmetric", f"channels that channel {channels[0]} is taken to differ in capacity")
        case.kind_of[labelled] = kind
        kind, channels = kind + 1, channels[case.kind_of[channels] < 0]


def _paths(case: _PathCase) -> Iterator[Violation]:
    """A path leads from its sender to its receiver, and is shortest or simple; a stored one passes switches only."""
    table, network = case.table, case.network
    tails, heads = (ends[table.channels].astype(np.int64) for ends in (network.tails, network.heads))
    starts, ends = case.homes(table.senders), case.homes(table.receivers)
    is_first = np.zeros(len(tails), dtype=bool)
    is_first[table.path_offsets[:-1][case.lengths > 0]] = True
    is_last = np.append(is_first[1:], True)[: len(tails)]
    is_broken = np.where(is_first, tails != starts[case.row_of_hop], tails != np.roll(heads, 1))
    is_broken |= is_last & (heads != ends[case.row_of_hop])
    broken = case.any_hop(is_broken) | ((case.lengths == 0) & (starts != ends))
    yield from case.of_rows("broken-path", broken, "its channels do not lead from its sender to its receiver")
    yield from case.of_rows("wrong-ends", table.senders == table.receivers, "its sender is its receiver")
    if case.is_stored:
        may_pass = case.problem.is_switch & (case.problem.rules.switches != "hold")
        stops = case.any_hop(~is_first & ~may_pass[tails])
        yield from case.of_rows("too-many-hops", stops, "it passes a router that stores messages")
    if case.problem.rules.routing == "minimal":
        for start in np.unique(starts).tolist():
            rows = np.flatnonzero(starts == start)
            is_longer = np.zeros(len(table), dtype=bool)
            lengths = case.lengths[rows]
            is_longer[rows] = lengths > case.distances(start, int(lengths.max()))[ends[rows]]
            yield from case.of_rows("not-minimal", is_longer, "its path is not a shortest one")
    rows = np.concatenate([case.row_of_hop, np.arange(len(table))])
    visits = rows * network.num_routers + np.concatenate([heads, starts])
    numbers, counts = np.unique(visits, return_counts=True)
    twice = np.bincount(numbers[counts > 1] // network.num_routers, minlength=len(table)) > 0
    yield from case.of_rows("not-simple", twice, "it meets a router twice")


def _loads(case: _PathCase) -> Iterator[Violation]:
    """In a step no more hops of a kind are made than its channels have capacity."""
    table = case.table
    kinds, steps = case.kind_of[table.channels], table.steps[case.row_of_hop]
    order = np.lexsort((steps, kinds))
    pairs, firsts, counts = np.unique(
        np.stack([kinds, steps], axis=1)[order], axis=0, return_index=True, return_counts=True
    )
    capacity = case.network.capacity[table.channels[order[firsts]]]
    for at in np.flatnonzero(counts > capacity).tolist():
        kind, step = pairs[at].tolist()
        text = f"step {step}: {counts[at]} hops of the channels that are translates of channel "
        yield Violation("channel-capacity", f"{text}{table.channels[order[firsts[at]]]} (kind {kind})", step=step)


def _ports(case: _PathCase) -> Iterator[Violation]:
    """A processor sends and receives no more transfers in a step than it has ports."""
    ports = min(int(case.problem.injection.min()), int(case.problem.ejection.min()))
    counts = np.bincount(case.table.steps, minlength=case.table.num_steps)
    for step in np.flatnonzero(counts > ports).tolist():
        yield Violation("port-capacity", f"step {step}: every processor sends {counts[step]} transfers", step=step)


def _messages(case: _PathCase) -> Iterator[Violation]:
    """Every message goes from processor 0 to its target, each row from where the last ended, and meets none twice."""
    table, pieces = case.table, case.problem.collective.pieces
    order = np.lexsort((table.steps, table.messages))
    numbers, senders, receivers = (column[order] for column in (table.messages, table.senders, table.receivers))
    is_first = np.diff(numbers, prepend=-1) != 0
    is_last = np.append(is_first[1:], True)[: len(numbers)]
    is_later = np.diff(table.steps[order], prepend=-1) > 0
    follows = (senders == np.roll(receivers, 1)) & is_later & case.is_stored
    flags = np.zeros((3, len(table)), dtype=bool)
    flags[0, order] = ~np.where(is_first, senders == 0, follows)
    flags[1, order] = is_last & (receivers != numbers // pieces)
    visits = numbers * case.network.num_processors + receivers
    _, back, counts = np.unique(visits, return_inverse=True, return_counts=True)
    flags[2, order] = (counts[back] > 1) | (receivers == 0)
    yield from case.of_rows("not-held", flags[0], "its message is not where it starts")
    yield from case.of_rows("never-delivered", flags[1], "its message does not reach its target")
    yield from case.of_rows("delivered-twice", flags[2], "its message comes to its receiver twice")
    missing = np.setdiff1d(np.arange(pieces, case.network.num_processors * pieces), numbers)
    for number in missing.tolist():
        yield Violation("never-delivered", f"no row leads to processor {number // pieces} (piece {number % pieces})")


def _empty_steps(case: _PathCase) -> Iterator[Violation]:
    """In every step there is a transfer."""
    for step in np.flatnonzero(np.bincount(case.table.steps, minlength=case.table.num_steps) == 0).tolist():
        yield Violation("empty-step", f"step {step}: no transfer", step=step)
