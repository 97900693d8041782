"""The kernel of ejection search through time: its books agree with a recount, compiled and not."""

from collections import Counter
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from pavane.jit import compiled
from pavane.solvers.ejection.hop_assignment import HopAssignment, hops_on_paths
from pavane.solvers.ejection.hop_network import HopNetwork
from pavane.solvers.ejection.kernels.lanes import BARRED, put_all_in, take_out
from pavane.solvers.ejection.kernels.time_ejection import insert_through_time
from tests.problems import problem_of

CASES = [
    ("ring:6", 4, {}),
    ("octagon", 10, {"ports": 1}),
    ("fat-octagon:2", 30, {"ports": 2}),
    ("mesh:3x3", 6, {"duplex": "half"}),
    ("dgx-a100:2", 8, {"switches": "pass"}),
]


def begun(spec: str, num_steps: int, rules: dict[str, Any]) -> HopAssignment:
    """Make an assignment of all-to-all scatter with every message outside."""
    network = HopNetwork.of(problem_of(spec, "AAS", None, switching="store-and-forward", **rules))
    ways = hops_on_paths(network, 1, 10**6)
    assert ways is not None
    return HopAssignment(network, ways, num_steps)


@pytest.mark.parametrize(("spec", "num_steps", "rules"), CASES)
def test_the_books_agree_with_a_recount(spec: str, num_steps: int, rules: dict[str, Any]) -> None:
    """After some hundred moves every lane holds whom the hops and steps say, and who is outside has no hops."""
    assignment = begun(spec, num_steps, rules)
    partial, lanes = assignment.partial, assignment.lanes
    partial.outside[:] = np.arange(len(partial.outside))
    barred = int((partial.occupant == BARRED).sum())
    state = np.array([1, 2, 3, 4])
    _, left = compiled(insert_through_time)(lanes, assignment.choices, partial, len(partial.outside), 500, state)
    assert sorted(partial.outside[:left]) == np.flatnonzero(partial.num_paths == 0).tolist()
    expected: Counter[tuple[int, int, int]] = Counter()
    wiring = assignment.network.graph.wiring
    for message, size in enumerate(partial.num_paths.tolist()):
        first = partial.first_path[message]
        hops, steps = (column[first : first + size].tolist() for column in (partial.paths, partial.steps))
        assert all(a < b for a, b in pairwise(steps))
        assert all(wiring.heads[a] == wiring.tails[b] for a, b in pairwise(hops))
        for hop, step in zip(hops, steps, strict=True):
            for at in range(lanes.offsets[hop], lanes.offsets[hop + 1]):
                expected[int(lanes.first[at]), step, message] += 1
    first_of = {lane: first for first, last in zip(lanes.first, lanes.last, strict=True) for lane in range(first, last)}
    lane, step = np.nonzero(partial.occupant >= 0)
    found = Counter(
        (int(first_of[a]), b, int(partial.occupant[a, b])) for a, b in zip(lane.tolist(), step.tolist(), strict=True)
    )
    assert found == expected
    assert (partial.occupant == BARRED).sum() == barred


@pytest.mark.parametrize(("spec", "num_steps", "rules"), CASES[:3])
def test_machine_code_does_what_the_source_says(spec: str, num_steps: int, rules: dict[str, Any]) -> None:
    """Compiled and uncompiled make the same moves from the same numbers."""
    outcomes = []
    for search in (insert_through_time, compiled(insert_through_time)):
        assignment = begun(spec, num_steps, rules)
        partial = assignment.partial
        partial.outside[:] = np.arange(len(partial.outside))
        made = search(assignment.lanes, assignment.choices, partial, len(partial.outside), 40, np.array([1, 2, 3, 4]))
        outcomes.append((made, partial))
    (made, partial), (made_again, again) = outcomes
    assert made == made_again
    for column, column_again in zip(partial, again, strict=True):
        assert np.array_equal(column, column_again)


@pytest.mark.parametrize(("spec", "num_steps", "rules"), CASES)
def test_who_is_taken_out_finds_the_same_room_again(spec: str, num_steps: int, rules: dict[str, Any]) -> None:
    """Out of their lanes and in again, all of them: whoever was in is in, and nobody else."""
    assignment = begun(spec, num_steps, rules)
    partial, lanes = assignment.partial, assignment.lanes
    partial.outside[:] = np.arange(len(partial.outside))
    compiled(insert_through_time)(lanes, assignment.choices, partial, len(partial.outside), 200, np.array([1, 2, 3, 4]))
    before, sizes = partial.occupant.copy(), partial.num_paths.copy()
    inside = np.flatnonzero(sizes)
    for message in inside.tolist():
        take_out(lanes, partial, message)
    assert not (partial.occupant >= 0).any()
    put_all_in(lanes, partial, inside, sizes[inside])
    assert (partial.num_paths == sizes).all()
    # Which lane of a unit somebody has may change, and what is in the unit may not.
    assert (np.sort(before, axis=0) == np.sort(partial.occupant, axis=0)).all()
