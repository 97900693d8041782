"""Certificates prove what they claim, and tampered ones prove less or nothing."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pavane.bounds import counted_bounds, lower_bounds
from pavane.bounds.registry import ARGUMENT_OF, ARGUMENTS
from pavane.errors import InputError
from pavane.judge.certificates import proven, proven_message_times
from pavane.judge.checkers import CHECKERS
from pavane.model.bound import Bound
from pavane.model.collectives import in_pieces
from pavane.model.problem import Problem, Rules
from tests.bounds.exhaustive import fewest_steps
from tests.bounds.tiny import tiny_problems, tiny_slots
from tests.judge.forging import forged
from tests.optimum import optimum
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
            assert proven(problem, read) == bound.figure
            arguments.add(bound.argument)
    made = {argument.name for argument in ARGUMENTS if argument.make is not None}
    # These are about problems too large to list.
    assert arguments == made - {"translated-distances", "counted-cut"}


# -- dishonest ones


@given(tiny_problems(), st.integers(1, 10**6))
def test_a_higher_claim_is_not_proven(problem: Problem, more: int) -> None:
    """The claim itself proves nothing: whatever it says, the certificate proves the same steps."""
    for bound in counted_bounds(problem):
        assert proven(problem, replace(bound, figure=bound.figure + more)) == bound.figure


@st.composite
def forgeries(draw: st.DrawFn) -> tuple[Problem, Bound]:
    """Draw a problem, in steps or slots, and a certificate, or its name, of which somebody has changed something."""
    problem = draw(st.one_of(tiny_problems(), tiny_slots()))
    bound = draw(st.sampled_from(counted_bounds(problem)))
    argument = draw(st.sampled_from([bound.argument, *ARGUMENT_OF]))
    return problem, Bound(bound.figure, argument, draw(forged(bound.certificate)))


@settings(max_examples=2 * settings().max_examples)
@given(forgeries())
def test_no_forgery_proves_too_much(forged: tuple[Problem, Bound]) -> None:
    """A certificate that was tampered with is refused with an InputError or proves no more than the optimum."""
    problem, bound = forged
    try:
        figure = proven(problem, bound)
    except InputError:
        return
    fewest = optimum(problem, 4_000) if problem.rules.has_slots else fewest_steps(problem, most_tried=5_000)
    assert fewest is None or figure <= fewest, f"{bound} on {problem}"


BISECTION: dict[str, Any] = {"channels": [[1, 0]], "injection": [], "ejection": []}
STORED = Rules("store-and-forward")
COMBINED = Rules(combining=True)
ONE_PORT = Rules(ports=1, combining=True)
PRICES = "prices bound steps or slots or TCO of private messages, not "
VOLUMES = "volumes bound steps or slots or TCO of broadcasts or several collectives, not "
UNREADABLE = "the certificate of bound '{}' cannot be read"
UNKNOWN = "bound '{}' is of no known kind, so it cannot be checked"
GROWTH = "without combining growth bounds broadcasts only, and from their origins"


@pytest.mark.parametrize(
    ("kind", "rules", "argument", "certificate", "text"),
    [
        # kinds of messages
        ("AAB", Rules(), "bisection", BISECTION, PRICES + "steps of broadcasts"),
        ("AOR", Rules(), "bisection", BISECTION, PRICES + "steps of broadcasts"),
        ("AAS", COMBINED, "bisection", BISECTION, PRICES + "start-ups of private messages"),
        ("AAB", COMBINED, "volume", {}, VOLUMES + "start-ups of broadcasts"),
        ("AAB", COMBINED, "bisection", {"processor": 1}, "not start-ups of broadcasts"),
        ("AAB", COMBINED, "bisection", {"routers": [0, 1]}, "not start-ups of broadcasts"),
        ("AAS", Rules(), "volume", {}, VOLUMES + "steps of private messages"),
        (
            "AAS",
            Rules(),
            "crossing",
            {"routers": [0, 1]},
            "crossings bound start-ups of ",
        ),
        ("AAS", Rules(), "growth", {"origin": 0}, GROWTH),
        ("AAB", Rules(), "gathering", {"origin": 0}, GROWTH),
        ("AAS", Rules(), "distance", {"from": 0, "to": 8}, "distance bounds store-and-forward only"),
        ("ALLREDUCE", COMBINED, "own-part", {"processor": 0}, "not start-ups of an allreduce"),
        ("ALLREDUCE", Rules(), "volume", {}, VOLUMES + "steps of an allreduce"),
        # keys that are missing, of the wrong sort or unknown
        ("OAB", STORED, "growth", {}, UNREADABLE.format("growth") + ": 'origin'"),
        ("AAS", Rules(), "bisection", {"channels": [[1, 0]], "injection": []}, "cannot be read: 'ejection'"),
        ("AAS", Rules(), "bisection", {"channels": [[1, 0]], "ejection": []}, "cannot be read: 'injection'"),
        ("OAB", STORED, "distance", {"from": 0}, UNREADABLE.format("distance") + ": 'to'"),
        ("OAB", STORED, "router", {"routers": ["a"]}, UNREADABLE.format("router")),
        ("OAB", STORED, "router", {"routers": [10**30]}, UNREADABLE.format("router")),
        ("OAB", STORED, "exhaustive", {}, UNKNOWN.format("exhaustive")),
        ("OAB", STORED, "bisection", {"something": 1}, UNKNOWN.format("bisection")),
        # start-ups
        ("AAS", ONE_PORT, "crossing", {"routers": []}, "nothing must cross"),
        ("AAS", ONE_PORT, "crossing", {"routers": [9]}, "do not exist"),
    ],
)
def test_what_proves_nothing_is_refused(
    kind: str, rules: Rules, argument: str, certificate: dict[str, Any], text: str
) -> None:
    """A certificate of another kind of messages, or that cannot be read, is refused, and the text says why."""
    with pytest.raises(InputError, match=re.escape(text)):
        proven(on_mesh(kind, rules), Bound(3, argument, certificate))


@pytest.mark.parametrize("certificate", [None, 5, "channels", ["channels"]])
def test_a_certificate_is_an_object(certificate: Any) -> None:
    """A certificate that is no object at all is refused like any other."""
    with pytest.raises(InputError, match="bisection"):
        proven(on_mesh("AAS"), Bound(3, "bisection", certificate))


# -- message times


CUT = Bound(2, "cut", {"routers": [0, 1, 2, 3]})


def test_a_cut_proves_its_ratio_for_any_pieces() -> None:
    """Four messages leave half a ring over two channels: two message times, in one piece or in five."""
    problem = problem_of("ring:8", "AAB")
    assert proven_message_times(problem, CUT) == 2
    assert proven_message_times(replace(problem, collectives=(in_pieces(problem.collective, 5),)), CUT) == 2
    assert proven_message_times(problem_of("ring:8", "AAR"), CUT) == 2
    assert proven_message_times(problem_of("ring:8", "AAB", combining=True), CUT) == 2
    assert proven_message_times(problem, Bound(4, "volume", {})) == Fraction(7, 2)


def test_what_does_not_scale_is_refused() -> None:
    """Growth, distance and tails hold for their number of pieces only, under whatever name a file has them."""
    problem = problem_of("line:6", "AAB", switching="store-and-forward", duplex="half")
    met = set()
    for bound in lower_bounds(problem):
        if bound.argument in ("growth", "distance", "tail"):
            met.add(bound.argument)
            with pytest.raises(InputError, match="does not hold for any number of pieces"):
                proven_message_times(problem, bound)
    assert met == {"growth", "distance", "tail"}
    for argument in ("crossing", "moves", "start-ups"):
        with pytest.raises(InputError, match="not steps of broadcasts"):
            proven_message_times(problem, Bound(2, argument, CUT.certificate))
    with pytest.raises(InputError, match="do not exist"):
        proven_message_times(problem, Bound(2, "mine", {"routers": [0, 99]}))


def test_tails_and_flows_over_time_prove_no_message_times() -> None:
    """What proves steps of whole messages says nothing about pieces, also under the name of a cut."""
    problem = problem_of("complete:3", "AAB", switching="store-and-forward")
    for certificate in ({"blocks": [[1, 2]]}, {"receiver": 2, "joining": [[0], [1]]}):
        with pytest.raises(InputError):
            proven_message_times(problem, Bound(2, "cut", certificate))


def test_arguments_scale_with_pieces_where_their_certificates_do() -> None:
    """An argument counts what steps can carry if and only if the kinds of its certificates do."""
    for argument in ARGUMENT_OF.values():
        kinds = [checker for checker in CHECKERS if argument.name in checker.arguments]
        assert not any(checker.counts_loads for checker in kinds) or argument.counts_units
