"""The schedule for a size, of all ways to carry out a phase."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from pavane.campaign.workload_model import ways
from pavane.campaign.workload_model.choices import is_usable, solve
from pavane.campaign.workload_model.tasks import Variant, WorkloadTask
from pavane.campaign.workload_model.ways import WorkloadSearch
from pavane.judge.result import Result
from pavane.model.messages import Collective
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.parallel.budget import Budget
from pavane.timing import Costs

COSTS = Costs(startup=1e-6, per_byte=1e-9)
LINE = network("line:4")


def broadcasts(*groups: tuple[int, ...]) -> tuple[Problem, ...]:
    """Return a broadcast from the first member of each group."""
    return tuple(Problem(LINE, Collective("OAB", group[:1], group[1:])) for group in groups)


def test_groups_are_carried_out_side_by_side() -> None:
    """Two broadcasts at different ends take one step, and the slower one is the bound."""
    solved = solve(
        WorkloadTask((Variant("", broadcasts((0, 1), (3, 2))),)), COSTS, [1000], WorkloadSearch(), Budget.of(3600)
    )
    best = solved.best(COSTS, 1000)
    assert best is not None
    assert (best.about.num_steps, len(best.schedule), best.num_groups) == (1, 2, 2)
    assert str(best) == "1 step, 2 groups side by side"
    assert solved.bound(COSTS, 1000) == best.seconds(COSTS)


def test_the_fastest_variant_is_chosen() -> None:
    """Where the groups are in each other's way they wait, and the slower of two ways is not taken."""
    waiting = Variant("waiting", broadcasts((0, 3), (1, 2)))
    alone = Variant("alone", broadcasts((0, 1)), is_bounded=False)
    solved = solve(WorkloadTask((waiting, alone)), COSTS, [1000], WorkloadSearch(), Budget.of(3600))
    best = solved.best(COSTS, 1000)
    assert best is not None
    assert best.how == "alone"


def test_what_the_judge_refuses_is_not_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    """A variant whose groups cannot be dispatched together counts as one without a schedule; others are chosen."""
    monkeypatch.setattr("pavane.campaign.workload_model.choices.verify_joint", lambda *_: ["refused"])
    groups = Variant("groups", broadcasts((0, 1), (3, 2)))
    alone = Variant("alone", broadcasts((0, 1)), is_bounded=False)
    assert solve(WorkloadTask((groups,)), COSTS, [1000], WorkloadSearch(), Budget.of(3600)).best(COSTS, 1000) is None
    best = solve(WorkloadTask((groups, alone)), COSTS, [1000], WorkloadSearch(), Budget.of(3600)).best(COSTS, 1000)
    assert best is not None
    assert best.how == "alone"


def test_parts_smaller_than_a_byte_are_no_way() -> None:
    """8 bytes in 16 parts are not sent, unless there is no other way."""
    parts, whole = Variant("in parts", broadcasts((0, 1)), 1 / 16), Variant("whole", broadcasts((0, 1)))
    assert not is_usable(WorkloadTask((parts, whole)), parts, 8)
    assert is_usable(WorkloadTask((parts, whole)), parts, 16)
    assert is_usable(WorkloadTask((parts,)), parts, 8)
    solved = solve(WorkloadTask((parts, whole)), COSTS, [8], WorkloadSearch(), Budget.of(3600))
    assert [len(some) for some in solved.ways] == [0, 1]


def test_an_interrupt_keeps_the_variants_that_are_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """A variant whose last search was ended counts with what it has; one with groups left does not, nor one after."""

    def ended(*_: Any, **__: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(ways, "pareto_front", ended)
    gather = Problem(LINE, "gather", Rules(ports=1))
    first, groups = Variant("first", (gather,)), Variant("groups", (gather, gather))
    solved = solve(WorkloadTask((first, groups)), COSTS, [1], WorkloadSearch(), Budget.of(3600))
    assert solved.interrupted
    assert [variant.how for variant in solved.task.variants] == ["first"]
    best = solved.best(COSTS, 1)
    assert best is not None
    assert best.how == "first"
    with pytest.raises(KeyboardInterrupt):
        solve(WorkloadTask((groups, first)), COSTS, [1], WorkloadSearch(), Budget.of(3600))


def test_where_no_schedule_is_found_there_is_no_choice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every kind of schedule is searched for then; what is proven stands all the same."""
    asked: list[bool] = []

    def nothing(problem: Problem, *_: Any, **__: Any) -> Result:
        asked.append(problem.rules.combining)
        return Result(problem, None)

    def no_front(problem: Problem, *_: Any, **__: Any) -> Any:
        asked.append(problem.rules.combining)
        return SimpleNamespace(points=(), interrupted=False)

    monkeypatch.setattr(ways, "solve", nothing)
    monkeypatch.setattr(ways, "pareto_front", no_front)
    gather = Problem(LINE, "gather", Rules(ports=1))
    solved = solve(WorkloadTask((Variant("", (gather,)),)), COSTS, [1000], WorkloadSearch(), Budget.of(3600))
    assert set(asked) == {False, True}
    assert solved.best(COSTS, 1000) is None
    assert solved.bound(COSTS, 1000) > 0
