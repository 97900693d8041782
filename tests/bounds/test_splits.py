"""The bisection of a network: exact for small ones, honest for large ones."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pavane.bounds import splits
from pavane.bounds.splits import MOST_ROUTERS_EXACT, bisection
from pavane.model.network import Network
from pavane.networks import network


def crossing(made: Network, side: set[int]) -> int:
    """Count the channels with one end on each side."""
    return sum((tail in side) != (head in side) for tail, head in made.channels.tolist())


def unevenness(made: Network, side: set[int]) -> int:
    """Return by how many processors the halves differ."""
    inside = sum(router in side for router in made.router_of.tolist())
    return abs(made.num_processors - 2 * inside)


def least_unevenness(made: Network) -> int:
    """Return the least difference that any split of the routers has."""
    sums = {0}
    for weight in np.bincount(made.router_of, minlength=made.num_routers).tolist():
        sums |= {total + weight for total in sums}
    return min(abs(made.num_processors - 2 * total) for total in sums)


@st.composite
def small_networks(draw: st.DrawFn) -> Network:
    """Draw a network of up to 7 routers, fat ones, switches and pieces among them."""
    num_routers = draw(st.integers(1, 7))
    pairs = list(combinations(range(num_routers), 2))
    channels = draw(st.lists(st.sampled_from(pairs), max_size=14)) if pairs else []
    channels += [(head, tail) for tail, head in draw(st.lists(st.sampled_from(pairs), max_size=6))] if pairs else []
    router_of = draw(st.lists(st.integers(0, num_routers - 1), max_size=9))
    return Network("small", num_routers, channels, router_of)


@given(small_networks())
def test_exact_width_by_trying_every_split(made: Network) -> None:
    """Of all splits with halves as equal as can be, none has fewer channels between them."""
    splits = [set(some) for size in range(made.num_routers + 1) for some in combinations(range(made.num_routers), size)]
    even = min(unevenness(made, side) for side in splits)
    width = min(crossing(made, side) for side in splits if unevenness(made, side) == even)
    found = bisection(made)
    assert found.exact
    assert found.num_channels == width == crossing(made, set(found.side))
    assert unevenness(made, set(found.side)) == even == least_unevenness(made)


@pytest.mark.parametrize(
    ("text", "width"),
    [
        ("ring:8", 4),
        ("ring:8,oneway", 2),
        ("line:9", 2),
        ("mesh:4x4", 8),
        ("hypercube:4", 16),
        ("complete:8", 32),
        ("coated-mesh:4x4", 8),
        ("fat-octagon:2", 8),
        ("heawood", 14),
    ],
)
def test_known_widths(text: str, width: int) -> None:
    """The width counts channels both ways, as the papers' B_C does."""
    found = bisection(network(text))
    assert (found.num_channels, found.exact) == (width, True)


@pytest.mark.parametrize(
    ("text", "most"),
    [
        ("ring:40", 4),
        ("hypercube:7", 128),
        ("complete:22", 242),
        ("hierarchical-rings:4,4,4", 4),
        ("kautz:3,3", 72),
        ("fat-tree:6", 54),
        ("mesh:5x5", 12),
        ("dragonfly:4,2", 64),
    ],
)
def test_large_networks_are_split_well(text: str, most: int) -> None:
    """Beyond 20 routers the width is an upper bound: what the side really cuts, with even halves, and no worse."""
    made = network(text)
    assert made.num_routers > MOST_ROUTERS_EXACT
    found = bisection(made)
    assert not found.exact
    assert found.num_channels == crossing(made, set(found.side)) <= most
    assert unevenness(made, set(found.side)) == least_unevenness(made)


@given(st.lists(st.sampled_from([0, 1, 1, 1, 2, 3, 7, 12]), min_size=21, max_size=30), st.integers(0, 2**32 - 1))
def test_halves_are_as_equal_as_the_routers_allow(weights: list[int], seed: int) -> None:
    """However unequal the routers, the halves of a large network differ as little as they can."""
    size = len(weights)
    rng = np.random.default_rng(seed)
    ring = [(r, (r + 1) % size) for r in range(size)]
    chords = [(int(a), int(b)) for a, b in rng.integers(0, size, (size, 2)) if a != b]
    made = Network("uneven", size, ring + chords, np.repeat(np.arange(size), weights))
    found = bisection(made)
    assert unevenness(made, set(found.side)) == least_unevenness(made)
    assert found.num_channels == crossing(made, set(found.side))


@pytest.mark.parametrize("text", ["octagon", "kautz:3,3", "random-regular:64,4,1"])
def test_the_same_network_is_split_the_same_way(text: str) -> None:
    """The bisection has no luck in it: two calls agree, and the side never holds router 0."""
    found = bisection(network(text))
    assert found == bisection(network(text))
    assert 0 not in found.side
    assert all(a < b for a, b in pairwise(found.side))


def test_pure_switches_lie_where_they_cut_least() -> None:
    """A chain of switches is cut once, whatever side the switches are on."""
    chain = Network("chain", 24, [(r, r + 1) for r in range(23)] + [(r + 1, r) for r in range(23)], [0, 1, 22, 23])
    assert bisection(chain).num_channels == 2


def test_a_network_without_channels_is_cut_for_nothing() -> None:
    """Where there are no channels, or no processors, or only one router, nothing is cut."""
    for made in (Network("dust", 4, []), Network("one", 1, [], [0, 0, 0]), Network("none", 2, [(0, 1)], [])):
        assert bisection(made).num_channels == 0


def test_large_networks_are_split_without_exchanges(monkeypatch: pytest.MonkeyPatch) -> None:
    """Halves are as even then, and the channels between them are counted; here with a small limit."""
    monkeypatch.setattr(splits, "MOST_ROUTERS_IMPROVED", MOST_ROUTERS_EXACT)
    made = network(f"ring:{2 * MOST_ROUTERS_EXACT + 2}")
    found = bisection.__wrapped__(made)
    assert unevenness(made, set(found.side)) == 0
    assert found.num_channels == crossing(made, set(found.side)) == 4
