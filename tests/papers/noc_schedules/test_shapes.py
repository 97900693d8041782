"""What looks like a ring and is none is not taken for one."""

from __future__ import annotations

import pytest
from papers.noc_schedules.shapes import ring_of

from pavane.model.network import Network
from pavane.networks import network
from tests.solvers.constructions.test_shapes import two_way


@pytest.mark.parametrize(
    "made",
    [
        two_way("a triangle with a tail", 4, [(0, 1), (1, 2), (2, 0), (0, 3)]),
        Network("three into one", 4, [(0, 1), (0, 2), (1, 0), (2, 0)]),
        network("mesh:2x3"),
    ],
)
def test_what_has_as_many_channels_as_a_ring_need_not_be_one(made: Network) -> None:
    """Every router of a ring has the same number of channels."""
    assert ring_of(made) is None
