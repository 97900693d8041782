"""Shortening: never longer than the schedule at hand, and an interrupt keeps what was reached."""

from __future__ import annotations

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
from pavane.solvers.large_scatter.path_ejection import PartialSchedule, PathEjection
from pavane.solvers.large_scatter.scatter_arrays import PackedSchedule
from pavane.solvers.large_scatter.warm_start import WarmStart

QUICK = Packing(most_cells=20_000_000)


def test_starts_from_a_schedule() -> None:
    """Given a schedule it returns one that is no longer, and no shorter than is asked for."""
    problem = Problem(network("mesh:4x4"), alltoall(network("mesh:4x4")))
    start = FirstFit(repacks=0)(problem, None, 0, Budget()).schedule
    assert start is not None
    shortening = WarmStart(start, start.num_steps - 1, packing=QUICK)
    assert shortening.supports(problem)
    result = shortening(problem, None, 0, Budget())
    assert result.num_steps in (start.num_steps, start.num_steps - 1)
    unchanged = shortening(problem, None, 0, Budget.of(seconds=0)).schedule
    assert unchanged == start


def test_an_interrupt_keeps_what_was_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C while packing pushes hands over the best schedule so far, and goes on to the caller."""
    problem = Problem(network("torus:6x6"), alltoall(network("torus:6x6")))
    start = FirstFit(repacks=0)(problem, None, 0, Budget()).schedule
    assert start is not None
    thorough = Packing(most_cells=2_000_000_000)
    short = thorough(problem, None, 0, Budget()).num_steps
    assert short is not None
    assert short < start.num_steps
    insert, calls = PathEjection.insert, []

    def interrupted(self: PathEjection, draft: PartialSchedule, weights: Ints, budget: Budget) -> PackedSchedule | None:
        calls.append(draft)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return insert(self, draft, weights, budget)

    monkeypatch.setattr(PathEjection, "push", interrupted)
    kept: list[Schedule] = []
    with pytest.raises(KeyboardInterrupt):
        WarmStart(start, 1, packing=thorough)(problem, None, 0, Budget(keep=kept.append))
    assert kept[0].num_steps < start.num_steps
    assert not verify(problem, kept[0])


def test_a_schedule_with_detours_is_left_behind() -> None:
    """Steps are taken away along shortest paths, so the search begins from first fit then."""
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
    detoured.append(longer._replace(step=start.num_steps, path=tuple(around)))
    at_hand = Schedule.from_transfers(detoured)
    assert not verify(problem, at_hand)
    found = WarmStart(at_hand, start.num_steps, packing=QUICK)(problem, None, 0, Budget())
    assert found.num_steps == start.num_steps
