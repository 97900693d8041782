"""`pavane bounds`: every lower bound with its argument in words."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pavane.cli import options
from pavane.cli.report import headline, print_lines, with_notes
from pavane.formats.request import Request
from pavane.words import counted

if TYPE_CHECKING:
    from pavane.model.problem import Problem


@options.grouped
def command(request: Request, as_json: options.JsonOption = False) -> None:
    """Print lower bounds, each with its argument."""
    problem = request.problem()
    found = _on_steps(problem)
    occupancy = _on_occupancy(problem) if problem.rules.combining else []
    if as_json:
        told = {"network": problem.network.name, "collective": problem.collective.kind, "bounds": found}
        print(json.dumps(with_notes({**told, "occupancy": occupancy} if problem.rules.combining else told)))
        return
    print_lines(headline(problem))
    for row in found:
        print(f"{counted(row['steps'], 'step'):>11}  {row['argument']:<17} {row['text']}")
    for row in occupancy:
        print(f"{row['tco']:>7} TCO  {row['argument']:<17} {row['text']}")


def _on_steps(problem: Problem) -> list[dict[str, Any]]:
    """Return the bounds on steps, the highest first; those on start-ups too, where messages are combined."""
    from pavane.bounds import best_of_each, explain, lower_bounds

    found = lower_bounds(problem)
    if problem.rules.combining:
        from pavane.bounds.start_ups import start_up_bounds

        found = best_of_each((*found, *start_up_bounds(problem)))
    return [
        {"steps": b.steps, "argument": b.argument, "text": explain(problem, b), "certificate": b.certificate}
        for b in found
    ]


def _on_occupancy(problem: Problem) -> list[dict[str, Any]]:
    from pavane.bounds.occupancy import explain_occupancy, occupancy_bounds

    return [
        {"tco": b.tco, "argument": b.argument, "text": explain_occupancy(problem, b), "certificate": b.certificate}
        for b in occupancy_bounds(problem, None)
    ]
