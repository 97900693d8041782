"""The bound by prices on short ways: its figures, its words, and that it never claims too much."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pavane.bounds import counted_bounds, explain, lower_bounds
from pavane.bounds.channel_prices import priced_by_load
from pavane.bounds.short_ways import NAME, most_within
from pavane.errors import InputError
from pavane.judge.certificates import proven_steps
from pavane.judge.message_times import proven_message_times
from pavane.model.bound import Bound
from pavane.model.messages import Collective
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.search.synthesis import solve
from tests.bounds.exhaustive import fewest_steps
from tests.bounds.tiny import PRIVATE, tiny_problems
from tests.problems import problem_of

PASSING: dict[str, Any] = {"switching": "store-and-forward", "switches": "pass"}


def test_two_boxes_of_gpus() -> None:
    """Messages between boxes fill the switch for two steps, and some GPUs of a box are three hops apart without it."""
    problem = problem_of("mi250:2", "AAS", **PASSING)
    bound = most_within(problem, 2)
    assert bound is not None
    assert bound.steps == 3 == proven_steps(problem, bound)
    assert lower_bounds(problem)[0] == bound
    assert most_within(problem, 3) is None


def test_words() -> None:
    """The argument says what ways of so many hops load, and what the steps have room for."""
    problem = problem_of("mi250:2", "AAS", **PASSING)
    assert explain(problem, lower_bounds(problem)[0]) == (
        "by ways of at most 2 hops the messages load priced channels and ports 1,408 times in all, and 2 steps have "
        "room for 1,024"
    )


def test_a_ring_with_a_shortcut() -> None:
    """Three pairs share a shortcut of one channel; round the ring would take three steps, and two are not enough."""
    channels = [(0, 1), (1, 0), (0, 2), (2, 3), (3, 1)]
    network = Network("shortcut", 4, channels, [0, 0, 0, 1, 1, 1])
    problem = Problem(network, Collective("PAIRS", pairs=((0, 3), (1, 4), (2, 5))), Rules("store-and-forward"))
    certificate = {"channels": [[1, 0]], "injection": [], "ejection": []}
    assert proven_steps(problem, Bound(3, NAME, {**certificate, "within": 2})) == 3 == solve(problem).num_steps
    assert proven_steps(problem, Bound(3, NAME, {**certificate, "within": 3})) == 0


@pytest.mark.parametrize(
    ("problem", "within", "words"),
    [
        (problem_of("ring:6", "AAS"), 2, "under store-and-forward"),
        (problem_of("ring:6", "AAS", switching="store-and-forward"), 0, "under store-and-forward"),
        (problem_of("ring:6", "AAS", switching="store-and-forward"), 2, "no way of so many hops"),
        (problem_of("dgx-a100:2", "AAS", **PASSING, routing="any"), 2, "must be shortest paths"),
    ],
)
def test_what_is_refused(problem: Problem, within: int, words: str) -> None:
    """A step is a hop under store-and-forward only, and hops must be known."""
    certificate = {"channels": [[1, 0]], "injection": [], "ejection": [], "within": within}
    with pytest.raises(InputError, match=words):
        proven_steps(problem, Bound(3, NAME, certificate))


def test_it_holds_for_its_pieces_only() -> None:
    """With more pieces there are more steps, in which longer ways fit."""
    problem = problem_of("mi250:2", "AAS", **PASSING)
    with pytest.raises(InputError, match="does not hold for any number of pieces"):
        proven_message_times(problem, lower_bounds(problem)[0])


@given(tiny_problems(PRIVATE, combining=(False,)), st.integers(1, 3))
def test_no_prices_claim_more_than_there_is(problem: Problem, within: int) -> None:
    """Whichever number of hops is named, no schedule is shorter than what the judge says is proven."""
    listed = priced_by_load(problem)
    if problem.rules.switching != "store-and-forward" or listed is None:
        return
    try:
        steps = proven_steps(problem, Bound(1, NAME, {**listed.certificate, "within": within}))
    except InputError:
        return
    optimum = fewest_steps(problem, most_tried=5_000)
    assert optimum is None or steps <= optimum
    bound = most_within(problem, counted_bounds(problem)[0].steps)
    assert bound is None or proven_steps(problem, bound) == bound.steps
