"""One table before the judge: where its rows lead, and the loads that its hops make."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np

from pavane.judge.unit_loads import Load
from pavane.judge.violation import Rule, Violation
from pavane.model.arrays import Flags, Ints, Longs
from pavane.model.channel_kinds import ChannelKinds
from pavane.model.problem import Problem
from pavane.model.symmetric_schedule import SymmetricSchedule


class SymmetricCase:
    """A table under verification, with the kinds of channels that its translations make."""

    never = np.iinfo(np.int64).max // 2
    """A step that does not come."""

    def __init__(self, problem: Problem, table: SymmetricSchedule, kinds: ChannelKinds) -> None:
        self.problem, self.table, self.network = problem, table, problem.network
        self.heads, self.channels = kinds.heads, kinds.channels
        self.kind_range = range(self.channels.shape[1])
        rules = problem.rules
        self.is_slotted = rules.switching == "tdm"
        self.is_stored = rules.switching == "store-and-forward"
        self.is_slim = table.routers is None
        self.rests = self.is_stored and self.is_slim
        """Whether messages rest after every hop."""
        self.unit = "slot" if self.is_slotted else "step"
        self.capacities: Longs = self.network.capacity[self.channels[0]].astype(np.int64)
        """The capacity of each kind."""
        if self.is_slim:
            self.num_ports = int(self.capacities.sum()) if rules.ports == "all" else int(rules.ports)
        else:
            self.num_ports = min(int(problem.injection.min()), int(problem.ejection.min()))
        self.copy_delay = rules.flight(1) + rules.packet_slots if self.is_slotted else 1
        """The steps from the start of a transfer over one channel until its copy can be sent on."""

    # -- rows and their texts

    def of_rows(self, rule: Rule, is_wrong: Flags, text: str) -> Iterator[Violation]:
        """Yield a violation for each marked row."""
        for row in np.flatnonzero(is_wrong).tolist():
            yield Violation(rule, f"row {row} of the table, {self.unit} {self.table.steps[row]}: {text}")

    def any_run(self, marked: Flags) -> Flags:
        """Return which rows have a marked run."""
        counts = np.concatenate([[0], np.cumsum(marked)])
        return np.diff(counts[self.table.run_offsets]) > 0

    def unsorted(self, order: Longs, flags: Flags) -> Flags:
        """Return flags that are in some order of the rows, by row."""
        by_row = np.zeros(len(flags), dtype=bool)
        by_row[order] = flags
        return by_row

    # -- where rows lead

    def is_longer(self, rows: Longs) -> Flags:
        """Return which of some rows have longer paths than their ends are apart, measured here."""
        marked = np.zeros(len(self.table), dtype=bool)
        starts, ends = (self.network.router_of[each].astype(np.int64) for each in (self.table.senders, self.ends))
        for start in np.unique(starts[rows]).tolist():
            own = rows[starts[rows] == start]
            lengths = self.table.row_lengths[own]
            distances = self.distances(start, int(lengths.max()))[ends[own]]
            marked[own] = (distances >= 0) & (lengths > distances)
        return marked

    def distances(self, start: int, limit: int) -> Longs:
        """Return the distance of every router from one, measured here; -1 for those that are as far as a limit."""
        offsets, outgoing = self.network.outgoing
        distances = np.full(self.network.num_routers, -1, dtype=np.int64)
        distances[start] = 0
        front, far = np.array([start]), 0
        while len(front) and far < limit - 1:
            far += 1
            counts = offsets[front + 1] - offsets[front]
            places = np.arange(int(counts.sum())) + np.repeat(offsets[front] - np.cumsum(counts) + counts, counts)
            heads = self.network.heads[outgoing[places]]
            front = np.unique(heads[distances[heads] < 0]).astype(np.int64)
            distances[front] = far
        return distances

    @cached_property
    def ends(self) -> Longs:
        """The processor where each row ends."""
        table = self.table
        if table.receivers is not None:
            return table.receivers.astype(np.int64)
        num_runs = np.diff(table.run_offsets)
        here: Longs = table.senders.astype(np.int64)
        for position in range(int(num_runs.max(initial=0))):
            rows = np.flatnonzero(num_runs > position)
            runs = table.run_offsets[rows] + position
            here[rows] = self._after(here[rows], table.run_kinds[runs], table.run_lengths[runs])
        return here

    def _after(self, routers: Longs, kinds: Ints, lengths: Ints) -> Longs:
        """Return where runs end: 1, 2, 4, ... hops at a time."""
        ends = routers.copy()
        for kind in np.unique(kinds).tolist():
            hop, left = self.heads[:, kind], np.where(kinds == kind, lengths, 0)
            while left.any():
                odd = np.flatnonzero(left & 1)
                ends[odd] = hop[ends[odd]]
                left, hop = left >> 1, hop[hop]
        return ends

    @cached_property
    def run_channels(self) -> Longs:
        """With switches the channel of each run."""
        assert self.table.run_processors is not None
        return self.channels[self.table.run_processors, self.table.run_kinds].astype(np.int64)

    def places(self, row: int) -> list[int]:
        """Return the routers along a row."""
        places, first = [int(self.network.router_of[self.table.senders[row]])], int(self.table.run_offsets[row])
        if not self.is_slim:
            channels = self.run_channels[first : int(self.table.run_offsets[row + 1])]
            return [*places, *self.network.heads[channels].tolist()]
        for run in range(first, int(self.table.run_offsets[row + 1])):
            for _ in range(int(self.table.run_lengths[run])):
                places.append(int(self.heads[places[-1], self.table.run_kinds[run]]))
        return places

    def visits_twice(self, rows: Longs) -> Flags:
        """Return which of some rows meet a router twice."""
        marked = np.zeros(len(self.table), dtype=bool)
        for row in rows.tolist():
            places = self.places(row)
            marked[row] = len(set(places)) < len(places)
        return marked

    # -- loads

    def units(self) -> tuple[Longs, Flags]:
        """Return the kind whose capacity each kind draws on, and which kinds are their own way back.

        Under half duplex the two kinds of a link share the first one's capacity.
        """
        own = np.array(self.kind_range, dtype=np.int64)
        is_both = np.zeros(len(own), dtype=bool)
        if self.problem.rules.duplex == "full":
            return own, is_both
        back = self.network.opposite[self.channels[0]]
        kind_of = np.empty(self.network.num_channels, dtype=np.int64)
        kind_of[self.channels] = own
        opposite = np.where(back >= 0, kind_of[back], own)
        return np.minimum(own, opposite), (opposite == own) & (back >= 0)

    @cached_property
    def hop_counts(self) -> Longs:
        """How many hops of its row come before each run."""
        before = np.concatenate([[0], np.cumsum(self.table.run_lengths, dtype=np.int64)])
        firsts = np.repeat(before[self.table.run_offsets[:-1]], np.diff(self.table.run_offsets))
        counts: Longs = before[:-1] - firsts
        return counts

    @cached_property
    def row_of_run(self) -> Longs:
        """The row of each run."""
        return np.repeat(np.arange(len(self.table)), np.diff(self.table.run_offsets))

    @property
    def flights(self) -> Longs:
        """Return the slots from the injection to the ejection of each row."""
        flights: Longs = self.problem.rules.flight(self.table.row_lengths)
        return flights

    @property
    def stage_lengths(self) -> Longs:
        """Return the number of steps in which each row goes from some router."""
        lengths = np.array([clock.num_steps for clock in self.table.clocks] or [1])
        return lengths[self.table.row_clocks]

    def channel_load(self) -> Load:
        """Return when hops of the table use the kinds, or under half duplex their links; there are no clocks."""
        units, is_both = self.units()
        load = self._kind_load(units)
        # Both ends of a link send at once, and draw on what it carries twice.
        return load._replace(weights=load.weights * np.where(is_both, 2, 1)[load.units])

    def _kind_load(self, units: Longs) -> Load:
        table, lengths = self.table, self.table.run_lengths.astype(np.int64)
        of_kind, starts = units[table.run_kinds], table.steps[self.row_of_run]
        if self.is_slotted:
            rules = self.problem.rules
            if (rules.hop_slots, rules.packet_slots) != (1, 1):
                hops = np.arange(int(lengths.sum())) - np.repeat(np.cumsum(lengths) - lengths, lengths)
                hops += np.repeat(self.hop_counts, lengths)
                starts = np.repeat(starts, lengths) + (hops + 1) * rules.hop_slots
                return self._round(np.repeat(of_kind, lengths), starts, np.full(len(hops), rules.packet_slots))
            return self._round(of_kind, starts + self.hop_counts + 1, lengths)
        if self.rests:
            starts = starts + self.hop_counts
            return Load(of_kind, starts, starts + lengths, np.ones(len(lengths), dtype=np.int64))
        return Load(of_kind, starts, starts + 1, lengths)

    def port_load(self, side: int) -> Load:
        """Return when rows use the ports of every processor: to send (0) or to receive (1)."""
        table = self.table
        nowhere, ones = np.zeros(len(table), dtype=np.int64), np.ones(len(table), dtype=np.int64)
        if self.is_slotted:
            starts = table.steps + (self.flights if side else 0)
            return self._round(nowhere, starts, ones * self.problem.rules.packet_slots)
        spans = table.row_lengths if self.rests else ones
        return Load(nowhere, table.steps, table.steps + spans, ones)

    def _round(self, units: Longs, starts: Longs, lengths: Longs) -> Load:
        """Return intervals of slots, under wrap counted round the period."""
        period = self.table.num_steps
        if not self.problem.rules.wrap:
            return Load(units, starts, starts + lengths, np.ones(len(units), dtype=np.int64))
        whole, rest = np.divmod(lengths, period)
        starts = starts % period
        over = np.flatnonzero(starts + rest > period)
        every = np.flatnonzero(whole)
        return Load(
            np.concatenate([units, units[over], units[every]]),
            np.concatenate([starts, np.zeros(len(over) + len(every), dtype=np.int64)]),
            np.concatenate(
                [np.minimum(starts + rest, period), (starts + rest)[over] - period, np.full(len(every), period)]
            ),
            np.concatenate([np.ones(len(units) + len(over), dtype=np.int64), whole[every]]),
        )
