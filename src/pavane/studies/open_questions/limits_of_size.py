"""Question 4: how large networks may be for the papers' algorithms (gecco08 section 6)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from pavane.bounds import lower_bounds
from pavane.model.collectives import named
from pavane.model.problem import Problem
from pavane.search.fewest_steps import searched
from pavane.solvers import SOLVERS
from pavane.studies.open_questions.question import Limits, Question, Row
from pavane.studies.open_questions.searches import listed
from pavane.studies.papers.problems import catalogue
from pavane.studies.trials import study

MEMBERS = {
    "hypercube": ("hypercube:2", "hypercube:3", "hypercube:4", "hypercube:5", "hypercube:6"),
    "Kautz": ("kautz:2,2", "kautz:3,2", "kautz:4,2", "kautz:2,4", "kautz:5,2", "kautz:3,3"),
    "ring": ("ring:4", "ring:6", "ring:8", "ring:10", "ring:12", "ring:16", "ring:24", "ring:32"),
}
"""Of each family, the smallest first."""

KINDS = {"umda": ("AAB", "AAS"), "ga": ("AAB", "AAS"), "mboa": ("AAS",), "hgsa": ("AAB",), "auto": ("AAB", "AAS")}
"""What each method is asked for: the papers have no broadcasts of many by MBOA, and no scatters by HGSA."""

BUDGETS = {10**6: "10^6", 10**7: "10^7", 10**8: "10^8"}
"""The evaluations of a run at which it is looked at."""

GOALS = {"bound": "at the bound", "near": "within 5 %"}
RUNS = 2
SECONDS = 10.0
"""For a search of `auto`."""


class Case(NamedTuple):
    """A family of networks, a collective and a method."""

    family: str
    kind: str
    method: str


def problem_on(spec: str, kind: str) -> Problem:
    """Return a collective on a network, as the papers have it: wormhole, all-port, shortest paths."""
    network = catalogue(spec)
    return Problem(network, named(kind, network))


def goals_of(bound: int) -> dict[str, int]:
    """Return the steps that are asked for; five per cent of less than twenty is nothing."""
    near = bound * 105 // 100
    return {"bound": bound} | ({"near": near} if near > bound else {})


def member(case: Case, spec: str, evaluations: int, seconds: float | None, device: str = "cpu") -> Row:
    """Return how many evaluations the runs of a method made on one network, with success and without."""
    problem = problem_on(spec, case.kind)
    bound = lower_bounds(problem)[0].steps
    about: Row = {"network": spec, "processors": problem.network.num_processors, "bound": bound}
    if case.method == "auto":
        result = searched(problem, seconds=SECONDS)
        return {**about, "steps": result.num_steps, "solver": result.provenance.solver}
    solver: Any = SOLVERS[case.method]
    if device != "cpu":
        solver = replace(solver, device=device)
    made = {}
    for name, steps in goals_of(bound).items():
        runs = study(problem, [solver], num_steps=steps, seeds=RUNS, evaluations=evaluations, seconds=seconds).runs
        made[name] = {
            "steps": steps,
            "successes": sorted(run.evaluations or 0 for run in runs if run.is_success),
            "failures": sorted(run.evaluations or 0 for run in runs if not run.is_success),
            "conflicts": min((run.conflicts for run in runs if run.conflicts is not None), default=None),
        }
    return {**about, "goals": made}


def is_beyond(found: Row) -> bool:
    """Tell whether no run succeeded on a network, not even near the bound, so that larger ones are not tried."""
    return "goals" in found and not any(goal["successes"] for goal in found["goals"].values())


def chain(case: Case, made: Callable[[str], Row]) -> Row:
    """Return what a method reaches on the networks of a family, up to the first on which no run succeeds."""
    members = []
    for spec in MEMBERS[case.family]:
        members.append(made(spec))
        if is_beyond(members[-1]):
            break
    return {"family": case.family, "collective": case.kind, "method": case.method, "members": members}


def _row(case: Case, limits: Limits) -> Row:
    evaluations = min(BUDGETS) if limits.seconds is None else max(BUDGETS)
    return chain(case, lambda spec: member(case, spec, evaluations, limits.seconds))


# -- what rows say


def is_reached(found: Row, goal: str, budget: int) -> bool | None:
    """Tell whether at least half of the runs reach a goal within a budget; None where the clock ended too many."""
    if "steps" in found:
        most = goals_of(found["bound"]).get(goal, found["bound"])
        return found["steps"] is not None and bool(found["steps"] <= most)
    told = found["goals"].get(goal, found["goals"]["bound"])
    soon = sum(count <= budget for count in told["successes"])
    late = sum(count > budget for count in told["successes"]) + sum(count >= budget for count in told["failures"])
    runs = len(told["successes"]) + len(told["failures"])
    return True if 2 * soon >= runs else False if 2 * late > runs else None


def largest(row: Row, goal: str, budget: int) -> str:
    """Return the processors of the largest network of a chain on which a goal is reached.

    A plus says that the next larger one is not decided, or that there is none.
    """
    reached, is_open = 0, True
    for found in row["members"]:
        verdict = is_reached(found, goal, budget)
        if not verdict:
            is_open = verdict is None
            break
        reached = found["processors"]
    return f"{reached or '-'}{'+' if is_open else ''}"


def _table(rows: Sequence[Row]) -> list[Row]:
    return [
        {
            "network": row["family"],
            "collective": row["collective"],
            "method": f"`{row['method']}`",
            **{f"{words}, {power}": _cell(row, goal, budget) for goal, words, budget, power in _columns()},
        }
        for row in rows
    ]


def _columns() -> Iterator[tuple[str, str, int, str]]:
    for goal, words in GOALS.items():
        for budget, power in BUDGETS.items():
            yield goal, words, budget, power


def _cell(row: Row, goal: str, budget: int) -> str:
    """Return a figure; `auto` counts no evaluations, so that it has one figure for all."""
    return largest(row, goal, budget) if row["method"] != "auto" or budget == min(BUDGETS) else ""


def _answer(rows: Sequence[Row]) -> str:
    told = []
    for kind in ("AAB", "AAS"):
        for family in MEMBERS:
            those = [row for row in rows if (row["collective"], row["family"]) == (kind, family)]
            said = [f"{row['method']} {largest(row, 'bound', 10**7)}" for row in those if row["method"] != "auto"]
            ours = [largest(row, "bound", 10**7) for row in those if row["method"] == "auto"]
            if said and ours:
                told.append(f"{kind} on {family} networks: {listed(said)}; auto {ours[0]}.")
    return (
        "The most processors on which at least half of the runs are at the bound after ten million evaluations, and on "
        f"which auto is after {SECONDS:g} s: {' '.join(told)}"
    )


def _proof(rows: Sequence[Row]) -> str:
    runs = [found for row in rows for found in row["members"] if "goals" in found]
    ended = sum(is_reached(found, "bound", budget) is None for found in runs for budget in BUDGETS)
    return (
        "A schedule at the bound is proven optimal. That a method does not reach it is an observation of "
        f"{RUNS} runs each, of one population without restarts; of {len(BUDGETS) * len(runs)} verdicts on a method, a "
        f"network and a number of evaluations {ended} are open, because the clock ended runs before they had made them."
    )


QUESTION = Question(
    number=4,
    title="How large may networks be for evolutionary search?",
    asked=(
        "gecco08 (section 6) expects future research to show up to which size of networks evolutionary techniques "
        "reach, run in parallel."
    ),
    how=(
        "Networks of three families, the smallest first, until no run succeeds. UMDA, MBOA, HGSA and GA with the "
        "papers' settings; an evaluation of HGSA is a move. The figures are processors: of the largest network on "
        "which, and on all smaller ones, at least half of the runs reach the bound, or five per cent above it, within "
        "so many evaluations. A plus: the next larger one is not decided within the time that was given, or there is "
        "no larger one among those tried (64 processors on hypercubes, 36 on Kautz networks, 32 on rings)."
    ),
    cases=tuple(Case(family, kind, method) for family in MEMBERS for method in KINDS for kind in KINDS[method]),
    row=_row,
    answer=_answer,
    proof=_proof,
    table=_table,
)
