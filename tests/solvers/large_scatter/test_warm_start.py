"""Warm start: never longer than the given schedule, and an interrupt reports the incumbent."""

from itertools import count
from typing import Any

import pytest

from pavane.judge.rules import verify
from pavane.model.arrays import Ints
from pavane.model.collectives import alltoall
from pavane.model.problem import Problem, Rules
from pavane.model.schedule import Schedule
from pavane.networks import network
from pavane.parallel.budget import Budget
from pavane.solvers.large_scatter.first_fit import FirstFit
from pavane.solvers.large_scatter.packing import Packing
from pavane.solvers.large_scatter.path_ejection import PathEjection
from pavane.solvers.large_scatter.scatter_arrays import PackedSchedule
from pavane.solvers.large_scatter.warm_start import WarmStart
from tests.problems import problem_of

QUICK = Packing(most_cells=20_000_000)


def test_starts_from_a_schedule() -> None:
    """Given a schedule it returns one that is no longer, and no shorter than requested."""
    problem = problem_of("mesh:4x4")
    start = FirstFit(repacks=0)(problem, None, 0, Budget()).schedule
    assert start is not None
    warm_start = WarmStart(start, start.num_steps - 1, packing=QUICK)
    assert warm_start.supports(problem)
    result = warm_start(problem, None, 0, Budget())
    assert result.num_steps in (start.num_steps, start.num_steps - 1)
    unchanged = warm_start(problem, None, 0, Budget.of(seconds=0)).schedule
    assert unchanged == start


def test_an_interrupt_reports_the_incumbent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C during path ejection reports the best schedule so far, and is raised again."""
    problem = problem_of("torus:5x5")
    start = FirstFit(repacks=0)(problem, None, 0, Budget()).schedule
    assert start is not None
    thorough = Packing(most_cells=500_000_000)
    short = thorough(problem, None, 0, Budget()).num_steps
    assert short is not None
    assert short < start.num_steps
    insert, num_calls = PathEjection.insert, count(1)

    def interrupted(self: PathEjection, draft: PackedSchedule, weights: Ints, budget: Budget, **limits: Any) -> bool:
        if next(num_calls) == 3:
            raise KeyboardInterrupt
        return insert(self, draft, weights, budget, **limits)

    monkeypatch.setattr(PathEjection, "insert", interrupted)
    kept: list[Schedule] = []
    with pytest.raises(KeyboardInterrupt):
        WarmStart(start, 1, packing=thorough)(problem, None, 0, Budget(on_schedule=kept.append))
    assert kept[0].num_steps < start.num_steps
    assert not verify(problem, kept[0])


def test_a_schedule_with_detours_is_not_used() -> None:
    """Steps are removed along shortest paths, so the search then starts from first fit."""
    made = network("ring:4")
    problem = Problem(made, alltoall(made), Rules(routing="any"))
    start = FirstFit(repacks=0)(problem, None, 0, Budget()).schedule
    assert start is not None
    longer = next(one for one in start if len(one.path) == 1)
    around, at = [], longer.sender
    while at != longer.receiver:
        at_next = (at - 1) % 4 if (longer.sender + 1) % 4 == longer.receiver else (at + 1) % 4
        around.append(made.channels.tolist().index([at, at_next]))
        at = at_next
    detoured = [one for one in start if one != longer]
    detoured.append(longer._replace(start=start.num_steps, path=tuple(around)))
    at_hand = Schedule.from_transfers(detoured)
    assert not verify(problem, at_hand)
    found = WarmStart(at_hand, start.num_steps, packing=QUICK)(problem, None, 0, Budget())
    assert found.num_steps == start.num_steps
