"""Schedules beside NCCL's algorithms: times without barriers and bandwidths, as tables and for JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

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
    names = list(dict.fromkeys(other.name for times in sizes for other in times.others))
    rows = []
    for times in sizes:
        fastest = times.fastest
        own = None if fastest is None else times.own[fastest]
        figures = [None] * 4 if own is None else [(fastest or 0) + 1, *_figures(own)[1:]]
        rows.append([times.size, *figures, *_seconds(times.others, names), _ratio(own, times.others)])
    columns = [
        Column("size", align="numbers", text=size_text),
        Column("fastest", align="right"),
        Column("without barriers", align="numbers", text=time_text),
        *_bandwidth_columns(),
        *_library_columns(names),
        _ratio_column(),
    ]
    return Table(columns, rows).without_empty_columns()


def library_table(found: Comparison) -> Table | None:
    """Return a row for each network, collective and size that NCCL's algorithms were timed for; None without any."""
    cells = [
        (row.name, kind, size, times)
        for row in found.rows
        for kind, cell in zip(found.collectives, row.cells, strict=True)
        for size, times in cell.library_times.items()
    ]
    if not cells:
        return None
    names = list(dict.fromkeys(other.name for *_, times in cells for other in times[1:]))
    columns = [
        *(Column("network"), Column("collective")),
        Column("size", align="numbers", text=size_text),
        Column("without barriers", align="numbers", text=short_time_text),
        *_bandwidth_columns(),
        *_library_columns(names),
        _ratio_column(),
    ]
    rows = [
        [name, kind_title(kind), size, *_figures(own)[1:], *_seconds(others, names), _ratio(own, others)]
        for name, kind, size, (own, *others) in cells
    ]
    return Table(columns, rows).without_empty_columns()


def times_object(times: TimesAtSize) -> dict[str, Any]:
    """Return the times at a size for JSON, schedules in their order."""
    from pavane.campaign.network_comparison.tables import time_object

    own = [None if time is None else time_object(time) for time in times.own]
    return {"bytes": times.size, "schedules": own, "baselines": [time_object(time) for time in times.others]}


def _figures(time: LibraryTime) -> list[Any]:
    return [time.pieces, time.seconds, *(time.bandwidths or (None, None))]


def _seconds(others: Sequence[LibraryTime], names: Sequence[str]) -> Iterator[float | None]:
    known = {other.name: other.seconds for other in others}
    return (known.get(name) for name in names)


def _ratio(own: LibraryTime | None, others: Sequence[LibraryTime]) -> float | None:
    from pavane.campaign.library_times import times_as_fast

    return None if own is None else times_as_fast(own, others)


def _bandwidth_columns() -> tuple[Column, ...]:
    return tuple(Column(name, align="numbers", text=rate_text) for name in ("algbw", "busbw"))


def _library_columns(names: Sequence[str]) -> Iterator[Column]:
    return (Column(f"NCCL {name}", key=name, align="numbers", text=short_time_text) for name in names)


def _ratio_column() -> Column:
    return Column("times as fast", align="right", text="{:.2f}".format)
