"""Hierarchical rings."""

from itertools import product

import networkx as nx
import numpy as np
import pytest

from pavane.errors import InputError
from pavane.networks import hierarchical_rings, ring
from tests.networks.graphs import simple_graph


def test_rings_of_rings() -> None:
    """Level-0 rings hold consecutive routers, and the first router of each sits on the ring above."""
    expected = nx.Graph()
    for first in (0, 3, 6, 9):
        nx.add_cycle(expected, [first, first + 1, first + 2])
    nx.add_cycle(expected, [0, 3, 6, 9])
    assert nx.utils.graphs_equal(simple_graph(hierarchical_rings(3, 4)), expected)


@pytest.mark.parametrize(("sizes", "bound"), [((4, 4), 32), ((4, 4, 4), 512)])
def test_bisection_of_the_paper(sizes: tuple[int, ...], bound: int) -> None:
    """The outermost ring is the bisection, 2 channels each way, which gives the AAS bounds 32 and 512 (noc Table 2)."""
    made = hierarchical_rings(*sizes)
    num_routers = made.num_routers
    assert made.num_processors == num_routers
    half = np.arange(num_routers) < num_routers // 2
    crossing = int((half[made.tails] != half[made.heads]).sum())
    assert crossing == 4
    assert num_routers**2 // (2 * crossing) == bound


def test_no_smaller_bisection() -> None:
    """No balanced cut along whole level-0 rings of the network of 16 has fewer than 4 channels."""
    made = hierarchical_rings(4, 4)
    for sides in product([False, True], repeat=4):
        if sum(sides) == 2:
            half = np.repeat(np.array(sides), 4)
            assert (half[made.tails] != half[made.heads]).sum() >= 4


@pytest.mark.parametrize("sizes", [(4, 4), (4, 4, 4), (3, 5), (2, 3, 2)])
def test_counts(sizes: tuple[int, ...]) -> None:
    """Each level has a ring for every ring of the level above times its size."""
    made = hierarchical_rings(*sizes)
    links, members = 0, 1
    for size in reversed(sizes):
        links += members * (size if size > 2 else 1)
        members *= size
    assert made.num_routers == members
    assert made.num_channels == 2 * links
    assert made.is_connected


def test_one_level() -> None:
    """A hierarchy of one level is a ring."""
    assert nx.utils.graphs_equal(simple_graph(hierarchical_rings(5)), simple_graph(ring(5)))


def test_no_level_is_refused() -> None:
    """From Python, too, there is at least one size."""
    with pytest.raises(InputError, match="no ring sizes; give one for each level, for example hierarchical-rings:4,4"):
        hierarchical_rings()
