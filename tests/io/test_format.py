"""A claim becomes a result: the schedule is judged, and bounds stay claims."""

from __future__ import annotations

from dataclasses import replace

from pavane.io import parse_schedule, schedule_bytes
from pavane.judge.result import Provenance, Result
from pavane.model.bound import Bound
from pavane.search.synthesis import solve
from pavane.text import counted
from tests.problems import problem_of

BEST = solve(problem_of("ring:4", "AAS"))
SEARCHED = Bound(2, "exhaustive", {"method": "cp-sat", "steps": 1})


def test_bounds_of_a_file_stay_claims() -> None:
    """Nothing of a file counts as made here, its provenance least of all; what the judge proves counts."""
    claim = parse_schedule(schedule_bytes(BEST), "s.json")
    result = claim.result()
    assert (result.bounds, result.claims) == ((), BEST.bounds)
    assert (result.status, result.known_bounds) == ("optimal", BEST.bounds)
    assert result.provenance.is_claimed
    assert not BEST.provenance.is_claimed


def test_a_search_of_our_own_is_believed_and_a_certificate_is_not() -> None:
    """In a file that this program has kept, what cannot be checked is believed; what can be is checked."""
    lie = replace(BEST.bounds[0], figure=9)
    kept = Result(BEST.problem, BEST.schedule, (lie, SEARCHED), Provenance("cp-sat"))
    claim = parse_schedule(schedule_bytes(kept), "s.json")
    own, other = claim.result(is_own=True), claim.result()
    assert (own.status, own.known_bounds, own.provenance.is_claimed) == ("optimal", (SEARCHED,), False)
    assert (other.status, other.known_bounds) == ("feasible", ())
    assert other.status_text == "feasible (a bound of 9 steps is claimed, not proven)"


def test_its_short_form_says_that_nothing_is_judged() -> None:
    """What it is about, and how much it claims."""
    claim = parse_schedule(schedule_bytes(BEST), "s.json")
    about, bounds = (
        f"{BEST.problem.collective.title} on {BEST.problem.network.name}",
        counted(len(claim.bounds), "bound"),
    )
    assert repr(claim) == f"<Claim: {about} in {counted(BEST.num_steps or 0, 'step')}, {bounds}, not judged>"
