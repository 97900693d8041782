"""Start times instead of steps: a problem with links and sizes, and schedules whose transfers start at any time.

A transfer that carries n bytes along a path holds every channel of it from its start on, for the longest time that one
of them takes. What it carries is usable at its end after the latencies of all channels and that time. A processor sends
a message from when it is usable there; its own from time 0.

Where routers copy and add, transfers of one message that start together and share channels are a tree, which holds each
of its channels once.

A transfer of a partial sum names its *inputs*: the transfers whose data it contains. Its sum has the contributions of
its inputs, and that of its sender unless an input contains it. In an allreduce a member is done when the sums that have
come and that no other contains, and its own contribution unless that is among them, make the whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pavane.errors import InputError, expect, expect_whole
from pavane.model.arrays import Ints, Longs
from pavane.model.links import Links
from pavane.model.problem import Problem
from pavane.text import counted

MOST_BYTES = 2**60
"""The most bytes of a message."""


@dataclass(frozen=True, eq=False)
class TimedProblem:
    """A problem, how fast its channels are, and the size of its messages.

    Args:
        problem: The problem; not under tdm and without combining.
        links: The latency, overhead and bandwidth of each channel.
        num_bytes: The bytes of a message of one unit: of one processor in an allgather, of one pair in an alltoall. A
            piece has as many bytes as fit evenly, rounded up, and the last one has the rest.

    Example:
        >>> ring = pavane.network("ring:4")
        >>> problem = pavane.Problem(ring, "allgather", pavane.Rules(switching="store-and-forward"))
        >>> links = pavane.Links.uniform(ring, latency_ps=700_000, bytes_per_second=25 * 10**9)
        >>> timed = pavane.TimedProblem(problem, links, 1_000_000)
        >>> str(timed).endswith("1,000,000 bytes")
        True
    """

    problem: Problem
    links: Links
    num_bytes: int

    def __post_init__(self) -> None:
        expect(self.problem, Problem, "problem", "make a `pavane.Problem`")
        expect(self.links, Links, "links", "make some with `pavane.Links.uniform`")
        expect_whole(self.num_bytes, "num_bytes", 1024)
        if len(self.links.latencies) != self.problem.network.num_channels:
            raise InputError(
                f"the links are for {counted(len(self.links.latencies), 'channel')}, and {self.problem.network.name} "
                f"has {self.problem.network.num_channels:,}"
            )
        if self.problem.rules.has_slots or self.problem.rules.combining:
            raise InputError("start times do not go with tdm or combining; choose wormhole or store-and-forward")
        if not 1 <= self.num_bytes <= MOST_BYTES:
            raise InputError(f"messages of {self.num_bytes:,} bytes; give 1 to {MOST_BYTES:,}")
        pieces = self.problem.collective.pieces
        if (pieces - 1) * -(-self.num_bytes // pieces) >= self.num_bytes:
            raise InputError(f"{self.num_bytes:,} bytes do not make {pieces:,} pieces; give fewer pieces")

    @cached_property
    def message_bytes(self) -> Longs:
        """The bytes of each piece of a message, as the problem numbers them."""
        pieces = self.problem.collective.pieces
        most = -(-self.num_bytes // pieces)
        sizes = np.full(self.problem.num_messages, most, dtype=np.int64)
        if pieces > 1:
            sizes[self.problem.labels[:, -1] % pieces == pieces - 1] = self.num_bytes - (pieces - 1) * most
        return sizes

    @property
    def units(self) -> Ints:
        """Return the unit that each channel draws on: its own, or under half duplex its link's."""
        return self.problem.units

    def __str__(self) -> str:
        return f"{self.problem}, {self.num_bytes:,} bytes"


class TimedTransfer(NamedTuple):
    """One transfer with its start.

    Args:
        start: When it starts, in picoseconds.
        sender: The processor that sends, or ~r for the pure switch r.
        receiver: The processor, or the pure switch, that receives.
        path: The channels that it runs along.
        messages: The messages that it carries, by their numbers in the problem.
        inputs: The transfers, by their numbers, whose data a partial sum contains.

    Example:
        >>> pavane.TimedTransfer(start=0, sender=0, receiver=1, path=(0,), messages=(0,)).path
        (0,)
    """

    start: int
    sender: int
    receiver: int
    path: tuple[int, ...]
    messages: tuple[int, ...]
    inputs: tuple[int, ...] = ()


@dataclass(frozen=True, eq=False, repr=False)
class TimedSchedule:
    """Transfers with start times, as columns, in the order of their starts.

    `TimedSchedule.from_columns` makes one of transfers in any order.

    Example:
        >>> pavane.TimedSchedule.from_columns([0], [0], [1], [(0,)], [0])
        <TimedSchedule: 1 transfer>
    """

    starts: Longs
    senders: Ints
    receivers: Ints
    path_offsets: Longs
    """Transfer i runs along path_channels[path_offsets[i]:path_offsets[i + 1]]."""
    path_channels: Ints
    messages: Ints
    """The message that each transfer carries."""
    input_offsets: Longs
    """Transfer i has inputs[input_offsets[i]:input_offsets[i + 1]]."""
    inputs: Ints

    @classmethod
    def from_columns(
        cls,
        starts: npt.ArrayLike,
        senders: npt.ArrayLike,
        receivers: npt.ArrayLike,
        paths: Sequence[Sequence[int]],
        messages: npt.ArrayLike,
        inputs: Sequence[Sequence[int]] | None = None,
    ) -> TimedSchedule:
        """Return a schedule of transfers in any order; inputs are numbers of transfers in that order."""
        begins = np.asarray(starts, dtype=np.int64)
        named = [()] * len(begins) if inputs is None else inputs
        columns = [np.asarray(column, dtype=np.int32) for column in (senders, receivers, messages)]
        order = np.lexsort((columns[2], columns[1], columns[0], begins))
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order))
        listed = [paths[at] for at in order.tolist()]
        sources = [sorted(rank[list(named[at])].tolist()) for at in order.tolist()]
        return cls(
            begins[order],
            columns[0][order],
            columns[1][order],
            _offsets(listed),
            np.array([channel for path in listed for channel in path], dtype=np.int32),
            columns[2][order],
            _offsets(sources),
            np.array([number for numbers in sources for number in numbers], dtype=np.int32),
        )

    def __len__(self) -> int:
        return len(self.starts)

    def __repr__(self) -> str:
        return f"<TimedSchedule: {counted(len(self), 'transfer')}>"

    def transfer(self, number: int) -> TimedTransfer:
        """Return a transfer by its number."""
        path = self.path_channels[self.path_offsets[number] : self.path_offsets[number + 1]]
        inputs = self.inputs[self.input_offsets[number] : self.input_offsets[number + 1]]
        ends = int(self.starts[number]), int(self.senders[number]), int(self.receivers[number])
        return TimedTransfer(*ends, tuple(path.tolist()), (int(self.messages[number]),), tuple(inputs.tolist()))

    def __iter__(self) -> Iterator[TimedTransfer]:
        return (self.transfer(number) for number in range(len(self)))

    @property
    def path_lengths(self) -> Longs:
        """Return the number of channels of each path."""
        return np.diff(self.path_offsets)


def _offsets(lists: Sequence[Sequence[int]]) -> Longs:
    return np.concatenate([[0], np.cumsum([len(one) for one in lists], dtype=np.int64)])
