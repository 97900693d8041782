"""Growth of trees: what the kernel computes, compiled and not."""

import numpy as np
import pytest

from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.solvers import tree_growth
from pavane.solvers.machines import Machines
from pavane.solvers.tree_growth import TreeHops, grown_trees
from pavane.symmetry.cayley import cayley_of


def grown(spec: str, rules: Rules, num_pieces: int, delay: int = 1) -> TreeHops:
    """Return the trees of an allgather."""
    cayley = cayley_of(network(spec))
    assert cayley is not None
    machines = Machines.of(Problem(cayley.network, "AAB", rules), cayley.kinds.channels)
    assert machines is not None
    return grown_trees(cayley.kinds.heads, machines, num_pieces, delay)


@pytest.mark.parametrize(
    ("spec", "rules", "num_pieces", "delay"),
    [
        ("torus:5x5", Rules(), 1, 1),
        ("hypercube:5", Rules(ports=2), 2, 1),
        ("torus:4x4", Rules(duplex="half"), 1, 1),
        ("star-graph:4", Rules(), 1, 3),
    ],
)
def test_compiled_is_as_interpreted(
    spec: str, rules: Rules, num_pieces: int, delay: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Machine code makes the hops that plain Python makes."""
    plain = grown(spec, rules, num_pieces, delay)
    monkeypatch.setattr(tree_growth, "MOST_INTERPRETED", 0)
    for one, other in zip(plain, grown(spec, rules, num_pieces, delay), strict=True):
        assert np.array_equal(one, other)
