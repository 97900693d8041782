"""Schedules beside NCCL's algorithms: times without barriers and bandwidths, as tables and for JSON."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from pavane.model.messages import kind_title
from pavane.text.table import Column, Table
from pavane.timing import rate_text, short_time_text, size_text, time_text

if TYPE_CHECKING:
    from pavane.campaign.network_comparison import Comparison
    from pavane.campaign.network_comparison.compared import LibraryTime

EXPLANATION = (
    "without barriers between steps; algbw and busbw as nccl-tests define them; ring, rings: around one cycle, or "
    "several that share no link; tree: over two binary trees, or a binomial one"
)


@dataclass(frozen=True)
class TimesAtSize:
    """What schedules and NCCL's algorithms take at one message size, without barriers."""

    size: int
    own: tuple[LibraryTime | None, ...]
    """Of each schedule; None where messages are too short for its pieces."""
    others: tuple[LibraryTime, ...]

    @property
    def fastest(self) -> int | None:
        """Return the number of the fastest schedule."""
        known = [(time.seconds, number) for number, time in enumerate(self.own) if time is not None]
        return min(known)[1] if known else None


def one_size_table(times: TimesAtSize, names: Sequence[str]) -> Table:
    """Return a row for each schedule, then one for each of NCCL's algorithms."""
    rows = [
        [name, *_figures(time), _ratio(time, times.others)]
        for name, time in zip(names, times.own, strict=True)
        if time is not None
    ]
    rows += [[f"NCCL {time.name}", *_figures(time), None] for time in times.others]
    columns = [
        Column("without barriers"),
        Column("pieces", align="right"),
        Column("time", align="numbers", text=time_text),
        *_bandwidth_columns(),
        _ratio_column(),
    ]
    return Table(columns, rows).without_empty_columns()


def sizes_table(sizes: Sequence[TimesAtSize]) -> Table:
    """Return a row for each size: the fastest schedule and NCCL's algorithms."""
    rows: list[Beside] = []
    for times in sizes:
        fastest = times.fastest
        own = None if fastest is None else times.own[fastest]
        rows.append(([times.size, None if fastest is None else fastest + 1], own, times.others))
    lead = [Column("size", align="numbers", text=size_text), Column("fastest", align="right")]
    return _table_beside(lead, rows, time_text)


def library_table(found: Comparison) -> Table | None:
    """Return a row for each network, collective and size that NCCL's algorithms were timed for; None without any."""
    rows: list[Beside] = [
        ([row.name, kind_title(kind), size], times[0], times[1:])
        for row in found.rows
        for kind, cell in zip(found.collectives, row.cells, strict=True)
        for size, times in cell.library_times.items()
    ]
    lead = [Column("network"), Column("collective"), Column("size", align="numbers", text=size_text)]
    return _table_beside(lead, rows, short_time_text) if rows else None


Beside: TypeAlias = "tuple[list[Any], LibraryTime | None, Sequence[LibraryTime]]"
"""The first cells of a row, and the times of a schedule and of NCCL's algorithms."""


def _table_beside(lead: Sequence[Column], rows: Sequence[Beside], text: Callable[[float], str]) -> Table:
    """Return rows with the times of a schedule and of each of NCCL's algorithms behind their first cells."""
    names = list(dict.fromkeys(other.name for *_, others in rows for other in others))
    columns = [
        *lead,
        Column("without barriers", align="numbers", text=text),
        *_bandwidth_columns(),
        *(Column(f"NCCL {name}", key=name, align="numbers", text=short_time_text) for name in names),
        _ratio_column(),
    ]
    cells = []
    for first, own, others in rows:
        seconds = {other.name: other.seconds for other in others}
        figures = [None] * 3 if own is None else _figures(own)[1:]
        cells.append([*first, *figures, *map(seconds.get, names), _ratio(own, others)])
    return Table(columns, cells).without_empty_columns()


def times_object(times: TimesAtSize) -> dict[str, Any]:
    """Return the times at a size for JSON, schedules in their order."""
    from pavane.campaign.network_comparison.tables import time_object

    own = [None if time is None else time_object(time) for time in times.own]
    return {"bytes": times.size, "schedules": own, "baselines": [time_object(time) for time in times.others]}


def _figures(time: LibraryTime) -> list[Any]:
    return [time.pieces, time.seconds, *(time.bandwidths or (None, None))]


def _ratio(own: LibraryTime | None, others: Sequence[LibraryTime]) -> float | None:
    from pavane.campaign.library_times import times_as_fast

    return None if own is None else times_as_fast(own, others)


def _bandwidth_columns() -> tuple[Column, ...]:
    return tuple(Column(name, align="numbers", text=rate_text) for name in ("algbw", "busbw"))


def _ratio_column() -> Column:
    return Column("times as fast", align="right", text="{:.2f}".format)
