"""The figures of a result, as the page shows them."""

from __future__ import annotations

from math import inf
from typing import Any

from pavane.bounds import explain
from pavane.bounds.joint import explain_joint
from pavane.io.result_texts import phase_figures, symmetry_text, table_text
from pavane.judge.joint_result import JointResult
from pavane.judge.result import Result
from pavane.judge.timed_result import TimedResult
from pavane.search.pareto_fronts import ParetoFront
from pavane.timing import picoseconds_text
from pavane.ui.player.timed_contents import link_text


def figures_of(result: Result) -> dict[str, Any]:
    """Return the figures of a finished job, without its schedule."""
    problem, schedule, table, run = result.problem, result.schedule, result.table, result.run
    return {
        "problem": str(problem),
        "network": problem.network.name,
        "kind": problem.collective.kind,
        "title": problem.collective.title,
        "collective": str(problem.collective),
        "rules": str(problem.rules),
        "steps": result.num_steps,
        "step_word": problem.rules.step_word,
        "bound": None if result.bound is None else result.bound.steps,
        "why": None if result.bound is None else explain(problem, result.bound),
        "status": result.status,
        "status_text": result.status_text,
        "optimal": list(result.optimal),
        **_in_pieces(result),
        **phase_figures(problem, schedule),
        **({} if table is None else {"table": table_text(result), "symmetry": symmetry_text(result)}),
        "transfers": len(schedule) if schedule is not None else None if table is None else table.num_transfers(problem),
        "tco": None if schedule is None else schedule.tco,
        "solver": result.provenance.solver,
        "seconds": round(result.provenance.seconds, 3),
        "evaluations": None if run is None else run.evaluations,
        "trace": [] if run is None else [list(point) for point in run.trace[:2_000]],
    }


def timed_figures(result: TimedResult) -> dict[str, Any]:
    """Return the figures of a finished job of start times, without its schedule."""
    problem, bound, finish = result.timed.problem, result.bound, result.finish
    return {
        "problem": str(result.timed),
        "network": problem.network.name,
        "kind": problem.collective.kind,
        "title": problem.collective.title,
        "collective": str(problem.collective),
        "rules": f"{problem.rules}; {link_text(result.timed)}",
        "finish": finish,
        "finish_text": None if finish is None else picoseconds_text(finish),
        "bound": None,
        "bound_text": None if bound is None else picoseconds_text(bound.finish),
        "status": result.status,
        "transfers": None if result.schedule is None else len(result.schedule),
        "solver": result.provenance.solver,
        "seconds": round(result.provenance.seconds, 3),
    }


def joint_figures(result: JointResult) -> dict[str, Any]:
    """Return the figures of a finished job of several collectives, without its schedule."""
    problem, bound = result.problem, result.bound
    return {
        "problem": str(problem),
        "network": problem.network.name,
        "kind": problem.kinds_text,
        "collective": problem.kinds_text,
        "collectives": len(problem.collectives),
        "rules": str(problem.rules),
        "steps": result.num_steps,
        "sum": sum(result.steps) if result.steps else None,
        "in_turn": sum(result.steps_alone) if result.steps_alone else None,
        "bound": None if bound is None else bound.steps,
        "why": None if bound is None else explain_joint(problem, bound),
        "status": result.status,
        "transfers": None if result.schedule is None else len(result.schedule),
        "solver": result.provenance.solver,
        "seconds": round(result.provenance.seconds, 3),
    }


def front_figures(front: ParetoFront) -> list[dict[str, Any]]:
    """Return the entry of each point of a Pareto front: its figures, and for which sizes of messages it is the fastest.

    A size is the time of a message on a channel by the time of a start-up; None stands for any larger one.
    """
    return [
        {
            "start_ups": point.start_ups,
            "tco": point.tco,
            "optimal_start_ups": point.optimal_start_ups,
            "optimal_tco": point.optimal_tco,
            "fastest": None if span is None else [span[0], None if span[1] == inf else span[1]],
            "solver": point.result.provenance.solver,
        }
        for point, span in zip(front.points, front.ranges(), strict=True)
    ]


def _in_pieces(result: Result) -> dict[str, Any]:
    """Return the pieces of a message and the steps by pieces, as a fraction; nothing where a message is one piece."""
    pieces, times = result.problem.collective.pieces, result.per_message
    return {"pieces": pieces, "message_times": None if times is None else str(times)} if pieces > 1 else {}
