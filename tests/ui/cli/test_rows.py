"""The transfers of a schedule with start times, listed by `pavane show` as a user calls it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pavane.io import write_schedule
from tests.ui.cli.calls import Call
from tests.ui.timed_rings import timed_ring


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return the file of a timed schedule of 12 transfers."""
    path = tmp_path / "timed.json"
    write_schedule(path, timed_ring())
    return path


def test_transfers_are_listed_by_their_starts(call: Call, file: Path) -> None:
    """A line has start, ends, message and path, when its channels are free and when its data are usable."""
    lines = call.good("show", file, "--most", "8").splitlines()
    assert "links       latency 700 ns, bandwidth 25 GB/s, messages of 1,000,000 B" in lines
    assert "reached     81.4 us" in lines
    assert lines[-1] == "  and 4 more transfers; --most prints more"
    titles = lines.index(next(line for line in lines if line.startswith("start ")))
    assert lines[titles + 1].split() == ["0", "s", "0", "1", "0", "0-1", "40", "us", "40.7", "us"]
    assert all(line.startswith("0 s ") for line in lines[titles + 1 : titles + 9])


def test_figures_are_whole_numbers(call: Call, file: Path) -> None:
    """JSON has picoseconds."""
    found = json.loads(call.good("show", file, "--json", "--most", "1"))
    assert (found["finish_ps"], found["bound"], found["transfers"]) == (81_400_000, 81_400_000, 12)
    (row,) = found["rows"]
    assert row == {
        "start_ps": 0,
        "from": "0",
        "to": "1",
        "message": "0",
        "path": ["0", "1"],
        "free_ps": 40_000_000,
        "usable_ps": 40_700_000,
    }


def test_a_chart_and_a_page_are_made(call: Call, file: Path, tmp_path: Path) -> None:
    """The ending says which."""
    chart, page = tmp_path / "gantt.svg", tmp_path / "page.html"
    call.good("show", file, "-o", chart)
    assert "<svg" in chart.read_text()
    call.good("show", file, "-o", page)
    assert '"finish":81400000' in page.read_text()


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("--step", "1"), "it applies to schedules of steps"),
        (("--as", "table"), "it applies to schedules of steps"),
        (("--router", "0"), "it applies to printed tables"),
        (("--most", "3", "-o", "x.svg"), "it applies to text"),
        (("-o", "x.gif"), "a picture ends in"),
    ],
)
def test_what_goes_with_steps_only_is_refused(call: Call, file: Path, arguments: tuple[str, ...], text: str) -> None:
    """One line says what start times do not have."""
    assert call("show", file, *arguments).is_refusal(text)
