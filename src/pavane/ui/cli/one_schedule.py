"""One schedule, or one table, in `pavane solve`: the search and its report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pavane.errors import InputError
from pavane.jit import clock
from pavane.ui.cli.inputs import read_result
from pavane.ui.cli.options import refuse_given
from pavane.ui.cli.outputs import write_result, writes_soon
from pavane.ui.cli.progress import waited_for
from pavane.ui.cli.result_report import answer_with_result

if TYPE_CHECKING:
    from pavane.judge.result import Result
    from pavane.model.problem import Problem
    from pavane.ui.cli.solve_run import MethodOptions, SolveRun


def refuse_for_one(run: SolveRun) -> None:
    """Refuse options of fronts, and limits and pictures of evaluations that the method does not count."""
    from pavane.solvers import SOLVERS

    run.front.refuse(run.search)
    method = run.search.method
    if run.search.evaluations is not None and method in SOLVERS and SOLVERS[method].supports.procedure != "search":
        raise InputError(f"--evaluations limits what a solver counts, and {method} counts nothing; leave it out")


def solve_one(run: SolveRun) -> bool:
    """Search for one schedule, write and print it; return whether there is one."""
    before = None if run.search.start is None else _read_start(run.search.start)
    if before is not None and before.problem != run.problem:
        return _change(run, before)
    return report_one(run, _search(run, before))


def report_one(run: SolveRun, result: Result) -> bool:
    """Write and print a schedule or a table; return whether there is one."""
    run.finish(result, result)
    printing, typed = run.printing, run.request.collective
    answer_with_result(result, run.files.output, typed, as_json=printing.as_json, is_printed=printing.is_printed)
    return result.num_steps is not None


def table_of(problem: Problem, search: MethodOptions) -> Result | None:
    """Return the table of a problem, judged; None where none is requested and none is known."""
    from pavane.search.tables import solve_by_table

    with waited_for(f"making and judging a table of {problem.network.name}"):
        result = solve_by_table(problem, search.steps)
    if result is None and search.table_form is not None:
        within = "" if search.steps is None else f" in {search.steps:,} {problem.rules.step_word}s"
        raise InputError(f"no table is known for {problem}{within}; leave --form out, and a schedule is searched for")
    return result


def is_final(table: Result, search: MethodOptions) -> bool:
    """Return whether a table is the answer, rather than the start of a search."""
    from pavane.search.tables import is_table_enough

    return search.table_form is not None or is_table_enough(table, search.seconds)


def _read_start(file: Path) -> Result:
    """Return the schedule to go on from; a table is written out."""
    with waited_for(f"reading {file}"):
        return read_result(file)


def _change(run: SolveRun, before: Result) -> bool:
    """Change a schedule of another problem as little as possible; write, print and count what is kept."""
    from pavane.search.repair import repair

    search, files, printing = run.search, run.files, run.printing
    given = {"--method": None if search.method == "auto" else search.method, "--steps": search.steps}
    given |= {"--set": " ".join(search.settings or ()) or None, "--evaluations": search.evaluations}
    refuse_given(given, f"does not go with --start {search.start}, a schedule of another problem; leave it out")
    assert before.schedule is not None
    with waited_for(f"changing {search.start}"):
        made = repair(before.problem, before.schedule, run.problem, seed=search.seed, seconds=search.seconds)
    if files.output is not None:
        write_result(files.output, made.result)
    counts = {"kept": made.num_kept, "moved": made.num_moved, "new": made.num_new, "removed": made.num_removed}
    answer_with_result(
        made.result,
        files.output,
        run.request.collective,
        as_json=printing.as_json,
        is_printed=printing.is_printed,
        start={"steps": made.steps_before, "transfers": made.num_before, **counts},
    )
    return True


def _search(run: SolveRun, before: Result | None) -> Result:
    """Return the result of a search that starts from a schedule or a table, if there is one."""
    from pavane.search.synthesis import solve

    search, output, problem = run.search, run.files.output, run.problem

    def write_last(results: list[Result]) -> None:
        assert output is not None
        write_result(output, results[-1])

    deadline = None if search.seconds is None else clock.now() + search.seconds
    with run.searching(write_last if writes_soon(output) else None) as options:
        method, steps = search.method, search.steps
        result = solve(problem, options, method=method, solver=run.solver, num_steps=steps, start=before or run.table)
    if problem.collective.is_plain or problem.rules.combining or result.interrupted:
        return result
    from pavane.search.pieces import with_fractional_bound

    try:
        return with_fractional_bound(result, deadline)
    except KeyboardInterrupt:
        return result.amended(interrupted=True)
