"""Prices on channels of timed problems: proven by the judge's own count, and above cuts where ways share channels."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pavane.bounds.timed_cuts import best_cuts
from pavane.bounds.timed_prices import best_prices
from pavane.judge.certificates import proven
from pavane.model.collectives import named
from pavane.model.links import Links
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import network

STORED = Rules(switching="store-and-forward")


def test_prices_prove_more_than_cuts_where_links_differ() -> None:
    """On a ring of unequal links no single cut shows how loaded its channels are together."""
    ring, rng = network("ring:8"), np.random.default_rng(0)
    latencies = rng.integers(200_000, 2_000_000, ring.num_channels)
    rates = rng.choice([12, 25, 50, 100], ring.num_channels) * 10**9
    links = Links(latencies, np.zeros(ring.num_channels, dtype=np.int64), rates)
    problem = Problem(ring, named("aas", ring), STORED, links=links, num_bytes=2**20)
    prices = best_prices(problem)
    assert prices is not None
    assert proven(problem, prices) == prices.figure
    assert prices.figure > max(bound.figure for bound in best_cuts(problem))


def test_whole_transfers_raise_the_bound() -> None:
    """Of 4 pieces over a channel and a detour of two, 3 take the one and one the other; in parts 5/2 and 3/2 would."""
    triangle = Network("triangle", 3, [(0, 1), (0, 2), (2, 1)], router_of=[0, 1, 2])
    problem = Problem(triangle, named("pairs", triangle, pairs=[(0, 1)], pieces=4), STORED)
    problem = replace(problem, links=Links.uniform(triangle, bytes_per_second=10**12), num_bytes=40)
    prices = best_prices(problem)
    assert prices is not None
    assert proven(problem, prices) == prices.figure == 30


def test_equal_prices_are_the_sum_of_distances() -> None:
    """On a ring of 5 each processor has messages of 1, 1, 2 and 2 hops, over two channels: three of them each."""
    ring = network("ring:5")
    links = Links.uniform(ring, latency_ps=7, bytes_per_second=10**12)
    problem = Problem(ring, named("aas", ring), STORED, links=links, num_bytes=100)
    prices = best_prices(problem)
    assert prices is not None
    assert prices.figure == proven(problem, prices) == 3 * 100 + 7


def test_only_private_messages_have_prices() -> None:
    """An allgather copies its messages, so that a channel serves many receivers."""
    ring = network("ring:5")
    links = Links.uniform(ring, bytes_per_second=10**12)
    assert best_prices(Problem(ring, named("aab", ring), STORED, links=links, num_bytes=100)) is None
