"""Timed schedules at work without clocks: programs that wait, on real processes and by hand."""

from __future__ import annotations

import random
from typing import Any

import pytest

from pavane.errors import InputError
from pavane.execution.jobs import job
from pavane.execution.launch import execute
from pavane.execution.timed_jobs import TOKEN
from pavane.judge.timed_result import TimedResult
from pavane.model.problem import Rules
from pavane.model.timed import TimedTransfer
from tests.execution.small import need_mpi
from tests.io.formats.timed_schedules import WITH_STARTS
from tests.judge.test_timed_rules import BYTES, HOLD, LATER, LINE, STORED, timed_on
from tests.timed_cases import schedule_of

SELF_TIMED = [
    "searched allgather",
    "searched alltoall",
    "searched reduce-scatter",
    "rails aar in 3",
    "spine aas in 2",
    "sums replaced",
    "allreduce on a hypercube, 1-port",
]


def job_of(result: TimedResult) -> dict[str, Any]:
    """Return the job of a timed result."""
    assert result.schedule is not None
    return job(result.timed, result.schedule, size=192, repeat=1)


def run_in_any_order(programs: list[dict[str, Any]], seed: int) -> int:
    """Carry out programs, what is ready in a random order; return how many messages arrive before all is stuck."""
    draw, arrived, sent = random.Random(seed), set[tuple[int, int]](), set[tuple[int, int]]()
    where = {
        (source, target, tag): (target, index)
        for target, program in enumerate(programs)
        for index, (source, tag, *_) in enumerate(program["receives"])
    }
    while True:
        ready = [
            (process, number)
            for process, program in enumerate(programs)
            for number, (_, _, _, received, before, _, _) in enumerate(program["sends"])
            if (process, number) not in sent
            and all((process, index) in arrived for index in received)
            and all((process, index) in sent for index in before)
        ]
        if not ready:
            return len(arrived)
        process, number = draw.choice(ready)
        sent.add((process, number))
        peer, tag = programs[process]["sends"][number][:2]
        arrived.add(where[process, peer, tag])


@pytest.mark.parametrize("name", SELF_TIMED)
def test_programs_never_wait_for_ever(name: str) -> None:
    """Whatever is fast or slow, all that is sent is received in the end: the graph of waits has no circle."""
    programs = job_of(WITH_STARTS[name]())["programs"]
    total = sum(len(program["receives"]) for program in programs)
    assert total == sum(len(program["sends"]) for program in programs)
    for seed in range(3):
        assert run_in_any_order(programs, seed) == total


def test_a_send_waits_for_data_channels_and_tokens() -> None:
    """Over one channel from two processors the second waits for a token of the first one's receiver."""
    timed = timed_on(LINE, "pairs", Rules(), pairs=[(0, 2), (1, 2)])
    first, second = TimedTransfer(0, 0, 2, (0, 2), (0,)), TimedTransfer(HOLD, 1, 2, (2,), (1,))
    programs = job_of(TimedResult(timed, schedule_of(first, second)))["programs"]
    assert programs[0]["sends"] == [[2, 0, 0, [], [], [], False]]
    assert programs[1]["receives"] == [[2, 0, TOKEN, 0, []]]
    assert programs[1]["sends"] == [[2, 0, 1, [0], [], [], False]]
    assert programs[2]["sends"] == [[1, 0, TOKEN, [0], [], [], False]]


def test_a_sum_is_made_of_its_inputs() -> None:
    """A partial sum waits for its inputs and adds the contribution of its processor once."""
    timed = timed_on(LINE, "aor", STORED, root=2)
    rows = (TimedTransfer(0, 0, 1, (0,), (0,)), TimedTransfer(LATER, 1, 2, (2,), (0,), (0,)))
    programs = job_of(TimedResult(timed, schedule_of(*rows)))["programs"]
    assert programs[1]["receives"] == [[0, 0, 0, 0, [0]]]
    assert programs[1]["sends"] == [[2, 0, 0, [0], [], [0], True]]
    assert programs[2]["receives"][0][4] == [0, 1]


@pytest.mark.parametrize("name", SELF_TIMED)
def test_every_byte_arrives_without_clocks(name: str) -> None:
    """Processes that send when data and channels are there have every byte in the end."""
    need_mpi()
    result = WITH_STARTS[name]()
    assert result.schedule is not None
    done = execute(result.timed, result.schedule, size=192, repeat=2, timeout=300)
    assert (done.num_wrong, done.faults) == (0, ())
    assert [len(times) for times in done.seconds] == [1, 1]
    assert done.total > 0


def test_a_wrong_byte_is_found() -> None:
    """It is told with its transfer, also where it is passed on."""
    need_mpi()
    timed = timed_on(LINE, "oab", STORED, root=0)
    rows = (TimedTransfer(0, 0, 1, (0,), (0,)), TimedTransfer(LATER, 1, 2, (2,), (0,)))
    done = execute(timed, schedule_of(*rows), size=BYTES, timeout=300, spoil=(0, 0))
    assert done.num_wrong == 2
    assert [(fault.step, fault.process) for fault in done.faults] == [(0, 1), (1, 2)]


def test_sizes_are_checked_as_for_steps() -> None:
    """Sums are of integers, and every piece has a byte."""
    result = WITH_STARTS["searched reduce-scatter"]()
    assert result.schedule is not None
    with pytest.raises(InputError, match="give a multiple of 8"):
        job(result.timed, result.schedule, size=100, repeat=1)
    with pytest.raises(InputError, match="cannot be cut into 2 pieces"):
        job(result.timed, result.schedule, size=8, repeat=1)
