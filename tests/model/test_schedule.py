"""Schedules: columns, canonical order, refusals, reading backwards."""

from __future__ import annotations

import pickle
from dataclasses import FrozenInstanceError
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pavane.model.collectives import broadcast, pairs
from pavane.model.duals import dual
from pavane.model.network import Network
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule, Transfer, time_reversed

numbers = st.integers(-2, 3)
transfers = st.lists(
    st.builds(
        Transfer,
        start=st.integers(0, 2),
        sender=numbers,
        receiver=numbers,
        path=st.lists(numbers, max_size=3).map(tuple),
        messages=st.lists(numbers, max_size=3).map(tuple),
        inputs=st.just(()),
    ),
    max_size=8,
)
"""Transfers of small numbers, so that many agree in part; a schedule need not make sense."""

LATER = Transfer(1, 0, 1, (4, 2), (7,))
FIRST = Transfer(0, 1, ~2, (), (5, 3))


def columns(schedule: Schedule) -> list[Any]:
    """Return what `from_columns` takes."""
    return [
        schedule.num_steps,
        schedule.starts,
        schedule.senders,
        schedule.receivers,
        (schedule.path_lengths, schedule.path_channels),
        schedule.messages,
        schedule.payloads,
    ]


# -- canonical order


@given(transfers, st.randoms(use_true_random=False))
def test_equal_schedules_are_equal_in_whatever_order_they_are_given(rows: list[Transfer], rng: Any) -> None:
    """The order of transfers, and of messages in a payload, says nothing."""
    schedule = Schedule.from_transfers(rows, 3)
    mixed = [row._replace(messages=tuple(rng.sample(row.messages, len(row.messages)))) for row in rows]
    rng.shuffle(mixed)
    again = Schedule.from_transfers(mixed, 3)
    assert again == schedule
    assert hash(again) == hash(schedule)
    assert list(again) == list(schedule)


@given(transfers, transfers)
def test_different_schedules_are_different(some: list[Transfer], others: list[Transfer]) -> None:
    """Two schedules are equal if and only if they have the same transfers, each as often, and as many steps."""

    def as_sets(rows: list[Transfer]) -> list[Transfer]:
        return sorted(row._replace(messages=tuple(sorted(row.messages))) for row in rows)

    one, other = Schedule.from_transfers(some, 3), Schedule.from_transfers(others, 3)
    assert (one == other) == (as_sets(some) == as_sets(others))
    assert one != Schedule.from_transfers(some, 4)


@given(transfers)
def test_transfers_come_by_step_sender_and_receiver(rows: list[Transfer]) -> None:
    """The canonical order is by step, then sender, then receiver; payloads ascend."""
    schedule = Schedule.from_transfers(rows, 3)
    assert all(one[:3] <= other[:3] for one, other in pairwise(schedule))
    assert all(list(row.messages) == sorted(row.messages) for row in schedule)


def test_payloads_are_sets_also_beside_a_transfer_that_carries_nothing() -> None:
    """The order of messages in a payload says nothing, whatever the other transfers carry."""
    empty, double = Transfer(0, 0, 1, (), ()), Transfer(0, 1, 0, (), (1, 2))
    turned = double._replace(messages=(2, 1))
    assert Schedule.from_transfers([empty, double]) == Schedule.from_transfers([empty, turned])


@given(transfers)
def test_single_messages_come_by_message_and_path(rows: list[Transfer]) -> None:
    """Where each transfer carries one message the order is by step, sender, receiver, message, path."""
    single = [row._replace(messages=(abs(sum(row.messages)),)) for row in rows]
    assert list(Schedule.from_transfers(single, 3)) == sorted(single, key=lambda t: (*t[:3], t.messages, t.path))


# -- columns and transfers


@given(transfers)
def test_columns_and_transfers_say_the_same(rows: list[Transfer]) -> None:
    """A schedule read as transfers, or as columns, and made anew is the same schedule."""
    schedule = Schedule.from_transfers(rows, 3)
    assert Schedule.from_transfers(schedule, 3) == schedule
    assert Schedule.from_columns(*columns(schedule)) == schedule
    assert pickle.loads(pickle.dumps(schedule)) == schedule
    assert [schedule.transfer(i) for i in range(len(schedule))] == list(schedule)
    assert len(schedule) == len(rows)
    assert schedule.path_lengths.tolist() == [len(row.path) for row in schedule]
    assert schedule.payloads.tolist() == [len(row.messages) for row in schedule]


def test_a_schedule_shows_its_columns() -> None:
    """Steps, ends, paths and payloads are columns; paths and payloads are ragged, with offsets."""
    schedule = Schedule.from_transfers([LATER, FIRST])
    assert schedule.num_steps == 2
    assert schedule.starts.tolist() == [0, 1]
    assert schedule.senders.tolist() == [1, 0]
    assert schedule.receivers.tolist() == [~2, 1]
    assert schedule.path_offsets.tolist() == [0, 0, 2]
    assert schedule.path_channels.tolist() == [4, 2]
    assert schedule.message_offsets.tolist() == [0, 2, 3]
    assert schedule.messages.tolist() == [3, 5, 7]
    assert list(schedule) == [FIRST._replace(messages=(3, 5)), LATER]
    assert repr(schedule) == "<Schedule: 2 transfers in 2 steps>"


def test_a_transfer_that_is_not_there_is_told() -> None:
    """The last one is -1; beyond it the error says how many there are."""
    schedule = Schedule.from_transfers([LATER, FIRST])
    assert schedule[-1] == schedule[1] == LATER
    with pytest.raises(IndexError, match="there is no transfer 2; the schedule has 2"):
        schedule[2]


def test_transfers_of_any_numbers_are_in_order() -> None:
    """Ends so far apart that step, ends and index are the digits of no number of 64 bits are ordered alike."""
    most = 2**31 - 1
    rows = [Transfer(0, most, -most, (), (0,)), Transfer(0, -most, most, (), (1,)), Transfer(0, 0, 5, (), (2,))]
    assert [transfer.sender for transfer in Schedule.from_transfers(rows)] == [-most, 0, most]


def test_the_number_of_steps_is_just_enough_unless_said() -> None:
    """Without a number of steps the last transfer's step is the last."""
    assert Schedule.from_transfers([LATER]).num_steps == 2
    assert Schedule.from_transfers([LATER], 5).num_steps == 5
    assert Schedule.from_transfers([]).num_steps == 0


@given(transfers)
def test_of_step_numbers_the_transfers_of_a_step(rows: list[Transfer]) -> None:
    """The transfers of a step stand together."""
    schedule = Schedule.from_transfers(rows, 3)
    for step in range(3):
        expected = [i for i, transfer in enumerate(schedule) if transfer.start == step]
        assert list(schedule.of_step(step)) == expected


@given(transfers)
def test_tco_sums_the_largest_payload_of_each_step(rows: list[Transfer]) -> None:
    """Total channel occupancy is the sum over steps of the most messages that one transfer carries (noc section 3)."""
    expected = sum(max((len(row.messages) for row in rows if row.start == step), default=0) for step in range(3))
    assert Schedule.from_transfers(rows, 3).tco == expected


# -- values


def test_a_schedule_is_a_frozen_value() -> None:
    """Nothing of a schedule can be changed, also not through the arrays that it was made of."""
    given_columns = [np.array(c) for c in ([1, 0], [0, 1], [1, 2], [1, 1], [4, 2], [7, 5], [1, 1])]

    def schedule_of(steps: Any, senders: Any, receivers: Any, lengths: Any, channels: Any, *rest: Any) -> Schedule:
        return Schedule.from_columns(2, steps, senders, receivers, (lengths, channels), *rest)

    schedule = schedule_of(*given_columns)
    same = schedule_of(*(column.copy() for column in given_columns))
    for column in given_columns:
        column[:] = 0
    assert schedule == same
    with pytest.raises(FrozenInstanceError):
        schedule.num_steps = 3  # type: ignore[misc]
    for column in (schedule.starts, schedule.senders, schedule.receivers, schedule.path_channels, schedule.messages):
        with pytest.raises(ValueError, match="read-only"):
            column[0] = 9
    assert schedule != "a schedule"


# -- refusals


@pytest.mark.parametrize(
    ("columns", "text"),
    [
        ((1, [0, 0], [0], [1], ([0], []), [0], [1]), "the columns of a schedule must have one entry per transfer"),
        ((1, [0], [0, 1], [1], ([0], []), [0], [1]), "the columns of a schedule must have one entry per transfer"),
        ((1, [0], [0], [1, 2], ([0], []), [0], [1]), "the columns of a schedule must have one entry per transfer"),
        ((1, [0], [0], [1], ([0, 0], []), [0], [1]), "the columns of a schedule must have one entry per transfer"),
        ((1, [0], [0], [1], ([0], []), [0], [1, 0]), "the columns of a schedule must have one entry per transfer"),
        ((1, [0], [0], [1], ([2], [5]), [0], [1]), "the lengths of paths and payloads must add up to what is listed"),
        ((1, [0], [0], [1], ([0], []), [0, 1], [1]), "the lengths of paths and payloads must add up to what is listed"),
        ((1, [1], [0], [1], ([0], []), [0], [1]), "steps must lie between 0 and 0"),
        ((3, [-1], [0], [1], ([0], []), [0], [1]), "steps must lie between 0 and 2"),
    ],
)
def test_columns_that_do_not_fit_are_refused(columns: tuple[Any, ...], text: str) -> None:
    """Columns of different lengths, paths that do not add up, and steps out of range make no schedule."""
    with pytest.raises(ValueError, match=text):
        Schedule.from_columns(*columns)


def test_columns_have_defaults() -> None:
    """Without a number of steps empty ones are left out; without counts each transfer carries one message."""
    given = Schedule.from_columns(2, [1, 0], [0, 1], [1, 2], ([1, 1], [4, 2]), [7, 5], [1, 1])
    assert Schedule.from_columns(None, [5, 3], [0, 1], [1, 2], ([1, 1], [4, 2]), [7, 5]) == given


# -- reading backwards


def test_reading_backwards_turns_steps_ends_and_paths_round() -> None:
    """The last step comes first, receivers send, and a path is run from its end; channels keep their numbers."""
    line = Network("line", 3, [(0, 1), (1, 2), (2, 1), (1, 0)])
    problem = Problem(line, pairs([(0, 1), (0, 2)]))
    schedule = Schedule.from_transfers([Transfer(0, 0, 2, (0, 1), (1,)), Transfer(1, 0, 1, (0,), (0,))])
    turned = time_reversed(problem, schedule, dual(problem))
    assert list(turned) == [Transfer(0, 1, 0, (0,), (0,)), Transfer(1, 2, 0, (1, 0), (1,))]


def test_reading_backwards_finds_the_message_by_its_label() -> None:
    """Messages are numbered anew: the label (origin, target) becomes (target, origin)."""
    line = Network("line", 3, [(0, 1), (1, 2), (2, 1), (1, 0)])
    crossed = Problem(line, pairs([(0, 2), (1, 0)]))
    schedule = Schedule.from_transfers([Transfer(0, 0, 2, (0, 1), (0,)), Transfer(0, 1, 0, (3,), (1,))])
    turned = time_reversed(crossed, schedule, dual(crossed))
    assert list(turned) == [Transfer(0, 0, 1, (3,), (0,)), Transfer(0, 2, 0, (1, 0), (1,))]
    spread = Problem(line, broadcast(line, 1))
    shout = Schedule.from_transfers([Transfer(0, 1, 0, (3,), (0,)), Transfer(0, 1, 2, (1,), (0,))])
    assert list(time_reversed(spread, shout, dual(spread))) == [
        Transfer(0, 0, 1, (3,), (0,)),
        Transfer(0, 2, 1, (1,), (0,)),
    ]
