"""Messages as traffic between routers."""

from __future__ import annotations

import numpy as np

from pavane.bounds.traffic import Traffic
from pavane.model.collectives import pairs
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from tests.problems import problem_of


def test_equal_prices_buy_the_distances() -> None:
    """At price 1 a channel the messages pay their distances, and the loads add up to the same."""
    problem = problem_of("mesh:3x3")
    traffic = Traffic.of(problem)
    assert traffic is not None
    paid, loads = traffic.buy(np.ones(traffic.num_units, dtype=np.int64))
    assert paid == problem.network.sum_of_distances == 144
    assert loads.sum() == 144


def test_a_link_is_one_unit_under_half_duplex() -> None:
    """The two channels of a link draw on one unit."""
    full, half = (Traffic.of(problem_of("ring:5", duplex=duplex)) for duplex in ("full", "half"))
    assert full is not None
    assert half is not None
    assert (full.num_units, half.num_units) == (10, 5)


def test_restricted_routing_leaves_one_path() -> None:
    """Under dimension-order a message between opposite corners loads the channels of its row first."""
    mesh = network("mesh:2x2")
    traffic = Traffic.of(Problem(mesh, pairs([(0, 3)]), Rules(routing="dimension-order")))
    assert traffic is not None
    _, loads = traffic.buy(np.ones(traffic.num_units, dtype=np.int64))
    used = [mesh.channels[channel].tolist() for channel in np.flatnonzero(loads)]
    assert sorted(used) == [[0, 1], [1, 3]]


def test_machine_code_buys_the_same() -> None:
    """Compiled or not, the same is paid."""
    traffic = Traffic.of(problem_of("kautz:2,2"))
    assert traffic is not None
    prices = np.arange(1, traffic.num_units + 1)
    paid, loads = traffic.buy(prices)
    traffic.compile()
    again, same = traffic.buy(prices)
    assert paid == again
    assert np.allclose(loads, same)
