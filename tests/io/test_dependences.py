"""What senders wait for: with these waits alone, data are there when they are sent."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from pavane.io.dependences import Waits, waits_of
from pavane.model.schedule import Transfer
from tests.io.small import combined, over_a_switch, partial_sums, valid
from tests.problems import problem_of
from tests.strategies import Case, cases


def test_waits_of_small_schedules() -> None:
    """What is passed on waits for what came, sums for their parts, and a channel for the transfer before."""
    nothing = Waits((), (), ())
    assert waits_of(*over_a_switch()) == [nothing, nothing, Waits((1,), (), ()), Waits((0,), (), ())]
    assert waits_of(*combined()) == [nothing, nothing, Waits((0,), (), ())]
    assert waits_of(*partial_sums()) == [nothing, Waits((0,), (), ())]


def test_a_channel_waits_for_the_one_before() -> None:
    """Two messages over one channel follow each other; under half duplex those the other way, too."""
    problem = problem_of("ring:3", "aas")
    ends = [tuple(channel) for channel in problem.network.channels.tolist()]
    rows = [Transfer(0, o, t, (ends.index((o, t)),), (m,)) for m, (o, t) in enumerate(problem.labels.tolist())]
    assert waits_of(*valid(problem, rows)) == [Waits((), (), ())] * 6
    rows = [row._replace(start=row.start + (row.receiver != (row.sender + 1) % 3)) for row in rows]
    half = problem_of("ring:3", "aas", duplex="half")
    problem, schedule = valid(half, rows)
    for number, (one, waits) in enumerate(zip(schedule, waits_of(problem, schedule), strict=True)):
        backward = [n for n in range(6) if (schedule[n].receiver, schedule[n].sender) == (one.sender, one.receiver)]
        assert waits == Waits((), (), tuple(backward) if one.start else ()), number


@given(cases(), st.integers(0, 99))
def test_waits_are_enough(case: Case, seed: int) -> None:
    """Whatever order the waits allow, every transfer finds the messages that it carries."""
    problem, schedule = case.problem, case.schedule
    if problem.rules.has_slots:
        return
    waits, left, done = waits_of(problem, schedule), list(range(len(schedule))), set()
    held = {(int(ends[0]), message) for message, ends in enumerate(problem.ends.tolist())}
    if problem.pattern in ("reduction", "allreduce"):
        held = {(p, m) for p in problem.collective.senders for m in range(problem.num_messages)}
    draw = random.Random(seed)
    while left:
        ready = [n for n in left if all(other in done for numbers in waits[n] for other in numbers)]
        number = draw.choice(ready)
        one = schedule[number]
        assert all((one.sender, message) in held for message in one.messages)
        held |= {(one.receiver, message) for message in one.messages}
        left.remove(number)
        done.add(number)
