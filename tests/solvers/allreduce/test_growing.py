"""Trees grow over neighbours, and load channels alike."""

from dataclasses import replace

import numpy as np

from pavane.model.collectives import allreduce, in_pieces, named
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.solvers.allreduce.growing import Grower, neighbours_of, num_edges
from pavane.solvers.step_table import TransferUnits
from tests.problems import problem_of


def test_neighbours() -> None:
    """Switches are neighbours where they hold, and join neighbours where they pass or under wormhole switching."""
    made = network("nvl:4")
    held = Problem(made, named("allreduce", made), Rules("store-and-forward"))
    passed = Problem(made, named("allreduce", made), Rules("store-and-forward", switches="pass"))
    worms = Problem(made, named("allreduce", made), Rules())
    assert any(here < 0 for here in neighbours_of(held))
    assert sorted(neighbours_of(passed)) == [0, 1, 2, 3]
    assert neighbours_of(passed) == neighbours_of(worms)
    assert num_edges(passed) >= sum(map(len, neighbours_of(passed).values()))


def test_trees_span_all_members_and_load_channels_alike() -> None:
    """Each tree has one edge less than locations; together they are within a few of the bound by classes."""
    made = network("mesh:4x4")
    problem = Problem(made, in_pieces(named("allreduce", made), 4), Rules("store-and-forward"))
    ground = TransferUnits(problem)
    grower, rng = Grower(problem, ground, 40), np.random.default_rng(0)
    trees = [grower.grown(grower.start(rng, 0.1), rng, 0.1) for _ in range(problem.num_messages)]
    for tree in trees:
        assert len(tree) == 15
        assert {end for edge in tree for end in (edge.one, edge.other)} == set(range(16))
    assert max(grower.loads[: made.num_channels]) <= 44
    for tree in trees:
        grower.load(tree, -1)
    assert not any(grower.loads)


def test_a_network_that_hops_do_not_join() -> None:
    """On a one-way ring nobody has a neighbour there and back."""
    problem = problem_of("ring:4,oneway", "allreduce", Rules("store-and-forward"))
    assert not Grower(problem, TransferUnits(problem), 1).joins_all


def test_neighbours_use_a_channel_and_a_switch_that_they_share() -> None:
    """Two processors that a channel joins, and a switch that passes, have both ways under any routing only."""
    made = Network("both", 3, [(0, 2), (2, 0), (1, 2), (2, 1), (0, 1), (1, 0)], [0, 1])
    problem = Problem(made, allreduce(made), Rules("store-and-forward", switches="pass", routing="any"))
    ((other, there, back),) = neighbours_of(problem)[0]
    assert (other, sorted(there), sorted(back)) == (1, [(0, 3), (4,)], [(2, 1), (5,)])
    shortest = replace(problem, rules=Rules("store-and-forward", switches="pass"))
    assert neighbours_of(shortest)[0] == [(1, ((4,),), ((5,),))]
