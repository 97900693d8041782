"""The Pareto front of start-ups and TCO in `pavane solve --combining`: its search, its files and its report."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from pavane.text import counted, point_text
from pavane.text.table import Table
from pavane.timing import time_text
from pavane.ui.cli.multi_output import MultiOutput
from pavane.ui.cli.report import fractional_line, table_lines
from pavane.ui.description import headline

if TYPE_CHECKING:
    from pavane.judge.result import Result
    from pavane.model.problem import Problem
    from pavane.search.pareto_fronts import ParetoFront, Point
    from pavane.ui.cli.solve_run import SolveRun, Weights


def refuse_for_front(run: SolveRun) -> None:
    """Refuse options that mean one schedule, and incomplete weights."""
    if not run.request.has_one_piece_count:
        run.refuse_one_schedule()
    run.printing.refuse_several("--combining without --method and --steps")
    run.front.weights()


def solve_front(run: SolveRun) -> bool:
    """Search for a Pareto front, write and print it; return whether it has a schedule.

    Files are named start-ups-TCO.json, and those of a front over several numbers of pieces pieces-k-T-R.json.
    """
    from pavane.search.pareto_over_pieces import pareto_front_over_pieces
    from pavane.search.pareto_search import pareto_front

    is_joint, output, weights = not run.request.has_one_piece_count, run.files.output, run.front.weights()

    def name(result: Result) -> str:
        assert result.schedule is not None
        pieces = f"pieces-{result.problem.collective.pieces}-" if is_joint else ""
        return f"{pieces}{result.schedule.num_steps}-{result.schedule.tco}.json"

    files = MultiOutput(output, run.front.folder, weights.cost, name)
    with run.searching(files.write_so_far if files.are_wanted_soon else None) as options:
        if is_joint:
            found = pareto_front_over_pieces(run.problem, run.request.piece_counts, options)
        else:
            found = pareto_front(run.problem, options)
    files.write_folder([point.result for point in found.points])
    run.finish(found, weights.chosen(found).result if found.points else None, "front")
    lines = front_lines(found, weights, run.request.collective)
    if found.points and output is not None:
        lines.append(f"file        {output}")
    run.report(lambda: front_figures(found, weights), lambda: lines)
    return bool(found.points)


def has_pieces(front: ParetoFront) -> bool:
    """Return whether points of a front compare by message times, because messages have several pieces."""
    return bool(front.fronts) or any(point.pieces > 1 for point in front.points)


def front_lines(front: ParetoFront, weights: Weights, typed: str | None = None) -> list[str]:
    """Return the report of a front."""
    lines = headline(front.problem, typed)
    if front.fronts:
        lines.append(fractional_line(front.problem, front.fractional))
    if not front.points:
        return [*lines, "front       no schedule was found"]
    chosen = weights.chosen(front)
    lines.append(f"front       {counted(len(front.points), 'schedule')}, {front.seconds:.2f} s")
    lines += table_lines(_table(front, chosen, weights), indent=2)
    lines += [_own_line(own) for own in front.fronts]
    why = "the fastest for this message size" if weights.is_given else "the fastest where a message costs one start-up"
    pieces = f" of {counted(chosen.pieces, 'piece')}" if has_pieces(front) else ""
    lines.append(f"chosen      {point_text(chosen.start_ups, chosen.tco)}{pieces}, {why}")
    return lines


def _table(front: ParetoFront, chosen: Point, weights: Weights) -> Table:
    """Return a row for each point."""
    from pavane.io.result_texts import unit_of

    cut, timed = has_pieces(front), weights.is_given
    pieces, times, cost = ["pieces"] * cut, [f"{unit_of(front.problem)} times"] * cut, ["time"] * timed
    titles = ["", *pieces, "start-ups", "TCO", *times, "fastest for m*t1/ts", *cost, "proven", "solver"]
    rows = [
        [
            "->" if point is chosen else "",
            *[point.pieces] * cut,
            point.start_ups,
            point.tco,
            *[point.message_times] * cut,
            _stretch(stretch),
            *[time_text(weights.time(point))] * timed,
            _proven(point),
            point.result.provenance.solver,
        ]
        for point, stretch in zip(front.points, front.ranges(), strict=True)
    ]
    return Table.of(titles, rows, leading=3 if cut else 2)


def _own_line(front: ParetoFront) -> str:
    """Return the line on one number of pieces: its own front, and the TCO that is proven minimal."""
    pieces = counted(front.problem.collective.pieces, "piece")
    if not front.points:
        return f"{pieces:<12}no schedule was found"
    found = "; ".join(point_text(point.start_ups, point.tco) for point in front.points)
    least = [
        f"{point.tco} is the least of {counted(point.start_ups, 'start-up')}"
        for point in front.points
        if point.optimal_tco
    ]
    return f"{pieces:<12}{found}{': ' if least else ''}{', '.join(least)}"


def _stretch(stretch: tuple[float, float] | None) -> str:
    if stretch is None:
        return "nowhere"
    low, high = stretch
    return f"{low:.3g} and more" if math.isinf(high) else f"{low:.3g} to {high:.3g}"


def _proven(point: Point) -> str:
    proven = [name for name, yes in (("start-ups", point.optimal_start_ups), ("TCO", point.optimal_tco)) if yes]
    return " and ".join(proven) or "-"


def front_figures(front: ParetoFront, weights: Weights) -> dict[str, Any]:
    """Return a front for JSON."""
    problem: Problem = front.problem
    figures: dict[str, Any] = {
        "network": problem.network.name,
        "collective": problem.collective.kind,
        "rules": problem.rules.to_dict(),
        "seconds": front.seconds,
        "front": _points(front, weights),
    }
    if front.fronts:
        figures["fractional"] = None if front.fractional is None else str(front.fractional.per_message)
        figures["fronts"] = [
            {"pieces": own.problem.collective.pieces, "seconds": own.seconds, "front": _points(own, weights)}
            for own in front.fronts
        ]
    return figures


def _points(front: ParetoFront, weights: Weights) -> list[dict[str, Any]]:
    chosen, cut = weights.chosen(front) if front.points else None, has_pieces(front)
    return [
        {
            **({"pieces": point.pieces, "message_times": str(point.message_times)} if cut else {}),
            "start_ups": point.start_ups,
            "tco": point.tco,
            "optimal_start_ups": point.optimal_start_ups,
            "optimal_tco": point.optimal_tco,
            "fastest_from": None if stretch is None else stretch[0],
            "fastest_to": None if stretch is None or math.isinf(stretch[1]) else stretch[1],
            "seconds": weights.time(point) if weights.is_given else None,
            "solver": point.result.provenance.solver,
            "chosen": point is chosen,
        }
        for point, stretch in zip(front.points, front.ranges(), strict=True)
    ]
