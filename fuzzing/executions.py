"""Schedules of random problems, executed by real MPI processes: every byte must arrive where it should."""

from __future__ import annotations

import traceback

import pavane
from pavane.errors import PavaneError
from pavane.execution import execute
from pavane.model.problem import Problem

MOST_PROCESSES = 8


def failure_of_execution(problem: Problem, number: int) -> str | None:
    """Execute a schedule of a problem; return what went wrong, "" where nothing did, None where it was not executed."""
    if problem.network.num_processors > MOST_PROCESSES or problem.rules.switches == "pass":
        return None
    result = pavane.solve(problem, pavane.SearchOptions(seconds=0.3, seed=number))
    if result.schedule is None:
        return None
    try:
        executed = execute(result.expanded(), 64 * problem.collective.pieces, timeout=60)
    except PavaneError as error:
        return "" if "\n" not in str(error) else f"refusal in other than one line: {error}"
    except Exception:
        return f"crash: {traceback.format_exc()}"
    return f"invalid: wrong data at {executed.num_wrong} processors, {problem}" if executed.num_wrong else ""
