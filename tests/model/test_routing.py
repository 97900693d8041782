"""Restricted routing on meshes and tori: dimension-order, west-first and north-last (noc section 2)."""

from __future__ import annotations

from itertools import pairwise
from typing import Literal

import numpy as np
import pytest

from pavane.bounds import lower_bounds
from pavane.bounds.channel_prices import priced_by_load
from pavane.bounds.prices import CertificatePrices, bought
from pavane.errors import InputError
from pavane.judge.certificates import proven
from pavane.model.collectives import alltoall, broadcast, named, pairs
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.model.routing import FAR, Restriction
from pavane.networks import network
from pavane.parallel.budget import Budget
from pavane.search.options import SearchOptions
from pavane.search.synthesis import solve
from pavane.solvers import SOLVERS
from pavane.solvers.candidates import PathFinder
from tests.checker import judge, turn_fault

Restricted = Literal["dimension-order", "west-first", "north-last"]

ORDERS: tuple[Restricted, ...] = ("dimension-order", "west-first", "north-last")

each_restriction = pytest.mark.parametrize("routing", ORDERS)


def all_to_all(text: str, routing: Restricted) -> Problem:
    """Return AAS on a network of the catalogue."""
    made = network(text)
    return Problem(made, alltoall(made), Rules(routing=routing))


def cut(text: str, *links: tuple[int, int]) -> Network:
    """Return a network of the catalogue without some links."""
    return network(text).without(links=links)


def hop_channels(made: Network, met: tuple[int, ...]) -> tuple[int, ...]:
    """Return the channels between the routers of a path."""
    channel = {(tail, head): c for c, (tail, head) in enumerate(made.channels.tolist())}
    return tuple(channel[hop] for hop in pairwise(met))


def keeps_order(text: str, met: tuple[int, ...], routing: Restricted) -> bool:
    """Say whether the phases of the channels never fall along a path."""
    made = network(text)
    phases = Restriction.of(made, routing).phases[list(hop_channels(made, met))]
    return bool((np.diff(phases) >= 0).all())


# -- the orders, on paths of a mesh whose rows are 0-3, 4-7, 8-11, 12-15


@pytest.mark.parametrize(
    ("text", "met", "allowed"),
    [
        ("mesh:4x4", (0, 1, 2, 6, 10), ("dimension-order", "west-first", "north-last")),  # east, south
        ("mesh:4x4", (0, 4, 8, 9, 10), ("west-first", "north-last")),  # south, east
        ("mesh:4x4", (3, 2, 1, 5, 9), ("dimension-order", "west-first", "north-last")),  # west, south
        ("mesh:4x4", (3, 7, 6, 10, 9), ("north-last",)),  # south and west by turns
        ("mesh:4x4", (12, 13, 9, 5), ("dimension-order", "west-first", "north-last")),  # east, north
        ("mesh:4x4", (12, 8, 9, 5), ("west-first",)),  # north and east by turns
        ("mesh:4x4", (15, 11, 10, 9), ()),  # north, west
        ("torus:4x4", (3, 0, 12), ("dimension-order", "west-first", "north-last")),  # east and north, both around
        ("torus:4x4", (0, 4, 7), ("north-last",)),  # south, then west around
        ("torus:4x4", (0, 12, 13), ("west-first",)),  # north around, then east
        ("mesh:2x3x4", (0, 1, 5, 17), ("dimension-order",)),  # x, y, z
        ("mesh:2x3x4", (0, 12, 13), ()),  # z, x
        ("torus:2x2", (1, 0, 2), ("dimension-order", "west-first", "north-last")),  # two in a row: no way around
    ],
)
def test_the_order_of_hops(text: str, met: tuple[int, ...], allowed: tuple[str, ...]) -> None:
    """x first, then y; west before all else; north after all else; on a torus around is a direction like any other."""
    known = ORDERS if text.count("x") == 1 else ORDERS[:1]
    assert tuple(routing for routing in known if keeps_order(text, met, routing)) == allowed


# -- bounds


def cheapest_by_enumeration(problem: Problem, weights: list[int]) -> int:
    """Add up the cheapest paths of all messages, of all paths that the second judge lets pass."""
    network, total = problem.network, 0
    for origin, target in problem.labels.tolist():
        start, end = (int(network.router_of[processor]) for processor in (origin, target))
        costs = []
        walks: list[tuple[list[int], int]] = [([start], 0)]
        for met, cost in walks:
            if met[-1] == end and not turn_fault(problem, met):
                costs.append(cost)
            if len(met) <= 5:
                nearby = [(channel, int(network.heads[channel])) for channel in network.out_channels[met[-1]]]
                walks += [([*met, head], cost + weights[channel]) for channel, head in nearby if head not in met]
        total += min(costs)
    return total


@pytest.mark.parametrize(
    "made",
    [
        network("mesh:3x3"),
        network("torus:3x3"),
        network("torus:2x4"),
        network("mesh:2x3*2"),
        network("mesh:2x3").reversed(),
        cut("mesh:3x3", (3, 4)),
    ],
    ids=lambda made: made.name,
)
@each_restriction
@pytest.mark.parametrize("seed", range(4))
def test_messages_buy_the_cheapest_admissible_paths(made: Network, routing: Restricted, seed: int) -> None:
    """What the messages buy is what the cheapest of all admissible paths cost, whatever the prices."""
    rng = np.random.default_rng(seed)
    restriction = Restriction.of(made, routing)
    joined = restriction.reached(np.arange(made.num_routers))[np.ix_(made.router_of, made.router_of)]
    members = [(s, t) for s, t in np.argwhere(joined).tolist() if s != t]
    chosen = [members[i] for i in rng.permutation(len(members))[:3]]
    problem = Problem(made, pairs(chosen), Rules(routing=routing))
    weights = rng.integers(0, 4, made.num_channels)
    nothing = np.zeros(made.num_processors, dtype=np.int64)
    assert bought(problem, CertificatePrices(weights, nothing, nothing)) == cheapest_by_enumeration(
        problem, weights.tolist()
    )


def test_paths_that_faults_cut_cost_more_than_anything() -> None:
    """Where a fault cuts the only path in order, nothing is reached; the other order has a way round."""
    faulty = cut("mesh:2x2", (0, 1))
    assert Restriction.of(faulty, "dimension-order").cheapest(np.ones(6, dtype=np.int64), np.array([0]))[0, 3] == FAR
    assert Restriction.of(faulty, "west-first").cheapest(np.ones(6, dtype=np.int64), np.array([0]))[0, 3] == 2


@pytest.mark.parametrize(("text", "steps"), [("mesh:4x4", 16), ("mesh:3x5", 18), ("mesh:8x2", 32), ("mesh:3x3x3", 18)])
def test_the_busiest_channel_of_dimension_order(text: str, steps: int) -> None:
    """A channel in x between columns c - 1 and c carries c times what lies behind; one in y likewise, column by column.

    On mesh:4x4: 2 senders of the row, 2 columns of 4 receivers, so 16. On mesh:3x5: 2 * 3 * 3 in x. On mesh:8x2 in y:
    4 * 2 senders, 4 receivers of the column, 32. On mesh:3x3x3 in every dimension: 1 * 2 * 9.
    """
    problem = all_to_all(text, "dimension-order")
    found = {bound.argument: bound for bound in lower_bounds(problem)}
    assert found["channel-prices"].figure == steps
    assert proven(problem, found["channel-prices"]) == steps


def test_order_costs_steps_where_paths_would_spread() -> None:
    """Two corners of a 2x3 mesh to one place: minimal routing has room that an order takes away, and prices show it."""
    made = network("mesh:3x3")
    messages = pairs([(0, 5), (1, 5), (0, 8), (1, 8)])
    minimal, ordered = (Problem(made, messages, Rules(routing=r)) for r in ("minimal", "dimension-order"))
    found, stricter = priced_by_load(minimal), priced_by_load(ordered)
    assert found is not None
    assert stricter is not None
    # In order all four go over 1>2; otherwise 1 has two ways out and 0 another one.
    assert (found.figure, stricter.figure) == (2, 4)
    assert proven(ordered, stricter) == 4
    assert proven(minimal, stricter) < 4
    assert solve(ordered).num_steps == 4
    assert solve(minimal).num_steps == 2


# -- answers


@pytest.mark.parametrize(("text", "steps"), [("mesh:4x4", 16), ("torus:4x4", 8), ("torus:3x5", 9), ("mesh:3x3*2", 24)])
@each_restriction
def test_all_to_all_at_the_bound(text: str, routing: Restricted, steps: int) -> None:
    """On small grids an order costs nothing: AAS takes as many steps as the bound of minimal routing says."""
    result = solve(all_to_all(text, routing))
    assert (result.num_steps, result.status) == (steps, "optimal")
    assert result.schedule is not None
    assert judge(result.problem, result.schedule) == set()


@each_restriction
def test_faults_that_leave_a_path(routing: Restricted) -> None:
    """Messages that a fault leaves a path are scheduled, in a network whose name tells the fault."""
    faulty = cut("mesh:3x3", (0, 1))
    joined = Restriction.of(faulty, routing).reached(np.arange(9))
    messages = pairs([(s, t) for s, t in np.argwhere(joined).tolist() if s != t])
    result = solve(Problem(faulty, messages, Rules(routing=routing)), SearchOptions(seconds=10))
    assert result.schedule is not None
    assert judge(result.problem, result.schedule) == set()


@each_restriction
def test_solvers_of_their_own_paths_say_no(routing: Restricted) -> None:
    """Solvers that know no order leave restricted wormhole problems alone, and take store-and-forward as before."""
    made = network("mesh:2x2")
    for name in ("first-fit", "flow", "translation", "table"):
        for kind in ("AAS", "OAS"):
            assert not SOLVERS[name].supports(Problem(made, named(kind, made), Rules(routing=routing)))
    stored = Problem(made, named("OAS", made), Rules("store-and-forward", routing=routing))
    assert SOLVERS["flow"].supports(stored)
    assert SOLVERS["cp-sat"].supports(stored)


@each_restriction
def test_relays_go_where_a_path_must_not(routing: Restricted) -> None:
    """A copy of a broadcast message starts a new path at every relay, also at one that is no member."""
    around = cut("mesh:2x3", (0, 1))
    told = Problem(around, broadcast(around, 0, [1]), Rules(routing=routing))
    result = solve(told)
    assert result.schedule is not None
    assert judge(told, result.schedule) == set()
    assert result.num_steps == 2


def test_a_switch_passes_on_in_order_only() -> None:
    """Where a router carries no processor, no relay can turn there; the problem is refused if all ways need it."""
    bare = network("mesh:2x2").without(links=[(0, 1)], processors=[2])
    assert bare.num_processors == 3
    with pytest.raises(InputError, match="cannot be reached from processor 0 over relays by dimension-order routing"):
        Problem(bare, broadcast(bare), Rules(routing="dimension-order"))
    result = solve(Problem(bare, broadcast(bare), Rules(routing="west-first")))
    assert result.num_steps == 2


@pytest.mark.parametrize("text", ["mesh:3x3", "torus:3x3"])
@each_restriction
def test_the_finder_finds_all_admissible_paths_or_some(text: str, routing: Restricted) -> None:
    """Few paths are listed in full, and of many a sample is drawn; all are in order."""
    problem = all_to_all(text, routing)
    every = PathFinder(problem, np.random.default_rng(0), 1000, 0)
    some = PathFinder(problem, np.random.default_rng(0), 2, 0)
    restriction = Restriction.of(problem.network, routing)
    for source in range(9):
        for target in range(9):
            known = every.between(source, target)
            assert len(set(known)) == len(known) > 0
            assert set(some.between(source, target)) <= set(known)
            assert len(some.between(source, target)) == min(2, len(known))
            for path in known:
                phases = restriction.phases[list(path)].tolist()
                assert phases == sorted(phases)
                assert len(path) == restriction.distances(np.array([source]))[0, target]


def test_numbers_of_paths() -> None:
    """From corner to corner of mesh:3x3 there are 6 shortest paths; an order leaves 1, or all that go its way."""
    for (source, target), counts in {
        (0, 8): (1, 6, 6),
        (8, 0): (1, 1, 1),
        (2, 6): (1, 1, 6),
        (6, 2): (1, 6, 1),
    }.items():
        for routing, number in zip(ORDERS, counts, strict=True):
            finder = PathFinder(all_to_all("mesh:3x3", routing), np.random.default_rng(0), 100, 0)
            assert len(finder.between(source, target)) == number, (source, target, routing)


# -- names


@pytest.mark.parametrize("text", ["mesh:3x3", "torus:3x4", "mesh:2x3*2", "torus:2x4"])
@each_restriction
def test_the_same_grid_under_another_name(text: str, routing: Restricted) -> None:
    """A mesh of the user's own has the paths and the answers of the catalogue's."""
    known = network(text)
    own = Network("my grid", known.routers, known.channels, known.router_of)
    one, other = (Problem(made, alltoall(made), Rules(routing=routing)) for made in (known, own))
    assert one.restriction is not None
    assert other.restriction is not None
    assert np.array_equal(one.restriction.phases, other.restriction.phases)
    results = [SOLVERS["greedy"](problem, None, 0, Budget()) for problem in (one, other)]
    assert results[0].schedule == results[1].schedule is not None


# -- files and refusals


def refused(made: Network, routing: Restricted, *messages: tuple[int, int]) -> str:
    """Return why a problem is refused."""
    with pytest.raises(InputError) as refusal:
        Problem(made, pairs(messages or [(0, 1)]), Rules(routing=routing))
    assert "\n" not in str(refusal.value)
    return str(refusal.value)


def test_what_is_no_grid_is_refused() -> None:
    """A restriction needs a mesh or torus with all its routers, told or recognized, and never a name."""
    no_grid = (
        "{} routing is for meshes and tori whose routers are all there and numbered row by row, but network {} is "
        "none; give mesh:AxB or torus:AxB, or choose minimal routing"
    )
    assert refused(network("star:4"), "west-first") == no_grid.format("west-first", "star:4")
    assert refused(network("ring:4"), "west-first") == (
        "west-first routing is for two dimensions, but network ring:4 has 1; choose dimension-order"
    )
    assert refused(network("mesh:2x2x2"), "north-last") == (
        "north-last routing is for two dimensions, but network mesh:2x2x2 has 3; choose dimension-order"
    )
    assert refused(network("mesh:2x3").without(routers=[5]), "dimension-order") == no_grid.format(
        "dimension-order", "mesh:2x3 less router 5"
    )
    stranger = Network("mesh:2x2", 4, [(0, 1), (1, 0), (0, 3), (3, 0)])
    assert refused(stranger, "dimension-order") == no_grid.format("dimension-order", "mesh:2x2")
    for name in ("mesh:0x4", "mesh:" + "1x" * 40 + "4", "mesh:99999x99999"):
        assert "routers" in refused(Network(name, 4, [(0, 1), (1, 0)]), "dimension-order")


def test_a_fault_that_cuts_the_only_path_is_refused() -> None:
    """A private message needs an admissible path; the refusal names the pair."""
    faulty = cut("mesh:2x2", (0, 1))
    assert refused(faulty, "dimension-order", (0, 3)) == (
        "processor 3 cannot be reached from processor 0 in one transfer by dimension-order routing on mesh:2x2 less "
        "0-1, because of its faults; choose minimal routing or leave that pair out"
    )
    assert Problem(faulty, pairs([(0, 3)]), Rules(routing="west-first")).num_messages == 1
    # West goes first, so only 1-0 will do.
    assert "from processor 1 in one transfer" in refused(faulty, "west-first", (1, 2))
    combining = Problem(faulty, pairs([(0, 3)]), Rules(routing="dimension-order", combining=True))
    result = solve(combining)
    assert result.num_steps == 2
