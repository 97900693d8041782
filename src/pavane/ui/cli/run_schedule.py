"""`pavane run`: execute a schedule with real messages on MPI processes, and check every byte."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

from pavane.errors import InputError
from pavane.text import counted
from pavane.timing import read_size, size_text, time_text
from pavane.ui.cli import options
from pavane.ui.cli.inputs import read_result
from pavane.ui.cli.options import option, seconds_option
from pavane.ui.cli.report import answer
from pavane.ui.description import headline

if TYPE_CHECKING:
    from pavane.execution import Execution
    from pavane.judge.result import Result


def command(
    file: options.ScheduleArgument,
    size: Annotated[str, options.SizeOption] = "1KiB",
    repeat: Annotated[int, option("--repeat K", "Number of executions.", min=1)] = 5,
    timeout: Annotated[float, seconds_option("--timeout", "Stop the run after this many seconds.")] = 600,
    as_json: options.JsonOption = False,
) -> int:
    """Execute a schedule on MPI, a process for each processor, and check every byte that arrives."""
    from pavane.execution import execute

    num_bytes = read_size(size, "--bytes")
    if not (math.isfinite(timeout) and timeout > 0):
        raise InputError(f"--timeout {timeout:g}: give a number of seconds above 0")
    result = read_result(file).expanded()
    done = execute(result, num_bytes, repeat, timeout)
    answer(as_json, lambda: _figures(result, done, num_bytes), lambda: _lines(result, done, num_bytes))
    return 1 if done.num_wrong else 0


def _lines(result: Result, done: Execution, num_bytes: int) -> Iterator[str]:
    """Yield the report of an execution."""
    yield from headline(result.problem)
    assert result.schedule is not None
    length = f"{counted(len(result.schedule), 'transfer')}, {counted(done.num_repeats, 'repeat')}"
    yield f"executed    {counted(result.schedule.num_steps, 'step')}, {length}"
    yield f"processes   {done.num_processes}, {done.mpi}"
    verdict = f"wrong at {done.num_wrong} of {done.num_processes} processors" if done.num_wrong else "all right"
    yield f"data        {size_text(num_bytes)} a {_unit(result)}, {verdict}"
    yield f"time        {_time_text(done.time)}"
    if done.library_time is not None:
        yield f"library     {_time_text(done.library_time)} by {done.library} on the same processes"


def _unit(result: Result) -> str:
    """Return what has the size: a message, or a unit of it where messages have sizes."""
    return "unit" if any(collective.sizes for collective in result.problem.collectives) else "message"


def _time_text(seconds: float) -> str:
    """Return a measured time, rounded to three digits."""
    return time_text(float(f"{seconds:.3g}"))


def _figures(result: Result, done: Execution, num_bytes: int) -> dict[str, Any]:
    """Return the figures of an execution for JSON."""
    assert result.schedule is not None
    library = {} if done.library_time is None else {"library": {"name": done.library, "seconds": done.library_time}}
    return {
        "steps": result.schedule.num_steps,
        "transfers": len(result.schedule),
        "processes": done.num_processes,
        "mpi": done.mpi,
        "bytes": num_bytes,
        "repeats": done.num_repeats,
        "wrong_processes": done.num_wrong,
        "seconds": done.time,
        **library,
    }
