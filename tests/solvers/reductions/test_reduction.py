"""Chains of reductions: what a solver sees, and the way back."""

from dataclasses import replace

from pavane.model.bound import Bound
from pavane.model.collectives import named
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.solvers.reductions import REDUCTIONS, Chain

HUB = Network("hub", 4, [(0, 1), (0, 2), (0, 3), (1, 0), (2, 0), (3, 0)], [1, 2, 3], capacities=[2, 1, 1, 2, 1, 1])
PROBLEM = Problem(HUB, named("AAR", HUB), Rules(switches="copy"))


def test_a_solver_sees_the_features_that_it_takes() -> None:
    """Each feature is taken away unless the solver takes it; a problem without any is itself."""
    plain = Chain.of(PROBLEM, REDUCTIONS)
    assert [reduction.name for reduction, _ in plain.links] == ["reductions", "copies", "capacities"]
    assert (plain.problem.pattern, plain.problem.network.num_channels) == ("broadcast", 8)
    assert not plain.problem.has_trees
    counting = Chain.of(PROBLEM, REDUCTIONS, takes=("capacities", "copies"))
    assert counting.problem.has_trees
    assert counting.problem.network.num_channels == 6
    assert Chain.of(plain.problem, REDUCTIONS) == (plain.problem, ())


def test_bounds_are_lifted_where_they_hold() -> None:
    """Bounds of single transfers are none where trees may be better, nor those with numbers of parallel channels."""
    about, channels = Bound(2, "growth", {"steps": 2}), Bound(3, "channel-prices", {"channels": [0]})
    without = replace(PROBLEM, rules=Rules())
    assert Chain.of(PROBLEM, REDUCTIONS).lift((about, channels)) == ()
    assert Chain.of(without, REDUCTIONS).lift((about, channels)) == (about,)
    assert Chain.of(without, REDUCTIONS, takes=("capacities",)).lift((about, channels)) == (about, channels)
