"""The combining part of `pavane solve`: the front of start-ups and occupancy, and the point that is asked for."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pavane.cli.notes import note
from pavane.cli.outputs import is_stdout, write_result
from pavane.cli.progress import of_front, shown
from pavane.cli.report import headline, print_json, print_lines
from pavane.errors import InputError
from pavane.timing import read_per_byte, read_size, read_time, time_text
from pavane.words import counted

if TYPE_CHECKING:
    from pavane.model.problem import Problem
    from pavane.search.fronts import Front, Point


@dataclass(frozen=True)
class FrontOptions:
    """What to do with a front."""

    front: Annotated[
        Path | None,
        typer.Option("--front", metavar="DIR", help="With --combining, or several --pieces: write every schedule."),
    ] = None
    startup: Annotated[
        str | None, typer.Option("--startup", metavar="TIME", help="For the same: time of a start-up, as 10ns.")
    ] = None
    per_byte: Annotated[
        str | None, typer.Option("--per-byte", metavar="TIME", help="For the same: time of a byte, or 1GB/s.")
    ] = None
    size: Annotated[
        str | None, typer.Option("--bytes", metavar="SIZE", help="For the same: size of one message, as 4 or 1KiB.")
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

    def chosen(self, front: Front) -> Point:
        """Return the fastest point."""
        return front.best(self.startup, self.per_message)

    def time(self, point: Point) -> float:
        """Return what a point costs by noc eq. (3)."""
        return point.start_ups * self.startup + point.tco * self.per_message


def solved_fronts(
    problems: Sequence[Problem],
    outputs: Sequence[Path | None],
    wanted: FrontOptions,
    seed: int,
    seconds: float | None,
    evaluations: int | None,
    workers: int,
) -> list[Front]:
    """Return the front of each problem, when what was asked for is written."""
    from pavane.search.front_search import front

    weights, folder, fronts = wanted.weights(), wanted.front, []
    if folder is not None:
        make_folder(folder)  # refused now rather than after the search
    for problem, file in zip(problems, outputs, strict=True):
        with shown(of_front) as progress:
            found = front(
                problem, seed=seed, seconds=seconds, evaluations=evaluations, workers=workers, progress=progress
            )
        fronts.append(found)
        for text in found.notes:
            note(text)
        if found.points and file is not None:
            write_result(file, weights.chosen(found).result)
        if folder is not None:
            write_front(folder if len(problems) == 1 else folder / problem.collective.kind, found)
        if found.interrupted:
            note("interrupted: this is the front so far")
            break
    return fronts


def tell_fronts(fronts: Sequence[Front], outputs: Sequence[Path | None], weights: Weights, as_json: bool) -> None:
    """Print each front, and for an allreduce what the chosen schedules of both parts take together."""
    if as_json:
        told = [front_figures(found, weights) for found in fronts]
        print_json(told[0] if len(told) == 1 else {"parts": told})
        return
    for found, file in zip(fronts, outputs, strict=False):  # an interrupt leaves parts out
        print_lines(front_lines(found, weights))
        if found.points and file is not None:
            print(f"file        {file}")
    if len(fronts) > 1 and all(found.points for found in fronts):
        both = [weights.chosen(found) for found in fronts]
        total = f"{sum(point.start_ups for point in both)}/{sum(point.tco for point in both)}"
        print(f"allreduce   {total}: a reduce-scatter, then an allgather")


def front_lines(front: Front, weights: Weights) -> list[str]:
    """Return a front in words."""
    lines = headline(front.problem)
    if not front.points:
        return [*lines, "front       no schedule was found"]
    chosen = weights.chosen(front)
    header = ["", "start-ups", "TCO", "fastest for m*t1/ts", "proven", "solver"]
    rows = [header]
    if weights.is_given:
        header.insert(4, "time")
    for point, stretch in zip(front.points, front.ranges(), strict=True):
        row = [
            "->" if point is chosen else "",
            str(point.start_ups),
            str(point.tco),
            _stretch(stretch),
            _proven(point),
            point.result.provenance.solver,
        ]
        if weights.is_given:
            row.insert(4, time_text(weights.time(point)))
        rows.append(row)
    from pavane.formats.notation import aligned

    lines.append(f"front       {counted(len(front.points), 'schedule')}, {front.seconds:.2f} s")
    lines += [f"  {line}" for line in aligned(rows)]
    why = "the fastest for this message size" if weights.is_given else "the fastest where a message costs one start-up"
    lines.append(f"chosen      {chosen.start_ups}/{chosen.tco}, {why}")
    return lines


def _stretch(stretch: tuple[float, float] | None) -> str:
    if stretch is None:
        return "nowhere"
    low, high = stretch
    return f"{low:.3g} and more" if math.isinf(high) else f"{low:.3g} to {high:.3g}"


def _proven(point: Point) -> str:
    proven = [name for name, yes in (("start-ups", point.optimal_start_ups), ("TCO", point.optimal_tco)) if yes]
    return " and ".join(proven) or "-"


def front_figures(front: Front, weights: Weights) -> dict[str, Any]:
    """Return a front for JSON."""
    problem: Problem = front.problem
    chosen = weights.chosen(front) if front.points else None
    return {
        "network": problem.network.name,
        "collective": problem.collective.kind,
        "rules": problem.rules.to_dict(),
        "seconds": front.seconds,
        "front": [
            {
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
        ],
    }


def write_front(folder: Path, front: Front) -> None:
    """Write every point of a front into a folder, as start-ups-TCO.json."""
    from pavane.formats import write_schedule

    make_folder(folder)
    for point in front.points:
        write_schedule(folder / f"{point.start_ups}-{point.tco}.json", point.result)


def make_folder(folder: Path) -> None:
    """Make the folder of several schedules."""
    if is_stdout(folder):
        raise InputError("--front -: a front is several files; name a folder for them")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"--front {folder}: cannot be made: {(error.strerror or str(error)).lower()}") from None
