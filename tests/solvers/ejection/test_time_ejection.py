"""Ejection search through time."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pavane.errors import InputError
from pavane.model.collectives import named, permutation
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.parallel.budget import Budget
from pavane.solvers.ejection.planned import Planned
from pavane.solvers.ejection.time_ejection import TimeEjection
from pavane.solvers.solver import Finding
from tests.checker import judge
from tests.strategies import problems, problems_in_pieces


def stored(spec: str | Network, kind: str = "AAS", pieces: int = 1, **rules: Any) -> Problem:
    """Return a problem under store-and-forward."""
    made = network(spec) if isinstance(spec, str) else spec
    return Problem(made, named(kind, made, pieces=pieces), Rules("store-and-forward", **rules))


@pytest.mark.parametrize(
    ("problem", "num_steps"),
    [
        *[(stored("ring:8"), 8), (stored("octagon"), 4), (stored("petersen"), 5), (stored("heawood"), 9)],
        *[(stored("spidergon:16"), 16), (stored("torus:4x4"), 8), (stored("mesh:4x4"), 16), (stored("kautz:3,2"), 7)],
        *[(stored("dgx-1"), 3), (stored("dgx-1", pieces=3), 8), (stored("levi"), 28), (stored("hypercube:3"), 4)],
        *[(stored("hypercube:4"), 8), (stored("hypercube:5"), 16), (stored("mesh:8x8"), 128)],
        *[(stored("ring:8", ports=1), 16), (stored("octagon", ports=1), 11), (stored("petersen", ports=1), 15)],
        *[(stored("kautz:3,2", ports=1), 19), (stored("hypercube:3", ports=1), 12), (stored("dgx-1", ports=1), 10)],
    ],
    ids=str,
)
def test_scatter_at_the_bound(problem: Problem, num_steps: int) -> None:
    """Scatter along shortest paths takes as many steps as the busiest channels or ports need, in pieces as well."""
    found = TimeEjection()(problem, num_steps, 0, Budget())
    assert found.num_steps == num_steps  # a result has been judged


@given(
    problems_in_pieces(problems("private", slots=False)),
    st.sampled_from([TimeEjection, Planned]),
    st.integers(0, 2),
    st.integers(0, 9),
)
def test_any_private_messages_find_their_way(problem: Problem, solver: Any, detour: int, seed: int) -> None:
    """Whatever the network, the members and the rules, there is a schedule, and both judges accept it."""
    rules = replace(problem.rules, switching="store-and-forward", combining=False, multicast=False)
    assume(problem.restriction is None)
    try:
        problem = replace(problem, rules=rules)
    except InputError:
        assume(False)
    found = solver(detour=detour)(problem, None, seed, Budget())
    if problem.num_messages:
        assert found.schedule is not None
        assert not judge(problem, found.schedule)


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
    assert TimeEjection()(problem, num_steps, 0, Budget()).num_steps == num_steps


@pytest.mark.parametrize("ports", ["all", 1, 2])
@pytest.mark.parametrize("duplex", ["full", "half"])
def test_every_channel_of_a_hop_is_loaded(ports: Any, duplex: Any) -> None:
    """Hops over two switches share links and ports as the rules say, on routers of two processors as well."""
    links = [(0, 2), (2, 3), (3, 1), (0, 3)]
    both = Network("both", 4, [way for a, b in links for way in ((a, b), (b, a))], [0, 0, 1], capacities=[2] * 8)
    problem = stored(both, pieces=2, ports=ports, duplex=duplex, switches="pass")
    found = TimeEjection()(problem, None, 0, Budget())
    assert found.schedule is not None
    assert not judge(problem, found.schedule)
    assert max(found.schedule.path_lengths) == 2


def test_detours_fill_every_port() -> None:
    """Forty-two pieces leave over six channels in seven steps, some of them by a longer way."""
    problem = stored("dgx-1", "OAS", pieces=6)
    assert TimeEjection(detour=1)(problem, 7, 0, Budget()).num_steps == 7


def test_links_of_one_way_at_a_time() -> None:
    """Under half duplex both ways of a bundle of links share what it carries, whatever either takes of it."""
    uneven = Network("uneven", 2, [(0, 1), (1, 0), (0, 1)], [0, 1])
    found = TimeEjection()(stored("dgx-1", duplex="half"), None, 0, Budget())
    assert found.schedule is not None
    assert not judge(found.problem, found.schedule)
    assert TimeEjection()(stored(uneven, pieces=3, duplex="half"), None, 0, Budget()).num_steps == 3


def test_capacities_are_counted() -> None:
    """A channel of capacity 2 takes two pieces a step."""
    pair = Network("pair", 2, [(0, 1), (1, 0)], [0, 1], capacities=[2, 1])
    assert TimeEjection()(stored(pair, pieces=4), None, 0, Budget()).num_steps == 4
    assert TimeEjection()(stored(pair, "OAS", pieces=4), None, 0, Budget()).num_steps == 2


@pytest.mark.parametrize("ports", ["all", 1])
def test_routers_of_many_processors(ports: Any) -> None:
    """On fat routers some of the processors keep what passes by, other ones for other messages."""
    problem = stored("ring:4*6", ports=ports)
    found = TimeEjection()(problem, None, 0, Budget())
    assert found.schedule is not None
    assert found.num_steps == found.bound.figure  # type: ignore[union-attr]


def test_many_processors_behind_switches_are_for_others() -> None:
    """Hops between all pairs of hundreds of routers would take too long to list."""
    large = network("nvl:301")
    following = permutation([*range(1, 301), 0])
    assert TimeEjection().supports(Problem(large, following, Rules("store-and-forward")))
    assert not TimeEjection().supports(Problem(large, following, Rules("store-and-forward", switches="pass")))


def test_more_hops_than_fit_are_no_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """Then more steps would not help either, so nothing is tried again."""
    monkeypatch.setattr("pavane.solvers.ejection.time_ejection.MOST_WAYS", 100)
    problem = stored("ring:8")
    found = TimeEjection().find(problem, 8, np.random.default_rng(0), Budget())
    assert found == Finding(None, is_final=True)
    assert TimeEjection()(problem, None, 0, Budget()).schedule is None
