"""Tables, read by a parser that is not ours."""

from __future__ import annotations

import csv
import io

import pytest

from pavane.judge.result import Result
from tests.io.formats.listings import RESULTS
from tests.io.formats.schedules import written


@pytest.mark.parametrize("result", RESULTS, ids=lambda result: str(result.problem))
def test_channel_numbers_come_with_their_ends(result: Result) -> None:
    """Beside the numbers of a route stand the routers at the ends of each channel, by name."""
    network = result.problem.network
    for row in csv.DictReader(io.StringIO(written("csv", result))):
        channels = [network.channels[int(number)].tolist() for number in row["route"].split()]
        assert row["ends"] == " ".join(f"{network.routers[tail]}>{network.routers[head]}" for tail, head in channels)
