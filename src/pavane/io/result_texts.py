"""Texts and JSON figures about a result: its bounds, its pieces and the phases of an allreduce.

A bound that a file claims is explained once the judge has proven it; any other is reported as a claim. So no
certificate is read here that the judge has not accepted.

The steps of an allreduce that carry sums of some contributions are the reduction, those that carry sums of all are the
broadcast; a step may do both. One phase after the other takes as many steps as a reduction of every part at the
processor it is named after, and a broadcast from there, take together.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from pavane.bounds import counted_bounds, explain
from pavane.bounds.occupancy import explain_occupancy
from pavane.bounds.registry import ARGUMENT_OF
from pavane.errors import InputError
from pavane.judge.certificates import proven_message_times
from pavane.judge.result import Result
from pavane.judge.verdict import CLAIMED, figure_text
from pavane.model.allreduce import arrivals, phases
from pavane.model.bound import Bound
from pavane.model.mesh_table import MeshTable
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.model.symmetric_schedule import SymmetricSchedule
from pavane.text import counted


class ReportedBound(NamedTuple):
    """A bound, and what can be said about it."""

    bound: Bound
    is_proven: bool
    """Whether it is known: made together with the result, or claimed by a file and proven by the judge."""
    text: str
    """Its argument in words; for a mere claim the reason why it is not proven."""


def reported_bounds(result: Result) -> list[ReportedBound]:
    """Return the bounds of a result: those that are known, the highest figures first, then mere claims."""
    known = [ReportedBound(bound, True, explain_bound(result.problem, bound)) for bound in result.known_bounds]
    return known + [
        ReportedBound(verdict.bound, False, str(verdict)) for verdict in result.verdicts if not verdict.is_proven
    ]


def explain_bound(problem: Problem, bound: Bound) -> str:
    """Return the argument of a bound, on the steps or on the TCO, in words."""
    return explain_occupancy(problem, bound) if bound.objective == "tco" else explain(problem, bound)


def bound_figures(result: Result) -> list[dict[str, Any]]:
    """Return the bounds of a result for JSON, with the keys of a schedule file."""
    return [figures_of(bound, is_proven, text) for bound, is_proven, text in reported_bounds(result)]


def figures_of(bound: Bound, is_proven: bool, text: str | None) -> dict[str, Any]:
    """Return a bound for JSON."""
    start_ups = {"start_ups": bound.num_steps} if bound.objective == "tco" else {}
    about = {"argument": bound.argument, "proven": is_proven, "text": text}
    return {bound.objective: bound.figure, **start_ups, **about}


# -- pieces


def unit_of(problem: Problem) -> str:
    """Return what is cut into pieces: a message, or where sizes are given a unit of one."""
    return "unit" if problem.collective.sizes else "message"


def times_text(problem: Problem, times: Fraction | None) -> str:
    """Return message times in words: 7/6 message times; where sizes are given, unit times."""
    return f"{_grouped(times)} {unit_of(problem)} time{'' if times == 1 else 's'}"


def _grouped(times: Fraction | None) -> str:
    """Return a fraction with its figures in groups of three, as numbers of steps have them: 20,000 or 7/6."""
    if times is None:
        return "no"
    return f"{times.numerator:,}" + (f"/{times.denominator:,}" if times.denominator > 1 else "")


def times_of(problem: Problem, bound: Bound) -> Fraction | None:
    """Return the message times that a bound leaves to any number of pieces; None where it is about this number."""
    argument = ARGUMENT_OF.get(bound.argument)
    if bound.exact is None or argument is None or not argument.counts_units:
        return None
    return bound.exact / problem.collective.pieces


def fractional_times(result: Result) -> Fraction | None:
    """Return the message times that no number of pieces goes below, by the bounds of a result."""
    problem = result.problem
    known = [times_of(problem, bound) for bound in result.bounds]
    known += [_claimed_times(problem, v.bound) for v in result.verdicts if v.bound.objective == "steps" and v.is_proven]
    return max((times for times in known if times is not None), default=None)


def _claimed_times(problem: Problem, claim: Bound) -> Fraction | None:
    """Return the message times of a bound in a file, whose argument may be called what it is not: the judge knows."""
    times = times_of(problem, claim)
    if times is None:
        return None
    try:
        return min(times, proven_message_times(problem, claim))
    except InputError:
        return None


def pieces_text(result: Result) -> str:
    """Return how many message times a schedule with pieces takes, and whether another number of pieces could do better.

    Under combining it is the TCO that takes time for every byte.
    """
    problem, pieces = result.problem, result.problem.collective.pieces
    text = f"{pieces:,} a {unit_of(problem)}"
    if problem.rules.combining:
        if result.schedule is None:
            return text
        return f"{text}: a TCO of {times_text(problem, Fraction(result.schedule.tco, pieces))}"
    times, least = result.per_message, fractional_times(result)
    if times is not None and times == least:
        bound = f"bound {_grouped(least)} (fractional)"
        return f"{text}: {times_text(problem, times)}, {bound}: no number of pieces does better"
    if times is not None:
        text += f": {times_text(problem, times)}"
    if result.has_least_figure:
        text += f", optimal for {counted(pieces, 'piece')}"
    return text if least is None else f"{text}; no number of pieces goes below {_grouped(least)}"


# -- tables


def table_text(result: Result) -> str:
    """Return how large a table is, and how large the schedule that it gives."""
    table = result.table
    assert table is not None
    transfers = counted(table.num_transfers(result.problem), "transfer")
    if isinstance(table, MeshTable):
        return f"exchanges along the lines of {'x'.join(map(str, table.sizes))} routers: {transfers}"
    rows = counted(len(table), "row")
    return f"{rows} of one processor; each of {table.num_processors:,} does the same, translated: {transfers}"


def symmetry_text(result: Result) -> str:
    """Return what the judge has proven by symmetry, in words."""
    table = result.table
    if isinstance(table, MeshTable):
        return (
            "by lines: on a line of each dimension the legs of an exchange never meet, exchanges of a dimension follow "
            "one another, and messages of one displacement have places of their own in them, on all lines alike; each "
            "message has a leg along every dimension in which its ends differ"
        )
    assert table is not None
    is_one = len(table.translations) == 1
    keep, take = ("translation keeps", "takes") if is_one else ("translations keep", "take")
    num_channels = result.problem.network.num_channels
    num_used = len(np.unique(table.run_kinds)) * table.num_processors
    channels = f"all {counted(num_channels, 'channel')}"
    if num_used < num_channels:
        channels = f"the {counted(num_used, 'channel')} that are used"
    turns = ", as processors take turns by a clock" if table.clocks else ""
    return (
        f"by symmetry: {len(table.translations)} {keep} {channels} and {take} processor 0 to every processor; the "
        f"{counted(len(table), 'row')} never use a kind of channels beyond its capacity{turns}, so that all transfers "
        "together use no channel beyond it; the messages of processor 0 arrive, and so do those of all"
    )


def table_figures(result: Result) -> dict[str, Any]:
    """Return the figures of a table, for JSON."""
    table = result.table
    assert table is not None
    figures: dict[str, Any] = {"form": "table", "processors": table.num_processors}
    if isinstance(table, SymmetricSchedule):
        figures |= {"rows": len(table), "translations": len(table.translations)}
    return {**figures, "transfers_given": table.num_transfers(result.problem)}


# -- sentences


def proof_sentences(result: Result) -> Iterator[str]:
    """Yield sentences that say how good a schedule is known to be, and why."""
    problem = result.problem
    if not problem.rules.combining:
        better = "ends earlier" if problem.has_times else f"has fewer {problem.rules.step_word}s"
        yield f"Proven optimal: no schedule {better}." if result.is_optimal else "Not proven optimal."
    else:
        fewest, least = "no schedule has fewer start-ups", "no schedule of as many start-ups has less TCO"
        yield f"Proven: {fewest}." if result.has_least_figure else "Start-ups: not proven optimal."
        yield f"Proven: {least}." if result.has_least_tco else "TCO: not proven optimal."
    if not (problem.has_times or problem.has_several or problem.collective.is_plain):
        yield f"Pieces: {pieces_text(result)}."
    for bound in (result.bound, result.occupancy_bound):
        if bound is not None:
            reason = explain_bound(problem, bound)
            yield f"Bound: {figure_text(bound, problem)}, because {reason}{'' if reason.endswith('.') else '.'}"
    for verdict in result.unproven:
        yield f"A bound of {verdict.figure} ({verdict.bound.argument}) is {CLAIMED}: {verdict.objection}."
    if problem.pattern == "allreduce" and result.schedule is not None and not problem.has_times:
        yield f"Phases: {overlap_text(problem, result.schedule)}."


class PhaseSteps(NamedTuple):
    """How many steps each phase of an allreduce has."""

    reduction: int
    broadcast: int
    shared: int
    """The steps that are in both."""


def phase_steps(problem: Problem, schedule: Schedule) -> PhaseSteps:
    """Return how many steps of an allreduce carry sums of some contributions, how many sums of all, how many both."""
    complete = arrivals(problem, schedule).complete
    steps = np.repeat(schedule.starts, schedule.payloads)
    partial, whole = set(steps[~complete].tolist()), set(steps[complete].tolist())
    return PhaseSteps(len(partial), len(whole), len(partial & whole))


def bound_apart(problem: Problem) -> int:
    """Return the steps that an allreduce takes at least whose phases follow each other."""
    best = (counted_bounds(phase) for phase in phases(problem))
    return sum(bounds[0].figure if bounds else 0 for bounds in best)


def overlap_text(problem: Problem, schedule: Schedule) -> str:
    """Return in words how long both phases are, and how many steps they share."""
    steps = phase_steps(problem, schedule)
    if not steps.broadcast:
        return f"reduction of {counted(steps.reduction, 'step')}, and all have the sums without a broadcast"
    shared = counted(steps.shared, "step") if steps.shared else "no step"
    return f"reduction of {counted(steps.reduction, 'step')}, broadcast of {steps.broadcast:,}; they share {shared}"


def phases_text(result: Result) -> str:
    """Return in words the lengths of the phases of an allreduce, compared with one phase after the other."""
    problem, schedule, bound = result.problem, result.schedule, result.bound
    assert schedule is not None
    pieces, apart = problem.collective.pieces, bound_apart(problem)
    taken, least, gain = (
        Fraction(steps, pieces)
        for steps in (schedule.num_steps, bound.figure if bound else 0, apart - schedule.num_steps)
    )
    text = f"{_times(problem, taken)} against a bound of {least} for the whole and {Fraction(apart, pieces)} "
    text = f"{overlap_text(problem, schedule)}; {text}for one phase after the other"
    return f"{text}: a gain of {_times(problem, gain)}" if gain > 0 else text


def _times(problem: Problem, times: Fraction) -> str:
    """Return message times in words; they are steps where messages are not cut."""
    return counted(int(times), "step") if problem.collective.pieces == 1 else times_text(problem, times)


def phase_figures(problem: Problem, schedule: Schedule | None) -> dict[str, Any]:
    """Return the figures that only an allreduce has, for JSON."""
    if problem.pattern != "allreduce":
        return {}
    steps = None if schedule is None else phase_steps(problem, schedule)
    return {
        "parts": len(problem.distinct_ends),
        "reduction_steps": None if steps is None else steps.reduction,
        "broadcast_steps": None if steps is None else steps.broadcast,
        "shared_steps": None if steps is None else steps.shared,
    }
