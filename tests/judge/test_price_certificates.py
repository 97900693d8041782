"""Certificates by prices: read with care, and counted as their maker counts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pavane.bounds.prices import CertificatePrices, priced
from pavane.errors import InputError
from pavane.judge.certificates import proven
from pavane.model.bound import Bound
from pavane.model.collectives import alltoall, pairs
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from tests.bounds.tiny import PRIVATE, tiny_problems
from tests.bounds.told import bound_of
from tests.problems import problem_of


@pytest.mark.parametrize(
    ("groups", "text"),
    [
        ([[1, 24]], "prices name what does not exist: 24 are there"),
        ([[1, -1]], "prices name what does not exist: 24 are there"),
        ([[-1, 0]], "a price must be a whole number, not -1"),
        ([[0.5, 0]], "a price must be a whole number, not 0.5"),
        ([["1", 0]], "a price must be a whole number, not '1'"),
        ([[2**31, 0]], "a price must be a whole number, not 2147483648"),
        ([[]], "cannot be read"),
        ([1], "cannot be read"),
        (None, "cannot be read"),
        ([[1, "a"]], "cannot be read"),
    ],
)
def test_bad_prices_are_refused(groups: Any, text: str) -> None:
    """Prices on channels that do not exist, and prices that are negative, broken or absurd, are refused by name."""
    problem = problem_of("mesh:3x3", "AAS")
    bound = Bound(1, "sum-of-distances", {"channels": groups, "injection": [], "ejection": []})
    with pytest.raises(InputError, match="the certificate of bound 'sum-of-distances' cannot be read") as refusal:
        proven(problem, bound)
    assert text in str(refusal.value)


def test_prices_removed_prove_less() -> None:
    """A price list from which a price was taken proves what is left of it, and nothing when all are gone."""
    problem = problem_of("mesh:3x3", "AAS", Rules(routing="any"))
    bound = bound_of(problem, "sum-of-distances")
    fewer = {**bound.certificate, "channels": [[1, 0, 1]]}
    assert proven(problem, replace(bound, certificate=fewer)) < bound.figure
    with pytest.raises(InputError, match="a price list that prices nothing proves nothing"):
        proven(problem, replace(bound, certificate={**bound.certificate, "channels": []}))


def test_prices_that_would_wrap_round_are_refused() -> None:
    """Prices whose sums do not fit 64 bits prove nothing, however cleverly they wrap round to a small sum."""
    full = network("complete:4")
    ports = 2**31 - 1
    problem = Problem(full, alltoall(full), Rules(ports=ports))
    # So many that ports times prices is just above 2^64.
    left, prices = -(-(2**64) // ports), []
    while left:
        prices.append(min(left, 2**31 - 1))
        left -= prices[-1]
    inject, eject = ([[price, p] for p, price in enumerate(half)] for half in (prices[:4], prices[4:]))
    bound = Bound(9, "prices", {"channels": [], "injection": inject, "ejection": eject})
    with pytest.raises(InputError, match="prices up to 2,147,483,647 are too high to be added up"):
        proven(problem, bound)


@given(tiny_problems(kinds=PRIVATE, combining=(False,)), st.data())
def test_the_judge_and_the_maker_agree(problem: Problem, data: st.DataObject) -> None:
    """Two programs that share nothing find the same steps for any prices."""
    sizes = (problem.network.num_channels, problem.network.num_processors, problem.network.num_processors)
    columns = [np.array(data.draw(st.lists(st.integers(0, 9), min_size=n, max_size=n)), dtype=np.int64) for n in sizes]
    columns[1][0] = 1  # something must have a price
    bound = priced(problem, CertificatePrices(*columns), "channel-prices")
    assert proven(problem, bound) == bound.figure


@pytest.mark.parametrize("routing", ["minimal", "any", "dimension-order", "west-first", "north-last"])
@pytest.mark.parametrize("spec", ["mesh:4x5", "torus:4x5", "torus:2x3"])
def test_they_agree_on_grids(spec: str, routing: Any) -> None:
    """They agree under every routing, also on the network read backwards and with a broken link."""
    made = network(spec)
    rng = np.random.default_rng(5)
    for where in (made, made.reversed(), made.without(links=[(0, 1)])):
        messages = [(0, 7 % made.num_routers), (5, 3), (4, 0), (2, 4)]
        try:
            problem = Problem(where, pairs(messages), Rules(routing=routing))
        except InputError:
            continue  # the broken link parts somebody
        for _ in range(5):
            zeros = np.zeros(where.num_processors, dtype=np.int64)
            bound = priced(
                problem, CertificatePrices(rng.integers(0, 9, where.num_channels), zeros, zeros), "channel-prices"
            )
            assert proven(problem, bound) == bound.figure


def test_many_routers_take_seconds() -> None:
    """An all-to-all of 256 routers is checked at once; equal prices prove the sum of distances."""
    problem = problem_of("torus:16x16", "AAS")
    everything = list(range(problem.network.num_channels))
    bound = Bound(0, "sum-of-distances", {"channels": [[7, *everything]], "injection": [], "ejection": []})
    assert proven(problem, bound) == problem.network.sum_of_distances // problem.network.num_channels == 512
