"""The tables of noc: rings, hierarchical rings and meshes on a chip, with and without combining."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import replace

from pavane.bounds import lower_bounds
from pavane.bounds.bisections import bisection
from pavane.judge.result import Result
from pavane.search.fewest_steps import searched
from pavane.solvers import SOLVERS
from pavane.solvers.constructions.hierarchical import as_printed
from pavane.studies.papers.problems import KINDS, catalogue, problem
from pavane.studies.papers.table import BETTER, EQUAL, IMPOSSIBLE, WORSE, Line, Ours, Table, steps_line
from pavane.workers.budget import Budget

BOUNDS = {
    # network: OAB, AAB, OAS, AAS, one port, without combining
    "1-way ring 4": ("ring:4,oneway", (2, 3, 3, 5)),
    "2-way ring 4": ("ring:4", (2, 3, 3, 3)),
    "1-way ring 8": ("ring:8,oneway", (3, 7, 7, 16)),
    "2-way ring 8": ("ring:8", (3, 7, 7, 8)),
    "H. rings 16": ("hierarchical-rings:4,4", (4, 15, 15, 32)),
    "H. rings 64": ("hierarchical-rings:4,4,4", (6, 63, 63, 512)),
    "2D mesh 4x4": ("mesh:4x4", (4, 15, 15, 16)),
    "2D mesh 6x6": ("mesh:6x6", (6, 35, 35, 54)),
    "2D mesh 8x8": ("mesh:8x8", (6, 63, 63, 128)),
}
"""The first Table 2."""

REACHED = {
    # network, combining: start-ups and TCO of OAB, AAB, OAS, AAS
    ("H. rings 16", False): ((4, 4), (15, 24), (15, 15), (51, 51)),
    ("H. rings 64", False): ((6, 6), (99, 252), (63, 63), (819, 819)),
    ("H. rings 16", True): ((4, 4), (7, 47), (4, 15), (7, 138)),
    ("H. rings 64", True): ((6, 6), (11, 319), (6, 63), (11, 2658)),
    ("2D mesh 4x4", True): ((4, 4), (6, 15), (4, 15), (6, 48)),
    ("2D mesh 8x8", True): ((6, 6), (14, 63), (6, 63), (14, 448)),
}
"""Table 3."""

TIMES = {
    "2D mesh 4x4": (56, 120, 100, 252),
    "2D mesh 8x8": (84, 392, 312, 1932),
    "H. rings 16": (56, 246, 100, 622),
    "H. rings 64": (84, 1386, 312, 10742),
}
"""Table 4, in ns: 10 ns a start-up, 1 ns a byte, 4 bytes."""

START_UP, PER_MESSAGE = 10, 4

FRONT_SECONDS = 12.0
"""For each front of Table 4, where no time is given: more would find more, but the whole paper is to take minutes."""

RING_HIERARCHIES = {"H. rings 16": (4, 4), "H. rings 64": (4, 4, 4)}


def _formulas(_: Ours) -> Iterator[Line]:
    """Table 1: the formulas with our own bisection, beside the best bounds we prove."""
    for name, (spec, _printed) in BOUNDS.items():
        network = catalogue(spec)
        size, width = network.num_processors, bisection(network).num_channels
        grown = math.ceil(math.log2(size) - 1e-9)
        told = {"OAB": grown, "AAB": size - 1, "OAS": size - 1, "AAS": max(-(-size * size // (2 * width)), size - 1)}
        for kind in KINDS:
            ours = lower_bounds(problem(spec, kind, ports=1))[0]
            mark = EQUAL if ours.steps == told[kind] else BETTER if ours.steps > told[kind] else WORSE
            facts = {"argument": ours.argument, "bisection": width}
            yield Line(f"{name}, {kind}", str(told[kind]), str(ours.steps), mark, facts)


def _bounds(ours: Ours) -> Iterator[Line]:
    """The first Table 2: lower bounds, and schedules that reach them."""
    for name, (spec, row) in BOUNDS.items():
        for kind, printed in zip(KINDS, row, strict=True):
            # The paper does not say how it routes. On hierarchical rings shortest paths do not suffice for AAB.
            routing = "any" if kind == "AAB" and name in RING_HIERARCHIES else "minimal"
            asked = problem(spec, kind, ports=1, routing=routing)
            line = steps_line(f"{name}, {kind}", asked, ours, bound=printed)
            if line.mark == IMPOSSIBLE:
                line = replace(line, mark=BETTER, note="the paper's bound holds, but a better one is proven")
            yield line


def _constructed(spec: str, kind: str, *, combining: bool = True) -> list[Result]:
    """Return the paper's own constructions for a collective, by name."""
    asked = problem(spec, kind, ports=1, combining=combining)
    names = ("ring-rotation", "mesh-phases", "binary-jumping", "hierarchical", "hierarchical-exchange")
    solvers = [SOLVERS[name] for name in names if SOLVERS[name].supports(asked)]
    return [solver(asked, None, 0, Budget()) for solver in solvers]


def _pair(result: Result) -> tuple[int, int]:
    assert result.schedule is not None
    return result.schedule.num_steps, result.schedule.tco


def _formula_lines(_: Ours) -> Iterator[Line]:
    """The second Table 2: start-ups and TCO of the constructions on rings and meshes."""
    for size in (4, 8, 16, 32):
        log = math.ceil(math.log2(size))
        printed = ((log, log), (size - 1, size - 1), (log, size - 1), (size - 1, size * (size - 1) // 2))
        yield from _construction_lines(f"ring {size}", f"ring:{size}", printed)
    for side in (2, 4, 8):
        size, log = side * side, math.ceil(math.log2(side))
        printed = (
            (2 * log, 2 * log),
            (2 * (side - 1), size - 1),
            (2 * log, size - 1),
            (2 * (side - 1), size * (side - 1)),
        )
        yield from _construction_lines(f"mesh {side}x{side}", f"mesh:{side}x{side}", printed)


def _construction_lines(name: str, spec: str, printed: tuple[tuple[int, int], ...]) -> Iterator[Line]:
    for kind, pair in zip(KINDS, printed, strict=True):
        found = {result.provenance.solver: _pair(result) for result in _constructed(spec, kind)}
        exact = [solver for solver, figures in found.items() if figures == pair]
        shown = exact[0] if exact else min(found, key=lambda solver: found[solver])
        mark = EQUAL if exact else WORSE
        yield Line(f"{name}, {kind}", _written(pair), _written(found[shown]), mark, {"construction": shown})


def _written(pair: tuple[int, int]) -> str:
    return f"{pair[0]}/{pair[1]}"


def _combined(ours: Ours) -> Iterator[Line]:
    """Table 3: what the constructions give, and the best that the search finds with no more start-ups."""
    for (name, combining), row in REACHED.items():
        spec = BOUNDS[name][0]
        for kind, pair in zip(KINDS, row, strict=True):
            started = time.monotonic()
            made = {result.provenance.solver: _pair(result) for result in _constructed(spec, kind)}
            if not combining:
                made |= {r.provenance.solver: _pair(r) for r in _constructed(spec, kind, combining=False)}
            best, method = _searched(spec, kind, pair, ours, combining=combining)
            exact = [solver for solver, figures in made.items() if figures == pair]
            note = ""
            if combining and kind in ("AAB", "AAS") and name in RING_HIERARCHIES:
                counted = as_printed(RING_HIERARCHIES[name], kind)  # type: ignore[arg-type]
                if counted == pair:
                    note = "the paper counts messages that the receiver already has; without them its scheme gives less"
            if not combining and kind == "AAB":
                note = "the paper's own messages are combined in its last phase; ours are not"
            same = exact[0] if exact else "-"
            facts = {
                "the paper's scheme": _written(made[same]) if exact else _nearest(made, pair),
                "by": same if exact else "",
                "method": method,
                "seconds": round(time.monotonic() - started, 2),
            }
            label = "combining" if combining else "non-combining"
            yield Line(f"{name}, {label}, {kind}", _written(pair), _written(best), _mark(best, pair), facts, note)


def _nearest(made: dict[str, tuple[int, int]], pair: tuple[int, int]) -> str:
    """Return the construction with the paper's number of start-ups, or the nearest."""
    if not made:
        return "-"
    return _written(min(made.values(), key=lambda figures: (abs(figures[0] - pair[0]), figures[1])))


def _mark(best: tuple[int, int], pair: tuple[int, int]) -> str:
    if best == pair:
        return EQUAL
    return BETTER if best[0] <= pair[0] and best[1] <= pair[1] else WORSE


def _searched(
    spec: str, kind: str, pair: tuple[int, int], ours: Ours, *, combining: bool
) -> tuple[tuple[int, int], str]:
    """Return the least TCO that we find with the paper's number of start-ups, or fewer."""
    if not combining:
        result = searched(problem(spec, kind, ports=1, routing="any"), seed=ours.seed, seconds=ours.seconds)
        return _pair(result), result.provenance.solver
    asked = problem(spec, kind, ports=1, routing="any", combining=True)
    found = [*_constructed(spec, kind)]
    budget = Budget.of(ours.seconds, workers=ours.workers)
    if SOLVERS["combining"].supports(asked):
        found.append(SOLVERS["combining"](asked, pair[0], ours.seed, budget))
    fitting = [result for result in found if result.schedule is not None and result.schedule.num_steps <= pair[0]]
    best = min(fitting, key=lambda result: (_pair(result)[1], _pair(result)[0]))
    return _pair(best), best.provenance.solver


def _times(ours: Ours) -> Iterator[Line]:
    """Table 4: the best times of the whole front."""
    from pavane.search.front_search import front

    for name, row in TIMES.items():
        for kind, printed in zip(KINDS, row, strict=True):
            started = time.monotonic()
            asked = problem(BOUNDS[name][0], kind, ports=1, routing="any", combining=True)
            found = front(asked, seed=ours.seed, seconds=ours.seconds or FRONT_SECONDS, workers=ours.workers)
            if found.interrupted:
                raise KeyboardInterrupt
            point = found.best(START_UP, PER_MESSAGE)
            ns = point.start_ups * START_UP + point.tco * PER_MESSAGE
            mark = EQUAL if ns == printed else BETTER if ns < printed else WORSE
            facts = {
                "start-ups/TCO": f"{point.start_ups}/{point.tco}",
                "method": point.result.provenance.solver,
                "seconds": round(time.monotonic() - started, 2),
            }
            yield Line(f"{name}, {kind}", f"{printed} ns", f"{ns} ns", mark, facts)


TABLES = (
    Table("noc", "1", "Lower bounds without combining", _formulas),
    Table("noc", "2", "Lower bounds for selected networks (the first Table 2)", _bounds),
    Table("noc", "2b", "Combining rings and meshes (the second Table 2)", _formula_lines),
    Table("noc", "3", "Start-ups and TCO on hierarchical rings and meshes", _combined),
    Table("noc", "4", "The best times on hierarchical rings and meshes", _times),
)
