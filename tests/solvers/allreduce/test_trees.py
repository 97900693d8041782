"""Allreduce along trees: balanced channels, valid schedules, and fewer steps than two phases."""

from itertools import product

import pytest

from pavane.model.collectives import in_pieces, named
from pavane.model.messages import Collective
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.parallel.budget import Budget
from pavane.solvers.allreduce.trees import Trees
from tests.checker import judge

FEW = Budget(evaluations=60)


def allreduce(spec: str, pieces: int = 1, kind: str = "allreduce", **rules: object) -> Problem:
    """Return an allreduce under store-and-forward."""
    made = network(spec)
    return Problem(made, in_pieces(named(kind, made), pieces), Rules(**{"switching": "store-and-forward", **rules}))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("spec", "pieces", "steps"),
    [
        pytest.param("ring:8", 1, 7, id="a ring, at the bound: in two phases it takes 8"),
        pytest.param("star:5", 1, 6, id="a star, whose hub has all sums: in two phases it takes 8"),
        pytest.param("line:6", 2, 16, id="a line, whose sums meet in the middle: in two phases it takes 18"),
        pytest.param("hypercube:3", 2, 10, id="a cube, at the bound"),
    ],
)
def test_fewer_steps_than_two_phases(spec: str, pieces: int, steps: int) -> None:
    """Sums that need not be complete at named processors, in phases that overlap, take fewer steps."""
    result = Trees()(allreduce(spec, pieces), None, 0, Budget(evaluations=400))
    assert result.num_steps == steps


def test_one_part_meets_in_the_middle() -> None:
    """One part of a mesh goes to the middle and back, wherever its root is."""
    assert Trees()(allreduce("mesh:3x3", kind="reduce-broadcast"), None, 0, FEW).num_steps == 4


@pytest.mark.parametrize(
    ("ports", "duplex", "switching"), list(product(("all", 1), ("full", "half"), ("wormhole", "store-and-forward")))
)
def test_valid_under_every_rule(ports: int, duplex: str, switching: str) -> None:
    """Schedules obey ports, half duplex and either switching, with pure switches and processors that share a router."""
    links = [(0, 3), (3, 1), (1, 2), (2, 3)]
    made = Network("hub", 4, [way for a, b in links for way in ((a, b), (b, a))], [0, 0, 1, 2], capacities=[2] * 8)
    problem = Problem(
        made,
        Collective("ALLREDUCE", (0, 1, 3), (0, 3), pieces=2),
        Rules(switching, ports, duplex),  # type: ignore[arg-type]
    )
    schedule = Trees()(problem, None, 0, FEW).schedule
    assert schedule is not None
    assert not judge(problem, schedule)


@pytest.mark.parametrize("spec", ["dgx-a100:1", "rails:2,4", "nvl:8"])
def test_valid_over_switches_that_pass(spec: str) -> None:
    """Where switches pass, trees join processors."""
    problem = allreduce(spec, switches="pass")
    schedule = Trees()(problem, None, 0, FEW).schedule
    assert schedule is not None
    assert not judge(problem, schedule)
    assert (schedule.senders >= 0).all()


def test_a_one_way_network_has_no_trees() -> None:
    """Where nothing leads back, along single hops, there is no tree, and no schedule."""
    assert Trees()(allreduce("ring:5,oneway"), None, 0, FEW).schedule is None
