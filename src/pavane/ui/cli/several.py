"""Several collectives at once on the command line: options, the search, reports, and files of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pavane.io.request import Request
from pavane.io.several_request import problem_of_several
from pavane.model.several import owners_of, split
from pavane.text import counted
from pavane.text.table import Table
from pavane.timing import Costs, short_time_text
from pavane.ui.cli.inputs import chosen_steps, read_result
from pavane.ui.cli.notes import note_end
from pavane.ui.cli.options import option
from pavane.ui.cli.outputs import write_result
from pavane.ui.cli.progress import waited_for
from pavane.ui.cli.report import (
    answer,
    headline,
    print_json,
    print_report,
    print_rest,
    table_lines,
)

if TYPE_CHECKING:
    from pavane.judge.result import Result
    from pavane.model.network import Network
    from pavane.model.problem import Problem
    from pavane.model.schedule import Schedule
    from pavane.ui.cli.pool_options import PoolOptions
    from pavane.ui.cli.solve_run import MethodOptions, PrintOptions

MOST_STEPS_SHOWN = 40
"""Steps of a schedule that `show` prints unless --step names one."""


@dataclass(frozen=True)
class CollectivesRequest(Request):
    """Problem: the texts that describe one, of one collective or of several at once."""

    collectives: Annotated[
        list[str] | None,
        option(
            "--collective KIND:MEMBERS",
            "One of several collectives at once, as allgather:0-7 or broadcast:0-7:root=3:pieces=2, or one in each "
            "group, as allgather:rows, allreduce:blocks:8 or reduce-scatter:every:8. May be repeated.",
        ),
    ] = None
    groups: Annotated[
        str | None,
        option(
            "--groups GROUPS",
            "COLLECTIVE in each of several groups at once: rows, columns, blocks:8, every:8 or lists, as 0-7,8-15.",
        ),
    ] = None

    def problem(self, found: Network | Problem | None = None) -> Problem:
        """Return the problem that is described, of one collective or of several at once."""
        if self.collectives or self.groups is not None:
            return problem_of_several(self, self.collectives or (), self.groups, found)
        return super().problem(found)


@dataclass(frozen=True)
class GoalRequest(CollectivesRequest):
    """Problem: the texts that describe one, and what to make small of several collectives."""

    goal: Annotated[
        str | None,
        option(
            "--goal makespan|sum",
            "As few steps of all as possible, or as small a sum of the steps of each. [default: makespan]",
        ),
    ] = None


def solve_several(
    problem: Problem,
    request: GoalRequest,
    search: MethodOptions,
    pool: PoolOptions,
    output: Path | None,
    printing: PrintOptions,
) -> int:
    """Search for a schedule of several collectives, write and print it; return the exit code."""
    from pavane.search.options import SearchOptions
    from pavane.search.synthesis import solve

    goal = request.goal or "makespan"
    with (
        pool.open(problem.parts[0]) as workers,
        waited_for("searching for a schedule of all collectives"),
    ):
        options = SearchOptions(search.seed, search.seconds, search.evaluations, workers, goal=goal)  # type: ignore[arg-type]
        result = solve(problem, options, num_steps=search.steps)
    if result.schedule is not None and output is not None:
        write_result(output, result)
    note_end(result.notes, result.interrupted)
    answer(printing.as_json, lambda: figures_of_several(result), lambda: lines_of_several(result), output)
    if printing.is_printed and result.schedule is not None:
        print_report(step_lines_of_several(result.problem, result.schedule, range(result.schedule.num_steps)))
    return 0 if result.schedule is not None else 1


# -- reports


def lines_of_several(result: Result) -> Iterator[str]:
    """Yield the report of a result: bound and steps of the whole, then a line for collectives that are alike."""
    from pavane.bounds import explain

    yield from headline(result.problem)
    bound = result.bound
    if bound is not None:
        why = explain(result.problem, bound)
        yield f"bound       {counted(bound.figure, 'step')} ({bound.argument}): {why}"
    if result.num_steps is None:
        steps = result.requested_steps
        yield "schedule    none" if steps is None else f"schedule    none in {counted(steps, 'step')}"
        yield f"status      {result.status_text}"
        return
    about = result.provenance
    yield f"schedule    {counted(result.num_steps, 'step')} by {about.solver} (seed {about.seed})"
    if result.steps_alone:
        yield f"in turn     {counted(sum(result.steps_alone), 'step')}, one collective after the other"
    yield f"status      {result.status_text}"
    yield from table_lines(_table_of_each(result), indent=2)


def _table_of_each(result: Result) -> Table:
    """Return a table with a row for collectives that are alike, one after the other."""
    size = len(result.problem.collectives)
    alone: Sequence[int | None] = result.steps_alone or [None] * size
    rows = [
        (str(collective), steps, own, bound)
        for collective, steps, own, bound in zip(
            result.problem.collectives, result.steps_of_each, alone, result.bounds_alone, strict=True
        )
    ]
    listed, at = [], 0
    for row, same in groupby(rows):
        count = len(list(same))
        listed.append([str(at) if count == 1 else f"{at}-{at + count - 1}", *row])
        at += count
    return Table.of(["number", "collective", "steps", "alone", "bound alone"], listed)


def figures_of_several(result: Result) -> dict[str, Any]:
    """Return a result for JSON."""
    problem, bound = result.problem, result.bound
    steps_of_each: Sequence[int | None] = result.steps_of_each or (None,) * len(problem.parts)
    return {
        "network": problem.network.name,
        "status": result.status,
        "status_text": result.status_text,
        "steps": result.num_steps,
        "sum": sum(result.steps_of_each) if result.schedule is not None else None,
        "bound": None if bound is None else bound.figure,
        "argument": None if bound is None else bound.argument,
        "transfers": None if result.schedule is None else len(result.schedule),
        "collectives": [
            {"kind": collective.kind, "steps": steps, "bound": least}
            for collective, steps, least in zip(
                problem.collectives,
                steps_of_each,
                result.bounds_alone,
                strict=True,
            )
        ],
        "steps_alone": list(result.steps_alone),
        "seconds": result.provenance.seconds,
    }


def step_lines_of_several(problem: Problem, schedule: Schedule, steps: range) -> Iterator[str]:
    """Yield the transfers of each step, collective by collective, in path notation."""
    from pavane.io.notation import path_lines

    parts = list(zip(problem.parts, split(problem, schedule), strict=True))
    for step in steps:
        yield f"step {step + 1}"
        for number, (part, own) in enumerate(parts):
            for _, line in path_lines(part, own, range(step, step + 1)):
                if line:
                    yield f"  {number} {part.collective.title}: {line}"


# -- files


def print_several(result: Result, step: int | None, as_json: bool) -> None:
    """Print a schedule of several collectives: its report, and its steps in path notation."""
    chosen = chosen_steps(step, result.num_steps or 0)
    if as_json:
        print_json(figures_of_several(result))
        return
    print_report(lines_of_several(result))
    assert result.schedule is not None
    print_report(step_lines_of_several(result.problem, result.schedule, chosen[:MOST_STEPS_SHOWN]))
    print_rest(len(chosen) - MOST_STEPS_SHOWN, "step", "--step N prints one")


def print_times_of_several(files: Sequence[Path], costs: Costs, size: int, as_json: bool) -> None:
    """Print how long schedules of several collectives take, with messages of `size` bytes in all of them.

    A step takes a start-up, its largest transfer, and its longest path.
    """
    rows = []
    for file in files:
        result = read_result(file)
        problem, schedule = result.problem, result.schedule
        assert schedule is not None
        seconds = 0.0
        pieces = [collective.pieces for collective in problem.collectives]
        members, lengths, payloads = owners_of(problem, schedule), schedule.path_lengths, schedule.payloads
        for step in range(schedule.num_steps):
            some = list(schedule.of_step(step))
            largest = max(int(payloads[i]) * size / pieces[members[i]] for i in some)
            seconds += costs.startup + largest * costs.per_byte + int(lengths[some].max()) * costs.per_hop
        rows.append({"file": str(file), "steps": schedule.num_steps, "seconds": seconds})
    if as_json:
        print_json(rows)
        return
    lines = [[row["file"], row["steps"], short_time_text(float(str(row["seconds"])))] for row in rows]
    print_report(table_lines(Table.of(["file", "steps", "time"], lines)))
