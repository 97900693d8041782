"""Replays in SimGrid: schedules without conflicts take their units, and conflicts cost time."""

from __future__ import annotations

import shutil
from dataclasses import replace

import numpy as np
import pytest

from pavane.errors import InputError, PavaneError
from pavane.execution import simulate
from pavane.execution.simulate import replay, replay_timed, simulated_time
from pavane.judge.rules import verify
from pavane.judge.timed_result import TimedResult
from pavane.model.collectives import in_pieces, named, pairs
from pavane.model.links import Links
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.model.schedule import Schedule, Transfer
from pavane.model.timed import TimedProblem, TimedSchedule
from pavane.networks import network
from pavane.search.synthesis import solve
from pavane.timing import Costs, predicted, profile
from tests.execution.small import combined, need_simgrid, over_a_switch, partial_sums, triangle
from tests.io.formats.allreduces import ALLREDUCES, PASSING, doubling, summed
from tests.io.formats.pieced import PIECED
from tests.io.formats.timed_schedules import re_timed


def test_a_step_without_conflicts_takes_one_unit() -> None:
    """Under combining it takes as many units as its largest payload has messages."""
    need_simgrid()
    cases = ((triangle(), [1]), (over_a_switch(), [1, 1]), (partial_sums(), [1, 1]), (combined(), [2, 1]))
    for (problem, schedule), units in cases:
        done = replay(problem, schedule)
        assert list(done.steps) == units
        assert done.late == ()


def test_switches_that_pass_take_one_unit() -> None:
    """A transfer through a switch that passes takes the unit of a step, and so do the sums of an allreduce."""
    need_simgrid()
    for result in (summed("rails:2,4", "aas", rules=PASSING), ALLREDUCES["allreduce through switches"](), doubling(3)):
        assert result.schedule is not None
        done = replay(result.problem, result.schedule)
        assert done.late == ()
        payload = int(result.schedule.payloads.max())
        assert list(done.steps) == [payload] * result.schedule.num_steps


def test_a_switch_that_passes_is_shared() -> None:
    """Two at once to one processor over a switch meet in the channel to it."""
    need_simgrid()
    made = network("rails:2,4")
    problem = Problem(made, pairs([(0, 2), (1, 2)]), PASSING)
    channel = {(int(a), int(b)): i for i, (a, b) in enumerate(made.channels)}
    hub = int(problem.is_switch.argmax())
    home = made.router_of.tolist()
    transfers = [Transfer(0, p, 2, (channel[home[p], hub], channel[hub, home[2]]), (p,)) for p in (0, 1)]
    (late,) = replay(problem, Schedule.from_transfers(transfers)).late
    assert (late.units, late.expected) == (2, 1)
    assert f"channel {made.routers[hub]}>{made.routers[home[2]]}" in late.shared


def line_case(rules: Rules, transfers: list[tuple[int, int]], payloads: int = 1) -> tuple[Problem, Schedule]:
    """Return messages on a line of 4, all sent in the first step."""
    line = network("line:4")
    extra = [(3, 2)] if payloads > 1 else []
    problem = Problem(line, pairs([*transfers, *extra]), rules)
    ends = [tuple(channel) for channel in line.channels.tolist()]

    def path(o: int, t: int) -> tuple[int, ...]:
        way = range(o, t) if o < t else range(o, t, -1)
        return tuple(ends.index((r, r + (1 if o < t else -1))) for r in way)

    numbers = {tuple(label): number for number, label in enumerate(problem.labels.tolist())}
    return problem, Schedule.from_transfers([Transfer(0, o, t, path(o, t), (numbers[o, t],)) for o, t in transfers])


@pytest.mark.parametrize(
    ("rules", "transfers", "rule", "shared"),
    [
        (Rules(), [(0, 2), (1, 3)], "channel-capacity", ("channel 1>2",)),
        (Rules(duplex="half"), [(0, 1), (1, 0)], "half-duplex", ("link 0-1",)),
        (Rules(ports=1), [(1, 0), (1, 2)], "port-capacity", ("the port out of processor 1",)),
        (Rules(ports=1), [(0, 1), (2, 1)], "port-capacity", ("the port into processor 1",)),
    ],
)
def test_a_conflict_is_found(
    rules: Rules, transfers: list[tuple[int, int]], rule: str, shared: tuple[str, ...]
) -> None:
    """Two transfers over one channel, link or port take two units, and what they share is named."""
    need_simgrid()
    problem, schedule = line_case(rules, transfers)
    assert [violation.rule for violation in verify(problem, schedule)] == [rule]
    (late,) = replay(problem, schedule).late
    assert late.units == pytest.approx(2)
    assert (late.step, late.expected, late.shared) == (0, 1, shared)
    assert str(late) == f"step 1 took 2 units instead of 1: transfers share {shared[0]}"


def test_a_port_of_two_carries_two_and_not_three() -> None:
    """k transfers at a k-port processor are at full speed; one more slows them all."""
    need_simgrid()
    star = Network("star", 4, [(0, 1), (0, 2), (0, 3)])
    problem = Problem(star, pairs([(0, 1), (0, 2), (0, 3)]), Rules(ports=2))
    transfers = [Transfer(0, 0, t, (t - 1,), (t - 1,)) for t in (1, 2, 3)]
    assert replay(problem, Schedule.from_transfers(transfers[:2])).late == ()
    (late,) = replay(problem, Schedule.from_transfers(transfers)).late
    assert late.units == pytest.approx(1.5)


@pytest.mark.parametrize(
    "name",
    [
        *(
            "aab in 3",
            "aas in 2, one transfer each",
            "oas in 3",
            "aor in 3",
            "mnb in 2",
            "mns in 2",
            "aas in 2, packed",
        ),
        *("aas of sizes in 2", "aab of sizes in 3", "aar of sizes in 2", "aog of sizes in 2", "oab of a size"),
        *("pairs of sizes", "aar in 4 on wide channels", "aas in 2 through a switch", "aas in 2, packed"),
    ],
)
def test_schedules_in_pieces_have_no_conflicts(name: str) -> None:
    """A piece takes one unit, wherever capacities let several go at once; costs are those of its bytes."""
    need_simgrid()
    problem, schedule = PIECED[name]().problem, PIECED[name]().schedule
    assert schedule is not None
    done = replay(problem, schedule)
    assert done.late == ()
    assert done.total == schedule.tco
    costs, pieces = Costs(1e-6, 1e-9, 2e-8), problem.collective.pieces
    seconds = sum(simulated_time(problem, schedule, costs, 1000))
    assert seconds == pytest.approx(predicted(costs, 1000, profile(schedule, pieces)), rel=1e-6)


def test_a_channel_of_two_carries_two_and_not_three() -> None:
    """As many transfers as the capacity of a channel are at full speed, and none is faster; one more slows them all."""
    need_simgrid()
    wide = Network("wide", 2, [(0, 1)], capacities=[2])
    problem = Problem(wide, in_pieces(pairs([(0, 1)]), 3))
    transfers = [Transfer(0, 0, 1, (0,), (piece,)) for piece in range(3)]
    for several in (transfers[:1], transfers[:2]):
        done = replay(problem, Schedule.from_transfers(several))
        assert (done.total, done.late) == (1, ())
    schedule = Schedule.from_transfers(transfers)
    assert "channel-capacity" in {violation.rule for violation in verify(problem, schedule)}
    (late,) = replay(problem, schedule).late
    assert late.units == pytest.approx(1.5)
    assert "channel 0>1" in late.shared


def test_transfers_inside_a_router_take_one_unit() -> None:
    """Between processors of one router there is no channel, only their ports."""
    need_simgrid()
    pair = Network("pair", 2, [(0, 1), (1, 0)], [0, 0, 1])
    problem = Problem(pair, pairs([(0, 1)]), Rules(ports=3))
    assert replay(problem, Schedule.from_transfers([Transfer(0, 0, 1, (), (0,))])).total == 1


def test_a_conflict_beside_a_large_payload_is_found() -> None:
    """Each transfer is timed, so a conflict of small payloads cannot hide behind a large one."""
    need_simgrid()
    line = network("line:6")
    ends = [tuple(channel) for channel in line.channels.tolist()]
    problem = Problem(line, pairs([(0, 2), (1, 2), (4, 5), (4, 3), (5, 3)]), Rules(combining=True))
    transfers = [
        Transfer(0, 0, 2, (ends.index((0, 1)), ends.index((1, 2))), (0,)),
        Transfer(0, 1, 2, (ends.index((1, 2)),), (1,)),
        Transfer(0, 4, 5, (ends.index((4, 5)),), (2, 3, 4)),
    ]
    done = replay(problem, Schedule.from_transfers(transfers))
    assert list(done.steps) == [3]
    assert [late.shared for late in done.late] == [("channel 1>2",)]


def test_simulated_times_are_as_predicted() -> None:
    """With start-ups, bytes and hops SimGrid takes what noc's equation (1) predicts."""
    need_simgrid()
    for problem, schedule in (triangle(), over_a_switch(), combined()):
        costs = Costs(1e-6, 1e-9, 2e-8)
        times = simulated_time(problem, schedule, costs, 1000)
        assert sum(times) == pytest.approx(predicted(costs, 1000, profile(schedule)), rel=1e-6)


def test_without_simgrid_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """The line names Debian's package."""
    simulate.simgrid_python.cache_clear()
    monkeypatch.setattr(simulate, "_speaks_simgrid", lambda _: False)
    with pytest.raises(PavaneError, match="apt install python3-simgrid"):
        replay(*triangle())
    simulate.simgrid_python.cache_clear()


def test_a_simulation_that_breaks_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its exit code, and the last thing that it said."""
    nothing = shutil.which("false")
    assert nothing is not None
    monkeypatch.setattr(simulate, "simgrid_python", lambda: nothing)
    with pytest.raises(PavaneError, match="SimGrid ended with code 1: it said nothing"):
        replay(*triangle())


# -- start times


MACHINES = {
    "ndv2:2": Rules(switching="store-and-forward", switches="pass"),
    "torus:3x3": Rules(switching="store-and-forward"),
    "rails:2,2": Rules(switching="store-and-forward", switches="pass"),
}


@pytest.mark.parametrize("kind", ["allgather", "alltoall", "reduce-scatter"])
@pytest.mark.parametrize("machine", MACHINES)
def test_no_transfer_of_a_timed_schedule_is_late(machine: str, kind: str) -> None:
    """In SimGrid all data are usable as predicted, to the picosecond, with starts and without clocks."""
    need_simgrid()
    made = network(machine)
    result = re_timed(solve(Problem(made, named(kind, made), MACHINES[machine]), method="greedy"))
    done = replay_timed(result)
    assert (done.finish, done.lateness, done.self_timed_lateness) == (result.finish, 0, 0)
    assert done.self_timed_finish <= done.finish


@pytest.mark.parametrize("rules", [Rules(ports=1), Rules(duplex="half")], ids=["one port", "half duplex"])
def test_ports_and_half_duplex_are_replayed(rules: Rules) -> None:
    """A valid schedule is on time, and transfers that share a link or a port at a time are late."""
    need_simgrid()
    line = Network("line", 3, [(0, 1), (1, 0), (1, 2), (2, 1)])
    pairs_ = [(1, 0), (1, 2)] if rules.ports == 1 else [(0, 1), (1, 0)]
    links = Links.uniform(line, latency_ps=500, bytes_per_second=10**9)
    timed = TimedProblem(Problem(line, pairs(pairs_), rules), links, 1000)
    ends = {(0, 1): 0, (1, 0): 1, (1, 2): 2}
    rows = [(start, *ends_of) for start, ends_of in zip((0, 10**6), pairs_, strict=True)]
    columns = ([row[0] for row in rows], [row[1] for row in rows], [row[2] for row in rows])
    schedule = TimedSchedule.from_columns(*columns, [(ends[pair],) for pair in pairs_], [0, 1])
    result = TimedResult(timed, schedule)
    assert replay_timed(result).lateness == 0
    object.__setattr__(result, "schedule", replace(schedule, starts=np.array([0, 0])))
    assert replay_timed(result).lateness == pytest.approx(10**6)


def test_overheads_hold_channels_in_the_replay() -> None:
    """An overhead is time on the channel, and a transfer that takes no time is over when it starts."""
    need_simgrid()
    pair = Network("pair", 2, [(0, 1), (1, 0)], [0, 0, 1])
    links = Links.uniform(pair, latency_ps=7, bytes_per_second=10**9, overhead_ps=300)
    timed = TimedProblem(Problem(pair, named("oab", pair, root=0), Rules(ports=2)), links, 10)
    schedule = TimedSchedule.from_columns([0, 0], [0, 1], [1, 2], [(), (0,)], [0, 0])
    done = replay_timed(TimedResult(timed, schedule))
    assert (done.finish, done.lateness, done.self_timed_finish) == (10307, 0, 10307)


def test_there_must_be_a_schedule() -> None:
    """A search without result is not replayed."""
    pair = network("ring:3")
    timed = TimedProblem(Problem(pair, named("aab", pair)), Links.uniform(pair, bytes_per_second=1), 8)
    with pytest.raises(InputError, match="there is no schedule to replay"):
        replay_timed(TimedResult(timed, None))
