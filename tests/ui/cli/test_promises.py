"""What was promised of single commands: the right steps, proven."""

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
