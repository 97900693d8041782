"""How large networks may be for the papers' algorithms."""

from collections.abc import Callable, Collection
from types import SimpleNamespace
from typing import Any

import pytest
from papers.open_questions.limits_of_size import (
    MEMBERS,
    QUESTION,
    LimitCase,
    MethodEffort,
    chain,
    goals_of,
    is_reached,
    largest,
    member,
    problem_on,
)

from papers.open_questions import limits_of_size
from pavane.campaign.runs import RunLine
from pavane.model.problem import Problem
from pavane.parallel.budget import Budget
from pavane.search.options import SearchOptions


def _found(processors: int, searches: dict[int, tuple[int, int]], bound: int = 8) -> dict[str, Any]:
    told = {str(budget): counts for budget, counts in searches.items()}
    goal = {"steps": bound, "searches": told, "conflicts": 0}
    return {"network": "ring", "processors": processors, "bound": bound, "goals": {"bound": goal}}


def test_families_grow() -> None:
    """The smallest first, and the papers' networks among them."""
    for specs in MEMBERS.values():
        sizes = [problem_on(spec, "AAB").network.num_processors for spec in specs]
        assert sizes == sorted(sizes)
        assert len(set(sizes)) == len(sizes)
    assert {"hypercube:5", "kautz:3,2", "kautz:3,3", "ring:8"} <= {spec for specs in MEMBERS.values() for spec in specs}


@pytest.mark.parametrize(("bound", "near"), [(19, None), (20, 21), (34, 35), (128, 134)])
def test_five_per_cent_of_few_steps_is_nothing(bound: int, near: int | None) -> None:
    """A second goal is asked for where it differs from the first."""
    assert goals_of(bound).get("near") == near


@pytest.mark.parametrize(
    ("searches", "verdict"),
    [
        *[({10**6: (5, 10)}, True), ({10**7: (5, 10)}, True), ({10**6: (10, 10), 10**7: (0, 1)}, True)],
        *[({10**6: (9, 10)}, True), ({10**7: (4, 10)}, False), ({10**7: (0, 1)}, False), ({10**6: (4, 10)}, None)],
        *[({10**6: (4, 10), 10**7: (0, 0)}, None), ({10**8: (1, 1)}, None)],
    ],
)
def test_half_of_the_searches_decide(searches: dict[int, tuple[int, int]], verdict: bool | None) -> None:
    """Within ten million evaluations; what a million reach, more do, too; where there was no search nobody knows."""
    assert is_reached(_found(8, searches), "bound", 10**7) is verdict


def test_the_largest_is_that_before_the_first_that_is_missed() -> None:
    """A plus says that nobody knows about the next one."""
    sure, late, never = {10**6: (10, 10)}, {10**6: (0, 10), 10**7: (1, 1)}, {10**6: (0, 10), 10**7: (0, 1)}
    row = {"members": [_found(4, sure), _found(8, late), _found(16, never)]}
    assert largest(row, "bound", 10**6) == "4"
    assert largest(row, "bound", 10**7) == "8"
    assert largest(row, "near", 10**7) == "8"
    assert largest(row, "bound", 10**8) == "8+"
    assert largest({"members": row["members"][:2]}, "bound", 10**7) == "8+"
    assert largest({"members": row["members"][2:]}, "bound", 10**6) == "-"


def test_larger_networks_are_not_tried_where_no_run_succeeds() -> None:
    """A chain ends with the first failure."""
    asked = []

    def made(spec: str) -> dict[str, Any]:
        asked.append(spec)
        return _found(len(asked), {10**6: (1 if len(asked) < 3 else 0, 10)})

    row = chain(LimitCase("ring", "AAS", "umda"), made)
    assert asked == ["ring:4", "ring:6", "ring:8"]
    assert len(row["members"]) == 3


def test_runs_are_made() -> None:
    """UMDA finds the four rings of an allgather at once, so that a few islands are enough; auto proves them."""
    found = member(LimitCase("ring", "AAB", "umda"), "ring:4", MethodEffort(evaluations=10**8))
    told = found["goals"]["bound"]
    assert told["steps"] == found["bound"] == 2
    assert told["searches"] == {"1000000": (10, 10), "10000000": (1, 1), "100000000": (1, 1)}
    assert [number for number, _ in told["successes"]] == list(range(10))
    assert member(LimitCase("ring", "AAB", "auto"), "ring:6", MethodEffort())["steps"] == 3


def test_islands_make_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of thirty islands the twelfth and the last succeed: two of thirty searches, two of three, and one that is."""
    monkeypatch.setattr(limits_of_size, "study", _study_with({11, 29}))
    told = member(LimitCase("ring", "AAS", "umda"), "ring:8", MethodEffort(evaluations=3 * 10**7))["goals"]["bound"]
    assert told["searches"] == {"1000000": (2, 30), "10000000": (2, 3), "100000000": (1, 1)}
    assert (told["islands"], told["conflicts"]) == (30, 4)


def test_islands_that_the_clock_has_ended_do_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor do those after the first of them."""
    monkeypatch.setattr(limits_of_size, "study", _study_with({0}, ended={13}))
    told = member(LimitCase("ring", "AAS", "umda"), "ring:8", MethodEffort(evaluations=10**8))["goals"]["bound"]
    assert told["searches"] == {"1000000": (1, 13), "10000000": (1, 1), "100000000": (1, 1)}


def test_what_cools_down_gets_longer_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """HGSA succeeds with ten million moves here: then it is not asked for more."""
    asked: list[tuple[int, int]] = []
    monkeypatch.setattr(limits_of_size, "study", _study_with({0, 1}, asked=asked))
    told = member(LimitCase("ring", "AAB", "hgsa"), "ring:8", MethodEffort(evaluations=10**8))["goals"]["bound"]
    assert told["searches"] == {"1000000": (2, 10), "10000000": (2, 4)}
    assert asked == [(10**6, 10), (10**7, 4)]


@pytest.mark.parametrize("device", ["cpu", "gpu"])
def test_searches_are_made_where_they_are_asked_for(device: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """On the device that the effort names."""
    asked: list[str] = []
    usual = _study_with(set(range(10)))

    def on_processors(problem: Problem, solvers: list[Any], options: SearchOptions, **rest: Any) -> Any:
        asked.append("cpu")
        return usual(problem, solvers, options, **rest)

    def on_islands(problem: Problem, solver: Any, num_steps: int, seeds: Any, budget: Budget) -> Any:
        asked.append("gpu")
        options = SearchOptions(evaluations=budget.evaluations)
        return usual(problem, [solver], options, num_steps=num_steps, seeds=seeds).runs

    monkeypatch.setattr(limits_of_size, "study", on_processors)
    monkeypatch.setattr(limits_of_size, "trials_on_islands", on_islands)
    member(LimitCase("ring", "AAB", "umda"), "ring:4", MethodEffort(device=device))
    assert set(asked) == {device}


def _study_with(
    successes: set[int], ended: Collection[int] = (), asked: list[tuple[int, int]] | None = None
) -> Callable[..., SimpleNamespace]:
    """Return a study in which some seeds succeed, the clock ends some, and all others have four conflicts left."""

    def made(_: Problem, solvers: list[Any], options: SearchOptions, *, num_steps: int, seeds: range) -> Any:
        evaluations = options.evaluations
        assert evaluations is not None
        if asked is not None:
            asked.append((evaluations, len(seeds)))
        runs = []
        for seed in seeds:
            spent, left = (500, 0) if seed in successes else (700 if seed in ended else evaluations, 4)
            steps = num_steps if seed in successes else None
            runs.append(
                RunLine(method=solvers[0].name, seed=seed, figure=steps, evaluations=spent, trace=((spent, left),))
            )
        return SimpleNamespace(runs=tuple(runs))

    return made


def test_the_answer_says_what_rows_say() -> None:
    """Every number comes from a row."""
    rows = [
        {"family": "ring", "collective": "AAS", "method": "umda", "members": [_found(4, {10**6: (1, 1)})]},
        {"family": "ring", "collective": "AAS", "method": "auto", "members": [{**_found(4, {}), "steps": 8}]},
    ]
    for row in rows:
        if row["method"] == "auto":
            del row["members"][0]["goals"]  # type: ignore[attr-defined]
    assert "AAS on ring networks: umda 4+; auto 4+." in QUESTION.answer(rows)
    assert "of 3 verdicts" in QUESTION.proof(rows)
    line, _ = QUESTION.table(rows)
    assert (line["at the bound, 10^6"], line["within 5 %, 10^8"]) == ("4+", "4+")
