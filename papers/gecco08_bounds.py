"""The tables of gecco08 that count: sizes of networks, and lower bounds (Tables 1, 2 and 8)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from papers.figures import FIGURES
from papers.formulas import (
    crossing_steps,
    distance_steps,
    growth_steps,
    moore_digraph,
    moore_even_girth,
    moore_graph,
    port_steps,
)
from papers.largest_graphs import TWELVE_CAGE, largest_graph, ring_with_chords
from papers.paper_table import PaperLine, PaperTable, RedoOptions
from papers.problems import KINDS, catalogue, problem
from papers.splits import MOST_ROUTERS_TRIED, Split, narrowest, split_with
from papers.verdicts import EQUAL, IMPOSSIBLE, NEW, OPEN, QUOTED, WORSE, bound_mark
from pavane.bounds import lower_bounds
from pavane.bounds.splits import bisection
from pavane.model.network import Network

DEGREE = 3

SIZES = FIGURES.gecco08.sizes
"""Table 1, degree 3, by diameter."""

MOORE = {2: "petersen", 3: "heawood", 4: "levi"}
"""The networks of the last row of Table 1, by diameter."""

BOUNDS = FIGURES.gecco08.bounds
"""Table 2: OAB, AAB, OAS, AAS."""

SPECS = FIGURES.gecco08.specs
"""The networks of Tables 6, 7 and 8."""

PARAMETERS = FIGURES.gecco08.parameters
"""Table 8: degree, bisection channels, 2 * Delta, sum of distances, old bound (5), new bound (6)."""

AS_WIDTH = "B_C is the bisection width (section 3): no split into equal halves has fewer channels"
AS_NAMED = {
    "Ring 8, degree 1": "a ring of degree 1 is a one-way ring",
    "Levi 30": "the Levi graph is the Tutte-Coxeter graph, the 30 of Table 1 with diameter 4",
}
"""How names of Table 8 are read, where that decides a mark."""

HALF_DUPLEX = "Ring 8, degree 1, as two-way, half duplex, 1-port"
"""Another reading of that row, which fits all its figures in Tables 6 and 8."""


def _sizes(_: RedoOptions) -> Iterator[PaperLine]:
    """Table 1: the formulas (1) to (3), and the networks that we can make."""
    for diameter, (graphs, digraphs, even, largest, kautz, moore) in SIZES.items():
        where = f"diameter {diameter}"
        for name, printed, counted in (
            ("(1)", graphs, moore_graph(DEGREE, diameter)),
            ("(2)", digraphs, moore_digraph(DEGREE, diameter)),
            ("(3)", even, moore_even_girth(DEGREE, diameter)),
        ):
            yield PaperLine(f"{where}, {name}", str(printed), str(counted), EQUAL if counted == printed else WORSE)
        yield _made_line(f"{where}, [4]", largest, largest_graph(diameter), diameter)
        yield _made_line(f"{where}, Kautz", kautz, catalogue(f"kautz:{DEGREE},{diameter}"), diameter)
        yield _moore_line(f"{where}, Moore", moore or None, diameter)


def _made_line(where: str, printed: int, made: Network | None, diameter: int, star: str = "") -> PaperLine:
    """Compare a size with a network that we make; its degree and diameter are counted."""
    if made is None:
        return PaperLine(where, f"{printed}{star}", "-", QUOTED, {}, "from the survey [4]; no such graph was made here")
    fits = made.diameter == diameter and set(made.out_degrees.tolist()) == {DEGREE}
    shown = f"{made.num_routers}{star}"
    note = f"made: degree {DEGREE}, diameter {made.diameter}" if fits else "the network made here does not fit"
    return PaperLine(
        where, f"{printed}{star}", shown, EQUAL if fits and made.num_routers == printed else WORSE, {}, note
    )


def _moore_line(where: str, printed: int | None, diameter: int) -> PaperLine:
    """Compare the row of Moore graphs; * denotes a generalized one, which attains (3) and not (1)."""
    if printed is not None:
        star = "" if printed == moore_graph(DEGREE, diameter) else "*"
        return _made_line(where, printed, catalogue(MOORE[diameter]), diameter, star)
    cage = ring_with_chords(TWELVE_CAGE)
    if diameter == cage.diameter and cage.num_routers == moore_even_girth(DEGREE, diameter):
        return PaperLine(where, "-", f"{cage.num_routers}*", NEW, {}, "made: the Tutte 12-cage attains (3)")
    return PaperLine(where, "-", "-", QUOTED, {}, "(3) is attained at girth 6, 8 and 12 only (section 2)")


def _bounds(_: RedoOptions) -> Iterator[PaperLine]:
    """Table 2: the formulas of its first column, and the best bounds we prove."""
    for spec, row in BOUNDS.items():
        network = catalogue(spec)
        size, split = network.num_processors, narrowest(network)
        by_split = crossing_steps(size, *split.figures)
        by_distance = distance_steps(network.sum_of_distances, size, DEGREE)
        ports = port_steps(size, DEGREE)
        formula = {"OAB": growth_steps(size, DEGREE), "AAB": ports, "OAS": ports, "AAS": max(by_split, by_distance)}
        for kind, printed in zip(KINDS, row, strict=True):
            ours = lower_bounds(problem(spec, kind))[0]
            facts = {"by its formula": formula[kind], "argument": ours.argument}
            note = ""
            if formula[kind] != printed:
                note = (
                    f"its own formula gives {formula[kind]}, as Table 6 has: the distances sum to "
                    f"{network.sum_of_distances} on {network.num_channels} channels"
                )
            yield PaperLine(
                f"{spec}, {kind}", str(printed), str(ours.figure), bound_mark(printed, ours.figure), facts, note
            )


def _parameters(_: RedoOptions) -> Iterator[PaperLine]:
    """Table 8: every column counted on the network, beside the best bound we prove."""
    for name in PARAMETERS:
        yield from _counted(name)
        if name == "Ring 8, degree 1":
            yield from _half_duplex()


def _counted(name: str) -> Iterator[PaperLine]:
    """Count the columns of a row of Table 8."""
    degree, width, doubled, total, old, new = PARAMETERS[name]
    network = catalogue(SPECS[name])
    size, split = network.num_processors, narrowest(network)
    degrees = set(network.out_degrees.tolist())
    yield PaperLine(f"{name}, d", str(degree), ", ".join(map(str, degrees)), EQUAL if degrees == {degree} else WORSE)
    yield _width_line(name, width, network)
    yield _split_line(name, network, (width, doubled))
    own, mine = network.num_channels // network.num_routers, network.sum_of_distances
    mark = EQUAL if mine == total else IMPOSSIBLE
    reading = "" if mine == total else AS_NAMED.get(name, f"the network is {SPECS[name]}")
    yield PaperLine(f"{name}, Sigma", str(total), str(mine), mark, reading=reading)
    found = crossing_steps(size, split.num_channels)
    facts: dict[str, Any] = {"from the paper's columns": crossing_steps(size, width), "half": _named(split)}
    yield PaperLine(f"{name}, (5)", str(old), str(found), bound_mark(old, found), facts)
    found = max(crossing_steps(size, *split.figures), distance_steps(mine, size, own))
    best = lower_bounds(problem(SPECS[name], "AAS"))[0]
    printed_bound = max(crossing_steps(size, width, doubled), distance_steps(total, size, degree))
    facts = {
        "from the paper's columns": printed_bound,
        "half": _named(split),
        "best bound": best.figure,
        "argument": best.argument,
    }
    yield PaperLine(f"{name}, (6)", str(new), str(found), bound_mark(new, found), facts)


def _width_line(name: str, printed: int, network: Network) -> PaperLine:
    """Compare B_C with the channels of the narrowest split that we know."""
    split, is_exact = narrowest(network), bisection(network).exact
    counted = split.num_channels
    mark = IMPOSSIBLE if counted < printed else EQUAL if counted == printed else WORSE
    return PaperLine(
        f"{name}, B_C as bisection width",
        str(printed),
        str(counted),
        mark,
        {"half": _named(split)},
        "every split was tried" if is_exact else "the narrowest split that was found",
        AS_WIDTH if mark == IMPOSSIBLE else "",
    )


def _split_line(name: str, network: Network, printed: tuple[int, int]) -> PaperLine:
    """Look for a split into equal halves with both figures as printed."""
    where, text = f"{name}, B_C and 2 Delta of one split", "{}, {}".format(*printed)
    split = split_with(network, printed)
    if split is not None:
        return PaperLine(where, text, text, EQUAL, {"half": _named(split)})
    if network.num_routers <= MOST_ROUTERS_TRIED:
        note = "every split into equal halves was tried"
        return PaperLine(where, text, "-", IMPOSSIBLE, {}, note, AS_NAMED.get(name, "Delta as section 3 defines it"))
    note = "the paper does not say which split; neither the narrowest nor that of halves by number has both figures"
    return PaperLine(where, text, "-", OPEN, {}, note)


def _half_duplex() -> Iterator[PaperLine]:
    """Count the row of degree 1 on the two-way ring whose links carry one message a step, either way."""
    degree, width, doubled, total, old, new = PARAMETERS["Ring 8, degree 1"]
    network = catalogue("ring:8")
    size, split = network.num_processors, narrowest(network)
    links, mine = split.num_channels // 2, network.sum_of_distances
    bounds = (crossing_steps(size, links), crossing_steps(size, links, split.doubled))
    ports = 1
    best = lower_bounds(problem("ring:8", "AAS", ports=ports, duplex="half"))[0]
    for column, printed, counted in (
        ("d", degree, ports),
        ("B_C", width, links),
        ("2 Delta", doubled, split.doubled),
        ("Sigma", total, mine),
        ("(5)", old, bounds[0]),
        ("(6)", new, max(bounds[1], distance_steps(mine, size, ports))),
    ):
        facts: dict[str, Any] = {"half": _named(split)} if column == "B_C" else {}
        if column == "(6)":
            facts = {"best bound": best.figure, "argument": best.argument}
        mark = EQUAL if counted == printed else WORSE
        yield PaperLine(f"{HALF_DUPLEX}, {column}", str(printed), str(counted), mark, facts)


def _named(split: Split) -> str:
    """Write the routers of a half, runs of them as 0-3."""
    runs: list[list[int]] = []
    for router in split.half:
        if runs and router == runs[-1][-1] + 1:
            runs[-1].append(router)
        else:
            runs.append([router])
    return ",".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)


TABLES = (
    PaperTable("gecco08", "1", "The size of graphs and digraphs of degree 3", _sizes, is_quick=True),
    PaperTable("gecco08", "2", "Lower bounds on Petersen, Kautz 12 and Heawood", _bounds, is_quick=True),
    PaperTable("gecco08", "8", "Old and new lower bounds of AAS", _parameters, is_quick=True),
)
