"""Ejection search on the network unrolled in time."""

from __future__ import annotations

from typing import Any

import pytest

from pavane.model.collectives import named, permutation
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.search.fewest_steps import find_fewest_steps
from pavane.solvers.ejection.unrolled import Unrolled
from pavane.workers.budget import Budget
from tests.checker import judge


def stored(spec: str | Network, kind: str = "AAS", pieces: int = 1, **rules: Any) -> Problem:
    """Return a problem under store-and-forward."""
    made = network(spec) if isinstance(spec, str) else spec
    return Problem(made, named(kind, made, pieces=pieces), Rules("store-and-forward", **rules))


@pytest.mark.parametrize(
    ("problem", "num_steps"),
    [
        (stored("ring:8"), 8),
        (stored("hypercube:3"), 4),
        (stored("petersen"), 5),
        (stored("heawood"), 9),
        (stored("torus:4x4"), 8),
        (stored("hypercube:4"), 8),
        (stored("mesh:4x4"), 16),
        (stored("dgx-1", pieces=3), 8),
    ],
    ids=str,
)
def test_scatter_at_the_bound(problem: Problem, num_steps: int) -> None:
    """Scatter under store-and-forward takes as many steps as the busiest channels need, in pieces as well."""
    found = Unrolled(detour=0)(problem, num_steps, 0, Budget())
    assert found.num_steps == num_steps  # a result has been judged


def test_detours_fill_every_port() -> None:
    """Forty-two pieces leave over six channels in seven steps, some of them by a longer way."""
    assert Unrolled()(stored("dgx-1", "OAS", pieces=6), 7, 0, Budget()).num_steps == 7


def test_auto_proves_what_it_finds() -> None:
    """The method auto comes to the bound by it where first fit does not."""
    result = find_fewest_steps(stored("torus:4x4"))
    assert (result.status, result.num_steps, result.provenance.solver) == ("optimal", 8, "unrolled")


def test_links_of_one_way_at_a_time() -> None:
    """Under half duplex both ways of a bundle of links share what it carries, whatever either takes of it."""
    uneven = Network("uneven", 2, [(0, 1), (1, 0), (0, 1)], [0, 1])
    found = Unrolled()(stored("dgx-1", duplex="half"), None, 0, Budget())
    assert found.schedule is not None
    assert not judge(found.problem, found.schedule)
    assert Unrolled()(stored(uneven, pieces=3, duplex="half"), None, 0, Budget()).num_steps == 3


def test_capacities_are_counted() -> None:
    """A channel of capacity 2 takes two pieces a step."""
    pair = Network("pair", 2, [(0, 1), (1, 0)], [0, 1], capacities=[2, 1])
    found = Unrolled()(stored(pair, pieces=4), None, 0, Budget())
    assert found.num_steps == 4
    only = stored(pair, "OAS", pieces=4)
    assert Unrolled()(only, None, 0, Budget()).num_steps == 2


def test_processors_of_one_router_need_no_channel() -> None:
    """Where ports are given a router without channels has them, too, whatever links do."""
    alone = Network("alone", 1, [], [0, 0])
    for duplex in ("full", "half"):
        assert Unrolled()(stored(alone, pieces=2, ports=1, duplex=duplex), None, 0, Budget()).num_steps == 2


@pytest.mark.parametrize(
    ("problem", "num_steps"),
    [
        (stored("dgx-a100:2", switches="pass"), 8),
        (stored("dgx-a100:2", switches="pass", pieces=2), 16),
        (stored("dgx-h100:2", switches="pass"), 8),
        (stored("dgx-2:2", switches="pass"), 32),
        (stored("nvl:16", switches="pass"), 1),
        (stored("rails:3,3", switches="pass"), 6),
    ],
    ids=str,
)
def test_scatter_over_switches_that_pass(problem: Problem, num_steps: int) -> None:
    """Where switches pass, a hop over them is one step, and machines of GPUs meet the bound of their cables."""
    found = Unrolled(detour=0)(problem, num_steps, 0, Budget())
    assert found.num_steps == num_steps  # a result has been judged


@pytest.mark.parametrize("ports", ["all", 1, 2])
@pytest.mark.parametrize("duplex", ["full", "half"])
def test_every_channel_of_a_hop_is_loaded(ports: Any, duplex: Any) -> None:
    """Hops over two switches share links and ports as the rules say, on routers of two processors as well."""
    links = [(0, 2), (2, 3), (3, 1), (0, 3)]
    both = Network("both", 4, [way for a, b in links for way in ((a, b), (b, a))], [0, 0, 1], capacities=[2] * 8)
    problem = stored(both, pieces=2, ports=ports, duplex=duplex, switches="pass")
    found = Unrolled()(problem, None, 0, Budget())
    assert found.schedule is not None
    assert not judge(problem, found.schedule)
    assert max(found.schedule.path_lengths) == 2


def test_many_processors_behind_switches_are_for_others() -> None:
    """Hops between all pairs of hundreds of routers would take too long to list."""
    large = network("nvl:301")
    following = permutation([*range(1, 301), 0])
    assert Unrolled().supports(Problem(large, following, Rules("store-and-forward")))
    assert not Unrolled().supports(Problem(large, following, Rules("store-and-forward", switches="pass")))


def test_what_it_is_not_for() -> None:
    """Wormhole, broadcasts and combining are for others."""
    ring = network("ring:4")
    assert not Unrolled().supports(Problem(ring, named("AAS", ring)))
    assert not Unrolled().supports(stored("ring:4", "AAB"))
    assert not Unrolled().supports(stored("ring:4", combining=True))
    assert Unrolled().supports(stored("ring:4", "AOG"))
