"""Certificates of message times: only what scales with the pieces proves any."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from operator import attrgetter
from typing import Any

import pytest

from pavane.bounds import lower_bounds
from pavane.bounds.registry import ARGUMENT_OF, Argument
from pavane.errors import InputError
from pavane.judge.message_times import proven_message_times
from pavane.model.bound import Bound
from pavane.model.collectives import in_pieces
from tests.problems import problem_of

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
        with pytest.raises(InputError, match="does not hold"):
            proven_message_times(problem, Bound(2, argument, CUT.certificate))
    with pytest.raises(InputError):
        proven_message_times(problem, Bound(2, "mine", {"routers": [0, 99]}))


def test_a_cut_beside_it_does_not_make_a_tail_scale() -> None:
    """What tails and flows over time prove of whole messages is no word about pieces, also under another key."""
    problem = problem_of("complete:3", "AAB", switching="store-and-forward")
    for certificate in ({"blocks": [[1, 2]]}, {"receiver": 2, "joining": [[0, 1], []]}):
        for cut in ({"routers": [0]}, {"processor": 2}):
            with pytest.raises(InputError, match="does not hold for any number of pieces"):
                proven_message_times(problem, Bound(2, "mine", {**certificate, **cut}))


@pytest.mark.parametrize(
    "argument", [one for one in ARGUMENT_OF.values() if not one.counts_units], ids=attrgetter("name")
)
def test_no_argument_of_one_number_of_pieces_is_accepted(argument: Argument) -> None:
    """An argument that does not scale proves no message times, also where a file adds keys of one that does."""
    certificate: dict[str, Any] = {"routers": [0], "processor": 0, "classes": [[0]], "channels": [[1, 0]]}
    # These two are known by their keys.
    certificate |= {"tail": {"blocks": [[0]]}, "flow-over-time": {"joining": [[0]]}}.get(argument.name, {})
    with pytest.raises(InputError, match="does not hold for any number of pieces"):
        proven_message_times(problem_of("ring:4", "ALLREDUCE"), Bound(2, argument.name, certificate))
