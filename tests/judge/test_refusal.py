"""Refused schedules: their broken rules in the order of causes, and the channels at which they are broken."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pavane.judge.refusal import Refusal
from pavane.judge.result import Provenance
from pavane.model.collectives import pairs
from pavane.model.links import Links
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule, Transfer
from pavane.networks import network
from tests.problems import problem_of

PROBLEM = problem_of("line:3", "AAB")
RIGHT, LEFT = 0, 1  # channels 0>1 and 1>0


def refusal(*transfers: Transfer) -> Refusal:
    """Return a schedule of some transfers on a line of three, for which they are too few."""
    return Refusal(PROBLEM, Schedule.from_transfers(transfers), Provenance("by hand"))


def test_conflicts_are_channels_of_steps() -> None:
    """Two transfers on one channel mark it in their step, and nothing in others."""
    assert PROBLEM.network.channels[:2].tolist() == [[0, 1], [1, 0]]
    once = Transfer(1, 0, 1, (RIGHT,), (0,))
    refused = refusal(Transfer(0, 1, 0, (LEFT,), (1,)), once, once)
    assert refused.conflicts == {1: {RIGHT}}
    assert (refused.status, refused.num_steps) == ("invalid", 2)


def test_a_transfer_of_what_is_not_held_is_a_conflict() -> None:
    """Where a rule names a message, the channels that carry it in the step are marked."""
    refused = refusal(Transfer(0, 1, 0, (LEFT,), (2,)))
    assert "not-held" in {violation.rule for violation in refused.violations}
    assert refused.conflicts == {0: {LEFT}}


def test_causes_come_first() -> None:
    """Violations follow the steps, and what never arrives stands at the end."""
    once = Transfer(0, 0, 1, (RIGHT,), (0,))
    rules = [violation.rule for violation in refusal(once, once).violations]
    assert rules[0] == "channel-capacity"
    assert rules[-1] == "never-delivered"


def test_conflicts_between_collectives_are_marked() -> None:
    """Two collectives on one channel in a step are a conflict of the whole."""
    problem = Problem(network("line:3"), [pairs([(0, 1)]), pairs([(0, 2)])])
    both = [Transfer(0, 0, 1, (RIGHT,), (0,)), Transfer(0, 0, 2, (RIGHT, 2), (1,))]
    assert Refusal(problem, Schedule.from_transfers(both), Provenance("by hand")).conflicts == {0: {RIGHT}}


def test_transfers_that_break_rules_of_start_times_are_named() -> None:
    """Of two transfers that hold a channel at a time the later one is wrong."""
    ones = np.ones(PROBLEM.network.num_channels, dtype=np.int64)
    problem = replace(PROBLEM, links=Links(0 * ones, 0 * ones, 10**12 * ones), num_bytes=10)
    schedule = Schedule.from_start_times([0, 9], [1, 1], [0, 0], [(LEFT,), (LEFT,)], [1, 2])
    refused = Refusal(problem, schedule, Provenance("by hand"))
    assert refused.violations[0].rule == "channel-capacity"
    assert refused.wrong == {1}
