"""A comparison as tables: for people, for spreadsheets and for programs.

A single figure is proven to be the least number of steps; 8/9 means that 9 steps were reached and 8 are the bound, as
the papers write it. A star marks the Pareto set.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import Any

from pavane.campaign.network_comparison.compared import Cell, Comparison, ComparisonRow
from pavane.timing import size_text, time_text

MOST_NAMES = 2
"""Names of one network that a table lists; the others are counted."""


def text_table(found: Comparison, *, only_best: bool = False) -> list[list[str]]:
    """Return the table with its header, a row a network; only those of a Pareto set, where that is asked for."""
    sizes: tuple[int | None, ...] = found.message_bytes or (None,)
    best = [set(map(id, found.pareto(size))) for size in sizes]
    is_single = len(found.collectives) == 1
    head = ["network", "processors", "routers", "degree", "cost", "diameter", "distance", "bisection", "survives"]
    head += [] if is_single and not found.message_bytes else list(found.collectives)
    for size in found.message_bytes:
        head += [] if is_single else [f"{kind} {size_text(size)}" for kind in found.collectives]
    head += [_total_title(found, size) for size in sizes]
    lines = [head]
    for row in found.rows:
        if only_best and not any(id(row) in some for some in best):
            continue
        cells = [] if is_single and not found.message_bytes else [figure(cell) for cell in row.cells]
        for size in found.message_bytes:
            cells += [] if is_single else [_time(found.time(row, at, size)) for at in range(len(row.cells))]
        for asked, some in zip(sizes, best, strict=True):
            total = figure(row.cells[0]) if is_single and asked is None else _total(found, row, asked)
            cells.append(total + "*" * (id(row) in some))
        lines.append([names_text(row), *_figure_texts(row), *cells])
    return lines


def legend(found: Comparison) -> list[str]:
    """Return what the columns mean, in lines."""
    figures = [row.figures for row in found.rows]
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
        lines.append("steps       single figures are proven the fewest; 8/9: 9 reached, 8 the bound")
    elif all(cell.is_proven for cell in cells):
        lines.append("steps       every figure is proven the fewest")
    if len(found.collectives) > 1:
        lines.append("all         the collectives, one after the other")
    alike = " of as many processors" if len({each.processors for each in figures}) > 1 else ""
    return [*lines, f"*           no other network{alike} is cheaper and as fast, or faster and as cheap"]


def names_text(row: ComparisonRow) -> str:
    """Return the names of a network, the first ones where they are many."""
    more = len(row.names) - MOST_NAMES
    return " = ".join(row.names[:MOST_NAMES]) + (f" and {more} more" if more > 0 else "")


def figure(cell: Cell) -> str:
    """Return steps, or bound and steps where they differ, or why there are none."""
    if cell.steps is None:
        return cell.outcome
    return str(cell.steps) if cell.is_proven else f"{cell.bound}/{cell.steps}"


def _total_title(found: Comparison, size: int | None) -> str:
    if len(found.collectives) == 1:
        return found.collectives[0] if size is None else f"{found.collectives[0]} {size_text(size)}"
    return "all" if size is None else f"all {size_text(size)}"


def _figure_texts(row: ComparisonRow) -> list[str]:
    about = row.figures
    switches = "" if about.switch_degree is None else f" ({about.switch_degree})"
    return [
        str(about.processors),
        str(about.routers),
        f"{about.degree}{switches}",
        str(about.cost),
        str(about.diameter),
        f"{about.mean_distance:.2f}",
        f"{'' if about.bisection_is_exact else '<='}{about.bisection}",
        f"{about.links_survived}, {about.routers_survived}",
    ]


def _total(found: Comparison, row: ComparisonRow, size: int | None) -> str:
    total = found.total(row, size)
    return "-" if total is None else f"{total:g}" if size is None else time_text(total)


def _time(seconds: float | None) -> str:
    return "-" if seconds is None else time_text(seconds)


def markdown_table(found: Comparison, *, only_best: bool = False) -> Iterator[str]:
    """Yield the same table in Markdown."""
    head, *rows = text_table(found, only_best=only_best)
    rule = ["---", *["---:"] * (len(head) - 1)]
    for row in (head, rule, *rows):
        yield "| " + " | ".join(cell.replace("|", "\\|").replace("*", "\\*") for cell in row) + " |"


# -- for programs


def as_object(found: Comparison) -> dict[str, Any]:
    """Return a comparison for JSON."""
    costs = found.costs
    return {
        "collectives": list(found.collectives),
        "rules": found.rules.to_dict(),
        "seed": found.seed,
        "costs": None
        if costs is None
        else {"startup": costs.startup, "per_byte": costs.per_byte, "per_hop": costs.per_hop},
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
                }
                for at, (kind, cell) in enumerate(zip(found.collectives, row.cells, strict=True))
            },
            "steps": _whole(found.total(row)),
            "times": {str(size): found.total(row, size) for size in found.message_bytes},
            "pareto": [str(size) for size in found.message_bytes if id(row) in best[size]]
            if found.message_bytes
            else id(row) in best[None],
        }


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


def columns(found: Comparison) -> dict[str, list[Any]]:
    """Return the figures of all networks by column, for spreadsheets and data frames; None where there is none."""
    table: dict[str, list[Any]] = {"network": [row.name for row in found.rows]}
    table["names"] = [" ".join(row.names) for row in found.rows]
    objects = [figure_object(row) for row in found.rows]
    for key in objects[0] if objects else ():
        table[key] = [each[key] for each in objects]
    for at, kind in enumerate(found.collectives):
        cells = [row.cells[at] for row in found.rows]
        table[f"{kind} bound"] = [cell.bound for cell in cells]
        table[f"{kind} steps"] = [cell.steps for cell in cells]
        table[f"{kind} proven"] = [cell.is_proven for cell in cells]
        for size in found.message_bytes:
            table[f"{kind} seconds at {size}"] = [found.time(row, at, size) for row in found.rows]
    for asked in found.message_bytes or (None,):
        at_size = "" if asked is None else f" at {asked}"
        best = set(map(id, found.pareto(asked)))
        table["steps" if asked is None else f"seconds{at_size}"] = [
            _whole(found.total(row)) if asked is None else found.total(row, asked) for row in found.rows
        ]
        table[f"pareto{at_size}"] = [id(row) in best for row in found.rows]
    return table


def as_csv(found: Comparison) -> str:
    """Return a line a network, under the names of the columns."""
    table = columns(found)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table)
    for values in zip(*table.values(), strict=True):
        writer.writerow(["" if v is None else str(v).lower() if isinstance(v, bool) else v for v in values])
    return text.getvalue()
