"""Tables of meshes: exchanges along lines, at the bisection bound, and trees along a cycle of all routers."""

import random
from typing import Any

import numpy as np
import pytest

from pavane.judge.rules import verify, verify_step
from pavane.model.collectives import in_pieces, named
from pavane.model.problem import Problem, Rules
from pavane.model.symmetric_schedule import SymmetricSchedule
from pavane.networks import network
from pavane.search.synthesis import solve
from pavane.search.tables import solve_by_table
from pavane.solvers.tables.meshes import cycle_trees, exchange_starts, line_exchanges, mesh_cycle
from tests.checker import judge
from tests.problems import problem_of
from tests.table_cases import disagreement, spoiled, written_out


@pytest.mark.parametrize("size", [2, 3, 4, 5, 8, 13, 24, 25])
def test_an_exchange_uses_no_channel_twice(size: int) -> None:
    """All messages of a line run without waiting, in n^2 // 4 steps, and meet on no channel."""
    starts = exchange_starts(size)
    uses = [
        (origin < target, hop if origin < target else -hop, int(starts[origin, target]) + abs(hop - origin))
        for origin in range(size)
        for target in range(size)
        for hop in range(origin, target, 1 if origin < target else -1)
    ]
    assert len(set(uses)) == len(uses)
    assert {step for _, _, step in uses} == set(range(size * size // 4))


@pytest.mark.parametrize(
    ("spec", "steps"),
    [
        *[("mesh:4x4", 16), ("mesh:5x5", 30), ("mesh:3x8", 48), ("mesh:9x4", 80), ("mesh:64x64", 65_536)],
        *[("mesh:256x256", 4_194_304), ("mesh:4x4x4", 64), ("mesh:4x4x4x4", 256), ("line:100", 2_500)],
    ],
)
def test_meshes_at_the_bound(spec: str, steps: int) -> None:
    """Tables of meshes have as many steps as must cross the middle channels, and are proven optimal."""
    result = solve_by_table(problem_of(spec, "AAS", switching="store-and-forward"))
    assert result is not None
    assert (result.num_steps, result.status) == (steps, "optimal")


def test_all_rectangles() -> None:
    """All meshes of two dimensions have a table, but for those of two rows of odd length."""
    for few in range(2, 13):
        for many in range(few, 13):
            table = line_exchanges(problem_of(f"mesh:{few}x{many}", "AAS", switching="store-and-forward"))
            assert (table is None) == (few == 2 and many % 2 == 1)


def test_solve_uses_it_where_messages_are_too_many_to_list() -> None:
    """A problem of more messages than can be listed is solved by a table, without further options."""
    problem = problem_of("mesh:100x100", "AAS", switching="store-and-forward")
    result = solve(problem)
    assert result.table is not None
    assert result.num_steps == 250_000
    assert set(result.table.expand_step(problem, 7).starts.tolist()) == {7}


@pytest.mark.parametrize(
    "sizes", [(2, 2), (4, 4), (3, 4), (6, 3), (2, 9), (3, 3, 2), (4, 3, 5), (2, 2, 2, 3), (1, 4, 3)]
)
def test_a_cycle_has_every_router_once_and_follows_links(sizes: tuple[int, ...]) -> None:
    """The next router of a cycle is a neighbour along one dimension, and none is missing."""
    cycle = mesh_cycle(sizes)
    assert cycle is not None
    assert sorted(cycle.tolist()) == list(range(int(np.prod(sizes))))
    places = np.stack(np.unravel_index(cycle, sizes))
    assert (np.abs(places - np.roll(places, -1, axis=1)).sum(axis=0) == 1).all()


@pytest.mark.parametrize("sizes", [(3, 3), (8,), (1, 6), (5, 3, 7)])
def test_meshes_without_a_cycle(sizes: tuple[int, ...]) -> None:
    """A line has no cycle, and a mesh of odd sides has one router more of one colour."""
    assert mesh_cycle(sizes) is None


@pytest.mark.parametrize("switching", ["wormhole", "store-and-forward"])
@pytest.mark.parametrize("spec", ["mesh:2x2", "mesh:3x4", "mesh:4x4", "mesh:2x7", "mesh:6x5"])
def test_an_allgather_takes_half_as_many_steps_as_routers(spec: str, switching: Any) -> None:
    """Corners receive two messages in every step; all judges accept the table, and the schedule that it gives."""
    problem = problem_of(spec, "AAB", switching=switching)
    result = solve(problem, form="table")
    assert isinstance(result.table, SymmetricSchedule)
    assert (result.num_steps, result.status) == (problem.network.num_routers // 2, "optimal")
    schedule = result.table.expand(problem)
    assert sorted(schedule) == sorted(written_out(problem, result.table))
    assert verify(problem, schedule) == []
    assert not judge(problem, schedule)


@pytest.mark.parametrize(
    ("kind", "pieces", "rules", "steps"),
    [
        ("AAR", 1, {}, 6),
        ("ALLREDUCE", 1, {}, 12),
        ("AAB", 3, {}, 17),
        ("AAB", 1, {"ports": 1}, 11),
        ("AAB", 1, {"switching": "tdm", "wrap": False}, 18),
    ],
)
def test_other_collectives_and_rules(kind: str, pieces: int, rules: dict[str, Any], steps: int) -> None:
    """Sums go the same ways backwards; pieces, ports and slots are those of any table."""
    mesh = network("mesh:3x4")
    problem = Problem(mesh, in_pieces(named(kind, mesh), pieces), Rules(**rules))
    result = solve_by_table(problem)
    assert result is not None
    assert result.table is not None
    assert result.num_steps == steps
    assert not judge(problem, result.table.expand(problem))
    assert result.bound is not None
    assert result.bound.figure <= steps


@pytest.mark.parametrize(("spec", "steps"), [("mesh:64x64", 2_048), ("mesh:128x128", 8_192)])
def test_large_meshes_are_at_the_bound(spec: str, steps: int) -> None:
    """A mesh whose copies are too many to list is solved by a table; steps that are written out are valid."""
    problem = problem_of(spec, "AAB")
    result = solve(problem)
    assert result.table is not None
    assert (result.num_steps, result.status) == (steps, "optimal")
    assert verify_step(problem, result.table, 17) == (2 * problem.network.num_routers, [])


def test_two_judges_agree_on_spoiled_tables() -> None:
    """Tables whose translations keep some channels only are accepted exactly if the schedule is valid."""
    rng = random.Random(5)
    for number in range(150):
        problem = problem_of("mesh:3x4", rng.choice(("AAB", "AAR", "ALLREDUCE")), ports=rng.choice(("all", 1, 2)))
        table = cycle_trees(problem)
        assert table is not None
        assert disagreement(problem, spoiled(table, rng, 1 + number % 3)) is None


STORED = {"switching": "store-and-forward"}
NO_TABLE: list[tuple[Any, str, str, dict[str, Any]]] = [
    (line_exchanges, "mesh:4x4", "AAS", {}),
    *[(line_exchanges, "mesh:4x4", "AAS", {**STORED, **rule}) for rule in ({"ports": 1}, {"duplex": "half"})],
    (line_exchanges, "mesh:4x4", "AAB", STORED),
    *[(line_exchanges, spec, "AAS", STORED) for spec in ("torus:4x4", "mesh:2x3x4", "mesh:4x4*2")],
    (cycle_trees, "mesh:4x4", "AAS", {}),
    *[(cycle_trees, "mesh:4x4", "AAB", rules) for rules in ({"duplex": "half"}, {"combining": True})],
    *[(cycle_trees, spec, "AAB", {}) for spec in ("mesh:3x3", "torus:4x4", "mesh:4x4*2", "star:5")],
]


@pytest.mark.parametrize(("maker", "spec", "kind", "rules"), NO_TABLE)
def test_what_tables_of_meshes_are_not_for(maker: Any, spec: str, kind: str, rules: dict[str, Any]) -> None:
    """Other networks, collectives and rules have no such table."""
    assert maker(problem_of(spec, kind, **rules)) is None
