"""The coated mesh."""

import networkx as nx
import numpy as np
import pytest

from pavane.networks import coated_mesh, mesh
from tests.networks.graphs import simple_graph


def test_coated_mesh_of_the_paper() -> None:
    """The 4x4 coated mesh has 16 processors: two on corners, one on the rest of the rim (gecco07 Fig. 6a)."""
    made = coated_mesh(4, 4)
    per_router = np.bincount(made.router_of, minlength=16).reshape(4, 4)
    assert per_router.tolist() == [[2, 1, 1, 2], [1, 0, 0, 1], [1, 0, 0, 1], [2, 1, 1, 2]]
    assert made.router_of.tolist() == sorted(made.router_of.tolist())
    assert made.num_processors == 16


@pytest.mark.parametrize(("rows", "columns"), [(2, 2), (3, 3), (3, 5)])
def test_coated_mesh(rows: int, columns: int) -> None:
    """The coat has a processor for each open side of the mesh."""
    made = coated_mesh(rows, columns)
    assert made.num_processors == 2 * (rows + columns)
    assert nx.utils.graphs_equal(simple_graph(made), simple_graph(mesh(rows, columns)))
