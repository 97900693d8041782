"""`pavane time`: how long schedules take by the papers' time models, and which is the fastest at which message size."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

from pavane.errors import InputError
from pavane.timing import Costs, profile, read_size, refuse_slots, sweep_sizes
from pavane.ui.cli import options
from pavane.ui.cli.inputs import costs_of, has_several, is_schedule, read_result
from pavane.ui.cli.nccl_tables import TimesAtSize
from pavane.ui.cli.notes import note
from pavane.ui.cli.options import argument, option, seconds_option
from pavane.ui.cli.outputs import refuse_plot, write_plot
from pavane.ui.cli.progress import waited_for
from pavane.ui.cli.several import print_times_of_several
from pavane.ui.cli.time_tables import (
    RetimedEntry,
    TimeEntry,
    of_one_vector,
    print_sweep,
    print_times,
    print_without_barriers,
    title_and_labels,
)

USUAL_SECONDS = 8.0
"""Time limit of the searches for the phases of an application."""


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
            "--bytes SIZE", "Size of one message (of one unit, with sizes; of one part of an allreduce), as 4 or 1KiB."
        ),
    ] = None
    per_hop: Annotated[str, option("--per-hop TIME", "Time that each channel of a path adds.")] = "0"
    sweep: Annotated[
        str | None, option("--sweep SIZE:SIZE", "All sizes by powers of two, as 1B:1MiB, and the fastest.")
    ] = None
    points: Annotated[int | None, option("--points N", "So many sizes at equal ratios instead.")] = None
    output: Annotated[Path | None, option("-o --output FILE", "Draw the sweep: .svg, .png or .pdf.")] = None
    is_asynchronous: Annotated[
        bool, option("--asynchronous", "With --bytes: without barriers, each transfer as soon as it can start.")
    ] = False
    nccl: options.NcclOption = None
    phases: Annotated[
        Path | None,
        option("--phases FILE", "Time an application on NETWORK: a CSV of collective,bytes,count and compute,seconds."),
    ] = None
    seconds: Annotated[
        float | None, seconds_option("--time", "With --phases: all its searches share it. [default: 8]")
    ] = None

    def costs(self) -> Costs:
        """Return what start-ups, bytes and hops cost."""
        return costs_of(self.startup, self.per_byte, self.per_hop)

    def refuse(self) -> None:
        """Refuse options that do not fit together."""
        if self.phases is not None:
            if self.size is not None or self.sweep is not None or self.nccl:
                raise InputError("--phases has the sizes of its own messages; leave out --bytes, --sweep and --nccl")
        elif self.seconds is not None:
            raise InputError("--time limits the searches of --phases; name a file of phases, or leave it out")
        elif (self.size is None) == (self.sweep is None):
            raise InputError("give the size of a message, as in --bytes 4, or a range of sizes, as in --sweep 1B:1MiB")
        if self.sweep is None and (self.points is not None or self.output is not None):
            alone = "--points" if self.output is None else "-o"
            raise InputError(f"{alone} belongs to --sweep; add --sweep 1B:1MiB")
        if self.is_asynchronous and self.size is None:
            raise InputError("--asynchronous takes one size of messages; give --bytes instead of --sweep")


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
    costs = timing.costs()
    timing.refuse()
    if timing.phases is not None:
        from pavane.ui.cli.phases import print_phases

        if len(files) > 1:
            raise InputError("--phases takes one network; name it alone")
        print_phases(str(files[0]), timing.phases, costs, timing.seconds or USUAL_SECONDS, as_json)
    several = [file for file in files if has_several(file)]
    if several:
        if len(several) < len(files) or timing.size is None or timing.is_asynchronous:
            raise InputError(f"{several[0]} has several collectives at once; time such files together, with --bytes")
        print_times_of_several(files, costs, read_size(timing.size, "--bytes"), as_json)
        return
    if timing.size is not None:
        size = read_size(timing.size, "--bytes")
        if timing.is_asynchronous:
            print_without_barriers(_retimed(files, costs, size), as_json)
            return
        entries = _entries(files)
        beside = _beside_libraries(timing.nccl, entries, costs, (size,))
        print_times(costs, size, entries, as_json, beside[0] if beside else None)
        return
    sizes = _sizes(timing.sweep or "", timing.points)
    refuse_plot(timing.output)
    entries = _entries(files)
    print_sweep(costs, sizes, entries, as_json, _beside_libraries(timing.nccl, entries, costs, sizes))
    if timing.output is not None:
        from pavane.ui.plot.times import plot_times

        title, names = title_and_labels(entries)
        write_plot(timing.output, lambda: plot_times(costs, [entry.about for entry in entries], names, sizes, title))


def _entries(files: list[Path]) -> list[TimeEntry]:
    entries = []
    for file in _listed(files):
        with waited_for(f"reading and judging {file}"):
            result = read_result(file)
        assert result.schedule is not None
        refuse_slots(result.problem.rules)
        about = profile(result.schedule, result.problem.collective.pieces)
        entries.append(TimeEntry(file, result.problem, about, result.schedule))
    return of_one_vector(entries)


def _beside_libraries(
    requested: bool | None, entries: list[TimeEntry], costs: Costs, sizes: Sequence[int]
) -> list[TimesAtSize]:
    """Return the times of schedules beside those of NCCL's algorithms; none where they are not wanted."""
    from pavane.campaign.library_times import asynchronous_time, compares_with_libraries, is_quick, nccl_times
    from pavane.campaign.start_times import links_of_costs

    problems = {(entry.problem.network, entry.problem.collective.kind, entry.problem.rules) for entry in entries}
    if requested is None:
        requested = len(problems) == 1 and costs.per_byte > 0
        requested = requested and all(compares_with_libraries(entry.problem) for entry in entries)
        if requested and not is_quick(entries[0].problem, len(sizes)):
            note("--nccl also times NCCL's algorithms, which takes longer on so many GPUs and sizes")
            requested = False
    if not requested:
        return []
    if len(problems) > 1:
        raise InputError("--nccl compares schedules of one network, collective and rules; name these alone")
    found = []
    largest = max(entries, key=lambda entry: entry.num_units)
    with waited_for("timing NCCL's algorithms"):
        links = links_of_costs(largest.problem.network, costs)
        for size in sizes:
            own = [
                asynchronous_time(entry.problem, entry.schedule, links, float(size * entry.about.units))
                for entry in entries
            ]
            found.append(TimesAtSize(size, tuple(own), nccl_times(largest.problem, links, size)))
    return found


def _retimed(files: list[Path], costs: Costs, size: int) -> list[RetimedEntry]:
    """Return the schedules with their ends, with barriers and without.

    A start-up holds the channels of a transfer before its bytes, and each channel of a path adds its time (noc eq. 1).
    """
    from pavane.judge.timed_rules import finish_time
    from pavane.model.links import Links
    from pavane.solvers.timed.retiming import barrier_time, without_barriers

    if not costs.per_byte:
        raise InputError("--asynchronous needs a time per byte above 0, or a bandwidth; give --per-byte, as 25GB/s")
    entries = []
    for file in _listed(files):
        with waited_for(f"reading and timing {file}"):
            result = read_result(file)
            assert result.schedule is not None
            refuse_slots(result.problem.rules)
            startup, hop = (round(seconds * 1e12) for seconds in (costs.startup, costs.per_hop))
            rate = max(1, round(1 / costs.per_byte))
            links = Links.uniform(result.problem.network, latency_ps=hop, bytes_per_second=rate, overhead_ps=startup)
            problem = replace(result.problem, links=links, num_bytes=size)
            finish = finish_time(problem, without_barriers(problem, result.schedule))
            barriers = barrier_time(problem, result.schedule)
        entries.append(RetimedEntry(file, result.schedule.num_steps, barriers, finish))
    return entries


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


def _sizes(text: str, points: int | None) -> tuple[int, ...]:
    first, colon, last = text.partition(":")
    if not colon:
        raise InputError(f"--sweep {text!r} is not a range of sizes; write one like 1B:1MiB")
    return sweep_sizes(read_size(first, "--sweep"), read_size(last, "--sweep"), points)
