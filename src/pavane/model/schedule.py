"""A schedule: transfers with their starts, as columns, so that a million of them fit.

Starts count the problem's clock: steps, slots or picoseconds. A transfer runs from one location to another along a
path of channels and carries messages, named by their numbers in the problem. A location is a processor p >= 0, or
(store-and-forward only) the pure switch r written as ~r.
Transfers have one canonical order, so that equal schedules are equal.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np
import numpy.typing as npt

from pavane.errors import InputError, shortened
from pavane.model.arrays import Flags, Ints
from pavane.model.problem import Problem
from pavane.text import counted

if TYPE_CHECKING:
    import pandas

Offsets = npt.NDArray[np.int64]

MOST_MOVED_AT_ONCE = 2**15
"""Transfers whose paths or payloads are brought into order together: more of them leave the processor's cache."""


class Transfer(NamedTuple):
    """One transfer as a value; a schedule stores columns.

    Args:
        start: When it starts, from 0: its step or slot, or with start times the picosecond.
        sender: The processor that sends, or ~r for the pure switch r under store-and-forward.
        receiver: The processor, or the pure switch, that receives.
        path: The channels that it runs along, none between processors of one router.
        messages: The messages that it carries, by their numbers in the problem.
        inputs: With start times, the transfers, by their numbers, whose data a partial sum contains.

    Example:
        >>> pavane.Transfer(start=0, sender=0, receiver=2, path=(0, 2), messages=(1,)).path
        (0, 2)
    """

    start: int
    sender: int
    receiver: int
    path: tuple[int, ...]
    messages: tuple[int, ...]
    inputs: tuple[int, ...] = ()


@dataclass(frozen=True, eq=False)
class Schedule:
    """Transfers in canonical order: by start, sender, receiver, first message, first channel, then what remains.

    `Schedule.from_transfers` makes one of single transfers, `Schedule.from_columns` of arrays, both in steps or slots,
    and `Schedule.from_start_times` one with start times. As a sequence it has transfers: `schedule[0]` is the first.

    Example:
        >>> schedule = pavane.Schedule.from_transfers([pavane.Transfer(0, 0, 1, (0,), (0,))])
        >>> schedule
        <Schedule: 1 transfer in 1 step>
        >>> schedule[0].receiver
        1
    """

    num_steps: int
    """The number of steps or slots; 0 where starts are picoseconds."""
    starts: Ints
    """The step or slot of each transfer, in 32 bits, or the picosecond, in 64."""
    senders: Ints
    receivers: Ints
    path_offsets: Offsets
    """Transfer i runs along path_channels[path_offsets[i]:path_offsets[i + 1]]."""
    path_channels: Ints
    message_offsets: Offsets
    """Transfer i carries messages[message_offsets[i]:message_offsets[i + 1]]."""
    messages: Ints
    input_offsets: Offsets = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """With start times, transfer i has inputs[input_offsets[i]:input_offsets[i + 1]]."""
    inputs: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int32))

    @classmethod
    def from_columns(
        cls,
        num_steps: int | None,
        starts: npt.ArrayLike,
        senders: npt.ArrayLike,
        receivers: npt.ArrayLike,
        paths: tuple[npt.ArrayLike, npt.ArrayLike],
        messages: npt.ArrayLike,
        message_counts: npt.ArrayLike | None = None,
    ) -> Schedule:
        """Put columns into canonical order.

        Args:
            num_steps: The number of steps; None: steps without transfers are left out, and the others renumbered.
            starts: The step, or slot, of each transfer.
            senders: Its sender.
            receivers: Its receiver.
            paths: The length of each transfer's path, and the channels of all paths.
            messages: The messages of all transfers.
            message_counts: How many of them each transfer carries; None: one each.
        """
        if num_steps is None:
            num_steps, starts = _without_gaps(np.asarray(starts, dtype=np.int64))
        start = np.asarray(starts, dtype=np.int32)
        if len(start) and not (start.min() >= 0 and start.max() < num_steps):
            raise ValueError(f"steps must lie between 0 and {num_steps - 1}")
        return cls._in_order(num_steps, start, (senders, receivers), paths, messages, message_counts)[0]

    @classmethod
    def from_start_times(
        cls,
        starts: npt.ArrayLike,
        senders: npt.ArrayLike,
        receivers: npt.ArrayLike,
        paths: Sequence[Sequence[int]],
        messages: npt.ArrayLike,
        inputs: Sequence[Sequence[int]] | None = None,
    ) -> Schedule:
        """Put columns with start times, in picoseconds, into canonical order; a transfer carries one message.

        Args:
            starts: The start of each transfer.
            senders: Its sender.
            receivers: Its receiver.
            paths: Its path.
            messages: The message that it carries.
            inputs: The transfers whose data it contains, by their numbers in the order of these columns.

        Example:
            >>> pavane.Schedule.from_start_times([40_000], [0], [1], [(0,)], [0])
            <Schedule: 1 transfer, the last one from 40,000 ps>
        """
        start: Ints = np.asarray(starts, dtype=np.int64)
        channels = [channel for path in paths for channel in path]
        ragged = [len(path) for path in paths], channels
        schedule, order = cls._in_order(0, start, (senders, receivers), ragged, messages, None)
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order))
        named = [()] * len(order) if inputs is None else inputs
        sources = [sorted(rank[list(named[at])].tolist()) for at in order.tolist()]
        return replace(
            schedule,
            input_offsets=_offsets([len(each) for each in sources]),
            inputs=np.array([source for each in sources for source in each], dtype=np.int32),
        )

    @classmethod
    def _in_order(
        cls,
        num_steps: int,
        start: Ints,
        ends: tuple[npt.ArrayLike, npt.ArrayLike],
        paths: tuple[npt.ArrayLike, npt.ArrayLike],
        messages: npt.ArrayLike,
        message_counts: npt.ArrayLike | None,
    ) -> tuple[Schedule, npt.NDArray[np.intp]]:
        """Return a schedule of columns in canonical order, and that order."""
        sender, receiver = (np.asarray(end, dtype=np.int32) for end in ends)
        channels, carried = np.asarray(paths[1], dtype=np.int32), _message_column(messages)
        size = len(start)
        path_ends = _offsets(paths[0])
        message_ends = np.arange(size + 1) if message_counts is None else _offsets(message_counts)
        if not (len(sender) == len(receiver) == len(path_ends) - 1 == len(message_ends) - 1 == size):
            raise ValueError("the columns of a schedule must have one entry per transfer")
        if path_ends[-1] != len(channels) or message_ends[-1] != len(carried):
            raise ValueError("the lengths of paths and payloads must add up to what is listed")
        if (np.diff(message_ends) > 1).any():
            # A payload is a set: its order says nothing.
            owner = np.repeat(np.arange(size), np.diff(message_ends))
            carried = carried[np.lexsort((carried, owner))]
        order = _canonical_order(start, sender, receiver, path_ends, channels, message_ends, carried)
        path_ends, channels = _permuted(path_ends, channels, order)
        message_ends, carried = _permuted(message_ends, carried, order)
        columns = (start[order], sender[order], receiver[order], path_ends, channels, message_ends, carried)
        for column in columns:
            column.flags.writeable = False
        return cls(num_steps, *columns), order

    @classmethod
    def from_transfers(cls, transfers: Iterable[Transfer], num_steps: int | None = None) -> Schedule:
        """Make a schedule of single transfers in steps; the number of steps defaults to just enough."""
        rows = list(transfers) if isinstance(transfers, Iterable) else [transfers]
        for row in rows:
            if not isinstance(row, Transfer):
                raise InputError(
                    f"`transfers` has {shortened(row)}, which is not a Transfer; make them with `Transfer`"
                )
        return cls.from_columns(
            max((t.start for t in rows), default=-1) + 1 if num_steps is None else num_steps,
            [t.start for t in rows],
            [t.sender for t in rows],
            [t.receiver for t in rows],
            ([len(t.path) for t in rows], [c for t in rows for c in t.path]),
            [m for t in rows for m in t.messages],
            [len(t.messages) for t in rows],
        )

    @classmethod
    def join(
        cls,
        schedules: Sequence[Schedule],
        num_steps: int,
        starts: Sequence[npt.NDArray[np.integer]] | None = None,
        messages: Sequence[npt.NDArray[np.integer]] | None = None,
    ) -> Schedule:
        """Put the transfers of several schedules together; steps and messages keep their numbers unless given."""

        def column(name: str) -> Ints:
            return np.concatenate([getattr(schedule, name) for schedule in schedules])

        return cls.from_columns(
            num_steps,
            column("starts") if starts is None else np.concatenate(starts),
            column("senders"),
            column("receivers"),
            (column("path_lengths"), column("path_channels")),
            column("messages") if messages is None else np.concatenate(messages),
            column("payloads"),
        )

    def with_columns(self, **columns: Any) -> Schedule:
        """Return the schedule with other columns, by their names, in canonical order; offsets stay as they are."""
        changed = replace(self, **columns)
        return Schedule.from_columns(
            self.num_steps,
            changed.starts,
            changed.senders,
            changed.receivers,
            (self.path_lengths, changed.path_channels),
            changed.messages,
            self.payloads,
        )

    def __len__(self) -> int:
        return len(self.starts)

    def __iter__(self) -> Iterator[Transfer]:
        for i in range(len(self)):
            yield self.transfer(i)

    @overload
    def __getitem__(self, i: int) -> Transfer: ...
    @overload
    def __getitem__(self, i: slice) -> tuple[Transfer, ...]: ...
    def __getitem__(self, i: int | slice) -> Transfer | tuple[Transfer, ...]:
        """Return a transfer by its number, the last one for -1, or several for a slice."""
        if isinstance(i, slice):
            return tuple(self.transfer(number) for number in range(*i.indices(len(self))))
        if isinstance(i, bool) or not hasattr(i, "__index__"):
            raise InputError(f"{shortened(i)} is not the number of a transfer; give a whole number, like 0, or a slice")
        try:
            return self.transfer(range(len(self))[i])
        except IndexError:
            raise IndexError(f"there is no transfer {i}; the schedule has {len(self):,}") from None

    def transfer(self, i: int) -> Transfer:
        """Return transfer number i."""
        path = self.path_channels[self.path_offsets[i] : self.path_offsets[i + 1]]
        carried = self.messages[self.message_offsets[i] : self.message_offsets[i + 1]]
        inputs = self.inputs[self.input_offsets[i] : self.input_offsets[i + 1]] if len(self.inputs) else self.inputs
        return Transfer(
            int(self.starts[i]),
            int(self.senders[i]),
            int(self.receivers[i]),
            tuple(path.tolist()),
            tuple(carried.tolist()),
            tuple(inputs.tolist()),
        )

    @property
    def has_times(self) -> bool:
        """Whether starts are picoseconds."""
        return self.num_steps == 0 and len(self) > 0

    def of_step(self, step: int) -> range:
        """Return the numbers of the transfers in one step."""
        # Of the same type as the column, or all of it would be converted again.
        first, last = np.searchsorted(self.starts, np.array((step, step + 1), dtype=self.starts.dtype)).tolist()
        return range(first, last)

    @property
    def path_lengths(self) -> Offsets:
        """Return the number of channels of each transfer's path."""
        return np.diff(self.path_offsets)

    @property
    def payloads(self) -> Offsets:
        """Return the number of messages that each transfer carries."""
        return np.diff(self.message_offsets)

    @property
    def tco(self) -> int:
        """Return the total channel occupancy: the largest payload of each step, summed (noc section 3)."""
        largest = np.zeros(self.num_steps, dtype=np.int64)
        np.maximum.at(largest, self.starts, self.payloads)
        return int(largest.sum())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Schedule):
            return NotImplemented
        return self.num_steps == other.num_steps and all(
            np.array_equal(a, b) for a, b in zip(self._columns(), other._columns(), strict=True)
        )

    def __hash__(self) -> int:
        return hash((self.num_steps, *(column.tobytes() for column in self._columns())))

    def _columns(self) -> Sequence[npt.NDArray[np.integer]]:
        return (
            self.starts,
            self.senders,
            self.receivers,
            self.path_offsets,
            self.path_channels,
            self.message_offsets,
            self.messages,
            self.input_offsets,
            self.inputs,
        )

    # -- tables and notebooks

    def to_dataframe(self, problem: Problem | None = None) -> pandas.DataFrame:
        """Return a table of pandas with a row for each transfer, and the columns of the format csv.

        Args:
            problem: The problem that it solves. Without one messages have numbers in place of names, and the column
                `ends` is left out: a schedule alone does not know them.

        Returns:
            A data frame with the columns step (from 1, as reports count), from, to, route, carries and ends, as
            `Result.to_dataframe` has.

        Example:
            >>> schedule = pavane.Schedule.from_transfers([pavane.Transfer(0, 0, 1, (0,), (0,))])
            >>> schedule.to_dataframe().to_dict("records")
            [{'step': 1, 'from': 0, 'to': 1, 'route': '0', 'carries': '0'}]
        """
        import pavane

        return pavane.notebook.dataframe(self, problem)

    def _repr_html_(self) -> str:
        import pavane

        return pavane.notebook.schedule_view(self)

    def __repr__(self) -> str:
        if self.has_times:
            return f"<Schedule: {counted(len(self), 'transfer')}, the last one from {self.starts[-1]:,} ps>"
        return f"<Schedule: {counted(len(self), 'transfer')} in {counted(self.num_steps, 'step')}>"


def time_reversed(problem: Problem, schedule: Schedule, mirror: Problem) -> Schedule:
    """Read a schedule of `problem` backwards, as a schedule of `mirror`, its dual.

    Under tdm all channels are used link_delay slots later than in the exact mirror image, so none meets another.
    """
    labels = problem.labels.copy()
    labels[:, : problem.ends.shape[1]] = problem.ends[:, ::-1]
    numbers = mirror.message_numbers(labels)
    size = len(schedule)
    owner = np.repeat(np.arange(size), schedule.path_lengths)
    # Channels keep their numbers in the reversed network; only their order along a path turns round.
    within = np.arange(len(owner)) - schedule.path_offsets[owner]
    turned = schedule.path_offsets[owner + 1] - 1 - within
    rules = problem.rules
    last = schedule.num_steps - 1
    # A packet that ends in the last slot begins in the first one.
    flights = rules.flight(schedule.path_lengths) + rules.packet_slots - 1 if rules.has_slots else 0
    starts = last - schedule.starts - flights
    return schedule.with_columns(
        starts=starts % max(schedule.num_steps, 1) if rules.has_slots and rules.wrap else starts,
        senders=schedule.receivers,
        receivers=schedule.senders,
        path_channels=schedule.path_channels[turned],
        messages=numbers[schedule.messages],
    )


def _without_gaps(steps: npt.NDArray[np.int64]) -> tuple[int, npt.NDArray[np.integer]]:
    """Return the number of different steps, and their numbers among those; counting is quicker than sorting."""
    if not len(steps) or steps.min() < 0 or steps.max() > len(steps):
        used, numbers = np.unique(steps, return_inverse=True)
        return len(used), numbers
    is_used = np.bincount(steps) > 0
    return int(is_used.sum()), (np.cumsum(is_used, dtype=np.int32) - 1)[steps]


def _offsets(lengths: npt.ArrayLike) -> Offsets:
    counts = np.asarray(lengths, dtype=None if isinstance(lengths, np.ndarray) else np.int64)
    offsets = np.zeros(len(counts) + 1, dtype=np.int64)
    np.cumsum(counts, out=offsets[1:])
    return offsets


def _permuted(offsets: Offsets, values: Ints, order: npt.NDArray[np.intp]) -> tuple[Offsets, Ints]:
    """Reorder a ragged column, some entries at a time: their sources take more memory than the column itself."""
    lengths = np.diff(offsets)[order]
    ends = _offsets(lengths)
    if len(values) == len(order) and (lengths == 1).all():
        return ends, values[order]
    ordered = np.empty_like(values)
    for first in range(0, len(order), MOST_MOVED_AT_ONCE):
        some = slice(first, first + MOST_MOVED_AT_ONCE)
        begin, end = ends[first], ends[min(first + MOST_MOVED_AT_ONCE, len(order))]
        shift = np.repeat(offsets[:-1][order[some]] - ends[:-1][some], lengths[some])
        ordered[begin:end] = values[shift + np.arange(begin, end)]
    return ends, ordered


def _order_by_ends(start: Ints, sender: Ints, receiver: Ints) -> npt.NDArray[np.intp] | None:
    """Return the order by start, sender and receiver; None where that leaves some in doubt, or numbers do not suffice.

    Start, ends and index are the digits of one number: sorting numbers is quicker than sorting by columns.
    """
    size = len(start)
    if not size:
        return np.zeros(0, dtype=np.intp)
    digits = np.zeros(size, dtype=np.int64)
    most = 1
    for column in (start, sender, receiver):
        least = int(column.min())
        base = int(column.max()) - least + 1
        most *= base
        if most * size >= 2**63:
            return None
        digits *= base
        digits += column
        digits -= least
    digits *= size
    digits += np.arange(size)
    digits.sort()
    order = digits % size
    digits //= size
    return None if (digits[1:] == digits[:-1]).any() else order.astype(np.intp, copy=False)


def _message_column(messages: npt.ArrayLike) -> Ints:
    """Return numbers of messages as 32 bits; as 64 for the steps of a table with more messages than that."""
    numbers = np.asarray(messages)
    wide = numbers.dtype == np.int64 and numbers.max(initial=0) > np.iinfo(np.int32).max
    return numbers if wide else numbers.astype(np.int32, copy=False)


def _canonical_order(
    start: Ints,
    sender: Ints,
    receiver: Ints,
    path_ends: Offsets,
    channels: Ints,
    message_ends: Offsets,
    carried: Ints,
) -> npt.NDArray[np.intp]:
    def first(ends: Offsets, values: Ints) -> Ints:
        empty = ends[:-1] == ends[1:]
        padded = np.concatenate((values, np.array([-1], dtype=np.int32)))
        return np.where(empty, -1, padded[ends[:-1]])

    quick = _order_by_ends(start, sender, receiver)
    if quick is not None:
        return quick
    keys = (first(path_ends, channels), first(message_ends, carried), receiver, sender, start)
    order = np.lexsort(keys)
    same = np.ones(max(len(start) - 1, 0), dtype=bool)
    for key in keys:
        same &= key[order][1:] == key[order][:-1]
    if not same.any():
        return order
    # Only twins that agree in all that was compared need the rest of their payload and path.
    group = np.cumsum(np.concatenate(([True], ~same))) - 1
    rest = {
        int(i): (
            carried[message_ends[i] : message_ends[i + 1]].tolist(),
            channels[path_ends[i] : path_ends[i + 1]].tolist(),
        )
        for i in order[np.bincount(group)[group] > 1]
    }
    sorted_twins = sorted(range(len(order)), key=lambda i: (group[i], rest.get(int(order[i]), ([], []))))
    return order[sorted_twins]


def some_transfers(schedule: Schedule, chosen: Flags, first_message: int = 0) -> Schedule:
    """Return some transfers of a schedule in their order, with messages numbered from one on."""
    columns = {name: getattr(schedule, name)[chosen] for name in ("starts", "senders", "receivers")}
    for offsets, values in (("path_offsets", "path_channels"), ("message_offsets", "messages")):
        lengths = np.diff(getattr(schedule, offsets))
        columns[offsets] = np.concatenate(([0], np.cumsum(lengths[chosen])))
        columns[values] = getattr(schedule, values)[np.repeat(chosen, lengths)]
    columns["messages"] = columns["messages"] - np.int32(first_message)
    return replace(schedule, **columns)
