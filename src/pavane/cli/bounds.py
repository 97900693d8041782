"""`pavane bounds`: every lower bound with its argument in words."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pavane.cli import options
from pavane.cli.notes import note
from pavane.cli.progress import BoundsProgress, of_bounds, shown
from pavane.cli.report import headline, print_lines, with_notes
from pavane.errors import InputError
from pavane.formats.request import Request
from pavane.words import counted

if TYPE_CHECKING:
    from pavane.model.bound import Bound
    from pavane.model.problem import Problem


@options.grouped
def command(
    request: Request,
    seconds: Annotated[
        float | None, typer.Option("--time", metavar="SECONDS", help="Stop then, with what is proven so far.")
    ] = None,
    as_json: options.JsonOption = False,
) -> None:
    """Print lower bounds, each with its argument."""
    if seconds is not None and not seconds > 0:
        raise InputError(f"time {seconds}: bounds need some; give more than 0 seconds")
    deadline = None if seconds is None else time.monotonic() + seconds
    problem = request.problem()
    found = _on_steps(problem, deadline)
    occupancy = _on_occupancy(problem, deadline) if problem.rules.combining else []
    if as_json:
        told = {"network": problem.network.name, "collective": problem.collective.kind, "bounds": found}
        print(json.dumps(with_notes({**told, "occupancy": occupancy} if problem.rules.combining else told)))
        return
    print_lines(headline(problem))
    for row in found:
        print(f"{counted(row['steps'], 'step'):>11}  {row['argument']:<17} {row['text']}")
    for row in occupancy:
        print(f"{row['tco']:>7} TCO  {row['argument']:<17} {row['text']}")


def _on_steps(problem: Problem, deadline: float | None) -> list[dict[str, Any]]:
    """Return the bounds on steps, the highest first; those on start-ups too, where messages are combined."""
    from pavane.bounds import best_of_each, explain
    from pavane.bounds.steps import listed, tried_arguments

    bounds: list[Bound] = []
    untried: list[str] = []
    with shown(of_bounds) as progress:
        for tried in tried_arguments(problem, deadline):
            bounds += tried.bounds
            untried += [] if tried.is_tried else [tried.argument.name]
            progress(BoundsProgress(tried.argument.name, max((bound.steps for bound in bounds), default=0)))
    if untried:
        note(f"no time was left to try {', '.join(untried)}; a longer `seconds` may prove more")
    found = listed(bounds)
    if problem.rules.combining and not _is_over(deadline):
        from pavane.bounds.start_ups import start_up_bounds

        found = best_of_each((*found, *start_up_bounds(problem)))
    return [
        {"steps": b.steps, "argument": b.argument, "text": explain(problem, b), "certificate": b.certificate}
        for b in found
    ]


def _is_over(deadline: float | None) -> bool:
    return deadline is not None and time.monotonic() >= deadline


def _on_occupancy(problem: Problem, deadline: float | None) -> list[dict[str, Any]]:
    """Return the bounds on the TCO, the highest first."""
    if _is_over(deadline):
        note("no time was left to bound the TCO; a longer `seconds` may prove more")
        return []
    from pavane.bounds.occupancy import explain_occupancy, occupancy_bounds

    return [
        {"tco": b.tco, "argument": b.argument, "text": explain_occupancy(problem, b), "certificate": b.certificate}
        for b in occupancy_bounds(problem, None, deadline)
    ]
