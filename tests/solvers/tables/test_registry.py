"""Tables for all-to-all scatter by wormhole are valid and have as many steps as their construction says."""

from dataclasses import replace
from math import prod
from typing import Any

import pytest

from pavane.model.problem import Problem
from tests.problems import problem_of
from tests.solvers.tables.judged import judged_table, table_of

EVEN_TORI = ["4x4", "6x4", "4x6", "8x10", "6x6", "4x4x4", "4x4x8", "6x4x10", "4x4x4x4"]
SIDES_OF_TWO = ["2x4", "4x2", "8x2", "2x2x4", "2x6x4", "2x2x2x8", "4x2x6x2"]


def _in_pieces(problem: Problem, pieces: int) -> Problem:
    return replace(problem, collectives=(replace(problem.collective, pieces=pieces),))


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
    ("name", "spec", "steps"), [("antipodal-trails", "torus:4x6", 18), ("complement-pairs", "hypercube:3", 4)]
)
def test_pieces_follow_each_other(name: str, spec: str, steps: int) -> None:
    """Messages of three pieces take three times as many steps."""
    assert judged_table(name, _in_pieces(problem_of(spec), 3)).num_steps == 3 * steps


SLOTS = {"switching": "tdm"}
STORED = {"switching": "store-and-forward"}
NO_TABLE: list[tuple[str, str, dict[str, Any]]] = [
    *[("antipodal-trails", spec, {}) for spec in ("torus:4x5", "hypercube:3")],
    *[("antipodal-trails", "torus:4x4", rules) for rules in ({"ports": 1}, {"duplex": "half"})],
    *[("complement-pairs", "torus:4x4", {}), ("complement-pairs", "hypercube:3", STORED)],
    # There are turned tables with a turn, all ports, and hops and packets of one slot.
    *[("turned-orbits", "torus:4x4", rules) for rules in (STORED, {}, {**SLOTS, "ports": 1})],
    *[("turned-orbits", "torus:4x4", {**SLOTS, delay: 2}) for delay in ("router_delay", "packet_slots")],
    ("turned-orbits", "torus:4x6", SLOTS),
    # Messages rest, and hops commute.
    *[("staggered-shop", "torus:4x4", {}), ("staggered-shop", "star-graph:4", STORED)],
]


@pytest.mark.parametrize(("name", "spec", "rules"), NO_TABLE)
def test_makers_know_what_they_are_for(name: str, spec: str, rules: dict[str, Any]) -> None:
    """A maker has no table for other networks and rules, nor for another collective."""
    assert table_of(name, problem_of(spec, **rules)) is None
    assert table_of("antipodal-trails", problem_of("torus:4x4", "AAB")) is None


def test_large_networks_have_tables() -> None:
    """A torus of 128 x 128 has one row for each displacement, and nothing is written out."""
    table = table_of("antipodal-trails", problem_of("torus:128x128"))
    assert table is not None
    assert (len(table), table.num_steps) == (128 * 128 - 1, 262_144)
