"""What the names of networks from files tell beside their channels."""

from pathlib import Path

import pytest

from pavane.io import read_network
from pavane.io.network_file import write_network
from pavane.model.grid import Grid
from pavane.model.network import Network
from pavane.networks import network
from pavane.networks.named_grids import with_named_grid


@pytest.mark.parametrize(
    "made",
    [
        network("mesh:1x4"),
        network("mesh:4x1*2"),
        network("torus:1x5").without(links=[(0, 4)]),
        network("mesh:2x3").without(links=[(0, 1), (4, 5)]),
        network("mesh:2x3").reversed(),
        network("mesh:2x3*2").reversed().without(links=[(0, 1)]),
        network("torus:3x3").without(links=[(0, 1)]).reversed().with_processors(2),
        Network("my grid", 6, network("mesh:2x3").channels).reversed(),
        Network("my grid", 6, network("mesh:2x3").channels).without(links=[(0, 1), (4, 5)]),
        network("hypercube:2").without(links=[(0, 1)], channels=[2]),
        network("petersen").reversed(),
    ],
    ids=lambda made: made.name,
)
def test_a_file_keeps_the_grid(tmp_path: Path, made: Network) -> None:
    """A network read back from a file is the grid that it was when written."""
    write_network(tmp_path / "network.json", made)
    again = read_network(tmp_path / "network.json")
    assert again == made
    assert again.grid == made.grid


@pytest.mark.parametrize("name", ["mesh:3x2", "torus:2x2 less 0-1", "mesh:0x6", "mesh:" + "1x" * 40 + "6", "my grid"])
def test_a_name_that_does_not_fit_tells_nothing(name: str) -> None:
    """Channels come first: a name that they contradict is a name and no more."""
    made = with_named_grid(Network(name, 6, network("mesh:2x3").channels))
    assert made.grid == Grid((2, 3), (False, False))
