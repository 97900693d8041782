"""What `pavane show` and `solve --print` list of a schedule: paths, start times, or the rows of a table.

A listing is lines for people and figures for JSON; both are made when they are read.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from pavane.errors import InputError
from pavane.model.network import Network
from pavane.text import counted
from pavane.text.table import Table
from pavane.timing import picoseconds_text
from pavane.ui.cli.inputs import chosen_steps
from pavane.ui.cli.options import option
from pavane.ui.cli.report import table_lines

if TYPE_CHECKING:
    from pavane.io.router_rows import RouterRow
    from pavane.judge.refusal import Refusal
    from pavane.judge.result import Result
    from pavane.model.problem import Problem
    from pavane.model.schedule import Schedule
    from pavane.model.slot_latencies import SlotFigures

MOST_PROCESSORS = 64
"""The destination table is printed by default up to this many processors."""

MOST_ROWS = 40
"""Rows of a table, transfers with start times, or steps of several collectives that are printed unless one is named."""

FORMS = ("paths", "table", "both", "programs", "latencies")


class Listing(NamedTuple):
    """The transfers of a schedule, as lines and as figures for JSON."""

    lines: Iterable[str]
    figures: Callable[[], dict[str, Any]]


@dataclass(frozen=True)
class RowOptions:
    """What to print of a schedule."""

    form: Annotated[
        str | None,
        typer.Option(
            "--as",
            metavar="|".join(FORMS),
            help="Path notation, destination table, both, a program per processor, or (tdm) latency and bandwidth of "
            "each pair. [default: both]",
        ),
    ] = None
    step: Annotated[int | None, option("--step N", "Print or draw one step only, counted from 1.")] = None
    router: Annotated[
        str | None, option("--router R", "The router whose rows are printed, by name or number. [default: 0]")
    ] = None
    most: Annotated[
        int | None,
        option("--most N", f"Maximum number of rows or transfers that are printed. [default: {MOST_ROWS}]", min=1),
    ] = None

    def refuse(self, why: str, *flags: str) -> None:
        """Refuse options where they have no effect."""
        given = {"--as": self.form, "--step": self.step, "--router": self.router, "--most": self.most}
        for flag in flags:
            if given[flag] is not None:
                raise InputError(f"{flag} {given[flag]}: {why}; leave it out")

    def refuse_for(self, problem: Problem, has_table: bool, what: str) -> None:
        """Refuse the options that have no effect on a schedule of this kind."""
        if self.form is not None and self.form not in FORMS:
            raise InputError(f"--as {self.form!r} is not known; choose {', '.join(FORMS[:-1])} or {FORMS[-1]}")
        if problem.has_times:
            self.refuse(f"it applies to schedules of steps, and {what} has start times", "--as", "--step")
        if problem.has_several:
            self.refuse(f"it applies to schedules of one collective, and {what} has several", "--as")
        if not has_table or self.form is not None:
            self.refuse("it applies to printed tables (pavane/table/1)", "--router")
        if not (has_table and self.form is None) and not problem.has_times:
            self.refuse("it applies to printed tables and start times", "--most")

    def router_of(self, network: Network) -> int:
        """Return the number of the router."""
        from pavane.io.router_rows import router_named

        found = 0 if self.router is None else router_named(network, self.router)
        if found is None:
            shown = ", ".join(network.routers[:4])
            raise InputError(f"--router {self.router!r:.40}: {network.name} has no such router; it has {shown}, ...")
        return found


def listing_of(result: Result | Refusal, chosen: RowOptions | None = None) -> Listing:
    """Return the transfers of a schedule, or the rows of a table, as the options choose them."""
    chosen, problem = chosen or RowOptions(), result.problem
    if problem.has_times:
        return _start_times(result, chosen.most or MOST_ROWS)
    if getattr(result, "table", None) is not None and chosen.form is None:
        return _table(result, chosen)  # type: ignore[arg-type]
    assert result.schedule is not None
    steps = chosen_steps(chosen.step, result.schedule.num_steps, unit=problem.rules.step_word)
    if problem.has_several:
        return _several(problem, result.schedule, steps, chosen.most or MOST_ROWS)
    if chosen.form == "latencies":
        return _latencies(result, chosen)  # type: ignore[arg-type]
    return _paths(problem, result.schedule, steps, chosen)


def all_rows(result: Result) -> Iterable[str]:
    """Return the lines of all transfers, or of all rows of router 0."""
    return listing_of(result, RowOptions(most=sys.maxsize)).lines


def rest_line(number: int, noun: str, hint: str = "--most prints more") -> list[str]:
    """Return the line that says how many more there are than are listed; no line if there are none."""
    return [f"  and {counted(number, f'more {noun}')}; {hint}"] if number > 0 else []


# -- schedules of steps


def _paths(problem: Problem, schedule: Schedule, steps: range, chosen: RowOptions) -> Listing:
    """Return the transfers of each step in path notation, and where they are chosen as tables or programs."""
    from pavane.io.notation import path_lines

    def lines() -> Iterator[str]:
        if chosen.form == "programs":
            yield from _programs(problem, schedule, steps)
            return
        if chosen.form != "table":
            for number, line in path_lines(problem, schedule, steps, by_number=True):
                yield f"{number:>6}  {line}"
        if chosen.form in ("table", "both"):
            yield from _destinations(problem, schedule, chosen)

    def figures() -> dict[str, Any]:
        chosen.refuse("--json prints paths", "--as")
        return {"paths": {str(number): line.split(", ") for number, line in path_lines(problem, schedule, steps)}}

    return Listing(lines(), figures)


def _programs(problem: Problem, schedule: Schedule, steps: range) -> Iterator[str]:
    """Yield the program of each processor."""
    from pavane.io.notation import program_lines

    network = problem.network
    for location, program in program_lines(problem, schedule, steps):
        number = int(location[1:])
        router = int(network.router_of[number]) if location.startswith("p") else number
        yield f"  {location}" if network.is_numbered else f"  {location} (router {network.routers[router]})"
        yield from (f"    {line}" for line in program)


def _destinations(problem: Problem, schedule: Schedule, chosen: RowOptions) -> Iterator[str]:
    """Yield the destination table, unless it is large and not selected."""
    from pavane.io.notation import destination_table, processor_text

    if chosen.form == "both":
        if problem.network.num_processors > MOST_PROCESSORS:
            yield f"(the destination table is left out above {MOST_PROCESSORS} processors; --as table prints it)"
            return
        yield ""
    titles, *rows = destination_table(problem, schedule)
    shown = range(1, len(titles)) if chosen.step is None else (chosen.step,)
    table = ([processor_text(problem.network, int(row[0])), *(row[step] for step in shown)] for row in rows)
    yield from table_lines(Table.of([titles[0], *(titles[step] for step in shown)], table))
    if problem.pattern == "allreduce":
        yield "+p: processor p adds what comes to its sum; p: it takes the place of its sum"


def latencies_of(result: Result) -> SlotFigures:
    """Return latency and bandwidth of each pair of a table of slots; refuse schedules of steps."""
    from pavane.model.slot_latencies import slot_figures

    assert result.schedule is not None
    if not result.problem.rules.has_slots:
        raise InputError("--as latencies is about tables of slots (tdm); this schedule has steps, so leave it out")
    return slot_figures(result.problem, result.schedule)


def _latencies(result: Result, chosen: RowOptions) -> Listing:
    chosen.refuse("a latency is about the whole table", "--step")
    found = latencies_of(result)
    return Listing(table_lines(found.pairs), lambda: {**found.to_dict(), "pairs": found.pairs.records()})


def _several(problem: Problem, schedule: Schedule, steps: range, most: int) -> Listing:
    """Return the transfers of each step, collective by collective, in path notation."""
    from pavane.io.notation import path_lines
    from pavane.model.several import split

    parts = list(zip(problem.parts, split(problem, schedule), strict=True))

    def lines() -> Iterator[str]:
        for step in steps[:most]:
            yield f"step {step + 1}"
            for number, (part, own) in enumerate(parts):
                for _, line in path_lines(part, own, range(step, step + 1)):
                    if line:
                        yield f"  {number} {part.collective.title}: {line}"
        yield from rest_line(len(steps) - most, "step", "--step N prints one")

    return Listing(lines(), dict)


# -- start times


def _start_times(result: Result | Refusal, most: int) -> Listing:
    """Return the first transfers: start, ends, message, the routers on the path, and when they end."""
    from pavane.judge.timed_case import TimedCase

    assert result.schedule is not None
    problem, network, schedule = result.problem, result.problem.network, result.schedule
    case = TimedCase(problem, schedule, 1)
    records = []
    for number in range(min(most, len(schedule))):
        one = schedule.transfer(number)
        start = int(network.router_of[one.sender]) if one.sender >= 0 else ~one.sender
        path = [network.routers[place] for place in (start, *network.heads[list(one.path)].tolist())]
        ends = {"from": path[0], "to": path[-1], "message": problem.message_name(one.messages[0]), "path": path}
        times = {"free_ps": one.start + int(case.holds[number]), "usable_ps": int(case.usable[number])}
        records.append({"start_ps": one.start, **ends, **times})
    cells = (
        [
            picoseconds_text(each["start_ps"]),
            *(each[key] for key in ("from", "to", "message")),
            "-".join(each["path"]),
            *(picoseconds_text(each[key]) for key in ("free_ps", "usable_ps")),
        ]
        for each in records
    )
    table = Table.of(["start", "from", "to", "message", "path", "channels free", "usable"], cells)
    rest = rest_line(len(schedule) - most, "transfer")
    return Listing([*table_lines(table), *rest], lambda: {"rows": records})


# -- tables


def _table(result: Result, chosen: RowOptions) -> Listing:
    """Return the rows of one router, or the transfers of all routers in one step."""
    assert result.table is not None
    chosen_steps(chosen.step, result.table.num_steps, "table", result.problem.rules.step_word)
    router, most = chosen.router_of(result.problem.network), chosen.most or MOST_ROWS
    if chosen.step is None:
        return _rows_of(result, router, most)
    if chosen.router is not None:
        raise InputError("--step prints what all routers do, and --router the rows of one; leave one of them out")
    return _one_step(result, chosen.step, most)


def _one_step(result: Result, step: int, most: int) -> Listing:
    """Return the transfers of all routers in a step."""
    assert result.table is not None
    network, schedule = result.problem.network, result.table.expand_step(result.problem, step - 1)

    def transfers() -> Iterator[dict[str, Any]]:
        for one in schedule:
            places = (network.router_of[one.sender], *(network.heads[channel] for channel in one.path))
            yield {"from": one.sender, "to": one.receiver, "path": [network.routers[place] for place in places]}

    lines = [f"{result.problem.rules.step_word:<11} {step:,}: {counted(len(schedule), 'transfer')}"]
    lines += [f"  {'-'.join(one['path'])}" for one in islice(transfers(), most)]
    lines += rest_line(len(schedule) - most, "transfer")
    return Listing(lines, lambda: {"step": step, "transfers": list(transfers())})


def _rows_of(result: Result, router: int, most: int) -> Listing:
    """Return the rows of a router."""
    from pavane.io.router_rows import rows_of_router
    from pavane.model.symmetric_schedule import SymmetricSchedule

    problem, table, names = result.problem, result.table, result.problem.network.routers
    assert table is not None
    rows, heads = rows_of_router(problem, table, router), []
    if isinstance(table, SymmetricSchedule) and table.routers is None:
        heads = [names[head] for head in table.kinds(problem.network).heads[router].tolist()]

    def figures() -> dict[str, Any]:
        listed = [{**row._asdict(), "step": row.step + 1} for row in rows[:most]]
        return {"router": router, "kinds": heads, "rows_of_router": listed}

    lines = []
    if heads:
        kinds = ", ".join(f"{kind} to {head}" for kind, head in enumerate(heads))
        lines.append(f"kinds       of channels from router {names[router]}: {kinds}")
    lines += [f"rows        of router {names[router]}", *_row_lines(result, rows[:most])]
    return Listing([*lines, *rest_line(len(rows) - most, "row")], figures)


def _row_lines(result: Result, rows: Sequence[RouterRow]) -> Iterator[str]:
    """Return rows of a router: step, ends, message and path."""
    network = result.problem.network
    cells = (
        [row.step + 1, *(network.routers[network.router_of[end]] for end in (row.sender, row.receiver)), *row[3:]]
        for row in rows
    )
    return table_lines(Table.of([result.problem.rules.step_word, "from", "to", "message", "path"], cells), indent=2)
