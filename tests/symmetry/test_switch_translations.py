"""Translations of networks with switches."""

import pytest

from pavane.model.channel_kinds import ChannelKinds
from pavane.model.network import Network
from pavane.networks import network
from pavane.symmetry.switch_translations import translations_of_processors


@pytest.mark.parametrize(
    "spec", ["rails:4,3", "rails:2,5", "nvl:6", "dgx-a100:3", "dgx-h100:2", "kary-tree:2,4", "fat-tree:6"]
)
def test_every_channel_has_as_many_translates_as_there_are_processors(spec: str) -> None:
    """Translations take processor 0 to every processor, and no two of them take a channel to the same one."""
    made = network(spec)
    found = translations_of_processors(made)
    assert found is not None
    kinds = ChannelKinds.of(made, *found)
    assert kinds.is_whole(made)
    assert sorted(kinds.channels.reshape(-1).tolist()) == list(range(made.num_channels))
    assert sorted(kinds.sums[0].tolist()) == list(range(made.num_processors))


@pytest.mark.parametrize("spec", ["dgx-2:2", "star:5", "ring:6", "mi250:2", "hierarchical-rings:3,3"])
def test_networks_without(spec: str) -> None:
    """Networks of other kinds have none."""
    assert translations_of_processors(network(spec)) is None


def test_a_name_is_not_believed() -> None:
    """A network with the name of a tree and the channels of another has none."""
    made = network("kary-tree:2,2")
    crossed = made.channels.copy()
    crossed[[0, 4], 0] = crossed[[4, 0], 0]
    assert translations_of_processors(Network(made.name, made.num_routers, crossed, made.router_of)) is None
    assert translations_of_processors(Network(made.name, 5, [(4, 0), (0, 4)], [0])) is None
