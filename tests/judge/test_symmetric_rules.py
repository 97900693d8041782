"""Tests for the judge of tables: each rule alone, a second judge, spoiled tables, and tables written out."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pavane.errors import InputError
from pavane.judge.rules import verify
from pavane.judge.symmetric_rules import verify_symmetric
from pavane.model.channel_kinds import grid_translations
from pavane.model.collectives import in_pieces, named
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.model.symmetric_schedule import Clock, SymmetricSchedule
from pavane.networks import network
from tests.checker import judge
from tests.model.test_symmetric_schedule import PASSING, path_case
from tests.problems import problem_of
from tests.table_cases import (
    Row,
    disagreement,
    random_case,
    second_verdict,
    spoiled,
    table_of,
    written_out,
)

STORED = Rules("store-and-forward")
SEEDS = st.integers(0, 2**32 - 1)


def on_ring(rows: list[Row], num_steps: int, size: int = 3, clocks: tuple[Clock, ...] = ()) -> SymmetricSchedule:
    """Return a table for a ring; kind 0 leads up by one, kind 1 down."""
    return table_of(rows, num_steps, grid_translations([size]), clocks)


def pieces_of(problem: Problem, pieces: int) -> Problem:
    """Return a problem whose messages have several pieces."""
    return Problem(problem.network, in_pieces(problem.collective, pieces), problem.rules)


def rules_broken(problem: Problem, table: SymmetricSchedule) -> set[str]:
    """Return the rules that a table breaks."""
    return {violation.rule for violation in verify_symmetric(problem, table)}


# The kinds of a ring and of a square of two bits, as the catalogue numbers channels.
UP, DOWN = (0,), (1,)
RING = [Row(0, 0, 1, UP), Row(0, 0, 2, DOWN)]


def test_the_smallest_tables_are_valid() -> None:
    """Each neighbour one message, a copy, a sum: what the following tables spoil has nothing wrong."""
    copies, sums = [Row(0, 0, 0, UP), Row(0, 0, 0, DOWN)], [Row(0, 1, 0, DOWN), Row(0, 2, 0, UP)]
    both = [*sums, Row(1, 0, 1, UP), Row(1, 0, 1, DOWN)]
    for kind, rows, num_steps in (("AAS", RING, 1), ("AAB", copies, 1), ("AAR", sums, 1), ("ALLREDUCE", both, 2)):
        for rules in (Rules(), STORED):
            problem = problem_of("ring:3", kind, rules)
            assert verify(problem, on_ring(rows, num_steps)) == []
            assert second_verdict(problem, on_ring(rows, num_steps))


TDM = Rules("tdm")
BROKEN = [
    # paths
    ("not-minimal", "AAS", TDM, [Row(0, 0, 1, UP), Row(1, 0, 2, UP * 2)], 4),
    ("not-simple", "AAS", replace(TDM, routing="any"), [Row(0, 0, 1, UP + DOWN + UP), Row(0, 0, 2, DOWN)], 9),
    # loads
    ("half-duplex", "AAS", replace(STORED, duplex="half"), RING, 1),
    ("half-duplex", "AAS", Rules(duplex="half"), RING, 1),
    ("port-capacity", "AAS", replace(STORED, ports=1), RING, 1),
    ("port-capacity", "AAS", Rules("tdm", 1), RING, 1),
    ("port-capacity", "AAS", Rules("tdm", 1, packet_slots=2), [RING[0], RING[1]._replace(step=1)], 3),
    # steps
    ("outside-period", "AAS", STORED, [RING[0], RING[1]._replace(step=1)], 1),
    ("outside-period", "AAS", Rules("tdm", wrap=False), RING, 2),
    ("empty-step", "AAS", STORED, [RING[0], RING[1]._replace(step=2)], 3),
    ("empty-step", "AAS", STORED, RING, 2),
    # messages
    ("unknown-message", "AAS", STORED, [*RING, Row(1, 0, 0, UP)], 2),
    ("unknown-message", "AAS", STORED, [*RING, Row(1, 0, 3, UP)], 2),
    ("unknown-message", "AAB", STORED, [Row(0, 0, 0, UP), Row(0, 0, 0, DOWN), Row(1, 0, 1, UP)], 2),
    ("not-held", "AAS", STORED, [RING[0], Row(1, 1, 2, UP)], 2),
    ("not-held", "AAS", Rules(), [*RING, Row(1, 0, 1, UP)], 2),
    ("delivered-twice", "AAS", STORED, [Row(0, 0, 1, UP + DOWN + UP), Row(0, 0, 2, DOWN)], 3),
    ("never-delivered", "AAS", STORED, RING[:1], 1),
    ("never-delivered", "AAS", STORED, [RING[0], Row(1, 0, 2, UP)], 2),
    ("delivered-twice", "AAB", STORED, [Row(0, 0, 0, UP), Row(0, 0, 0, DOWN), Row(1, 1, 0, UP)], 2),
    ("delivered-twice", "AAB", STORED, [Row(0, 0, 0, UP), Row(0, 0, 0, DOWN), Row(1, 1, 0, DOWN)], 2),
    ("not-held", "AAB", STORED, [Row(1, 0, 0, UP), Row(0, 1, 0, UP)], 2),
    ("never-delivered", "AAB", STORED, [Row(0, 0, 0, UP)], 1),
    ("past-target", "AAR", STORED, [Row(1, 1, 0, DOWN), Row(1, 2, 0, UP), Row(0, 0, 0, UP)], 2),
    ("not-held", "AAR", STORED, [Row(0, 1, 0, DOWN), Row(0, 2, 0, UP), Row(1, 2, 0, UP)], 2),
    ("never-delivered", "AAR", STORED, [Row(0, 1, 0, DOWN)], 1),
    ("never-delivered", "AAR", STORED, [Row(0, 1, 0, DOWN), Row(1, 2, 0, DOWN)], 2),
    ("not-held", "ALLREDUCE", STORED, [Row(0, 0, 1, UP), Row(1, 1, 0, DOWN), Row(2, 2, 0, UP), Row(3, 0, 1, DOWN)], 4),
    ("never-delivered", "ALLREDUCE", STORED, [Row(0, 1, 0, DOWN), Row(0, 2, 0, UP), Row(1, 0, 1, UP)], 2),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "kind", "rules", "rows", "num_steps"), BROKEN)
def test_each_rule_has_its_smallest_table(rule: str, kind: str, rules: Rules, rows: list[Row], num_steps: int) -> None:
    """A table that breaks one rule is refused by this rule alone, and its schedule is not valid."""
    problem, table = problem_of("ring:3", kind, rules), on_ring(rows, num_steps)
    assert rules_broken(problem, table) == {rule}
    assert not second_verdict(problem, table)


def test_pieces_of_a_message_share_a_channel_only_as_it_has_room() -> None:
    """Two pieces in one step are too many for a channel, and not for one of capacity two."""
    rows = [Row(0, 0, 2, UP), Row(0, 0, 3, UP), Row(1, 0, 4, DOWN), Row(2, 0, 5, DOWN)]
    ring = network("ring:3")
    wide = Network("wide", 3, ring.channels, capacities=[2] * 6)
    assert rules_broken(pieces_of(problem_of(ring, "AAS", STORED), 2), on_ring(rows, 3)) == {"channel-capacity"}
    assert rules_broken(pieces_of(problem_of(wide, "AAS", STORED), 2), on_ring(rows, 3)) == set()


def test_a_packet_that_is_longer_than_its_period_is_refused() -> None:
    """However much a channel carries, a packet must not meet itself a period later."""
    ring = network("ring:3")
    wide = Network("wide", 3, ring.channels, capacities=[2] * 6)
    problem = problem_of(wide, "AAS", Rules("tdm", packet_slots=2))
    assert rules_broken(problem, on_ring(RING, 1)) == {"outside-period"}
    assert not second_verdict(problem, on_ring(RING, 1))
    assert rules_broken(problem, on_ring(RING, 2)) == set()


def test_copies_and_sums_go_over_one_channel_at_a_time() -> None:
    """A copy over two channels is refused, although a wormhole could carry it."""
    square = problem_of("hypercube:2", "AAB")
    heads = [head for tail, head in square.network.channels.tolist() if tail == 0]
    x, y = heads.index(1), heads.index(2)
    rows = [Row(0, 0, 0, (x,)), Row(0, 0, 0, (y,)), Row(1, 0, 0, (x, y))]
    table = table_of(rows, 2, grid_translations([2, 2]))
    assert rules_broken(square, table) == {"too-many-hops"}
    assert second_verdict(square, table)


def test_both_ends_of_a_half_duplex_link_need_room_for_two() -> None:
    """Where a kind is its own way back, each of its links is used both ways at once."""
    pair = Network("pair", 2, [(0, 1), (1, 0)])
    wide = Network("wide pair", 2, [(0, 1), (1, 0)], capacities=[2, 2])
    table = table_of([Row(0, 0, 1, (0,))], 1, grid_translations([2]))
    for rules in (Rules(duplex="half"), replace(STORED, duplex="half"), Rules("tdm", duplex="half")):
        assert rules_broken(problem_of(pair, "AAS", rules), table) == {"half-duplex"}
        assert rules_broken(problem_of(wide, "AAS", rules), table) == set()
        assert second_verdict(problem_of(wide, "AAS", rules), table)


# -- symmetry and columns


@pytest.mark.parametrize(
    ("moves", "text"),
    [
        ([[1, 2, 3, 3]], "not a permutation"),
        ([[1, 2, 3, 4]], "not a permutation"),
        ([[-3, 2, 3, 0]], "not a permutation"),
        ([[1, 2, 3]], "entry for each processor"),
        ([[1, 0, 2, 3]], "to every router"),
        ([[2, 3, 0, 1]], "to every router"),
        ([[1, 3, 0, 2]], "keep the channels"),
        ([[1, 2, 3, 0], [0, 3, 2, 1]], "keep the kinds"),
    ],
)
def test_translations_are_permutations_that_keep_kinds_and_reach_all(moves: list[list[int]], text: str) -> None:
    """What is no symmetry of the network is refused before anything else, in words."""
    rows = [Row(0, 0, 1, UP), Row(0, 0, 3, DOWN), Row(1, 0, 2, UP * 2)]
    table = table_of(rows, 3, np.array(moves, dtype=np.int32))
    (violation,) = verify_symmetric(problem_of("ring:4", "AAS", STORED), table)
    assert violation.rule == "not-symmetric"
    assert text in violation.text
    assert not second_verdict(problem_of("ring:4", "AAS", STORED), table)


def test_channels_of_a_kind_carry_the_same() -> None:
    """A network whose capacities differ along a kind is not symmetric."""
    ring = network("ring:3")
    uneven = Network("uneven", 3, ring.channels, capacities=[2, 1, 1, 1, 1, 1])
    assert rules_broken(problem_of(uneven, "AAS"), on_ring(RING, 1)) == {"not-symmetric"}


@pytest.mark.parametrize(
    "changes",
    [
        {"senders": np.zeros(1, dtype=np.int32)},
        {"senders": np.array([0, 3], dtype=np.int32)},
        {"senders": np.array([0, -1], dtype=np.int32)},
        {"steps": np.array([0, -1])},
        {"steps": np.array([0, 2**63 - 1])},
        {"steps": np.array([0.0, 0.0])},
        {"messages": np.array([[1], [2]])},
        {"run_offsets": np.array([0, 0, 2])},
        {"run_offsets": np.array([0, 3, 2])},
        {"run_offsets": np.array([0, 1])},
        {"run_kinds": np.array([0, 2], dtype=np.int32)},
        {"run_kinds": np.array([0, -1], dtype=np.int32)},
        {"run_kinds": np.array([0], dtype=np.int32)},
        {"run_lengths": np.array([1, 0], dtype=np.int32)},
        {"run_lengths": np.array([1, 2**31 - 1], dtype=np.int32)},
        {"clock_of": np.array([0, 1], dtype=np.int32)},
        {"clocks": (Clock((3,), np.array([[1], [-1]])),)},
        {"num_steps": 0},
        {"num_steps": 2**62},
    ],
)
def test_columns_that_are_no_table_are_refused(changes: dict[str, Any]) -> None:
    """Columns of other lengths, kinds and routers that do not exist and numbers beyond all bounds are refused."""
    table = replace(on_ring(RING, 1), **changes)
    assert rules_broken(problem_of("ring:3", "AAS", STORED), table) <= {"broken-path", "outside-period"}
    assert rules_broken(problem_of("ring:3", "AAS", STORED), table)


def test_an_empty_table_is_refused() -> None:
    """A table without rows delivers nothing, and its step is empty."""
    table = on_ring([], 1)
    assert rules_broken(problem_of("ring:3", "AAS", STORED), table) == {"empty-step", "never-delivered"}


@pytest.mark.parametrize(
    "problem",
    [
        problem_of("ring:4", "OAS"),
        problem_of("ring:4", "AAS", Rules(combining=True)),
        problem_of("torus:3x3", "AAS", Rules(routing="dimension-order")),
        problem_of("ring:4*2", "AAS"),
        Problem(network("ring:4"), in_pieces(named("AAS", network("ring:4")), 1, [(0, 1, 2)])),
    ],
)
def test_a_table_is_for_collectives_of_all_routers(problem: Problem) -> None:
    """Problems that do not look the same from every router have no tables."""
    with pytest.raises(InputError, match="a table is for collectives among all processors"):
        verify_symmetric(problem, on_ring(RING, 1))


# -- clocks


RING_CLOCK = Clock((4,), np.array([[1], [-1]]))


def test_rows_of_a_stage_with_different_users_share_channels() -> None:
    """Three messages up a ring of four, of lengths 1, 2 and 1 in all, fill a stage of four steps."""
    rows = [Row(0, 0, 1, UP, 0, (0,)), Row(0, 0, 2, UP * 2, 0, (3,)), Row(0, 0, 3, DOWN, 0, (0,))]
    problem, table = problem_of("ring:4"), on_ring(rows, 4, 4, (RING_CLOCK,))
    assert verify(problem, table) == []
    assert second_verdict(problem, table)


@pytest.mark.parametrize(
    ("rows", "num_steps", "rules", "rule"),
    [
        # The hop of the first row and the second hop of the second one have the same user.
        ([Row(0, 0, 1, UP, 0, (0,)), Row(0, 0, 2, UP * 2, 0, (1,)), Row(0, 0, 3, DOWN, 0, (0,))], 4, Rules(),
         "channel-capacity"),
        # Both ways along a link in one step: of router 0 up, of router 1 down, whose phase is one more.
        ([Row(0, 0, 1, UP, 0, (1,)), Row(4, 0, 2, UP * 2, 0, (0,)), Row(0, 0, 3, DOWN, 0, (0,))], 8,
         Rules(duplex="half"), "half-duplex"),
        # Two rows start in the same step at every router.
        ([Row(0, 0, 1, UP, 0, (0,)), Row(4, 0, 2, UP * 2, 0, (0,)), Row(0, 0, 3, DOWN, 0, (0,))], 8, Rules(ports=1),
         "port-capacity"),
        # Two rows end in the same step at every router.
        ([Row(0, 0, 1, UP, 0, (0,)), Row(4, 0, 2, UP * 2, 0, (0,)), Row(0, 0, 3, DOWN, 0, (2,))], 8, Rules(ports=1),
         "port-capacity"),
    ],
)  # fmt: skip
def test_rows_of_a_stage_that_meet_are_refused(rows: list[Row], num_steps: int, rules: Rules, rule: str) -> None:
    """Equal users, links used both ways and ports used twice are refused, and not valid."""
    problem, table = problem_of("ring:4", "AAS", rules), on_ring(rows, num_steps, 4, (RING_CLOCK,))
    assert rules_broken(problem, table) == {rule}
    assert not second_verdict(problem, table)


def test_stages_that_overlap_are_refused() -> None:
    """Stages in which a kind is used come one after the other, although their rows might not meet."""
    rows = [Row(0, 0, 1, UP, 0, (0,)), Row(3, 0, 2, UP * 2, 0, (0,)), Row(0, 0, 3, DOWN, 0, (0,))]
    table = on_ring(rows, 7, 4, (RING_CLOCK,))
    (violation,) = verify_symmetric(problem_of("ring:4"), table)
    assert violation.text == "stages from step 0 and from step 3 overlap, and both use channel kind 0"


def test_equal_users_are_counted_against_capacities_and_ports() -> None:
    """Channels of capacity two, and two ports, take two equal users of a stage."""
    ring = network("ring:4")
    wide = Network("wide", 4, ring.channels, capacities=[2] * 8)
    rows = [Row(0, 0, 1, UP, 0, (0,)), Row(0, 0, 2, UP * 2, 0, (0,)), Row(0, 0, 3, DOWN, 0, (0,))]
    for rules, expected in ((Rules(), set()), (Rules(ports=3), set()), (Rules(ports=2), {"port-capacity"})):
        problem, table = problem_of(wide, "AAS", rules), on_ring(rows, 4, 4, (RING_CLOCK,))
        assert rules_broken(problem, table) == expected
        assert second_verdict(problem, table) == (not expected)


@pytest.mark.parametrize(
    "clock",
    [
        Clock((4,), np.array([[1], [1]])),
        Clock((3,), np.array([[1], [-1]])),
        Clock((4,), np.array([[2], [-2]])),
        Clock((0,), np.array([[1], [-1]])),
        Clock((-4,), np.array([[1], [-1]])),
        Clock((2**62,), np.array([[1], [-1]])),
        Clock((2**33, 2**31), np.array([[1, 0], [-1, 0]])),
        Clock((4,), np.array([[1]])),
        Clock((4,), np.array([[1.0], [-1.0]])),
    ],
)
def test_a_clock_adds_the_same_at_every_router_and_has_all_phases(clock: Clock) -> None:
    """What is no clock of the network is refused: sums that differ, phases that never come, sizes beyond it."""
    rows = [Row(0, 0, 1, UP, 0, (0,) * len(clock.moduli)), Row(4, 0, 2, UP * 2), Row(8, 0, 3, DOWN)]
    assert rules_broken(problem_of("ring:4"), on_ring(rows, 12, 4, (clock,))) == {"not-symmetric"}


def test_phases_beyond_all_bounds_are_refused() -> None:
    """Sums of phases are of 64 bits, so that phases which might wrap round are refused."""
    rows = [Row(0, 0, 1, UP, 0, (2**63 - 1,)), Row(4, 0, 2, UP * 2), Row(8, 0, 3, DOWN)]
    assert rules_broken(problem_of("ring:4"), on_ring(rows, 12, 4, (RING_CLOCK,))) == {"broken-path"}


# -- against the second judge


@given(SEEDS)
def test_valid_tables_are_accepted(seed: int) -> None:
    """On any network with translations, under all rules: rows at free times, trees and slots are valid for both."""
    case = random_case(random.Random(seed))
    assert second_verdict(*case)
    assert disagreement(*case) is None
    if not case.table.clocks:
        assert verify_symmetric(*case) == []


@settings(max_examples=4 * settings().max_examples)
@given(SEEDS)
def test_no_spoiled_table_is_accepted(seed: int) -> None:
    """A table that is spoiled up to three times is accepted only if its schedule is still valid."""
    rng = random.Random(seed)
    case = random_case(rng)
    for _ in range(3):
        assert disagreement(case.problem, spoiled(case.table, rng, rng.choice((1, 1, 2, 3)))) is None


# -- written out


@given(SEEDS)
def test_all_ways_to_write_a_table_out_agree(seed: int) -> None:
    """The whole schedule, its single steps, the transfers of single routers and the second judge's are the same."""
    problem, table = random_case(random.Random(seed))
    plain = sorted(written_out(problem, table))
    whole = table.expand(problem)
    assert whole.num_steps == table.num_steps
    assert sorted(whole) == plain
    by_steps = [one for step in range(table.num_steps) for one in table.expand_step(problem, step)]
    assert sorted(by_steps) == plain
    by_routers = [one for router in range(table.num_processors) for one in table.transfers_of(problem, router)]
    assert sorted(by_routers) == plain
    assert not judge(problem, whole)


@given(SEEDS)
def test_transfers_of_a_pair_are_those_of_its_messages(seed: int) -> None:
    """The transfers from one router to one target carry the messages of this pair, and all of them."""
    problem, table = random_case(random.Random(seed))
    if problem.pattern != "private":
        with pytest.raises(InputError, match="no one target"):
            table.transfers_of(problem, 0, 1)
        return
    whole = list(table.expand(problem))
    for origin, target in ((0, 1), (1, 0)):
        chosen = table.transfers_of(problem, origin, target)
        ends = [problem.ends[one.messages[0]].tolist() for one in whole]
        mine = [one for one, pair in zip(whole, ends, strict=True) if pair == [origin, target]]
        assert sorted(chosen) == sorted(mine)


def test_a_step_that_is_not_there_is_refused() -> None:
    """Steps count from 0 to the last one."""
    for step in (-1, 1):
        with pytest.raises(InputError, match="1 step, so there is no step"):
            on_ring(RING, 1).expand_step(problem_of("ring:3", "AAS", STORED), step)


# -- translations that keep some channels


def along_cycle(table: SymmetricSchedule) -> SymmetricSchedule:
    """Return a table for a mesh of 2x3, with the translation along its cycle of all routers."""
    return replace(table, translations=np.array([[1, 2, 5, 0, 3, 4]], dtype=np.int32))


COPIES = [Row(0, 0, 0, DOWN), Row(1, 1, 0, DOWN), Row(2, 2, 0, DOWN), Row(0, 0, 0, UP), Row(1, 3, 0, UP)]
"""A tree along the cycle; the first channel of router 0 leads to router 3, the second to router 1."""


def test_copies_need_the_channels_that_they_use() -> None:
    """Trees along a cycle are valid where translations keep its channels; links across are not used."""
    problem = problem_of("mesh:2x3", "AAB")
    table = along_cycle(on_ring(COPIES, 3, 6))
    assert verify(problem, table) == []
    assert second_verdict(problem, table)
    assert not judge(problem, table.expand(problem))


def test_private_messages_and_half_duplex_need_all_channels() -> None:
    """Distances and shared links are those of the whole network, which translations must keep."""
    for problem in (problem_of("mesh:2x3", "AAS"), problem_of("mesh:2x3", "AAB", duplex="half")):
        (violation,) = verify(problem, along_cycle(on_ring(COPIES, 3, 6)))
        assert violation.rule == "not-symmetric"
        assert "do not keep the channels" in violation.text


def test_channels_that_translations_keep_join_all_routers() -> None:
    """Two rings side by side with other links between: the links of the rings alone do not reach all."""
    rings = [(r, r // 3 * 3 + (r + way) % 3) for r in range(6) for way in (1, 2)]
    made = Network("rings", 6, [*rings, (0, 3), (3, 0), (1, 5), (5, 1)])
    moves = np.array([[1, 2, 0, 4, 5, 3], [3, 4, 5, 0, 1, 2]], dtype=np.int32)
    (violation,) = verify(problem_of(made, "AAB"), replace(on_ring(COPIES, 3, 6), translations=moves))
    assert "do not join all routers" in violation.text


# -- networks with switches


def changed(table: SymmetricSchedule, column: str, at: int, value: int) -> SymmetricSchedule:
    """Return a table with one entry of a column changed."""
    values = getattr(table, column).copy()
    values[at] = value
    return replace(table, **{column: values})


@pytest.mark.parametrize(
    ("spec", "rules"),
    [("rails:128,8", PASSING), ("rails:1250,8", {}), ("kary-tree:10,3", {}), ("fat-tree:16", {"ports": 1})],
)
def test_large_networks_with_switches_are_accepted(spec: str, rules: dict[str, Any]) -> None:
    """Valid tables of networks of any size have no violations."""
    problem, table = path_case(spec, **rules)
    assert verify(problem, table) == []


def test_each_rule_with_switches() -> None:
    """A table that breaks one rule is refused with the name of that rule."""
    problem, table = path_case("rails:4,3", **PASSING)
    assert verify(problem, table) == []
    first = int(np.flatnonzero(table.senders == 0)[0])
    second = int(np.flatnonzero(table.senders > 0)[0])
    spoiled = {
        "channel-capacity": changed(table, "steps", first, int(table.steps[first]) + 1),
        "broken-path": changed(table, "run_kinds", 0, 1 - int(table.run_kinds[0])),
        "wrong-ends": changed(table, "receivers", 0, 12),
        "unknown-message": changed(table, "messages", 0, 0),
        "not-held": changed(table, "steps", second, 0),
        "never-delivered": changed(table, "messages", first, 1 + int(table.messages[first]) % 11),
        "empty-step": replace(table, num_steps=table.num_steps + 1),
    }
    for rule, each in spoiled.items():
        assert rule in {violation.rule for violation in verify(problem, each)}, rule


def test_ports_with_switches() -> None:
    """A table for two ports is refused where processors have one."""
    _, table = path_case("rails:4,3")
    rules = {violation.rule for violation in verify(problem_of("rails:4,3", "AAS", ports=1), table)}
    assert rules == {"port-capacity"}


def test_stored_messages_pass_switches_only() -> None:
    """Under store-and-forward a transfer over a router with a processor is refused, and over switches that hold."""
    _, whole = path_case("rails:4,3")
    problem = problem_of("rails:4,3", "AAS", **PASSING)
    assert {violation.rule for violation in verify(problem, whole)} == {"too-many-hops"}
    _, table = path_case("rails:4,3", **PASSING)
    holding = problem_of("rails:4,3", "AAS", switching="store-and-forward")
    assert "too-many-hops" in {violation.rule for violation in verify(holding, table)}


def test_symmetry_with_switches() -> None:
    """Permutations that do not keep channels, homes or each other, or leave channels in place, are refused."""
    problem, table = path_case("kary-tree:2,3")
    routers, processors = table.routers, table.translations
    assert routers is not None
    still = routers.copy()
    # Replicas of the middle level stay where they are: both channels from a lowest switch are then one's translates.
    still[2, 12:16] = np.arange(12, 16)
    crossed = routers.copy()
    crossed[0, 8:] = np.roll(routers[0, 8:], 1)
    turned = processors.copy()
    turned[0] = turned[0][::-1]
    spoiled = {
        "an entry for each router and processor": replace(table, routers=routers[:2]),
        "is not a permutation": replace(table, routers=np.zeros_like(routers)),
        "do not keep the channels": replace(table, routers=crossed),
        "takes a processor away": replace(table, translations=turned),
        "do not take processor 0": replace(table, routers=routers[:2], translations=processors[:2]),
    }
    for text, each in spoiled.items():
        assert any(text in violation.text for violation in verify(problem, each)), text
    assert {violation.rule for violation in verify(problem, replace(table, routers=still))} == {"not-symmetric"}


def test_other_problems_with_switches() -> None:
    """With switches a table has no meaning for copies, slots and half duplex."""
    _, table = path_case("rails:4,3")
    others: list[tuple[str, dict[str, Any]]]
    others = [("AAB", {}), ("AAS", {"switching": "tdm"}), ("AAS", {"duplex": "half"})]
    for kind, rules in others:
        with pytest.raises(InputError, match="or for alltoall with switches"):
            verify(problem_of("rails:4,3", kind, **rules), table)


@pytest.mark.parametrize(("spec", "rules"), [("rails:4,3", PASSING), ("kary-tree:2,2", {}), ("fat-tree:4", {})])
def test_spoiled_tables_with_switches(spec: str, rules: dict[str, Any]) -> None:
    """The judge of tables refuses what the judge of schedules refuses, and accepts what it accepts."""
    problem, table = path_case(spec, **rules)
    rng = np.random.default_rng(7)
    num_refused = 0
    for _ in range(80):
        column = ("steps", "steps", "run_kinds", "run_processors", "senders", "receivers")[int(rng.integers(6))]
        values = getattr(table, column)
        spoiled = changed(table, column, int(rng.integers(len(values))), int(rng.choice(values)))
        is_refused = bool(verify(problem, spoiled))
        schedule = spoiled.expand(problem)
        assert is_refused == bool(verify(problem, schedule)) == bool(judge(problem, schedule))
        num_refused += is_refused
    assert num_refused > 40
