"""Store-and-forward scatter on networks that look alike from every router."""

from typing import Any

import pytest

import pavane
from pavane.bounds import counted_bounds
from pavane.judge.certificates import proven
from pavane.model.collectives import alltoall, in_pieces, permutation
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.parallel.budget import Budget
from pavane.solvers.constructions.open_shop.translated import Translated
from tests.problems import problem_of
from tests.solvers.constructions.judged import declines

STORED = Rules("store-and-forward")

AT_THE_BOUND = {
    "ring:7": 6,
    "ring:8": 8,
    "spidergon:16": 16,
    "torus:4x4": 8,
    "torus:5x5": 15,
    "torus:6x4": 18,
    "torus:7x9": 70,
    "torus:3x4x5": 36,
    "torus:8x8": 64,
    "folded-hypercube:5": 11,
    **{f"hypercube:{dimension}": 2 ** (dimension - 1) for dimension in range(1, 8)},
}


def stored(where: str | Network, **settings: Any) -> Problem:
    """Return an all-to-all scatter under store-and-forward."""
    return problem_of(where, switching="store-and-forward", **settings)


def steps(problem: Problem) -> int:
    """Return the steps of what is found; a Result has been judged."""
    found = Translated()(problem, None, 0, Budget()).num_steps
    assert found is not None
    return found


@pytest.mark.parametrize(("spec", "fewest"), AT_THE_BOUND.items())
def test_known_networks_are_scheduled_at_the_bound(spec: str, fewest: int) -> None:
    """With all ports the busiest kind of channels is never idle, and that is proven."""
    result = Translated()(stored(spec), None, 0, Budget())
    assert result.num_steps == fewest
    bounds = [*counted_bounds(stored(spec)), *result.bounds]
    assert max(proven(stored(spec), bound) for bound in bounds) == fewest


@pytest.mark.parametrize("size", [*range(3, 20), 31, 32, 33, 62, 63, 64])
def test_every_ring_takes_an_eighth_of_its_square(size: int) -> None:
    """n^2 / 8 rounded up if n is even, and (n^2 - 1) / 8 if it is odd: half of the sum of distances."""
    assert steps(stored(f"ring:{size}")) == -(-(size**2 // 4) // 2)


@pytest.mark.parametrize(
    "sides",
    [(a, b) for a in range(2, 9) for b in range(2, 9) if a <= b or (a + b) % 5 == 0]
    + [(2, 3, 4), (3, 3, 5), (4, 4, 4), (2, 2, 7)],
    ids=lambda sides: "x".join(map(str, sides)),
)
def test_every_torus_takes_the_load_of_its_longest_side(sides: tuple[int, ...]) -> None:
    """The sum of distances along one side, over its two kinds of channels, or the one that sides of two have."""
    routers = pavane.network(f"torus:{'x'.join(map(str, sides))}").num_routers
    loads = [-(-(routers // side * (side**2 // 4)) // (2 if side > 2 else 1)) for side in sides]
    assert steps(stored(f"torus:{'x'.join(map(str, sides))}")) == max(loads)


@pytest.mark.parametrize("sizes", ["7,1,2", "9,1,3", "11,1,3", "13,1,5", "16,1,4", "17,1,5", "21,1,2", "23,1,3"])
def test_circulants_are_at_the_bound(sizes: str) -> None:
    """A ring with links to the routers some way on: shortest ways, or detours, take what prices prove."""
    problem = stored(f"circulant:{sizes}")
    best = pavane.lower_bounds(Problem(problem.network, problem.collective, Rules(routing="any")))[0]
    assert steps(problem) == best.figure


@pytest.mark.parametrize(
    ("spec", "fewest"),
    [("ring:8", 16), ("spidergon:16", 39), ("torus:4x4", 32), ("torus:8x8", 256), ("torus:3x4x5", 172)],
)
def test_one_port_takes_the_sum_of_distances(spec: str, fewest: int) -> None:
    """Whatever the order of the hops, every router sends and receives one message in every step."""
    assert steps(stored(spec, ports=1)) == fewest == counted_bounds(stored(spec, ports=1))[0].figure


@pytest.mark.parametrize("ports", [1, 2, 3, 4])
@pytest.mark.parametrize("spec", ["hypercube:4", "torus:4x5", "torus:3x3", "spidergon:10"])
def test_some_ports_take_the_most_of_loads_and_hops(spec: str, ports: int) -> None:
    """All hops from one router, divided by its ports, or what all ports take."""
    found = network(spec)
    assert steps(stored(spec, ports=ports)) == max(-(-int(found.distances[0].sum()) // ports), steps(stored(spec)))


@pytest.mark.parametrize(
    ("spec", "fewest"), [("ring:7", 12), ("ring:8", 16), ("torus:4x4", 16), ("hypercube:4", 16), ("spidergon:8", 8)]
)
def test_half_duplex_shares_links(spec: str, fewest: int) -> None:
    """Opposite kinds take turns; links of a kind that is its own opposite are used by one end after the other."""
    assert steps(stored(spec, duplex="half")) == fewest


def test_ports_and_links_that_take_turns_do_not_go_together() -> None:
    """Where the ends of a link take turns, routers send in different steps, and ports would count otherwise."""
    assert declines(Translated(), stored("hypercube:3", duplex="half", ports=1))
    assert Translated().supports(stored("hypercube:3", duplex="half", ports=3))
    assert Translated().supports(stored("torus:3x3", duplex="half", ports=1))


@pytest.mark.parametrize(("pieces", "fewest"), [(2, 16), (3, 24), (5, 40)])
def test_pieces_are_jobs_of_their_own(pieces: int, fewest: int) -> None:
    """On a ring of eight, where one piece of the messages half way round may have to part."""
    ring = network("ring:8")
    assert steps(Problem(ring, in_pieces(alltoall(ring), pieces), STORED)) == fewest


def test_sizes_must_be_those_of_displacements() -> None:
    """Messages to the next router may be longer than others, but not those of one router only."""
    ring = network("ring:5")
    longer = [(router, (router + 1) % 5, 3) for router in range(5)]
    assert steps(Problem(ring, in_pieces(alltoall(ring), 1, longer), STORED)) == 5
    none = [(router, (router + 2) % 5, 0) for router in range(5)]
    assert steps(Problem(ring, in_pieces(alltoall(ring), 1, none), STORED)) == 3
    assert declines(Translated(), Problem(ring, in_pieces(alltoall(ring), 1, longer[:1]), STORED))
    assert steps(Problem(ring, permutation([2, 3, 4, 0, 1]), STORED)) == 2
    assert declines(Translated(), Problem(ring, permutation([1, 0, 3, 4, 2]), STORED))


def test_channels_of_a_kind_may_carry_several_messages() -> None:
    """A ring whose channels carry two up and one down; they must all carry alike."""
    channels = [(r, (r + way) % 8) for r in range(8) for way in (1, -1)]
    wide = Network("wide", 8, channels, capacities=[2, 1] * 8)
    assert steps(Problem(wide, alltoall(wide), STORED)) == 6
    assert declines(Translated(), stored(Network("odd", 8, channels, capacities=[2] + [1] * 15)))
    twice = Network("twice", 8, channels, capacities=[2] * 16)
    assert steps(Problem(twice, alltoall(twice), STORED)) == 5
    parallel = Network("parallel", 8, channels + channels)
    assert steps(Problem(parallel, alltoall(parallel), STORED)) == 5
