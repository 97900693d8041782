"""Bottlenecks are the sets of routers that few channels lead into for what must enter them."""

from __future__ import annotations

import numpy as np
import pytest

from pavane.bounds.bottlenecks import MOST_ROUTERS, SLACK, tight_sets
from pavane.bounds.cut_loads import leaving
from tests.problems import problem_of


def test_rings_behind_a_bridge_are_bottlenecks() -> None:
    """On rings joined by a ring, what is behind the bridge of each ring is a bottleneck."""
    rows = tight_sets(problem_of("hierarchical-rings:4,4", "AAB"))
    sets = [set(np.flatnonzero(row).tolist()) for row in rows]
    for bridge in (0, 4, 8, 12):
        assert {bridge + 1, bridge + 2, bridge + 3} in sets


@pytest.mark.parametrize("name", ["hypercube:4", "torus:4x4", "complete:8", "petersen", "mesh:4x4"])
def test_networks_without_narrow_parts_have_none(name: str) -> None:
    """Where every set has many more ways in than a router has, no set matters."""
    assert not len(tight_sets(problem_of(name, "AAB")))


@pytest.mark.parametrize("duplex", ["full", "half"])
@pytest.mark.parametrize("name", ["hierarchical-rings:4,4", "bridged-octagons:2", "line:8", "fat-tree:4"])
def test_every_set_is_nearly_as_tight_as_the_tightest_router(name: str, duplex: str) -> None:
    """What must cross into a set, over the channels into it, is not far below that of any single router."""
    problem = problem_of(name, "AAB", duplex=duplex)
    single = np.eye(problem.network.num_routers, dtype=bool)
    steps = [cut.num_messages / cut.per_step for cut in (leaving(problem, ~row) for row in single)]
    for row in tight_sets(problem):
        cut = leaving(problem, ~row)
        assert 1 < row.sum() < problem.network.num_routers
        assert SLACK * cut.num_messages / cut.per_step >= max(steps) - 1e-9


def test_large_networks_are_left_alone() -> None:
    """Growing sets from each of thousands of routers would take longer than it helps."""
    assert tight_sets(problem_of(f"ring:{MOST_ROUTERS + 1}", "OAB")).shape == (0, MOST_ROUTERS + 1)
