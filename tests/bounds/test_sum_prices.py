"""Bounds of an allreduce where switches add and copy: by prices, and by what the first and the last step carry."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from pavane.bounds import lower_bounds, sum_prices
from pavane.errors import InputError
from pavane.judge.certificates import proven, proven_exactly
from pavane.model.bound import Bound
from pavane.model.collectives import allreduce, in_pieces
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import network

STORED: dict[str, Any] = {"switching": "store-and-forward", "switches": "copy"}


def sums(spec: str, pieces: int = 1, **rules: Any) -> Problem:
    """Return an allreduce on a network of the catalogue."""
    made = network(spec)
    return Problem(made, in_pieces(allreduce(made), pieces), Rules(**(STORED | rules)))


@pytest.mark.parametrize(
    ("spec", "pieces", "rules", "exact"),
    [
        # 63 members, 8/7 of a sending and of an arrival each: 36 of the 256 prices of a step, and two steps have 4/7.
        ("rails:8,8", 1, {}, 2 + Fraction(64 * 63 * 16, 7 * 256) - Fraction(2 * 128 * 8, 7 * 256)),
        ("rails:2,2", 1, {}, Fraction(3)),
        ("nvl:8", 9, {}, Fraction(72, 18)),
        ("nvl:8", 1, {"ports": 1}, Fraction(8)),
    ],
)
def test_prices_by_hand(spec: str, pieces: int, rules: dict[str, Any], exact: Fraction) -> None:
    """One arrival from a switch of g processors goes with g - 1 first sendings at most, and the other way round."""
    problem = sums(spec, pieces, **rules)
    bound = sum_prices.best_prices(problem, 0)
    assert bound is not None
    assert bound.exact == proven_exactly(problem, bound)
    assert float(exact) == pytest.approx(float(bound.exact), rel=1e-4)


@pytest.mark.parametrize("spec", ["dgx-2:2", "rails:3,4,2,1", "dgx-h100", "dgx-a100:3"])
@pytest.mark.parametrize("rules", [{}, {"duplex": "half"}, {"ports": 1}, {"ports": 2, "routing": "any"}])
def test_makers_and_judge_agree(spec: str, rules: dict[str, Any]) -> None:
    """What the makers claim the judge proves."""
    problem = sums(spec, 2, **rules)
    for bound in lower_bounds(problem):
        assert proven(problem, bound) >= bound.figure


def test_neither_holds_elsewhere() -> None:
    """Where processors pass messages on, or share a router, nothing is proven."""
    made = network("rails:2,2")
    priced = sum_prices.best_prices(sums("rails:2,2"), 0)
    assert priced is not None
    for rules in ({"switches": "copy"}, {"multicast": True}):
        problem = Problem(made, "ALLREDUCE", Rules(**rules))
        assert sum_prices.best_prices(problem, 0) is None
        with pytest.raises(InputError, match="a step end at every processor"):
            proven(problem, priced)
    fat = Network("fat", 3, [(0, 2), (2, 0), (1, 2), (2, 1)], [0, 0, 1])
    problem = Problem(fat, "ALLREDUCE", Rules(**STORED))
    assert sum_prices.best_prices(problem, 0) is None
    with pytest.raises(InputError, match="share a router"):
        proven(problem, Bound(9, "sum-prices", {"domains": [], "direct": 0, "sending": 1, "receiving": 1}))


@pytest.mark.parametrize(
    ("certificate", "text"),
    [
        ({"domains": [], "direct": 0, "sending": 0, "receiving": 0}, "nothing has a price"),
        ({"domains": [[4, -1, 0]], "direct": 0, "sending": 0, "receiving": 0}, "is not a price"),
        ({"domains": [[0, 1, 1]], "direct": 0, "sending": 0, "receiving": 0}, "cannot be read"),
    ],
)
def test_false_prices_are_refused(certificate: dict[str, Any], text: str) -> None:
    """Prices are whole numbers from 0 up, on switches, and not all 0."""
    with pytest.raises(InputError, match=text):
        proven(sums("rails:2,2"), Bound(9, "sum-prices", certificate))


def test_one_way_channels_join_processors_to_a_domain() -> None:
    """A processor that only hears from a switch, or only sends to it, is beside it, for the maker as for the judge."""
    ways = [(1, 2), (0, 3), (0, 1), (2, 3), (3, 0)]
    made = Network("one-way", 4, ways, [1, 2], capacities=[1, 5, 5, 1, 5])
    problem = Problem(made, "ALLREDUCE", Rules(**STORED, ports=1, routing="any"))
    bound = sum_prices.best_prices(problem, 0)
    assert bound is not None
    assert bound.figure <= proven(problem, bound)
