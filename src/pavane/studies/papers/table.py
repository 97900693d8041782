"""A table of a paper: how it is redone, line by line, and how a line compares with what is printed."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from pavane.bounds import explain
from pavane.judge.result import Result
from pavane.model.problem import Problem
from pavane.search.fewest_steps import searched
from pavane.solvers import Solver

BETTER, EQUAL, WORSE, IMPOSSIBLE, NEW = "better", "equal", "worse", "cannot be as printed", "new"


@dataclass(frozen=True)
class Ours:
    """How to redo a table: with `auto`, or with one of the papers' own algorithms, then as studies over seeds."""

    solver: Solver | None = None
    seeds: int = 0
    """So many runs of `solver` for each figure; 0: one, for the figure alone."""
    evaluations: int = 1_000_000
    """The most evaluations of each of those runs."""
    seed: int = 0
    seconds: float | None = None
    """The most for one figure; None: counted effort, so that the answer repeats."""
    workers: int = 1
    """Processes for the runs of a study."""


@dataclass(frozen=True)
class Line:
    """One figure: where it stands, what the paper says, what we say, and how the two compare."""

    where: str
    paper: str
    """The paper's own figure, as printed."""
    ours: str
    mark: str = ""
    facts: dict[str, Any] = field(default_factory=dict)
    """Further columns, in their order."""
    note: str = ""

    def columns(self) -> dict[str, Any]:
        """Return the line as a row of a table."""
        return {
            "where": self.where,
            "paper": self.paper,
            "ours": self.ours,
            "mark": self.mark,
            **self.facts,
            "note": self.note,
        }


@dataclass(frozen=True)
class Table:
    """A table of a paper and how it is redone."""

    paper: str
    number: str
    title: str
    redo: Callable[[Ours], Iterator[Line]]

    @property
    def name(self) -> str:
        """Return how the table is called on the command line."""
        return f"{self.paper} {self.number}"


def steps_line(
    where: str,
    problem: Problem,
    ours: Ours,
    *,
    bound: int | None = None,
    value: int | None = None,
    facts: dict[str, Any] | None = None,
    note: str = "",
) -> Line:
    """Redo one number of steps: solve, compare with the paper's bound and value, and say why ours is a bound."""
    printed = _printed(bound, value)
    asked = value if ours.solver is not None and value is not None else bound if ours.solver is not None else None
    if ours.solver is not None and not ours.solver.supports(problem):
        return Line(where, printed, "-", "", {}, f"{ours.solver.name} does not do this one; {note}".rstrip("; "))
    if ours.solver is not None and ours.seeds and asked is not None:
        return _studied(where, printed, problem, ours, asked, facts or {}, note)
    result, seconds = solved(problem, ours, asked)
    return solved_line(where, result, seconds, bound=bound, value=value, facts=facts, note=note)


@cache
def solved(problem: Problem, ours: Ours, num_steps: int | None = None) -> tuple[Result, float]:
    """Solve a problem, once for all the tables that ask for it, and say how long it took."""
    started = time.monotonic()
    result = searched(
        problem,
        solver=ours.solver,
        num_steps=num_steps,
        seed=ours.seed,
        seconds=ours.seconds,
        evaluations=ours.evaluations if ours.solver is not None else None,
    )
    return result, time.monotonic() - started


def _printed(bound: int | None, value: int | None) -> str:
    """Write a bound and a value as the papers do: both if they differ."""
    if bound is None and value is None:
        return "-"
    if bound is None or value is None or bound == value:
        return str(bound if value is None else value)
    return f"{bound}/{value}"


def solved_line(
    where: str,
    result: Result,
    seconds: float,
    *,
    bound: int | None = None,
    value: int | None = None,
    facts: dict[str, Any] | None = None,
    note: str = "",
) -> Line:
    """Compare a result with what the paper prints."""
    printed = _printed(bound, value)
    lower = 0 if result.bound is None else result.bound.steps
    reached = result.num_steps
    shown = "-" if reached is None else str(reached) if reached == lower else f"{lower}/{reached}"
    goal = value if value is not None else bound
    told = {
        "bound": lower,
        "why": "" if result.bound is None else explain(result.problem, result.bound),
        "proven": result.has_fewest_steps,
        "routing": result.problem.rules.routing,
        "method": result.provenance.solver,
        "seconds": round(seconds, 2),
        **(facts or {}),
    }
    return Line(where, printed, shown, mark_of(reached, goal, lower), told, note)


def mark_of(reached: int | None, printed: int | None, lower: int = 0) -> str:
    """Compare what we reach with what is printed; below a proven bound it cannot be."""
    if printed is not None and lower > printed:
        return IMPOSSIBLE
    if reached is None:
        return "" if printed is None else WORSE
    if printed is None:
        return NEW
    return EQUAL if reached == printed else BETTER if reached < printed else WORSE


def _studied(
    where: str, printed: str, problem: Problem, ours: Ours, num_steps: int, facts: dict[str, Any], note: str
) -> Line:
    """Run one of the papers' algorithms with many seeds, as gecco07 Table 2 does."""
    from pavane.studies.trials import study

    assert ours.solver is not None
    made = study(
        problem,
        [ours.solver],
        num_steps=num_steps,
        seeds=ours.seeds,
        evaluations=ours.evaluations,
        seconds=ours.seconds,
        workers=ours.workers,
    )
    if not made.is_complete:
        raise KeyboardInterrupt
    (told,) = made.summaries()
    rate = told.rate or 0.0
    low, high = told.interval or (0.0, 0.0)
    spread = told.evaluations
    found = {
        "success": f"{100 * rate:.0f} %",
        "interval": f"{100 * low:.0f}-{100 * high:.0f} %",
        "evaluations": None if spread is None else round(spread.median),
        "runs": told.runs,
        "method": ours.solver.name,
        **facts,
    }
    shown = f"{num_steps} / {100 * rate:.0f} %"
    return Line(where, printed, shown, EQUAL if told.successes else WORSE, found, note)
