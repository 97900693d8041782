"""Certificates prove what they claim, and tampered ones prove less or nothing."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pavane.bounds import lower_bounds
from pavane.errors import InputError
from pavane.judge.certificates import proven_steps
from pavane.model.bound import Bound
from pavane.model.collectives import alltoall, broadcast, named, pairs
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from tests.bounds.exhaustive import fewest_steps
from tests.bounds.tiny import tiny_problems

RULES = (Rules(), Rules(ports=1, duplex="half"), Rules(switching="store-and-forward"), Rules(combining=True))
KINDS = ("OAB", "OAS", "AAB", "AAS", "AOG", "AOR", "AAR")


def problem_of(kind: str, rules: Rules = RULES[0], text: str = "mesh:3x3") -> Problem:
    """Return a collective on a small mesh."""
    made = network(text)
    return Problem(made, named(kind, made), rules)


def bound_of(problem: Problem, argument: str) -> Bound:
    """Return the bound of one argument."""
    return next(bound for bound in lower_bounds(problem) if bound.argument == argument)


# -- honest certificates


@pytest.mark.parametrize("text", ["mesh:3x3", "kautz:2,2", "fat-octagon:2", "coated-mesh:3x3", "ring:5,oneway"])
def test_every_bound_of_every_kind_is_proven(text: str) -> None:
    """Each bound's certificate proves exactly its steps, also after a trip through JSON."""
    arguments = set()
    for kind, rules in product(KINDS, RULES):
        problem = problem_of(kind, rules, text)
        for bound in lower_bounds(problem):
            read = Bound(bound.steps, bound.argument, json.loads(json.dumps(bound.certificate)))
            assert read == bound
            assert proven_steps(problem, read) == bound.steps
            arguments.add(bound.argument)
    assert arguments == {
        "injection",
        "ejection",
        "router",
        "sum-of-distances",
        "relays",
        "bisection",
        "volume",
        "growth",
        "gathering",
        "distance",
    }


@settings(max_examples=30)
@given(tiny_problems())
def test_certificates_on_drawn_problems(problem: Problem) -> None:
    """On any problem the certificates prove what the bounds claim."""
    for bound in lower_bounds(problem):
        assert proven_steps(problem, bound) == bound.steps


# -- dishonest ones


@settings(max_examples=30)
@given(tiny_problems(), st.integers(1, 10**6))
def test_a_higher_claim_is_not_proven(problem: Problem, more: int) -> None:
    """The claim itself proves nothing: whatever it says, the certificate proves the same steps."""
    for bound in lower_bounds(problem):
        assert proven_steps(problem, replace(bound, steps=bound.steps + more)) == bound.steps


JUNK: tuple[Any, ...] = (-1, 0, 1, 2, 5, 10**30, -(10**30), 0.5, float("nan"), "0", "x", None, True, [], {}, [[1, 0]])
ARGUMENTS = ("injection", "bisection", "volume", "growth", "gathering", "distance", "ejection", "exhaustive")


@st.composite
def forgeries(draw: st.DrawFn) -> tuple[Problem, Bound]:
    """Draw a problem and a certificate of which somebody has changed something."""
    problem = draw(tiny_problems())
    bound = draw(st.sampled_from(lower_bounds(problem)))
    certificate = copy.deepcopy(bound.certificate)
    keys = ("channels", "injection", "ejection", "processor", "routers", "origin", "from", "to")
    small = st.integers(-1, 7)
    groups = st.lists(st.lists(small, max_size=5), max_size=3)
    for _ in range(draw(st.integers(1, 3))):
        change = draw(st.sampled_from(["junk", "drop", "groups", "number", "list", "argument"]))
        key = draw(st.sampled_from([*certificate, *keys]))
        if change == "drop":
            certificate.pop(key, None)
        elif change == "argument":
            bound = replace(bound, argument=draw(st.sampled_from(ARGUMENTS)))
        else:
            values = {"junk": st.sampled_from(JUNK), "groups": groups, "number": small, "list": st.lists(small)}
            certificate[key] = draw(values[change])
    return problem, replace(bound, certificate=certificate)


@settings(max_examples=120)
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


@pytest.mark.parametrize(
    ("groups", "text"),
    [
        ([[1, 24]], "prices name what does not exist: 24 are there"),
        ([[1, -1]], "prices name what does not exist: 24 are there"),
        ([[-1, 0]], "a price must be a whole number, not -1"),
        ([[0.5, 0]], "a price must be a whole number, not 0.5"),
        ([["1", 0]], "a price must be a whole number, not '1'"),
        ([[2**31, 0]], "a price must be a whole number, not 2147483648"),
        ([[]], "cannot be read"),
        ([1], "cannot be read"),
        (None, "cannot be read"),
        ([[1, "a"]], "cannot be read"),
    ],
)
def test_bad_prices_are_refused(groups: Any, text: str) -> None:
    """Prices on channels that do not exist, and prices that are negative, broken or absurd, are refused by name."""
    problem = problem_of("AAS")
    bound = Bound(1, "sum-of-distances", {"channels": groups, "injection": [], "ejection": []})
    with pytest.raises(InputError, match="the certificate of bound 'sum-of-distances' cannot be read") as refusal:
        proven_steps(problem, bound)
    assert text in str(refusal.value)


@pytest.mark.parametrize("missing", ["injection", "ejection"])
def test_a_price_list_with_a_column_missing_is_refused(missing: str) -> None:
    """All three columns of a price list must be there."""
    problem = problem_of("AAS")
    bound = bound_of(problem, "bisection")
    certificate = {key: value for key, value in bound.certificate.items() if key != missing}
    with pytest.raises(InputError, match=f"cannot be read: '{missing}'"):
        proven_steps(problem, replace(bound, certificate=certificate))


def test_prices_removed_prove_less() -> None:
    """A price list from which a price was taken proves what is left of it, and nothing when all are gone."""
    problem = problem_of("AAS", Rules(routing="any"))
    bound = bound_of(problem, "sum-of-distances")
    fewer = {**bound.certificate, "channels": [[1, 0, 1]]}
    assert proven_steps(problem, replace(bound, certificate=fewer)) < bound.steps
    with pytest.raises(InputError, match="a price list that prices nothing proves nothing"):
        proven_steps(problem, replace(bound, certificate={**bound.certificate, "channels": []}))


def test_prices_that_would_wrap_round_are_refused() -> None:
    """Prices whose sums do not fit 64 bits prove nothing, however cleverly they wrap round to a small sum."""
    full = network("complete:4")
    ports = 2**31 - 1
    problem = Problem(full, alltoall(full), Rules(ports=ports))
    # So many that ports times prices is just above 2^64.
    left, prices = -(-(2**64) // ports), []
    while left:
        prices.append(min(left, 2**31 - 1))
        left -= prices[-1]
    inject, eject = ([[price, p] for p, price in enumerate(half)] for half in (prices[:4], prices[4:]))
    bound = Bound(9, "prices", {"channels": [], "injection": inject, "ejection": eject})
    with pytest.raises(InputError, match="prices up to 2,147,483,647 are too high to be added up"):
        proven_steps(problem, bound)


@pytest.mark.parametrize(("kind", "rules"), [("AAB", Rules()), ("AOR", Rules()), ("AAS", Rules(combining=True))])
def test_prices_bound_private_messages_without_combining_only(kind: str, rules: Rules) -> None:
    """A price list proves nothing about broadcasts, reductions, or where messages share a transfer."""
    certificate = bound_of(problem_of("AAS"), "bisection").certificate
    with pytest.raises(InputError, match="prices bound the steps of private messages without combining only"):
        proven_steps(problem_of(kind, rules), Bound(2, "bisection", certificate))


def test_growth_of_private_messages_needs_combining() -> None:
    """Without combining growth proves nothing about private messages, and gathering nothing at all."""
    growth = Bound(2, "growth", {"origin": 0, "informed": [1, 3, 9]})
    text = "without combining growth bounds broadcasts only, and from their origins"
    with pytest.raises(InputError, match=text):
        proven_steps(problem_of("AAS"), growth)
    with pytest.raises(InputError, match=text):
        proven_steps(problem_of("AAB"), replace(growth, argument="gathering"))
    assert proven_steps(problem_of("AAS", Rules(combining=True)), growth) == 2


@pytest.mark.parametrize("origin", [4, -1, 9, 10**9])
def test_growth_from_nobody_is_refused(origin: int) -> None:
    """Growth must start at a processor that has a message."""
    with pytest.raises(InputError, match=f"processor {origin} has no message"):
        proven_steps(problem_of("OAB"), Bound(2, "growth", {"origin": origin, "informed": [1]}))


@pytest.mark.parametrize("certificate", [{}, {"processor": 1}, {"routers": [0, 1]}])
def test_cuts_prove_nothing_under_combining(certificate: dict[str, Any]) -> None:
    """Where one transfer carries many messages a cut is crossed by one transfer, so it is refused."""
    argument = "bisection" if certificate else "volume"
    with pytest.raises(InputError, match="under combining one transfer carries many messages, so a cut proves nothing"):
        proven_steps(problem_of("AAB", Rules(combining=True)), Bound(5, argument, certificate))


@pytest.mark.parametrize("certificate", [{}, {"processor": 1}, {"routers": [0, 1]}])
def test_cuts_of_private_messages_are_prices(certificate: dict[str, Any]) -> None:
    """A cut of private messages must come as prices on its channels."""
    argument = "bisection" if certificate else "volume"
    with pytest.raises(InputError, match="cuts bound broadcasts; for private messages put prices on the cut"):
        proven_steps(problem_of("AAS"), Bound(5, argument, certificate))


def test_distance_holds_under_store_and_forward_only() -> None:
    """A wormhole runs any path in one step, so distance proves nothing about it."""
    with pytest.raises(InputError, match="distance bounds store-and-forward only"):
        proven_steps(problem_of("AAS"), Bound(4, "distance", {"from": 0, "to": 8}))


@pytest.mark.parametrize(("source", "target"), [(1, 8), (0, 0), (0, 9), (8, 0), (-1, 3)])
def test_distance_needs_a_message(source: int, target: int) -> None:
    """Only a way that some message must go proves something."""
    rules = Rules(switching="store-and-forward")
    with pytest.raises(InputError, match=f"no message goes from {source} to {target}"):
        proven_steps(problem_of("OAB", rules), Bound(4, "distance", {"from": source, "to": target}))
    mesh = network("mesh:3x3")
    private = Problem(mesh, pairs([(0, 8)]), rules)
    with pytest.raises(InputError, match=f"no message goes from {source} to {target}"):
        proven_steps(private, Bound(4, "distance", {"from": source, "to": target}))


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
        proven_steps(problem_of("AAS"), Bound(3, "bisection", certificate))
