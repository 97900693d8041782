"""What the player knows of several collectives at once."""

from __future__ import annotations

import pytest

from pavane.judge.result import Result
from pavane.model.several import label_of
from pavane.ui.player import contents_of, player_page
from tests.ui.joint_rings import joint_ring


def test_every_collective_has_a_name_and_its_steps() -> None:
    """The whole has a title and a proof; each collective its name, its steps and a bound on them."""
    result = joint_ring()
    contents = contents_of(result)
    assert contents["title"] == f"3 collectives (1 ALLREDUCE, 1 AAB, 1 AAS) on ring:9 in {result.num_steps} steps"
    assert [each["name"] for each in contents["collectives"]] == [
        "ALLREDUCE of 0-2",
        "allgather (AAB) of 3-5",
        "alltoall (AAS) of 6-8",
    ]
    assert tuple(each["steps"] for each in contents["collectives"]) == result.steps_of_each
    assert (contents["groups"][1], contents["groupOf"]) == ("1: allgather (AAB) of 3-5", [0, 1, 2])
    assert contents["proof"][0].startswith("Proven optimal" if result.is_optimal else "Not proven")


def test_a_label_begins_with_its_collective() -> None:
    """Transfers are listed as of one collective; sums of the allreduce alone are added."""
    result = joint_ring()
    schedule, contents = result.schedule, contents_of(result)
    assert schedule is not None
    assert contents["labels"] == [label_of(result.problem, message) for message in range(result.problem.num_messages)]
    assert len(contents["transfers"]) == len(schedule)
    firsts = [contents["labels"][row[4]][0] for row in contents["transfers"]]
    added = contents["added"]
    assert any(one for one, first in zip(added, firsts, strict=True) if first == 0)
    assert not any(one for one, first in zip(added, firsts, strict=True) if first != 0)


def test_a_large_schedule_is_summarised() -> None:
    """Above a number of transfers only busy channels and counts of steps are in the page."""
    result = joint_ring()
    assert result.schedule is not None
    contents = contents_of(result, most_transfers=3)
    assert "transfers" not in contents
    assert sum(contents["perStep"]) == len(result.schedule)


def test_without_a_schedule_nothing_is_played() -> None:
    """A result without a schedule is refused; one with a schedule is a page."""
    with pytest.raises(ValueError, match="schedule"):
        contents_of(Result(joint_ring().problem, None))
    assert "allgather (AAB) of 3-5" in player_page(joint_ring())
