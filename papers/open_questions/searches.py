"""One search of an open question: the figures that its row stores, and how they are written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from papers.open_questions.question import Row
from pavane.bounds import explain
from pavane.judge.result import Provenance, Result
from pavane.judge.verdict import Verdict
from pavane.model.problem import Problem
from pavane.search.fewest_steps import find_or_interrupt
from pavane.search.options import SearchOptions
from pavane.text import counted


def solved(problem: Problem, limits: SearchOptions, *stricter: Result) -> Result:
    """Return the best result of a problem; where the time was too short for a schedule, first fit has one.

    `stricter` are results of problems that forbid more, as shortest paths and narrower channels do: their schedules are
    schedules of this problem, too, which the judge confirms.
    """
    taken = [
        Result(problem, other.schedule, provenance=Provenance(other.provenance.solver))
        for other in stricter
        if other.schedule is not None
    ]
    known = min(taken, key=lambda result: result.num_steps or 0) if taken else None
    found = find_or_interrupt(problem, SearchOptions(seed=limits.seed, seconds=limits.seconds), start=known)
    if found.schedule is not None:
        return found
    first_fit = find_or_interrupt(problem, SearchOptions(seed=limits.seed), method="greedy")
    return first_fit.amended(bounds=(*found.bounds, *first_fit.bounds))


def figures(result: Result) -> Row:
    """Return the figures of a result that a row stores: bound, steps, and why there is no schedule of fewer.

    The judge has `checked` the certificate of a bound, unless it rests on a search through all schedules.
    """
    bound = result.bound
    return {
        "bound": 0 if bound is None else bound.figure,
        "steps": result.num_steps,
        "why": "" if bound is None else explain(result.problem, bound),
        "checked": bound is not None and Verdict(result.problem, bound, result.num_steps).is_proven,
    }


def is_proven(figure: Row) -> bool:
    """Return whether the steps meet their bound."""
    return bool(figure["bound"] == figure["steps"])


def written(figure: Row | None) -> str:
    """Write steps as the page on the papers does: one number where they are proven, else bound/steps."""
    if figure is None:
        return ""
    return str(figure["steps"]) if is_proven(figure) else f"{figure['bound']}/{figure['steps']}"


def proof_of(figures_by_name: Iterable[tuple[str, Row]]) -> str:
    """State how many figures are proven and how, and list those that are open."""
    named = list(figures_by_name)
    proven = [figure for _, figure in named if is_proven(figure)]
    still = [f"{words}: {written(figure)}" for words, figure in named if not is_proven(figure)]
    searched_through = sum(not figure["checked"] for figure in proven)
    how_many = f"{len(proven)} of {counted(len(named), 'figure')}" if still else f"All {counted(len(named), 'figure')}"
    by_search = (
        f" (in {searched_through} of them by a search through all schedules instead)" if searched_through else ""
    )
    rest = f" Open are {listed(still)}." if still else ""
    return f"{how_many} are proven optimal: a lower bound that the judge checks meets each{by_search}.{rest}"


def listed(words: Sequence[str]) -> str:
    """Join words as a sentence does."""
    return " and ".join([*([", ".join(words[:-1])] if len(words) > 1 else []), *words[-1:]])


def arrange(rows: Iterable[tuple[Row, Row]]) -> list[Row]:
    """Return a line for each description, with the figures of all rows that have it side by side."""
    lines: dict[tuple[object, ...], Row] = {}
    for about, cells in rows:
        lines.setdefault(tuple(about.values()), about).update(cells)
    return list(lines.values())
