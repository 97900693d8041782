"""Solves problems by a table: what one router does, which all do translated, or what parts do that look alike."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import chain

from pavane.bounds.registry import Work
from pavane.bounds.steps import bounds_at_any_size, counted_bounds, listed
from pavane.bounds.translated import table_bounds
from pavane.jit import clock
from pavane.judge.result import Provenance, Result
from pavane.model.bound import Bound
from pavane.model.mesh_table import AnyTable
from pavane.model.problem import Problem
from pavane.parallel.progress import Progress
from pavane.search.size import is_table_needed, is_table_wanted
from pavane.solvers.ejection.slot_table import packed_slots
from pavane.solvers.tables.registry import COMPOSITION_MAKERS, TABLE_MAKERS
from pavane.symmetry.cayley import cayley_of
from pavane.text import VERSION

MOST_ABOVE_BOUND = 1.15
"""Steps of a table, over the bound, above which a schedule of fewer steps is searched for without a time limit."""

MOST_ROWS = 4_000_000
"""Rows of a table, a message of one router each at least: more, of very many pieces, take gigabytes to judge."""


def is_table_enough(result: Result, seconds: float | None = None) -> bool:
    """Return whether a table is the answer: near the bound, or no schedule could be written out in its place.

    With a time limit only a table at the bound is near enough: the rest of the time is a search's.
    """
    if is_table_needed(result.problem, seconds) or result.bound is None or result.num_steps is None:
        return True
    return result.num_steps <= (MOST_ABOVE_BOUND if seconds is None else 1.0) * result.bound.figure


def has_table(problem: Problem) -> bool:
    """Return whether the network is one for which tables are made; whether this one is made is found by making it."""
    if problem.num_deliveries > MOST_ROWS * problem.network.num_processors:
        return False
    return cayley_of(problem.network) is not None or any(make(problem) for make in COMPOSITION_MAKERS.values())


def solve_by_table(
    problem: Problem, num_steps: int | None = None, on_progress: Callable[[Progress], None] | None = None
) -> Result | None:
    """Return the best table that is known for a problem, with its bounds; None where none is known.

    Args:
        problem: The problem: a collective among all processors of a network with translations.
        num_steps: Maximum number of steps.
        on_progress: Called before a table is made and before it is judged.

    Returns:
        The result, whose `table` gives the schedule; None where no table is known.

    Example:
        >>> problem = pavane.Problem(pavane.network("torus:128x128"), "alltoall")
        >>> pavane.solve(problem, form="table")
        <Result: alltoall (AAS) on torus:128x128 in 262,144 steps, optimal>
    """
    begun = clock.now()
    best: Result | None = None
    bounds: tuple[Bound, ...] = ()

    def report(activity: str) -> None:
        if on_progress is not None:
            bound = max((bound.figure for bound in bounds), default=None)
            now = Progress(activity, clock.now() - begun, num_steps=num_steps, bound=bound)
            fewest = None if best is None else best.num_steps
            on_progress(replace(now, best=fewest, step_word=problem.rules.step_word))

    if problem.num_deliveries > MOST_ROWS * problem.network.num_processors:
        return None
    report("symmetries of the network")
    tables: Iterable[tuple[str, AnyTable | None]]
    cayley = cayley_of(problem.network)
    if cayley is not None:
        bounds = table_bounds(problem, cayley)
        if problem.rules.has_slots and not is_table_wanted(problem):
            bounds = listed((*bounds, *counted_bounds(problem, Work.DISTANCES)))
        lowest = max((bound.figure for bound in bounds), default=1)
        tables = chain(
            ((name, make(problem, cayley)) for name, make in TABLE_MAKERS.items()),
            (("translation", packed_slots(problem, cayley, lowest)) for _ in range(1)),
        )
    else:
        tables = [(name, make(problem)) for name, make in COMPOSITION_MAKERS.items()]
        if all(table is None for _, table in tables):
            return None
        bounds = bounds_at_any_size(problem)
    for name, table in tables:
        if table is None or (num_steps is not None and table.num_steps > num_steps):
            continue
        if best is None or best.num_steps is None or table.num_steps < best.num_steps:
            report(f"judging the table of {name}")
            best = Result(problem, None, bounds, Provenance(name, 0, version=VERSION), num_steps, table=table)
        if best.is_optimal:
            break
    return None if best is None else timed(best, begun)


def timed(result: Result, begun: float) -> Result:
    """Return a result with the seconds since it was begun, in which it was made and judged."""
    return result.amended(provenance=replace(result.provenance, seconds=round(clock.now() - begun, 3)))
