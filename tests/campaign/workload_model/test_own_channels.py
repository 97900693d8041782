"""Channels of its own for each group."""

from __future__ import annotations

import numpy as np
import pytest

from pavane.campaign.workload_model.groups import Layout
from pavane.campaign.workload_model.own_channels import OwnChannels, channels_of_their_own
from pavane.judge.result import Result
from pavane.model.collectives import broadcast
from pavane.model.problem import Problem
from pavane.networks import network
from pavane.search.synthesis import solve


def test_rows_of_a_mesh_have_the_channels_along_them() -> None:
    """A row of three has two links, and what is found on them is a schedule on the whole mesh."""
    where = network("mesh:2x3")
    problems = [Problem(where, broadcast(row)) for row in Layout(2, 3).groups("rows")]
    first, second = channels_of_their_own(problems)
    assert first is not None
    assert second is not None
    ends = {tuple(where.channels[channel].tolist()) for channel in second.channels}
    assert ends == {(3, 4), (4, 3), (4, 5), (5, 4)}
    result = second.on_the_whole(solve(second.problem))
    assert result is not None
    assert result.schedule is not None
    assert result.problem == problems[1]
    assert set(result.schedule.path_channels.tolist()) <= set(second.channels.tolist())


def test_groups_whose_ways_cross_have_none() -> None:
    """On a line where each group stands across the other, no channels are left to either."""
    where = network("line:4")
    assert channels_of_their_own([Problem(where, broadcast([0, 2])), Problem(where, broadcast([1, 3]))]) == (None, None)


def test_a_group_alone_has_the_whole_network() -> None:
    """There is nobody to make room for."""
    assert channels_of_their_own([Problem(network("ring:4"), "broadcast")]) == (None,)


def test_large_networks_are_not_divided(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a table of distances would be too large, every group has the whole network."""
    monkeypatch.setattr("pavane.campaign.workload_model.own_channels.MOST_ROUTERS_TABLED", 3)
    where = network("line:4")
    assert channels_of_their_own([Problem(where, broadcast([0, 1])), Problem(where, broadcast([3, 2]))]) == (None, None)


def test_what_does_not_hold_on_the_whole_network_is_no_result() -> None:
    """No schedule stays none, and a path that is the shortest among few channels alone breaks a rule among all."""
    ring = network("ring:5")
    problem = Problem(ring, broadcast([0, 1]))
    ends = ring.channels.tolist()
    way_round = OwnChannels(problem, np.array([ends.index([a, b]) for a, b in ((0, 4), (4, 3), (3, 2), (2, 1))]))
    assert way_round.on_the_whole(Result(way_round.problem, None)) is None
    found = solve(way_round.problem)
    assert found.num_steps == 1
    assert way_round.on_the_whole(found) is None
