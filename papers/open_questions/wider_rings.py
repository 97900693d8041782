"""Question 3: hierarchical rings whose upper rings are wider (noc section 5)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from papers.open_questions.question import Row, with_texts
from papers.open_questions.searches import arrange, figures, listed, proof_of, solved, written
from papers.problems import catalogue
from pavane.judge.result import Result
from pavane.model.collectives import named
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import hierarchical_rings
from pavane.search.options import SearchOptions
from pavane.text import counted

CAPACITIES = (1, 2, 4, 8)

MESHES = {(4, 4): "mesh:4x4", (4, 4, 4): "mesh:8x8"}
"""The rings, from the lowest level on, and the paper's mesh of as many processors."""


class RingCase(NamedTuple):
    """Rings with upper rings of a capacity, or the mesh beside them (capacity 0), and a collective."""

    sizes: tuple[int, ...]
    capacity: int
    ports: int | str
    kind: str


def with_wide_upper_rings(sizes: tuple[int, ...], capacity: int) -> Network:
    """Return hierarchical rings of which the rings above level 0 have channels of a capacity."""
    made = hierarchical_rings(*sizes)
    # Rings of a level join routers whose numbers differ by a multiple of the level's stride, so on upper levels both
    # ends of a channel are first routers of their level-0 rings.
    is_upper = (made.channels % sizes[0] == 0).all(axis=1)
    widths = np.where(is_upper, capacity, 1)
    return Network(made.name, made.routers, made.channels, made.router_of, made.positions, capacities=widths)


def _problem(network: Network, case: RingCase, routing: str) -> Problem:
    rules = Rules(ports=case.ports, routing=routing)  # type: ignore[arg-type]
    return Problem(network, named(case.kind, network), rules)


@cache
def _narrow(case: RingCase, limits: SearchOptions) -> tuple[Result, ...]:
    """Return what holds under any routing, too: shortest paths on meshes, and rings of capacity 1."""
    if not case.capacity:
        return (solved(_problem(catalogue(MESHES[case.sizes]), case, "minimal"), limits),)
    return (solved(_problem(with_wide_upper_rings(case.sizes, 1), case, "any"), limits),)


def _row(case: RingCase, limits: SearchOptions) -> Row:
    network = catalogue(MESHES[case.sizes]) if not case.capacity else with_wide_upper_rings(case.sizes, case.capacity)
    known = _narrow(case._replace(capacity=min(case.capacity, 1)), limits)
    result = known[0] if case.capacity == 1 else solved(_problem(network, case, "any"), limits, *known)
    return {
        "network": network.name,
        "processors": network.num_processors,
        "capacity": case.capacity or None,
        "cost": int(network.capacity.sum()),
        "ports": case.ports,
        "collective": case.kind,
        **figures(result),
    }


def _table(rows: Sequence[Row]) -> list[Row]:
    """Arrange a line a network, both collectives side by side."""

    def about(row: Row) -> Row:
        return {
            "processors": row["processors"],
            "ports": row["ports"],
            "network": f"`{row['network']}`",
            "capacity of upper rings": row["capacity"],
            "sum of capacities": row["cost"],
        }

    def cells(row: Row) -> Row:
        kind = row["collective"]
        return {kind: written(row), f"{kind} times sum": row["steps"] * row["cost"]}

    return arrange((about(row), cells(row)) for row in rows)


def _meeting(rows: Sequence[Row]) -> str:
    """State from which capacity rings need no more steps than the mesh, by size, ports and collective."""
    (mesh,) = (row for row in rows if row["capacity"] is None)
    rings = sorted((row for row in rows if row["capacity"] is not None), key=lambda row: row["capacity"])
    meeting = next((row for row in rings if row["steps"] <= mesh["bound"]), None)
    if meeting is not None:
        narrower = [row for row in rings if row["capacity"] < meeting["capacity"]]
        is_first = all(row["bound"] > mesh["steps"] for row in narrower)
        price = f"sum of capacities {meeting['cost']} against {mesh['cost']}"
        latest = "" if is_first else "at the latest "
        return f"{latest}from capacity {meeting['capacity']} on ({written(meeting)} and {written(mesh)} steps, {price})"
    widest = rings[-1]
    if widest["bound"] > mesh["steps"]:
        why = f"capacity {widest['capacity']} still needs {written(widest)} steps against {written(mesh)}"
        return f"with no capacity that was tried ({why})"
    return f"open ({written(widest)} steps at capacity {widest['capacity']} against {written(mesh)})"


def _is_least_on_mesh(rows: Sequence[Row]) -> bool:
    """Return whether steps times capacities are proven to be least on the mesh."""
    (mesh,) = (row for row in rows if row["capacity"] is None)
    return all(mesh["steps"] * mesh["cost"] <= row["bound"] * row["cost"] for row in rows if row is not mesh)


def _answer(rows: Sequence[Row]) -> str:
    groups: dict[tuple[str, int], dict[str, list[Row]]] = {}
    for row in rows:
        of_size = groups.setdefault((row["collective"], row["processors"]), {})
        of_size.setdefault(f"{row['ports']}-port", []).append(row)
    sentences = []
    for (kind, size), by_ports in groups.items():
        meetings = listed([f"{ports} {_meeting(group)}" for ports, group in by_ports.items()])
        sentences.append(f"{kind} of {size} processors: {meetings}.")
    every = [
        (f"{kind} of {size} ({ports})", group)
        for (kind, size), by_ports in groups.items()
        for ports, group in by_ports.items()
    ]
    cheaper = [words for words, group in every if _is_least_on_mesh(group)]
    fair = (
        f"Steps times the sum of capacities are least on the mesh in {len(cheaper)} of {counted(len(every), 'problem')}"
    )
    return f"Rings meet the mesh as follows. {' '.join(sentences)} {fair}{f': {listed(cheaper)}' if cheaper else ''}."


def _proof(rows: Sequence[Row]) -> str:
    return proof_of(
        (
            f"`{row['network']}` of capacity {row['capacity'] or 1}, {row['ports']}-port {row['collective']}",
            row,
        )
        for row in rows
    )


QUESTION = with_texts(
    3,
    (
        RingCase(sizes, capacity, ports, kind)
        for kind in ("AAB", "AAS")
        for sizes in MESHES
        for ports in (1, "all")
        for capacity in (0, *CAPACITIES)
    ),
    _row,
    _answer,
    _proof,
    _table,
)
