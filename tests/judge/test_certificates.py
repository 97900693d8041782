"""Certificates prove what they claim, and tampered ones prove less or nothing."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pavane.bounds import counted_bounds
from pavane.bounds.registry import ARGUMENT_OF, ARGUMENTS
from pavane.errors import InputError
from pavane.judge.certificates import proven_steps
from pavane.model.bound import Bound
from pavane.model.collectives import broadcast
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from tests.bounds.exhaustive import fewest_steps
from tests.bounds.tiny import tiny_problems
from tests.bounds.told import bound_of
from tests.judge.forging import forged
from tests.problems import problem_of

RULES = (Rules(), Rules(ports=1, duplex="half"), Rules(switching="store-and-forward"), Rules(combining=True))
KINDS = ("OAB", "OAS", "AAB", "AAS", "AOG", "AOR", "AAR")


def on_mesh(kind: str, rules: Rules = RULES[0]) -> Problem:
    """Return a collective on a small mesh."""
    return problem_of("mesh:3x3", kind, rules)


# -- honest certificates


@pytest.mark.parametrize("text", ["mesh:3x3", "kautz:2,2", "fat-octagon:2", "coated-mesh:3x3", "ring:5,oneway"])
def test_every_bound_of_every_kind_is_proven(text: str) -> None:
    """Each bound's certificate proves exactly its steps, also after a trip through JSON."""
    arguments = set()
    for kind, rules in product(KINDS, RULES):
        problem = problem_of(text, kind, rules)
        for bound in counted_bounds(problem):
            read = Bound(bound.figure, bound.argument, json.loads(json.dumps(bound.certificate)))
            assert read == bound
            assert proven_steps(problem, read) == bound.figure
            arguments.add(bound.argument)
    made = {argument.name for argument in ARGUMENTS if argument.make is not None}
    # These are about restricted routing, problems too large to list, and pieces of one message along trees.
    assert arguments == made - {"busiest-channel", "translated-distances", "counted-cut"}


# -- dishonest ones


@given(tiny_problems(), st.integers(1, 10**6))
def test_a_higher_claim_is_not_proven(problem: Problem, more: int) -> None:
    """The claim itself proves nothing: whatever it says, the certificate proves the same steps."""
    for bound in counted_bounds(problem):
        assert proven_steps(problem, replace(bound, figure=bound.figure + more)) == bound.figure


@st.composite
def forgeries(draw: st.DrawFn) -> tuple[Problem, Bound]:
    """Draw a problem and a certificate of which somebody has changed something."""
    problem = draw(tiny_problems())
    bound = draw(st.sampled_from(counted_bounds(problem)))
    argument = draw(st.sampled_from([bound.argument, *ARGUMENT_OF]))
    return problem, Bound(bound.figure, argument, draw(forged(bound.certificate)))


@given(forgeries())
def test_no_forgery_proves_too_much(forged: tuple[Problem, Bound]) -> None:
    """A certificate that was tampered with is refused with an InputError or proves no more than the optimum."""
    problem, bound = forged
    try:
        proven = proven_steps(problem, bound)
    except InputError:
        return
    optimum = fewest_steps(problem, most_tried=5_000)
    assert optimum is None or proven <= optimum, f"{bound} on {problem}"


@pytest.mark.parametrize(("kind", "rules"), [("AAB", Rules()), ("AOR", Rules()), ("AAS", Rules(combining=True))])
def test_prices_bound_private_messages_without_combining_only(kind: str, rules: Rules) -> None:
    """A price list proves nothing about broadcasts, reductions, or where messages share a transfer."""
    certificate = bound_of(on_mesh("AAS"), "bisection").certificate
    with pytest.raises(InputError, match="prices bound the steps of private messages without combining only"):
        proven_steps(on_mesh(kind, rules), Bound(2, "bisection", certificate))


@pytest.mark.parametrize("certificate", [{}, {"processor": 1}, {"routers": [0, 1]}])
def test_cuts_prove_nothing_under_combining(certificate: dict[str, Any]) -> None:
    """Where one transfer carries many messages a cut is crossed by one transfer, so it is refused."""
    argument = "bisection" if certificate else "volume"
    with pytest.raises(InputError, match="under combining one transfer carries many messages, so a cut proves nothing"):
        proven_steps(on_mesh("AAB", Rules(combining=True)), Bound(5, argument, certificate))


@pytest.mark.parametrize("certificate", [{}, {"processor": 1}, {"routers": [0, 1]}])
def test_cuts_of_private_messages_are_prices(certificate: dict[str, Any]) -> None:
    """A cut of private messages must come as prices on its channels."""
    argument = "bisection" if certificate else "volume"
    with pytest.raises(InputError, match="cuts bound broadcasts; for private messages put prices on the cut"):
        proven_steps(on_mesh("AAS"), Bound(5, argument, certificate))


@pytest.mark.parametrize(
    ("argument", "certificate", "text"),
    [
        ("growth", {}, "the certificate of bound 'growth' cannot be read: 'origin'"),
        ("growth", {"origin": "x"}, "the certificate of bound 'growth' cannot be read"),
        ("growth", {"origin": None}, "the certificate of bound 'growth' cannot be read"),
        ("gathering", {"origin": 0}, "without combining growth bounds broadcasts only"),
        ("distance", {"from": 0}, "the certificate of bound 'distance' cannot be read: 'to'"),
        ("router", {"routers": [9]}, "the certificate of bound 'router' cannot be read"),
        ("router", {"routers": ["a"]}, "the certificate of bound 'router' cannot be read"),
        ("router", {"routers": [10**30]}, "the certificate of bound 'router' cannot be read"),
        ("ejection", {"processor": 99}, "the certificate of bound 'ejection' cannot be read"),
        ("exhaustive", {}, "bound 'exhaustive' is of no known kind, so it cannot be checked"),
        ("bisection", {"something": 1}, "bound 'bisection' is of no known kind, so it cannot be checked"),
    ],
)
def test_unreadable_certificates_are_refused(argument: str, certificate: dict[str, Any], text: str) -> None:
    """A certificate with keys missing, of the wrong sort or of an unknown kind is refused, and the text says why."""
    mesh = network("mesh:3x3")
    rules = Rules(switching="store-and-forward")
    with pytest.raises(InputError) as refusal:
        proven_steps(Problem(mesh, broadcast(mesh), rules), Bound(3, argument, certificate))
    assert text in str(refusal.value)


@pytest.mark.parametrize("certificate", [None, 5, "channels", ["channels"]])
def test_a_certificate_is_an_object(certificate: Any) -> None:
    """A certificate that is no object at all is refused like any other."""
    with pytest.raises(InputError, match="bisection"):
        proven_steps(on_mesh("AAS"), Bound(3, "bisection", certificate))


@pytest.mark.parametrize(
    ("argument", "certificate", "text"),
    [
        ("crossing", {"routers": []}, "nothing must cross"),
        ("crossing", {"routers": [9]}, "do not exist"),
        ("growth", {"origin": 9}, "processor 9 has no message"),
        ("distance", {"from": 0, "to": 1}, "store-and-forward"),
        ("wisdom", {}, "no known kind"),
    ],
)
def test_spoilt_certificates_of_start_ups_prove_nothing(
    argument: str, certificate: dict[str, object], text: str
) -> None:
    """The same for bounds on start-ups."""
    with pytest.raises(InputError, match=text):
        proven_steps(problem_of("ring:4", "AAS", ports=1, combining=True), Bound(99, argument, certificate))


def test_sums_are_counted_piece_by_piece() -> None:
    """Under combining one transfer carries many sums of an allreduce; and what nobody knows proves nothing."""
    combining = problem_of("ring:4", "allreduce", combining=True)
    with pytest.raises(InputError, match="under combining one transfer carries many sums"):
        proven_steps(combining, Bound(3, "own-part", {"processor": 0}))
    with pytest.raises(InputError, match="bound 'volume' is of no known kind, so it cannot be checked"):
        proven_steps(problem_of("ring:4", "allreduce"), Bound(3, "volume", {}))
