"""Maximum flows, and the simple paths and hops that they consist of."""

from __future__ import annotations

import numpy as np

from pavane.model.maximum_flow import MaximumFlow, hops_of, simple_paths_of, without_loops
from pavane.model.network import Network
from pavane.networks import network


def test_a_flow_is_as_large_as_its_cut() -> None:
    """Across a mesh of two columns as much flows as there are rows, and the cut lies between the columns."""
    mesh = network("mesh:3x2")
    flow = MaximumFlow(mesh.tails, mesh.heads, np.ones(mesh.num_channels, dtype=np.int64), 0, 5)
    assert flow.value == 2
    inside = flow.source_side(mesh.num_routers)
    assert inside[0]
    assert not inside[5]
    assert (inside[mesh.tails] & ~inside[mesh.heads]).sum() == flow.value


def test_a_flow_is_taken_apart_into_simple_paths() -> None:
    """A ring on the way is left out, and a path ends at the first router that wants one."""
    lasso = Network("lasso", 4, [(0, 1), (1, 2), (2, 1), (1, 3)])
    channels = np.arange(4)
    assert list(simple_paths_of(lasso, channels, [0], [0, 0, 0, 1])) == [(0, (0, 3), 3)]
    assert list(simple_paths_of(lasso, channels[:2], [0, 1], [0, 1, 1, 0])) == [(0, (0,), 1), (1, (1,), 2)]


def test_a_hop_ends_where_a_message_may_rest() -> None:
    """A hop is one channel, or goes on over routers that pass; a ring among these is left out."""
    hub = Network("hub", 5, [(0, 3), (3, 1), (1, 3), (3, 2), (3, 4), (4, 3), (0, 1)], [0, 1, 2])
    nowhere = np.zeros(5, dtype=bool)
    assert list(hops_of(hub, np.array([0, 1]), nowhere)) == [(0, (0,), 3), (3, (1,), 1)]
    switches = np.array([False, False, False, True, True])
    assert list(hops_of(hub, np.array([0, 1, 6]), switches)) == [(0, (0, 1), 1), (0, (6,), 1)]
    assert list(hops_of(hub, np.array([2, 3, 4, 5]), switches)) == [(1, (2, 3), 2)]
    assert list(hops_of(hub, np.array([1, 2]), switches)) == [(1, (), 1)]


def test_loops_are_left_out() -> None:
    """Every visit but the last is forgotten, with all that lies between."""
    assert without_loops(0, [1, 2, 3, 1, 4], lambda hop: hop) == [1, 4]
    assert without_loops(0, [1, 0, 2], lambda hop: hop) == [2]
