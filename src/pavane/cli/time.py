"""`pavane time`: how long schedules take by the papers' time models, and which is the fastest at which message size."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from pavane.cli import options
from pavane.cli.solve import headline
from pavane.errors import InputError, InvalidSchedule
from pavane.model.problem import Problem
from pavane.timing import (
    COMPARED_BY,
    MODELS,
    Costs,
    Profile,
    decision_table,
    predicted,
    profile,
    read_per_byte,
    read_size,
    read_time,
    size_text,
    step_times,
    sweep_sizes,
    time_text,
)
from pavane.words import counted

MOST_STEPS_LISTED = 32
MOST_COLUMNS = 6


@dataclass(frozen=True)
class _Entry:
    """A schedule to time."""

    file: Path
    problem: Problem
    about: Profile

    @property
    def label(self) -> str:
        """Return network, collective and start-ups/TCO."""
        what = f"{self.problem.network.name} {self.problem.collective.kind}"
        return f"{what} {self.about.num_steps}/{self.about.tco}"


def time(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE", help="Schedule files; a folder stands for all schedule files in it.", show_default=False
        ),
    ],
    startup: Annotated[
        str, typer.Option("--startup", metavar="TIME", help="Time of a start-up, as 10ns or 1us.", show_default=False)
    ],
    per_byte: Annotated[
        str,
        typer.Option(
            "--per-byte", metavar="TIME|BANDWIDTH", help="Per byte, as 1ns or 1GB/s or 100Gbit/s.", show_default=False
        ),
    ],
    size: Annotated[
        str | None, typer.Option("--bytes", metavar="SIZE", help="Size of one message, as 4, 4B, 1kB or 1KiB.")
    ] = None,
    per_hop: Annotated[
        str, typer.Option("--per-hop", metavar="TIME", help="Time that each channel of a path adds.")
    ] = "0",
    sweep: Annotated[
        str | None,
        typer.Option("--sweep", metavar="SIZE:SIZE", help="All sizes by powers of two, as 1B:1MiB, and the fastest."),
    ] = None,
    points: Annotated[
        int | None, typer.Option("--points", metavar="N", help="So many sizes at equal ratios instead.")
    ] = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help="Draw the sweep: .svg, .png or .pdf.")
    ] = None,
    as_json: options.JsonOption = False,
) -> None:
    """Predict how long schedules take, and compare them."""
    costs = Costs(
        read_time(startup, "--startup"), read_per_byte(per_byte, "--per-byte"), read_time(per_hop, "--per-hop")
    )
    if (size is None) == (sweep is None):
        raise InputError("give the size of a message, as in --bytes 4, or a range of sizes, as in --sweep 1B:1MiB")
    if sweep is None and (points is not None or plot is not None):
        raise InputError(f"{'--points' if plot is None else '--plot'} belongs to --sweep; add --sweep 1B:1MiB")
    if size is not None:
        width = read_size(size, "--bytes")
        entries = [_read(file) for file in _listed(files)]
        _print_times(costs, width, entries, as_json)
        return
    sizes = _sizes(sweep or "", points)
    if plot is not None:
        from pavane.plot.figures import refuse_undrawable

        refuse_undrawable(plot)
    entries = [_read(file) for file in _listed(files)]
    _print_sweep(costs, sizes, entries, as_json)
    if plot is not None:
        from pavane.plot.figures import write_figure
        from pavane.plot.times import plot_times

        labels = [entry.label for entry in entries]
        twice = Counter(labels)
        labels = [e.label if twice[e.label] == 1 else f"{e.label} ({e.file.name})" for e in entries]
        write_figure(plot, plot_times(costs, [entry.about for entry in entries], labels, sizes))


# -- what is asked


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
        found = sorted((file for file in inside if _is_schedule(file)), key=_by_numbers)
        if not found:
            raise InputError(f"{path}: there is no schedule file in this folder; `pavane solve ... -o FILE` writes one")
        listed += found
    return listed


def _is_schedule(file: Path) -> bool:
    """Tell a schedule file by its ending and its opening."""
    from pavane.formats.files import SCHEDULE_FORMAT

    if file.suffix != ".json" or not os.path.isfile(file):
        return False
    try:
        with open(file, "rb") as opened:
            return SCHEDULE_FORMAT.rpartition("/")[0].encode() in opened.read(200)
    except OSError:
        return True  # what cannot be read is named when it is


def _by_numbers(file: Path) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", file.name) if part]


def _read(file: Path) -> _Entry:
    from pavane.formats import read_schedule

    try:
        result = read_schedule(file).result()
    except InvalidSchedule as error:
        raise InvalidSchedule(f"{file}: {error}") from None
    assert result.schedule is not None
    return _Entry(file, result.problem, profile(result.schedule))


def _sizes(text: str, points: int | None) -> tuple[int, ...]:
    first, colon, last = text.partition(":")
    if not colon:
        raise InputError(f"--sweep {text!r} is no range of sizes; write one like 1B:1MiB")
    return sweep_sizes(read_size(first, "--sweep"), read_size(last, "--sweep"), points)


# -- what is said


def _costs_line(costs: Costs, size: int | None) -> str:
    parts = [f"{time_text(costs.startup)} start-up", f"{time_text(costs.per_byte)} per byte"]
    parts += [f"{time_text(costs.per_hop)} per hop"] * (costs.per_hop > 0)
    return ", ".join([*parts, *([] if size is None else [f"{size_text(size)} a message"])])


def _remarks(entries: list[_Entry]) -> list[str]:
    """Say what the schedules do not have in common, though they are compared."""
    remarks = []
    kinds = sorted({entry.problem.collective.kind for entry in entries})
    if len(kinds) > 1:
        remarks.append(f"the schedules are of different collectives: {', '.join(kinds)}")
    if len({entry.problem.rules for entry in entries}) > 1:
        remarks.append("the schedules obey different rules")
    return remarks


def _print_times(costs: Costs, size: int, entries: list[_Entry], as_json: bool) -> None:
    times = [{name: predicted(costs, size, entry.about, name) for name in MODELS} for entry in entries]
    shortest = min(row[COMPARED_BY] for row in times)
    fastest = [row[COMPARED_BY] <= shortest * (1 + 1e-12) for row in times]
    if as_json:
        rows = [
            {**_about(entry), "steps": _steps(costs, size, entry.about), "seconds": row, "fastest": best}
            for entry, row, best in zip(entries, times, fastest, strict=True)
        ]
        said = {"costs": _costs(costs), "bytes": size, "schedules": rows, "remarks": _remarks(entries)}
        print(json.dumps(said, indent=1))
        return
    if len(entries) == 1:
        _print_one(costs, size, entries[0], times[0])
        return
    print(f"costs       {_costs_line(costs, size)}")
    for remark in _remarks(entries):
        print(f"remark      {remark}")
    table = [["", "file", "network", "collective", "start-ups/TCO", *MODELS]]
    for entry, row, best in zip(entries, times, fastest, strict=True):
        table.append(
            [
                "*" if best else "",
                str(entry.file),
                entry.problem.network.name,
                entry.problem.collective.kind,
                f"{entry.about.num_steps}/{entry.about.tco}",
                *(time_text(row[name]) for name in MODELS),
            ]
        )
    _print_table(table)
    print(f"* the fastest by {COMPARED_BY}")


def _print_one(costs: Costs, size: int, entry: _Entry, times: dict[str, float]) -> None:
    for line in headline(entry.problem):
        print(line)
    print(f"schedule    {counted(entry.about.num_steps, 'start-up')}, TCO {entry.about.tco:,}")
    print(f"costs       {_costs_line(costs, size)}")
    seconds = step_times(costs, size, entry.about)
    rows = list(zip(entry.about.payloads, entry.about.hops, seconds, strict=True))
    if len(rows) <= MOST_STEPS_LISTED:
        table = [["step", "messages", "channels", "time"]]
        table += [[str(i), f"{k:,}", f"{h:,}", time_text(each)] for i, (k, h, each) in enumerate(rows, 1)]
    else:
        # Steps that are alike stand in one line.
        table = [["steps", "messages", "channels", "time of each"]]
        table += [[f"{n:,}", f"{k:,}", f"{h:,}", time_text(t)] for (k, h, t), n in sorted(Counter(rows).items())]
    _print_table(table)
    print()
    table = [["model", "formula", "time", ""]]
    table += [[name, model.formula, time_text(times[name]), model.about] for name, model in MODELS.items()]
    _print_table(table)


def _print_sweep(costs: Costs, sizes: tuple[int, ...], entries: list[_Entry], as_json: bool) -> None:
    rows = [[predicted(costs, size, entry.about) for size in sizes] for entry in entries]
    stretches = [s for s in decision_table(costs, [entry.about for entry in entries]) if s.first <= sizes[-1]]
    # Where two are equally fast the table and the stretches name the same, whatever rounding does.
    best = [[s.fastest for s in stretches if s.first <= size * (1 + 1e-12)][-1] for size in sizes]
    while len(stretches) > 1 and stretches[1].first <= sizes[0]:
        stretches.pop(0)
    if as_json:
        crossovers = [{"bytes": stretch.first, "fastest": stretch.fastest} for stretch in stretches[1:]]
        said = {
            "costs": _costs(costs),
            "sizes": sizes,
            "schedules": [{**_about(entry), "seconds": row} for entry, row in zip(entries, rows, strict=True)],
            "fastest": best,
            "crossovers": crossovers,
            "remarks": _remarks(entries),
        }
        print(json.dumps(said, indent=1))
        return
    print(f"costs       {_costs_line(costs, None)}, by {COMPARED_BY}")
    for remark in _remarks(entries):
        print(f"remark      {remark}")
    _print_table([["", "file", "schedule"], *([str(i), str(e.file), e.label] for i, e in enumerate(entries, 1))])
    print()
    # Of many schedules only those that are the fastest somewhere get a column.
    columns = list(range(len(entries))) if len(entries) <= MOST_COLUMNS else sorted(set(best))
    table = [["size", *(str(i + 1) for i in columns), "fastest"]]
    for place, size in enumerate(sizes):
        table.append([size_text(size), *(time_text(rows[i][place]) for i in columns), str(best[place] + 1)])
    _print_table(table)
    print()
    for place, stretch in enumerate(stretches):
        until = f"below {size_text(stretches[place + 1].first)}" if place + 1 < len(stretches) else ""
        since = f"from {size_text(stretch.first)}" if place else ""
        between = " and ".join(part for part in (since, until) if part) or "at every size"
        entry = entries[stretch.fastest]
        print(f"fastest     {between}: {stretch.fastest + 1} ({entry.label})")


def _print_table(table: list[list[str]]) -> None:
    """Print a table with its numbers to the right."""
    widths = [max(len(row[column]) for row in table) for column in range(len(table[0]))]
    numeric = [all(re.match(r"[\d.,]+( \w+)?$", row[column]) for row in table[1:]) for column in range(len(table[0]))]
    for row in table:
        cells = zip(row, widths, numeric, strict=True)
        print("  ".join(cell.rjust(width) if right else cell.ljust(width) for cell, width, right in cells).rstrip())


def _costs(costs: Costs) -> dict[str, float]:
    return {"startup": costs.startup, "per_byte": costs.per_byte, "per_hop": costs.per_hop}


def _about(entry: _Entry) -> dict[str, Any]:
    return {
        "file": str(entry.file),
        "network": entry.problem.network.name,
        "collective": entry.problem.collective.kind,
        "start_ups": entry.about.num_steps,
        "tco": entry.about.tco,
    }


def _steps(costs: Costs, size: int, about: Profile) -> list[dict[str, float]]:
    seconds = step_times(costs, size, about)
    rows = zip(about.payloads, about.hops, seconds, strict=True)
    return [{"messages": payload, "channels": hops, "seconds": each} for payload, hops, each in rows]
