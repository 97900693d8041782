"""What the player knows of a timed schedule."""

from __future__ import annotations

import pytest

from pavane.errors import InputError
from pavane.judge.result import Result
from pavane.ui.player import contents_of, timed_contents
from tests.ui.timed_rings import timed_ring


def test_every_transfer_has_its_times() -> None:
    """Starts, how long channels are held and when data are usable, in picoseconds; the end and the bound."""
    result = timed_ring()
    contents = contents_of(result)
    times, schedule = contents["times"], result.schedule
    assert schedule is not None
    assert (times["finish"], times["bound"]) == (81_400_000, 81_400_000)
    assert times["holds"] == [40_000_000] * len(schedule)
    assert times["usable"] == [start + 40_700_000 for start in schedule.starts.tolist()]
    assert [tuple(row[:3]) for row in contents["transfers"]] == [
        (one.start, one.sender, one.receiver) for one in schedule
    ]
    assert contents["title"] == "allgather (AAB) on ring:4 in 81.4 us"
    assert times["links"] == "latency 700 ns, bandwidth 25 GB/s, messages of 1,000,000 B"
    assert contents["proof"] == [
        "Proven optimal: no schedule ends earlier.",
        "Bound: no schedule ends before 81.4 us (timed-cut).",
    ]


def test_what_cannot_be_played_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A result without a schedule, and one with too many transfers for a page."""
    with pytest.raises(ValueError, match="schedule"):
        contents_of(Result(timed_ring().problem, None))
    monkeypatch.setattr(timed_contents, "MOST_TRANSFERS", 3)
    with pytest.raises(InputError, match="12 transfers are too many for a page, which plays 3 at most"):
        contents_of(timed_ring())
