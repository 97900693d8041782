"""Certificates that count what blocks of routers can let in, by hand and forged."""

from __future__ import annotations

import re
from typing import Any

import pytest

from pavane.errors import InputError
from pavane.judge.certificates import proven
from pavane.model.bound import Bound
from pavane.model.network import Network
from tests.problems import problem_of


@pytest.mark.parametrize(
    ("blocks", "rules", "steps"),
    [
        # Router 0 must hear from three others over one channel.
        ([[0]], {}, 3),
        # Two must hear from two: the second message comes in step 2 at the latest, to be told in step 3.
        ([[0, 1]], {}, 3),
        # Both ways over one link: four messages, and the last is told to one of two only, so it must not be the last.
        ([[0, 1], [2, 3]], {"duplex": "half"}, 5),
        # Four routers, each alone, hear twelve times over six channels.
        ([[0], [1], [2], [3]], {}, 2),
        # With one port each under store-and-forward the inner routers send all that the outer ones hear.
        ([[0], [3]], {"ports": 1, "switching": "store-and-forward"}, 3),
    ],
)
def test_blocks_of_a_line_counted_by_hand(blocks: list[list[int]], rules: dict[str, Any], steps: int) -> None:
    """Blocks of a line of four prove what one counts by hand."""
    assert proven(problem_of("line:4", "AAB", **rules), Bound(9, "tail", {"blocks": blocks})) == steps


@pytest.mark.parametrize(
    ("certificate", "said"),
    [
        ({"blocks": [[0, 4]]}, "names routers that do not exist: 4 are there"),
        ({"blocks": [[-1]]}, "names routers that do not exist: 4 are there"),
        ({"blocks": [0]}, "not iterable"),
        ({"blocks": [["0"]]}, "'0' is not a whole number"),
        ({"blocks": 7}, "not iterable"),
        ({"blocks": [[0, 1]], "receivers": [0, 9]}, "processors that receive nothing"),
        ({"blocks": [[0, 1]], "receivers": [True]}, "True is not a whole number"),
        ({"blocks": [[0, 1]], "receivers": 3}, "not iterable"),
    ],
)
def test_blocks_and_receivers_that_cannot_be(certificate: dict[str, Any], said: str) -> None:
    """Routers that do not exist, processors that receive nothing, and what is no list of lists, are refused."""
    with pytest.raises(InputError, match=re.escape(said)):
        proven(problem_of("line:4", "AAB"), Bound(2, "tail", certificate))


@pytest.mark.parametrize(
    ("receivers", "steps"),
    [
        # Of three receivers the first knows after one step, and the second after another: a third and two thirds.
        ([0, 1, 2, 3], 2),
        # What enters the block has two more steps to go.
        ([3], 3),
        ([1], 1),
        # Nothing of the block is counted.
        ([0], 0),
        ([], 0),
    ],
)
def test_some_receivers_of_a_line_counted_by_hand(receivers: list[int], steps: int) -> None:
    """Behind one channel of a line the far receivers are late, and those that are not counted prove nothing."""
    problem = problem_of("line:4", "MNB", switching="store-and-forward")
    certificate = {"blocks": [[1, 2, 3]], "receivers": receivers}
    assert proven(problem, Bound(9, "tail", certificate)) == steps


def test_nothing_enters_everything() -> None:
    """Blocks that hold all routers, or no receiver, or nothing, prove no step."""
    problem = problem_of("line:4", "AAB")
    nothing: list[list[list[int]]] = [[], [[]], [[0, 1, 2, 3]]]
    for blocks in nothing:
        assert proven(problem, Bound(1, "tail", {"blocks": blocks})) == 0


def test_entries_far_from_receivers() -> None:
    """What enters at a switch is worth nothing until the steps that are left reach a receiver."""
    gap = Network("gap", 4, [(0, 1), (1, 2), (2, 3), (3, 2), (2, 1), (1, 0)], [0, 0, 3])
    problem = problem_of(gap, "AAB", switching="store-and-forward")
    assert proven(problem, Bound(4, "tail", {"blocks": [[1, 2, 3]]})) == 4


def test_only_broadcasts_have_blocks() -> None:
    """Blocks say nothing about private messages, nor where one transfer carries many."""
    for problem, said in (
        (problem_of("line:4", "AAS"), "not steps of private messages"),
        (problem_of("line:4", "AAB", combining=True), "not start-ups of broadcasts"),
    ):
        with pytest.raises(InputError, match=said):
            proven(problem, Bound(2, "tail", {"blocks": [[0]]}))
