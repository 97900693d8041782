"""A schedule of private messages given by the paths of one processor, on networks with switches.

Translations of such a network take processor 0 to every processor, but several processors share a switch, so that
switches are fewer and a channel kind does not say where a path leads. A row of the table is therefore a transfer of
a message of processor 0 with its channels; every other processor's messages do the same, translated. What makes this
work is that translations move every channel: those that one channel is taken to are as many as the processors
(`judge.path_table_rules` has the proof). Clusters with rails and k-ary n-trees are such networks.

A row is one transfer in one step: along a whole path under wormhole switching, and over switches that pass messages on
at once, from processor to processor, under store-and-forward, where a message may have several rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from pavane.errors import InputError
from pavane.model.arrays import Ints, Longs
from pavane.model.channel_kinds import with_powers
from pavane.model.messages import MOST_MESSAGES
from pavane.model.network import Network
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule, Transfer
from pavane.text import counted

ROWS_AT_ONCE = 256
"""Rows that are written out for all processors together: more take more memory, fewer more time."""


class Translates:
    """Where translations take the processors and channels of a network; channels are numbered after the processors."""

    def __init__(self, network: Network, router_shifts: Ints, processor_shifts: Ints) -> None:
        size = network.num_processors
        moved = [
            np.concatenate([shift, size + _moved_channels(network, routers)])
            for routers, shift in zip(router_shifts, processor_shifts, strict=True)
        ]
        self.size = size
        self.permutations = [step.astype(np.int64) for step in with_powers(np.array(moved, dtype=np.int32))]
        """The translations and their 2nd, 4th, ... powers."""
        self._rounds = list(self._found())

    def _found(self) -> Iterator[tuple[int, Longs, Longs]]:
        """Yield the permutation, the processors known before, and those that it takes them to first."""
        is_reached = np.zeros(self.size, dtype=bool)
        is_reached[0] = True
        front = np.zeros(1, dtype=np.int64)
        while len(front):
            news = []
            for number, permutation in enumerate(self.permutations):
                images = permutation[front]
                fresh, at = np.unique(np.where(is_reached[images], self.size, images), return_index=True)
                is_new = fresh < self.size
                is_reached[fresh[is_new]] = True
                news.append(fresh[is_new])
                yield number, front[at[is_new]], fresh[is_new]
            front = np.concatenate(news)
        if not is_reached.all():
            raise InputError("the translations do not take processor 0 to every processor")

    def images(self, things: Longs) -> Longs:
        """Return where the translation to each processor takes processors or channels: images[processor, thing]."""
        images = np.empty((self.size, len(things)), dtype=np.int64)
        images[0] = things
        for number, known, fresh in self._rounds:
            images[fresh] = self.permutations[number][images[known]]
        return images

    def moved(self, things: Longs, processor: int) -> Longs:
        """Return where the translation that takes processor 0 to a processor takes processors or channels."""
        word = []
        for number, known, fresh in reversed(self._rounds):
            at = np.flatnonzero(fresh == processor)
            if len(at):
                word.append(number)
                processor = int(known[at[0]])
        for number in reversed(word):
            things = self.permutations[number][things]
        return things


def _moved_channels(network: Network, routers: Ints) -> Longs:
    """Return the channel that each channel is taken to; refuses permutations that do not keep the channels."""
    width = network.num_routers
    numbers = network.tails.astype(np.int64) * width + network.heads
    order = np.argsort(numbers)
    images = routers[network.tails].astype(np.int64) * width + routers[network.heads]
    at = np.minimum(np.searchsorted(numbers, images, sorter=order), len(numbers) - 1)
    moved: Longs = order[at]
    if not np.array_equal(numbers[moved], images) or len(np.unique(numbers)) < len(numbers):
        raise InputError(f"network {network.name}: its translations do not keep the channels, or some are parallel")
    return moved


@dataclass(frozen=True, eq=False, repr=False)
class PathTable:
    """The transfers of one processor's messages as columns, with the translations to every processor.

    Example:
        >>> problem = pavane.Problem(pavane.network("rails:8,4"), "alltoall")
        >>> pavane.solve_by_table(problem).table
        <PathTable: 52 rows in 28 steps, for 32 processors>
    """

    num_steps: int
    router_shifts: Ints
    """Permutations of the routers, a row each."""
    processor_shifts: Ints
    """The same translations as permutations of the processors, which together take processor 0 to every one."""
    steps: Longs
    senders: Ints
    """The sending processor of each row; 0 is the one whose messages these are."""
    receivers: Ints
    messages: Longs
    """The message of each row: target * pieces + piece."""
    path_offsets: Longs
    """Row i has the channels path_offsets[i] to path_offsets[i + 1]."""
    channels: Ints

    def __len__(self) -> int:
        return len(self.steps)

    def __repr__(self) -> str:
        rows, steps = counted(len(self), "row"), counted(self.num_steps, "step")
        return f"<PathTable: {rows} in {steps}, for {self.num_processors:,} processors>"

    @property
    def num_processors(self) -> int:
        """Return the number of processors."""
        return int(self.processor_shifts.shape[1])

    @property
    def num_routers(self) -> int:
        """Return the number of routers."""
        return int(self.router_shifts.shape[1])

    def translates(self, network: Network) -> Translates:
        """Return where its translations take processors and channels."""
        return _translates(self, network)

    def num_transfers(self, problem: Problem) -> int:
        """Return the number of transfers of all processors."""
        return len(self) * self.num_processors

    def transfers_of(self, problem: Problem, processor: int, target: int | None = None) -> list[Transfer]:
        """Return the transfers of the messages of a processor, or of those to one target, in the order of steps."""
        translates, rows = self.translates(problem.network), np.arange(len(self))
        if target is not None:
            shifted = translates.moved(np.arange(self.num_processors), processor)
            displacement = int(np.flatnonzero(shifted == target)[0])
            rows = np.flatnonzero(self.messages // problem.collective.pieces == displacement)
        things, lengths = self._things(problem, rows)
        moved = translates.moved(things, processor)
        return list(self._schedule(problem, rows, np.array([processor]), moved[None], lengths))

    def expand_step(self, problem: Problem, step: int) -> Schedule:
        """Return the transfers of all processors in one step."""
        if not 0 <= step < self.num_steps:
            raise InputError(f"the table has {counted(self.num_steps, 'step')}, so there is no step {step}")
        return self._expanded(problem, np.flatnonzero(self.steps == step))

    def expand(self, problem: Problem) -> Schedule:
        """Return the schedule with the transfers of all processors; refuses what would be too many."""
        if problem.num_messages > MOST_MESSAGES:
            raise InputError(
                f"{problem.collective.kind} on {problem.network.name} has {problem.num_messages:,} messages; at most "
                f"{MOST_MESSAGES:,} are written out: use the table, or single steps of it"
            )
        return self._expanded(problem, np.arange(len(self)))

    # -- how it is written out

    def _expanded(self, problem: Problem, rows: Longs) -> Schedule:
        """Return the transfers of some rows by all processors."""
        translates, everyone = self.translates(problem.network), np.arange(self.num_processors)
        parts = []
        for first in range(0, max(1, len(rows)), ROWS_AT_ONCE):
            some = rows[first : first + ROWS_AT_ONCE]
            things, lengths = self._things(problem, some)
            parts.append(self._schedule(problem, some, everyone, translates.images(things), lengths))
        return parts[0] if len(parts) == 1 else Schedule.join(parts, self.num_steps)

    def _things(self, problem: Problem, rows: Longs) -> tuple[Longs, Longs]:
        """Return senders, receivers and targets of rows, then their channels, all as `Translates` numbers them."""
        lengths = np.diff(self.path_offsets)[rows]
        begins = np.repeat(self.path_offsets[rows] - np.cumsum(lengths) + lengths, lengths)
        channels = self.channels[begins + np.arange(len(begins))] + self.num_processors
        targets = self.messages[rows] // problem.collective.pieces
        return np.concatenate([self.senders[rows], self.receivers[rows], targets, channels]).astype(np.int64), lengths

    def _schedule(self, problem: Problem, rows: Longs, origins: Longs, images: Longs, lengths: Longs) -> Schedule:
        """Return the transfers of rows by the messages of some processors; images[origin] is what they are taken to."""
        count, pieces = len(rows), problem.collective.pieces
        senders, receivers, targets = (images[:, at * count : (at + 1) * count] for at in range(3))
        pairs = origins[:, None] * (self.num_processors - 1) + targets - (targets > origins[:, None])
        messages = pairs * pieces + self.messages[rows] % pieces
        paths = np.tile(lengths, len(origins)), (images[:, 3 * count :] - self.num_processors).reshape(-1)
        steps, senders, receivers = np.tile(self.steps[rows], len(origins)), senders.reshape(-1), receivers.reshape(-1)
        return Schedule.from_columns(self.num_steps, steps, senders, receivers, paths, messages.reshape(-1))


@lru_cache(maxsize=4)
def _translates(table: PathTable, network: Network) -> Translates:
    return Translates(network, table.router_shifts, table.processor_shifts)
