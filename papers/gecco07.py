"""The tables of gecco07: hypercubes, meshes, the octagon and its fat kin."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import numpy as np

from papers.figures import FIGURES
from papers.formulas import IN_WORDS, by_formula
from papers.paper_table import PaperLine, PaperTable, RedoOptions
from papers.problems import KINDS, catalogue, many_to_many, problem
from papers.steps_lines import solved_line, steps_line
from papers.verdicts import Figure, bound_mark
from pavane.bounds import lower_bounds
from pavane.bounds.splits import bisection
from pavane.judge.result import Provenance, Result
from pavane.judge.rules import verify
from pavane.model.schedule import Schedule, Transfer
from pavane.solvers.evolutionary.hgsa import HGSA

HYPERCUBES = FIGURES.gecco07.hypercubes
"""Table 2: the lower bound and the success rate of reaching it, by dimension and collective."""

ALGORITHMS = {"OAB": "MBOA", "OAS": "MBOA", "AAB": "HGSA", "AAS": "MBOA"}
"""Which algorithm Tables 2 and 3 name for a collective."""

FOOTNOTES = {(6, "OAB"): ("*) 100% with HGSA", "HGSA", 100), (7, "OAB"): ("**) 100% with HGSA", "HGSA", 100)}
"""The footnotes of Table 2: as printed, the algorithm, and its success rate."""

MESHES = FIGURES.gecco07.meshes
"""Table 3: network, ports, collective, bound, steps, success rate."""

OCTAGON = FIGURES.gecco07.octagon
"""Table 4: the paths of AAS on the octagon, a line a step."""

FAT_OCTAGON = FIGURES.gecco07.fat_octagon
"""Table 5; which 8 of the 16 processors send is not said."""

READINGS = {
    "one of each router": tuple(range(0, 16, 2)),
    "four whole routers": tuple(range(8)),
    "1-2-2-2-1 on five routers": tuple(range(1, 9)),
}
"""Three ways to choose the 8 senders of Table 5; the last one matches every scatter row that was reached."""


ABSORBED = "one port as the paper's HGSA seems to count it, by what a processor absorbs; judged as all-port"
"""What is said of lines that `_absorbing` makes."""


def _absorbing(ours: RedoOptions) -> RedoOptions | None:
    """Return how to redo a 1-port broadcast as the paper's HGSA seems to count ports; None for other solvers."""
    if not isinstance(ours.solver, HGSA):
        return None
    return replace(ours, solver=replace(ours.solver, most_absorbed=1))


def _formulas(_: RedoOptions) -> Iterator[PaperLine]:
    """Table 1: the formulas, on hypercubes with our own bisection, beside the best bounds we prove."""
    for dimension in HYPERCUBES:
        network = catalogue(f"hypercube:{dimension}")
        width = bisection(network).num_channels
        for ports in (1, "all"):
            size, k = network.num_processors, dimension if ports == "all" else 1
            for kind in KINDS:
                formula = by_formula(kind, size, k, width)
                ours = lower_bounds(problem(f"hypercube:{dimension}", kind, ports=ports))[0]
                facts = {"paper's formula": IN_WORDS[kind], "B_C": width, "argument": ours.argument}
                where = f"hypercube {size}, {ports}-port, {kind}"
                yield PaperLine(where, str(formula), str(ours.figure), bound_mark(formula, ours.figure), facts)


def _hypercubes(ours: RedoOptions) -> Iterator[PaperLine]:
    for dimension, row in HYPERCUBES.items():
        for kind in row:
            instance = problem(f"hypercube:{dimension}", kind)
            figure = hypercube_figure(dimension, kind, "" if ours.solver is None else ours.solver.name)
            footnote, *_ = FOOTNOTES.get((dimension, kind), ("",))
            note = "" if figure.success else "no run of the paper reached its bound"
            facts = {"paper's footnote": footnote}
            yield steps_line(f"hypercube {2**dimension}, {kind}", instance, ours, figure, facts=facts, note=note)


def hypercube_figure(dimension: int, kind: str, algorithm: str = "") -> Figure:
    """Return what Table 2 prints; of two success rates the one of an algorithm, where that is named."""
    bound, success = HYPERCUBES[dimension][kind]
    used = ALGORITHMS[kind]
    if (dimension, kind) in FOOTNOTES and algorithm.upper() == FOOTNOTES[dimension, kind][1]:
        _, used, success = FOOTNOTES[dimension, kind]
    return Figure(bound, bound if success else None, success, used)


def _meshes(ours: RedoOptions) -> Iterator[PaperLine]:
    for spec, ports, kind, bound, value, percent in MESHES:
        where = f"{spec.partition(':')[0].replace('-', ' ')} 4x4, {ports}-port, {kind}"
        figure = Figure(bound, value, percent, ALGORITHMS[kind])
        yield steps_line(where, problem(spec, kind, ports=ports), ours, figure)
        absorbing = _absorbing(ours) if (ports, kind) == (1, "AAB") else None
        if absorbing is not None:
            yield steps_line(f"{where}, absorbed", problem(spec, kind), absorbing, figure, note=ABSORBED)


def octagon_as_printed() -> Result:
    """Return the schedule of Table 4; a result exists only if the judge accepts it."""
    instance = problem("octagon", "AAS")
    channel = {(tail, head): c for c, (tail, head) in enumerate(instance.network.channels.tolist())}
    transfers = []
    for step, line in enumerate(OCTAGON):
        for word in line.split():
            routers = [int(digit) for digit in word]
            number = int(instance.message_numbers(np.array([[routers[0], routers[-1]]]))[0])
            path = tuple(channel[hop] for hop in pairwise(routers))
            transfers.append(Transfer(step, routers[0], routers[-1], path, (number,)))
    schedule = Schedule.from_transfers(transfers)
    assert not verify(instance, schedule)
    return Result(instance, schedule, lower_bounds(instance), Provenance("as printed"))


def _octagon(ours: RedoOptions) -> Iterator[PaperLine]:
    started = time.process_time()
    printed = octagon_as_printed()
    seconds = time.process_time() - started
    yield solved_line("the schedule as printed, judged", printed, seconds, Figure(3, 4), note="it is valid")
    yield steps_line("octagon 8, AAS", problem("octagon", "AAS"), ours, Figure(3, 4))


def _fat_octagon(ours: RedoOptions) -> Iterator[PaperLine]:
    everyone = tuple(range(16))
    for row, broadcast, scatter, roundabout in FAT_OCTAGON:
        for reading, eight in READINGS.items() if row != "16 to 16" else [("all", everyone)]:
            others = tuple(p for p in everyone if p not in eight)
            receivers = {"8 to the same 8": eight, "8 to other 8": others}.get(row, everyone)
            read = f"the 8 are {reading}" if eight != everyone else ""
            for kind, figures in (("MNB", broadcast), ("MNS", scatter)):
                where = f"{row}, {kind} ({reading})"
                instance = many_to_many("fat-octagon:2", kind, eight, receivers)
                yield steps_line(where, instance, ours, Figure(*figures), reading=read)
                absorbing = _absorbing(ours) if kind == "MNB" else None
                if absorbing is not None:
                    instance = many_to_many("fat-octagon:2", kind, eight, receivers, ports="all")
                    yield steps_line(f"{where}, absorbed", instance, absorbing, Figure(*figures), note=ABSORBED)
                if kind == "MNS" and (roundabout or row == "16 to 16"):
                    instance = many_to_many("fat-octagon:2", kind, eight, receivers, routing="any")
                    note = "*) with non-minimum routing" if roundabout else "+) non-minimum routing not found"
                    figure = Figure(figures[0], roundabout or figures[1])
                    yield steps_line(where, instance, ours, figure, reading=read, facts={"paper's footnote": note})


def _roundabout(ours: RedoOptions) -> Iterator[PaperLine]:
    """Fig. 7: one-to-all scatter from a router of degree 3; the last step needs a detour."""
    root = int(np.flatnonzero(catalogue("mesh:4x4").out_degrees == 3)[0])
    instance = problem("mesh:4x4", "OAS", routing="any", root=root)
    yield steps_line("mesh 4x4, OAS, any routing", instance, ours, Figure(5, 5))
    instance = problem("mesh:4x4", "OAS", root=root)
    note = "the paper says that 5 steps need a detour"
    yield steps_line("mesh 4x4, OAS, minimal routing", instance, ours, Figure(), note=note)


TABLES = (
    PaperTable("gecco07", "1", "Lower bounds of selected collectives", _formulas, is_quick=True),
    PaperTable("gecco07", "2", "Hypercubes: lower bounds and success rate of reaching them", _hypercubes),
    PaperTable("gecco07", "3", "Mesh and coated mesh: number of steps", _meshes, is_quick=True),
    PaperTable("gecco07", "4", "AAS schedule on the octagon", _octagon, is_quick=True),
    PaperTable("gecco07", "5", "M-to-N communication on the fat octagon", _fat_octagon),
    PaperTable("gecco07", "fig7", "One-to-all scatter in 5 steps by a detour", _roundabout, is_quick=True),
)
