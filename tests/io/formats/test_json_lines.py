"""Lines of JSON."""

from __future__ import annotations

import json

import pytest

from pavane.judge.result import Result
from pavane.model.schedule import Schedule, Transfer
from tests.io.formats.listings import RESULTS, location
from tests.io.formats.schedules import written


@pytest.mark.parametrize("result", RESULTS, ids=lambda result: str(result.problem))
def test_lines_say_all(result: Result) -> None:
    """Each line is a JSON object, and together they make the same schedule again."""
    numbers = {tuple(label): number for number, label in enumerate(result.problem.labels.tolist())}
    transfers = []
    for line in written("jsonl", result).splitlines():
        row = json.loads(line)
        assert list(row) == ["step", "from", "to", "route", "carries"]
        carried = tuple(numbers[tuple(label)] for label in row["carries"])
        ends = location(str(row["from"])), location(str(row["to"]))
        transfers.append(Transfer(row["step"] - 1, *ends, tuple(row["route"]), carried))
    assert Schedule.from_transfers(transfers) == result.schedule
