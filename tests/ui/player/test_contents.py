"""What the player knows of several collectives at once, and of start times."""

from __future__ import annotations

import pytest

from pavane.errors import InputError
from pavane.judge.result import Result
from pavane.model.several import label_of
from pavane.ui.player import contents, contents_of, player_page
from tests.ui.joint_rings import joint_ring
from tests.ui.timed_rings import timed_ring


def test_every_collective_has_a_name_and_its_steps() -> None:
    """The whole has a title and a proof; each collective its name, its steps and a bound on them."""
    result = joint_ring()
    found = contents_of(result)
    assert found["title"] == f"3 collectives (1 ALLREDUCE, 1 AAB, 1 AAS) on ring:9 in {result.num_steps} steps"
    assert [each["name"] for each in found["collectives"]] == [
        "ALLREDUCE of 0-2",
        "allgather (AAB) of 3-5",
        "alltoall (AAS) of 6-8",
    ]
    assert tuple(each["steps"] for each in found["collectives"]) == result.steps_of_each
    assert (found["groups"][1], found["groupOf"]) == ("1: allgather (AAB) of 3-5", [0, 1, 2])
    assert found["proof"][0].startswith("Proven optimal" if result.is_optimal else "Not proven")


def test_a_label_begins_with_its_collective() -> None:
    """Transfers are listed as of one collective; sums of the allreduce alone are added."""
    result = joint_ring()
    schedule, found = result.schedule, contents_of(result)
    assert schedule is not None
    assert found["labels"] == [label_of(result.problem, message) for message in range(result.problem.num_messages)]
    assert len(found["transfers"]) == len(schedule)
    firsts = [found["labels"][row[4]][0] for row in found["transfers"]]
    added = found["added"]
    assert any(one for one, first in zip(added, firsts, strict=True) if first == 0)
    assert not any(one for one, first in zip(added, firsts, strict=True) if first != 0)


def test_a_large_schedule_is_summarised() -> None:
    """Above a number of transfers only busy channels and counts of steps are in the page."""
    result = joint_ring()
    assert result.schedule is not None
    found = contents_of(result, most_transfers=3)
    assert "transfers" not in found
    assert sum(found["perStep"]) == len(result.schedule)


def test_without_a_schedule_nothing_is_played() -> None:
    """A result without a schedule is refused; one with a schedule is a page."""
    with pytest.raises(ValueError, match="schedule"):
        contents_of(Result(joint_ring().problem, None))
    assert "allgather (AAB) of 3-5" in player_page(joint_ring())


def test_every_transfer_has_its_times() -> None:
    """Starts, how long channels are held and when data are usable, in picoseconds; the end and the bound."""
    result = timed_ring()
    found = contents_of(result)
    times, schedule = found["times"], result.schedule
    assert schedule is not None
    assert (times["finish"], times["bound"]) == (81_400_000, 81_400_000)
    assert times["holds"] == [40_000_000] * len(schedule)
    assert times["usable"] == [start + 40_700_000 for start in schedule.starts.tolist()]
    assert [tuple(row[:3]) for row in found["transfers"]] == [(one.start, one.sender, one.receiver) for one in schedule]
    assert found["title"] == "allgather (AAB) on ring:4 in 81.4 us"
    assert times["links"] == "latency 700 ns, bandwidth 25 GB/s, messages of 1,000,000 B"
    assert found["proof"] == [
        "Proven optimal: no schedule ends earlier.",
        "Bound: 81.400 us, because what must enter a set of routers takes so long on the channels into it.",
    ]


def test_what_cannot_be_played_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A result without a schedule, and one with too many transfers for a page."""
    with pytest.raises(ValueError, match="schedule"):
        contents_of(Result(timed_ring().problem, None))
    monkeypatch.setattr(contents, "MOST_TRANSFERS", 3)
    with pytest.raises(InputError, match="12 transfers are too many for a page, which plays 3 at most"):
        contents_of(timed_ring())
