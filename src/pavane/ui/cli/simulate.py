"""`pavane simulate`: replay a schedule in SimGrid, an independent check that it is free of conflicts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pavane.errors import InvalidSchedule, PavaneError
from pavane.text import counted
from pavane.timing import predicted, profile, time_text
from pavane.ui.cli import options
from pavane.ui.cli.inputs import read_costs, read_timed_result, sampled_steps
from pavane.ui.cli.options import option, refuse_given
from pavane.ui.cli.report import answer, headline

if TYPE_CHECKING:
    from pavane.execution.baseline import Baseline
    from pavane.execution.simulate import Replay, TimedReplay
    from pavane.io import Claim
    from pavane.judge.timed_result import TimedResult
    from pavane.model.any_table import AnyTable
    from pavane.model.problem import Problem
    from pavane.model.schedule import Schedule
    from pavane.timing import Costs

LEFT_TO_SIMGRID = ("channel-capacity", "port-capacity", "half-duplex")
"""Rules that the replay checks; schedules that break others cannot be replayed."""

MOST_LATENESS = 0.5
"""Picoseconds by which a transfer may be late in SimGrid, which computes in floating point; times are whole ones."""


@dataclass(frozen=True)
class SampleOptions:
    """Random steps."""

    sample: Annotated[int, option("--sample N", "Replay N random steps only; for tables of any size.", min=0)] = 0
    seed: Annotated[int, option("--seed N", "Seed of the random steps.", min=0)] = 0


def command(
    file: options.ScheduleArgument,
    random_steps: SampleOptions,
    startup: Annotated[str | None, option("--startup TIME", "Time of a start-up, as 10ns or 1us.")] = None,
    per_byte: Annotated[
        str | None, option("--per-byte TIME|BANDWIDTH", "Time per byte, as 1ns or 1GB/s or 100Gb/s.")
    ] = None,
    size: Annotated[str | None, options.SizeOption] = None,
    baseline: Annotated[
        bool, option("--baseline", "Also simulate SimGrid's own MPI algorithms on the network.")
    ] = False,
    as_json: options.JsonOption = False,
) -> int:
    """Replay a schedule in SimGrid, a network simulator: without conflicts every step takes one unit of time."""
    from pavane.execution.baseline import best_algorithm
    from pavane.execution.simulate import replay
    from pavane.io import read_schedule
    from pavane.io.timed_file import is_timed_file

    given: dict[str, object] = {"--startup": startup, "--per-byte": per_byte, "--bytes": size, "--baseline": baseline}
    if is_timed_file(file):
        given |= {"--sample": random_steps.sample or None}
        refuse_given(given, "does not go with a timed schedule, which has links and a size of its own")
        return _simulate_timed(file, as_json)
    claim = read_schedule(file)
    if random_steps.sample:
        refuse_given(given, "does not go with --sample, since it is about all steps")
        steps = sampled_steps(claim.content.num_steps, random_steps.sample, random_steps.seed)
        return _simulate_sample(claim, file, steps, as_json)
    costs = read_costs(startup, per_byte, size)
    problem, schedule = claim.problem, claim.schedule
    conflict = _first_conflict(problem, schedule, file)
    replayed = replay(problem, schedule)
    if conflict and not replayed.late:
        raise PavaneError(f"{file}: SimGrid finds no conflict, but the judge does: {conflict}")
    best = best_algorithm(problem) if baseline and not replayed.late else None
    figures = _figures(problem, schedule, replayed, None if replayed.late else costs, best)
    answer(as_json, lambda: figures, lambda: _lines(problem, figures, [str(late) for late in replayed.late]))
    return 1 if replayed.late else 0


def _simulate_sample(claim: Claim, file: Path, steps: tuple[int, ...], as_json: bool) -> int:
    """Replay some steps of a schedule or table, report them, and return the exit code."""
    from pavane.execution.simulate import replay

    problem, schedule = claim.problem, claim.content
    conflict = _first_conflict(problem, schedule, file)
    replayed = replay(problem, schedule, steps)
    if conflict and not replayed.late:
        raise InvalidSchedule(f"{file}: there is a conflict in steps that are not of the sample: {conflict}")
    figures = {
        "steps": schedule.num_steps,
        "sample": {"steps": [step + 1 for step in steps], "transfers": replayed.num_transfers},
        **_replay_figures(replayed),
    }

    def lines() -> Iterator[str]:
        yield from headline(problem)
        words = (counted(len(steps), "random step"), counted(schedule.num_steps, "step"))
        yield f"sample      {words[0]} of {words[1]}: {counted(replayed.num_transfers, 'transfer')}"
        yield from _unit_lines(problem, figures, [str(late) for late in replayed.late])

    answer(as_json, lambda: figures, lines)
    return 1 if replayed.late else 0


def _simulate_timed(file: Path, as_json: bool) -> int:
    """Replay a timed schedule, report it, and return the exit code."""
    from pavane.execution.simulate import replay_timed

    result = read_timed_result(file)
    replayed = replay_timed(result)
    answer(as_json, lambda: _timed_figures(result, replayed), lambda: _timed_lines(result, replayed))
    return 1 if max(replayed.lateness, replayed.self_timed_lateness) > MOST_LATENESS else 0


def _timed_figures(result: TimedResult, replayed: TimedReplay) -> dict[str, Any]:
    """Return the figures of a timed replay for JSON."""
    return {
        "transfers": 0 if result.schedule is None else len(result.schedule),
        "finish_ps": result.finish,
        "simulated_finish_ps": replayed.finish,
        "lateness_ps": replayed.lateness,
        "self_timed_finish_ps": replayed.self_timed_finish,
        "self_timed_lateness_ps": replayed.self_timed_lateness,
    }


def _timed_lines(result: TimedResult, replayed: TimedReplay) -> Iterator[str]:
    """Yield the report of a timed replay."""
    yield from headline(result.timed.problem)
    yield f"predicted   {time_text((result.finish or 0) / 1e12)}, {counted(len(result.schedule or ()), 'transfer')}"
    for name, finish, lateness in (
        ("with starts", replayed.finish, replayed.lateness),
        ("self-timed", replayed.self_timed_finish, replayed.self_timed_lateness),
    ):
        late = "no transfer late" if lateness <= MOST_LATENESS else f"a transfer {time_text(lateness / 1e12)} late"
        yield f"{name:11} {time_text(finish / 1e12)} in SimGrid, {late}"


def _first_conflict(problem: Problem, schedule: Schedule | AnyTable, file: Path) -> str:
    """Refuse what cannot be replayed; return the first conflict that the judge finds, which SimGrid must find too."""
    from pavane.judge.rules import verify

    violations = verify(problem, schedule, 1)
    for violation in violations:
        if violation.rule not in LEFT_TO_SIMGRID:
            raise InvalidSchedule(f"{file}: the schedule breaks a rule ({violation.rule}): {violation.text}")
    return violations[0].text if violations else ""


def _figures(
    problem: Problem, schedule: Schedule, replayed: Replay, costs: tuple[Costs, int] | None, best: Baseline | None
) -> dict[str, Any]:
    """Return the figures of a replay for JSON."""
    from pavane.execution.simulate import simulated_time

    pieces = problem.collective.pieces
    figures: dict[str, Any] = {
        "steps": schedule.num_steps,
        "tco": schedule.tco,
        **_replay_figures(replayed),
    }
    if pieces > 1:
        figures |= {"pieces": pieces, "message_times": replayed.total / pieces}
    if costs is not None:
        figures["predicted_seconds"] = predicted(*costs, profile(schedule, pieces))
        figures["simulated_seconds"] = sum(simulated_time(problem, schedule, *costs))
    if best is not None:
        figures["baseline"] = {
            "collective": best.collective,
            "algorithms": best.num_algorithms,
            "algorithm": best.algorithm,
            "units": best.units,
            "ratio": best.units / replayed.total,
            "ideal_algorithm": best.ideal_algorithm,
            "ideal_units": best.ideal_units,
            "ideal_ratio": best.ideal_units / replayed.total,
        }
    return figures


def _replay_figures(replayed: Replay) -> dict[str, Any]:
    """Return what SimGrid measured for JSON."""
    return {
        "units": replayed.total,
        "step_units": replayed.steps,
        "conflicts": [
            {"step": late.step + 1, "units": late.units, "expected": late.expected, "shared": late.shared}
            for late in replayed.late
        ],
    }


def _unit_lines(problem: Problem, figures: dict[str, Any], conflicts: list[str]) -> Iterator[str]:
    """Yield the conflicts, and how long the steps took."""
    yield from (f"conflict    {conflict}" for conflict in conflicts)
    if conflicts:
        yield f"simulated   {figures['units']:.6g} units: there are conflicts"
        return
    length = "its largest payload" if problem.rules.combining else "exactly one"
    yield f"simulated   {figures['units']:.6g} units, every step {length}: no conflicts"


def _lines(problem: Problem, figures: dict[str, Any], conflicts: list[str]) -> Iterator[str]:
    """Yield the report of a replay."""
    yield from headline(problem)
    yield f"schedule    {counted(figures['steps'], 'step')}, TCO {figures['tco']:,}"
    yield from _unit_lines(problem, figures, conflicts)
    if "message_times" in figures:
        cut = f"a message has {figures['pieces']} pieces, and a unit is one of them"
        yield f"            {figures['message_times']:.6g} message times: {cut}"
    if "predicted_seconds" in figures:
        yield f"predicted   {time_text(figures['predicted_seconds'])}"
        yield f"in SimGrid  {time_text(figures['simulated_seconds'])}"
    if "baseline" in figures:
        best = figures["baseline"]
        of = f"the fastest of {counted(best['algorithms'], 'algorithm')} for {best['collective']}"
        yield f"library     {best['units']:.6g} units, {best['ratio']:.2f} times as long: {best['algorithm']}, {of}"
        ideal = f"{best['ideal_units']:.6g} units, {best['ideal_ratio']:.2f} times as long: {best['ideal_algorithm']}"
        yield f"ideally     {ideal}, were channels shared without loss"
