"""GPU machines."""

from collections import Counter

import networkx as nx
import pytest

from pavane.networks import dgx_1, network
from tests.networks.graphs import is_regular
from tests.networks.tables import carried, drawn_apart


def test_dgx_1() -> None:
    """Each of 8 GPUs has 6 links, two to each of two neighbours and one to each of two others."""
    made = dgx_1()
    assert made.num_routers == made.num_processors == 8
    assert is_regular(made, 6)
    count = Counter(tuple(channel) for channel in made.channels.tolist())
    assert all(count[tail, head] == count[head, tail] for tail, head in count)
    for gpu in range(8):
        assert sorted(count[gpu, other] for other in range(8)) == [0, 0, 0, 0, 1, 1, 2, 2]
    assert made.diameter == 2


NDV2 = "0 1 2, 0 2 1, 0 3 1, 0 4 2, 1 2 1, 1 3 2, 1 5 1, 2 3 2, 2 6 2, 3 7 1, 4 5 2, 4 6 1, 4 7 1, 5 6 1, 5 7 2, 6 7 2"
"""The links between the GPUs of a box, as msccl-tools lists them: two GPUs, and how many links join them."""

MI250 = (
    "0 1 4, 0 4 2, 0 8 1, 1 5 1, 1 9 1, 1 10 1, 2 3 4, 2 6 1, 2 9 1, 2 10 1, 3 7 2, 3 11 1, 4 5 4, 4 6 1, 5 6 1, "
    "5 7 1, 6 7 4, 8 9 4, 8 12 2, 9 13 1, 10 11 4, 10 14 1, 11 15 2, 12 13 4, 12 14 1, 13 14 1, 13 15 1, 14 15 4"
)
"""The links between the GPUs of a box, as ForestColl and TE-CCL list them."""


def table(links: str, first: int = 0, unit: int = 1) -> dict[tuple[int, int], int]:
    """Return the capacities of a list of links, both ways."""
    listed = [tuple(map(int, link.split())) for link in links.split(",")]
    return {(first + x, first + y): unit * number for a, b, number in listed for x, y in ((a, b), (b, a))}


def test_ndv2() -> None:
    """TE-CCL's: NVLinks of 25 GB/s, 12.5 GB/s from GPU 1 of a box to GPU 0 of the other, or by way of a switch."""
    assert carried(network("ndv2")) == table(NDV2, unit=2)
    boxes = table(NDV2, 0, 2) | table(NDV2, 8, 2)
    assert carried(network("ndv2:2")) == boxes | {(1, 8): 1, (9, 0): 1}
    cables = {way: 1 for first in (0, 8, 16) for way in ((first + 1, 24), (24, first))}
    assert carried(network("ndv2:3")) == boxes | table(NDV2, 16, 2) | cables
    assert network("ndv2:3").num_processors == 24


def test_ndv2_is_made_of_dgx_1() -> None:
    """A box is the DGX-1 with other numbers."""
    ours, theirs = nx.Graph(), nx.Graph()
    for (a, b), count in Counter(tuple(channel) for channel in dgx_1().channels.tolist()).items():
        ours.add_edge(a, b, count=2 * count)
    for (a, b), capacity in carried(network("ndv2")).items():
        theirs.add_edge(a, b, count=capacity)
    assert nx.is_isomorphic(ours, theirs, edge_match=lambda a, b: a == b)


def test_mi250() -> None:
    """ForestColl's: links of 50 GB/s, and 16 GB/s from every GPU to a switch where there are several boxes."""
    assert carried(network("mi250")) == table(MI250)
    assert network("mi250").out_degrees.tolist() == network("mi250").in_degrees.tolist()
    cables = {way: 8 for gpu in range(32) for way in ((gpu, 32), (32, gpu))}
    assert carried(network("mi250:2")) == table(MI250, 0, 25) | table(MI250, 16, 25) | cables
    assert network("mi250:2").num_processors == 32


@pytest.mark.parametrize("spec", ["ndv2", "ndv2:2", "ndv2:4", "mi250", "mi250:3"])
def test_boxes(spec: str) -> None:
    """All is connected, what enters a router can leave it, and each router has a position of its own."""
    made = network(spec)
    assert made.is_connected
    assert made.in_degrees.sum() == made.out_degrees.sum()
    assert drawn_apart(made)
