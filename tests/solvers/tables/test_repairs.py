"""Repair of tables: what lost channels cut is sent after the table."""

from __future__ import annotations

import numpy as np
import pytest

from pavane import repair
from pavane.errors import InputError
from pavane.judge.rules import verify
from pavane.model.problem import Rules
from pavane.model.repaired_table import num_crossings
from pavane.search.tables import solve_by_table
from pavane.solvers.tables import repairs
from tests.checker import judge
from tests.problems import problem_of
from tests.repair_cases import repaired

STORED = Rules("store-and-forward")


@pytest.mark.parametrize("kind", ["AAS", "AAB"])
@pytest.mark.parametrize(
    ("spec", "rules"),
    [
        ("torus:4x4", Rules()),
        ("torus:4x4", STORED),
        ("torus:3x5", Rules("store-and-forward", ports=1)),
        ("hypercube:4", Rules(ports=1)),
        ("star-graph:4", Rules("store-and-forward", ports=2)),
        ("ring:9", Rules("store-and-forward", duplex="half")),
        ("cube-connected-cycles:3", STORED),
    ],
)
def test_both_judges_accept(spec: str, kind: str, rules: Rules) -> None:
    """With a link lost, and with one channel lost, the schedule that is written out is valid."""
    problem = problem_of(spec, kind, rules)
    if solve_by_table(problem) is None:
        return
    for lost in ([0, int(problem.network.opposite[0])], [5]):
        left, table = repaired(problem, lost)
        assert not judge(left, table.expand(left))


def test_counts_of_a_torus() -> None:
    """A torus at its bound uses every channel in every step: a lost link cuts twice as many messages as steps."""
    problem = problem_of("torus:6x6", "AAS", Rules())
    found = solve_by_table(problem)
    assert found is not None
    lost = np.array([0, problem.network.opposite[0]], dtype=np.int32)
    assert num_crossings(found.table, problem.network, lost) == 2 * 27  # type: ignore[arg-type]
    _, table = repaired(problem, lost.tolist())
    assert table.num_listed == 54
    assert table.table.num_steps == 27


def test_messages_to_one_router_come_over_all_channels_that_it_has_left() -> None:
    """On a hypercube all cut messages end at the ends of the lost link, and share their other channels equally."""
    problem = problem_of("hypercube:6", "AAS")
    found = solve_by_table(problem)
    assert found is not None
    assert found.table is not None
    result = repair(problem, found.table, [0]).result
    assert result.num_steps is not None
    assert result.table is not None
    assert 32 + 7 <= result.num_steps <= 32 + 8  # 32 messages over 5 channels
    assert not verify(result.problem, result.table.expand(result.problem))


def test_an_allgather_is_at_its_bound() -> None:
    """The router next to a lost channel receives over three others: an allgather on 6x6 routers takes 12 steps."""
    problem = problem_of("torus:6x6", "AAB", Rules())
    found = solve_by_table(problem)
    assert found is not None
    assert found.table is not None
    result = repair(problem, found.table, [0, int(problem.network.opposite[0])]).result
    assert (result.num_steps, result.status) == (12, "optimal")


@pytest.mark.parametrize("kind", ["AAS", "AAB"])
@pytest.mark.parametrize("rules", [Rules(), STORED, Rules("store-and-forward", ports=2)])
def test_compiled_and_interpreted_agree(kind: str, rules: Rules, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compiled kernels place everything where interpreted ones do."""
    problem, tables = problem_of("torus:6x6", kind, rules), []
    for most in (0, 10**6):
        monkeypatch.setattr(repairs, "MOST_INTERPRETED", most)
        tables.append(repaired(problem, [0, 7])[1])
    for name in ("steps", "tails", "messages", "run_offsets", "run_kinds", "run_lengths"):
        assert np.array_equal(*(getattr(table, name) for table in tables))


def test_steps_are_added_when_words_are_used_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Packing begins with few steps, and has as many as it needs."""
    problem = problem_of("ring:24", "AAS", Rules())
    usual = repaired(problem, [0, 1])[1]
    monkeypatch.setattr(repairs, "FIRST_WORDS", 1)
    left, table = repaired(problem, [0, 1])
    assert table.num_steps == usual.num_steps > table.table.num_steps + 64
    assert not judge(left, table.expand(left))


def test_too_many_messages(monkeypatch: pytest.MonkeyPatch) -> None:
    """More messages than can be listed are counted, and refused in one line."""
    problem = problem_of("torus:6x6", "AAS", Rules())
    found = solve_by_table(problem)
    assert found is not None
    monkeypatch.setattr(repairs, "MOST_MESSAGES", 53)
    with pytest.raises(InputError, match=r"the lost channels cut 54 messages of AAS on torus:6x6 less .*at most 53"):
        repair(problem, found.table, [0, 1])  # type: ignore[arg-type]
