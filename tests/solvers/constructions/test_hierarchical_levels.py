"""Rotation among counterparts on hierarchical rings, level by level; noc Table 3 is in test_hierarchical."""

from __future__ import annotations

from math import prod

from pavane.solvers.constructions.hierarchical_levels import HierarchicalLevels

from .judged import PLAIN, each_size, figures, problem, rings

LEVELS = HierarchicalLevels()


@each_size
def test_level_by_level(sizes: tuple[int, ...]) -> None:
    """AAB in P - 1 start-ups with TCO the sum of (s - 1) P / s; without combining as many steps as TCO."""
    size = prod(sizes)
    tco = sum((ring - 1) * size // ring for ring in sizes)
    for kind in ("AAB", "AAR"):
        assert figures(LEVELS, problem(rings(sizes), kind)) == (size - 1, tco)
        assert figures(LEVELS, problem(rings(sizes), kind, PLAIN)) == (tco, tco)
