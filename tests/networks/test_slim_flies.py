"""Slim Fly networks."""

import networkx as nx
import pytest

from pavane.networks import slim_fly
from tests.networks.graphs import is_regular, simple_graph


@pytest.mark.parametrize("order", [3, 4, 5, 7, 8, 9, 11, 13, 16, 17, 19, 25, 27])
def test_slim_fly(order: int) -> None:
    """For Q = 4w + delta there are 2Q^2 routers of degree (3Q - delta) / 2, and the diameter is 2."""
    delta = {0: 0, 1: 1, 3: -1}[order % 4]
    made = slim_fly(order)
    simple_graph(made)
    assert made.num_routers == 2 * order**2
    assert is_regular(made, (3 * order - delta) // 2)
    assert made.diameter == 2


def test_slim_fly_of_five() -> None:
    """slim-fly:5 is the Hoffman-Singleton graph."""
    assert nx.is_isomorphic(simple_graph(slim_fly(5)), nx.hoffman_singleton_graph())
