"""Allgather by one tree that all routers translate."""

from typing import Any

import pytest

from pavane.bounds import counted_bounds
from pavane.model.collectives import in_pieces
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.parallel.budget import Budget
from pavane.search.synthesis import solve
from pavane.solvers.constructions.open_shop import translated_trees
from pavane.solvers.constructions.open_shop.translated_trees import TranslatedTrees
from tests.problems import problem_of
from tests.solvers.constructions.judged import declines

ALIKE = (
    *("ring:7", "ring:8", "ring:5,oneway", "complete:6", "octagon", "spidergon:16", "folded-hypercube:4"),
    *("torus:3x3", "torus:4x4", "torus:5x5", "torus:3x4x2", "torus:7x9", "torus:4x4x4", "hyperx:3x4"),
    *(f"hypercube:{dimension}" for dimension in range(1, 8)),
    *("circulant:13,1,5", "circulant:16,1,4", "circulant:21,1,5", "circulant:30,1,4,9", "circulant:40,3,7"),
)
each_switching = pytest.mark.parametrize("switching", ["wormhole", "store-and-forward"])


def allgather(where: str | Network, pieces: int = 1, **settings: Any) -> Problem:
    """Return an allgather among all processors."""
    found = problem_of(where, "AAB", Rules(**settings))
    return Problem(found.network, in_pieces(found.collective, pieces), found.rules)


def steps(problem: Problem) -> int:
    """Return the steps of a schedule that the judge accepts."""
    schedule = TranslatedTrees()(problem, None, 0, Budget()).schedule
    assert schedule is not None
    return schedule.num_steps


@each_switching
@pytest.mark.parametrize("spec", ALIKE)
def test_all_ports_are_busy_until_the_last_step(spec: str, switching: str) -> None:
    """With N routers of degree K it takes ceil((N - 1) / K) steps, which is the bound."""
    problem = allgather(spec, switching=switching)
    made = problem.network
    fewest = -(-(made.num_routers - 1) // int(made.in_degrees[0]))
    assert steps(problem) == fewest == max(bound.figure for bound in counted_bounds(problem))


@pytest.mark.parametrize("ports", [1, 2, 3])
@pytest.mark.parametrize("spec", ["torus:5x5", "hypercube:4", "spidergon:10"])
def test_ports_limit_what_a_router_receives(spec: str, ports: int) -> None:
    """With k ports it takes ceil((N - 1) / k) steps."""
    assert steps(allgather(spec, ports=ports)) == -(-(network(spec).num_routers - 1) // ports)


@pytest.mark.parametrize(
    ("spec", "fewest"),
    [("ring:7", 6), ("ring:8", 7), ("torus:5x5", 12), ("torus:4x4", 8), ("torus:3x4x2", 10), ("spidergon:10", 6)],
)
def test_half_duplex_shares_links(spec: str, fewest: int) -> None:
    """Opposite kinds take turns; links of a kind that is its own opposite are used by one end after the other."""
    problem = allgather(spec, duplex="half")
    assert steps(problem) == fewest == max(bound.figure for bound in counted_bounds(problem))


@pytest.mark.parametrize(("spec", "pieces"), [("ring:8", 2), ("torus:3x3", 3), ("hypercube:4", 5), ("octagon", 4)])
def test_every_piece_has_a_tree(spec: str, pieces: int) -> None:
    """The pieces together keep all channels busy: ceil(p (N - 1) / K) steps."""
    made = network(spec)
    assert steps(allgather(spec, pieces)) == -(-pieces * (made.num_routers - 1) // int(made.in_degrees[0]))


def test_channels_of_a_kind_may_carry_several_messages() -> None:
    """A ring whose channels carry two up and one down, and one with parallel channels; a kind must carry alike."""
    channels = [(r, (r + way) % 9) for r in range(9) for way in (1, -1)]
    # Two up and one down in each step; in the first step the own message is all that a router has.
    assert steps(allgather(Network("wide", 9, channels, capacities=[2, 1] * 9), 3)) == 8
    assert steps(allgather(Network("parallel", 9, channels + channels), 2)) == 4
    assert declines(TranslatedTrees(), allgather(Network("odd", 9, channels, capacities=[2] + [1] * 17)))


def test_what_is_too_large_is_declined_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The number of transfers is compared before symmetries are looked for."""
    monkeypatch.setattr(translated_trees, "cayley_of", None)
    assert not TranslatedTrees().supports(problem_of("torus:80x80", "AAB"))


@pytest.mark.parametrize(("spec", "fewest"), [("torus:12x13", 39), ("hypercube:8", 32)])
def test_auto_is_at_the_bound_at_once(spec: str, fewest: int) -> None:
    """Above twenty thousand arrivals trees come before rarest first, which takes seconds and may miss the bound."""
    result = solve(problem_of(spec, "AAB"))
    assert (result.num_steps, result.status, result.provenance.solver) == (fewest, "optimal", "translated-trees")
