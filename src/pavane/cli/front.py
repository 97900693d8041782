"""The combining part of `pavane solve`: the front of start-ups and occupancy, and the point that is asked for."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pavane.cli.progress import shown_front_progress
from pavane.cli.solve import headline
from pavane.errors import InputError
from pavane.timing import read_per_byte, read_size, read_time, time_text
from pavane.words import counted

if TYPE_CHECKING:
    from pavane.model.problem import Problem
    from pavane.search.fronts import Front, Point


@dataclass(frozen=True)
class Wish:
    """What a start-up and a message cost; without it a message is taken to cost as much as a start-up."""

    startup: float = 1.0
    per_message: float = 1.0
    is_given: bool = False

    @classmethod
    def of(cls, startup: str | None, per_byte: str | None, size: str | None) -> Wish:
        """Read the three options, which belong together."""
        given = {"--startup": startup, "--per-byte": per_byte, "--bytes": size}
        missing = [name for name, value in given.items() if value is None]
        if len(missing) == 3:
            return cls()
        if missing:
            raise InputError(f"{missing[0]} is missing; --startup, --per-byte and --bytes belong together")
        assert startup is not None
        assert per_byte is not None
        assert size is not None
        message = read_size(size, "--bytes") * read_per_byte(per_byte, "--per-byte")
        return cls(read_time(startup, "--startup"), message, True)

    def chosen(self, front: Front) -> Point:
        """Return the fastest point."""
        return front.best(self.startup, self.per_message)

    def time(self, point: Point) -> float:
        """Return what a point costs by noc eq. (3)."""
        return point.start_ups * self.startup + point.tco * self.per_message


def solve_fronts(
    problems: Sequence[Problem],
    outputs: Sequence[Path | None],
    folder: Path | None,
    wish: Wish,
    *,
    seed: int,
    seconds: float | None,
    workers: int,
    as_json: bool,
) -> bool:
    """Find and print the front of each problem, write what was asked for, and say whether all have one."""
    from pavane.formats import write_schedule
    from pavane.search.fronts import front

    if folder is not None:
        _make(folder)  # refused now rather than after the search
    fronts = []
    for problem, file in zip(problems, outputs, strict=True):
        with shown_front_progress() as progress:
            found = front(problem, seed=seed, seconds=seconds, workers=workers, progress=progress)
        fronts.append(found)
        if found.points and file is not None:
            write_schedule(file, wish.chosen(found).result)
        if folder is not None:
            write_front(folder if len(problems) == 1 else folder / problem.collective.kind, found)
    if as_json:
        told = [front_figures(found, wish) for found in fronts]
        print(json.dumps(told[0] if len(told) == 1 else {"parts": told}, indent=1))
    else:
        for found, file in zip(fronts, outputs, strict=True):
            for line in front_lines(found, wish):
                print(line)
            if found.points and file is not None:
                print(f"file        {file}")
        if len(fronts) > 1 and all(found.points for found in fronts):
            both = [wish.chosen(found) for found in fronts]
            total = f"{sum(point.start_ups for point in both)}/{sum(point.tco for point in both)}"
            print(f"allreduce   {total}: a reduce-scatter, then an allgather")
    return all(found.points for found in fronts)


def front_lines(front: Front, wish: Wish) -> list[str]:
    """Return a front in words."""
    lines = headline(front.problem)
    if not front.points:
        return [*lines, "front       no schedule was found"]
    chosen = wish.chosen(front)
    header = ["", "start-ups", "TCO", "fastest for m*t1/ts", "proven", "solver"]
    rows = [header]
    if wish.is_given:
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
        if wish.is_given:
            row.insert(4, time_text(wish.time(point)))
        rows.append(row)
    from pavane.formats.notation import aligned

    lines.append(f"front       {counted(len(front.points), 'schedule')}, {front.seconds:.2f} s")
    lines += [f"  {line}" for line in aligned(rows)]
    why = "the fastest for this message size" if wish.is_given else "the fastest where a message costs one start-up"
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


def front_figures(front: Front, wish: Wish) -> dict[str, Any]:
    """Return a front for JSON."""
    problem: Problem = front.problem
    chosen = wish.chosen(front) if front.points else None
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
                "seconds": wish.time(point) if wish.is_given else None,
                "solver": point.result.provenance.solver,
                "chosen": point is chosen,
            }
            for point, stretch in zip(front.points, front.ranges(), strict=True)
        ],
    }


def write_front(folder: Path, front: Front) -> None:
    """Write every point of a front into a folder, as start-ups-TCO.json."""
    from pavane.formats import write_schedule

    _make(folder)
    for point in front.points:
        write_schedule(folder / f"{point.start_ups}-{point.tco}.json", point.result)


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"--front {folder}: cannot be made: {(error.strerror or str(error)).lower()}") from None
