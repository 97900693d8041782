"""Tables, read by a parser that is not ours."""

from __future__ import annotations

import csv
import io
import re

import pytest

from pavane.judge.result import Result
from pavane.model.schedule import Schedule, Transfer
from tests.io.formats.listings import RESULTS, location
from tests.io.formats.schedules import written


@pytest.mark.parametrize("result", RESULTS, ids=lambda result: str(result.problem))
def test_a_table_says_all(result: Result) -> None:
    """The csv table, read by Python's csv module, makes the same schedule again."""
    text = written("csv", result)
    assert text.startswith("step,")
    numbers = {tuple(label): number for number, label in enumerate(result.problem.labels.tolist())}
    transfers = [
        Transfer(
            int(row["step"]) - 1,
            location(row["from"]),
            location(row["to"]),
            tuple(map(int, row["route"].split())),
            tuple(numbers[tuple(map(int, re.split("[>.]", label)))] for label in row["carries"].split()),
        )
        for row in csv.DictReader(io.StringIO(text))
    ]
    assert Schedule.from_transfers(transfers) == result.schedule


@pytest.mark.parametrize("result", RESULTS, ids=lambda result: str(result.problem))
def test_channel_numbers_come_with_their_ends(result: Result) -> None:
    """Beside the numbers of a route stand the routers at the ends of each channel, by name."""
    network = result.problem.network
    for row in csv.DictReader(io.StringIO(written("csv", result))):
        channels = [network.channels[int(number)].tolist() for number in row["route"].split()]
        assert row["ends"] == " ".join(f"{network.routers[tail]}>{network.routers[head]}" for tail, head in channels)
