"""Growth of trees: what the kernel computes, compiled and not."""

from __future__ import annotations

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


@pytest.mark.parametrize("delay", [1, 2, 5])
def test_each_router_is_informed_once_and_in_time(delay: int) -> None:
    """Every router receives each piece once, over a channel of the kind, from one that was informed early enough."""
    hops = grown("torus:4x5", Rules(), 2, delay)
    cayley = cayley_of(network("torus:4x5"))
    assert cayley is not None
    assert np.array_equal(cayley.kinds.heads[hops.tails, hops.kinds], hops.heads)
    informed = {(piece, 0): -delay for piece in range(2)}
    for beat, piece, tail, head in zip(hops.beats, hops.pieces, hops.tails, hops.heads, strict=True):
        assert informed[int(piece), int(tail)] + delay <= beat
        assert (int(piece), int(head)) not in informed
        informed[int(piece), int(head)] = int(beat)
    assert len(informed) == 40
    assert len(set(zip(hops.beats.tolist(), hops.kinds.tolist(), strict=True))) == len(hops.beats)
