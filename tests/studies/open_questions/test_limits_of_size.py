"""How large networks may be for the papers' algorithms."""

from __future__ import annotations

from typing import Any

import pytest

from pavane.studies.open_questions.limits_of_size import (
    MEMBERS,
    QUESTION,
    Case,
    chain,
    goals_of,
    is_reached,
    largest,
    member,
    problem_on,
)


def _found(processors: int, successes: list[int], failures: list[int], bound: int = 8) -> dict[str, Any]:
    goal = {"steps": bound, "successes": successes, "failures": failures, "conflicts": 0}
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
    ("successes", "failures", "verdict"),
    [
        ([5, 900], [], True),
        ([5, 2_000], [], True),
        ([2_000, 3_000], [], False),
        ([], [1_000, 1_000], False),
        ([], [1_000, 400], None),
        ([], [300, 400], None),
        ([5], [400], True),
    ],
)
def test_half_of_the_runs_decide(successes: list[int], failures: list[int], verdict: bool | None) -> None:
    """Within a thousand evaluations; a run that the clock ended before says nothing."""
    assert is_reached(_found(8, successes, failures), "bound", 1_000) is verdict


def test_the_largest_is_that_before_the_first_that_is_missed() -> None:
    """A plus says that nobody knows about the next one."""
    row = {"members": [_found(4, [1, 1], []), _found(8, [9, 9], []), _found(16, [], [10**7, 10**7])]}
    assert largest(row, "bound", 10**6) == "8"
    assert largest(row, "near", 10**6) == "8"
    assert largest(row, "bound", 10**8) == "8+"
    assert largest(row, "bound", 5) == "4"
    assert largest({"members": row["members"][:2]}, "bound", 10**6) == "8+"
    assert largest({"members": row["members"][2:]}, "bound", 10**6) == "-"


def test_larger_networks_are_not_tried_where_no_run_succeeds() -> None:
    """A chain ends with the first failure."""
    asked = []

    def made(spec: str) -> dict[str, Any]:
        asked.append(spec)
        return _found(len(asked), [1] if len(asked) < 3 else [], [10**6])

    row = chain(Case("ring", "AAS", "umda"), made)
    assert asked == ["ring:4", "ring:6", "ring:8"]
    assert len(row["members"]) == 3


def test_runs_are_made() -> None:
    """UMDA finds the four rings of an allgather at once; auto proves them."""
    found = member(Case("ring", "AAB", "umda"), "ring:4", 1_000, None)
    assert found["goals"]["bound"]["steps"] == found["bound"] == 2
    assert len(found["goals"]["bound"]["successes"]) == 2
    assert member(Case("ring", "AAB", "auto"), "ring:6", 1, None)["steps"] == 3


def test_the_answer_says_what_rows_say() -> None:
    """Every number comes from a row."""
    rows = [
        {"family": "ring", "collective": "AAS", "method": "umda", "members": [_found(4, [1, 1], [])]},
        {"family": "ring", "collective": "AAS", "method": "auto", "members": [{**_found(4, [], []), "steps": 8}]},
    ]
    for row in rows:
        if row["method"] == "auto":
            del row["members"][0]["goals"]  # type: ignore[attr-defined]
    assert "AAS on ring networks: umda 4+; auto 4+." in QUESTION.answer(rows)
    assert "of 3 verdicts" in QUESTION.proof(rows)
    line, _ = QUESTION.table(rows)
    assert (line["at the bound, 10^6"], line["within 5 %, 10^8"]) == ("4+", "4+")
