"""Several collectives at once on the command line: options, the search and their times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from pavane.io.request import Request
from pavane.io.several_request import problem_of_several
from pavane.model.several import owners_of
from pavane.text.table import Table
from pavane.timing import Costs, short_time_text
from pavane.ui.cli.inputs import read_result
from pavane.ui.cli.notes import note_end
from pavane.ui.cli.options import option
from pavane.ui.cli.outputs import write_result
from pavane.ui.cli.progress import waited_for
from pavane.ui.cli.report import print_json, print_report, table_lines
from pavane.ui.cli.result_report import answer_with_result

if TYPE_CHECKING:
    from pavane.model.network import Network
    from pavane.model.problem import Problem
    from pavane.ui.cli.pool_options import PoolOptions
    from pavane.ui.cli.solve_run import MethodOptions, PrintOptions


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
    answer_with_result(result, output, None, as_json=printing.as_json, is_printed=printing.is_printed)
    return 0 if result.schedule is not None else 1


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
