"""`pavane run`: execute a schedule with real messages on MPI processes, and check every byte."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from pavane.errors import InputError
from pavane.model.schedule import Schedule
from pavane.text import counted
from pavane.text.table import Table
from pavane.timing import read_size, size_text, time_text
from pavane.ui.cli import options
from pavane.ui.cli.inputs import read_timed_result
from pavane.ui.cli.options import option, seconds_option
from pavane.ui.cli.report import answer, headline, table_lines

if TYPE_CHECKING:
    from pavane.execution.execution import Execution, WrongPayload
    from pavane.model.problem import Problem
    from pavane.model.timed import TimedProblem, TimedSchedule

MOST_STEPS_LISTED = 32


def command(
    file: options.ScheduleArgument,
    size: Annotated[str, options.SizeOption] = "1KiB",
    repeat: Annotated[int, option("--repeat K", "Number of executions.", min=1)] = 5,
    timeout: Annotated[float, seconds_option("--timeout", "Stop the run after this many seconds.")] = 600,
    as_json: options.JsonOption = False,
) -> int:
    """Execute a schedule on MPI, a process for each processor, and check every byte that arrives."""
    from pavane.execution.launch import SilentExit, execute, execute_here, is_under_mpi
    from pavane.io import read_schedule
    from pavane.io.timed_file import is_timed_file

    width = read_size(size, "--bytes")
    if not (math.isfinite(timeout) and timeout > 0):
        raise InputError(f"--timeout {timeout:g}: give a number of seconds above 0")

    def load() -> tuple[Problem | TimedProblem, Schedule | TimedSchedule]:
        if is_timed_file(file):
            timed = read_timed_result(file)
            assert timed.schedule is not None
            return timed.timed, timed.schedule
        result = read_schedule(file).result().expanded()
        assert result.schedule is not None
        return result.problem, result.schedule

    if is_under_mpi():
        try:
            problem, schedule, done = execute_here(load, width, repeat, timeout)
        except SilentExit as end:
            return end.code
    else:
        problem, schedule = load()
        done = execute(problem, schedule, width, repeat, timeout)
    answer(as_json, lambda: _figures(problem, schedule, done), lambda: _lines(problem, schedule, done))
    return 1 if done.num_wrong else 0


def _lines(given: Problem | TimedProblem, schedule: Schedule | TimedSchedule, done: Execution) -> Iterator[str]:
    """Yield the report of an execution."""
    from pavane.execution.jobs import plain_problem

    problem = plain_problem(given)
    yield from headline(problem)
    length = f"{counted(len(schedule), 'transfer')}, {counted(done.num_repeats, 'repeat')}"
    steps = _num_steps(schedule)
    yield f"executed    {'without clocks' if steps is None else counted(steps, 'step')}, {length}"
    yield f"processes   {done.num_processes}, {done.mpi}"
    unit = "unit" if problem.collective.sizes else "message"
    cut = "" if problem.collective.pieces == 1 else f" in {problem.collective.pieces} pieces"
    sent = f"{done.num_bytes:,} in each repeat"
    yield f"bytes       {size_text(done.size)} a {unit}{cut}, {sent}, {done.num_wrong:,} wrong"
    for fault in done.faults:
        yield f"wrong       {_fault_text(given, done, fault)}"
    yield from _step_lines(problem, schedule, done)
    yield f"total       {_time_text(done.total)}"
    yield f"library     {_time_text(done.library_total)} by {done.collective} on the same processes"


def _num_steps(schedule: Schedule | TimedSchedule) -> int | None:
    """Return the number of steps; None where there are start times."""
    return schedule.num_steps if isinstance(schedule, Schedule) else None


def _step_lines(problem: Problem, schedule: Schedule | TimedSchedule, done: Execution) -> Iterator[str]:
    """Yield what each step took; a timed schedule has none."""
    from pavane.model.timed import TimedSchedule

    if isinstance(schedule, TimedSchedule):
        return
    if schedule.num_steps <= MOST_STEPS_LISTED:
        sums = _bytes_of_steps(problem, schedule, done.size)
        rows = [
            [step + 1, len(schedule.of_step(step)), f"{sums[step]:,}", _time_text(seconds)]
            for step, seconds in enumerate(done.step_seconds)
        ]
        yield from table_lines(Table.of(["step", "transfers", "bytes", "time"], rows, align="numbers"))
    else:
        times = sorted(done.step_seconds)
        least, middle, most = map(_time_text, (times[0], times[len(times) // 2], times[-1]))
        yield f"a step      {least} at least, {middle} in the middle, {most} at most"


def _time_text(seconds: float) -> str:
    """Return a measured time, rounded to three digits."""
    return time_text(float(f"{seconds:.3g}"))


def _bytes_of_steps(problem: Problem, schedule: Schedule, size: int) -> list[int]:
    from pavane.execution.jobs import element_width
    from pavane.io.programs import transfer_bytes

    sums = np.zeros(schedule.num_steps, dtype=np.int64)
    np.add.at(sums, schedule.starts, transfer_bytes(problem, schedule, size, element_width(problem)))
    return [int(total) for total in sums]


def _fault_text(given: Problem | TimedProblem, done: Execution, fault: WrongPayload) -> str:
    from pavane.execution.jobs import element_width, plain_problem
    from pavane.io.programs import piece_bytes

    problem = plain_problem(given)
    label = problem.message_name(fault.message)
    size = int(piece_bytes(problem, done.size, element_width(problem))[fault.message])
    at = f"processor {fault.process}" if fault.process < problem.network.num_processors else "a switch"
    when = "in the end" if fault.step is None else f"step {fault.step + 1}"
    if fault.step is not None and problem is not given:
        when = f"transfer {fault.step}"
    return f"{when}, message {label} at {at}: {counted(fault.num_bytes, 'byte')} of {size:,}"


def _figures(given: Problem | TimedProblem, schedule: Schedule | TimedSchedule, done: Execution) -> dict[str, Any]:
    """Return the figures of an execution for JSON; without steps, the transfers that brought wrong bytes are listed."""
    from pavane.execution.jobs import plain_problem

    problem, steps = plain_problem(given), _num_steps(schedule)
    return {
        **({} if steps is None else {"steps": steps}),
        "transfers": len(schedule),
        "processes": done.num_processes,
        "mpi": done.mpi,
        "bytes_per_message": done.size,
        **({} if problem.collective.pieces == 1 else {"pieces": problem.collective.pieces}),
        "bytes": done.num_bytes,
        "repeats": done.num_repeats,
        "wrong_bytes": done.num_wrong,
        "wrong": [
            {
                **_place_of(fault, steps is None),
                "message": problem.labels[fault.message].tolist(),
                "process": fault.process,
                "bytes": fault.num_bytes,
            }
            for fault in done.faults
        ],
        **({} if steps is None else {"step_seconds": done.step_seconds}),
        "total_seconds": done.total,
        "library": {"collective": done.collective, "seconds": done.library_total},
    }


def _place_of(fault: WrongPayload, has_starts: bool) -> dict[str, int | None]:
    """Return the step of a wrong payload, from 1, or its transfer, from 0."""
    if has_starts:
        return {"transfer": fault.step}
    return {"step": None if fault.step is None else fault.step + 1}
