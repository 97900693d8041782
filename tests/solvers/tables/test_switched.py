"""All-to-all on networks with switches: clusters with rails and trees at the bound."""

from typing import Any

import pytest

from pavane.search.tables import solve_by_table
from pavane.solvers.tables.switched import switched_paths
from tests.model.test_symmetric_schedule import PASSING
from tests.problems import problem_of


@pytest.mark.parametrize(
    ("spec", "rules", "steps"),
    [
        *[("rails:128,8", PASSING, 1_016), ("rails:128,8", {}, 1_016), ("rails:128,8", {"ports": 1}, 1_023)],
        *[("rails:3,7", PASSING, 18), ("rails:3,7", {}, 18), ("rails:1250,8", PASSING, 9_992)],
        *[("dgx-h100:4", PASSING, 24), ("nvl:72", {}, 4), ("kary-tree:10,3", {}, 999)],
        *[("kary-tree:10,3", PASSING, 999), ("kary-tree:2,5", {"ports": 1}, 31), ("fat-tree:8", {}, 124)],
        ("fat-tree:8", {"ports": 1}, 127),
    ],
)
def test_at_the_bound(spec: str, rules: dict[str, Any], steps: int) -> None:
    """Tables have as many steps as rails, links of hosts or ports must carry, and are proven optimal."""
    result = solve_by_table(problem_of(spec, "AAS", **rules))
    assert result is not None
    assert (result.num_steps, result.status) == (steps, "optimal")


@pytest.mark.parametrize(
    ("spec", "kind", "rules"),
    [
        ("rails:4,3", "AAB", {}),
        ("rails:4,3", "AAS", {"switching": "store-and-forward"}),
        ("rails:4,3", "AAS", {"switching": "tdm"}),
        ("rails:4,3", "AAS", {"duplex": "half"}),
        ("torus:4x4", "AAS", {}),
        ("dgx-2:2", "AAS", {}),
    ],
)
def test_what_it_is_not_for(spec: str, kind: str, rules: dict[str, Any]) -> None:
    """Other networks, collectives and rules have no such table."""
    assert switched_paths(problem_of(spec, kind, **rules)) is None
