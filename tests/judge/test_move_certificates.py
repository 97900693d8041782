"""Certificates of bounds on the occupancy: counted again, and refused where they make no sense."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pavane.bounds.occupancy import occupancy_bounds
from pavane.errors import InputError
from pavane.judge.certificates import proven
from pavane.model.bound import Bound
from pavane.model.collectives import pairs
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from tests.bounds.tiny import tiny_problems
from tests.judge.forging import JUNK, forged
from tests.problems import problem_of


def priced(*channels: list[int]) -> dict[str, Any]:
    """Return a certificate with prices on channels alone."""
    return {"channels": list(channels), "injection": [], "ejection": []}


@pytest.mark.parametrize(
    ("kind", "argument", "certificate", "text"),
    [
        ("AAS", "channel-prices", priced([1, 99]), "does not exist"),
        ("AAS", "channel-prices", priced([-1, 0]), "whole number"),
        ("AAS", "channel-prices", priced(), "prices nothing"),
        ("AAB", "channel-prices", priced([1, 0]), "private"),
        ("AAB", "cut", {"routers": [7]}, "do not exist"),
        ("AAB", "cut", {}, "no known kind"),
        ("AAS", "moves", {"side": "origins"}, "for a number of start-ups"),
        ("AAS", "start-ups", {}, "cannot be read"),
    ],
)
def test_spoilt_certificates_prove_nothing(kind: str, argument: str, certificate: dict[str, Any], text: str) -> None:
    """A certificate that makes no sense is refused, with a line that says why."""
    problem = problem_of("ring:4", kind, ports=1, combining=True)
    with pytest.raises(InputError, match=text):
        proven(problem, Bound(99, argument, certificate, objective="tco"))


def test_a_certificate_is_not_believed_but_counted() -> None:
    """Figures that a certificate claims do not matter: the checker counts its own."""
    problem = problem_of("ring:8", "AAS", ports=1, combining=True)
    boast = Bound(99, "moves", {"side": "origins", "moves": 10**6, "per-step": 1}, objective="tco", num_steps=3)
    assert proven(problem, boast) == 12


@given(tiny_problems(combining=(True,)), st.data())
def test_forged_certificates_prove_less_or_nothing(problem: Problem, data: st.DataObject) -> None:
    """Whatever is put into a certificate, it is refused in words or proves a number; it never breaks the judge."""
    bound = data.draw(st.sampled_from(occupancy_bounds(problem)))
    spoilt = Bound(99, bound.argument, data.draw(forged(bound.certificate)), objective="tco", num_steps=bound.num_steps)
    with suppress(InputError):
        assert proven(problem, spoilt) >= 0


@pytest.mark.parametrize("junk", JUNK, ids=repr)
def test_inner_certificates_are_read_with_the_same_care(junk: Any) -> None:
    """The bound on start-ups inside a bound on the occupancy is refused where it is none."""
    problem = problem_of("ring:4", "AAS", ports=1, combining=True)
    with pytest.raises(InputError):
        proven(problem, Bound(9, "start-ups", {"start-ups": junk}, objective="tco"))
    inner = {"steps": 9, "argument": "growth", "certificate": junk}
    with pytest.raises(InputError):
        proven(problem, Bound(9, "start-ups", {"start-ups": inner}, objective="tco"))


def test_without_combining_nothing_is_checked() -> None:
    """Bounds on the occupancy are about combining."""
    with pytest.raises(InputError, match="bounds on the occupancy are about combining"):
        proven(problem_of("ring:4", "AAB", Rules()), Bound(1, "volume", {}, objective="tco"))


def test_moves_are_counted_where_everybody_can_move() -> None:
    """Somebody without a port, and start-ups that are too few for any schedule, are told."""
    lonely = Network("lonely", 3, [(0, 1), (1, 0)])
    problem = Problem(lonely, pairs([(0, 1)]), Rules(combining=True))
    moves = Bound(1, "moves", {"side": "origins"}, objective="tco", num_steps=1)
    with pytest.raises(InputError, match="a processor has no port"):
        proven(problem, moves)
    with pytest.raises(InputError, match="1 start-ups are too few for any schedule"):
        proven(problem_of("ring:8", "AAS", ports=1, combining=True), moves)
