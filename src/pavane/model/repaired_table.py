"""A table of a network that has lost channels: the table of the whole network, and what differs from it.

The table (`table_schedule`) is that of the network before the fault. Where it would use a lost channel, its messages
are *cut*: private messages are taken out of it as a whole, and of a broadcast the deliveries behind the lost channel.
All that is taken out is listed, and sent after the last step of the table, over channels that are left. Like rows of a
table a listed transfer has its path as runs of channel kinds, but one router does it, and its message has the number
that the problem gives it. Under store-and-forward its channels are hops in consecutive steps.

The table of the whole network may also be trees along the lines of a mesh (`mesh_trees`), whose kinds are the ways
along its dimensions.

A repaired table of a reduce-scatter is that of the allgather, read backwards over the opposite channels; one of an
allreduce is first read backwards and then forwards.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from pavane.errors import InputError
from pavane.model.arrays import Flags, Ints, Longs, ranges
from pavane.model.channel_kinds import ChannelKinds
from pavane.model.mesh_trees import MeshTrees
from pavane.model.network import Network
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule, Transfer, some_transfers
from pavane.model.table_schedule import TableSchedule, path_lengths, walked_runs
from pavane.text import counted

MOST_HOPS_WALKED = 2**20
"""Hops that are read together where paths are walked."""


class ListedHops(NamedTuple):
    """Transfers by the places of their channels; under store-and-forward each channel is a transfer of its own."""

    steps: Longs
    messages: Longs
    lengths: Longs
    """The number of channels of each transfer."""
    places: Longs
    """The place of each channel among the kinds: its tail times the number of kinds, plus its kind."""

    @property
    def firsts(self) -> Longs:
        """Return the place of the first channel of each transfer."""
        firsts: Longs = self.places[np.cumsum(self.lengths) - self.lengths]
        return firsts

    @property
    def lasts(self) -> Longs:
        """Return the place of the last channel of each transfer."""
        lasts: Longs = self.places[np.cumsum(self.lengths) - 1]
        return lasts


@dataclass(frozen=True, eq=False, repr=False)
class RepairedTable:
    """The table of a whole network, the channels that the network has lost, and the transfers that differ.

    Example:
        >>> whole = pavane.Problem(pavane.network("torus:6x6"), "alltoall")
        >>> table = pavane.solve_by_table(whole).table
        >>> pavane.repair(whole, table, [0]).result.table
        <RepairedTable: 35 rows in 27 steps, for 36 routers, and 27 transfers; 33 steps in all>
    """

    num_steps: int
    """The steps of the table, and of what is sent after it; of an allreduce twice as many."""
    table: TableSchedule | MeshTrees
    """The table of the whole network; for sums that of the allgather."""
    whole: Network
    """The network of the table."""
    lost: Ints
    """The channels of the whole network that are lost."""
    steps: Longs
    """The first step of each listed transfer."""
    tails: Ints
    """The router that each listed transfer starts from."""
    messages: Longs
    """The message of each listed transfer, by the number that it has in the problem."""
    run_offsets: Longs
    """Listed transfer i has the runs run_offsets[i] to run_offsets[i + 1]."""
    run_kinds: Ints
    run_lengths: Ints

    def __len__(self) -> int:
        return len(self.table)

    def __repr__(self) -> str:
        of_whole, listed = repr(self.table).partition(": ")[2][:-1], counted(self.num_listed, "transfer")
        return f"<RepairedTable: {of_whole}, and {listed}; {counted(self.num_steps, 'step')} in all>"

    @property
    def num_listed(self) -> int:
        """Return the number of listed transfers."""
        return len(self.steps)

    @property
    def num_routers(self) -> int:
        """Return the number of routers."""
        return self.table.num_routers

    @property
    def num_bytes(self) -> int:
        """Return the bytes that its columns take, without the translations."""
        columns = (getattr(self, each.name) for each in fields(self))
        return self.table.num_bytes + sum(column.nbytes for column in columns if isinstance(column, np.ndarray))

    @cached_property
    def kinds(self) -> ChannelKinds:
        """The kinds of channels of the whole network."""
        return self.table.kinds(self.whole)

    def whole_problem(self, problem: Problem) -> Problem:
        """Return the problem of the table: the same on the whole network, for sums its allgather."""
        return replace(read_forwards(problem), network=self.whole)

    def num_phase_steps(self, problem: Problem) -> int:
        """Return the number of steps of one phase: an allreduce has two, and all else one."""
        return self.num_steps // 2 if problem.pattern == "allreduce" else self.num_steps

    @cached_property
    def row_lengths(self) -> Longs:
        """The number of channels of each listed transfer."""
        return path_lengths(self.run_offsets, self.run_lengths)

    @cached_property
    def is_left(self) -> Flags:
        """Whether each channel of the whole network is left."""
        is_left = np.ones(self.whole.num_channels, dtype=bool)
        is_left[self.lost] = False
        return is_left

    def num_transfers(self, problem: Problem) -> int:
        """Return the number of transfers, without those that are taken out."""
        if isinstance(self.table, TableSchedule) and (problem.pattern, problem.rules.switching) == (
            "private",
            "store-and-forward",
        ):
            hops = self.table.row_lengths
            of_message = np.bincount(self.table.messages, weights=hops).astype(np.int64)
            gone = of_message[self._own_numbers(problem)]
            return self.table.num_transfers(problem) - int(gone.sum()) + int(self.row_lengths.sum())
        # As many transfers are listed as are taken out.
        num_phases = 2 if problem.pattern == "allreduce" else 1
        return num_phases * self.table.num_transfers(self.whole_problem(problem))

    def _own_numbers(self, problem: Problem) -> Longs:
        """Return the number that each listed private message has in the table, as one of router 0."""
        pieces = problem.collective.pieces
        labels = problem.labels_among_all(self.messages)
        places = self.kinds.images(self.kinds.inverses[labels[:, 0]], labels[:, 1])
        return places * pieces + self.messages % pieces

    # -- what it says of single routers and steps

    def transfers_of(self, problem: Problem, router: int, target: int | None = None) -> list[Transfer]:
        """Return the transfers of the messages of a router, or of those to one target, in the order of their steps."""
        of_table = self.table.transfers_of(self.whole_problem(problem), router, target)
        rows = Schedule.from_transfers(of_table, self.table.num_steps)
        pieces, width = problem.collective.pieces, self.num_routers - 1 if problem.pattern == "private" else 1
        chosen = np.flatnonzero(self.messages // pieces // width == router)
        listed = self._scheduled(self._hops(problem, chosen))
        if target is not None:
            listed = some_transfers(listed, problem.labels_among_all(listed.messages)[:, 1] == target)
        return list(self._turned(problem, Schedule.join([self._left(problem, rows), listed], self.num_steps)))

    def expand_step(self, problem: Problem, step: int) -> Schedule:
        """Return the transfers of all routers in one step."""
        if not 0 <= step < self.num_steps:
            raise InputError(f"the table has {counted(self.num_steps, 'step')}, so there is no step {step}")
        span = self.num_phase_steps(problem)
        is_backwards = problem.pattern in ("reduction", "allreduce") and step < span
        forwards = span - 1 - step if is_backwards else step - (self.num_steps - span)
        if forwards < self.table.num_steps:
            made = self._left(problem, self.table.expand_step(self.whole_problem(problem), forwards))
        else:
            made = self.listed(problem, forwards, forwards + 1)
        turned = self._turned(problem, made)
        return some_transfers(turned, turned.steps == step) if problem.pattern == "allreduce" else turned

    def expand(self, problem: Problem) -> Schedule:
        """Return the schedule with the transfers of all routers; refuses what would be too many."""
        left = self._left(problem, self.table.expand(self.whole_problem(problem)))
        return self._turned(problem, Schedule.join([left, self.listed(problem)], self.num_steps))

    def listed(self, problem: Problem, first: int = 0, last: int | None = None) -> Schedule:
        """Return the listed transfers from a first step to before a last one, over channels that are left.

        Of sums these are those of the allgather, here and below.
        """
        return self._scheduled(self.hops(problem, first, self.num_steps if last is None else last))

    def hops(self, problem: Problem, first: int, last: int) -> ListedHops:
        """Return the same transfers by the places of their channels."""
        chosen = np.flatnonzero((self.steps < last) & (self.steps + self.spans(problem) > first))
        hops = self._hops(problem, chosen)
        is_inside = (hops.steps >= first) & (hops.steps < last)
        # Only transfers of one channel each are not all inside: parts of paths, under store-and-forward.
        return hops if is_inside.all() else ListedHops(*(column[is_inside] for column in hops))

    def spans(self, problem: Problem) -> Longs:
        """Return the number of steps that each listed transfer takes: under store-and-forward one for each channel."""
        is_stored = problem.rules.switching == "store-and-forward"
        return self.row_lengths if is_stored else np.ones(self.num_listed, dtype=np.int64)

    # -- how it is written out

    def _hops(self, problem: Problem, chosen: Longs) -> ListedHops:
        steps, messages, lengths = self.steps[chosen], self.messages[chosen], self.row_lengths[chosen]
        offsets = np.cumsum(lengths) - lengths
        # Millions of hops are written where they belong, one after the other for each transfer.
        places = np.zeros(lengths.sum(), dtype=np.int64)
        for hop, on, at in walks(self, self.kinds, chosen, self.tails[chosen]):
            places[offsets[on] + hop] = at
        if problem.rules.switching != "store-and-forward":
            return ListedHops(steps, messages, lengths, places)
        return ListedHops(ranges(steps, lengths), np.repeat(messages, lengths), np.ones_like(places), places)

    def _scheduled(self, hops: ListedHops) -> Schedule:
        number = (np.cumsum(self.is_left) - 1).astype(np.int32)
        paths = hops.lengths, number.take(self.kinds.channels.take(hops.places))
        senders, receivers = hops.firsts // self.kinds.num_kinds, self.kinds.heads.take(hops.lasts)
        return Schedule.from_columns(self.num_steps, hops.steps, senders, receivers, paths, hops.messages)

    def _left(self, problem: Problem, schedule: Schedule) -> Schedule:
        """Return the transfers of the table that are not taken out, over channels of the network that is left."""
        number = np.where(self.is_left, np.cumsum(self.is_left) - 1, -1)
        if problem.pattern == "private":
            is_gone = np.isin(schedule.messages, self.messages)
        else:
            wanted = schedule.messages.astype(np.int64) * self.num_routers + schedule.receivers
            is_gone = np.isin(wanted, self.deliveries)
        kept = replace(some_transfers(schedule, ~is_gone), num_steps=self.num_steps)
        return kept.with_columns(path_channels=number[kept.path_channels].astype(np.int32))

    def _turned(self, problem: Problem, schedule: Schedule) -> Schedule:
        """Return transfers of the allgather as those of sums, backwards or both ways; all others as they are."""
        if problem.pattern in ("private", "broadcast"):
            return schedule
        span, back = self.num_phase_steps(problem), problem.network.opposite
        backwards = schedule.with_columns(
            steps=span - 1 - schedule.steps,
            senders=schedule.receivers,
            receivers=schedule.senders,
            path_channels=back[schedule.path_channels],
        )
        if problem.pattern == "reduction":
            return backwards
        return Schedule.join([backwards, schedule], self.num_steps, [backwards.steps, span + schedule.steps])

    @cached_property
    def deliveries(self) -> Longs:
        """The listed deliveries of copies: message * routers + receiver; each has one channel."""
        first = self.run_kinds[self.run_offsets[:-1]]
        heads: Longs = self.kinds.heads[self.tails, first].astype(np.int64)
        return self.messages * self.num_routers + heads


def read_forwards(problem: Problem) -> Problem:
    """Return the allgather whose schedules, read backwards or both ways, are those of sums; any other problem as it is.

    Every channel must have an opposite one.
    """
    if problem.pattern not in ("reduction", "allreduce"):
        return problem
    return replace(problem, collective=replace(problem.collective, kind="AAB"))


def walks(
    table: TableSchedule | RepairedTable, kinds: ChannelKinds, rows: Longs, starts: Ints | Longs
) -> Iterator[tuple[int, Longs, Longs]]:
    """Yield the hops of rows, or of listed transfers, that start at some routers.

    These are the number of a hop, from 0, which of the rows make it, and the place of its channel in the columns of
    `kinds`: the router where the row is, times the number of kinds, plus the kind. Some rows are walked to their ends
    at a time, so that what is read stays in the processor's cache.
    """
    lengths, offsets, heads = table.row_lengths[rows], table.run_offsets, kinds.heads.reshape(-1)
    parts = np.flatnonzero(np.diff(np.cumsum(lengths) // MOST_HOPS_WALKED, append=-1)) + 1
    for first, last in pairwise((0, *parts.tolist())):
        some, left = rows[first:last], lengths[first:last]
        runs = ranges(offsets[some], offsets[some + 1] - offsets[some])
        words = np.repeat(table.run_kinds[runs], table.run_lengths[runs])
        order = np.argsort(-left, kind="stable")
        at, here, shorter = (np.cumsum(left) - left)[order], starts[first:last][order], -left[order]
        for hop in range(int(left.max(initial=0))):
            # Those with the longest paths come first.
            count = int(np.searchsorted(shorter, -hop))
            places = here[:count].astype(np.int64) * kinds.num_kinds + words.take(at[:count] + hop)
            yield hop, first + order[:count], places
            here = heads.take(places)


def crossings(table: TableSchedule, whole: Network, lost: Ints) -> tuple[Longs, Longs]:
    """Return where a table would use lost channels: rows, and the router whose message each is; in any order.

    A hop of a kind uses each channel of that kind once, so that as many are returned as there are hops of their kinds.
    The message of router w is before its hop at the image of a place x; this is the tail q of the lost channel if w is
    the image, under the translation of q, of the router whose translation takes x to router 0.
    """
    kinds = table.kinds(whole)
    row_of_run = np.repeat(np.arange(len(table)), np.diff(table.run_offsets))
    starts, _ = walked_runs(table, kinds, table.tails.astype(np.int64))
    rows, routers = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    for tail, kind in np.argwhere(np.isin(kinds.channels, lost)).tolist():
        runs = np.flatnonzero(table.run_kinds == kind)
        lengths = table.run_lengths[runs].astype(np.int64)
        each, hops = np.repeat(runs, lengths), ranges(np.zeros_like(lengths), lengths)
        places = kinds.walked(starts[each], np.full(len(each), kind), hops)
        rows.append(row_of_run[each])
        routers.append(kinds.translation_to(tail)[kinds.inverses[places]])
    return np.concatenate(rows), np.concatenate(routers)


def num_crossings(table: TableSchedule, whole: Network, lost: Ints) -> int:
    """Return how often a table would use lost channels."""
    kinds = table.kinds(whole)
    of_kind = np.bincount(table.run_kinds, weights=table.run_lengths, minlength=kinds.num_kinds)
    return int(of_kind[np.argwhere(np.isin(kinds.channels, lost))[:, 1]].sum())


def has_same_links(whole: Network, left: Network, lost: Ints) -> bool:
    """Return whether channels that share a link in what is left of a network did so in the whole network.

    Parallel channels pair up in the order of their numbers, so that after the loss of one others may pair up.
    """
    stays = np.flatnonzero(~np.isin(np.arange(whole.num_channels), lost))
    paired = np.flatnonzero(left.opposite >= 0)
    return np.array_equal(whole.opposite[stays[paired]], stays[left.opposite[paired]])
