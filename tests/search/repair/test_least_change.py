"""Repair: a schedule repaired for a fault keeps what it can and passes both judges."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from pavane.errors import InputError, InvalidSchedule
from pavane.judge.rules import verify
from pavane.model.collectives import in_pieces, named, pairs
from pavane.model.faults import single_faults
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.model.schedule import Schedule, Transfer
from pavane.networks import network
from pavane.parallel.budget import Budget
from pavane.search.repair import Repair, repair
from pavane.search.repair.regrowing import Regrowing
from pavane.search.synthesis import solve
from pavane.solvers import SOLVERS
from tests.checker import judge
from tests.problems import problem_of

STORED = Rules(switching="store-and-forward")
PASSED = Rules(switching="store-and-forward", switches="pass")
SLOTS = Rules("tdm", ports=1)
CASES = [
    ("kautz:3,2", "OAB", Rules()),
    ("kautz:3,2", "AAB", Rules()),
    ("kautz:3,2", "OAS", Rules()),
    ("kautz:3,2", "AAS", Rules()),
    ("kautz:3,2", "AAS", Rules(routing="any")),
    ("kautz:3,2", "AOR", Rules()),
    ("ring:6", "AAR", Rules(ports=1)),
    ("mesh:3x3", "AAB", STORED),
    ("mesh:3x3", "OAS", STORED),
    ("ring:5", "AAS", STORED),
    ("mesh:3x3", "AOG", STORED),
    ("mesh:3x3", "AAB", Rules(combining=True)),
    ("mesh:3x3", "OAS", Rules(combining=True, switching="store-and-forward")),
    ("mesh:3x3", "AAS", Rules(duplex="half", ports=1)),
    ("mesh:3x3", "AAB", Rules(routing="west-first")),
    ("ring:4*2", "AAS", Rules()),
    ("fat-tree:4", "OAB", STORED),
    ("fat-tree:4", "OAS", Rules()),
    ("fat-tree:4", "OAS", PASSED),
    ("rails:3,2", "AAB", PASSED),
    ("rails:3,2", "AAS", replace(PASSED, ports=1, duplex="half")),
    ("rails:3,2", "AAR", replace(PASSED, combining=True)),
    ("mesh:3x3", "AAS", SLOTS),
    ("mesh:3x3", "AAS", replace(SLOTS, wrap=False, packet_slots=2)),
    ("ring:6", "OAB", replace(SLOTS, wrap=False)),
    ("kautz:2,2", "AAR", replace(SLOTS, wrap=False, ports="all")),
]


def lacking(problem: Problem, channels: Iterable[int]) -> Problem:
    """Return the problem on its network without some channels."""
    return replace(problem, network=problem.network.without(channels=channels))


def first_fit(problem: Problem) -> Schedule:
    """Return the schedule of first fit."""
    schedule = SOLVERS["greedy"](problem, None, 0, Budget()).schedule
    assert schedule is not None
    return schedule


def planned(where: str | Network, kind: str, rules: Rules) -> tuple[Problem, Schedule]:
    """Plan by first fit."""
    made = network(where) if isinstance(where, str) else where
    problem = Problem(made, named(kind, made), rules)
    return problem, first_fit(problem)


def same(before: Schedule, repaired: Repair, dead: tuple[int, ...], num_channels: int) -> int:
    """Count transfers that are as before, by names of channels that the fault does not change."""
    after = repaired.result.schedule
    assert after is not None
    left = [channel for channel in range(num_channels) if channel not in dead]
    old = Counter(before)
    new = Counter(t._replace(path=tuple(left[channel] for channel in t.path)) for t in after)
    return sum((old & new).values())


@pytest.mark.parametrize(("where", "kind", "rules"), CASES, ids=lambda value: str(value))
def test_repaired_schedules_are_sound(where: str, kind: str, rules: Rules) -> None:
    """Both judges accept what is repaired, on the network without the channel, and what is kept is counted right."""
    problem, schedule = planned(where, kind, rules)
    listed = single_faults(problem.network, "channel")
    for fault in listed[:: max(1, len(listed) // 2)]:
        try:
            repaired = repair(problem, schedule, lacking(problem, fault.channels))
        except InputError:
            continue
        after = repaired.result
        assert after.schedule is not None
        assert after.problem.network.num_channels == problem.network.num_channels - 1
        assert verify(after.problem, after.schedule) == []
        assert judge(after.problem, after.schedule) == set()
        assert repaired.num_kept <= repaired.num_before == len(schedule)
        closed_up = after.schedule.num_steps < schedule.num_steps
        if problem.pattern != "reduction" and not closed_up:
            assert repaired.num_kept == same(schedule, repaired, fault.channels, problem.network.num_channels)


WIDE = Network(
    "wide",
    6,
    [(i, (i + d) % 6) for i in range(6) for d in (1, 5, 3)],
    capacities=[c for i in range(6) for c in ([2, 1, 3] if i % 2 else [1, 2, 3])],
)


@pytest.mark.parametrize(
    ("kind", "rules"),
    [
        ("AAB", Rules()),
        ("AAB", STORED),
        ("AAS", Rules()),
        ("AAS", STORED),
        ("AOR", Rules()),
        ("AAR", Rules(ports=2)),
        ("AOG", STORED),
        ("OAB", Rules(combining=True)),
    ],
    ids=str,
)
def test_pieces_and_capacities_are_repaired(kind: str, rules: Rules) -> None:
    """Pieces of a message are repaired each for itself, and channels are filled up to their capacities."""
    sizes = {"AAS": [(0, 3, 4), (2, 1, 0)], "AOG": [(1, 0, 3)]}.get(kind, [(0, 2)])
    problem = Problem(WIDE, in_pieces(named(kind, WIDE), 2, sizes), rules)
    schedule = first_fit(problem)
    used = np.unique(schedule.path_channels)
    for channel in used[:: max(1, len(used) // 3)].tolist():
        repaired = repair(problem, schedule, lacking(problem, [channel]))
        after = repaired.result
        assert after.schedule is not None
        assert after.problem.collective == problem.collective
        assert after.problem.network.capacity.tolist() == np.delete(WIDE.capacity, channel).tolist()
        assert verify(after.problem, after.schedule) == []
        assert repaired.num_kept > 0


def test_room_beside_others_is_used() -> None:
    """A link of capacity two takes the message of a dead channel beside its own: no step more, nothing else moves."""
    wide = Network("wide", 2, [(0, 1), (0, 1), (1, 0)], capacities=[2, 1, 1])
    problem = Problem(wide, named("OAS", wide, root=0, pieces=2))
    schedule = Schedule.from_transfers([Transfer(0, 0, 1, (0,), (0,)), Transfer(0, 0, 1, (1,), (1,))])
    repaired = repair(problem, schedule, lacking(problem, [1]))
    assert (repaired.num_kept, repaired.result.num_steps) == (1, 1)


@pytest.mark.parametrize(("kind", "rules"), [("OAS", Rules()), ("OAS", STORED), ("OAB", Rules()), ("AOR", Rules())])
def test_a_fault_on_an_idle_channel_changes_nothing(kind: str, rules: Rules) -> None:
    """Where no transfer uses the channel, every transfer is kept."""
    where = Network("ring and chords", 6, [(i, (i + d) % 6) for i in range(6) for d in (1, 5, 3)])
    problem, schedule = planned(where, kind, rules)
    idle = sorted(set(range(18)) - set(schedule.path_channels.tolist()))
    assert idle
    repaired = repair(problem, schedule, lacking(problem, idle[:1]))
    assert repaired.num_kept == repaired.num_before == len(schedule)
    assert repaired.result.num_steps == schedule.num_steps


def test_only_the_broken_transfer_changes() -> None:
    """On a ring with room to spare the one message over the dead channel goes the other way, in the same steps."""
    ring = network("ring:5")
    problem = Problem(ring, pairs([(0, 2), (3, 4)]), Rules(routing="any"))

    def path(*routers: int) -> tuple[int, ...]:
        ends = ring.channels.tolist()
        return tuple(ends.index([a, b]) for a, b in pairwise(routers))

    schedule = Schedule.from_transfers([Transfer(0, 0, 2, path(0, 1, 2), (0,)), Transfer(1, 3, 4, path(3, 4), (1,))])
    repaired = repair(problem, schedule, lacking(problem, path(0, 1)))
    assert (repaired.num_kept, repaired.num_before, repaired.result.num_steps) == (1, 2, 2)


def test_kautz_schedules_are_repaired_to_the_optimum() -> None:
    """AAB of 4 steps becomes 6 with a fault, the proven least, and nearly all transfers stay."""
    kautz = network("kautz:3,2")
    problem = Problem(kautz, named("AAB", kautz))
    schedule = solve(problem).schedule
    assert schedule is not None
    assert schedule.num_steps == 4
    repaired = repair(problem, schedule, lacking(problem, [0]))
    assert (repaired.result.num_steps, repaired.result.status, repaired.steps_before) == (6, "optimal", 4)
    # A channel carries at most one transfer a step; what hung on those may be lost, too.
    assert repaired.num_before - repaired.num_kept <= 12


def test_the_same_seed_mends_alike() -> None:
    """Two runs give equal schedules."""
    problem, schedule = planned("kautz:3,2", "AAS", Rules())
    one, two = (repair(problem, schedule, lacking(problem, [7]), seed=5) for _ in range(2))
    assert one.result.schedule == two.result.schedule


@pytest.mark.parametrize("rules", [Rules(), STORED])
@pytest.mark.parametrize("pieces", [1, 3])
def test_without_time_lost_messages_follow_after_all_others(rules: Rules, pieces: int) -> None:
    """Every message whose path is intact keeps it, and its step; the others come after the last step of before."""
    torus = network("torus:4x4")
    problem = Problem(torus, named("AAS", torus, pieces=pieces), rules)
    schedule = solve(problem, method="greedy").schedule
    assert schedule is not None
    repaired = repair(problem, schedule, lacking(problem, [0, 5]), seconds=1e-6)
    after = repaired.result.schedule
    assert after is not None
    assert judge(repaired.result.problem, after) == set()
    lost = {message for transfer in schedule if {0, 5} & set(transfer.path) for message in transfer.messages}
    assert lost
    late = [transfer for transfer in after if transfer.start >= schedule.num_steps]
    assert {message for transfer in late for message in transfer.messages} == lost
    assert repaired.num_kept == sum(not lost & set(transfer.messages) for transfer in schedule)


def test_where_nothing_can_be_repaired_a_schedule_is_planned_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """First fit has one for every problem that has any."""
    problem, schedule = planned("mesh:3x3", "AAB", Rules())
    monkeypatch.setattr(Regrowing, "run", lambda *_: None)
    repaired = repair(problem, schedule, lacking(problem, [0]))
    assert repaired.result.schedule is not None
    assert judge(repaired.result.problem, repaired.result.schedule) == set()


def test_pairs_without_a_message_have_none_when_the_time_is_over() -> None:
    """What is lost follows at the end, and no message of a pair of size 0 with it."""
    ring = network("ring:6")
    problem = Problem(ring, in_pieces(named("AAS", ring), 1, [(0, 3, 0), (1, 2, 3)]), Rules())
    repaired = repair(problem, solve(problem).schedule, lacking(problem, [0]), seconds=1e-6)  # type: ignore[arg-type]
    assert repaired.result.schedule is not None
    assert judge(repaired.result.problem, repaired.result.schedule) == set()


def test_a_parted_network_is_told() -> None:
    """Nothing is repaired where a processor cannot be reached any more."""
    problem, schedule = planned("mesh:3", "AAS", Rules())
    with pytest.raises(InputError, match="cannot be reached"):
        repair(problem, schedule, lacking(problem, [0]))


def test_an_invalid_schedule_is_refused() -> None:
    """What breaks a rule is not repaired."""
    problem, schedule = planned("ring:4", "AAS", Rules())
    short = Schedule.from_transfers(list(schedule)[1:])
    with pytest.raises(InvalidSchedule, match="breaks a rule"):
        repair(problem, short, lacking(problem, [0]))
    with pytest.raises(InputError, match="time 0"):
        repair(problem, schedule, lacking(problem, [0]), seconds=0)


def test_parallel_channels_keep_their_transfers() -> None:
    """Losing the first of two parallel channels leaves the transfers of the second, under a new number."""
    twins = Network("twins", 2, [(0, 1), (0, 1), (1, 0), (1, 0)], np.array([0, 0, 1, 1]))
    problem, schedule = planned(twins, "AAS", Rules(duplex="half"))
    repaired = repair(problem, schedule, lacking(problem, [0]))
    assert repaired.result.schedule is not None
    assert judge(repaired.result.problem, repaired.result.schedule) == set()
    assert repaired.num_kept > 0


def test_a_hop_goes_round_a_dead_channel_over_other_switches() -> None:
    """Where switches pass, a transfer that has lost its switch goes over another one, in the same step."""
    two = Network("two", 4, [(0, 2), (2, 1), (0, 3), (3, 1)], [0, 1])
    problem = Problem(two, pairs([(0, 1)]), PASSED)
    repaired = repair(problem, Schedule.from_transfers([Transfer(0, 0, 1, (0, 1), (0,))]), lacking(problem, [1]))
    assert repaired.result.schedule is not None
    assert [(transfer.start, transfer.path) for transfer in repaired.result.schedule] == [(0, (1, 2))]


# -- mode changes


def circuits(*ends: tuple[int, int], rules: Rules = SLOTS, pieces: int = 1) -> Problem:
    """Return the packets of a communication graph on a ring of 6."""
    return Problem(network("ring:6"), in_pieces(pairs(ends), pieces), rules)


@pytest.mark.parametrize("rules", [SLOTS, replace(SLOTS, wrap=False), Rules(ports=1), STORED], ids=str)
def test_a_mode_change_keeps_what_persists(rules: Rules) -> None:
    """Circuits of the same pair keep slot and path, new ones take what is free, and both judges accept the table."""
    old = circuits((0, 2), (1, 4), (2, 5), (5, 0), rules=rules)
    new = circuits((0, 2), (2, 5), (3, 1), (5, 0), (5, 1), rules=rules)
    before = first_fit(old)
    changed = repair(old, before, new)
    after = changed.result.schedule
    assert after is not None
    assert not judge(new, after)
    lasting = {(t.start, t.sender, t.receiver, t.path) for t in before if tuple(old.ends[t.messages[0]]) != (1, 4)}
    assert lasting <= {(t.start, t.sender, t.receiver, t.path) for t in after}
    assert (changed.num_kept, changed.num_moved) == (len(lasting), 0)
    assert changed.num_removed == changed.num_before - len(lasting)
    assert changed.num_new == len(after) - len(lasting)


def test_a_table_that_repeats_keeps_its_period() -> None:
    """A smaller graph leaves slots idle: persisting circuits keep their slots only at the same period."""
    old = problem_of("mesh:3x3", "AAS", SLOTS)
    before = first_fit(old)
    new = Problem(old.network, pairs([(0, 8), (3, 5)]), SLOTS)
    changed = repair(old, before, new)
    assert (changed.result.num_steps, changed.num_kept, changed.num_moved) == (before.num_steps, 2, 0)


def test_a_table_without_room_gets_the_next_period() -> None:
    """Three packets into one port do not fit into two slots, so the period is three."""
    old = circuits((1, 0), (2, 0))
    paths = [transfer.path for transfer in sorted(first_fit(old), key=lambda transfer: transfer.sender)]
    before = Schedule.from_transfers([Transfer(0, 1, 0, paths[0], (0,)), Transfer(0, 2, 0, paths[1], (1,))], 2)
    changed = repair(old, before, circuits((1, 0), (2, 0), (5, 0)))
    assert (changed.result.num_steps, changed.num_new) == (3, 1)


def test_pieces_persist_by_their_numbers() -> None:
    """Of two packets of a pair the first persists where the new graph has one."""
    old, new = circuits((0, 3), pieces=2), circuits((0, 3))
    before = first_fit(old)
    changed = repair(old, before, new)
    assert changed.result.schedule is not None
    assert changed.result.schedule[0] in list(before)
    assert (changed.num_kept, changed.num_removed) == (1, 1)


@pytest.mark.parametrize(
    ("to", "text"),
    [
        (problem_of("ring:5", "AAS", SLOTS), "is no part of ring:6"),
        (problem_of("ring:6", "AAS"), "other rules"),
        (problem_of("ring:6", "AAB", replace(SLOTS, wrap=False)), "other rules"),
    ],
)
def test_other_networks_and_rules_are_refused(to: Problem, text: str) -> None:
    """A mode change is on the same network under the same rules."""
    old = circuits((0, 2))
    with pytest.raises(InputError, match=text):
        repair(old, first_fit(old), to)
