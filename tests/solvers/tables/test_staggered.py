"""Tables for store-and-forward all-to-all scatter are valid and as busy as their busiest kind or their ports."""

from dataclasses import replace

import numpy as np
import pytest

from pavane.model.problem import Rules
from pavane.solvers.tables.staggered import even_ways
from pavane.symmetry.cayley import cayley_of
from tests.problems import problem_of
from tests.solvers.tables.judged import judged_table

STORED = Rules("store-and-forward")
BALANCED = {
    "torus:3x3": 3,
    "torus:4x4": 8,
    "torus:5x5": 15,
    "torus:8x8": 64,
    "torus:4x4x4": 32,
    "torus:3x3x3": 9,
    "hypercube:3": 4,
    "hypercube:6": 32,
    "ring:9": 10,
    "circulant:101,1,10": 125,
    "gaussian:3,2": 5,
}
"""Networks whose kinds of channels can be loaded alike, with a kind's load."""


@pytest.mark.parametrize(("spec", "load"), BALANCED.items())
@pytest.mark.parametrize("pieces", [1, 2])
def test_balanced_networks_take_as_many_steps_as_a_kind_has_hops(spec: str, load: int, pieces: int) -> None:
    """Where all kinds are loaded alike, no kind is idle in any step."""
    problem = problem_of(spec, "AAS", STORED)
    problem = replace(problem, collectives=(replace(problem.collective, pieces=pieces),))
    assert judged_table("staggered-shop", problem).num_steps == pieces * load


@pytest.mark.parametrize(("spec", "load"), [("torus:4x6", 18), ("torus:3x5x7", 90), ("torus:2x6", 9)])
def test_the_longest_side_decides(spec: str, load: int) -> None:
    """On a torus of unequal sides the kinds of the longest one are never idle."""
    assert judged_table("staggered-shop", problem_of(spec, "AAS", STORED)).num_steps == load


@pytest.mark.parametrize("spec", ["torus:4x4", "torus:3x5", "hypercube:4", "circulant:30,1,4,7", "torus:2x4"])
@pytest.mark.parametrize("ports", [1, 2, 3])
def test_few_ports_are_never_idle(spec: str, ports: int) -> None:
    """With k ports all hops of one router take a k-th of their number of steps, rounded up."""
    problem = problem_of(spec, "AAS", replace(STORED, ports=ports))
    hops = int(problem.network.distances_from(0).sum())
    assert judged_table("staggered-shop", problem).num_steps == -(-hops // ports)


def test_half_way_round_goes_both_ways_in_pieces() -> None:
    """On an even ring a message half way round goes up; with two pieces, one goes up and one down."""
    problem = problem_of("ring:8", "AAS", STORED)
    assert judged_table("staggered-shop", problem).num_steps == 10
    two = replace(problem, collectives=(replace(problem.collective, pieces=2),))
    assert judged_table("staggered-shop", two).num_steps == 16


@pytest.mark.parametrize("spec", ["torus:16x16x16", "torus:10x6x4", "torus:31x31", "hypercube:8", "gaussian:5,6"])
def test_ways_load_opposite_kinds_alike(spec: str) -> None:
    """Ways are shortest ones, and opposite kinds have equally many hops."""
    problem = problem_of(spec, "AAS", STORED)
    cayley = cayley_of(problem.network)
    assert cayley is not None
    ways = even_ways(cayley)
    assert np.array_equal(ways.sum(axis=1), problem.network.distances_from(0))
    loads = ways.sum(axis=0)
    assert np.array_equal(loads, loads[cayley.kinds.opposites])
