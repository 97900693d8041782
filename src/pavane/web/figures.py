"""The figures of a result, as the page shows them."""

from __future__ import annotations

from typing import Any

from pavane.bounds import explain
from pavane.formats.phases import phase_figures
from pavane.judge.result import Result


def figures_of(result: Result) -> dict[str, Any]:
    """Return what a finished job tells besides its schedule."""
    problem, schedule, run = result.problem, result.schedule, result.run
    return {
        "problem": str(problem),
        "network": problem.network.name,
        "kind": problem.collective.kind,
        "steps": result.num_steps,
        "bound": None if result.bound is None else result.bound.steps,
        "why": None if result.bound is None else explain(problem, result.bound),
        "status": result.status,
        "status_text": result.status_text,
        "optimal": list(result.optimal),
        **_in_pieces(result),
        **phase_figures(problem, schedule),
        "transfers": None if schedule is None else len(schedule),
        "tco": None if schedule is None else schedule.tco,
        "solver": result.provenance.solver,
        "seconds": result.provenance.seconds,
        "evaluations": None if run is None else run.evaluations,
        "trace": [] if run is None else [list(point) for point in run.trace[:2_000]],
    }


def _in_pieces(result: Result) -> dict[str, Any]:
    """Return the pieces of a message and the steps by pieces, as a fraction; nothing where a message is one piece."""
    pieces, times = result.problem.collective.pieces, result.per_message
    return {"pieces": pieces, "message_times": None if times is None else str(times)} if pieces > 1 else {}
