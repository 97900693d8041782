"""Question 4: how large networks may be for the papers' algorithms (gecco08 section 6)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import takewhile
from typing import Any, NamedTuple

from papers.islands.trials import trials_on_islands
from papers.open_questions.question import Row, with_texts
from papers.open_questions.searches import listed
from papers.problems import catalogue
from pavane.bounds import lower_bounds
from pavane.campaign.runs import RunLine
from pavane.campaign.solver_study import study
from pavane.model.collectives import named
from pavane.model.problem import Problem
from pavane.search.fewest_steps import find_or_interrupt
from pavane.search.options import SearchOptions
from pavane.solvers import SOLVERS

MEMBERS = {
    "hypercube": ("hypercube:2", "hypercube:3", "hypercube:4", "hypercube:5", "hypercube:6"),
    "Kautz": ("kautz:2,2", "kautz:3,2", "kautz:4,2", "kautz:2,4", "kautz:5,2", "kautz:3,3"),
    "ring": ("ring:4", "ring:6", "ring:8", "ring:10", "ring:12", "ring:16", "ring:24", "ring:32"),
}
"""Of each family, the smallest first."""

KINDS = {"umda": ("AAB", "AAS"), "ga": ("AAB", "AAS"), "mboa": ("AAS",), "hgsa": ("AAB",), "auto": ("AAB", "AAS")}
"""The collectives of each method: the papers have no broadcasts of many by MBOA, and no scatters by HGSA."""

BUDGETS = {10**6: "10^6", 10**7: "10^7", 10**8: "10^8"}
"""The evaluations of a run at which it is looked at."""

ISLAND = min(BUDGETS)
"""The evaluations of one population: a search with more of them has several, islands, and ends with the first success.

They need nothing of each other, so that they can live side by side, on a GPU for instance.
"""

FEW = 10
"""Islands after which it is enough, if half of them succeed."""

COOLING = ("hgsa",)
"""Methods that cool down over all their evaluations, so that a search with more of them is one longer run."""

COOLED = {10**6: 10, 10**7: 4, 10**8: 2}
"""How many such runs are made."""

GOALS = {"bound": "at the bound", "near": "within 5 %"}
SECONDS = 10.0
"""For a search of `auto`."""


class LimitCase(NamedTuple):
    """A family of networks, a collective and a method."""

    family: str
    kind: str
    method: str


class MethodEffort(NamedTuple):
    """What may be spent on a network."""

    evaluations: int = 10**7
    """For one search."""
    seconds: float | None = None
    """For one run; None: counted effort, so that the answer repeats."""
    device: str = "cpu"
    workers: int = 1


def problem_on(spec: str, kind: str) -> Problem:
    """Return a collective on a network, as the papers have it: wormhole, all-port, shortest paths."""
    network = catalogue(spec)
    return Problem(network, named(kind, network))


def goals_of(bound: int) -> dict[str, int]:
    """Return the requested steps; five per cent of less than twenty is nothing."""
    near = bound * 105 // 100
    return {"bound": bound} | ({"near": near} if near > bound else {})


def member(case: LimitCase, spec: str, effort: MethodEffort) -> Row:
    """Return how many searches of a method succeed on one network."""
    problem = problem_on(spec, case.kind)
    bound = lower_bounds(problem)[0].figure
    about: Row = {"network": spec, "processors": problem.network.num_processors, "bound": bound}
    if case.method == "auto":
        result = find_or_interrupt(problem, SearchOptions(seconds=SECONDS))
        return {**about, "steps": result.num_steps, "solver": result.provenance.solver}
    solver: Any = SOLVERS[case.method]
    goals = {}
    for name, steps in goals_of(bound).items():

        def made(seeds: Sequence[int], evaluations: int, steps: int = steps) -> list[RunLine]:
            """Make runs; return those that ended by themselves, up to the first that the time limit ended."""
            options = SearchOptions(seconds=effort.seconds, evaluations=evaluations, workers=effort.workers)
            runs: Sequence[RunLine]
            if effort.device == "gpu":
                runs = trials_on_islands(problem, solver, steps, seeds, options.budget())
            else:
                runs = study(problem, [solver], options, num_steps=steps, seeds=seeds).runs
            return list(takewhile(lambda run: run.is_success or (run.evaluations or 0) >= evaluations, runs))

        goals[name] = {"steps": steps, **(_cooled if case.method in COOLING else _on_islands)(made, effort)}
    return {**about, "goals": goals}


def _on_islands(made: Callable[[Sequence[int], int], list[RunLine]], effort: MethodEffort) -> Row:
    """Make a few islands or, where these are not enough, all; put them together to searches."""
    most = effort.evaluations // ISLAND
    # A GPU takes no longer for many than for few.
    at_once = FEW if effort.device == "cpu" else most
    runs: list[RunLine] = []
    while len(runs) < most and not _is_settled(runs):
        seeds = range(len(runs), min(most, len(runs) + at_once))
        runs += made(seeds, ISLAND)
        if len(runs) < seeds.stop:
            break
    runs = runs[:FEW] if _is_settled(runs[:FEW]) else runs
    successes = [(run.seed, run.evaluations) for run in runs if run.is_success]
    searches = {}
    for budget in BUDGETS:
        size = budget // ISLAND
        won = {number // size for number, _ in successes}
        # One island that succeeds is a search that does.
        searches[str(budget)] = (len(won), max(len(won), len(runs) // size))
    return {"searches": searches, "islands": len(runs), "successes": successes, "conflicts": _left(runs)}


def _cooled(made: Callable[[Sequence[int], int], list[RunLine]], effort: MethodEffort) -> Row:
    """Make runs with more and more evaluations, until half of them succeed."""
    searches, runs = {}, []
    for budget, number in COOLED.items():
        if budget <= effort.evaluations:
            runs = made(range(number), budget)
            won = sum(run.is_success for run in runs)
            searches[str(budget)] = (won, len(runs))
            if 2 * won >= number:
                break
    return {"searches": searches, "conflicts": _left(runs)}


def _left(runs: Sequence[RunLine]) -> int | None:
    """Return the fewest conflicts of those that did not succeed."""
    return min((run.conflicts for run in runs if run.conflicts), default=None)


def _is_settled(runs: Sequence[RunLine]) -> bool:
    """Return whether a few islands were run and half of them succeed, so that more would not change the verdict."""
    return len(runs) >= FEW and 2 * sum(run.is_success for run in runs) >= len(runs)


def is_beyond(found: Row) -> bool:
    """Return whether no run succeeded on a network, not even near the bound, so that larger ones are not tried."""
    return "goals" in found and not any(won for goal in found["goals"].values() for won, _ in goal["searches"].values())


def chain(case: LimitCase, made: Callable[[str], Row]) -> Row:
    """Return what a method reaches on the networks of a family, up to the first on which no run succeeds."""
    members = []
    for spec in MEMBERS[case.family]:
        members.append(made(spec))
        if is_beyond(members[-1]):
            break
    return {"family": case.family, "collective": case.kind, "method": case.method, "members": members}


def _row(case: LimitCase, limits: SearchOptions) -> Row:
    return chain(case, lambda spec: member(case, spec, MethodEffort(seconds=limits.seconds)))


# -- what rows say


def is_reached(found: Row, goal: str, budget: int) -> bool | None:
    """Return whether at least half of the searches reach a goal within a budget; None without a search.

    What fewer evaluations reach, more do, too.
    """
    if "steps" in found:
        most = goals_of(found["bound"]).get(goal, found["bound"])
        return found["steps"] is not None and bool(found["steps"] <= most)
    searches = found["goals"].get(goal, found["goals"]["bound"])["searches"]
    won, made = searches.get(str(budget), (0, 0))
    if (made and 2 * won >= made) or (budget > min(BUDGETS) and is_reached(found, goal, budget // 10)):
        return True
    return False if made else None


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
    sentences = []
    for kind in ("AAB", "AAS"):
        for family in MEMBERS:
            of_kind = [row for row in rows if (row["collective"], row["family"]) == (kind, family)]
            reached = [
                f"{row['method']} {largest(row, 'bound', max(BUDGETS))}" for row in of_kind if row["method"] != "auto"
            ]
            ours = [largest(row, "bound", max(BUDGETS)) for row in of_kind if row["method"] == "auto"]
            if reached and ours:
                sentences.append(f"{kind} on {family} networks: {listed(reached)}; auto {ours[0]}.")
    return (
        "The most processors on which at least half of the searches are at the bound after a hundred million "
        f"evaluations, and on which auto is after {SECONDS:g} s: {' '.join(sentences)}"
    )


def _proof(rows: Sequence[Row]) -> str:
    runs = [found for row in rows for found in row["members"] if "goals" in found]
    ended = sum(is_reached(found, "bound", budget) is None for found in runs for budget in BUDGETS)
    searches = sum(made for found in runs for goal in found["goals"].values() for _, made in goal["searches"].values())
    return (
        "A schedule at the bound is proven optimal. That a method does not reach it is an observation of "
        f"{searches:,} searches; of {len(BUDGETS) * len(runs)} verdicts on a method, a network and a number of "
        f"evaluations {ended} are open, because there was not the time for one search."
    )


QUESTION = with_texts(
    4,
    (LimitCase(family, kind, method) for family in MEMBERS for method in KINDS for kind in KINDS[method]),
    _row,
    _answer,
    _proof,
    _table,
)
