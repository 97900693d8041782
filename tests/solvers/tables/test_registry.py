"""Tables for all-to-all scatter by wormhole are valid and have as many steps as their construction says."""

from __future__ import annotations

from dataclasses import replace
from math import prod

import pytest

from pavane.model.collectives import alltoall
from pavane.model.problem import Problem
from pavane.networks import network
from pavane.solvers.tables.registry import TABLE_MAKERS
from pavane.symmetry.cayley import cayley_of
from tests.problems import problem_of
from tests.solvers.tables.judged import judged_table

EVEN_TORI = ["4x4", "6x4", "4x6", "8x10", "6x6", "4x4x4", "4x4x8", "6x4x10", "4x4x4x4"]
SIDES_OF_TWO = ["2x4", "4x2", "8x2", "2x2x4", "2x6x4", "2x2x2x8", "4x2x6x2"]


def _in_pieces(problem: Problem, pieces: int) -> Problem:
    return replace(problem, collective=replace(problem.collective, pieces=pieces))


@pytest.mark.parametrize("text", [*EVEN_TORI, *SIDES_OF_TWO])
def test_even_tori_take_as_many_steps_as_their_longest_side_must(text: str) -> None:
    """A torus of N routers, even sides and longest side n takes n N / 8 steps."""
    sides = [int(side) for side in text.split("x")]
    table = judged_table("antipodal-trails", problem_of(f"torus:{text}"))
    assert table.num_steps == max(sides) * prod(sides) // 8


@pytest.mark.parametrize("dimension", [1, 2, 3, 5])
def test_hypercubes_take_half_as_many_steps_as_routers(dimension: int) -> None:
    """A hypercube of N routers takes N / 2 steps, and N - 1 with one port."""
    assert judged_table("complement-pairs", problem_of(f"hypercube:{dimension}")).num_steps == 2 ** (dimension - 1)
    alone = judged_table("complement-pairs", problem_of(f"hypercube:{dimension}", ports=1))
    assert alone.num_steps == 2**dimension - 1


@pytest.mark.parametrize(
    ("name", "spec", "steps"),
    [
        ("antipodal-trails", "torus:4x6", 18),
        ("complement-pairs", "hypercube:3", 4),
    ],
)
def test_pieces_follow_each_other(name: str, spec: str, steps: int) -> None:
    """Messages of three pieces take three times as many steps."""
    assert judged_table(name, _in_pieces(problem_of(spec), 3)).num_steps == 3 * steps


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("antipodal-trails", problem_of("torus:4x5")),
        ("antipodal-trails", problem_of("torus:4x4", ports=1)),
        ("antipodal-trails", problem_of("torus:4x4", duplex="half")),
        ("antipodal-trails", problem_of("torus:4x4", "AAB")),
        ("antipodal-trails", problem_of("hypercube:3")),
        ("complement-pairs", problem_of("torus:4x4")),
        ("complement-pairs", problem_of("hypercube:3", switching="store-and-forward")),
    ],
)
def test_makers_know_what_they_are_for(name: str, problem: Problem) -> None:
    """A maker has no table for other networks and rules."""
    cayley = cayley_of(problem.network)
    assert cayley is not None
    assert TABLE_MAKERS[name](problem, cayley) is None


def test_large_networks_have_tables() -> None:
    """A torus of 128 x 128 has one row for each displacement, and nothing is written out."""
    large = network("torus:128x128")
    problem, cayley = Problem(large, alltoall(large)), cayley_of(large)
    assert cayley is not None
    table = TABLE_MAKERS["antipodal-trails"](problem, cayley)
    assert table is not None
    assert (len(table), table.num_steps) == (128 * 128 - 1, 262_144)
