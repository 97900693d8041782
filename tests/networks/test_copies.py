"""Copies of a network joined by rails."""

import networkx as nx
import numpy as np
import pytest

from pavane.errors import InputError
from pavane.model.network import Network
from pavane.networks import FAMILIES, joined_copies, network
from pavane.networks.copies import Uplink
from tests.networks.graphs import digraph


def test_copies_come_first_then_a_rail_for_each_processor_number() -> None:
    """Routers, channels and processors are those of the copies, in their order; links to rails follow."""
    made = network("line:2@2")
    assert made.routers == ("0.0", "0.1", "1.0", "1.1", "R0", "R1")
    assert made.router_of.tolist() == [0, 1, 2, 3]
    inside = [[0, 1], [1, 0], [2, 3], [3, 2]]
    assert made.channels.tolist() == [*inside, [0, 4], [4, 0], [1, 5], [5, 1], [2, 4], [4, 2], [3, 5], [5, 3]]
    assert made.capacities is None


def test_suffixes_are_read_from_left_to_right() -> None:
    """Copies of a network with two processors a router have two rails a router; processors put on later have none."""
    before, after = network("ring:4*2@3"), network("ring:4@3*2")
    assert before.num_processors == after.num_processors == 24
    assert before.num_routers == 12 + 8
    assert after.num_routers == 12 + 4
    assert network("ring:4@2@3").routers[:4] == ("0.0.0", "0.0.1", "0.0.2", "0.0.3")


@pytest.mark.parametrize("spec", ["dgx-1@4", "ring:8@2", "mi250@2", "fat-tree:4@2", "kautz:3,2@3", "dgx-a100@2"])
def test_copies_of_any_network(spec: str) -> None:
    """Without the rails there are as many copies as told, each with the channels and capacities of the network."""
    copy, made = network(spec.partition("@")[0]), network(spec)
    num_copies = int(spec.partition("@")[2])
    assert made.is_connected
    assert made.num_processors == num_copies * copy.num_processors
    graph = digraph(made.without(routers=range(num_copies * copy.num_routers, made.num_routers)))
    parts = list(nx.weakly_connected_components(graph))
    assert sorted(map(len, parts)) == [copy.num_routers] * num_copies
    assert np.array_equal(made.capacity[: num_copies * copy.num_channels], np.tile(copy.capacity, num_copies))
    assert set(made.capacity[num_copies * copy.num_channels :].tolist()) == {1}


@pytest.mark.parametrize("name", FAMILIES)
def test_every_family_has_copies_that_can_be_drawn(name: str) -> None:
    """Copies stand side by side and rails above them, no two routers in one position."""
    made = network(f"{FAMILIES[name].example}@2")
    at, rails = made.positions, [r for r, router in enumerate(made.routers) if router.startswith("R")]
    assert at is not None
    assert len(np.unique(at, axis=0)) == made.num_routers
    assert at[rails, 1].min() > np.delete(at, rails, axis=0)[:, 1].max()


def test_uplinks_of_ones_own() -> None:
    """Any router of the copies may have a link to a rail, with a capacity; rails bear the names that are given."""
    line = Network("line", ["a", "b", "switch"], [(0, 2), (2, 0), (1, 2), (2, 1)], [0, 1])
    made = joined_copies(line, 2, [Uplink(2, "out", 3)])
    assert made.name == "line@2"
    assert made.routers == ("0.a", "0.b", "0.switch", "1.a", "1.b", "1.switch", "out")
    assert made.channels.tolist()[8:] == [[2, 6], [6, 2], [5, 6], [6, 5]]
    assert made.capacity.tolist()[8:] == [3, 3, 3, 3]
    assert made.positions is not None
    with pytest.raises(InputError, match="network line@1: M is 1; give 2 or more"):
        joined_copies(line, 1)
