"""Hops and steps for every message, from a partial schedule."""

import numpy as np

from pavane.model.network import Network
from pavane.parallel.budget import Budget
from pavane.solvers.ejection.hop_assignment import HopAssignment, ways_between
from pavane.solvers.ejection.hop_network import HopNetwork
from tests.problems import problem_of


def begun(where: str | Network, num_steps: int) -> HopAssignment:
    """Begin all-to-all scatter with every message outside."""
    network = HopNetwork.of(problem_of(where, "AAS", None, switching="store-and-forward"))
    ways = ways_between(network, 0, 10**6)
    assert ways is not None
    return HopAssignment(network, ways, np.ones(num_steps, dtype=np.int64))


def test_what_is_put_in_can_be_taken_out() -> None:
    """A message takes hops where there is room for all of them, and leaves no trace when it is taken out."""
    assignment = begun(Network("line", 3, [(0, 1), (1, 2), (2, 1), (1, 0)]), 2)
    tails, heads = assignment.network.graph.wiring[:2]
    ends = list(zip(tails.tolist(), heads.tolist(), strict=True))
    along = np.array([ends.index((0, 1)), ends.index((1, 2))], dtype=np.int32)
    both = np.array([0, 1], dtype=np.int32)
    # In the order of their ends: 0>1, 0>2, 1>0, 1>2, 2>0, 2>1.
    assert assignment.put(1, along, both)
    assert not assignment.put(3, along[1:], both[1:])
    assert assignment.put(3, along[1:], both[:1])
    assert [part.tolist() for part in assignment.place_of(1)] == [along.tolist(), [0, 1]]
    assignment.take_out(1)
    assert assignment.place_of(1)[0].size == 0
    assert (assignment.partial.occupant >= 0).sum() == 1


def test_heavy_messages_stay() -> None:
    """What is in already and heavy is still there when the others are pushed in around it."""
    alone = begun("ring:6", 6)
    assert alone.fill(10_000, np.random.default_rng(0), Budget())
    again = begun("ring:6", 6)
    kept = range(0, 30, 3)
    for message in kept:
        assert again.put(message, *alone.place_of(message))
        again.partial.weights[message] = 1_000
    assert again.fill(10_000, np.random.default_rng(1), Budget())
    assert again.is_full
    for message in kept:
        assert all(map(np.array_equal, again.place_of(message), alone.place_of(message)))
