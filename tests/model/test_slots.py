"""What a table of slots shares with a schedule of steps, and when channels are used."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pavane.errors import InputError
from pavane.judge.result import Result
from pavane.judge.rules import verify
from pavane.model.problem import Rules
from pavane.model.schedule import Schedule
from pavane.model.slots import channel_uses, ejection_steps, wrapped
from pavane.parallel.budget import Budget
from pavane.search.synthesis import solve
from pavane.solvers import SOLVERS
from tests.problems import problem_of
from tests.slot_tables import ONE_TO_TWO, ZERO_TO_ONE, two_packets


def used(result: Result) -> list[tuple[int, int, int]]:
    """Return the slot, channel and transfer of each use, in order."""
    assert result.schedule is not None
    uses = channel_uses(result.problem, result.schedule)
    return sorted(zip(*(column.tolist() for column in uses), strict=True))


def test_a_packet_uses_one_channel_after_the_other_round_the_period() -> None:
    """A packet injected in slot t uses channel i in t + i, modulo the period, and its receiver's port one later."""
    result = two_packets()
    assert used(result) == [(0, ZERO_TO_ONE, 1), (1, ONE_TO_TWO, 1), (2, ZERO_TO_ONE, 0)]
    assert result.schedule is not None
    assert ejection_steps(result.problem, result.schedule).tolist() == [[3], [2]]


def test_delays_and_the_length_of_a_packet_count() -> None:
    """Channels are r + l slots apart, the receiver's port is r after the last, each for the slots of a packet."""
    result = two_packets(12, late=4, router_delay=2, link_delay=1, packet_slots=2, wrap=True)
    assert used(result) == [
        *[(4, ZERO_TO_ONE, 0), (5, ZERO_TO_ONE, 0)],
        *[(7, ZERO_TO_ONE, 1), (8, ZERO_TO_ONE, 1), (10, ONE_TO_TWO, 1), (11, ONE_TO_TWO, 1)],
    ]
    assert result.schedule is not None
    assert ejection_steps(result.problem, result.schedule).tolist() == [[6, 7], [0, 1]]


def test_a_transfer_of_steps_uses_its_whole_path_at_once() -> None:
    """Under other switching every channel of a path is used in the step of its transfer."""
    result = solve(problem_of("ring:4", "AAS"))
    schedule = result.schedule
    assert schedule is not None
    uses = channel_uses(result.problem, schedule)
    assert np.array_equal(uses.steps, schedule.starts[uses.transfers])
    assert np.array_equal(uses.channels, schedule.path_channels)


@pytest.mark.parametrize(
    ("spec", "settings"),
    [
        ("mesh:3x3", {}),
        ("ring:5", {"ports": "all"}),
        ("ring:6", {"duplex": "half", "packet_slots": 2}),
        ("star:5", {"router_delay": 2, "link_delay": 1, "packet_slots": 3}),
        ("ring:4*2", {"ports": 2}),
    ],
)
def test_a_table_that_ends_repeats_in_the_shortest_period(spec: str, settings: dict[str, Any]) -> None:
    """The period is the least in which the judge finds nothing wrong with the same packets."""
    problem = problem_of(spec, "AAS", Rules(**{"switching": "tdm", "ports": 1, "wrap": False, **settings}))
    schedule = SOLVERS["greedy"](problem, None, 0, Budget()).schedule
    assert schedule is not None
    repeating, table = wrapped(problem, schedule)
    assert repeating.rules.wrap
    assert verify(repeating, table) == []
    for period in range(1, table.num_steps):
        transfers = [each._replace(start=each.start % period) for each in schedule]
        assert verify(repeating, Schedule.from_transfers(transfers, period))


def test_what_cannot_be_made_to_repeat() -> None:
    """Tables that repeat already, and copies."""
    for kind, wrap in (("AAS", True), ("AAB", False)):
        result = solve(problem_of("ring:4", kind, switching="tdm", ports=1, wrap=wrap))
        assert result.schedule is not None
        with pytest.raises(InputError, match="do not repeat yet"):
            wrapped(result.problem, result.schedule)
