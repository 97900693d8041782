"""The cost of other programs' schedules: bounds, which their files lack, and one line that compares with them."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from pavane.jit import clock
from pavane.model.bound import OBJECTIVES, Bound, of_objective
from pavane.text import counted

if TYPE_CHECKING:
    from pavane.io import Claim

MOST_SECONDS = 20.0
"""Time limit of the bounds; those by counting take no time."""


def with_bounds(claim: Claim) -> Claim:
    """Return another program's schedule with lower bounds, which the judge checks like those of a file."""
    problem, deadline = claim.problem, clock.now() + MOST_SECONDS
    from pavane.bounds import best_of_each, lower_bounds

    if not problem.rules.combining:
        return replace(claim, bounds=lower_bounds(problem, deadline))
    from pavane.bounds.occupancy import occupancy_bounds
    from pavane.bounds.start_ups import start_up_bounds

    start_ups = best_of_each((*lower_bounds(problem, deadline), *start_up_bounds(problem)))
    return replace(claim, bounds=(*start_ups, *occupancy_bounds(problem, claim.schedule.num_steps, deadline)))


def best_bounds(claim: Claim) -> list[Bound]:
    """Return the highest bound on the steps and, under combining, that on the TCO."""
    listed = (of_objective(claim.bounds, objective) for objective in OBJECTIVES)
    return [max(bounds, key=lambda bound: bound.figure) for bounds in listed if bounds]


def cost_line(claim: Claim) -> str:
    """Return the cost of a valid schedule compared with the bounds."""
    parts = []
    for bound, reached, what in _compared(claim):
        text = _figure(claim, reached, what)
        if reached == bound:
            text += ", which is the bound"
        else:
            text += f", {_ratio(reached, bound)} times the bound of {_figure(claim, bound, what)}"
        parts.append(text)
    return f"cost        {'; '.join(parts) or _figure(claim, claim.schedule.num_steps, claim.problem.rules.step_word)}"


def cost_figures(claim: Claim) -> dict[str, Any]:
    """Return the same for JSON: the reached figure and the best bound, by what is counted."""
    return {
        "cost": {
            {"start-up": "start_ups", "TCO": "tco"}.get(what, "steps"): {
                "reached": reached,
                "bound": bound,
            }
            for bound, reached, what in _compared(claim)
        }
    }


def _compared(claim: Claim) -> list[tuple[int, int, str]]:
    """Return the bound, the reached figure and what is counted, for steps and TCO."""
    rules, schedule = claim.problem.rules, claim.schedule
    about = {True: schedule.num_steps, False: schedule.tco}
    found: list[tuple[int, int, str]] = []
    for bound in best_bounds(claim):
        is_on_steps = bound.objective == "steps"
        what = ("start-up" if rules.combining else rules.step_word) if is_on_steps else "TCO"
        found.append((bound.figure, about[is_on_steps], what))
    return found


def _figure(claim: Claim, number: int, what: str) -> str:
    """Return a number of steps or start-ups, or a TCO; with message times where messages have pieces."""
    from pavane.io.result_texts import times_text

    pieces = claim.problem.collective.pieces
    text = f"TCO {number:,}" if what == "TCO" else counted(number, what)
    if pieces == 1 or what == "start-up":
        return text
    return f"{text} ({times_text(claim.problem, Fraction(number, pieces))})"


def _ratio(reached: int, bound: int) -> str:
    return f"{reached / bound:.2f}" if bound else "any number of"
