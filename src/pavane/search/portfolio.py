"""Runs the stages of `auto` (`stages.py`): a function for each way of choosing the numbers of steps."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import count, islice
from typing import TYPE_CHECKING, TypeAlias

from pavane.bounds.registry import Work
from pavane.search.search_run import Attempt
from pavane.search.shortest import ShortestSearch, prove
from pavane.search.stages import KNOWN, LAST, PLANNED_PATHS, TABLES, Stage, kind_of
from pavane.search.tuning import TUNING
from pavane.solvers import SOLVERS, Solver

if TYPE_CHECKING:
    from pavane.solvers.large_scatter.packing import Packing

Walk: TypeAlias = Callable[[ShortestSearch, Stage], None]
"""A function that runs the solver of a stage at the numbers of steps that the stage names."""

MOST_ARRIVALS_IN_ORDERS = 10_000
"""First fit in several orders stops at this many arrivals in all: it is to be quick."""


def try_all(search: ShortestSearch) -> None:
    """Try what is exact or known first, then what is quick, then what is thorough."""
    if not run_stages(search, KNOWN + TABLES[kind_of(search.problem)]):
        run_stages(search, LAST)


def run_stages(search: ShortestSearch, stages: Iterable[Stage], walks: Mapping[str, Walk] = {}) -> bool:
    """Run the stages of a table, also by walks of its own; return whether those of other tables are of no use."""
    has_run, walks = False, {**WALKS, **walks}
    for stage in stages:
        if search.is_over and (has_run or search.best.is_settled or not stage.is_urgent):
            continue
        if stage.when is not None and not stage.when.holds(search):
            continue
        if stage.work is not None:
            prove(search, stage.work)
            continue
        # A few pieces at a time may be supported where all are not.
        is_checked = stage.solver in SOLVERS and stage.steps != "the bound and more, a few pieces at a time"
        if is_checked and not _solver(search, stage).supports(search.problem):
            continue
        before, has_run = search.latest, True
        walks[stage.steps](search, stage)
        if stage.ends == "all if it is better" and search.latest is not before:
            if stage.solver in SOLVERS and SOLVERS[stage.solver].supports.procedure == "construction":
                # Its bound is known to exist, and takes less time than writing and judging the schedule did.
                prove(search, Work.DISTANCES, in_time=False)
            return True
        is_hopeless = search.best.schedule is None and search.best.requested_steps is None
        if stage.ends == "this table without a schedule" and is_hopeless:
            return False
    return False


def _solver(search: ShortestSearch, stage: Stage) -> Solver:
    """Return the solver of a stage with its settings."""
    settings = dict(stage.settings)
    if stage.bound_as:
        settings[stage.bound_as] = search.best.lowest
    solver = SOLVERS[stage.solver]
    return replace(solver, **settings) if settings else solver  # type: ignore[type-var]


def share_of(search: ShortestSearch, stage: Stage) -> float:
    """Return the share of the time left that a stage may take."""
    return stage.share[search.best.schedule is not None]


def run_once(search: ShortestSearch, stage: Stage, solver: Solver | None = None) -> None:
    """Run the solver of a stage, or another one in its place, once."""
    attempt = Attempt(solver or _solver(search, stage), search.best.requested_steps, search.seed)
    search.run([attempt], share=share_of(search, stage))


def _run_at_bound(search: ShortestSearch, stage: Stage) -> None:
    search.run([Attempt(_solver(search, stage), search.best.lowest, search.seed)], share=share_of(search, stage))


def _run_in_orders(search: ShortestSearch, stage: Stage) -> None:
    """Run first fit in several orders, as many as take no time."""
    most = max(1, min(stage.orders.stop, MOST_ARRIVALS_IN_ORDERS // search.problem.num_deliveries))
    solver, num_steps = _solver(search, stage), search.best.requested_steps
    search.run(Attempt(solver, num_steps, search.seed + order) for order in range(stage.orders.start, most))


def _repeat_few_pieces(search: ShortestSearch, stage: Stage) -> None:
    """Repeat schedules of a few pieces, at the bound and then at more and more steps, until one succeeds."""
    from pavane.solvers.ejection.repetition import Repetition

    solver = Repetition(_solver(search, stage))
    if not solver.supports(search.problem):
        return
    prove(search, Work.SEARCH)
    more, lowest = 0, search.best.lowest
    while not search.is_over and lowest + more < (search.best.num_steps or 2 * lowest):
        if search.run([Attempt(solver, lowest + more, search.seed)], share=share_of(search, stage)):
            return
        more, lowest = max(1, 2 * more), search.best.lowest


# -- packing


def _pack_along_plans(search: ShortestSearch, stage: Stage) -> None:
    """Fill steps along plans with detours."""
    from pavane.solvers.large_scatter.packing import Packing

    share = share_of(search, stage)
    run_once(search, stage, Packing(**stage.settings, part_of_limit=share, enough=search.best.lowest))


def _pack_orbits(search: ShortestSearch, stage: Stage) -> None:
    """Pack one message of each orbit, where the network has symmetries and that is not part of packing itself."""
    from pavane.solvers.large_scatter.packing import Packing, fills_by_orbits
    from pavane.symmetry.orbits import quotient

    if not fills_by_orbits(search.problem) and quotient(search.problem):
        _shorten_by(search, stage, Packing(**stage.settings, symmetric=True))


def _pack(search: ShortestSearch, stage: Stage) -> None:
    """Shorten the best schedule by packing; the effort of filling is laid out for the time that orbits have left."""
    from pavane.solvers.large_scatter.packing import Packing, fills_by_orbits
    from pavane.symmetry.orbits import quotient

    group = () if fills_by_orbits(search.problem) else quotient(search.problem)
    is_hasty = search.best.result.provenance.solver == "first-fit"
    part = 1.0 - TUNING.half if group else 1.0
    _shorten_by(search, stage, Packing(part_of_limit=part, is_hasty=is_hasty, start=search.best.schedule))


def _shorten_by(search: ShortestSearch, stage: Stage, packing: Packing) -> None:
    """Run packing; with a time limit every worker does, with a seed of its own and shorter and shorter strides.

    The first one fills quickly before it fills with care; the others use all of their time for care. On the largest
    networks workers of this machine fill the same steps together instead.
    """
    from pavane.solvers.large_scatter.packing import is_filled_by_threads

    runs = search.workers.size if search.is_timed else 1
    if runs > 1 and search.workers.is_local and is_filled_by_threads(search.problem):
        runs = 1
    packing = replace(packing, enough=max(search.best.lowest, search.best.requested_steps or 0))
    attempts = []
    for number in range(runs):
        solver = replace(packing, strides=(number + 1) * packing.strides, is_quick_first=number == 0)
        attempts.append(Attempt(solver, search.best.requested_steps, search.seed + number))
    search.run(attempts, share=share_of(search, stage))


# -- walks over numbers of steps


def _walk_upwards(search: ShortestSearch, stage: Stage) -> None:
    """Try every number of steps from the bound upwards until an attempt succeeds."""
    best = search.best
    above = best.num_steps if best.num_steps is not None else (best.requested_steps or 2**31) + 1
    for num_steps in range(best.lowest, above):
        if search.run(_attempts(search, stage, num_steps, range(1)), until_success=True) or search.is_over:
            return


def _walk_downwards(search: ShortestSearch, stage: Stage) -> None:
    """Try one step less than the best, with several seeds, until none succeeds."""
    while not search.is_over and search.best.num_steps is not None:
        most = stage.most_searches
        first = 2 if stage.solver == "time-ejection" else 1
        numbers = count(first) if most is None else range(first, first + most)
        attempts = iter(_attempts(search, stage, search.best.num_steps - 1, numbers))
        while not search.is_over:
            batch = list(islice(attempts, 2 * search.workers.size))
            if not batch:
                return
            if search.run(batch, until_success=True):
                break


def _close_in(search: ShortestSearch, stage: Stage) -> None:
    """Try the bound, then the middle between what failed and what was found, until they meet."""
    _bisect(search, stage, search.best.lowest)


def _halve(search: ShortestSearch, stage: Stage) -> None:
    """Try the middle between what failed and what was found, until they meet.

    Where an attempt that fails takes far longer than one that succeeds, the bound is not tried first.
    """
    best = search.best
    _bisect(search, stage, (best.lowest + (best.num_steps or best.lowest)) // 2)


def _bisect(search: ShortestSearch, stage: Stage, num_steps: int) -> None:
    best = search.best
    failed = best.lowest - 1
    while not search.is_over:
        above = best.num_steps if best.num_steps is not None else (best.requested_steps or 0) + 1
        if num_steps >= above:
            return
        if not search.run(_attempts(search, stage, num_steps, range(2)), until_success=True):
            failed = num_steps
        above = best.num_steps or above
        num_steps = max(failed + 1, (failed + above) // 2)


def _decide(search: ShortestSearch, stage: Stage) -> None:
    """Decide fewer steps than the best, one number at a time from the bound upwards."""
    best, solver = search.best, _solver(search, stage)
    for num_steps in range(best.lowest, best.num_steps or best.lowest + 1):
        if search.run([Attempt(solver, num_steps, search.seed)], share=share_of(search, stage)) or search.is_over:
            return
        if best.lowest <= num_steps:
            return  # neither found nor refuted: more steps would prove nothing


def _attempts(search: ShortestSearch, stage: Stage, num_steps: int, numbers: Iterable[int]) -> Iterator[Attempt]:
    """Yield attempts at a number of steps, each number with its own seed."""
    if stage.solver in ("translation", "rarest-first", "trees"):
        return (Attempt(_solver(search, stage), num_steps, search.seed + number) for number in numbers)
    if stage.solver == "time-ejection":
        return _attempts_through_time(search, num_steps, numbers)
    return _attempts_on_paths(search, num_steps, numbers, stage.settings["most_trials"])


def _attempts_on_paths(
    search: ShortestSearch, num_steps: int, numbers: Iterable[int], trials: int
) -> Iterator[Attempt]:
    """Yield ejection searches, with symmetry where there is one and along picked paths where detours are allowed."""
    from pavane.solvers.ejection.ejection import Ejection, symmetries_of

    symmetric = bool(symmetries_of(search.problem))
    mirrored = Ejection(paths="mirrored", most_trials=trials)
    if symmetric and search.problem.rules.has_slots:
        # Groups are larger in slots, and searches that many times quicker.
        yield from (Attempt(mirrored, num_steps, search.seed + number) for number in numbers)
        return
    for number in numbers:
        # What has a symmetry and resisted the quick attempts mostly needs the symmetry.
        if not symmetric or number % 4 == 0:
            yield Attempt(Ejection(most_trials=trials), num_steps, search.seed + number)
        if symmetric:
            yield Attempt(mirrored, num_steps, search.seed + number)
        if search.problem.rules.routing == "any":
            planned = Ejection(**PLANNED_PATHS, most_trials=trials)
            yield Attempt(planned, num_steps, search.seed + number)


def _attempts_through_time(search: ShortestSearch, num_steps: int, numbers: Iterable[int]) -> Iterator[Attempt]:
    """Yield ejection searches through time and plans by turns, along shortest paths and with detours."""
    from pavane.solvers.ejection.planned import Planned
    from pavane.solvers.ejection.time_ejection import TimeEjection

    is_light = search.problem.num_messages * num_steps <= TUNING.messages_in_steps
    for number in numbers:
        if is_light:
            solver = TimeEjection(detour=number % 2, most_cells=5 * TUNING.glance_cells * (1 + number))
            yield Attempt(solver, num_steps, search.seed + number)
        yield Attempt(Planned(goal=num_steps, detour=1 + number % 2), num_steps, search.seed + 1 + number)


WALKS: dict[str, Walk] = {
    "as few as it can": run_once,
    "as few as it can, in several orders": _run_in_orders,
    "as few as it can, along plans with detours": _pack_along_plans,
    "as few as it can, one message of each orbit": _pack_orbits,
    "as few as it can, from the best schedule": _pack,
    "the bound": _run_at_bound,
    "the bound and more, a few pieces at a time": _repeat_few_pieces,
    "from the bound upwards": _walk_upwards,
    "one less than the best, repeatedly": _walk_downwards,
    "between the bound and the best": _close_in,
    "halfway to the bound, repeatedly": _halve,
    "from the bound upwards, until one is undecided": _decide,
}
