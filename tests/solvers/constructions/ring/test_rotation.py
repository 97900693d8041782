"""Rotation: P - 1 steps over one port, on any network that two-way links join or that has a Hamiltonian cycle."""

import pytest
from hypothesis import given

from pavane.model.collectives import many_to_many_broadcast, named
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.parallel.budget import Budget
from pavane.solvers.constructions.ring.rotation import Rotation
from tests.bounds.exhaustive import fewest_steps
from tests.bounds.tiny import tiny_problems
from tests.checker import judge
from tests.problems import examples

ANY = Rules(ports=1, routing="any")

ONE_WAY = Rotation(ways=1)


def steps(problem: Problem) -> int:
    """Return the number of steps, which both judges have accepted."""
    assert ONE_WAY.supports(problem)
    result = ONE_WAY(problem, None, 0, Budget())
    assert result.schedule is not None
    assert not judge(problem, result.schedule)
    return result.schedule.num_steps


EXAMPLES = examples()
SMALL = [made.name for made in EXAMPLES if made.num_processors <= 36 and made.capacities is None]


@pytest.mark.parametrize("text", SMALL)
def test_every_family(text: str) -> None:
    """On every network without capacities, one-way or two-way, one port and any routing give P - 1 steps."""
    made = network(text)
    assert steps(Problem(made, named("AAB", made), ANY)) == made.num_processors - 1


def test_tours_pass_routers_that_have_no_members() -> None:
    """Members anywhere rotate among themselves; a branch without members is left out."""
    made = network("mesh:4x4")
    for members in ((0, 15), (3, 12, 5), (1, 2, 4, 8, 11)):
        problem = Problem(made, many_to_many_broadcast(members, tuple(reversed(members))), ANY)
        assert steps(problem) == len(members) - 1


def test_minimal_routing_needs_shortest_paths() -> None:
    """A tree has no other paths and a ring turns round; Petersen, which has no Hamiltonian cycle, is declined."""
    minimal = Rules(ports=1, routing="minimal")
    for text in ("star:8", "line:6", "fat-tree:4", "ring:8", "mesh:4x4", "heawood", "kautz:3,2"):
        made = network(text)
        assert steps(Problem(made, named("AAB", made), minimal)) == made.num_processors - 1
    petersen = network("petersen")
    problem = Problem(petersen, named("AAB", petersen), minimal)
    assert not Rotation().supports(problem)
    assert Rotation()(problem, None, 0, Budget()).schedule is None


@pytest.mark.parametrize("text", ["mesh:4x4", "mesh:8x8", "torus:5x5", "hypercube:5", "levi", "kautz:3,3"])
def test_hamiltonian_cycles_serve_all_rules(text: str) -> None:
    """A cycle of single channels is valid under store-and-forward and half duplex."""
    made = network(text)
    rules = Rules(ports=1, switching="store-and-forward", duplex="half")
    assert steps(Problem(made, named("AAB", made), rules)) == made.num_processors - 1


def test_two_processors_under_half_duplex() -> None:
    """There and back over one link breaks half duplex; a second, parallel link mends it."""
    half = Rules(ports=1, duplex="half")
    for links, possible in ((1, False), (2, True)):
        pair = Network("pair", 2, [(0, 1), (1, 0)] * links)
        assert Rotation().supports(Problem(pair, named("AAB", pair), half)) == possible


def test_one_router() -> None:
    """Processors on one router need no channel at all."""
    lone = Network("lone", 1, [], [0, 0, 0, 0])
    assert steps(Problem(lone, named("AAB", lone), Rules(ports=1))) == 3


@given(tiny_problems(kinds=("AAB", "AAR", "MNB"), combining=(False,)))
def test_valid_wherever_it_is_supported(problem: Problem) -> None:
    """What it supports it solves, in one step fewer than there are members and never below the optimum."""
    if not Rotation().supports(problem):
        assert Rotation()(problem, None, 0, Budget()).schedule is None
        return
    found = steps(problem)
    assert found == len(problem.collective.senders) - 1
    optimum = fewest_steps(problem, most_tried=2_000)
    assert optimum is None or found >= optimum
    if problem.rules.ports == 1 and optimum is not None:
        assert found == optimum


def test_one_way_networks_without_a_hamiltonian_cycle_are_declined() -> None:
    """Two one-way rings that share a router have no cycle through all."""
    eight = Network("eight", 5, [(0, 1), (1, 2), (2, 0), (0, 3), (3, 4), (4, 0)])
    assert not Rotation().supports(Problem(eight, named("AAB", eight), ANY))
