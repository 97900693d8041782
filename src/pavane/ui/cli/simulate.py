"""`pavane simulate`: replay a schedule in SimGrid, which proves it free of conflicts once more."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pavane.errors import InputError, InvalidSchedule, PavaneError
from pavane.text import counted
from pavane.ui.cli import options
from pavane.ui.cli.options import argument, option
from pavane.ui.cli.report import headline, print_json, tell

if TYPE_CHECKING:
    from pavane.execution.baseline import Baseline
    from pavane.model.problem import Problem
    from pavane.model.schedule import Schedule
    from pavane.timing import Costs

LEFT_TO_SIMGRID = ("channel-capacity", "port-capacity", "half-duplex")
"""Rules that the replay judges; schedules that break others cannot be replayed."""


def command(
    file: Annotated[Path, argument("FILE", "A schedule file.")],
    startup: Annotated[str | None, option("--startup TIME", "Time of a start-up, as 10ns or 1us.")] = None,
    per_byte: Annotated[
        str | None, option("--per-byte TIME|BANDWIDTH", "Per byte, as 1ns or 1GB/s or 100Gb/s.")
    ] = None,
    size: Annotated[str | None, option("--bytes SIZE", "Size of one message, as 4, 4B, 1kB, 1KiB or 1K.")] = None,
    baseline: Annotated[
        bool, option("--baseline", "Also simulate SimGrid's own MPI algorithms on the network.")
    ] = False,
    as_json: options.JsonOption = False,
) -> None:
    """Replay a schedule in SimGrid, a network simulator: without conflicts every step takes one unit of time."""
    from pavane.execution.simulate import replay, simulated_time
    from pavane.io import read_schedule
    from pavane.timing import predicted, profile

    costs, width = _costs(startup, per_byte, size)
    claim = read_schedule(file)
    problem, schedule = claim.problem, claim.schedule
    conflicting = _judged(problem, schedule, file)
    replayed = replay(problem, schedule)
    if conflicting and not replayed.late:
        raise PavaneError(f"{file}: SimGrid finds no conflict, but the judge does: {conflicting}")
    about: dict[str, Any] = {
        "steps": schedule.num_steps,
        "tco": schedule.tco,
        "units": replayed.total,
        "step_units": replayed.steps,
        "conflicts": [
            {"step": late.step + 1, "units": late.units, "expected": late.expected, "shared": late.shared}
            for late in replayed.late
        ],
    }
    if problem.collective.pieces > 1:
        about |= {"pieces": problem.collective.pieces, "message_times": replayed.total / problem.collective.pieces}
    if costs is not None and not replayed.late:
        about["predicted_seconds"] = predicted(costs, width, profile(schedule, problem.collective.pieces))
        about["simulated_seconds"] = sum(simulated_time(problem, schedule, costs, width))
    best = _best_algorithm(problem) if baseline and not replayed.late else None
    if best is not None:
        about["baseline"] = {
            "collective": best.collective,
            "algorithms": best.num_algorithms,
            "algorithm": best.algorithm,
            "units": best.units,
            "ratio": best.units / replayed.total,
            "ideal_algorithm": best.ideal_algorithm,
            "ideal_units": best.ideal_units,
            "ideal_ratio": best.ideal_units / replayed.total,
        }
    if as_json:
        print_json(about)
    else:
        _print(problem, about, [str(late) for late in replayed.late], best)
    options.stop(1 if replayed.late else 0)


def _best_algorithm(problem: Problem) -> Baseline:
    from pavane.execution.baseline import best_algorithm

    return best_algorithm(problem)


def _costs(startup: str | None, per_byte: str | None, size: str | None) -> tuple[Costs | None, int]:
    from pavane.timing import Costs, read_per_byte, read_size, read_time

    given = [option for option in (startup, per_byte, size) if option is not None]
    if not given:
        return None, 0
    if startup is None or per_byte is None or size is None:
        raise InputError("a time takes all three: --startup, --per-byte and --bytes, as in 10ns, 1ns and 4KiB")
    costs = Costs(read_time(startup, "--startup"), read_per_byte(per_byte, "--per-byte"))
    return costs, read_size(size, "--bytes")


def _judged(problem: Problem, schedule: Schedule, file: Path) -> str:
    """Refuse what cannot be replayed; return the first conflict that the judge finds, which SimGrid must find too."""
    from pavane.judge.rules import verify

    found = verify(problem, schedule, 1)
    for violation in found:
        if violation.rule not in LEFT_TO_SIMGRID:
            raise InvalidSchedule(f"{file}: the schedule breaks a rule ({violation.rule}): {violation.text}")
    return found[0].text if found else ""


def _print(problem: Problem, about: dict[str, Any], conflicts: list[str], best: Baseline | None) -> None:
    from pavane.timing import time_text

    tell(headline(problem))
    tell([f"schedule    {counted(about['steps'], 'step')}, TCO {about['tco']:,}"])
    for conflict in conflicts:
        tell([f"conflict    {conflict}"])
    if conflicts:
        tell([f"simulated   {about['units']:.6g} units: there are conflicts"])
        return
    each = "its largest payload" if problem.rules.combining else "exactly one"
    tell([f"simulated   {about['units']:.6g} units, every step {each}: no conflicts"])
    if "message_times" in about:
        cut = f"a message has {about['pieces']} pieces, and a unit is one of them"
        tell([f"            {about['message_times']:.6g} message times: {cut}"])
    if "predicted_seconds" in about:
        tell([f"predicted   {time_text(about['predicted_seconds'])}"])
        tell([f"in SimGrid  {time_text(about['simulated_seconds'])}"])
    if best is not None:
        said = about["baseline"]
        of = f"the fastest of {counted(best.num_algorithms, 'algorithm')} for {best.collective}"
        tell([f"library     {best.units:.6g} units, {said['ratio']:.2f} times as long: {best.algorithm}, {of}"])
        ideal = f"{best.ideal_units:.6g} units, {said['ideal_ratio']:.2f} times as long: {best.ideal_algorithm}"
        tell([f"ideally     {ideal}, were channels shared without loss"])
