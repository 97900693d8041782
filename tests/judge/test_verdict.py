"""What the judge says about a claim: proven, or claimed and why no more."""

from __future__ import annotations

from fractions import Fraction

import pytest

from pavane.judge.verdict import Verdict
from pavane.model.bound import Bound
from tests.problems import problem_of

RING = problem_of("ring:8", "AAS", ports=1, combining=True)


@pytest.mark.parametrize(
    ("bound", "text"),
    [
        (Bound(3, "growth", {"origin": 0}), "proven"),
        (Bound(1, "growth", {"origin": 0}), "proven"),
        (Bound(4, "growth", {"origin": 0}), "claimed, not proven: its certificate proves 3 steps only"),
        (Bound(3, "growth", {"origin": 8}), "processor 8 has no message"),
        (Bound(3, "magic", {}), "claimed, not proven: bound 'magic' is of no known kind, so it cannot be checked"),
        (
            Bound(3, "exhaustive", {}),
            "claimed, not proven: it rests on an exhaustive search, which leaves nothing to check",
        ),
        (Bound(12, "moves", {"side": "origins"}, objective="tco", num_steps=3), "proven"),
        (
            Bound(13, "moves", {"side": "origins"}, objective="tco", num_steps=3),
            "claimed, not proven: its certificate proves TCO 12 only",
        ),
        (
            Bound(12, "moves", {"side": "origins"}, objective="tco", num_steps=4),
            "claimed, not proven: it is about schedules of other than 3 start-ups",
        ),
        (Bound(12, "exhaustive", {}, objective="tco", num_steps=3), "rests on an exhaustive search"),
    ],
    ids=str,
)
def test_what_the_judge_says(bound: Bound, text: str) -> None:
    """A bound is proven where its certificate proves the figure; else it is said why it is a claim."""
    verdict = Verdict(RING, bound, 3)
    assert text in str(verdict)
    assert verdict.is_proven == (text == "proven")


def test_what_is_wrong_is_said_shortly() -> None:
    """Whatever stands in a certificate, what is wrong with it fits into a line."""
    deep: list[object] = []
    for _ in range(5000):
        deep = [deep]
    for junk in ("x" * 10**6, deep, {"a\n" * 1000: 1}):
        said = str(Verdict(RING, Bound(3, "growth", {"origin": junk}), 3))
        assert len(said) < 300
        assert said.isprintable()


def test_a_fraction_is_held_against_what_is_proven() -> None:
    """Twelve arrivals over eight channels are three halves, which round up to two steps and are no two themselves."""
    problem = problem_of("ring:4", "AAB")
    assert Verdict(problem, Bound(2, "volume", {}, exact=Fraction(3, 2)), None).objection == ""
    claimed = Verdict(problem, Bound(2, "volume", {}, exact=Fraction(2)), None)
    assert claimed.objection == "its certificate proves 3/2 before rounding up, not 2"
