"""Plans give every message one path that is not too long, and even the loads out."""

import numpy as np
import pytest

from pavane.model.collectives import alltoall
from pavane.model.network import Network
from pavane.model.problem import Problem
from pavane.networks import network
from pavane.parallel.budget import Budget
from pavane.solvers.kernels.wiring import Wiring
from pavane.solvers.rerouting import Rerouting, ReroutingEffort, RoutePlan, ground_of


def rerouting(net: Network, slack: int) -> Rerouting:
    """Return the messages of an all-to-all, whose channels are the units."""
    problem = Problem(net, alltoall(net))
    tails, heads = np.ascontiguousarray(net.tails), np.ascontiguousarray(net.heads)
    wiring = Wiring(tails, heads, *net.outgoing, *net.incoming)
    ground = ground_of(wiring, net.distances, [np.arange(net.num_channels, dtype=np.int32)])
    sources, targets = (net.router_of[problem.labels[:, side]] for side in (0, 1))
    return Rerouting(ground, net.capacity.astype(np.int64), sources, targets, slack)


def check(net: Network, moving: Rerouting, plan: RoutePlan) -> None:
    """Follow every path, and count the loads anew."""
    problem = Problem(net, alltoall(net))
    ends = np.concatenate(([0], np.cumsum(plan.lengths)))
    for message, (source, target) in enumerate(net.router_of[problem.labels].tolist()):
        path = plan.arcs[ends[message] : ends[message + 1]]
        met = [source, *net.heads[path].tolist()]
        assert met[:-1] == net.tails[path].tolist()
        assert met[-1] == target
        assert len(set(met)) == len(met)
        assert len(path) <= net.distances[source, target] + moving.slack
    loads = np.bincount(plan.arcs, minlength=net.num_channels)
    assert (loads == plan.loads).all()
    assert plan.most_load == (-(-loads // net.capacity)).max()


@pytest.mark.parametrize(("text", "slack", "target"), [("petersen", 0, 5), ("kautz:3,2", 1, 7), ("mesh:4x4", 0, 16)])
def test_plans_meet_the_bound(text: str, slack: int, target: int) -> None:
    """On small networks no channel has more to carry than the bound says."""
    net = network(text)
    moving = rerouting(net, slack)
    plan = moving.plan(target, ReroutingEffort(), np.random.default_rng(1), Budget())
    assert plan is not None
    check(net, moving, plan)
    assert plan.most_load == target


def test_detours_lower_the_load() -> None:
    """Where shortest paths crowd on some channels, paths with one channel more do better."""
    net = network("random-regular:64,4,1")
    most = []
    for slack in (0, 1):
        moving = rerouting(net, slack)
        plan = moving.plan(1, ReroutingEffort(), np.random.default_rng(1), Budget())
        assert plan is not None
        check(net, moving, plan)
        most.append(plan.most_load)
    assert most[1] < most[0]


def test_capacities_share_the_load() -> None:
    """A channel that carries three messages a step is given about three times the load."""
    plain = network("ring:8")
    net = Network("wide", plain.routers, plain.channels, capacities=[3] * plain.num_channels)
    moving = rerouting(net, 0)
    plan = moving.plan(3, ReroutingEffort(), np.random.default_rng(1), Budget())
    assert plan is not None
    check(net, moving, plan)
    assert plan.most_load == 3


def test_who_leaves_no_longer_counts() -> None:
    """When all messages have left, no unit has anything to carry."""
    moving = rerouting(network("petersen"), 1)
    plan = moving.plan(5, ReroutingEffort(), np.random.default_rng(1), Budget())
    assert plan is not None
    moving.leave(np.arange(45))
    moving.leave(np.arange(45, 90))
    assert not moving.loads.any()


def test_no_time_no_plan() -> None:
    """Where time is over before every message has a path there is no plan."""
    moving = rerouting(network("petersen"), 0)
    assert moving.plan(5, ReroutingEffort(), np.random.default_rng(1), Budget(deadline=0.0)) is None


def test_units_of_an_arc() -> None:
    """An arc draws on one unit of each list, where there is one for it."""
    net = network("ring:3")
    tails, heads = np.ascontiguousarray(net.tails), np.ascontiguousarray(net.heads)
    wiring = Wiring(tails, heads, *net.outgoing, *net.incoming)
    first, second = np.arange(6, dtype=np.int32), np.array([-1, 6, -1, 7, -1, -1], dtype=np.int32)
    ground = ground_of(wiring, net.distances, [first, second])
    assert np.diff(ground.unit_offsets).tolist() == [1, 2, 1, 2, 1, 1]
    assert ground.units.tolist() == [0, 1, 6, 2, 3, 7, 4, 5]
