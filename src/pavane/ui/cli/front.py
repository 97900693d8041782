"""The combining part of `pavane solve`: the front of start-ups and occupancy, and the point that is asked for."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pavane.errors import InputError
from pavane.text import counted
from pavane.text.table import Table
from pavane.timing import read_per_byte, read_size, read_time, time_text
from pavane.ui.cli.incumbent_writer import kept
from pavane.ui.cli.multi_output import SeveralFiles, message_times, undominated
from pavane.ui.cli.notes import note
from pavane.ui.cli.outputs import write_result
from pavane.ui.cli.report import Told, fractional_line, headline, print_json, print_lines, table_lines
from pavane.ui.cli.signals import ended_by

if TYPE_CHECKING:
    from pavane.judge.result import Result
    from pavane.model.problem import Problem
    from pavane.search.pareto_fronts import ParetoFront, Point
    from pavane.search.pieces import PieceSweep
    from pavane.ui.cli.incumbent_writer import Better


@dataclass(frozen=True)
class FrontOptions:
    """What to do with a front."""

    front: Annotated[
        Path | None,
        typer.Option("--front", metavar="DIR", help="With --combining, or several --pieces: write every schedule."),
    ] = None
    startup: Annotated[
        str | None,
        typer.Option("--startup", metavar="TIME", help="For the same: time of a start-up (ts, alpha), as 10ns."),
    ] = None
    per_byte: Annotated[
        str | None,
        typer.Option("--per-byte", metavar="TIME", help="For the same: time of a byte (t1, beta), or 100Gb/s."),
    ] = None
    size: Annotated[
        str | None,
        typer.Option(
            "--bytes",
            metavar="SIZE",
            help="For the same: size of one message, as 4 or 1KiB; of one part of an allreduce.",
        ),
    ] = None

    def refuse(self) -> None:
        """Refuse these options where no front is asked for."""
        given = {"--front": self.front, "--startup": self.startup, "--per-byte": self.per_byte, "--bytes": self.size}
        for flag, value in given.items():
            if value is not None:
                raise InputError(
                    f"{flag} goes with --combining, and without --method and --steps; or with several --pieces"
                )

    def weights(self) -> Weights:
        """Return what a start-up and a message cost; the three options belong together."""
        given = {"--startup": self.startup, "--per-byte": self.per_byte, "--bytes": self.size}
        missing = [flag for flag, value in given.items() if value is None]
        if len(missing) == 3:
            return Weights()
        if self.startup is None or self.per_byte is None or self.size is None:
            raise InputError(f"{missing[0]} is missing; --startup, --per-byte and --bytes belong together")
        message = read_size(self.size, "--bytes") * read_per_byte(self.per_byte, "--per-byte")
        return Weights(read_time(self.startup, "--startup"), message, True)


@dataclass(frozen=True)
class Weights:
    """What a start-up and a message cost; without it a message is taken to cost as much as a start-up."""

    startup: float = 1.0
    per_message: float = 1.0
    is_given: bool = False

    def chosen(self, front: ParetoFront) -> Point:
        """Return the fastest point."""
        return front.best(self.startup, self.per_message)

    def cost(self, result: Result) -> tuple[float, int]:
        """Return by what schedules of a front compare while it is searched for: by their time, then by start-ups."""
        start_ups = result.num_steps or 0
        return start_ups * self.startup + float(message_times(result)) * self.per_message, start_ups

    def time(self, point: Point) -> float:
        """Return what a point costs by noc eq. (3)."""
        return point.start_ups * self.startup + float(point.message_times) * self.per_message


def solved_front(
    problem: Problem,
    output: Path | None,
    wanted: FrontOptions,
    find: Callable[[Problem, Better], ParetoFront],
    *,
    is_joint: bool,
) -> ParetoFront:
    """Return the front of a problem, when what was asked for is written.

    Files are named start-ups-TCO.json, and those of a joint front, of several pieces, pieces-k-T-R.json.
    """
    weights = wanted.weights()

    def name(result: Result) -> str:
        assert result.schedule is not None
        pieces = f"pieces-{result.problem.collective.pieces}-" if is_joint else ""
        return f"{pieces}{result.schedule.num_steps}-{result.schedule.tco}.json"

    files = SeveralFiles(output, wanted.front, weights.cost, name, undominated)
    with kept(files.write_so_far if files.are_wanted_soon else None) as better:
        found = find(problem, better)
    write_chosen(found, weights.chosen(found).result if found.points else None, output)
    files.write_folder([point.result for point in found.points])
    if found.interrupted:
        note(f"{ended_by()}: this is the front so far")
    return found


def write_chosen(found: ParetoFront | PieceSweep, chosen: Result | None, output: Path | None) -> None:
    """Write what is chosen of what is found to a file, and say what there is to note."""
    for text in found.notes:
        note(text)
    if chosen is not None and output is not None:
        write_result(output, chosen)


def tell_front(front: ParetoFront, told: Told, weights: Weights) -> None:
    """Print a front."""
    if told.as_json:
        print_json(front_figures(front, weights))
        return
    if told.is_quiet:
        return
    print_lines(front_lines(front, weights, told.typed))
    if front.points and told.output is not None:
        print(f"file        {told.output}")


def has_pieces(front: ParetoFront) -> bool:
    """Say whether points of a front compare by message times, because messages are cut."""
    return bool(front.fronts) or any(point.pieces > 1 for point in front.points)


def front_lines(front: ParetoFront, weights: Weights, typed: str | None = None) -> list[str]:
    """Return a front in words."""
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
    lines.append(f"chosen      {chosen.start_ups}/{chosen.tco}{pieces}, {why}")
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
    """Say what a number of pieces came to by itself, and what it cannot come to."""
    pieces = counted(front.problem.collective.pieces, "piece")
    if not front.points:
        return f"{pieces:<12}no schedule was found"
    found = " ".join(f"{point.start_ups}/{point.tco}" for point in front.points)
    least = [
        f"{point.tco} is the least of {counted(point.start_ups, 'start-up')}{_by_search(point)}"
        for point in front.points
        if point.optimal_tco
    ]
    return f"{pieces:<12}{found}{'; ' if least else ''}{', '.join(least)}"


def _stretch(stretch: tuple[float, float] | None) -> str:
    if stretch is None:
        return "nowhere"
    low, high = stretch
    return f"{low:.3g} and more" if math.isinf(high) else f"{low:.3g} to {high:.3g}"


def _proven(point: Point) -> str:
    tco = f"TCO{_by_search(point)}"
    proven = [name for name, yes in (("start-ups", point.optimal_start_ups), (tco, point.optimal_tco)) if yes]
    return " and ".join(proven) or "-"


def _by_search(point: Point) -> str:
    """Say that the bound on the TCO rests on a search through all schedules, which leaves no certificate."""
    bound = point.result.occupancy_bound
    return " (by search)" if bound is not None and bound.argument == "exhaustive" else ""


def front_figures(front: ParetoFront, weights: Weights) -> dict[str, Any]:
    """Return a front for JSON."""
    problem: Problem = front.problem
    told: dict[str, Any] = {
        "network": problem.network.name,
        "collective": problem.collective.kind,
        "rules": problem.rules.to_dict(),
        "seconds": front.seconds,
        "front": _points(front, weights),
    }
    if front.fronts:
        told["fractional"] = None if front.fractional is None else str(front.fractional.per_message)
        told["fronts"] = [
            {"pieces": own.problem.collective.pieces, "seconds": own.seconds, "front": _points(own, weights)}
            for own in front.fronts
        ]
    return told


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
