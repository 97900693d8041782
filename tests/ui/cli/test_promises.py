"""What was promised of single commands: the right steps, proven; an answer within a limit, or which limit would do."""

from __future__ import annotations

import json
import shlex

import pytest

from tests.ui.cli.calls import Call


@pytest.mark.parametrize(
    ("command", "steps"),
    [
        # A symmetry that turns a link round is none under half duplex.
        ("octagon alltoall --ports 1 --duplex half", 9),
        ("utility aas --ports 1 --duplex half", 6),
        ("hypercube:3 mns --senders 0-3 --receivers 4-7 --duplex half", 4),
        # Broadcasts under restricted routing are decided.
        ("'torus:2x2 less 1-3' oab --root 1 --ports 1 --duplex half --routing north-last", 2),
        # Bottlenecks, pure switches and fat routers.
        ("hierarchical-rings:4,4,4 aab", 32),
        ("fat-tree:4 aab", 8),
        ("fat-tree:4 aab --duplex half", 15),
        ("fat-octagon:2 aab", 6),
        # As many steps as 14 ports need to inform 16,383 others.
        ("hypercube:14 oab", 4),
    ],
)
def test_the_fewest_steps_are_found_and_proven(command: str, steps: int, call: Call) -> None:
    """Commands whose optimum is known find it, and say so."""
    found = json.loads(call.good("solve", *shlex.split(command), "--json"))
    assert (found["steps"], found["status"]) == (steps, "optimal")


@pytest.mark.parametrize("asked", ["star:4 oas --root 1 --ports 1", "levi oas", "de-bruijn:2,3 aas"])
def test_combining_goes_on_above_refuted_start_ups(asked: str, call: Call) -> None:
    """A number of start-ups that is too small is no reason to give up."""
    rules = "--combining --switching store-and-forward --time 2 --json"
    assert json.loads(call.good("solve", *asked.split(), *rules.split()))["front"]


def test_a_large_network_has_an_answer_in_time(call: Call) -> None:
    """A quarter of a million messages have a schedule within the limit, or a line says which limit would do."""
    answer = call("solve", "random-regular:500,6,1", "aas", "--time", "3", "--json")
    if answer.code == 0:
        assert json.loads(answer.out)["steps"] >= json.loads(answer.out)["bound"]
    else:
        assert "the time limit is too short for a first schedule" in answer.err
