"""Lines about numbers of steps: solved with `auto`, or studied with one of the papers' algorithms."""

from __future__ import annotations

import time
from functools import cache
from typing import Any

from papers.paper_table import PaperLine, RedoOptions
from papers.verdicts import EQUAL, IMPOSSIBLE, WORSE, Figure, rate_mark, steps_mark
from pavane.bounds import counted_bounds, explain
from pavane.judge.result import Result
from pavane.model.problem import Problem
from pavane.search.fewest_steps import find_or_interrupt
from pavane.search.options import SearchOptions


def steps_line(
    where: str,
    problem: Problem,
    ours: RedoOptions,
    figure: Figure,
    *,
    reading: str = "",
    facts: dict[str, Any] | None = None,
    note: str = "",
) -> PaperLine:
    """Redo one number of steps: solve, compare with the paper's, and say why ours is a bound.

    `reading` is what was decided where the paper is silent; the rules of the problem are added to it.
    """
    requested_steps = None
    if ours.solver is not None:
        if not ours.solver.supports(problem):
            return PaperLine(
                where, str(figure), "-", "", {}, f"{ours.solver.name} does not do this one; {note}".rstrip("; ")
            )
        requested_steps = figure.steps if figure.steps is not None else figure.bound
        if ours.seeds and requested_steps is not None:
            return _studied(
                PaperLine(where, str(figure), "", "", facts or {}, note, reading),
                problem,
                ours,
                figure,
                requested_steps,
            )
    result, seconds = solved(problem, ours, requested_steps)
    return solved_line(where, result, seconds, figure, reading=reading, facts=facts, note=note)


@cache
def solved(problem: Problem, ours: RedoOptions, num_steps: int | None = None) -> tuple[Result, float]:
    """Solve a problem, once for all the tables that need it, and say how long one core took."""
    started = time.process_time()
    result = find_or_interrupt(
        problem,
        SearchOptions(
            seed=ours.seed, seconds=ours.seconds, evaluations=ours.evaluations if ours.solver is not None else None
        ),
        solver=ours.solver,
        num_steps=num_steps,
    )
    return result, time.process_time() - started


def solved_line(
    where: str,
    result: Result,
    seconds: float,
    figure: Figure,
    *,
    reading: str = "",
    facts: dict[str, Any] | None = None,
    note: str = "",
) -> PaperLine:
    """Compare a result with what the paper prints."""
    lower = 0 if result.bound is None else result.bound.figure
    reached = result.num_steps
    shown = "-" if reached is None else str(reached) if reached == lower else f"{lower}/{reached}"
    columns = {
        "bound": lower,
        "why": "" if result.bound is None else explain(result.problem, result.bound),
        "proven": result.has_least_figure,
        "routing": result.problem.rules.routing,
        "method": result.provenance.solver,
        "seconds": round(seconds, 2),
        **_success(figure),
        **(facts or {}),
    }
    mark = steps_mark(figure, reached, lower)
    if mark == IMPOSSIBLE:
        reading = _reading(result.problem, reading)
        if reached is not None and figure.bound is not None and reached < figure.bound:
            note = f"a schedule of {reached} steps lies below the paper's lower bound {figure.bound}; {note}".rstrip(
                "; "
            )
    return PaperLine(where, str(figure), shown, mark, columns, note, reading if mark == IMPOSSIBLE else "")


def _success(figure: Figure) -> dict[str, str]:
    if figure.success is None:
        return {}
    return {"paper's success": f"{figure.success} %", "paper's algorithm": figure.algorithm}


def _reading(problem: Problem, decided: str) -> str:
    """Return all that a contradiction of the paper rests on: what was decided, and the rules."""
    relays = "any processor that holds a copy may send it on"
    private = "a private message goes in one transfer"
    parts = (decided, str(problem.rules), relays if problem.pattern == "broadcast" else private)
    return "; ".join(part for part in parts if part)


def _studied(line: PaperLine, problem: Problem, ours: RedoOptions, figure: Figure, num_steps: int) -> PaperLine:
    """Run one of the papers' algorithms with many seeds, as gecco07 Table 2 does, and compare success rates.

    Where the paper prints no rate, one success shows that its number of steps can be reached.
    """
    from pavane.campaign.solver_study import study

    assert ours.solver is not None
    lower = counted_bounds(problem)[0]
    if lower.figure > num_steps:
        why = {"bound": lower.figure, "why": explain(problem, lower), "method": ours.solver.name, **line.facts}
        return PaperLine(line.where, line.paper, "-", IMPOSSIBLE, why, line.note, _reading(problem, line.reading))
    studied = study(
        problem,
        [ours.solver],
        SearchOptions(seconds=ours.seconds, evaluations=ours.evaluations, workers=ours.workers),
        num_steps=num_steps,
        seeds=ours.seeds,
    )
    if studied.num_missing:
        raise KeyboardInterrupt
    (summary,) = studied.summaries()
    if summary.rate is None or summary.interval is None:
        broken = f"{ours.solver.name} broke in every run; {line.note}".rstrip("; ")
        return PaperLine(
            line.where, line.paper, "-", WORSE, {"runs": 0, "errors": summary.errors, **line.facts}, broken
        )
    low, high = summary.interval
    found = {
        "success": f"{100 * summary.rate:.0f} %",
        "interval": f"{100 * low:.0f}-{100 * high:.0f} %",
        "evaluations": None if summary.evaluations is None else round(summary.evaluations),
        "runs": summary.runs,
        "errors": summary.errors or None,
        "method": ours.solver.name,
        **_success(figure),
        **line.facts,
    }
    if figure.success is not None:
        mark = rate_mark(figure.success, summary.successes, summary.runs)
    else:
        mark = EQUAL if summary.successes else WORSE
    shown = f"{num_steps} / {summary.successes} of {summary.runs}"
    return PaperLine(line.where, line.paper, shown, mark, found, line.note)
