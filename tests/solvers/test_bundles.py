"""Bundles of parallel channels."""

import numpy as np

from pavane.model.network import Network
from pavane.solvers.bundles import Bundles, Hops

DOUBLE = Network("double", 2, [(0, 1), (1, 0), (0, 1)], [0, 1], capacities=[1, 1, 2])


def hops(*rows: tuple[int, int, int, int, int]) -> Hops:
    """Return hops: step, sender, receiver, bundle, message."""
    return Hops(*(np.array(column) for column in zip(*rows, strict=True)))


def test_a_bundle_carries_what_its_channels_carry() -> None:
    """Channels between the same routers are one channel, whose capacity is theirs together."""
    bundles = Bundles.of(DOUBLE)
    assert bundles.network.channels.tolist() == [[0, 1], [1, 0]]
    assert bundles.network.capacity.tolist() == [3, 1]
    assert bundles.channel_of.tolist() == [0, 2, 2, 1]


def test_each_message_takes_a_lane() -> None:
    """Every message is a transfer of its own, on a channel that has room for it."""
    schedule = Bundles.of(DOUBLE).schedule(hops((0, 0, 1, 0, 0), (0, 0, 1, 0, 1), (0, 0, 1, 0, 2)))
    assert schedule.payloads.tolist() == [1, 1, 1]
    assert schedule.path_channels.tolist() == [0, 2, 2]


def test_between_processors_of_one_router_there_is_no_channel() -> None:
    """What stays on its router is a transfer of its own with an empty path."""
    schedule = Bundles.of(DOUBLE).schedule(hops((0, 0, 1, -1, 0), (0, 1, 0, -1, 1)))
    assert [t.path for t in schedule] == [(), ()]
    assert [t.messages for t in schedule] == [(0,), (1,)]


def test_paths_of_bundles_take_a_lane_of_each() -> None:
    """Along a path every bundle has its own lanes; what stays on its router has none, and empty steps are left out."""
    line = Network("line", 3, [(0, 1), (0, 1), (1, 2), (1, 2)], [0, 0, 2, 2])
    moved = hops((1, 0, 2, 0, 0), (1, 1, 3, 0, 1), (3, 0, 1, -1, 2))
    schedule = Bundles.of(line).schedule(moved, [(0, 1)])
    assert schedule.num_steps == 2
    assert [t.path for t in schedule] == [(0, 2), (1, 3), ()]
    turned = Bundles.of(line).schedule(moved, [(0, 1)], takes_last=np.array([True, False]))
    assert [t.path for t in turned] == [(1, 2), (0, 3), ()]
