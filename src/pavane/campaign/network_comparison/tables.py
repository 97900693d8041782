"""A comparison as tables: for people, for spreadsheets and for programs.

A single figure is proven to be the least number of steps; `9, bound 8` means that 9 steps were reached and that no
schedule has fewer than 8. A star marks the Pareto set.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict
from functools import partial
from typing import Any

from pavane.campaign.network_comparison.compared import Cell, Comparison, ComparisonRow, LibraryTime
from pavane.model.problem import Rules
from pavane.text.table import Column, Table
from pavane.timing import size_text, time_text

MOST_NAMES = 2
"""Names of one network that a table lists; the others are counted."""

RowText = Callable[[ComparisonRow], str]


def comparison_table(found: Comparison, *, only_best: bool = False) -> Table:
    """Return a table for people, a row a network; with `only_best` only those of a Pareto set."""
    sizes: tuple[int | None, ...] = found.message_bytes or (None,)
    best = {size: set(map(id, found.pareto(size))) for size in sizes}
    texts: list[tuple[str, RowText]] = [("network", names_text), *FIGURE_TEXTS.items()]
    if len(found.collectives) > 1 or found.message_bytes:
        texts += [(kind, partial(_steps, at)) for at, kind in enumerate(found.collectives)]
    if len(found.collectives) > 1:
        texts += [
            (f"{kind} {size_text(size)}", partial(_time, found, at, size))
            for size in found.message_bytes
            for at, kind in enumerate(found.collectives)
        ]
    texts += [(_total_title(found, size), partial(_total, found, size, best[size])) for size in sizes]
    shown = [row for row in found.rows if not only_best or any(id(row) in rows for rows in best.values())]
    columns = [Column(title, align="numbers" if number else "left") for number, (title, _) in enumerate(texts)]
    return Table(columns, [[text(row) for _, text in texts] for row in shown])


FIGURE_TEXTS: dict[str, RowText] = {
    "processors": lambda row: str(row.figures.processors),
    "routers": lambda row: str(row.figures.routers),
    "degree": lambda row: (
        str(row.figures.degree) + ("" if row.figures.switch_degree is None else f" ({row.figures.switch_degree})")
    ),
    "cost": lambda row: str(row.figures.cost),
    "diameter": lambda row: str(row.figures.diameter),
    "distance": lambda row: f"{row.figures.mean_distance:.2f}",
    "bisection": lambda row: f"{'' if row.figures.bisection_is_exact else '<='}{row.figures.bisection}",
    "survives": lambda row: f"{row.figures.links_survived}, {row.figures.routers_survived}",
}
"""Figures of a network, by their titles."""


def legend(found: Comparison) -> list[str]:
    """Return the meaning of the columns, in lines."""
    figures, steps = [row.figures for row in found.rows], f"{found.rules.step_word}s"
    cells = [cell for row in found.rows for cell in row.cells]
    switches = "" if all(each.switch_degree is None for each in figures) else "; in brackets that of pure switches"
    counts = "" if all(each.cost == each.channels for each in figures) else ", each as often as its capacity says"
    lines = [
        f"degree      channels out of a router with processors{switches}",
        f"cost        channels of the network{counts}",
        "distance    the mean over all pairs of processors",
        "bisection   channels between two halves of the processors, both ways",
        "survives    links, and routers, that may fail, whichever they are: all other processors stay connected",
    ]
    if any(cell.steps is not None and not cell.is_proven for cell in cells):
        lines.append(
            f"{steps}       single figures are proven the fewest; 9, bound 8: 9 were reached, and 8 are needed"
        )
    elif all(cell.is_proven for cell in cells):
        lines.append(f"{steps}       every figure is proven the fewest")
    if len(found.collectives) > 1:
        lines.append("all         the collectives, one after the other")
    alike = " of as many processors" if len({each.processors for each in figures}) > 1 else ""
    return [*lines, f"*           no other network{alike} is cheaper and as fast, or faster and as cheap"]


def rules_texts(found: Comparison) -> list[str]:
    """Return the rules; where networks have different ones, each with its networks."""
    names: dict[Rules, list[str]] = {}
    for row in found.rows:
        names.setdefault(row.rules, []).append(row.name)
    return [f"{rules} ({', '.join(some)})" if len(names) > 1 else str(rules) for rules, some in names.items()]


def names_text(row: ComparisonRow) -> str:
    """Return the names of a network, the first ones if there are many."""
    more = len(row.names) - MOST_NAMES
    return " = ".join(row.names[:MOST_NAMES]) + (f" and {more} more" if more > 0 else "")


def figure(cell: Cell) -> str:
    """Return steps, with the bound if it is lower, or why there are none."""
    if cell.steps is None:
        return cell.outcome
    return str(cell.steps) if cell.is_proven else f"{cell.steps}, bound {cell.bound}"


def _total_title(found: Comparison, size: int | None) -> str:
    name = found.collectives[0] if len(found.collectives) == 1 else "all"
    return name if size is None else f"{name} {size_text(size)}"


def _steps(at: int, row: ComparisonRow) -> str:
    return figure(row.cells[at])


def _time(found: Comparison, at: int, size: int, row: ComparisonRow) -> str:
    seconds = found.time(row, at, size)
    return "-" if seconds is None else time_text(seconds)


def _total(found: Comparison, size: int | None, best: set[int], row: ComparisonRow) -> str:
    """Return the time or the steps of all collectives, with a star in the Pareto set."""
    total = found.total(row, size)
    if size is None and len(found.collectives) == 1:
        text = figure(row.cells[0])
    else:
        text = "-" if total is None else f"{total:g}" if size is None else time_text(total)
    return text + "*" * (id(row) in best)


# -- for programs


def as_object(found: Comparison) -> dict[str, Any]:
    """Return a comparison for JSON."""
    return {
        "collectives": list(found.collectives),
        "rules": found.rules.to_dict(),
        "seed": found.seed,
        "costs": None if found.costs is None else asdict(found.costs),
        "bytes": list(found.message_bytes),
        "interrupted": found.interrupted,
        "networks": list(_network_objects(found)),
    }


def _network_objects(found: Comparison) -> Iterator[dict[str, Any]]:
    sizes: tuple[int | None, ...] = found.message_bytes or (None,)
    best = {size: set(map(id, found.pareto(size))) for size in sizes}
    for row in found.rows:
        yield {
            "name": row.name,
            "names": list(row.names),
            **({} if row.rules == found.rules else {"rules": row.rules.to_dict()}),
            **figure_object(row),
            "collectives": {
                kind: {
                    "bound": cell.bound,
                    "steps": cell.steps,
                    "outcome": cell.outcome,
                    "proven": cell.is_proven,
                    "times": {str(size): found.time(row, at, size) for size in found.message_bytes},
                    "solver": cell.solver or None,
                    "seconds": cell.seconds,
                    **({"error": cell.why} if cell.why else {}),
                    **({"nccl": library_objects(cell)} if cell.library_times else {}),
                }
                for at, (kind, cell) in enumerate(zip(found.collectives, row.cells, strict=True))
            },
            "steps": _whole(found.total(row)),
            "times": {str(size): found.total(row, size) for size in found.message_bytes},
            "pareto": [str(size) for size in found.message_bytes if id(row) in best[size]]
            if found.message_bytes
            else id(row) in best[None],
        }


def library_objects(cell: Cell) -> dict[str, Any]:
    """Return for each message size the time without barriers and those of NCCL's algorithms."""
    return {
        str(size): {**time_object(own), "baselines": [time_object(other) for other in others]}
        for size, (own, *others) in cell.library_times.items()
    }


def time_object(time: LibraryTime) -> dict[str, Any]:
    """Return a time for JSON; bandwidths in bytes per second."""
    algorithmic, bus = time.bandwidths or (None, None)
    name = {"name": time.name} if time.name else {}
    figures = {"pieces": time.pieces, "seconds": time.seconds}
    return {**name, **figures, "algorithmic_bandwidth": algorithmic, "bus_bandwidth": bus}


def figure_object(row: ComparisonRow) -> dict[str, Any]:
    """Return the figures of a network by their names."""
    about = row.figures
    return {
        "processors": about.processors,
        "routers": about.routers,
        "degree": about.degree,
        "switch_degree": about.switch_degree,
        "channels": about.channels,
        "cost": about.cost,
        "diameter": about.diameter,
        "mean_distance": round(about.mean_distance, 6),
        "bisection": about.bisection,
        "bisection_is": "exact" if about.bisection_is_exact else "an upper bound",
        "connectivity": about.connectivity,
        "router_connectivity": about.router_connectivity,
        "links_survived": about.links_survived,
        "routers_survived": about.routers_survived,
    }


def _whole(number: float | None) -> int | None:
    return None if number is None else round(number)


def figures_table(found: Comparison) -> Table:
    """Return the figures of all networks, for spreadsheets and data frames; None where there is none."""
    best = {size: set(map(id, found.pareto(size))) for size in (found.message_bytes or (None,))}
    records = []
    for row in found.rows:
        record = {"network": row.name, "names": " ".join(row.names), **figure_object(row)}
        for at, (kind, cell) in enumerate(zip(found.collectives, row.cells, strict=True)):
            record |= {f"{kind} bound": cell.bound, f"{kind} steps": cell.steps, f"{kind} proven": cell.is_proven}
            record |= {f"{kind} seconds at {size}": found.time(row, at, size) for size in found.message_bytes}
            for size, (own, *others) in cell.library_times.items():
                record |= {f"{kind} busbw at {size}": None if own.bandwidths is None else own.bandwidths[1]}
                record |= {f"{kind} {other.name} seconds at {size}": other.seconds for other in others}
        for each, rows in best.items():
            at_size = "" if each is None else f" at {each}"
            total = _whole(found.total(row)) if each is None else found.total(row, each)
            record |= {"steps" if each is None else f"seconds{at_size}": total, f"pareto{at_size}": id(row) in rows}
        records.append(record)
    return Table.from_records(records)
