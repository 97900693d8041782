"""Turns a problem into a result: the default of the command line, the page and Python.

Most problems need as few steps as possible. Under combining there is no one best schedule: which is the fastest depends
on the size of messages (noc section 3). So a front of start-ups and TCO is searched for then, unless a method or a
number of steps is given, and `solve` returns its fastest schedule where a message takes as long as a start-up.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from pavane.errors import InputError, expect, expect_whole, shortened
from pavane.jit import clock
from pavane.judge.result import Result
from pavane.model.problem import Problem
from pavane.search.fewest_steps import find_fewest_steps
from pavane.search.options import SearchOptions, check_solver, seconds_left
from pavane.search.size import is_table_wanted
from pavane.search.tables import is_table_enough, solve_by_table
from pavane.solvers import Solver


def solve(
    problem: Problem,
    options: SearchOptions = SearchOptions(),
    *,
    method: str = "auto",
    solver: Solver | None = None,
    num_steps: int | None = None,
    start: Result | None = None,
    form: Literal["table"] | None = None,
) -> Result:
    """Find a schedule of few steps, of at most `num_steps`, or that ends early, and prove how good it is.

    An interrupt (Ctrl-C) ends the search: the result is the best so far and `interrupted`; with nothing found the
    interrupt is raised. Under combining, with neither a method nor a number of steps, the result is the schedule of
    the Pareto front that is the fastest where a message takes as long as a start-up; `pareto_front` returns them all.

    Args:
        problem: The problem.
        options: How to search: seed, limits, workers and callbacks.
        method: The name of a solver, or `"auto"`, which tries several.
        solver: A solver with settings of its own, like UMDA(polish=4); it takes precedence over the method.
        num_steps: Maximum number of steps.
        start: A result of the same problem from which the search starts; it may be a table.
        form: `"table"` for the table of one router, which all do translated; by default a schedule is written out
            unless it would be too large.

    Returns:
        The result: a verified schedule, or none, with the bounds that prove how good it is.

    Example:
        >>> problem = pavane.Problem(pavane.network("octagon"), "alltoall")
        >>> pavane.solve(problem)
        <Result: alltoall (AAS) on octagon in 4 steps, optimal>
        >>> pavane.solve(problem, num_steps=3)
        <Result: no schedule of alltoall (AAS) on octagon in 3 steps, impossible>
    """
    expect(problem, Problem, "problem", "make one, like `pavane.Problem('octagon', 'alltoall')`")
    expect(options, SearchOptions, "options", "say them like `pavane.SearchOptions(seconds=10)`")
    if num_steps is not None:
        expect_whole(num_steps, "num_steps", 4)
    is_chosen = method != "auto" or bool(solver or start or form)
    if problem.has_several:
        return _solved_together(problem, options, num_steps, is_chosen)
    if options.goal != "makespan":
        raise InputError("`goal` is about several collectives at once; leave it out")
    if problem.has_times:
        return _solved_in_time(problem, options, is_chosen or num_steps is not None)
    if solver is not None:
        check_solver(solver)
    expect(start, (Result, type(None)), "start", "give a result of the same problem")
    expect(method, str, "method", "name a solver, like auto, or give one as `solver`")
    if form not in ("table", None):
        raise InputError(f"`form` {shortened(form)} is not known; give 'table', or leave it out")
    is_free = method == "auto" and solver is None and start is None
    if form == "table" and not is_free:
        raise InputError("a table has no solver to choose and no start; leave out the method, or the form")
    if form == "table" or (is_free and is_table_wanted(problem, options.seconds)):
        begun, start = clock.now(), solve_by_table(problem, num_steps, options.on_progress)
        if form is not None or (start is not None and is_table_enough(start, options.seconds)):
            return _known(start, problem)
        options = replace(options, seconds=seconds_left(options.seconds, clock.now() - begun))
    if is_front_wanted(problem, method if solver is None else solver.name, num_steps):
        from pavane.search.pareto_search import fastest_of_front

        return fastest_of_front(problem, options)
    found = find_fewest_steps(problem, options, method=method, solver=solver, num_steps=num_steps, start=start)
    return _or_table(found) if is_free else found


def _solved_together(problem: Problem, options: SearchOptions, num_steps: int | None, is_chosen: bool) -> Result:
    """Return the result of several collectives at once, whose search has no solver, start or form to choose."""
    from pavane.search.several import solve_several

    if is_chosen:
        raise InputError("several collectives at once have no method, start or form to choose; leave it out")
    return solve_several(problem, options, num_steps, solve)


def _solved_in_time(problem: Problem, options: SearchOptions, is_chosen: bool) -> Result:
    """Return the result with start times, whose search has no solver, steps, start or form to choose."""
    from pavane.search.timed import solve_in_time

    if is_chosen:
        raise InputError("start times have no method, number of steps, start or form to choose; leave it out")
    return solve_in_time(problem, options, solve)


def _or_table(found: Result) -> Result:
    """Return a result, or where no schedule was found a table, which is made in a moment where one is known."""
    if found.num_steps is not None or found.status == "impossible":
        return found
    return solve_by_table(found.problem, found.requested_steps) or found


def _known(table: Result | None, problem: Problem) -> Result:
    """Return a table that was requested, if there is one."""
    if table is None:
        raise InputError(f"no table is known for {problem}; leave out the form, and a schedule is written out")
    return table


def is_front_wanted(problem: Problem, method: str, num_steps: int | None) -> bool:
    """Whether there is no one best schedule: under combining, where neither a method nor a number of steps is named."""
    return problem.rules.combining and method == "auto" and num_steps is None
