"""The two searches for prices: both end where they should, and the quick one comes close."""

from __future__ import annotations

import time
from typing import Literal

import numpy as np
import pytest

from pavane.bounds.price_program import by_linear_program, fits_a_program
from pavane.bounds.price_search import MOST_PRICE, by_weights
from pavane.bounds.traffic import Traffic
from pavane.model.arrays import Reals
from tests.problems import problem_of


def proven(traffic: Traffic, per_unit: Reals) -> float:
    """Return what prices prove, before it is rounded up."""
    whole = np.rint(per_unit / per_unit.max() * MOST_PRICE).astype(np.int64)
    paid, _ = traffic.buy(whole)
    return paid / int(whole.sum())


@pytest.mark.parametrize(
    ("text", "routing"),
    [
        ("kautz:3,2", "minimal"),
        ("kautz:3,3", "minimal"),
        ("kautz:3,3", "any"),
        ("dragonfly:4,2", "any"),
        ("random-regular:48,4,1", "minimal"),
        ("random-regular:48,4,1", "any"),
        ("hierarchical-rings:4,4", "minimal"),
        ("mesh:6x6", "minimal"),
    ],
)
def test_multiplicative_weights_come_close(text: str, routing: Literal["minimal", "any"]) -> None:
    """Where both run, multiplicative weights prove at least 97 % of what the linear program proves."""
    problem = problem_of(text, "AAS", routing=routing)
    traffic = Traffic.of(problem)
    assert traffic is not None
    assert fits_a_program(traffic)
    best = by_linear_program(traffic, None)
    assert best is not None
    exact, close = (proven(traffic, prices) for prices in (best, by_weights(traffic, 200, None).per_unit))
    assert close >= 0.97 * exact or -(-close // 1) >= -(-exact // 1)


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
    assert not by_weights(traffic, 10**6, time.monotonic()).is_settled
