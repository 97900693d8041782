"""Topology profiles of TACCL: machines that it knows, matrices, and machines joined over NICs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pavane.errors import InputError
from pavane.io import read_network
from pavane.io.files import Note
from pavane.model.network import Network

NDV2 = {"name": "NDv2_1MB", "gpus_per_node": 8, "nics_per_node": 1, "alpha": 0.3, "node_betas_list": [23, 46]}
NDV2 |= {"node_invbws_list": [23, 46], "remote_invbw": 107, "remote_alpha": 2.6, "remote_beta": 105}
SWITCH = {"name": "box", "gpus_per_node": 4, "nics_per_node": 2, "alpha": 0.4, "node_betas_list": [8]}
SWITCH |= {"remote_alpha": 2.0, "remote_beta": 80}
CUSTOM = {"name": "row", "gpus_per_node": 3, "alpha": 1, "links": [[0, 1, 0], [1, 0, 1], [0, 1, 0]]}
CUSTOM |= {"betas": [[0, 20, 0], [20, 0, 40], [0, 40, 0]]}


def read(folder: Path, content: dict[str, Any], nodes: int | None = None) -> Network:
    """Read a profile, whose note on latencies is expected."""
    path = folder / "topology.json"
    path.write_text(json.dumps(content))
    with pytest.warns(Note):
        return read_network(path, nodes=nodes)


def speeds_of(network: Network) -> tuple[set[int], set[int]]:
    """Return all latencies and bandwidths."""
    assert network.speeds is not None
    assert network.speeds.latencies is not None
    assert network.speeds.bandwidths is not None
    return set(network.speeds.latencies.tolist()), set(network.speeds.bandwidths.tolist())


def test_two_betas_are_those_of_an_ndv2(tmp_path: Path) -> None:
    """Microseconds and microseconds a megabyte; two machines are joined by a cable each way."""
    assert speeds_of(read(tmp_path, NDV2)) == ({300_000}, {43_478_260_870, 21_739_130_435})
    both = read(tmp_path, NDV2, 2)
    assert both.num_processors == 16
    assert speeds_of(both) == ({300_000, 2_600_000}, {43_478_260_870, 21_739_130_435, 9_523_809_524})


def test_one_beta_is_that_of_gpus_around_a_switch(tmp_path: Path) -> None:
    """From GPU to GPU latencies add up to alpha, over shared NICs to that of the remote link."""
    box = read(tmp_path, SWITCH)
    assert (box.num_routers, box.num_processors) == (5, 4)
    assert speeds_of(box) == ({200_000}, {125_000_000_000})
    both = read(tmp_path, SWITCH, 2)
    assert both.num_processors == 8
    assert speeds_of(both) == ({200_000, 500_000}, {125_000_000_000, 12_500_000_000})
    assert set(both.capacity.tolist()) == {1, 10}


def test_matrices_are_by_receiver_and_sender(tmp_path: Path) -> None:
    """Bandwidths become capacities in the same ratio."""
    row = read(tmp_path, CUSTOM)
    assert sorted(zip(row.channels.tolist(), row.capacity.tolist(), strict=True)) == [
        ([0, 1], 2),
        ([1, 0], 2),
        ([1, 2], 1),
        ([2, 1], 1),
    ]
    assert speeds_of(row) == ({1_000_000}, {50_000_000_000, 25_000_000_000})


@pytest.mark.parametrize(
    ("change", "nodes", "text"),
    [
        ({"gpus_per_node": 0}, None, "gpus_per_node"),
        ({"gpus_per_node": 10**9}, None, "GPUs"),
        ({"node_betas_list": [1, 2, 3]}, None, "write the matrices"),
        ({"node_betas_list": [0]}, None, "no costs"),
        ({"node_betas_list": [-4]}, None, "no costs"),
        ({"alpha": -1}, None, "no costs"),
        ({"alpha": "x"}, None, "float"),
        ({"nics_per_node": 0}, 2, "cannot be joined"),
        ({"remote_beta": -1}, 2, "no costs"),
        ({"links": [[0]], "betas": [[0]]}, None, "rows"),
        ({"links": [[0, 1]] * 4}, None, "rows"),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_what_cannot_be_is_refused_with_one_line(
    tmp_path: Path, change: dict[str, Any], nodes: int | None, text: str
) -> None:
    """The file, what is wrong, and what was expected."""
    path = tmp_path / "topology.json"
    path.write_text(json.dumps(SWITCH | change))
    with pytest.raises(InputError, match=text) as error:
        read_network(path, nodes=nodes)
    assert "\n" not in str(error.value)
