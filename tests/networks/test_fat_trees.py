"""Fat trees and k-ary n-trees."""

import numpy as np
import pytest

from pavane.networks import fat_tree, kary_tree
from tests.networks.graphs import simple_graph


@pytest.mark.parametrize("degree", [2, 4, 6, 8])
def test_fat_tree(degree: int) -> None:
    """A fat tree has K^3/4 processors, K/2 on each edge router, and 5K^2/4 routers of which the others are switches."""
    made = fat_tree(degree)
    simple_graph(made)
    half = degree // 2
    assert made.num_processors == degree**3 // 4
    assert made.num_routers == 5 * degree**2 // 4
    assert [len(homes) for homes in made.processors_on] == [half] * (degree * half) + [0] * (3 * half * half)
    ports = made.out_degrees + np.array([len(homes) for homes in made.processors_on])
    assert (ports == degree).all()


@pytest.mark.parametrize("degree", [4, 6])
def test_distances(degree: int) -> None:
    """Processors are 0, 2 or 4 channels apart: on one router, in one pod, or across the core."""
    half = degree // 2
    made = fat_tree(degree)
    pod = made.router_of // half
    expected = np.where(made.router_of[:, None] == made.router_of, 0, np.where(pod[:, None] == pod, 2, 4))
    assert np.array_equal(made.processor_distances, expected)
    assert made.num_shortest_paths(0, half) == half * half


@pytest.mark.parametrize(("degree", "num_levels"), [(2, 2), (2, 3), (3, 2), (4, 3)])
def test_kary_tree(degree: int, num_levels: int) -> None:
    """A k-ary n-tree has K^N hosts of one link, and N levels of K^(N-1) switches of 2K links, the highest of K."""
    made = kary_tree(degree, num_levels)
    simple_graph(made)
    width = degree ** (num_levels - 1)
    assert made.num_processors == degree * width
    assert made.num_routers == (degree + num_levels) * width
    highest = [degree] * width
    assert made.out_degrees.tolist() == [1] * degree * width + [2 * degree] * (num_levels - 1) * width + highest


def test_distances_in_a_kary_tree() -> None:
    """Hosts are as far apart as the level of the lowest switch above both says, with K ways for each level."""
    made = kary_tree(3, 3)
    hosts = np.arange(27)
    level = 3 - sum((hosts[:, None] // 3**place == hosts // 3**place) for place in (1, 2, 3)) + 1
    expected = np.where(hosts[:, None] == hosts, 0, 2 * level)
    assert np.array_equal(made.processor_distances, expected)
    assert made.num_shortest_paths(0, 26) == 9
