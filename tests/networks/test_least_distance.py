"""AMP networks."""

import hashlib
import time

import pytest

from pavane.networks import amp
from pavane.networks.least_distance import least_sum_of_distances
from tests.networks.graphs import is_regular, simple_graph


@pytest.mark.parametrize("size", [5, 6, 7, 8, 9, 13, 16, 23, 32, 65])
def test_amp(size: int) -> None:
    """An AMP network is connected and regular of degree 4, without parallel links."""
    made = amp(size)
    simple_graph(made)
    assert made.num_routers == size
    assert is_regular(made, 4)
    assert made.is_connected


@pytest.mark.parametrize("size", [5, 6, 7, 8, 9, 10, 11, 12, 13, 20, 23, 24, 32])
def test_least_possible(size: int) -> None:
    """At these sizes the search reaches the least sum of distances that degree 4 allows."""
    assert amp(size).sum_of_distances == least_sum_of_distances(size)


@pytest.mark.parametrize(("size", "bound"), [(5, 20), (6, 6 * 6), (17, 17 * (4 + 24)), (53, 53 * (4 + 24 + 108))])
def test_lower_bound(size: int, bound: int) -> None:
    """A router has at most 4 others at distance 1, 12 at distance 2 and 36 at distance 3."""
    assert least_sum_of_distances(size) == bound


def test_quick() -> None:
    """Up to 64 routers take about a second."""
    start = time.process_time()
    made = amp(63)
    assert time.process_time() - start < 5
    assert made.sum_of_distances <= 1.03 * least_sum_of_distances(63)


def test_same_everywhere() -> None:
    """The network found is the same on every machine."""
    links = sorted(tuple(sorted(channel)) for channel in amp(16).channels[::2].tolist())
    assert hashlib.sha256(repr(links).encode()).hexdigest()[:16] == "6a26a92ea095e2ab"
