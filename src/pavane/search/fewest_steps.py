"""One search for few steps: bounds first, then solvers, until the best schedule meets the best bound.

An interrupt (Ctrl-C) ends the search: `find_fewest_steps` then returns the best schedule so far as `interrupted`, and
`find_or_interrupt` raises the interrupt.
"""

from __future__ import annotations

import difflib
from dataclasses import replace
from functools import partial
from typing import Any

from pavane.bounds.registry import Work
from pavane.errors import InputError
from pavane.judge.result import Result
from pavane.model.allreduce import phases
from pavane.model.problem import Problem
from pavane.search.options import SearchOptions
from pavane.search.portfolio import try_all
from pavane.search.search_run import Attempt, Search
from pavane.search.shortest import Shortest, ShortestSearch, prove, start_from
from pavane.search.size import too_large, too_long
from pavane.search.tuning import TUNING, Effort
from pavane.solvers import SOLVERS, Solver


def solver_named(name: str) -> Solver:
    """Return a solver of the registry."""
    if name in SOLVERS:
        return SOLVERS[name]
    several = [each.strip() for each in name.split(",")]
    if len(several) > 1 and all(each in SOLVERS for each in several):
        listed = " ".join(f"`method` {each}" for each in several)
        raise InputError(f"unknown method {name!r}; name one, or in a study several: {listed}")
    near = difflib.get_close_matches(name, SOLVERS, n=3)
    hint = f"did you mean {' or '.join(near)}?" if near else f"choose auto or {', '.join(SOLVERS)}"
    raise InputError(f"unknown method {name!r}; {hint}")


def find_fewest_steps(
    problem: Problem,
    options: SearchOptions = SearchOptions(),
    *,
    method: str = "auto",
    solver: Solver | None = None,
    num_steps: int | None = None,
    start: Result | None = None,
) -> Result:
    """Do what `solve` does where few steps are wanted, whatever the TCO of the schedule."""
    if num_steps is not None and num_steps < 1:
        raise InputError(f"steps {num_steps}: a schedule has at least one step; give 1 or more")
    problem.check_size()
    chosen = solver if solver is not None or method == "auto" else solver_named(method)
    parts = phases(problem) if _is_in_phases(problem, chosen) else (problem,)
    if chosen is not None and (refusals := list(filter(None, map(chosen.supports.why_not, parts)))):
        is_whole = "allreduce" in chosen.supports.takes
        why = (chosen.supports.why_not(problem) if is_whole else None) or refusals[0]
        raise InputError(f"method {chosen.name} cannot work on {problem}: {why}; try `method='auto'`")
    best = Shortest(problem, "auto" if chosen is None else chosen.name, num_steps, options.seed)
    search = Search(problem, best, options)
    if start is not None:
        start_from(search, start)
    try:
        _go(search, chosen)
    except KeyboardInterrupt:
        search.take_reported()
        if best.num_steps is None:
            raise
        return search.present(best.result).amended(interrupted=True)
    if chosen is None and best.num_steps is None and not best.is_settled:
        _answer_late(search)
    return _with_bound_on_tco(search.present(best.result))


def _answer_late(search: ShortestSearch) -> None:
    """If the deadline passed without a schedule, run first fit anyway where it takes milliseconds.

    A busy machine may have had no time for a problem of a few messages.
    """
    if search.problem.num_deliveries > TUNING.small or search.best.shortfall:
        return
    search.budget = replace(search.budget, deadline=None)

    def first_fit(search: ShortestSearch) -> None:
        search.run([Attempt(SOLVERS["greedy"], search.best.requested_steps, search.seed)])

    if search.problem.pattern == "allreduce":
        from pavane.search.phases import join_phases

        join_phases(search, first_fit)
    elif SOLVERS["greedy"].supports(search.problem):
        first_fit(search)


def _is_in_phases(problem: Problem, chosen: Solver | None) -> bool:
    """Return whether an allreduce is searched for in its two phases; some solvers take it as a whole."""
    if problem.pattern != "allreduce":
        return False
    return chosen is None or not ("allreduce" in chosen.supports.takes and chosen.supports(problem))


def _with_bound_on_tco(result: Result) -> Result:
    """Return a result under combining with what counting says about its TCO, where that takes no time."""
    problem, num_steps = result.problem, result.num_steps
    if not problem.rules.combining or num_steps is None or problem.num_deliveries > Effort.most_deliveries_bounded:
        return result
    from pavane.bounds.occupancy import occupancy_bound

    return result.amended(bounds=(*result.bounds, occupancy_bound(problem, num_steps, 0.0)))


def find_or_interrupt(problem: Problem, options: SearchOptions = SearchOptions(), **settings: Any) -> Result:
    """Do what `find_fewest_steps` does as one of many searches, and raise the interrupt that ended the search."""
    result = find_fewest_steps(problem, options, **settings)
    if result.interrupted:
        raise KeyboardInterrupt
    return result


def _go(search: ShortestSearch, chosen: Solver | None) -> None:
    """Prove quick bounds, search for a schedule, then prove the bounds that take longer."""
    if search.best.has_fewest_steps:
        return  # nothing is left to find
    refusal = too_large(search.problem) or too_long(search.problem, search.budget.seconds_left)
    is_urgent = search.budget.deadline is not None and search.problem.num_deliveries > TUNING.few
    prove(search, Work.COUNT if is_urgent or refusal else Work.SPLIT)
    if refusal is not None:
        search.best.shortfall = (refusal,)
        return
    if search.best.is_impossible:
        return
    if _is_in_phases(search.problem, chosen):
        from pavane.search.phases import try_phases

        try_phases(search, partial(_go, chosen=chosen))
    elif chosen is None:
        try_all(search)
    else:
        search.run([Attempt(chosen, search.best.requested_steps, search.seed, is_chosen=True)])
    prove(search, Work.SEARCH)
