"""The words of a result: what was asked, the figures, the schedule; as lines for people and as values for JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pavane.cli.notes import notes_said
from pavane.cli.outputs import is_stdout
from pavane.model.network import Network
from pavane.model.problem import Problem
from pavane.words import counted

if TYPE_CHECKING:
    from fractions import Fraction

    from pavane.bounds.fractional import FractionalBound
    from pavane.judge.result import Result
    from pavane.model.bound import Bound, OccupancyBound
    from pavane.model.schedule import Schedule

MOST_TRANSFERS_PRINTED = 5_000


def print_lines(lines: Iterable[str]) -> None:
    """Print data to stdout, line by line."""
    for line in lines:
        print(line)


def print_json(told: Any) -> None:
    """Print data to stdout as JSON; an object also tells, as `notes`, what files have left to say."""
    print(json.dumps(with_notes(told) if isinstance(told, dict) else told, indent=1))


def with_notes(told: dict[str, Any]) -> dict[str, Any]:
    """Return figures together with what files have left to say, if anything."""
    return {**told, "notes": notes_said()} if notes_said() else told


def headline(problem: Problem) -> list[str]:
    """Return the lines that say what the problem is."""
    return [
        network_line(problem.network),
        f"collective  {problem.collective}: {messages_text(problem)}",
        f"rules       {problem.rules}",
    ]


def messages_text(problem: Problem) -> str:
    """Return how many messages there are, and where any has several pieces, how many pieces."""
    if not problem.has_pieces:
        return counted(problem.num_messages, "message")
    return f"{counted(len(problem.distinct_ends), 'message')} in {counted(problem.num_messages, 'piece')}"


def network_line(network: Network) -> str:
    """Return the line that says what the network is."""
    return (
        f"network     {network.name}: {counted(network.num_routers, 'router')}, "
        f"{counted(network.num_channels, 'channel')}, {counted(network.num_processors, 'processor')}"
    )


def bound_line(problem: Problem, bound: Bound | OccupancyBound) -> str:
    """Return the line that says how few steps, or how little TCO, there can be, and why."""
    from pavane.formats.proofs import explained
    from pavane.judge.verdict import figure_text

    return f"bound       {figure_text(bound)} ({bound.argument}): {explained(problem, bound)}"


def pieces_lines(result: Result) -> list[str]:
    """Return the line that says how many message times a result with pieces takes; none where messages are whole."""
    from pavane.formats.proofs import pieces_text

    return [] if result.problem.collective.is_plain else [f"pieces      {pieces_text(result)}"]


def phases_lines(result: Result) -> list[str]:
    """Return the line that says what the phases of an allreduce take; none for other collectives."""
    from pavane.formats.phases import phases_text

    is_told = result.problem.pattern == "allreduce" and result.schedule is not None
    return [f"phases      {phases_text(result)}"] if is_told else []


def overlap_lines(problem: Problem, schedule: Schedule) -> list[str]:
    """Return the line that says how long the phases of an allreduce are; none for other collectives."""
    from pavane.formats.phases import overlap_text

    return [f"phases      {overlap_text(problem, schedule)}"] if problem.pattern == "allreduce" else []


def fractional_line(problem: Problem, fractional: FractionalBound | None) -> str:
    """Return the line that says what no number of pieces goes below, and why."""
    from pavane.formats.proofs import explained, times_text

    if fractional is None:
        return "fractional  no bound is known that holds for every number of pieces"
    times, bound = times_text(problem, fractional.per_message), fractional.bound
    whole = replace(problem, collective=replace(problem.collective, pieces=1))
    if not problem.rules.combining:
        return f"fractional  {times} with any number of pieces ({bound.argument}): {explained(whole, bound)}"
    # Under combining occupancy takes the time of a byte, and start-ups are counted apart.
    return f"fractional  a TCO of {times} with any number of pieces ({bound.argument})"


def reached_text(schedule: Schedule, problem: Problem) -> str:
    """Return the figures of a schedule: its steps, and under combining its TCO."""
    steps = counted(schedule.num_steps, "step")
    return f"{steps}, TCO {schedule.tco:,}" if problem.rules.combining else steps


def result_lines(result: Result, output: Path | None) -> list[str]:
    """Return a result in words, with the schedule in the papers' notation."""
    schedule, about = result.schedule, result.provenance
    lines = headline(result.problem)
    lines += [
        bound_line(result.problem, bound) for bound in (result.bound, result.occupancy_bound) if bound is not None
    ]
    asked = "" if result.asked is None else f" in {counted(result.asked, 'step')}"
    reached = f"no schedule{asked}" if schedule is None else reached_text(schedule, result.problem)
    lines += [
        f"reached     {reached}",
        *pieces_lines(result),
        *phases_lines(result),
        f"status      {result.status_text}",
        f"time        {about.seconds:.2f} s (solver {about.solver}, seed {about.seed})",
    ]
    if schedule is None:
        return lines
    if output is not None:
        lines.append(f"file        {output}")
    if is_stdout(output):
        return lines
    if len(schedule) > MOST_TRANSFERS_PRINTED:
        hint = "" if output is not None else "; -o FILE keeps them"
        return [*lines, f"schedule    {len(schedule):,} transfers, too many to print{hint}"]
    from pavane.formats.notation import path_lines

    width = len(str(schedule.num_steps))
    numbered = path_lines(result.problem, schedule)
    return [*lines, "schedule", *(f"{step:>{width + 2}}  {text}" for step, text in numbered)]


def piece_figures(result: Result) -> dict[str, Any]:
    """Return the figures that only pieces, sizes and capacities have, for JSON; fractions as text."""
    from pavane.formats.proofs import fractional_times

    problem = result.problem
    if problem.is_plain:
        return {}
    return {
        "pieces": problem.collective.pieces,
        "pieces_in_all": problem.num_messages,
        "message_times": fraction_text(result.per_message),
        "fractional": fraction_text(fractional_times(result)),
    }


def fraction_text(value: Fraction | None) -> str | None:
    """Return a fraction as JSON has it: 7/6, or 2."""
    return None if value is None else str(value)


def figures(result: Result, output: Path | None = None) -> dict[str, Any]:
    """Return the figures of a result, for JSON."""
    from pavane.formats.phases import bound_apart, phase_figures
    from pavane.formats.proofs import bound_figures

    problem, schedule = result.problem, result.schedule
    is_sum = problem.pattern == "allreduce"
    return {
        "network": problem.network.name,
        "collective": problem.collective.kind,
        "rules": problem.rules.to_dict(),
        "messages": len(problem.distinct_ends) if problem.has_pieces else problem.num_messages,
        **piece_figures(result),
        **phase_figures(problem, schedule),
        **({"bound_of_phases": bound_apart(problem)} if is_sum else {}),
        **bound_figures(result),
        "bound": result.bound.steps if result.bound else None,
        "steps": result.num_steps,
        "asked": result.asked,
        "status": result.status,
        "optimal": list(result.optimal),
        "transfers": None if schedule is None else len(schedule),
        "tco": None if schedule is None else schedule.tco,
        "solver": result.provenance.solver,
        "seed": result.provenance.seed,
        "seconds": result.provenance.seconds,
        "file": None if output is None or schedule is None else str(output),
    }
