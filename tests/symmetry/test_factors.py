"""Factors of products, found from the channels."""

import pytest

from pavane.networks import network
from pavane.symmetry.cayley import cayley_of
from pavane.symmetry.factors import product_factors


@pytest.mark.parametrize(
    ("text", "sizes"),
    [
        ("star-graph:4+ring:5", (24, 5)),
        ("petersen+ring:4", (10, 4)),
        ("torus:4x6", (4, 6)),
        ("hypercube:4", (8, 2)),
        ("ndv2+line:2", (8, 2)),
    ],
)
def test_products(text: str, sizes: tuple[int, int]) -> None:
    """A column and a row are networks, and their product is the network again."""
    whole = network(text)
    found = product_factors(whole)
    assert found is not None
    first, second = found
    assert (first.num_routers, second.num_routers) == sizes
    assert first.num_channels * sizes[1] + second.num_channels * sizes[0] == whole.num_channels


@pytest.mark.parametrize("text", ["petersen", "ring:12", "star-graph:4", "kautz:2,3", "circulant:12,1,5", "fat-tree:4"])
def test_others(text: str) -> None:
    """What is no product, row by row, has no factors."""
    assert product_factors(network(text)) is None


def test_rows_that_differ() -> None:
    """A product that has lost a channel is none."""
    assert product_factors(network("petersen+ring:4").without(channels=[3])) is None


def test_translations() -> None:
    """A product has translations where both factors have."""
    made = cayley_of(network("star-graph:4+ring:5"))
    assert made is not None
    assert (made.translations.shape, made.sizes) == ((4, 120), None)
    assert cayley_of(network("petersen+ring:4")) is None
