"""One router's table in `pavane solve`: made where a schedule would be too large, or requested."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pavane.errors import InputError
from pavane.ui.cli.notes import note
from pavane.ui.cli.outputs import write_result
from pavane.ui.cli.progress import waited_for
from pavane.ui.cli.report import answer_with_result

if TYPE_CHECKING:
    from pavane.io.request import Request
    from pavane.judge.result import Result
    from pavane.model.problem import Problem
    from pavane.ui.cli.solve_run import MethodOptions, PrintOptions, SolveFileOptions


def table_of(problem: Problem, search: MethodOptions) -> Result | None:
    """Return the table of a problem, judged; None where none is requested and none is known."""
    from pavane.search.tables import solve_by_table

    with waited_for(f"making and judging the table of one router of {problem.network.name}"):
        result = solve_by_table(problem, search.steps)
    if result is None and search.table_form is not None:
        within = "" if search.steps is None else f" in {search.steps:,} {problem.rules.step_word}s"
        raise InputError(f"no table is known for {problem}{within}; leave --form out, and a schedule is searched for")
    return result


def is_final(table: Result, search: MethodOptions) -> bool:
    """Return whether a table is the answer, rather than the start of a search."""
    from pavane.search.tables import is_table_enough

    return search.table_form is not None or is_table_enough(table, search.seconds)


def finish_table(result: Result, request: Request, files: SolveFileOptions, printing: PrintOptions) -> bool:
    """Write and print a table; return whether there is one."""
    if files.output is not None and result.num_steps is not None:
        write_result(files.output, result)
    for each in result.notes:
        note(each)
    answer_with_result(
        result, files.output, request.collective, as_json=printing.as_json, is_printed=printing.is_printed
    )
    return result.num_steps is not None
