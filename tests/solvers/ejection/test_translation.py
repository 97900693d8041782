"""Translations in space and time, on networks that look alike from every router."""

from typing import Literal

import pytest

from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.parallel.budget import Budget
from pavane.solvers.ejection.translation import Translation
from pavane.symmetry.translation_groups import groups_of
from tests.problems import problem_of


@pytest.mark.parametrize(
    ("spec", "steps"),
    [
        *[("torus:4x4", 8), ("torus:8x8", 64), ("torus:6x6", 27), ("torus:4x4x4", 32), ("hyperx:4x4", 4)],
        ("hypercube:5", 16),
    ],
)
def test_translations_solve_what_looks_alike_everywhere(spec: str, steps: int) -> None:
    """One message per displacement, lifted in space and time, meets the bound without slack."""
    assert Translation()(problem_of(spec), steps, 0, Budget()).num_steps == steps


@pytest.mark.parametrize(
    ("spec", "period"), [("torus:3x3", 9), ("torus:4x4", 16), ("torus:5x5", 25), ("torus:6x6", 36)]
)
def test_one_table_serves_all_routers(spec: str, period: int) -> None:
    """With one port in slots, all routers start the same path in the same slot, at the proven bound."""
    made = network(spec)
    problem = Problem(made, "alltoall", Rules("tdm", ports=1))
    result = Translation(most_homomorphisms=1)(problem, period, 0, Budget())
    assert result.schedule is not None
    starts: dict[int, set[tuple[int, int]]] = {}
    (group,) = (group for group in groups_of(problem) if len(set(group.sizes)) == 1 and len(group.sizes) == 2)
    for transfer in result.schedule:
        moved = int(group.sums[group.opposites[transfer.sender], transfer.receiver])
        kinds = tuple(group.kinds[list(transfer.path)].tolist())
        starts.setdefault(moved, set()).add((transfer.start, hash(kinds)))
    assert all(len(rows) == 1 for rows in starts.values())
    assert len(starts) == made.num_routers - 1


@pytest.mark.parametrize(
    ("spec", "period", "wrap"),
    [("torus:7x7", 53, False), ("torus:8x8", 69, False), ("torus:9x9", 95, False), ("torus:7x7", 49, True)],
)
def test_tables_that_are_their_own_mirror_image_meet_the_bound(spec: str, period: int, wrap: bool) -> None:
    """Two-way tori without slack have tables that read the same backwards, or are turned by half in half a period."""
    problem = Problem(network(spec), "alltoall", Rules("tdm", ports=1, wrap=wrap))
    assert Translation(most_homomorphisms=1)(problem, period, 0, Budget()).num_steps == period


@pytest.mark.parametrize(("spec", "ports"), [("torus:4x4", 1), ("ring:6", "all"), ("hypercube:3", 1), ("ring:5", 1)])
@pytest.mark.parametrize(("wrap", "period"), [(True, 20), (True, 21), (False, 22)])
def test_a_mirrored_table_has_every_message_once(spec: str, ports: Literal[1, "all"], wrap: bool, period: int) -> None:
    """Displacements that are their own opposites, and kinds of channels that are, are no exception."""
    problem = Problem(network(spec), "alltoall", Rules("tdm", ports=ports, wrap=wrap))
    assert Translation(most_homomorphisms=1)(problem, period, 0, Budget()).num_steps == period
