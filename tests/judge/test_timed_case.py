"""Timed transfers of one message that start together share channels where routers copy and add, and nowhere else."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pavane.judge.rules import verify
from pavane.judge.timed_case import TimedCase, finish_time
from pavane.model.links import Links
from pavane.model.problem import Problem, Rules
from pavane.model.schedule import Transfer
from pavane.solvers.timed.retiming import retime_trees
from tests.judge.test_trees import HUB, path
from tests.strategies import Case
from tests.timed_cases import schedule_of, self_timed_starts, spoiled, timed_cases
from tests.timed_checker import is_valid, trees_of, usable


def on_the_hub(kind: str, **rules: Any) -> Problem:
    """Return a problem on three processors around a switch; latencies 1 to 6, and the channel to 2 takes 30, not 10."""
    links = Links(np.arange(1, 7), np.zeros(6, dtype=np.int64), np.array([10, 10, 3, 10, 10, 10]) * 10**11 // 10)
    return Problem(HUB, kind, Rules(**({"switches": "copy"} | rules)), links=links, num_bytes=1)


def broken(problem: Problem, *transfers: Transfer) -> set[str]:
    """Return the rules that a schedule breaks, in which both judges agree that there are any."""
    schedule = schedule_of(*transfers)
    found: set[str] = {one.rule for one in verify(problem, schedule)}
    assert is_valid(problem, schedule) == (not found)
    return found


ONE_TO_TWO = tuple(Transfer(0, 0, receiver, path(0, receiver), (0,)) for receiver in (1, 2))
TWO_TO_ONE = tuple(Transfer(0, sender, 0, path(sender, 0), (0,)) for sender in (1, 2))


@pytest.mark.parametrize(("kind", "transfers"), [("OAB", ONE_TO_TWO), ("AOR", TWO_TO_ONE)])
def test_a_tree_holds_its_channels_once(kind: str, transfers: tuple[Transfer, ...]) -> None:
    """A switch that copies, or adds, has one transfer of a tree on a shared channel and at a port."""
    assert broken(on_the_hub(kind, ports=1), *transfers) == set()
    plain = broken(on_the_hub(kind, ports=1, switches="hold"), *transfers)
    assert plain == {"channel-capacity", "port-capacity"}
    later = transfers[1]._replace(start=5)
    assert "channel-capacity" in broken(on_the_hub(kind), transfers[0], later)


def test_a_tree_is_held_as_long_as_its_slowest_channel_takes() -> None:
    """All channels of a tree are held equally long, and data are usable after the latencies of their own paths."""
    problem, schedule = on_the_hub("OAB"), schedule_of(*ONE_TO_TWO)
    case = TimedCase(problem, schedule, 1)
    slow = -(-(10**12) // (3 * 10**10))
    assert case.holds.tolist() == [slow, slow]
    assert case.usable.tolist() == [slow + 4 + 2, slow + 4 + 3]
    assert finish_time(problem, schedule) == slow + 7
    assert trees_of(problem, list(schedule))[0] == tuple(schedule)
    # The channel to 1 is free only when that to 2 is.
    fast = -(-(10**12) // 10**11)
    second = Transfer(fast, 2, 1, path(2, 1), (2,))
    other = Transfer(slow, 2, 1, path(2, 1), (2,))
    everything = on_the_hub("AAB")
    assert "channel-capacity" in broken(everything, *ONE_TO_TWO, second)
    assert "channel-capacity" not in broken(everything, *ONE_TO_TWO, other)


def test_an_allreduce_goes_up_and_down_at_once() -> None:
    """All sums of a part meet in the switch and come back from there in one tree."""
    at_once = tuple(Transfer(0, a, b, path(a, b), (0,)) for a in range(3) for b in range(3) if a != b)
    problem = Problem(
        HUB,
        "ALLREDUCE",
        Rules(switches="copy", ports=1),
        links=Links.uniform(HUB, latency_ps=1, bytes_per_second=10**11),
        num_bytes=1,
    )
    parts = [one._replace(start=10 * part, messages=(part,)) for part in range(3) for one in at_once]
    assert broken(problem, *parts) == set()
    assert finish_time(problem, schedule_of(*parts)) == 32
    assert "channel-capacity" in broken(problem, *(one._replace(start=0) for one in parts))


def test_what_a_switch_has_added_is_one_sum() -> None:
    """A transfer contains all that a tree has brought to its sender, or nothing of it."""
    problem = on_the_hub("AOR")
    problem = Problem(HUB, "AAR", Rules(switches="copy"), links=problem.timing.links, num_bytes=1)
    tree = [one._replace(receiver=2, sender=sender, path=path(sender, 2)) for sender, one in enumerate(TWO_TO_ONE)]
    on = Transfer(100, 2, 0, path(2, 0), (0,), (0, 1))
    first = [one._replace(messages=(0,)) for one in tree[1:]]
    assert "not-held" not in broken(problem, first[0], on._replace(inputs=(0,)))
    allreduce = Problem(HUB, "ALLREDUCE", Rules(switches="copy"), links=problem.timing.links, num_bytes=1)
    wrong = [*tree, on._replace(inputs=(0,))]
    text = [one.text for one in verify(allreduce, schedule_of(*wrong))]
    assert any("a part of what a router has added" in one for one in text)
    assert not is_valid(allreduce, schedule_of(*wrong))
    right = [one.text for one in verify(allreduce, schedule_of(*tree, on))]
    assert not any("a part of what a router has added" in one for one in right)


@given(timed_cases(has_trees=True))
def test_trees_of_steps_are_valid_when_they_are_timed(drawn: tuple[Problem, Case]) -> None:
    """Trees of a schedule of steps start as a whole; both judges accept it, and when it ends."""
    problem, case = drawn
    schedule = retime_trees(problem, case.schedule)
    assert verify(problem, schedule) == []
    assert is_valid(problem, schedule)
    trees = trees_of(problem, list(schedule))
    ends = [usable(problem, one, tree) for one, tree in zip(schedule, trees, strict=True)]
    assert finish_time(problem, schedule) == max(ends, default=0)
    assert (self_timed_starts(problem, schedule) <= schedule.starts).all()


@given(timed_cases(has_trees=True), st.randoms(use_true_random=False))
def test_both_judges_agree_on_spoiled_trees(drawn: tuple[Problem, Case], rng: random.Random) -> None:
    """A change at random is valid for both judges or for none."""
    problem, case = drawn
    schedule = spoiled(problem, retime_trees(problem, case.schedule), rng)
    assert (verify(problem, schedule) == []) == is_valid(problem, schedule)
