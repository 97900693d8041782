"""`pavane run`: execute a schedule with real messages on MPI processes, and check every byte."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from pavane.errors import InputError
from pavane.text import counted
from pavane.text.table import Table
from pavane.ui.cli import options
from pavane.ui.cli.options import argument, option, seconds_option
from pavane.ui.cli.report import headline, print_json, tell, tell_table

if TYPE_CHECKING:
    from pavane.execution.execution import Execution, WrongPayload
    from pavane.model.problem import Problem
    from pavane.model.schedule import Schedule

MOST_STEPS_LISTED = 32


def command(
    file: Annotated[Path, argument("FILE", "A schedule file.")],
    size: Annotated[str, option("--bytes SIZE", "Size of one message, as 4, 4B, 1kB, 1KiB or 1K.")] = "1KiB",
    repeat: Annotated[int, option("--repeat K", "Execute it so many times.", min=1)] = 5,
    timeout: Annotated[float, seconds_option("--timeout", "End the run if it is not done by then.")] = 600,
    as_json: options.JsonOption = False,
) -> None:
    """Execute a schedule on MPI, a process for each processor, and check every byte that arrives."""
    from pavane.execution.launch import SilentExit, execute, execute_here, is_under_mpi
    from pavane.io import read_schedule
    from pavane.timing import read_size

    width = read_size(size, "--bytes")
    if not (math.isfinite(timeout) and timeout > 0):
        raise InputError(f"--timeout {timeout:g}: give a number of seconds above 0")

    def load() -> tuple[Problem, Schedule]:
        result = read_schedule(file).result()
        assert result.schedule is not None
        return result.problem, result.schedule

    if is_under_mpi():
        try:
            problem, schedule, done = execute_here(load, width, repeat, timeout)
        except SilentExit as end:
            options.stop(end.code)
    else:
        problem, schedule = load()
        done = execute(problem, schedule, width, repeat, timeout)
    (_print_json if as_json else _print)(problem, schedule, done)
    options.stop(1 if done.num_wrong else 0)


def _print(problem: Problem, schedule: Schedule, done: Execution) -> None:
    from pavane.timing import size_text, time_text

    tell(headline(problem))
    transfers = counted(len(schedule), "transfer")
    tell([f"executed    {counted(schedule.num_steps, 'step')}, {transfers}, {counted(done.num_repeats, 'repeat')}"])
    tell([f"processes   {done.num_processes}, {done.mpi}"])
    unit = "unit" if problem.collective.sizes else "message"
    cut = "" if problem.collective.pieces == 1 else f" in {problem.collective.pieces} pieces"
    sent = f"{done.num_bytes:,} in each repeat"
    tell([f"bytes       {size_text(done.size)} a {unit}{cut}, {sent}, {done.num_wrong:,} wrong"])
    for fault in done.faults:
        tell([f"wrong       {_fault_text(problem, done, fault)}"])
    if schedule.num_steps <= MOST_STEPS_LISTED:
        sums = _bytes_of_steps(problem, schedule, done.size)
        rows = [
            [step + 1, len(schedule.of_step(step)), f"{sums[step]:,}", time_text(_short(seconds))]
            for step, seconds in enumerate(done.step_seconds)
        ]
        tell_table(Table.of(["step", "transfers", "bytes", "time"], rows, align="numbers"))
    else:
        times = sorted(done.step_seconds)
        parts = (times[0], times[len(times) // 2], times[-1])
        tell(["a step      {} at least, {} in the middle, {} at most".format(*(time_text(_short(t)) for t in parts))])
    tell([f"total       {time_text(_short(done.total))}"])
    tell([f"library     {time_text(_short(done.library_total))} by {done.collective} on the same processes"])


def _short(seconds: float) -> float:
    """Round a measured time to three digits."""
    return float(f"{seconds:.3g}")


def _bytes_of_steps(problem: Problem, schedule: Schedule, size: int) -> list[int]:
    import numpy as np

    from pavane.execution.jobs import element_width
    from pavane.io.programs import transfer_bytes

    sums = np.zeros(schedule.num_steps, dtype=np.int64)
    np.add.at(sums, schedule.steps, transfer_bytes(problem, schedule, size, element_width(problem)))
    return [int(total) for total in sums]


def _fault_text(problem: Problem, done: Execution, fault: WrongPayload) -> str:
    from pavane.execution.jobs import element_width
    from pavane.io.programs import piece_bytes

    label = problem.message_name(fault.message)
    size = int(piece_bytes(problem, done.size, element_width(problem))[fault.message])
    at = f"processor {fault.process}" if fault.process < problem.network.num_processors else "a switch"
    when = "in the end" if fault.step is None else f"step {fault.step + 1}"
    return f"{when}, message {label} at {at}: {counted(fault.num_bytes, 'byte')} of {size:,}"


def _print_json(problem: Problem, schedule: Schedule, done: Execution) -> None:
    print_json(
        {
            "steps": schedule.num_steps,
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
                    "step": None if fault.step is None else fault.step + 1,
                    "message": problem.labels[fault.message].tolist(),
                    "process": fault.process,
                    "bytes": fault.num_bytes,
                }
                for fault in done.faults
            ],
            "step_seconds": done.step_seconds,
            "total_seconds": done.total,
            "library": {"collective": done.collective, "seconds": done.library_total},
        }
    )
