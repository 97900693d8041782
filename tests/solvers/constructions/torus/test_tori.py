"""Tori are told by their channels, and moves along their axes lead where they say."""

from __future__ import annotations

import numpy as np
import pytest

from pavane.model.network import Network
from pavane.networks import network
from pavane.parallel.budget import Budget
from pavane.solvers import SOLVERS
from pavane.solvers.constructions.torus.tori import torus_of
from tests.problems import problem_of


def test_moves_lead_along_channels() -> None:
    """The channels of a move join the router where it begins with the one where it ends."""
    made = network("torus:4x3x2")
    torus = torus_of(made)
    assert torus is not None
    assert torus.sizes == (4, 3, 2)
    for (axis, way), table in torus.straight.items():
        assert table.shape == (24, torus.sizes[axis] // 2)
        here = np.arange(24)
        for hop in range(table.shape[1]):
            assert (made.tails[table[:, hop]] == here).all()
            here = torus.moved(here, (axis, way))
            assert (made.heads[table[:, hop]] == here).all()


def test_what_is_no_torus_is_told() -> None:
    """Meshes, tori with a fault, with a channel twice, and with two processors on a router are none."""
    torus = network("torus:4x4")
    doubled = torus.channels.copy()
    doubled[0] = doubled[1]
    assert torus_of(network("mesh:4x4")) is None
    assert torus_of(Network("faulty", 16, torus.channels[1:])) is None
    assert torus_of(Network("doubled", 16, doubled)) is None
    assert torus_of(network("torus:4x4*2")) is None


@pytest.mark.parametrize("name", ["antipodal-trails", "transposed-pairs"])
def test_what_is_no_torus_has_no_construction(name: str) -> None:
    """Whoever asks all the same has no schedule, and no error."""
    problem = problem_of("mesh:4x4")
    assert not SOLVERS[name].supports(problem)
    assert SOLVERS[name](problem, None, 0, Budget()).schedule is None
