"""A result holds no schedule that the judge refuses, and derives its status."""

from __future__ import annotations

import pickle
from dataclasses import replace
from fractions import Fraction

import pytest

from pavane.bounds import counted_bounds
from pavane.errors import InvalidSchedule
from pavane.judge.certificates import proven_exactly
from pavane.judge.result import Provenance, Result
from pavane.model.bound import Bound
from pavane.model.collectives import broadcast
from pavane.model.problem import Problem, Rules
from pavane.model.schedule import Schedule, Transfer
from pavane.networks import network
from tests.problems import problem_of

LINE = network("line:3")
PROBLEM = Problem(LINE, broadcast(LINE))
RIGHT, FAR = LINE.out_channels[0][0], next(c for c in LINE.out_channels[1] if LINE.heads[c] == 2)
SHORT = Schedule.from_transfers([Transfer(0, 0, 1, (RIGHT,), (0,)), Transfer(1, 1, 2, (FAR,), (0,))])


def bound(steps: int) -> Bound:
    """Return a bound of so many steps."""
    return Bound(steps, "growth", {"origin": 0, "informed": [1, 2]})


def test_an_invalid_schedule_makes_no_result() -> None:
    """A schedule that breaks a rule raises InvalidSchedule, which names the rule and says what is wrong."""
    text = r"^the schedule breaks a rule \(never-delivered\): message 0 never reaches processor 2$"
    with pytest.raises(InvalidSchedule, match=text):
        Result(PROBLEM, Schedule.from_transfers([Transfer(0, 0, 1, (RIGHT,), (0,))]))


def test_a_replaced_schedule_is_judged_again() -> None:
    """A result cannot be given an invalid schedule later, either."""
    good = Result(PROBLEM, SHORT)
    with pytest.raises(InvalidSchedule, match="never-delivered"):
        replace(good, schedule=Schedule.from_transfers([Transfer(0, 0, 1, (RIGHT,), (0,))]))


@pytest.mark.parametrize(
    ("schedule", "bounds", "asked", "status"),
    [
        (SHORT, (bound(2),), None, "optimal"),
        (SHORT, (bound(1), bound(2)), 5, "optimal"),
        (SHORT, (bound(1),), None, "feasible"),
        (SHORT, (), None, "feasible"),
        (None, (bound(2),), 1, "impossible"),
        (None, (bound(2),), 2, "unknown"),
        (None, (bound(2),), None, "unknown"),
        (None, (), 1, "unknown"),
    ],
)
def test_status_is_derived(
    schedule: Schedule | None, bounds: tuple[Bound, ...], asked: int | None, status: str
) -> None:
    """As short as the highest bound is optimal, longer is feasible; without a schedule a bound may say impossible."""
    assert Result(PROBLEM, schedule, bounds, requested_steps=asked).status == status


LINE_STORED = Problem(LINE, broadcast(LINE), Rules(switching="store-and-forward", ports=1))
BY_DISTANCE = Bound(2, "distance", {"from": 0, "to": 2})


@pytest.mark.parametrize(
    ("claims", "status", "unproven"),
    [
        ((BY_DISTANCE,), "optimal", []),
        ((BY_DISTANCE, bound(99)), "optimal", []),
        ((replace(BY_DISTANCE, figure=3),), "feasible", [3]),
        ((replace(BY_DISTANCE, figure=1),), "feasible", []),
        ((replace(BY_DISTANCE, certificate={"from": 0, "to": 1}),), "feasible", [2]),
        ((Bound(2, "exhaustive", {}), Bound(4, "magic", {})), "feasible", [4]),
        ((), "feasible", []),
    ],
)
def test_a_claim_counts_if_the_judge_proves_it(claims: tuple[Bound, ...], status: str, unproven: list[int]) -> None:
    """What a file claims is checked when the status is asked for; what is not proven does not count."""
    result = Result(LINE_STORED, SHORT, claims=claims)
    assert (result.status, [verdict.bound.figure for verdict in result.unproven]) == (status, unproven)
    assert result.known_bounds == tuple(claim for claim in claims if claim == BY_DISTANCE or claim.figure == 1)
    proven = "optimal (certificate)" if status == "optimal" else status
    assert result.status_text == (
        f"feasible (a bound of {unproven[0]} steps is claimed, not proven)" if unproven else proven
    )


def test_how_an_optimum_is_known() -> None:
    """A certificate comes before a search; a search that only a file claims was not repeated, and is no proof."""
    searched = Bound(2, "exhaustive", {})
    texts = [
        Result(LINE_STORED, SHORT, (searched,)).status_text,
        Result(LINE_STORED, SHORT, (searched, BY_DISTANCE)).status_text,
        Result(LINE_STORED, SHORT, (searched,), claims=(BY_DISTANCE,)).status_text,
        Result(LINE_STORED, SHORT, claims=(searched,)).status_text,
        Result(LINE_STORED, SHORT, claims=(replace(searched, figure=3),)).status_text,
    ]
    assert texts == [
        "optimal (by search)",
        "optimal (certificate)",
        "optimal (certificate)",
        "optimal (by search, not repeated here)",
        "feasible (a bound of 3 steps is claimed, not proven)",
    ]
    assert Result(LINE_STORED, SHORT, claims=(searched,)).status == "feasible"


def test_claims_are_not_checked_before_somebody_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Making a result of a file checks no certificate, the status checks what it needs, and each once."""
    asked = []

    def counting(problem: Problem, claim: Bound) -> Fraction:
        asked.append(claim.figure)
        return proven_exactly(problem, claim)

    monkeypatch.setattr("pavane.judge.verdict.proven_exactly", counting)
    claims = tuple(replace(BY_DISTANCE, figure=steps) for steps in (1, 2, 3))
    result = Result(LINE_STORED, SHORT, claims=claims)
    assert result.num_steps == 2
    assert asked == []
    assert (result.status, result.status) == ("optimal", "optimal")
    assert asked == [3, 2]
    assert result.amended(notes=("a note",)).status == "optimal"
    assert asked == [3, 2]
    assert result.amended(claims=claims[:1]).status == "feasible"


def test_under_combining_it_is_said_what_is_optimal() -> None:
    """Start-ups and TCO are two figures: a schedule is optimal where no schedule is better in either."""
    problem = problem_of("line:3", "OAB", combining=True)
    by_growth = counted_bounds(problem)
    least = Bound(2, "start-ups", {}, objective="tco", num_steps=2)
    nothing, both = Result(problem, SHORT), Result(problem, SHORT, (*by_growth, least))
    start_ups, tco = Result(problem, SHORT, by_growth), Result(problem, SHORT, (least,))
    assert [result.status for result in (nothing, start_ups, tco, both)] == ["feasible"] * 3 + ["optimal"]
    assert [result.optimal for result in (nothing, start_ups, tco, both)] == [
        (),
        ("start-ups",),
        ("TCO",),
        ("start-ups", "TCO"),
    ]
    assert [result.status_text for result in (nothing, start_ups, tco, both)] == [
        "feasible",
        "optimal in start-ups",
        "optimal in TCO",
        "optimal in start-ups and TCO (certificate)",
    ]
    other = Result(problem, SHORT, (*by_growth, Bound(9, "start-ups", {}, objective="tco", num_steps=9)))
    assert (other.occupancy_bound, other.optimal) == (None, ("start-ups",))


def test_results_are_values() -> None:
    """Equal results are equal, also after pickling; the provenance is part of them."""
    result = Result(PROBLEM, SHORT, counted_bounds(PROBLEM), Provenance("hand", 3, 0.5, "1"))
    assert pickle.loads(pickle.dumps(result)) == result
    assert replace(result, provenance=Provenance("hand", 4)) != result
    assert Result(PROBLEM, SHORT).provenance == Provenance("unknown", 0, 0.0, "")
