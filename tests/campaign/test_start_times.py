"""Comparisons with start times: never slower than steps, by the same model of a transfer."""

from __future__ import annotations

import numpy as np
import pytest

from pavane.campaign.network_comparison import compare
from pavane.campaign.start_times import links_of_costs, with_timed_cells
from pavane.errors import InputError
from pavane.model.channel_speeds import ChannelSpeeds
from pavane.model.network import Network
from pavane.model.problem import Rules
from pavane.networks import network
from pavane.search.options import SearchOptions
from pavane.timing import Costs, point_to_point

COSTS = Costs(1e-6, 1e-9, 1e-7)
STORED = Rules(switching="store-and-forward")
COUNTED = SearchOptions(evaluations=1000)


def slow_row() -> Network:
    """Return four routers in a row of which one link is ten times as fast as a step's."""
    rates = np.array([10**10, 10**10, 10**9, 10**9, 10**10, 10**10])
    channels = [(0, 1), (1, 0), (1, 2), (2, 1), (2, 3), (3, 2)]
    zeros = np.zeros(6, dtype=np.int64)
    return Network("row", 4, channels, speeds=ChannelSpeeds(zeros, zeros, rates))


def test_a_transfer_takes_as_long_as_in_the_linear_model() -> None:
    """A start-up, the bytes, and a time for each hop."""
    links = links_of_costs(network("ring:4"), COSTS)
    time = links.busy(0, 5000) + 3 * int(links.latencies[0])
    assert time / 1e12 == pytest.approx(point_to_point(COSTS, 5000, 3))
    with pytest.raises(InputError, match="bandwidth"):
        links_of_costs(network("ring:4"), Costs(1e-6, 0.0))


def test_cells_have_the_earlier_of_steps_and_start_times() -> None:
    """A comparison needs costs and sizes for that."""
    found = compare([slow_row()], ["aab"], STORED, COUNTED, costs=COSTS, message_bytes=[10_000])
    timed = with_timed_cells(found)
    before, after = (each.time(each.rows[0], 0, 10_000) for each in (found, timed))
    assert before is not None
    assert after is not None
    assert after < before
    with pytest.raises(InputError, match="costs"):
        with_timed_cells(compare(["ring:4"], ["aab"], STORED, COUNTED))
