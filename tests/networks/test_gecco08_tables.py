"""Tables 1 and 8 of gecco08 come out of the catalogue, with the deviations noted here."""

import pytest
from papers.gecco08_bounds import PARAMETERS, SIZES, SPECS

from pavane.networks import network
from tests.networks.graphs import is_regular

MOORE = {2: "petersen", 3: "heawood", 4: "levi"}


@pytest.mark.parametrize("diameter", SIZES)
def test_table_1_kautz(diameter: int) -> None:
    """Kautz networks of degree 3 have the orders of Table 1, below bound (2)."""
    made = network(f"kautz:3,{diameter}")
    *_, kautz, _ = SIZES[diameter]
    assert made.num_routers == kautz < SIZES[diameter][1]
    assert made.diameter == diameter
    assert is_regular(made, 3)


@pytest.mark.parametrize("diameter", MOORE)
def test_table_1_moore(diameter: int) -> None:
    """The Petersen graph attains bound (1); the Heawood and Levi graphs attain bound (3)."""
    made = network(MOORE[diameter])
    assert made.diameter == diameter
    assert is_regular(made, 3)
    assert made.num_routers == SIZES[diameter][-1] == SIZES[diameter][0 if diameter == 2 else 2]


TABLE_8 = {SPECS[name]: row for name, row in PARAMETERS.items() if name != "Ring 8, degree 1"}
"""Degree, B_C, 2*Delta, sum of distances, bound (5), bound (6); the ring of degree 1 has a test of its own."""

table_8 = pytest.mark.parametrize("name", TABLE_8)


@table_8
def test_table_8_degree_and_sum(name: str) -> None:
    """Degrees and sums of distances are those of Table 8."""
    degree, _, _, total, _, _ = TABLE_8[name]
    made = network(name)
    assert is_regular(made, degree)
    # The paper has 2520 for Levi, but there are 3, 6, 12 and 8 routers at distances 1 to 4 from each.
    assert made.sum_of_distances == (30 * (3 + 12 + 36 + 32) if name == "levi" else total)


def test_ring_of_degree_one() -> None:
    """The row "Ring 8, d = 1" has the sum of the two-way ring: one-way it is 224, which takes 28 steps and not 16."""
    oneway = network("ring:8,oneway")
    assert is_regular(oneway, 1)
    assert oneway.sum_of_distances == 224
    assert -(-oneway.sum_of_distances // 8) == 28
    assert network("ring:8").sum_of_distances // 8 == 16


def test_diameter_of_the_16_gon() -> None:
    """The sum 624 belongs to the 16-gon of diameter 4, although the text says 3."""
    made = network("16-gon")
    assert (made.sum_of_distances, made.diameter) == (624, 4)
