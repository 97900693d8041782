"""Products of networks, such as meshes and tori: schedules of rows and of columns make schedules of the whole.

Router y * width + x of a product has the channels of router x of one network within its row, and those of router y of
another within its column. All rows can work at once, and then all columns:

* Broadcasts: rows hand round one message for each of their members, columns then a whole row for each of theirs.
* Private messages: rows first take everything into the column of its target, a column's worth for each pair; columns
  then take it to its row, a row's worth for each pair.

Where ports do not forbid it, rows and columns work at the same time, each on one half of the messages, and then
exchange the halves. The start-ups of the two parts add up; the TCO is that of the parts times what stands for one
message.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np

from pavane.model.arrays import Longs
from pavane.model.collectives import named
from pavane.model.network import Network
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule


@dataclass(frozen=True, eq=False)
class Product:
    """A network as a product: the network of each row, that of each column, and their channels in the whole."""

    row: Network
    column: Network
    row_channels: Longs
    """row_channels[y, c]: what channel c of a row is in row y."""
    column_channels: Longs

    @property
    def shape(self) -> tuple[int, int]:
        """Return the number of rows and of columns."""
        return self.column.num_routers, self.row.num_routers


def as_product(network: Network) -> Product | None:
    """Read a network with a processor on each router as a product, as square as its numbers allow."""
    size = network.num_routers
    if network.num_processors != size or not np.array_equal(network.router_of, np.arange(size)):
        return None
    widths = [width for width in range(2, size // 2 + 1) if size % width == 0]
    for width in sorted(widths, key=lambda width: abs(width - size // width)):
        made = _product(network, width)
        if made is not None:
            return made
    return None


def _product(network: Network, width: int) -> Product | None:
    height = network.num_routers // width
    y, x = np.divmod(network.channels.astype(np.int64), width)
    in_row, in_column = y[:, 0] == y[:, 1], x[:, 0] == x[:, 1]
    if not (in_row ^ in_column).all():
        return None
    rows = _alike(np.flatnonzero(in_row), y[in_row, 0], x[in_row], height)
    columns = _alike(np.flatnonzero(in_column), x[in_column, 0], y[in_column], width)
    if rows is None or columns is None:
        return None
    (row_ends, row_channels), (column_ends, column_channels) = rows, columns
    return Product(
        # Rows and columns of one make are equal, so that one is solved for both.
        Network(f"a line of {network.name}", width, row_ends),
        Network(f"a line of {network.name}", height, column_ends),
        row_channels,
        column_channels,
    )


def _alike(numbers: Longs, part: Longs, ends: Longs, num_parts: int) -> tuple[Longs, Longs] | None:
    """Return the channels of each part and their numbers in the whole, in one order; None where parts differ."""
    if len(numbers) % num_parts or not len(numbers):
        return None
    order = np.lexsort((numbers, ends[:, 1], ends[:, 0], part))
    table, owner = ends[order].reshape(num_parts, -1, 2), part[order].reshape(num_parts, -1)
    if not (table == table[0]).all() or not (owner == np.arange(num_parts)[:, None]).all():
        return None
    return table[0], numbers[order].reshape(num_parts, -1)


def factors(problem: Problem, product: Product) -> tuple[Problem, Problem] | None:
    """Return the same collective on one row and on one column; None where they do not make the whole."""
    if problem.collective.kind not in ("AAB", "AAS") or problem.restriction is not None:
        return None
    if not problem.is_plain or not problem.is_total or problem.passes_switches:
        return None
    rules = problem.rules
    if rules.switching == "store-and-forward":
        # Routing says nothing about single hops, and turns that a grid knows are unknown to a line.
        rules = replace(rules, routing="minimal")
    row, column = (Problem(part, named(problem.collective.kind, part), rules) for part in (product.row, product.column))
    return row, column


def is_two_at_once(problem: Problem) -> bool:
    """Return whether rows and columns can work at the same time: whether every channel has ports of its own."""
    return problem.rules.ports == "all"


class Joined(NamedTuple):
    """A schedule of the whole that is not built yet."""

    start_ups: int
    tco: int
    build: Callable[[], Schedule]


def joined_schedules(
    problem: Problem, product: Product, rows: Sequence[Schedule], columns: Sequence[Schedule]
) -> list[Joined]:
    """Return what fronts of a row and of a column can be joined to, the fewest start-ups first, then the least TCO."""
    height, width = product.shape
    joined = []
    for row in rows:
        for column in columns:
            tco = (1 if problem.pattern != "private" else height) * row.tco + width * column.tco
            build = partial(rows_then_columns, problem, product, row, column)
            joined.append(Joined(row.num_steps + column.num_steps, tco, build))
    if is_two_at_once(problem) and problem.pattern == "private":
        both = [(row, _fitting(columns, row.num_steps)) for row in rows]
        for first in both:
            for then in both:
                tco = sum(max(height * row.tco, width * column.tco) // 2 for row, column in (first, then))
                start_ups = sum(max(row.num_steps, column.num_steps) for row, column in (first, then))
                joined.append(Joined(start_ups, tco, partial(both_at_once, problem, product, first, then)))
    return sorted(joined, key=lambda some: some[:2])


def _fitting(schedules: Sequence[Schedule], num_steps: int) -> Schedule:
    """Return the longest schedule of at most `num_steps` steps, or else the shortest."""
    return max((s for s in schedules if s.num_steps <= num_steps), key=lambda s: s.num_steps, default=schedules[0])


def rows_then_columns(problem: Problem, product: Product, row: Schedule, column: Schedule) -> Schedule:
    """Return the schedule of the whole: all rows, then all columns."""
    parts = [
        *_lines(problem, product, row, 0, None, is_row=True, is_first=True),
        *_lines(problem, product, column, row.num_steps, None, is_row=False, is_first=False),
    ]
    return _joined(parts)


def both_at_once(
    problem: Problem, product: Product, first: tuple[Schedule, Schedule], then: tuple[Schedule, Schedule]
) -> Schedule:
    """Return the schedule of the whole: rows with one half and columns with the other, then the other way round.

    Given are schedules of a row and of a column, for each of the two parts.
    """
    later = max(schedule.num_steps for schedule in first)
    parts = [
        *_lines(problem, product, first[0], 0, 0, is_row=True, is_first=True),
        *_lines(problem, product, first[1], 0, 1, is_row=False, is_first=True),
        *_lines(problem, product, then[0], later, 1, is_row=True, is_first=False),
        *_lines(problem, product, then[1], later, 0, is_row=False, is_first=False),
    ]
    return _joined(parts)


class _LegTransfers(NamedTuple):
    """Transfers of one row or column, as the columns of a schedule."""

    steps: Longs
    senders: Longs
    receivers: Longs
    lengths: Longs
    channels: Longs
    counts: Longs
    messages: Longs


def _lines(
    problem: Problem,
    product: Product,
    schedule: Schedule,
    later: int,
    parity: int | None,
    *,
    is_row: bool,
    is_first: bool,
) -> Iterator[_LegTransfers]:
    """Yield the transfers of all rows or of all columns, from some step on."""
    height, width = product.shape
    size, num_lines = (width, height) if is_row else (height, width)
    for line in range(num_lines):
        here = line * width + np.arange(size) if is_row else np.arange(size) * width + line
        channels = (product.row_channels if is_row else product.column_channels)[line]
        table = _carried(problem, product, line, parity, is_row, is_first)
        yield _moved(schedule, later, here, channels, table)


def _carried(problem: Problem, product: Product, line: int, parity: int | None, is_row: bool, is_first: bool) -> Longs:
    """Return what stands for each message of a row or column: a row of message numbers of the whole, -1 for none.

    With a parity it is half of the messages: those whose origin and target have coordinates that add up to it.
    """
    height, width = product.shape
    size, num_lines = (width, height) if is_row else (height, width)

    def routers(along: Longs, lines: Longs) -> Longs:
        return lines * width + along if is_row else along * width + lines

    here, anywhere = np.array([[line]]), np.arange(num_lines)[None, :]
    if problem.pattern == "broadcast":
        origins = routers(np.arange(size)[:, None], here if is_first else anywhere)
        ends = [origins]
        numbers = problem.message_numbers(origins.ravel())
    else:
        pairs = np.array([(a, b) for a in range(size) for b in range(size) if a != b])
        # The first lines take a message along on its way to any line; the later ones, what came from any.
        origins = routers(pairs[:, :1], here if is_first else anywhere)
        targets = routers(pairs[:, 1:], anywhere if is_first else here)
        ends = list(np.broadcast_arrays(origins, targets))
        numbers = problem.message_numbers(np.stack([routers.ravel() for routers in ends], axis=1))
    table = numbers.reshape(ends[0].shape)
    if parity is None:
        return table
    return np.where(sum(each // width + each % width for each in ends) % 2 == parity, table, -1)


def _moved(schedule: Schedule, later: int, processor_at: Longs, channel_at: Longs, table: Longs) -> _LegTransfers:
    """Put the transfers of a row's or column's schedule where they belong, with what they carry there."""
    carried = table[schedule.messages]
    owner = np.repeat(np.arange(len(schedule)), schedule.payloads)
    counts = np.zeros(len(schedule), dtype=np.int64)
    np.add.at(counts, owner, (carried >= 0).sum(axis=1))
    used = counts > 0
    on_path = np.repeat(used, schedule.path_lengths)
    return _LegTransfers(
        schedule.starts[used].astype(np.int64) + later,
        processor_at[schedule.senders[used]],
        processor_at[schedule.receivers[used]],
        schedule.path_lengths[used],
        channel_at[schedule.path_channels[on_path]],
        counts[used],
        carried[carried >= 0],
    )


def _joined(parts: list[_LegTransfers]) -> Schedule:
    """Make one schedule of all parts, without steps in which nothing moves."""
    joined = _LegTransfers(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))
    return Schedule.from_columns(
        None,
        joined.steps,
        joined.senders,
        joined.receivers,
        (joined.lengths, joined.channels),
        joined.messages,
        joined.counts,
    )
