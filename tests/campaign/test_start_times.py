"""Links of the linear model."""

from __future__ import annotations

import pytest

from pavane.campaign.start_times import links_of_costs
from pavane.errors import InputError
from pavane.networks import network
from pavane.timing import Costs, point_to_point

COSTS = Costs(1e-6, 1e-9, 1e-7)


def test_a_transfer_takes_as_long_as_in_the_linear_model() -> None:
    """A start-up, the bytes, and a time for each hop."""
    links = links_of_costs(network("ring:4"), COSTS)
    time = links.busy(0, 5000) + 3 * int(links.latencies[0])
    assert time / 1e12 == pytest.approx(point_to_point(COSTS, 5000, 3))
    with pytest.raises(InputError, match="bandwidth"):
        links_of_costs(network("ring:4"), Costs(1e-6, 0.0))
