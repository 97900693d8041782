"""Large tori lie over smaller ones, and flows are lifted from there."""

from __future__ import annotations

import numpy as np
import pytest

from pavane.model.collectives import broadcast
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.parallel.budget import Budget
from pavane.solvers.broadcast.quotient_torus import folds_of
from pavane.solvers.broadcast.step_oracle import Oracle
from tests.problems import problem_of


@pytest.mark.parametrize(
    ("text", "sizes"),
    [
        ("torus:48x48", [6 * 6, 12 * 12, 24 * 24]),
        ("torus:40x60", [10 * 15, 20 * 30]),
        ("torus:25x25", [5 * 5]),
        ("torus:10x10x20", [5 * 5 * 10]),
        ("ring:64", [8, 16, 32]),
        ("torus:7x7", []),
        ("torus:8x9", []),
        ("mesh:16x16", []),
        ("hypercube:8", []),
        ("kautz:2,4", []),
    ],
)
def test_tori_lie_over_tori_whose_rings_are_shorter(text: str, sizes: list[int]) -> None:
    """The smallest comes first, each lies over the one before, and no ring has fewer than five routers."""
    found = folds_of(problem_of(text, "OAB"))
    assert [fold.problem.network.num_routers for fold in found] == sizes
    for fold in found:
        net, smaller = network(text), fold.problem.network
        assert (fold.below_router[net.tails] == smaller.tails[fold.below_channel]).all()
        assert (fold.below_router[net.heads] == smaller.heads[fold.below_channel]).all()
        assert (np.bincount(fold.below_router) == fold.num_sheets).all()


def test_what_does_not_repeat_is_not_folded() -> None:
    """A fault, several processors a router, or a receiver that is left out."""
    torus = network("torus:10x10")
    faulty = torus.without(links=[(0, 1)])
    fat = Network("fat", 100, torus.channels, [*range(100), 5], grid=torus.grid)
    assert folds_of(Problem(torus, broadcast(torus)))
    for net, receivers in ((faulty, range(100)), (fat, range(101)), (torus, range(50))):
        assert not folds_of(Problem(net, broadcast(net, 0, receivers)))


@pytest.mark.parametrize("rules", [Rules(), Rules(routing="any"), Rules(ports=2, duplex="half")])
def test_a_step_below_is_a_step_above(rules: Rules) -> None:
    """What is sent, carried and taken repeats, and it is a flow, over shortest paths where these are asked for."""
    problem = problem_of("torus:10x20", "OAB", rules, root=77)
    (fold,) = folds_of(problem)
    net, smaller = problem.network, fold.problem.network
    rng = np.random.default_rng(0)
    holders = rng.random(smaller.num_routers) < 0.4
    step = fold.lifted(Oracle(fold.problem, Budget()).step(holders, ~holders))
    above = holders[fold.below_router]
    assert (fold.folded(above) == holders).all()
    assert step.missing == (~above).sum() - step.absorbed.sum()
    heights = net.distances[np.flatnonzero(above)].min(axis=0)
    used = np.zeros(net.num_channels, dtype=np.int64)
    for flow in step.flows:
        used[flow.on_channels] += 1
        came = np.bincount(net.heads[flow.on_channels], minlength=net.num_routers) + flow.emitted
        went = np.bincount(net.tails[flow.on_channels], minlength=net.num_routers) + flow.absorbed
        assert (came == went).all()
    assert used.max() == 1
    if rules.routing == "minimal":
        first = step.flows[0].on_channels
        assert (heights[net.tails[first]] + 1 == heights[net.heads[first]]).all()
    assert (step.emitted <= np.where(above, problem.injection, 0)).all()
