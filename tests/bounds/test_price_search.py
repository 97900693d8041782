"""The search for prices by turns: it ends where it should, and comes close to the linear program."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pavane.bounds.price_program import by_linear_program, fits_a_program
from pavane.bounds.price_search import MOST_PRICE, by_weights
from pavane.bounds.traffic import Traffic
from pavane.jit import clock
from pavane.model.arrays import Reals
from pavane.model.collectives import alltoall
from pavane.model.network import Network
from pavane.model.problem import Problem
from pavane.networks import network
from tests.problems import problem_of


def proven(traffic: Traffic, per_unit: Reals) -> float:
    """Return what prices prove, before it is rounded up."""
    whole = np.rint(per_unit / per_unit.max() * MOST_PRICE).astype(np.int64)
    paid, _ = traffic.buy(whole)
    return paid / int((whole * traffic.capacity).sum())


STORED: dict[str, Any] = {"switching": "store-and-forward"}


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("kautz:3,3", {}),
        ("kautz:3,3", {"routing": "any"}),
        ("dragonfly:4,2", {"routing": "any"}),
        ("random-regular:48,4,1", {"routing": "any"}),
        ("random-regular:32,4,1", {"duplex": "half"}),
        ("hierarchical-rings:4,4", {}),
        ("mesh:4x4", {"routing": "dimension-order"}),
        ("mesh:6x6", STORED | {"ports": 1}),
        ("kautz:3,3", STORED | {"ports": 2}),
        ("fat-octagon:2", STORED | {"ports": 1}),
        ("fat-tree:4", STORED | {"ports": 1, "switches": "pass"}),
    ],
)
def test_multiplicative_weights_come_close(text: str, rules: dict[str, Any]) -> None:
    """Where both run, multiplicative weights prove at least 99 % of what the linear program proves."""
    problem = problem_of(text, "AAS", **rules)
    traffic = Traffic.of(problem)
    assert traffic is not None
    assert fits_a_program(traffic)
    best = by_linear_program(traffic, None)
    assert best is not None
    exact, close = (proven(traffic, prices) for prices in (best, by_weights(traffic, 200, None).per_unit))
    assert close >= 0.99 * exact or -(-close // 1) >= -(-exact // 1)


def test_the_same_turns_find_the_same_prices() -> None:
    """Nothing is drawn: two searches of the same number of turns agree."""
    traffic = Traffic.of(problem_of("random-regular:16,3,1"))
    assert traffic is not None
    first, second = (by_weights(traffic, 15, None).per_unit for _ in range(2))
    assert np.array_equal(first, second)


def test_where_all_channels_are_alike_the_first_turn_settles_it() -> None:
    """On a torus equal prices are the best, and multiplicative weights know so at once."""
    traffic = Traffic.of(problem_of("torus:4x4"))
    assert traffic is not None
    weights = by_weights(traffic, 1, None)
    assert weights.is_settled
    assert len(set(weights.per_unit.tolist())) == 1


def test_a_deadline_ends_the_turns() -> None:
    """After the deadline one turn is made, so that there are prices at all."""
    traffic = Traffic.of(problem_of("kautz:3,3"))
    assert traffic is not None
    assert not by_weights(traffic, 10**6, clock.now()).is_settled


def test_a_cut_that_has_lost_a_link_is_found() -> None:
    """Half of the 144 routers of a torus send to the other half over 24 channels; one is lost, and that binds."""
    made = network("torus:12x12")
    kept = [pair for pair in made.channels.tolist() if sorted(pair) != [0, 1]]
    net = Network("torus less one link", made.num_routers, kept)
    traffic = Traffic.of(Problem(net, alltoall(net)))
    assert traffic is not None
    assert proven(traffic, by_weights(traffic, 200, None).per_unit) >= 0.998 * 72 * 72 / 23
