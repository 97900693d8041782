"""Rotation both ways: half of P - 1 steps over two ports, on networks with a cycle of two-way links."""

from typing import Any

import pytest

from pavane.bounds import counted_bounds
from pavane.model.collectives import many_to_many_broadcast, named
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.search.synthesis import solve
from pavane.solvers.constructions.ring.rotation import Rotation
from tests.problems import problem_of
from tests.solvers.constructions.judged import declines, figures, shuffled

BOTH = Rotation(ways=2)


def allgather(where: str | Network, **rules: Any) -> Problem:
    """Return an allgather among all processors."""
    return problem_of(where, "AAB", Rules(**rules))


def half(problem: Problem) -> int:
    """Return half of what every processor receives, rounded up."""
    return -(-(problem.num_messages - 1) // 2)


@pytest.mark.parametrize("switching", ["wormhole", "store-and-forward"])
@pytest.mark.parametrize("spec", ["mesh:4x4", "mesh:4x5", "mesh:2x7", "mesh:3x8", "mesh:12x12", "ring:7", "ring:8"])
def test_meshes_take_what_their_corners_need(spec: str, switching: str) -> None:
    """A corner receives two messages a step, so (P - 1) / 2 steps, rounded up, are the bound."""
    problem = allgather(spec, switching=switching)
    assert figures(BOTH, problem)[0] == half(problem) == counted_bounds(problem)[0].figure


@pytest.mark.parametrize("spec", ["mesh:5x5", "mesh:5x3", "mesh:3x7", "mesh:7x7", "mesh:9x5", "mesh:15x17"])
def test_meshes_of_odd_sides_jump_once(spec: str) -> None:
    """They have no Hamiltonian cycle; under wormhole one path of two channels closes the cycle, however numbered."""
    for made in (network(spec), shuffled(network(spec), 1)):
        for routing in ("minimal", "any"):
            problem = allgather(made, routing=routing)
            assert figures(BOTH, problem)[0] == half(problem) == counted_bounds(problem)[0].figure
    assert declines(BOTH, allgather(spec, switching="store-and-forward"))


@pytest.mark.parametrize("spec", ["hypercube:4", "torus:5x5", "heawood", "mesh:3x4x5", "complete:7"])
def test_two_ports_need_no_more(spec: str) -> None:
    """With two ports it is optimal wherever there is a Hamiltonian cycle."""
    problem = allgather(spec, ports=2)
    assert figures(BOTH, problem)[0] == half(problem) == counted_bounds(problem)[0].figure


def test_processors_of_one_router_follow_each_other() -> None:
    """They need no channel between them, and members may be some of the processors."""
    problem = allgather("fat-octagon:2", ports=2)
    assert figures(BOTH, problem)[0] == 8
    octagon = network("octagon")
    some = Problem(octagon, many_to_many_broadcast((0, 1, 2, 3, 4), (0, 1, 2, 3, 4)))
    assert figures(BOTH, some)[0] == 2


def test_other_problems_are_declined() -> None:
    """One port, half duplex, combining, one-way links, other collectives, two processors, and no cycle."""
    for rules in ({"ports": 1}, {"duplex": "half"}, {"combining": True}):
        assert declines(BOTH, allgather("mesh:4x4", **rules))
    for spec in ("kautz:3,2", "ring:5,oneway", "petersen", "line:2", "line:5", "star:5", "mesh:3x3"):
        assert declines(BOTH, allgather(spec))
    mesh = network("mesh:4x4")
    for kind in ("OAB", "AAS"):
        assert declines(BOTH, Problem(mesh, named(kind, mesh)))


def test_auto_takes_it_for_large_meshes() -> None:
    """Above twenty thousand arrivals it comes before rarest first, where it meets the bound."""
    result = solve(problem_of("mesh:13x12", "AAB"))
    assert (result.num_steps, result.status, result.provenance.solver) == (78, "optimal", "rotation")


def test_without_a_choice_both_ways_are_taken_where_they_can_be() -> None:
    """Half the steps where links go both ways, all of them where they do not, and one way if that is asked for."""
    for spec, rules, steps in (("mesh:4x4", Rules(), 8), ("mesh:4x4", Rules(ports=1), 15), ("kautz:3,2", Rules(), 11)):
        assert figures(Rotation(), problem_of(spec, "AAB", rules))[0] == steps
    assert figures(Rotation(ways=1), allgather("mesh:4x4"))[0] == 15
