"""A schedule given by the rows of one processor, and by the permutations that carry them to all: a table.

A row is a transfer of a message that belongs to processor 0: for private messages and broadcasts a message from it, for
reductions one towards it. It has its sender and its path as runs of channel kinds. The messages of every other
processor do the same, translated (`channel_kinds`). A hop of a row uses every channel of a kind once, so that kinds are
the units of load.

With one processor on each router a path goes on where it has come to. On networks with switches, where processors are
more than routers or fewer, each run has one channel, given by its kind and its processor, and rows name their receiver.

Under store-and-forward the channels of a row are hops in consecutive steps; a row over switches that pass messages on
takes one step. In slots (tdm) the row's step is the slot of its injection. Under wormhole switching rows have a
*clock*: a clock gives every router a phase, a number modulo m_i in each of several dimensions, and a hop of a kind adds
the same to the phase at every router. With M the largest m_i, the row from router w goes in step s + (sum of (phase of
w + c) modulo m_i) modulo M, for the row's first step s and its own phase c: within a *stage* of M steps. A clock
without dimensions has M = 1: all routers go in step s.
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
from pavane.model.path_blocks import PathBlocks, exchange_numbers
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
class SymmetricSchedule:
    """The rows of one processor as columns, with the translations that take it to every processor.

    Example:
        >>> problem = pavane.Problem(pavane.network("hypercube:3"), "alltoall")
        >>> pavane.solve(problem, form="table").table
        <SymmetricSchedule: 7 rows in 4 steps, for 8 processors>
        >>> problem = pavane.Problem(pavane.network("rails:8,4"), "alltoall")
        >>> pavane.solve(problem, form="table").table
        <SymmetricSchedule: 52 rows in 28 steps, for 32 processors>
    """

    num_steps: int
    translations: Ints
    """Permutations of the processors, a row each, which together take processor 0 to every processor."""
    steps: Longs
    """The first step of each row: of its first hop, of its stage, or under tdm the slot of its injection."""
    senders: Ints
    """The processor that each row starts from; 0 is the processor whose messages these are."""
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
    routers: Ints | None = None
    """The translations as permutations of the routers; None: one processor on each router."""
    receivers: Ints | None = None
    """With switches the receiving processor of each row."""
    run_processors: Ints | None = None
    """With switches the processor of each run's channel, which has the kind of the run; runs have one channel then."""

    def __len__(self) -> int:
        return len(self.steps)

    def __repr__(self) -> str:
        rows, steps = counted(len(self), "row"), counted(self.num_steps, "step")
        return f"<SymmetricSchedule: {rows} in {steps}, for {self.num_processors:,} processors>"

    @property
    def num_processors(self) -> int:
        """Return the number of processors."""
        return int(self.translations.shape[1])

    @cached_property
    def row_lengths(self) -> Longs:
        """The number of channels of each row."""
        ends = np.concatenate([[0], np.cumsum(self.run_lengths, dtype=np.int64)])
        lengths: Longs = ends[self.run_offsets[1:]] - ends[self.run_offsets[:-1]]
        return lengths

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
        """Return the number of transfers of all processors; where messages rest at every router each hop is one."""
        return self.num_processors * (int(self.row_lengths.sum()) if self.rests(problem) else len(self))

    def rests(self, problem: Problem) -> bool:
        """Return whether messages rest after every hop: by store-and-forward, with a processor on each router."""
        return problem.rules.switching == "store-and-forward" and self.routers is None

    # -- single processors and steps

    def kinds(self, network: Network) -> ChannelKinds:
        """Return the kinds of channels of the network that its translations make; they are computed once."""
        return _kinds(self, network)

    def steps_at(self, kinds: ChannelKinds, processor: int) -> Longs:
        """Return the first step of each row for the messages of one processor."""
        steps = self.steps.copy()
        for number, clock in enumerate(self.clocks):
            rows = np.flatnonzero(self.row_clocks == number)
            phase = clock.phases(kinds)[processor]
            steps[rows] += clock.turns(phase + self.row_phases[rows, : len(clock.moduli)])
        return steps

    def ends(self, kinds: ChannelKinds) -> Longs:
        """Return the processor where each row ends."""
        if self.receivers is not None:
            return self.receivers.astype(np.int64)
        num_runs, here = np.diff(self.run_offsets), self.senders.astype(np.int64)
        for position in range(int(num_runs.max(initial=0))):
            rows = np.flatnonzero(num_runs > position)
            runs = self.run_offsets[rows] + position
            lengths = self.run_lengths[runs].astype(np.int64)
            here[rows] = kinds.walked(here[rows], self.run_kinds[runs].astype(np.int64), lengths)
        return here

    def row_path(self, row: int) -> list[tuple[int, int]]:
        """Return the runs of a row: kind and length."""
        runs = slice(int(self.run_offsets[row]), int(self.run_offsets[row + 1]))
        return list(zip(self.run_kinds[runs].tolist(), self.run_lengths[runs].tolist(), strict=True))

    def transfers_of(self, problem: Problem, processor: int, target: int | None = None) -> list[Transfer]:
        """Return the transfers of the messages of a processor, or of those to one target, in the order of steps."""
        rows = np.arange(len(self))
        if target is not None and problem.pattern != "private":
            raise InputError(
                f"messages of {problem.collective.kind} are for all processors, so they have no one target"
            )
        if target is not None:
            displacement = self.kinds(problem.network).displacement(processor, target)
            rows = np.flatnonzero(self.messages // problem.collective.pieces == displacement)
        return list(_Expansion(self, problem, np.array([processor])).schedule(rows))

    def expand_step(self, problem: Problem, step: int) -> Schedule:
        """Return the transfers of all processors in one step, or under tdm of the packets injected in one slot."""
        refuse_other_step(self.num_steps, step)
        lengths = np.ones(len(self), dtype=np.int64)
        if self.rests(problem):
            lengths = self.row_lengths
        elif self.clocks:
            lengths = np.array([clock.num_steps for clock in self.clocks])[self.row_clocks]
        rows = np.flatnonzero((self.steps <= step) & (step < self.steps + lengths))
        return _Expansion(self, problem, np.arange(self.num_processors), step).schedule(rows)

    def expand(self, problem: Problem) -> Schedule:
        """Return the schedule with the transfers of all processors; refuses what would be too many."""
        refuse_to_expand(problem, self.num_processors * int(self.row_lengths.sum()))
        return _Expansion(self, problem, np.arange(self.num_processors)).schedule(np.arange(len(self)))


def refuse_other_step(num_steps: int, step: int) -> None:
    """Refuse a step that a table does not have."""
    if not 0 <= step < num_steps:
        raise InputError(f"the table has {counted(num_steps, 'step')}, so there is no step {step}")


def refuse_to_expand(problem: Problem, num_hops: int) -> None:
    """Refuse to write out a schedule of too many messages or hops."""
    for count, most, what in (
        (problem.num_messages, MOST_MESSAGES, "messages"),
        (num_hops, MOST_HOPS_WRITTEN, "channels on its paths"),
    ):
        if count > most:
            raise InputError(
                f"{problem.collective.kind} on {problem.network.name} has {count:,} {what}, and schedules of at "
                f"most {most:,} are written out; use the table, or single steps of it"
            )


class Transfers(NamedTuple):
    """What several processors do by one row of a table: an entry for each transfer."""

    steps: Longs
    senders: Longs
    receivers: Longs
    messages: Longs
    channels: Longs
    """The paths, a row each."""


class _Expansion:
    """Writes rows of a table out for several processors; if a step is given, only what happens in it."""

    def __init__(self, table: SymmetricSchedule, problem: Problem, origins: Longs, step: int | None = None) -> None:
        self.table, self.problem, self.origins, self.step = table, problem, origins, step
        self.kinds = table.kinds(problem.network)
        self.clock_phases = [clock.phases(self.kinds) for clock in table.clocks]
        self.of_one = self.kinds.translation_to(int(origins[0])) if len(origins) == 1 else None

    def schedule(self, rows: Longs) -> Schedule:
        """Return the transfers of some rows."""
        blocks = PathBlocks()
        for row in rows.tolist():
            for transfers in self._transfers(row):
                blocks.add(*transfers)
        return blocks.schedule(self.table.num_steps)

    def _transfers(self, row: int) -> Iterator[Transfers]:
        """Yield the transfers of one row; where messages rest at every router hop by hop."""
        table, origins = self.table, self.origins
        starts = np.full(len(origins), table.steps[row])
        if table.clocks:
            number = int(table.row_clocks[row])
            clock, phases = table.clocks[number], self.clock_phases[number]
            starts += clock.turns(phases[origins] + table.row_phases[row, : len(clock.moduli)])
        if self.step is not None and not table.rests(self.problem):
            origins, starts = origins[starts == self.step], starts[starts == self.step]
        here, messages = self._moved(int(table.senders[row]), origins), self._messages(row, origins)
        channels, places = [], [here]
        for run in range(int(table.run_offsets[row]), int(table.run_offsets[row + 1])):
            kind = table.run_kinds[run]
            if table.run_processors is not None:
                channels.append(self.kinds.channels[self._moved(int(table.run_processors[run]), origins), kind])
                continue
            for _ in range(int(table.run_lengths[run])):
                channels.append(self.kinds.channels[here, kind])
                here = self.kinds.heads[here, kind].astype(np.int64)
                places.append(here)
        if table.receivers is not None:
            here = self._moved(int(table.receivers[row]), origins)
        if table.rests(self.problem):
            for hop, (channel, (tails, heads)) in enumerate(zip(channels, pairwise(places), strict=True)):
                if self.step is None or self.step == table.steps[row] + hop:
                    yield Transfers(starts + hop, tails, heads, messages, channel[:, None])
        else:
            paths = np.stack(channels, axis=1) if channels else np.zeros((len(origins), 0), dtype=np.int64)
            yield Transfers(starts, places[0], here, messages, paths)

    def _moved(self, processor: int, origins: Longs) -> Longs:
        """Return where the translations that take processor 0 to some origins take a processor."""
        if self.of_one is not None:
            return self.of_one[[processor]]
        if self.step is not None:
            return self.kinds.moved(processor, origins)
        images: Longs = self.kinds.sums[processor].astype(np.int64)
        return images

    def _messages(self, row: int, origins: Longs) -> Longs:
        """Return the numbers that the messages of a row have in the problem."""
        pieces, message = self.problem.collective.pieces, int(self.table.messages[row])
        if self.problem.pattern == "allreduce":
            return origins * pieces + message // 2
        if self.problem.pattern != "private":
            return origins * pieces + message
        target, piece = divmod(message, pieces)
        pairs = exchange_numbers(self.table.num_processors, origins, self._moved(target, origins))
        return pairs * pieces + piece


@lru_cache(maxsize=4)
def _kinds(table: SymmetricSchedule, network: Network) -> ChannelKinds:
    return ChannelKinds.of(network, table.translations, table.routers)
