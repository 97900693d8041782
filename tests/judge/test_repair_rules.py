"""Repaired tables: the smallest that break each rule, and spoiled ones beside a second judge."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pavane.errors import InputError
from pavane.judge import repair_rules
from pavane.judge.rules import verify
from pavane.model.faults import lost_channels
from pavane.model.mesh_trees import MeshTrees
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.model.repaired_table import RepairedTable, read_forwards
from pavane.search.repair import repaired_by_table
from pavane.search.tables import solve_by_table
from pavane.solvers.tables.mesh_trees import trees_of_mesh
from pavane.solvers.tables.repairs import repaired_table
from tests.checker import judge
from tests.problems import problem_of
from tests.repair_cases import EMPTIED, is_valid_repair, random_repair, second_writing, spoiled_repair

SEEDS = st.integers(0, 2**32 - 1)
STORED = Rules("store-and-forward")


def repaired(problem: Problem, lost: list[int]) -> tuple[Problem, RepairedTable]:
    """Return a problem without some channels, and its repaired table."""
    found = solve_by_table(problem)
    assert found is not None
    left = Problem(problem.network.without(channels=lost), problem.collective, problem.rules)
    return left, repaired_table(left, found.table, problem.network, np.array(lost, dtype=np.int32))  # type: ignore[arg-type]


def repaired_trees(spec: str, kind: str, link: tuple[int, int]) -> tuple[Problem, RepairedTable]:
    """Return a collective on a mesh without a link, and its trees along lines, repaired."""
    whole = problem_of(spec, kind)
    left = replace(whole, network=whole.network.without(links=[link]))
    trees = trees_of_mesh(read_forwards(whole))
    assert trees is not None
    lost = np.array(lost_channels(whole.network, left.network), dtype=np.int32)
    return left, repaired_table(left, trees, whole.network, lost)


# -- both judges


@given(SEEDS)
def test_repaired_tables_are_accepted(seed: int) -> None:
    """On any network with translations, under all rules, both judges accept it, unless a step becomes empty."""
    case = random_repair(random.Random(seed))
    if case is not None:
        problem, table = case
        violations = verify(problem, table)
        is_emptied = bool(violations) and all(EMPTIED in one.text for one in violations)
        assert violations == [] or is_emptied
        assert is_valid_repair(problem, table) != is_emptied


@given(SEEDS)
def test_no_spoiled_repair_is_accepted(seed: int) -> None:
    """A spoiled one is accepted only if the second judge accepts its schedule."""
    rng = random.Random(seed)
    case = random_repair(rng)
    for _ in range(3 if case is not None else 0):
        assert case is not None
        wrong = spoiled_repair(case[1], rng)
        if not verify(case[0], wrong):
            assert is_valid_repair(case[0], wrong)


def test_five_hundred_spoiled_repairs() -> None:
    """Of tables of makers, most spoiled repairs are refused, and all others are valid for the second judge."""
    rng, counts = random.Random(36), Counter[str]()
    cases = [
        repaired(problem_of(spec, kind, rules), [0, 1])
        for spec in ("torus:3x3", "hypercube:3", "ring:6")
        for kind in ("AAS", "AAB")
        for rules in (Rules(), STORED)
    ]
    cases += [
        repaired_trees(spec, kind, (0, 1))
        for spec in ("mesh:3x3", "mesh:3x2x2")
        for kind in ("AAB", "AAR", "ALLREDUCE")
    ]
    for number in range(500):
        problem, table = cases[number % len(cases)]
        wrong = spoiled_repair(table, rng)
        is_refused = bool(verify(problem, wrong))
        assert is_refused or is_valid_repair(problem, wrong)
        counts["refused" if is_refused else "harmless"] += 1
    assert counts["refused"] > 400


@given(SEEDS)
def test_all_ways_to_write_it_out_agree(seed: int) -> None:
    """The whole schedule, its single steps, the transfers of single routers and the second judge's are the same."""
    case = random_repair(random.Random(seed))
    if case is None:
        return
    problem, table = case
    plain = sorted(second_writing(problem, table))
    whole = table.expand(problem)
    assert sorted(whole) == plain
    assert len(whole) == table.num_transfers(problem)
    assert sorted(one for step in range(table.num_steps) for one in table.expand_step(problem, step)) == plain
    by_routers = [one for router in range(table.num_routers) for one in table.transfers_of(problem, router)]
    assert sorted(by_routers) == plain


# -- single rules

RING = problem_of("ring:6", "AAS", Rules())
COPIES = problem_of("torus:4x4", "AAB", Rules())


def _rules(problem: Problem, table: RepairedTable) -> set[str]:
    return {one.rule for one in verify(problem, table)}


@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        ({"num_steps": 99}, "empty-step"),
        ({"num_steps": 7}, "outside-period"),
        ({"steps": 0}, "outside-period"),
        ({"steps": -1}, "broken-path"),
        ({"tails": 99}, "broken-path"),
        ({"run_kinds": 9}, "broken-path"),
        ({"run_lengths": 0}, "broken-path"),
        ({"messages": 999}, "unknown-message"),
        ({"lost": 999}, "broken-path"),
        ({"lost": 2}, "broken-path"),
    ],
)
def test_numbers(changes: dict[str, int], rule: str) -> None:
    """Numbers that do not exist, steps within the table and other lost channels are refused."""
    problem, table = repaired(RING, [0])
    for name, value in changes.items():
        column: Any = value
        if name != "num_steps":
            column = np.array([value, *getattr(table, name)[1:].tolist()], dtype=np.int64)
        table = replace(table, **{name: column})
    assert rule in _rules(problem, table)


def test_columns_of_one_length() -> None:
    """Columns that are not as long as the list, or not of whole numbers, are refused."""
    problem, table = repaired(RING, [0])
    assert _rules(problem, replace(table, tails=table.tails[1:])) == {"broken-path"}
    assert _rules(problem, replace(table, steps=table.steps.astype(float))) == {"broken-path"}


def test_whatever_crosses_is_listed() -> None:
    """A list without one of the messages that a lost channel cuts is refused."""
    for whole in (RING, COPIES):
        problem, table = repaired(whole, [0])
        rng = random.Random(1)
        while (less := spoiled_repair(table, rng)).num_listed == table.num_listed:
            pass
        assert "broken-path" in _rules(problem, less) or "not-held" in _rules(problem, less)


def test_copies_are_held() -> None:
    """A copy that is sent on in the step in which it comes is refused."""
    problem, table = repaired(COPIES, [0, 1])
    at = int(np.argmax(table.steps))
    early = np.where(np.arange(table.num_listed) == at, table.table.num_steps, table.steps)
    late = replace(table, steps=np.full_like(table.steps, table.table.num_steps), num_steps=table.table.num_steps + 1)
    assert _rules(problem, late) & {"not-held", "channel-capacity"}
    assert _rules(problem, replace(table, steps=early))


def test_loads_of_the_list() -> None:
    """Two listed transfers on one channel, one link or one port in a step are refused, each by its rule."""
    for kind, rules, rule in (
        ("AAS", Rules(), "channel-capacity"),
        ("AAB", Rules(duplex="half"), "half-duplex"),
        ("AAS", Rules("store-and-forward", ports=1), "port-capacity"),
    ):
        problem, table = repaired(problem_of("ring:6", kind, rules), [0])
        assert verify(problem, table) == []
        first = table.table.num_steps
        last = first + int(table.spans(problem).max())
        assert rule in _rules(problem, replace(table, steps=np.full_like(table.steps, first), num_steps=last))


def test_loads_are_counted_some_steps_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """However few hops are counted together, the verdict is the same."""
    rng = random.Random(3)
    cases = [repaired(problem_of("ring:8", "AAS", rules), [0]) for rules in (Rules(), STORED)]
    tables = [(problem, spoiled_repair(table, rng)) for problem, table in cases for _ in range(20)]
    usual = [verify(problem, table) for problem, table in (*cases, *tables)]
    monkeypatch.setattr(repair_rules, "MOST_HOPS_COUNTED", 1)
    assert [verify(problem, table) for problem, table in (*cases, *tables)] == usual
    assert {"channel-capacity"} <= {one.rule for found in usual for one in found}


def test_half_duplex_links_stay_what_they_are() -> None:
    """After the loss of one of several parallel channels others share a link: then the table does not hold."""
    ring = Network("double", 3, [(a, (a + way) % 3) for a in range(3) for way in (1, 1, -1, -1)])
    problem = Problem(ring, "AAB", Rules(duplex="half"))
    whole = solve_by_table(problem)
    assert whole is not None
    left = Problem(ring.without(channels=[0]), "AAB", problem.rules)
    with pytest.raises(InputError, match="under half duplex other parallel channels"):
        repaired_table(left, whole.table, ring, np.array([0], dtype=np.int32))  # type: ignore[arg-type]
    _, table = repaired(replace(problem, rules=Rules()), [0])
    assert _rules(left, table) == {"broken-path"}


def test_kinds_of_problems() -> None:
    """Slots and other collectives are refused."""
    problem, table = repaired(COPIES, [0])
    for rules, kind in ((Rules("tdm"), "AAS"), (Rules(), "AOR"), (Rules(), "OAB")):
        with pytest.raises(InputError, match="a repaired table is for alltoall, allgather, reduce-scatter and all"):
            verify(problem_of("torus:4x4", kind, rules), replace(table))
    assert problem.network.num_channels == 63


# -- trees along lines


def _changed(table: RepairedTable, at: int, **values: int) -> RepairedTable:
    """Return a repaired table with other numbers of one listed transfer."""
    columns = {name: getattr(table, name).copy() for name in values}
    for name, value in values.items():
        columns[name][at] = value
    return replace(table, **columns)


def _less(table: RepairedTable, at: int) -> RepairedTable:
    """Return a repaired table of copies without one listed transfer."""
    names = ("steps", "tails", "messages", "run_kinds", "run_lengths")
    columns: dict[str, Any] = {name: np.delete(getattr(table, name), at) for name in names}
    return replace(table, run_offsets=table.run_offsets[:-1], **columns)


def test_branches_behind_a_lost_channel() -> None:
    """On a line of 4 the loss of one way of the middle link has no way around; on 2x2 routers it has."""
    problem, table = repaired_trees("mesh:2x2", "AAB", (0, 1))
    assert verify(problem, table) == []
    # Messages 0 and 1 cross the link themselves, and 2 and 3 do where their first leg is along the other dimension.
    crossed = {(0, 1), (1, 0), *((m, m - 2 ^ 1) for m in (2, 3) if table.table.first_axes[m] == 0)}  # type: ignore[union-attr]
    listed = {tuple(divmod(number, 4)) for number in table.deliveries.tolist()}
    behind = {(m, router) for m in (0, 1) if table.table.first_axes[m] == 1 for router in (3 - m,)}  # type: ignore[union-attr]
    assert listed == crossed | behind


def test_each_rule_of_trees() -> None:
    """A list that leaves a branch out, lists too little of one, leaves the mesh or empties a step is refused."""
    problem, table = repaired_trees("mesh:3x3", "AAB", (0, 1))
    assert verify(problem, table) == []
    lost = {tuple(ends) for ends in table.whole.channels[table.lost].tolist()}
    texts = set()
    for at in range(table.num_listed):
        found = verify(problem, _less(table, at))
        assert found
        texts |= {violation.text.partition(": ")[2] for violation in found}
    assert {f"it comes over the lost channel {tail}>{head}, and is not listed" for tail, head in lost} <= texts
    assert "by the trees its receiver passes its message on before it comes" in texts
    off = next(
        (at, kind)
        for at, tail in enumerate(table.tails.tolist())
        for kind in range(4)
        if table.kinds.heads[tail, kind] < 0
    )
    found = verify(problem, _changed(table, off[0], run_kinds=off[1]))
    assert [violation.text.partition(": ")[2] for violation in found] == [
        "its path has a lost channel, or leaves the mesh"
    ]
    own = next(
        (at, message)
        for at, tail in enumerate(table.tails.tolist())
        for message in [int(table.kinds.heads[tail, table.run_kinds[at]])]
    )
    assert "delivered-twice" in _rules(problem, _changed(table, own[0], messages=own[1]))


def test_no_step_of_the_trees_becomes_empty() -> None:
    """Where lost channels take away all that a step of the trees does, both judges refuse it."""
    problem, table = repaired_trees("mesh:2x2", "AAB", (0, 1))
    trees = table.table
    assert isinstance(trees, MeshTrees)
    # All that is delivered is listed: nothing is left in any step of the trees.
    everything = [m * 4 + router for m in range(4) for router in range(4) if m != router]
    numbers = np.array(everything, dtype=np.int64)
    ways = {(int(t), int(h)): k for t in range(4) for k, h in enumerate(table.kinds.heads[t].tolist()) if h >= 0}
    around = [0, 2, 3, 1]
    tails, steps = [], []
    for message, router in (divmod(number, 4) for number in everything):
        gap = around.index(router) - around.index(message)
        tails.append(around[around.index(router) - (1 if gap > 0 else -1)])
        steps.append(trees.num_steps + 3 * message + abs(gap) - 1)
    kinds = [ways[tail, number % 4] for tail, number in zip(tails, everything, strict=True)]
    full = replace(
        table,
        num_steps=max(steps) + 1,
        steps=np.array(steps, dtype=np.int64),
        tails=np.array(tails, dtype=np.int32),
        messages=numbers // 4,
        run_offsets=np.arange(len(everything) + 1),
        run_kinds=np.array(kinds, dtype=np.int32),
        run_lengths=np.ones(len(everything), dtype=np.int32),
    )
    found = verify(problem, full, most=1000)
    emptied = [violation.text for violation in found if EMPTIED in violation.text]
    assert emptied == [f"{EMPTIED} {step}" for step in range(trees.num_steps)]
    assert not is_valid_repair(problem, full)


# -- sums


@pytest.mark.parametrize("spec", ["torus:4x4", "hypercube:3", "mesh:3x3", "mesh:3x2x2"])
@pytest.mark.parametrize("kind", ["AAR", "ALLREDUCE"])
def test_sums_are_read_backwards(spec: str, kind: str) -> None:
    """The allgather that is read backwards is a reduce-scatter for three judges, also step by step."""
    whole = problem_of(spec, kind)
    left = replace(whole, network=whole.network.without(links=[(0, 1)]))
    result = repaired_by_table(left, whole)
    assert result is not None
    table = result.table
    assert isinstance(table, RepairedTable)
    schedule = table.expand(left)
    assert verify(left, schedule) == []
    assert not judge(left, schedule)
    assert schedule == second_writing(left, table)
    steps = [one for step in range(table.num_steps) for one in table.expand_step(left, step)]
    assert sorted(steps) == sorted(schedule)


def test_sums_need_opposite_channels() -> None:
    """After the loss of one channel of a link sums cannot come back over it; an odd number of steps is no allreduce."""
    for kind in ("AAR", "ALLREDUCE"):
        problem, table = repaired_trees("mesh:3x3", kind, (0, 1))
        assert verify(problem, table) == []
        more = replace(table, num_steps=table.num_steps + 1)
        assert _rules(problem, more) == {"outside-period" if kind == "ALLREDUCE" else "empty-step"}
        one_way = replace(problem, network=table.whole.without(channels=[0]))
        assert "broken-path" in _rules(one_way, replace(table, lost=table.lost[:1]))
        with pytest.raises(InputError, match="lose both channels of a link"):
            repaired_table(one_way, table.table, table.whole, np.array([0], dtype=np.int32))
