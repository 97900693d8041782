"""`pavane time`: how long schedules take by the linear time model, and which is the fastest at which message size."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any

from pavane.errors import InputError
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.text import counted, point_text
from pavane.text.table import Column, Table
from pavane.timing import (
    Costs,
    Profile,
    Stretch,
    decision_table,
    links_of_costs,
    predicted,
    profile,
    read_size,
    read_sweep,
    refuse_slots,
    size_text,
    time_text,
)
from pavane.ui.cli import options
from pavane.ui.cli.inputs import costs_of, has_several, is_schedule, read_result
from pavane.ui.cli.options import argument, option, seconds_option
from pavane.ui.cli.outputs import refuse_plot, write_plot
from pavane.ui.cli.progress import waited_for
from pavane.ui.cli.report import print_json, print_report, print_table
from pavane.ui.cli.several import print_times_of_several

USUAL_SECONDS = 8.0
"""Time limit of the searches for the phases of an application."""

MOST_COLUMNS = 6


@dataclass(frozen=True)
class TimeOptions:
    """What start-ups and bytes cost, and the sizes of messages."""

    startup: Annotated[
        str, option("--startup TIME", "Time of a start-up (ts, alpha), as 10ns or 1us.", show_default=False)
    ]
    per_byte: Annotated[
        str, option("--per-byte TIME|BANDWIDTH", "Per byte (t1, beta), as 1ns or 1GB/s or 100Gb/s.", show_default=False)
    ]
    size: Annotated[
        str | None,
        option(
            "--bytes SIZE|FROM:TO",
            "Size of one message (of one unit, with sizes; of one part of an allreduce), as 4 or 1KiB; or several, "
            "each four times the one before, as 1B:1MiB, or twice, as 1B:1MiB:2.",
        ),
    ] = None
    per_hop: Annotated[str, option("--per-hop TIME", "Time that each channel of a path adds.")] = "0"
    output: Annotated[Path | None, option("-o --output FILE", "Draw times over sizes: .svg, .png or .pdf.")] = None
    is_asynchronous: Annotated[
        bool, option("--asynchronous", "Times without barriers: each transfer as soon as it can start.")
    ] = False
    phases: Annotated[
        Path | None,
        option("--phases FILE", "Time an application on NETWORK: a CSV of collective,bytes,count and compute,seconds."),
    ] = None
    seconds: Annotated[
        float | None, seconds_option("--time", "With --phases: all its searches share it. [default: 8]")
    ] = None

    @property
    def costs(self) -> Costs:
        """Return what start-ups, bytes and hops cost."""
        return costs_of(self.startup, self.per_byte, self.per_hop)

    @property
    def sizes(self) -> list[int]:
        """Return the sizes of a message."""
        if self.size is None:
            raise InputError("give the size of a message, as in --bytes 4, or a range of sizes, as in --bytes 1B:1MiB")
        return read_sweep(self.size, "--bytes") if ":" in self.size else [read_size(self.size, "--bytes")]

    def refuse(self) -> None:
        """Refuse options that do not fit together."""
        if self.phases is not None:
            if self.size is not None:
                raise InputError("--phases has the sizes of its own messages; leave out --bytes")
        elif self.seconds is not None:
            raise InputError("--time limits the searches of --phases; name a file of phases, or leave it out")
        if self.output is not None and (len(self.sizes) == 1 or self.is_asynchronous):
            raise InputError("-o draws times with barriers over several sizes; give --bytes 1B:1MiB, or leave -o out")
        if self.is_asynchronous and not self.costs.per_byte:
            raise InputError("--asynchronous needs a time per byte above 0, or a bandwidth; give --per-byte, as 25GB/s")


@dataclass(frozen=True)
class TimeEntry:
    """A schedule to time."""

    file: Path
    problem: Problem
    about: Profile
    schedule: Schedule

    @property
    def num_units(self) -> Fraction:
        """Return how many units the messages have in all: those of the vector, of an allreduce."""
        return Fraction(self.problem.num_messages, self.problem.collective.pieces)

    @property
    def figures(self) -> str:
        """Return start-ups and TCO; with pieces also what that is in whole messages."""
        figures = point_text(self.about.num_steps, self.about.tco)
        if self.about.pieces == 1:
            return figures
        unit = "unit" if self.problem.collective.sizes else "message"
        return f"{figures} in {self.about.pieces} pieces, {self.about.message_times} a {unit}"

    @property
    def label(self) -> str:
        """Return collective, network and figures."""
        what = f"{self.problem.collective.title} on {self.problem.network.name}"
        if self.problem.pattern == "allreduce":
            what += f" in {counted(len(self.problem.distinct_ends), 'part')}"
        return f"{what}: {self.figures}"

    def seconds(self, costs: Costs, size: int, *, is_asynchronous: bool) -> float:
        """Return the time with messages of a size, with a barrier after each step or without."""
        if not is_asynchronous:
            return predicted(costs, size, self.about)
        from pavane.judge.timed_case import finish_time
        from pavane.solvers.timed.retiming import without_barriers

        num_bytes = -(-size * Fraction(self.about.units) // 1)
        problem = replace(self.problem, links=links_of_costs(self.problem.network, costs), num_bytes=max(1, num_bytes))
        return finish_time(problem, without_barriers(problem, self.schedule)) / 1e12


def command(
    *,
    files: Annotated[
        list[Path],
        argument(
            "FILE|NETWORK",
            "Schedule files; a folder stands for all schedule files in it. With --phases a network, or a problem file.",
        ),
    ],
    timing: TimeOptions,
    as_json: options.JsonOption = False,
) -> None:
    """Predict how long schedules take, and compare them."""
    costs = timing.costs
    timing.refuse()
    if timing.phases is not None:
        from pavane.ui.cli.phases import print_phases

        if len(files) > 1:
            raise InputError("--phases takes one network; name it alone")
        print_phases(str(files[0]), timing.phases, costs, timing.seconds or USUAL_SECONDS, as_json)
    sizes = timing.sizes
    several = [file for file in files if has_several(file)]
    if several:
        if len(several) < len(files) or len(sizes) > 1 or timing.is_asynchronous:
            raise InputError(f"{several[0]} has several collectives at once; time such files together, with --bytes")
        print_times_of_several(files, costs, sizes[0], as_json)
        return
    refuse_plot(timing.output)
    entries = _entries(files)
    _print_times(costs, sizes, entries, timing.is_asynchronous, as_json)
    if timing.output is not None:
        from pavane.ui.plot.times import plot_times

        names = [f"{number}: {entry.figures}" for number, entry in enumerate(entries, 1)]
        write_plot(timing.output, lambda: plot_times(costs, [entry.about for entry in entries], names, sizes))


# -- files


def _entries(files: list[Path]) -> list[TimeEntry]:
    """Return the schedules; allreduces all add up the same vector: a size is that of one of the most parts."""
    entries = []
    for file in _listed(files):
        with waited_for(f"reading and judging {file}"):
            result = read_result(file)
        assert result.schedule is not None
        refuse_slots(result.problem.rules)
        about = profile(result.schedule, result.problem.collective.pieces)
        entries.append(TimeEntry(file, result.problem, about, result.schedule))
    if not _are_allreduces(entries):
        return entries
    most = _vector(entries)
    return [replace(entry, about=replace(entry.about, units=most / entry.num_units)) for entry in entries]


def _listed(files: list[Path]) -> list[Path]:
    """Return the schedule files that arguments name, those of a folder in the order of the numbers in their names."""
    listed: list[Path] = []
    for path in files:
        if not os.path.isdir(path):
            listed.append(path)
            continue
        try:
            inside = [path / name for name in os.listdir(path)]
        except OSError as error:
            raise InputError(f"{path}: cannot be read: {(error.strerror or str(error)).lower()}") from None
        schedules = [file for file in inside if file.name.removesuffix(".gz").endswith(".json") and is_schedule(file)]
        found = sorted(schedules, key=_by_numbers)
        if not found:
            raise InputError(f"{path}: there is no schedule file in this folder; `pavane solve ... -o FILE` writes one")
        listed += found
    return listed


def _by_numbers(file: Path) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", file.name) if part]


def _are_allreduces(entries: Sequence[TimeEntry]) -> bool:
    return all(entry.problem.pattern == "allreduce" for entry in entries)


def _vector(entries: Sequence[TimeEntry]) -> Fraction:
    """Return how many times a size is in the vector that allreduces add up."""
    return max(entry.num_units for entry in entries)


# -- the table


def _print_times(
    costs: Costs, sizes: Sequence[int], entries: list[TimeEntry], is_asynchronous: bool, as_json: bool
) -> None:
    """Print how long schedules take at each size, and which is the fastest where."""
    with waited_for("timing schedules"):
        seconds = [[entry.seconds(costs, size, is_asynchronous=is_asynchronous) for size in sizes] for entry in entries]
    if is_asynchronous:
        stretches: Sequence[Stretch] = ()
        fastest = [min(range(len(entries)), key=lambda number: seconds[number][at]) for at in range(len(sizes))]
    else:
        stretches = decision_table(costs, [entry.about for entry in entries])
        # Where two are equally fast the table and the stretches name the same, whatever rounding does.
        fastest = [[each.fastest for each in stretches if each.first <= size * (1 + 1e-12)][-1] for size in sizes]
    vector = _vector(entries) if _are_allreduces(entries) else None
    if as_json:
        print_json(
            {
                "costs": asdict(costs),
                "barriers": not is_asynchronous,
                "sizes": sizes,
                "schedules": [{**_figures(entry), "seconds": row} for entry, row in zip(entries, seconds, strict=True)],
                "fastest": fastest,
                "crossovers": [{"bytes": each.first, "fastest": each.fastest} for each in stretches[1:]],
                "remarks": _remarks(entries),
                **({} if vector is None else {"vector_bytes": [float(size * vector) for size in sizes]}),
            }
        )
        return
    parts = [f"{time_text(costs.startup)} start-up", f"{time_text(costs.per_byte)} per byte"]
    parts += [f"{time_text(costs.per_hop)} per hop"] * (costs.per_hop > 0)
    parts += ["without barriers" if is_asynchronous else "with a barrier after each step"]
    print_report([f"costs       {', '.join(parts)}", *(f"remark      {remark}" for remark in _remarks(entries))])
    files = ((number, entry.file, entry.label) for number, entry in enumerate(entries, 1))
    print_table(Table.of(["", "file", "schedule"], files, align="numbers"))
    print_report([""])
    # Of many schedules only those that are the fastest somewhere have a column.
    shown = list(range(len(entries))) if len(entries) <= MOST_COLUMNS else sorted(set(fastest))
    columns = [Column("size", align="right", text=size_text), Column("vector", align="right", text=size_text)]
    columns += [Column(str(number + 1), align="right", text=time_text) for number in shown]
    columns += [Column("fastest", align="right")]
    rows: list[list[Any]] = [
        [
            *(size, None if vector is None else float(size * vector)),
            *(seconds[number][at] for number in shown),
            fastest[at] + 1 if len(entries) > 1 else None,
        ]
        for at, size in enumerate(sizes)
    ]
    print_table(Table(columns, rows).without_empty_columns())
    if len(entries) > 1:
        print_report(_stretch_lines(stretches, entries, vector))


def _stretch_lines(stretches: Sequence[Stretch], entries: list[TimeEntry], vector: Fraction | None) -> Iterator[str]:
    """Yield from which size to which a schedule is the fastest."""

    def at(size: float) -> str:
        return size_text(size) + ("" if vector is None else f" (vector {size_text(float(size * vector))})")

    for index, stretch in enumerate(stretches):
        until = f"below {at(stretches[index + 1].first)}" if index + 1 < len(stretches) else ""
        since = f"from {at(stretch.first)}" if index else ""
        between = " and ".join(part for part in (since, until) if part) or "at every size"
        yield f"fastest     {between}: {stretch.fastest + 1} ({entries[stretch.fastest].label})"


def _remarks(entries: list[TimeEntry]) -> list[str]:
    """Note in what the compared schedules differ."""
    remarks = []
    kinds = sorted({entry.problem.collective.title for entry in entries})
    if len(kinds) > 1:
        remarks.append(f"the schedules are of different collectives: {', '.join(kinds)}")
    if _are_allreduces(entries):
        parts = {entry.num_units for entry in entries}
        if len(parts) > 1:
            remarks.append(
                f"all add up the same vector: a size is that of one of {max(parts)} parts, and fewer parts are larger"
            )
    elif len({entry.problem.collective.sizes for entry in entries}) > 1:
        remarks.append("the schedules are of messages of different sizes")
    if len({entry.problem.rules for entry in entries}) > 1:
        remarks.append("the schedules obey different rules")
    return remarks


def _figures(entry: TimeEntry) -> dict[str, Any]:
    about = entry.about
    cut = {} if entry.problem.collective.is_plain else {"pieces": about.pieces}
    return {
        "file": str(entry.file),
        "network": entry.problem.network.name,
        "collective": entry.problem.collective.kind,
        "start_ups": about.num_steps,
        "tco": about.tco,
        **({"parts": len(entry.problem.distinct_ends)} if entry.problem.pattern == "allreduce" else {}),
        **({**cut, "message_times": str(about.message_times)} if cut else {}),
    }
