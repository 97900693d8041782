"""The two phases of an allreduce, for people and for JSON: how long each is, and what overlapping them is worth.

Steps that carry sums of some contributions are the reduction, steps that carry sums of all are the broadcast; a step
may do both. One phase after the other takes as many steps as a reduction of every part at the processor it is named
after, and a broadcast from there, take together.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from pavane.bounds import counted_bounds
from pavane.io.proofs import times_text
from pavane.judge.result import Result
from pavane.model.allreduce import arrivals, phases
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.text import counted


class PhaseSteps(NamedTuple):
    """How many steps each phase of an allreduce has."""

    reduction: int
    broadcast: int
    shared: int
    """The steps that are in both."""


def phase_steps(problem: Problem, schedule: Schedule) -> PhaseSteps:
    """Return how many steps of an allreduce carry sums of some contributions, how many sums of all, how many both."""
    complete = arrivals(problem, schedule).complete
    steps = np.repeat(schedule.steps, schedule.payloads)
    partial, whole = set(steps[~complete].tolist()), set(steps[complete].tolist())
    return PhaseSteps(len(partial), len(whole), len(partial & whole))


def bound_apart(problem: Problem) -> int:
    """Return the steps that an allreduce takes at least whose phases follow each other."""
    best = (counted_bounds(phase) for phase in phases(problem))
    return sum(bounds[0].steps if bounds else 0 for bounds in best)


def overlap_text(problem: Problem, schedule: Schedule) -> str:
    """Say how long both phases are, and how many steps they share."""
    steps = phase_steps(problem, schedule)
    if not steps.broadcast:
        return f"reduction of {counted(steps.reduction, 'step')}, and all have the sums without a broadcast"
    shared = counted(steps.shared, "step") if steps.shared else "no step"
    return f"reduction of {counted(steps.reduction, 'step')}, broadcast of {steps.broadcast:,}; they share {shared}"


def phases_text(result: Result) -> str:
    """Say how long the phases of an allreduce are, and compare the whole with what one after the other could do."""
    problem, schedule, bound = result.problem, result.schedule, result.bound
    assert schedule is not None
    pieces, apart = problem.collective.pieces, bound_apart(problem)
    taken, least, gain = (
        Fraction(steps, pieces)
        for steps in (schedule.num_steps, bound.steps if bound else 0, apart - schedule.num_steps)
    )
    told = f"{_times(problem, taken)} against a bound of {least} for the whole and {Fraction(apart, pieces)} "
    told = f"{overlap_text(problem, schedule)}; {told}for one phase after the other"
    return f"{told}: a gain of {_times(problem, gain)}" if gain > 0 else told


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
