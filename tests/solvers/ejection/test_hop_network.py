"""What one step may do under store-and-forward."""

from typing import Any

import numpy as np
import pytest

from pavane.model.network import Network
from pavane.solvers.ejection.hop_network import HopNetwork, num_hops
from tests.problems import problem_of


def hops_of(where: str | Network, **rules: Any) -> HopNetwork:
    """List the hops of all-to-all scatter under store-and-forward."""
    return HopNetwork.of(problem_of(where, "AAS", None, switching="store-and-forward", **rules))


def units_of(network: HopNetwork) -> set[int]:
    """Return how many units hops draw on."""
    return set(np.diff(network.unit_offsets).tolist())


def test_with_all_ports_only_channels_bind() -> None:
    """On routers of one processor a hop draws on its channel, and ports never bind."""
    network = hops_of("torus:3x3")
    assert units_of(network) == {1}
    assert network.capacity.tolist() == [1] * 36


def test_with_one_port_only_ports_bind() -> None:
    """A hop draws on an injection and an ejection; what a channel carries is no limit beside them."""
    network = hops_of("torus:3x3", ports=1)
    assert units_of(network) == {2}
    assert len(network.capacity) == 18


def test_under_half_duplex_links_bind() -> None:
    """Both ways of a link draw on one unit; a way that is narrower than the other on its own channels as well."""
    assert len(hops_of("ring:4", duplex="half").capacity) == 4
    uneven = hops_of(Network("uneven", 2, [(0, 1), (1, 0), (0, 1)], [0, 1]), duplex="half")
    assert units_of(uneven) == {1, 2}
    assert sorted(uneven.capacity.tolist()) == [1, 2]


def test_processors_of_one_router_have_hops_of_their_own() -> None:
    """From each processor of a router to each of the next, and between those of one router over no channel."""
    problem = problem_of("ring:4*2", "AAS", None, switching="store-and-forward", ports=1)
    network = HopNetwork.of(problem)
    assert len(network.path_of) == num_hops(problem) == 8 * 4 + 4 * 2
    assert (network.path_of < 0).sum() == 8


@pytest.mark.parametrize(("switches", "num_locations"), [("hold", 5), ("pass", 4)])
def test_switches_hold_or_pass(switches: str, num_locations: int) -> None:
    """A pure switch is a location if it holds messages; if it passes them on, hops lead over it."""
    spokes = [way for router in range(1, 5) for way in ((0, router), (router, 0))]
    network = hops_of(Network("hub", 5, spokes, [1, 2, 3, 4]), switches=switches)
    assert len(network.location_of) == num_locations
    assert len(network.path_of) == (8 if switches == "hold" else 12)
    assert (network.location_of < 0).sum() == num_locations - 4
