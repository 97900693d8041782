"""A schedule given by a table: the transfers of one router's messages, which every router does translated.

A row of the table is a transfer of a message that belongs to router 0: for private messages and broadcasts a message
from router 0, for reductions one towards it. The row has the router that it starts from and its path as runs of channel
kinds. Every other router's messages do the same, translated (`channel_kinds`).

Under store-and-forward the channels of a row are hops in consecutive steps. In slots (tdm) the row's step is the slot
of its injection. Under wormhole switching rows have a *clock*: a clock gives every router a phase, a number modulo m_i
in each of several dimensions, and a hop of a kind adds the same to the phase at every router. With M the largest m_i,
the row from router w goes in step s + (sum of (phase of w + c) modulo m_i) modulo M, for the row's first step s and its
own phase c: within a *stage* of M steps. A clock without dimensions has M = 1: all routers go in step s.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from pavane.errors import InputError
from pavane.model.arrays import Ints, Longs
from pavane.model.channel_kinds import ChannelKinds
from pavane.model.messages import MOST_MESSAGES
from pavane.model.network import Network
from pavane.model.path_blocks import PathBlocks
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule, Transfer
from pavane.text import counted

MOST_HOPS_WRITTEN = 200_000_000
"""A schedule with more channels on its paths is not written out: it takes about 20 bytes for each."""


class Clock(NamedTuple):
    """Which phases routers have: router 0 has 0, and each hop adds the increments of its kind."""

    moduli: tuple[int, ...]
    increments: Longs
    """What a hop adds: increments[kind, dimension]."""

    @property
    def num_steps(self) -> int:
        """Return the number of steps of a stage."""
        return max(self.moduli, default=1)

    def phases(self, kinds: ChannelKinds) -> Longs:
        """Return the phase of every router: phases[router, dimension]."""
        _, last_kinds, before = kinds.shortest_paths
        phases = np.zeros((len(before), len(self.moduli)), dtype=np.int64)
        for level in kinds.levels:
            phases[level] = (phases[before[level]] + self.increments[last_kinds[level]]) % np.array(self.moduli)
        return phases

    def turns(self, phases: Longs) -> Longs:
        """Return the step of a stage in which rows of some phases go."""
        moduli = np.array(self.moduli, dtype=np.int64)
        turns: Longs = (phases % moduli).sum(axis=-1) % self.num_steps
        return turns


@dataclass(frozen=True, eq=False, repr=False)
class TableSchedule:
    """One router's table: rows as columns, with the translations that take it to every router.

    Example:
        >>> problem = pavane.Problem(pavane.network("hypercube:3"), "alltoall")
        >>> table = pavane.solve_by_table(problem).table
        >>> table
        <TableSchedule: 7 rows in 4 steps, for 8 routers>
    """

    num_steps: int
    translations: Ints
    """Permutations of the routers, a row each, which together take router 0 to every router."""
    steps: Longs
    """The first step of each row: of its first hop, of its stage, or under tdm the slot of its injection."""
    tails: Ints
    """The router that each row starts from; 0 is the router whose messages these are."""
    messages: Longs
    """For private messages target * pieces + piece, otherwise the piece; of an allreduce 2 * piece, and one more where
    the finished sum goes out."""
    run_offsets: Longs
    """Row i has the runs run_offsets[i] to run_offsets[i + 1]."""
    run_kinds: Ints
    run_lengths: Ints
    clocks: tuple[Clock, ...] = ()
    clock_of: Ints | None = None
    """The clock of each row, under wormhole switching; None: all rows have the first one, or there is none."""
    phases: Longs | None = None
    """The phase of each row, phases[row, dimension], as many as the clock with the most has; None: 0 everywhere."""

    def __len__(self) -> int:
        return len(self.steps)

    def __repr__(self) -> str:
        rows, steps = counted(len(self), "row"), counted(self.num_steps, "step")
        return f"<TableSchedule: {rows} in {steps}, for {self.num_routers:,} routers>"

    @property
    def num_routers(self) -> int:
        """Return the number of routers."""
        return int(self.translations.shape[1])

    @cached_property
    def row_lengths(self) -> Longs:
        """The number of channels of each row."""
        return path_lengths(self.run_offsets, self.run_lengths)

    @cached_property
    def row_clocks(self) -> Ints:
        """The number of each row's clock."""
        return np.zeros(len(self), dtype=np.int32) if self.clock_of is None else self.clock_of

    @cached_property
    def row_phases(self) -> Longs:
        """The phase of each row."""
        most = max((len(clock.moduli) for clock in self.clocks), default=0)
        return np.zeros((len(self), most), dtype=np.int64) if self.phases is None else self.phases

    def num_transfers(self, problem: Problem) -> int:
        """Return the number of transfers of all routers; under store-and-forward each hop is one."""
        is_stored = problem.rules.switching == "store-and-forward"
        return self.num_routers * (int(self.row_lengths.sum()) if is_stored else len(self))

    # -- what it says of single routers and steps

    def kinds(self, network: Network) -> ChannelKinds:
        """Return the kinds of channels of the network that its translations make; they are computed once."""
        return _kinds(self, network)

    def steps_at(self, kinds: ChannelKinds, router: int) -> Longs:
        """Return the first step of each row for the messages of one router."""
        steps = self.steps.copy()
        for number, clock in enumerate(self.clocks):
            rows = np.flatnonzero(self.row_clocks == number)
            phase = clock.phases(kinds)[router]
            steps[rows] += clock.turns(phase + self.row_phases[rows, : len(clock.moduli)])
        return steps

    def row_path(self, row: int) -> list[tuple[int, int]]:
        """Return the runs of a row: kind and length."""
        runs = slice(int(self.run_offsets[row]), int(self.run_offsets[row + 1]))
        return list(zip(self.run_kinds[runs].tolist(), self.run_lengths[runs].tolist(), strict=True))

    def transfers_of(self, problem: Problem, router: int, target: int | None = None) -> list[Transfer]:
        """Return the transfers of the messages of a router, or of those to one target, in the order of their steps."""
        kinds = self.kinds(problem.network)
        rows = np.arange(len(self))
        if target is not None and problem.pattern != "private":
            raise InputError(
                f"messages of {problem.collective.kind} are for all processors, so they have no one target"
            )
        if target is not None:
            rows = np.flatnonzero(self.messages // problem.collective.pieces == kinds.displacement(router, target))
        return list(_Expansion(self, problem, kinds).schedule(rows, np.array([router])))

    def expand_step(self, problem: Problem, step: int) -> Schedule:
        """Return the transfers of all routers in one step, or under tdm of the packets injected in one slot."""
        if not 0 <= step < self.num_steps:
            raise InputError(f"the table has {counted(self.num_steps, 'step')}, so there is no step {step}")
        lengths = np.ones(len(self), dtype=np.int64)
        if problem.rules.switching == "store-and-forward":
            lengths = self.row_lengths
        elif self.clocks:
            lengths = np.array([clock.num_steps for clock in self.clocks])[self.row_clocks]
        rows = np.flatnonzero((self.steps <= step) & (step < self.steps + lengths))
        kinds = self.kinds(problem.network)
        return _Expansion(self, problem, kinds, step).schedule(rows, np.arange(self.num_routers))

    def expand(self, problem: Problem) -> Schedule:
        """Return the schedule with the transfers of all routers; refuses what would be too many."""
        num_hops = self.num_routers * int(self.row_lengths.sum())
        for count, most, what in (
            (problem.num_messages, MOST_MESSAGES, "messages"),
            (num_hops, MOST_HOPS_WRITTEN, "channels on its paths"),
        ):
            if count > most:
                raise InputError(
                    f"{problem.collective.kind} on {problem.network.name} has {count:,} {what}, and schedules of at "
                    f"most {most:,} are written out; use the table, or single steps of it"
                )
        kinds = self.kinds(problem.network)
        return _Expansion(self, problem, kinds).schedule(np.arange(len(self)), np.arange(self.num_routers))


def path_lengths(run_offsets: Longs, run_lengths: Ints) -> Longs:
    """Return the number of channels of each path, from where its runs begin and how long they are."""
    ends = np.concatenate([[0], np.cumsum(run_lengths, dtype=np.int64)])
    lengths: Longs = ends[run_offsets[1:]] - ends[run_offsets[:-1]]
    return lengths


def walked_runs(table: TableSchedule, kinds: ChannelKinds, tails: Longs) -> tuple[Longs, Longs]:
    """Return where each run of a table starts, and where each row ends, if rows start at some routers."""
    num_runs, here = np.diff(table.run_offsets), tails.copy()
    starts = np.zeros(len(table.run_kinds), dtype=np.int64)
    for position in range(int(num_runs.max(initial=0))):
        rows = np.flatnonzero(num_runs > position)
        runs = table.run_offsets[rows] + position
        starts[runs] = here[rows]
        lengths = table.run_lengths[runs].astype(np.int64)
        here[rows] = kinds.walked(here[rows], table.run_kinds[runs].astype(np.int64), lengths)
    return starts, here


class Transfers(NamedTuple):
    """What several routers do by one row of a table: an entry for each transfer."""

    steps: Longs
    senders: Longs
    receivers: Longs
    messages: Longs
    channels: Longs
    """The paths, a row each."""


class _Expansion:
    """Writes rows of a table out for several routers; if a step is given, only what happens in it."""

    def __init__(self, table: TableSchedule, problem: Problem, kinds: ChannelKinds, step: int | None = None) -> None:
        self.table, self.problem, self.kinds, self.step = table, problem, kinds, step
        self.clock_phases = [clock.phases(kinds) for clock in table.clocks]

    def schedule(self, rows: Longs, routers: Longs) -> Schedule:
        """Return the transfers of some rows by some routers."""
        blocks = PathBlocks()
        for row in rows.tolist():
            for transfers in self._transfers(row, routers):
                blocks.add(*transfers)
        return blocks.schedule(self.table.num_steps)

    def _transfers(self, row: int, routers: Longs) -> Iterator[Transfers]:
        """Yield the transfers of one row; under store-and-forward hop by hop."""
        table = self.table
        starts = np.full(len(routers), table.steps[row])
        if table.clocks:
            number = int(table.row_clocks[row])
            clock, phases = table.clocks[number], self.clock_phases[number]
            starts += clock.turns(phases[routers] + table.row_phases[row, : len(clock.moduli)])
        if self.step is not None and self.problem.rules.switching != "store-and-forward":
            routers, starts = routers[starts == self.step], starts[starts == self.step]
        here, messages = self._translated(int(table.tails[row]), routers), self._messages(row, routers)
        channels, places = [], [here]
        for kind in [kind for kind, length in table.row_path(row) for _ in range(length)]:
            channels.append(self.kinds.channels[here, kind].astype(np.int64))
            here = self.kinds.heads[here, kind].astype(np.int64)
            places.append(here)
        if self.problem.rules.switching == "store-and-forward":
            for hop, (channel, (tails, heads)) in enumerate(zip(channels, pairwise(places), strict=True)):
                if self.step is None or self.step == table.steps[row] + hop:
                    yield Transfers(starts + hop, tails, heads, messages, channel[:, None])
        else:
            paths = np.stack(channels, axis=1) if channels else np.zeros((len(routers), 0), dtype=np.int64)
            yield Transfers(starts, places[0], here, messages, paths)

    def _translated(self, router: int, routers: Longs) -> Longs:
        """Return where the translations that take router 0 to some routers take a router."""
        is_whole = self.step is None and len(routers) == self.table.num_routers
        return self.kinds.sums[router][routers].astype(np.int64) if is_whole else self.kinds.moved(router, routers)

    def _messages(self, row: int, routers: Longs) -> Longs:
        """Return the numbers that the messages of a row have in the problem."""
        pieces, message = self.problem.collective.pieces, int(self.table.messages[row])
        if self.problem.pattern == "allreduce":
            return routers * pieces + message // 2
        if self.problem.pattern != "private":
            return routers * pieces + message
        target, piece = divmod(message, pieces)
        targets = self._translated(target, routers)
        pairs = routers * (self.table.num_routers - 1) + targets - (targets > routers)
        return pairs * pieces + piece


@lru_cache(maxsize=4)
def _kinds(table: TableSchedule, network: Network) -> ChannelKinds:
    return ChannelKinds.of(network, table.translations)
