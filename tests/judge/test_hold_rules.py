"""The judge of start times: each rule by the smallest schedule that breaks it, and a second judge agrees."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pavane.judge.rules import verify
from pavane.judge.timed_case import finish_time
from pavane.model.collectives import named
from pavane.model.links import Links
from pavane.model.messages import Collective
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.model.schedule import Transfer
from pavane.networks import network
from pavane.solvers.timed.retiming import barrier_time, retime, retime_trees
from tests.strategies import Case
from tests.timed_cases import schedule_of, spoiled, timed_cases
from tests.timed_checker import is_valid

LINE = Network("line", 3, [(0, 1), (1, 0), (1, 2), (2, 1)])
"""Channels 0: 0>1, 1: 1>0, 2: 1>2, 3: 2>1."""
BYTES, HOLD, LATENCY = 1000, 1_000_000, 500
"""A gigabyte per second: a message of 1000 bytes holds a channel for a million picoseconds."""
LATER = HOLD + LATENCY


def timed_on(network: Network, kind: str, rules: Rules, pieces: int = 1, **members: Any) -> Problem:
    """Return a timed problem with equal links."""
    problem = Problem(network, named(kind, network, pieces=pieces, **members), rules)
    links = Links.uniform(network, latency_ps=LATENCY, bytes_per_second=10**9)
    return replace(problem, links=links, num_bytes=BYTES * pieces)


STORED = Rules(switching="store-and-forward")
SPREAD = timed_on(LINE, "oab", STORED, root=0)
FIRST = Transfer(0, 0, 1, (0,), (0,))
SECOND = Transfer(LATER, 1, 2, (2,), (0,))
SUM = timed_on(LINE, "aor", STORED, root=2)
GATHER = (Transfer(0, 0, 1, (0,), (0,)), Transfer(LATER, 1, 2, (2,), (0,), (0,)))


def test_a_valid_schedule_ends_when_its_last_data_are_usable() -> None:
    """A transfer holds its channels for its bytes, and its data are usable a latency later."""
    assert verify(SPREAD, schedule_of(FIRST, SECOND)) == []
    assert finish_time(SPREAD, schedule_of(FIRST, SECOND)) == 2 * LATER


def test_a_path_is_held_as_long_as_its_slowest_channel_takes() -> None:
    """By wormhole all channels of a path are held together, and all latencies pass."""
    problem = Problem(LINE, named("pairs", LINE, pairs=[(0, 2)]), Rules())
    links = Links(np.array([5, 0, 7, 0]), np.array([0, 0, 11, 0]), np.array([2, 1, 1, 1]) * 10**9)
    problem = replace(problem, links=links, num_bytes=BYTES)
    path = schedule_of(Transfer(3, 0, 2, (0, 2), (0,)))
    assert verify(problem, path) == []
    assert finish_time(problem, path) == 3 + HOLD + 11 + 5 + 7


HALF = timed_on(LINE, "pairs", replace(STORED, duplex="half"), pairs=[(0, 1), (1, 0)])
ONE_PORT = timed_on(LINE, "oab", replace(STORED, ports=1), root=1)
WHOLE = timed_on(LINE, "pairs", Rules(), pairs=[(0, 2)])
TWO_PIECES = timed_on(LINE, "pairs", STORED, pieces=2, pairs=[(0, 1)])

SMALLEST: tuple[tuple[Problem, tuple[Transfer, ...], str], ...] = (
    (SPREAD, (FIRST, SECOND._replace(start=LATER - 1)), "not-held"),
    (SPREAD, (FIRST,), "never-delivered"),
    (SPREAD, (FIRST._replace(start=-1), SECOND), "outside-period"),
    (SPREAD, (FIRST, SECOND, Transfer(9 * LATER, 1, 2, (2,), (0,))), "delivered-twice"),
    (SPREAD, (FIRST, SECOND._replace(path=(0,))), "wrong-ends"),
    (SPREAD, (FIRST, SECOND._replace(messages=(7,))), "unknown-message"),
    (WHOLE, (Transfer(0, 0, 2, (0, 2, 3, 2), (0,)),), "not-simple"),
    (SPREAD, (FIRST, Transfer(0, 0, 2, (0, 2), (0,))), "too-many-hops"),
    (SUM, (GATHER[0], GATHER[1]._replace(inputs=())), "never-delivered"),
    (SUM, (GATHER[0], GATHER[1]._replace(start=LATER - 1)), "not-held"),
    (SUM, (GATHER[0], GATHER[1], Transfer(9 * LATER, 1, 2, (2,), (0,), (0,))), "delivered-twice"),
    (ONE_PORT, (Transfer(0, 1, 0, (1,), (0,)), Transfer(HOLD - 1, 1, 2, (2,), (0,))), "port-capacity"),
    (HALF, (FIRST, Transfer(HOLD - 1, 1, 0, (1,), (1,))), "half-duplex"),
    (TWO_PIECES, (FIRST, Transfer(HOLD - 1, 0, 1, (0,), (1,))), "channel-capacity"),
)
"""The smallest schedules that break a rule."""


@pytest.mark.parametrize(("problem", "transfers", "rule"), SMALLEST)
def test_the_smallest_schedule_that_breaks_a_rule_breaks_only_that(
    problem: Problem, transfers: tuple[Transfer, ...], rule: str
) -> None:
    """A rule of start times is broken by a schedule that keeps all others, and the second judge sees it, too."""
    assert {violation.rule for violation in verify(problem, schedule_of(*transfers))} == {rule}
    assert not is_valid(problem, schedule_of(*transfers))


@pytest.mark.parametrize("number", range(-3, 0))
def test_what_is_held_is_free_when_data_have_left_it(number: int) -> None:
    """A channel, link or port is held for as long as data take, and not for their latency."""
    problem, (first, *others), _ = SMALLEST[number]
    second = others[0]._replace(start=HOLD)
    assert verify(problem, schedule_of(first, second, *others[1:])) == []


@given(timed_cases())
def test_a_step_schedule_is_valid_when_it_is_timed_again(drawn: tuple[Problem, Case]) -> None:
    """Re-timing keeps a schedule valid, by both judges; where no router copies it ends no later than with barriers."""
    problem, case = drawn
    again = retime(problem, case.schedule)
    assert verify(problem, again) == []
    assert is_valid(problem, again)
    if problem.has_trees:
        again = retime_trees(problem, case.schedule)
        assert verify(problem, again) == []
    elif problem.network.capacities is None:
        assert finish_time(problem, again) <= barrier_time(problem, case.schedule)


@given(timed_cases(), st.randoms(use_true_random=False))
def test_both_judges_agree_on_spoiled_schedules(drawn: tuple[Problem, Case], rng: random.Random) -> None:
    """A schedule with one change at random is valid for both judges, or for neither."""
    problem, case = drawn
    one = spoiled(problem, retime(problem, case.schedule), rng)
    assert (verify(problem, one) == []) == is_valid(problem, one)


def test_a_transfer_that_takes_no_time_hides_no_others() -> None:
    """With one port two transfers must not overlap, even if one between processors of a router starts in between."""
    fat = Network("fat", 2, [(0, 1), (1, 0)], router_of=[0, 0, 1])
    problem = Problem(fat, named("oab", fat, root=0, pieces=2), Rules(switching="store-and-forward", ports=1))
    problem = replace(
        problem, links=Links(np.zeros(2, int), np.zeros(2, int), np.array([1, 1]) * 10**9), num_bytes=2 * BYTES
    )
    rows = [Transfer(0, 0, 2, (0,), (0,)), Transfer(HOLD, 0, 2, (0,), (1,))]
    rows += [Transfer(5, 0, 1, (), (0,)), Transfer(6, 0, 1, (), (1,))]
    assert verify(problem, schedule_of(*rows)) == []
    assert is_valid(problem, schedule_of(*rows))
    rows[1] = Transfer(HOLD - 1, 0, 2, (0,), (1,))
    assert {found.rule for found in verify(problem, schedule_of(*rows))} == {"channel-capacity", "port-capacity"}


def test_a_start_beyond_all_times_is_refused() -> None:
    """A start near the largest number of 64 bits does not wrap round."""
    late = FIRST._replace(start=2**63 - 10)
    assert [found.rule for found in verify(SPREAD, schedule_of(late, SECOND))] == ["outside-period"]


def test_a_sum_that_comes_may_contain_the_contribution_of_its_receiver() -> None:
    """Processor 1 of a line gets its own contribution back with that of 0, and that of 2: the sum is complete there."""
    problem = Problem(LINE, Collective("ALLREDUCE", (0, 1, 2), (0,)), STORED)
    problem = replace(problem, links=Links.uniform(LINE, latency_ps=LATENCY, bytes_per_second=10**9), num_bytes=BYTES)
    rows = [Transfer(0, 1, 0, (1,), (0,)), Transfer(LATER, 0, 1, (0,), (0,), (0,))]
    rows += [Transfer(0, 2, 1, (3,), (0,)), Transfer(2 * LATER, 1, 2, (2,), (0,), (1,))]
    rows += [Transfer(2 * LATER, 1, 0, (1,), (0,), (1, 2))]
    assert verify(problem, schedule_of(*rows)) == []
    assert is_valid(problem, schedule_of(*rows))
    # What 0 sends once more is in the sum that 1 has, and does not count.
    rows.append(Transfer(3 * LATER, 0, 1, (0,), (0,)))
    assert verify(problem, schedule_of(*rows)) == []
    assert is_valid(problem, schedule_of(*rows))


def test_sums_that_overlap_do_not_add_up() -> None:
    """Processor 3 of a ring gets the sums of 0 and 1 and of 1 and 2: neither contains the other, and 1 is in both."""
    ring = network("ring:4")
    problem = timed_on(ring, "allreduce", STORED)
    over = {(int(tail), int(head)): channel for channel, (tail, head) in enumerate(ring.channels)}
    rows = [Transfer(0, 1, 0, (over[1, 0],), (0,)), Transfer(0, 1, 2, (over[1, 2],), (0,))]
    rows += [
        Transfer(LATER, 0, 3, (over[0, 3],), (0,), (0,)),
        Transfer(LATER, 2, 3, (over[2, 3],), (0,), (1,)),
    ]
    found = [one.text for one in verify(problem, schedule_of(*rows)) if one.rule == "delivered-twice"]
    assert found == ["sum 0 has a contribution twice at 3"]
    assert not is_valid(problem, schedule_of(*rows))


def test_a_contribution_goes_with_what_starts_first() -> None:
    """A transfer that waits for no time at all comes before one that starts later, whatever their inputs."""
    fat = Network("fat", 2, [(0, 1), (1, 0)], router_of=[0, 0, 1])
    problem = timed_on(fat, "aor", STORED, root=2)
    rows = [Transfer(0, 0, 2, (0,), (0,), (1,)), Transfer(0, 1, 0, (), (0,))]
    assert verify(problem, schedule_of(*rows)) == []
    rows.append(Transfer(9 * LATER, 0, 1, (), (0,), (1,)))
    assert verify(problem, schedule_of(*rows)) == []
    assert is_valid(problem, schedule_of(*rows))
