"""Broadcast of one message by informed sets and flows: short, valid under all rules, repeatable."""

from itertools import count

import pytest

from pavane.judge.result import Result
from pavane.model.collectives import broadcast, many_to_many_broadcast
from pavane.model.network import Network
from pavane.model.problem import Problem, Routing, Rules
from pavane.networks import network
from pavane.parallel.budget import Budget
from pavane.solvers.broadcast.informed_sets import InformedSets


def oab(text: str, root: int = 0, rules: Rules | None = None) -> Problem:
    """Return the broadcast from one processor to all."""
    made = network(text)
    return Problem(made, broadcast(made, root), rules or Rules())


def solved(problem: Problem, num_steps: int | None = None, seed: int = 0, flows: int = 6000) -> Result:
    """Solve without a limit of time."""
    return InformedSets(most_flows=flows)(problem, num_steps, seed, Budget())


# -- figures of the specification


FEWEST = {
    2: ("ring:8", "octagon", "petersen", "kautz:3,2", "heawood", "spidergon:16", "hypercube:3", "hypercube:5"),
    3: ("levi", "kautz:3,3", "hierarchical-rings:4,4", "line:8", "hypercube:6", "hypercube:10"),
    4: ("line:16", "hypercube:11", "hypercube:12"),
    5: ("torus:32x32", "torus:48x48"),
}
"""Networks by the steps of a broadcast along shortest paths, which are proven."""


@pytest.mark.parametrize(("text", "num_steps"), [(text, steps) for steps in FEWEST for text in FEWEST[steps]])
def test_networks_of_the_papers_and_hypercubes_are_solved(text: str, num_steps: int) -> None:
    """Broadcast takes the least known number of steps; on hypercubes as few as the ports allow."""
    assert solved(oab(text), num_steps).num_steps == num_steps


@pytest.mark.parametrize(("text", "num_steps"), [("kautz:4,5", 5), ("kautz:4,6", 6)])
def test_where_paths_are_few_the_nearest_are_informed_first(text: str, num_steps: int) -> None:
    """In Kautz networks most pairs have one shortest path, and broadcast takes as many steps as the diameter."""
    assert solved(oab(text)).num_steps == num_steps


@pytest.mark.parametrize("root", range(16))
def test_the_mesh_is_solved_from_every_root(root: int) -> None:
    """On the mesh of 4x4, broadcast takes 3 steps from a corner and 2 from elsewhere."""
    assert solved(oab("mesh:4x4", root)).num_steps == (3 if root in (0, 3, 12, 15) else 2)


@pytest.mark.parametrize(
    "text", ["mesh:4x4", "mesh:5x5", "mesh:16x16", "torus:16x16", "hypercube:7", "line:16", "star:8"]
)
@pytest.mark.parametrize("routing", ["minimal", "any"])
def test_one_port_doubles_the_informed_set(text: str, routing: Routing) -> None:
    """With one port, broadcast takes ceil(log2 P) steps."""
    problem = oab(text, rules=Rules(ports=1, routing=routing))
    assert solved(problem).num_steps == (problem.network.num_processors - 1).bit_length()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "routing", "num_steps"), [("torus:64x64", "minimal", 6), ("random-regular:16384,4,1", "any", 7)]
)
def test_large_networks_are_solved(text: str, routing: Routing, num_steps: int) -> None:
    """Thousands of routers are no obstacle."""
    assert solved(oab(text, rules=Rules(routing=routing))).num_steps == num_steps


# -- any rules


@pytest.mark.parametrize("duplex", ["full", "half"])
@pytest.mark.parametrize("routing", ["minimal", "any"])
def test_a_bottleneck_near_the_root_is_passed(duplex: str, routing: Routing) -> None:
    """Where the root reaches fewer than its ports would, smaller sets are tried."""
    channels = [(0, 1), (1, 0), (1, 2), (2, 1), (2, 3), (3, 2)]
    made = Network("narrow", 4, channels, [0, 2, 0, 1])
    rules = Rules(routing=routing, duplex="half" if duplex == "half" else "full")
    assert solved(Problem(made, broadcast(made, 1), rules)).num_steps == 2


# -- reduce, multicast


def test_multicast_goes_through_a_relay_where_that_helps() -> None:
    """On a star a leaf reaches six leaves in two steps through the hub, though nobody asked to inform the hub."""
    made = network("star:8")
    result = solved(Problem(made, broadcast(made, 1, range(2, 8))))
    assert result.schedule is not None
    assert result.num_steps == 2
    assert [(t.sender, t.receiver) for t in result.schedule if t.start == 0] == [(1, 0)]


def test_multicast_does_without_relays_where_it_can() -> None:
    """Nobody hears the message who neither wants it nor passes it on."""
    made = network("torus:8x8")
    wanted = [9, 18, 27, 36, 45, 54, 63, 7, 56, 3, 24]
    result = solved(Problem(made, broadcast(made, 0, wanted)))
    assert result.schedule is not None
    assert result.num_steps == 2
    assert set(result.schedule.receivers.tolist()) == set(wanted)


def test_one_sender_of_many_to_many_is_a_broadcast() -> None:
    """MNB with one sender is supported, also when the sender is among the receivers."""
    made = network("octagon")
    assert solved(Problem(made, many_to_many_broadcast([3], range(8)))).num_steps == 2


# -- what every solver keeps


def test_the_end_of_the_time_ends_the_search() -> None:
    """The search returns what it has then; before the first answer that is nothing."""
    problem = oab("hierarchical-rings:4,4")
    # Two steps are too few, and the flows would last for days.
    looks = count()
    budget = Budget(is_stopped=lambda: next(looks) > 100)
    assert InformedSets(most_flows=10**9, most_arcs=10**15)(problem, None, 0, budget).num_steps is not None
    assert InformedSets()(problem, None, 0, Budget.of(0)).schedule is None


def test_the_number_of_flows_is_a_budget() -> None:
    """Evaluations are flows: with few of them, the schedule is the plain one, and longer."""
    problem = oab("mesh:8x8")
    plain = InformedSets()(problem, None, 0, Budget(evaluations=12))
    best = solved(problem)
    assert plain.num_steps is not None
    assert best.num_steps is not None
    assert plain.num_steps > best.num_steps
