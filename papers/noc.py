"""The tables of noc: rings, hierarchical rings and meshes on a chip, with and without combining."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import cache

from papers.figures import FIGURES
from papers.formulas import IN_WORDS, by_formula, growth_steps
from papers.noc_schedules import hand_made
from papers.noc_schedules.hierarchical import as_printed
from papers.paper_table import PaperLine, PaperTable, RedoOptions
from papers.problems import KINDS, catalogue, problem
from papers.steps_lines import steps_line
from papers.verdicts import BETTER, EQUAL, WORSE, Figure, bound_mark, count_mark
from pavane.bounds import lower_bounds
from pavane.bounds.splits import bisection
from pavane.judge.result import Result
from pavane.parallel.budget import Budget
from pavane.search.fewest_steps import find_or_interrupt
from pavane.search.options import SearchOptions
from pavane.solvers import SOLVERS

BOUNDS = FIGURES.noc.bounds
"""The first Table 2: network, and OAB, AAB, OAS, AAS, one port, without combining."""

FOOTNOTES = {
    ("2-way ring 4", "AAB"): "*) three rotations",
    ("2-way ring 4", "AAS"): "+) pairwise exchange - horizontal, vertical, diagonal",
}
"""The footnotes of the first Table 2: how the paper reaches these bounds."""

REACHED = {
    **{(name, False): row for name, row in FIGURES.noc.reached_singly.items()},
    **{(name, True): row for name, row in FIGURES.noc.reached_combining.items()},
}
"""Table 3: start-ups and TCO of OAB, AAB, OAS, AAS, by network and whether messages are combined."""

TIMES = FIGURES.noc.times
"""Table 4, in ns: 10 ns a start-up, 1 ns a byte, 4 bytes."""

START_UP, PER_MESSAGE = 10, 4

FRONT_SECONDS = 12.0
"""For each front of Table 4, where no time is given: more would find more, but the whole paper is to take minutes."""

ROTATED = "redone by rotation in rows, then in columns, where section 3.1 describes an odd-even exchange"
"""How AAB on meshes comes to the paper's figures."""

RING_HIERARCHIES = {"H. rings 16": (4, 4), "H. rings 64": (4, 4, 4)}


def _formulas(_: RedoOptions) -> Iterator[PaperLine]:
    """Table 1: the formulas with our own bisection, beside the best bounds we prove."""
    for name, (spec, _printed) in BOUNDS.items():
        network = catalogue(spec)
        size, width = network.num_processors, bisection(network).num_channels
        for kind in KINDS:
            formula = by_formula(kind, size, 1, width)
            ours = lower_bounds(problem(spec, kind, ports=1))[0]
            facts = {"paper's formula": IN_WORDS[kind], "B_C": width, "argument": ours.argument}
            yield PaperLine(f"{name}, {kind}", str(formula), str(ours.figure), bound_mark(formula, ours.figure), facts)


def _bounds(ours: RedoOptions) -> Iterator[PaperLine]:
    """The first Table 2: lower bounds, and schedules that reach ours."""
    for name, (spec, row) in BOUNDS.items():
        network = catalogue(spec)
        size, width = network.num_processors, bisection(network).num_channels
        for kind, printed in zip(KINDS, row, strict=True):
            # The paper does not say how it routes. On hierarchical rings shortest paths do not suffice for AAB.
            routing = "any" if kind == "AAB" and name in RING_HIERARCHIES else "minimal"
            instance = problem(spec, kind, ports=1, routing=routing)
            formula = by_formula(kind, size, 1, width)
            facts = {"by Table 1": formula, "paper's footnote": FOOTNOTES.get((name, kind), "")}
            note = "" if formula == printed else f"the formula of Table 1 gives {formula}"
            yield steps_line(f"{name}, {kind}", instance, ours, Figure(bound=printed), facts=facts, note=note)


def _constructed(spec: str, kind: str, *, combining: bool = True) -> dict[str, tuple[int, int]]:
    """Return start-ups and TCO of the paper's own schedules for a collective, by name; the judge accepts each."""
    instance = problem(spec, kind, ports=1, combining=combining)
    return {name: _pair(Result(instance, schedule)) for name, schedule in hand_made(instance).items()}


def _pair(result: Result) -> tuple[int, int]:
    assert result.schedule is not None
    return result.schedule.num_steps, result.schedule.tco


def _formula_lines(_: RedoOptions) -> Iterator[PaperLine]:
    """The second Table 2: start-ups and TCO of the constructions on rings and meshes."""
    for size in (4, 8, 16, 32):
        log = growth_steps(size, 1)
        printed = ((log, log), (size - 1, size - 1), (log, size - 1), (size - 1, size * (size - 1) // 2))
        yield from _construction_lines(f"ring {size}", f"ring:{size}", printed, FIGURES.noc.ring_formulas)
    for side in (2, 4, 8):
        size, log = side * side, growth_steps(side, 1)
        printed = (
            (2 * log, 2 * log),
            (2 * (side - 1), size - 1),
            (2 * log, size - 1),
            (2 * (side - 1), size * (side - 1)),
        )
        yield from _construction_lines(f"mesh {side}x{side}", f"mesh:{side}x{side}", printed, FIGURES.noc.mesh_formulas)


def _construction_lines(
    name: str, spec: str, printed: tuple[tuple[int, int], ...], formulas: tuple[str, ...]
) -> Iterator[PaperLine]:
    for kind, pair, formula in zip(KINDS, printed, formulas, strict=True):
        found = _constructed(spec, kind)
        exact = [solver for solver, figures in found.items() if figures == pair]
        shown = exact[0] if exact else min(found, key=lambda solver: found[solver])
        facts = {"paper's formula": formula, "construction": shown}
        mark, note = EQUAL if exact else WORSE, ROTATED if shown == "mesh-phases" and kind == "AAB" else ""
        yield PaperLine(f"{name}, {kind}", _written(pair), _written(found[shown]), mark, facts, note)


def _written(pair: tuple[int, int], *, combining: bool = True) -> str:
    """Write start-ups/TCO; without combining the paper writes one number where both are the same."""
    return str(pair[0]) if not combining and pair[0] == pair[1] else f"{pair[0]}/{pair[1]}"


def _combined(ours: RedoOptions) -> Iterator[PaperLine]:
    """Table 3: what the paper's schemes give, and the best that the search finds with no more start-ups."""
    for (name, combining), row in REACHED.items():
        for kind, pair in zip(KINDS, row, strict=True):
            started = time.process_time()
            best, method = _searched(BOUNDS[name][0], kind, pair[0], ours, combining=combining)
            scheme, note = scheme_facts(name, kind, combining=combining)
            facts = {**scheme, "method": method, "seconds": round(time.process_time() - started, 2)}
            where = f"{name}, {'combining' if combining else 'non-combining'}, {kind}"
            texts = _written(pair, combining=combining), _written(best, combining=combining)
            yield PaperLine(where, *texts, _mark(best, pair), facts, note)


def scheme_facts(name: str, kind: str, *, combining: bool) -> tuple[dict[str, str], str]:
    """Return what the scheme that the paper describes gives, carried out and judged, and how that differs.

    The paper's AAB without combining (section 3.2) sends 4m at once in its last phase, so it is valid under combining
    only; sent singly, its messages take as many start-ups as its TCO.
    """
    spec = BOUNDS[name][0]
    pair = dict(zip(KINDS, REACHED[name, combining], strict=True))[kind]
    joined, single = (_constructed(spec, kind, combining=combining) for combining in (True, False))
    made = joined if combining else single
    facts, note = {}, ""
    if not combining and kind == "AAB":
        made = joined
        facts["sent singly"] = _written(single["hierarchical-exchange"], combining=False)
        note = (
            "the paper's scheme combines messages in its last phase, although the row says non-combining; ours does not"
        )
    # The scheme is the one with the paper's figures, or with its number of start-ups.
    by = min(made, key=lambda solver: (made[solver] != pair, abs(made[solver][0] - pair[0]), made[solver][1]))
    if combining and kind in ("AAB", "AAS") and name in RING_HIERARCHIES:
        counted = as_printed(RING_HIERARCHIES[name], kind)  # type: ignore[arg-type]
        facts["as the paper counts"] = _written(counted)
        note = "the paper counts messages that the receiver already has; without them its scheme gives less"
    if by == "mesh-phases" and kind == "AAB":
        note = ROTATED
    return {"its scheme redone": _written(made[by], combining=combining), "by": by, **facts}, note


def _mark(best: tuple[int, int], pair: tuple[int, int]) -> str:
    if best == pair:
        return EQUAL
    return BETTER if best[0] <= pair[0] and best[1] <= pair[1] else WORSE


@cache
def _searched(
    spec: str, kind: str, start_ups: int, ours: RedoOptions, *, combining: bool
) -> tuple[tuple[int, int], str]:
    """Return the least TCO that we find with a number of start-ups, or fewer, and how."""
    if not combining:
        result = find_or_interrupt(
            problem(spec, kind, ports=1, routing="any"), SearchOptions(seed=ours.seed, seconds=ours.seconds)
        )
        return _pair(result), result.provenance.solver
    instance = problem(spec, kind, ports=1, routing="any", combining=True)
    found = _constructed(spec, kind)
    budget = Budget.of(ours.seconds, workers=ours.workers)
    if SOLVERS["combining"].supports(instance):
        result = SOLVERS["combining"](instance, start_ups, ours.seed, budget)
        if result.schedule is not None:
            found["combining"] = _pair(result)
    fitting = [(pair, name) for name, pair in found.items() if pair[0] <= start_ups]
    return min(fitting, key=lambda one: (one[0][1], one[0][0]))


def _times(ours: RedoOptions) -> Iterator[PaperLine]:
    """Table 4: the best times of the whole front, or of what Table 3 has."""
    from pavane.search.pareto_search import pareto_front

    for name, row in TIMES.items():
        spec = BOUNDS[name][0]
        for kind, printed in zip(KINDS, row, strict=True):
            started = time.process_time()
            instance = problem(spec, kind, ports=1, routing="any", combining=True)
            found = pareto_front(
                instance, SearchOptions(seed=ours.seed, seconds=ours.seconds or FRONT_SECONDS, workers=ours.workers)
            )
            if found.interrupted:
                raise KeyboardInterrupt
            point = found.best(START_UP, PER_MESSAGE)
            rows_of_network = [
                (combining, figures)
                for (network, combining), rows in REACHED.items()
                for figures in (rows[KINDS.index(kind)],)
                if network == name
            ]
            pairs = [((point.start_ups, point.tco), point.result.provenance.solver)]
            pairs += [
                _searched(spec, kind, figures[0], ours, combining=combining) for combining, figures in rows_of_network
            ]
            best, method = min(pairs, key=lambda pair: _nanoseconds(pair[0]))
            theirs = min((figures for _, figures in rows_of_network), key=_nanoseconds)
            facts = {
                "start-ups/TCO": _written(best),
                "paper's start-ups/TCO": _written(theirs),
                "time of those": f"{_nanoseconds(theirs)} ns",
                "method": method,
                "seconds": round(time.process_time() - started, 2),
            }
            ns = _nanoseconds(best)
            yield PaperLine(f"{name}, {kind}", f"{printed} ns", f"{ns} ns", count_mark(printed, ns), facts)


def _nanoseconds(pair: tuple[int, int]) -> int:
    """Return the time of start-ups and TCO, by (3) with the figures of section 5."""
    return pair[0] * START_UP + pair[1] * PER_MESSAGE


TABLES = (
    PaperTable("noc", "1", "Lower bounds without combining", _formulas, is_quick=True),
    PaperTable("noc", "2", "Lower bounds for selected networks (the first Table 2)", _bounds),
    PaperTable("noc", "2b", "Combining rings and meshes (the second Table 2)", _formula_lines, is_quick=True),
    PaperTable("noc", "3", "Start-ups and TCO on hierarchical rings and meshes", _combined),
    PaperTable("noc", "4", "The best times on hierarchical rings and meshes", _times),
)
