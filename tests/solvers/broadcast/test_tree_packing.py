"""Trees packed into steps: proven optima where switches copy and add."""

from typing import Any

import pytest

from pavane import solve
from pavane.model.collectives import in_pieces, named
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from tests.checker import judge

STORED = {"switching": "store-and-forward", "switches": "copy"}
MULTICAST = {"multicast": True}


@pytest.mark.parametrize(
    ("spec", "kind", "pieces", "rules", "steps"),
    [
        ("star:8", "OAB", 4, {"multicast": True, "ports": 1}, 4),
        ("nvl:8", "AAB", 1, STORED, 1),
        ("nvl:8", "AAR", 1, STORED, 1),
        ("mesh:4x4", "OAB", 1, MULTICAST, 1),
        ("torus:4x4", "AOR", 1, MULTICAST, 1),
        ("hypercube:4", "OAB", 3, {**MULTICAST, "ports": 1}, 3),
        ("octagon", "AAB", 1, {**MULTICAST, "ports": 1}, 7),
        ("kautz:3,2", "OAB", 1, MULTICAST, 1),
    ],
)
def test_optima(spec: str, kind: str, pieces: int, rules: dict[str, Any], steps: int) -> None:
    """Known optima of switches and routers that copy are found and proven."""
    made = network(spec)
    result = solve(Problem(made, in_pieces(named(kind, made), pieces), Rules(**rules)))
    assert (result.num_steps, result.status) == (steps, "optimal")
    assert result.schedule is not None
    assert judge(result.problem, result.schedule) == set()


@pytest.mark.parametrize("kind", ["AAB", "ALLREDUCE"])
def test_copying_is_never_longer(kind: str) -> None:
    """A schedule without copies is one with copies, so that copying costs no step."""
    made = network("rails:2,2")
    lengths = [
        solve(Problem(made, kind, Rules("store-and-forward", switches=switches))).num_steps or 0
        for switches in ("copy", "pass")
    ]
    assert lengths[0] <= lengths[1]
