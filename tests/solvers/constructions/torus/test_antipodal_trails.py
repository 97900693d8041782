"""Antipodal trails reach the lower bound on tori whose longest side is even, and say no to everything else."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from math import prod

import numpy as np
import pytest

from pavane.judge.rules import verify
from pavane.model.collectives import named
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.parallel.budget import Budget
from pavane.search.options import SearchOptions
from pavane.search.synthesis import solve
from pavane.solvers.constructions.torus.antipodal_trails import AntipodalTrails
from tests.problems import problem_of

EVEN_TORI = [
    *["4x4", "6x6", "8x8", "10x10", "12x12", "4x6", "6x4", "6x8", "6x10", "8x10", "8x16", "12x16"],
    *["4x4x4", "6x6x6", "4x4x6", "4x6x8", "4x4x8", "6x4x10", "8x8x8", "4x4x4x4", "4x4x6x4"],
    *["2x4", "4x2", "2x6", "8x2", "2x2x4", "2x4x4", "2x6x4", "2x2x2x8", "4x2x6x2", "2x2x2x2x4"],
]

ONE_ODD_SIDE = [
    *["4x3", "3x8", "8x5", "7x8", "12x11", "12x9", "16x3", "16x13", "1x8x5"],
    *["6x3", "6x5", "10x5", "10x7", "10x9", "14x13", "14x3"],
    *["4x4x3", "4x3x6", "5x6x6", "8x4x7", "4x6x5", "10x4x9", "4x4x4x3", "6x4x5x4"],
]


def _sides(text: str) -> list[int]:
    return [int(side) for side in text.split("x")]


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        *((text, Rules()) for text in [*EVEN_TORI, *ONE_ODD_SIDE]),
        *((text, Rules(routing="any")) for text in ("4x6", "4x4x8", "2x2x2x8", "12x9", "10x4x9")),
    ],
)
def test_tori_are_scheduled_at_the_bound(text: str, rules: Rules) -> None:
    """A torus of N routers and longest side n takes n N / 8 steps, rounded up: none along that side are idle."""
    problem = problem_of(network(f"torus:{text}"), "AAS", rules)
    assert AntipodalTrails().supports(problem)
    result = AntipodalTrails()(problem, None, 0, Budget())
    assert result.schedule is not None
    assert result.num_steps == -(-max(_sides(text)) * prod(_sides(text)) // 8)
    assert not verify(problem, result.schedule)


def test_every_torus_of_few_routers_is_scheduled_at_the_bound() -> None:
    """Of all tori of two or three sides and at most 40 routers, those with even sides and one odd one at most."""
    for sides in (sides for axes in (2, 3) for sides in product(range(2, 31), repeat=axes) if prod(sides) <= 40):
        problem = problem_of(network(f"torus:{'x'.join(map(str, sides))}"))
        odd = [side for side in sides if side % 2]
        is_known = max(sides) > 2 if not odd else max(sides) % 2 == 0 and len(odd) == 1 and min(sides) > 2
        assert AntipodalTrails().supports(problem) == is_known, sides
        if is_known:
            assert AntipodalTrails()(problem, None, 0, Budget()).num_steps == -(-max(sides) * prod(sides) // 8), sides


def test_the_bound_comes_with_the_schedule() -> None:
    """Where sides differ, the channels along the longest prove the number of steps."""
    result = AntipodalTrails()(problem_of(network("torus:4x10")), None, 0, Budget())
    assert (result.num_steps, result.status) == (50, "optimal")


def test_square_tori_keep_all_channels_busy() -> None:
    """Where all sides are equal nothing is idle in any step."""
    problem = problem_of(network("torus:6x6x6"))
    schedule = AntipodalTrails()(problem, None, 0, Budget()).schedule
    assert schedule is not None
    assert len(schedule.path_channels) == schedule.num_steps * problem.network.num_channels


@pytest.mark.parametrize("text", ["torus:16x16", "torus:6x10", "torus:4x4x6", "torus:2x8", "torus:8x7", "torus:6x3"])
def test_the_portfolio_knows_it(text: str) -> None:
    """`auto` answers with a proof, and says by what."""
    result = solve(problem_of(network(text)))
    assert result.status == "optimal"
    assert result.provenance is not None
    assert result.provenance.solver == "antipodal-trails"


def test_the_bound_is_proven_whatever_the_time() -> None:
    """A schedule that was written down after the time limit has its proof all the same."""
    result = solve(problem_of(network("torus:10x10")), SearchOptions(seconds=1e-9))
    assert (result.num_steps, result.status, result.provenance.solver) == (125, "optimal", "antipodal-trails")


def test_pieces_are_sent_one_after_the_other() -> None:
    """Three pieces a message take three times as many steps, and that is the bound."""
    plain = problem_of(network("torus:4x6"))
    problem = Problem(plain.network, replace(plain.collective, pieces=3))
    result = solve(problem)
    assert (result.num_steps, result.status) == (54, "optimal")
    assert result.provenance.solver == "antipodal-trails"


def test_fewer_steps_are_not_promised() -> None:
    """Asked for fewer steps than the construction has, there is no schedule; for more, there is."""
    problem = problem_of(network("torus:6x4"))
    assert AntipodalTrails()(problem, 17, 0, Budget()).schedule is None
    assert AntipodalTrails()(problem, 20, 0, Budget()).num_steps == 18


@pytest.mark.parametrize(
    "text",
    [
        "torus:5x5",
        "torus:4x5",
        "torus:2x4x3",
        "torus:8x3x3",
        "ring:8",
        "torus:2x2",
        "mesh:4x4",
        "hypercube:6",
        "random-regular:16,4,1",
    ],
)
def test_other_networks_are_refused(text: str) -> None:
    """Tori with a longest side that is odd, or with several odd sides; rings, hypercubes and what is no torus."""
    assert not AntipodalTrails().supports(problem_of(network(text)))


def test_a_torus_is_known_by_its_channels() -> None:
    """The name and the order of the channels say nothing."""
    torus = network("torus:4x6")
    turned = np.random.default_rng(0).permutation(torus.channels)
    problem = problem_of(Network("any name", 24, turned))
    assert AntipodalTrails()(problem, None, 0, Budget()).num_steps == 18


def test_a_torus_in_disguise_is_refused() -> None:
    """Routers numbered in another order, and a torus with one channel turned into another, are not taken for one."""
    torus = network("torus:4x4")
    shuffled = np.random.default_rng(0).permutation(16)[torus.channels]
    doubled = torus.channels.copy()
    doubled[0] = doubled[1]
    assert not AntipodalTrails().supports(problem_of(Network("shuffled", 16, shuffled)))
    assert not AntipodalTrails().supports(problem_of(Network("doubled", 16, doubled)))


def test_sizes_and_capacities_are_refused() -> None:
    """It needs equally many pieces of every message and one message a step on every channel."""
    plain = problem_of(network("torus:4x4"))
    sized = replace(plain.collective, sizes=((0, 1, 2),))
    wide = Network("wide", 16, plain.network.channels, capacities=[2] * plain.network.num_channels)
    assert not AntipodalTrails().supports(Problem(plain.network, sized))
    assert not AntipodalTrails().supports(problem_of(wide))


@pytest.mark.parametrize(
    "rules",
    [Rules(ports=1), Rules(duplex="half"), Rules(switching="store-and-forward"), Rules(routing="dimension-order")],
)
def test_other_rules_are_refused(rules: Rules) -> None:
    """The construction needs whole paths in its own order of dimensions, all ports, and both directions at once."""
    assert not AntipodalTrails().supports(problem_of(network("torus:4x4"), "AAS", rules))


def test_other_collectives_are_refused() -> None:
    """It is for all-to-all scatter alone."""
    made = network("torus:4x4")
    assert not AntipodalTrails().supports(Problem(made, named("AAB", made), Rules()))
