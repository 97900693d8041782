"""Latencies and bandwidths that files say: they follow the channels of a network, and do not change what it is."""

from __future__ import annotations

import numpy as np
import pytest

from pavane.errors import InputError
from pavane.io.network_file import network_bytes
from pavane.io.readers import parse_network
from pavane.model.channel_speeds import ChannelSpeeds
from pavane.model.links import Links
from pavane.model.network import Network

CHANNELS = [(0, 1), (1, 0), (1, 2), (2, 1)]
LATENCIES, RATES = np.array([1, 2, 3, 4]), np.array([10, 20, 30, 40])
ROW = Network("row", 3, CHANNELS, speeds=ChannelSpeeds(latencies=LATENCIES, bandwidths=RATES))


def test_speeds_stay_with_their_channels() -> None:
    """Without a link, turned around, and with more processors, each channel has its own."""
    less = ROW.without(links=[(0, 1)])
    assert Links.of_network(less).latencies.tolist() == [3, 4]
    assert Links.of_network(ROW.reversed()).bandwidths.tolist() == [10, 20, 30, 40]
    assert Links.of_network(ROW.with_processors(2)).latencies.tolist() == [1, 2, 3, 4]


def test_networks_of_other_speeds_are_equal() -> None:
    """Schedules of steps and digests do not depend on them."""
    assert Network("row", 3, CHANNELS) == ROW


def test_speeds_are_written_and_read_again() -> None:
    """A network file has the columns that are known."""
    again = parse_network(network_bytes(ROW), "row.json")
    links = Links.of_network(again, overhead_ps=7)
    assert links.latencies.tolist() == [1, 2, 3, 4]
    assert links.overheads.tolist() == [7] * 4
    assert links.bandwidths.tolist() == [10, 20, 30, 40]


def test_columns_have_a_number_for_each_channel() -> None:
    """Others are refused, and so are links without a bandwidth."""
    with pytest.raises(InputError, match="`latency_ps` has 1 entries, and there are 4 channels"):
        Network("row", 3, CHANNELS, speeds=ChannelSpeeds(latencies=np.array([1])))
    with pytest.raises(InputError, match="no bandwidths"):
        Links.of_network(Network("row", 3, CHANNELS))


@pytest.mark.parametrize(
    ("key", "value", "least"), [("latency_ps", -1, 0), ("overhead_ps", -1, 0), ("bytes_per_second", 0, 1)]
)
def test_speeds_out_of_range_are_refused(key: str, value: int, least: int) -> None:
    """The refusal names the file, the channel and the key of the file, whether start times are wanted or not."""
    content = network_bytes(Network("row", 3, CHANNELS)).decode().strip()
    content = f'{content[:-1]},"{key}":[1,{value},1,1]}}'
    refusal = f"row.json: network row: channel 1 has `{key}` {value}; give a whole number from {least} up"
    with pytest.raises(InputError, match=refusal):
        parse_network(content.encode(), "row.json")
