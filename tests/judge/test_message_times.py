"""Certificates of message times: only what scales with the pieces proves any."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from pavane.bounds import lower_bounds
from pavane.bounds.registry import ARGUMENT_OF
from pavane.errors import InputError
from pavane.judge.certificates import checker_of, proven_message_times
from pavane.judge.checkers import CHECKERS
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
        with pytest.raises(InputError, match="not steps of broadcasts"):
            proven_message_times(problem, Bound(2, argument, CUT.certificate))
    with pytest.raises(InputError, match="do not exist"):
        proven_message_times(problem, Bound(2, "mine", {"routers": [0, 99]}))


@pytest.mark.parametrize("key", ["blocks", "joining"])
def test_what_proves_steps_of_whole_messages_proves_no_message_times(key: str) -> None:
    """Tails and flows over time say nothing about pieces, also under the name of a cut and with its keys."""
    problem = problem_of("complete:3", "AAB", switching="store-and-forward")
    certificate: dict[str, Any] = {"blocks": {"blocks": [[1, 2]]}, "joining": {"receiver": 2, "joining": [[0], [1]]}}
    for cut in ({"routers": [0]}, {"processor": 2}):
        bound = Bound(2, "cut", {**certificate[key], **cut})
        assert not checker_of(problem, bound).counts_loads
        with pytest.raises(InputError):
            proven_message_times(problem, bound)


def test_arguments_scale_with_pieces_where_their_certificates_do() -> None:
    """An argument counts what steps can carry if and only if the kinds of its certificates do."""
    for argument in ARGUMENT_OF.values():
        kinds = [checker for checker in CHECKERS if argument.name in checker.arguments]
        assert not any(checker.counts_loads for checker in kinds) or argument.counts_units
