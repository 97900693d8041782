"""GPU machines with switches, against what is published of them."""

import numpy as np
import pytest

from pavane.networks import network
from tests.networks.tables import carried, drawn_apart


@pytest.mark.parametrize("num_boxes", [1, 2, 4])
def test_dgx_a100(num_boxes: int) -> None:
    """ForestColl's: 300 GB/s from a GPU to its switch, 25 GB/s to the rail of even or odd GPUs."""
    made, num_gpus = network(f"dgx-a100:{num_boxes}"), 8 * num_boxes
    expected = {}
    for gpu in range(num_gpus):
        switch, rail = num_gpus + gpu // 8, num_gpus + num_boxes + gpu % 2
        expected[gpu, switch] = expected[switch, gpu] = 12
        if num_boxes > 1:
            expected[gpu, rail] = expected[rail, gpu] = 1
    assert carried(made) == expected
    assert made.router_of.tolist() == list(range(num_gpus))
    assert drawn_apart(made)


def test_dgx_2_pair() -> None:
    """TE-CCL's: 125 GB/s from a GPU to its switch, 12.5 GB/s from odd GPU g to GPU g - 1 of the other box."""
    expected = {}
    for box in (0, 1):
        for gpu in range(16):
            expected[16 * box + gpu, 32 + box] = expected[32 + box, 16 * box + gpu] = 10
            if gpu % 2:
                expected[16 * box + gpu, 16 * (1 - box) + gpu - 1] = 1
    assert carried(network("dgx-2:2")) == expected
    assert carried(network("dgx-2")) == {way: 10 for g in range(16) for way in ((g, 16), (16, g))}
    assert drawn_apart(network("dgx-2:2"))


def test_dgx_h100_is_rail_optimized() -> None:
    """GPU g of every box is on rail g; 450 GB/s inside and 50 GB/s outside are 9 and 1."""
    made, rails = network("dgx-h100:3"), network("rails:3,8,9,1")
    assert carried(made) == carried(rails)
    assert made.routers == rails.routers
    assert made.out_degrees[:24].tolist() == [10] * 24
    assert made.out_degrees[24:27].tolist() == [72] * 3
    assert made.out_degrees[27:].tolist() == [3] * 8
    assert network("dgx-h100").num_routers == 9


def test_rails() -> None:
    """A GPU has one link to the switch of its box and one to the rail of its number, of capacity 1 unless given."""
    made = network("rails:2,2")
    assert made.routers == ("0.0", "0.1", "1.0", "1.1", "0.S", "1.S", "R0", "R1")
    assert made.capacities is None
    assert carried(made).keys() == {
        way for a, b in ((0, 4), (1, 4), (2, 5), (3, 5), (0, 6), (1, 7), (2, 6), (3, 7)) for way in ((a, b), (b, a))
    }
    assert network("rails:2,2,5,2").capacity.tolist() == [5, 5, 2, 2] * 4


def test_nvl() -> None:
    """Each of 72 GPUs has 18 NVLinks."""
    made = network("nvl:72")
    assert made.num_processors == 72
    assert made.out_degrees.tolist() == made.in_degrees.tolist() == [18] * 72 + [72 * 18]
    assert made.diameter == 2


@pytest.mark.parametrize(
    "spec", ["dgx-a100", "dgx-a100:3", "dgx-h100:2", "rails:4,4", "rails:3,2,4,1", "dgx-2", "nvl:8"]
)
def test_links_are_alike_both_ways(spec: str) -> None:
    """All is connected; every channel has one back of the same capacity; boxes, switches and rails are in layers."""
    made = network(spec)
    ways = carried(made)
    assert all(ways[head, tail] == capacity for (tail, head), capacity in ways.items())
    assert made.is_connected
    assert drawn_apart(made)


@pytest.mark.parametrize("spec", ["dgx-a100:4", "dgx-h100:2", "rails:4,4"])
def test_drawn_in_layers(spec: str) -> None:
    """GPUs are in the lowest row, switches of boxes above their GPUs, rails on top."""
    made = network(spec)
    assert made.positions is not None
    kinds = np.array([0 if r[-1].isdigit() and r[0] != "R" else 1 if r.endswith("S") else 2 for r in made.routers])
    heights = [set(made.positions[kinds == kind, 1].tolist()) for kind in range(3)]
    assert all(len(height) == 1 for height in heights)
    assert max(heights[0]) < max(heights[1]) < max(heights[2])
