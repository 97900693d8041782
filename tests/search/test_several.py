"""Several collectives at once: known optima, both goals, and the same answer for the same seed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import count, pairwise
from typing import Any

import pytest

from pavane.errors import InputError
from pavane.judge.result import Result
from pavane.model.collectives import allgather, allreduce, alltoall, broadcast, reduce, reduce_scatter
from pavane.model.problem import Problem, Rules
from pavane.model.schedule import Schedule
from pavane.networks import network
from pavane.search import several, synthesis
from pavane.search.options import SearchOptions
from pavane.search.rip_up import rerouted
from pavane.search.synthesis import solve

QUICK = SearchOptions(evaluations=1000)


def test_rows_and_columns_at_once() -> None:
    """A corner of a mesh receives from its row and its column over two channels: three steps on 4x4, proven."""
    rows = [[4 * row + column for column in range(4)] for row in range(4)]
    columns = [list(column) for column in zip(*rows, strict=True)]
    result = solve(Problem(network("mesh:4x4"), tuple(map(allgather, rows + columns))), QUICK)
    assert (result.num_steps, result.status) == (3, "optimal")
    assert result.steps_of_each == (3,) * 8
    assert result.steps_alone == (3,) * 8


def test_private_collectives_as_one_problem() -> None:
    """Two alltoalls on a ring take what all their messages take over its halves."""
    ring = network("ring:6")
    result = solve(Problem(ring, (alltoall(ring), alltoall(ring))), QUICK)
    assert (result.num_steps, result.status) == (9, "optimal")


def test_kinds_are_mixed() -> None:
    """Allgather, allreduce, reduce-scatter, alltoall and a reduction run together, in fewer steps than in turn."""
    ring = network("ring:4")
    collectives = (allgather(ring), allreduce([0, 1]), alltoall([1, 3]), reduce_scatter([2, 3]), reduce([3, 0]))
    for rules in (Rules(switching="store-and-forward", ports=1), Rules(duplex="half")):
        result = solve(Problem(ring, collectives, rules), QUICK)
        assert result.num_steps is not None
        assert result.bound is not None
        assert result.bound.figure <= result.num_steps <= sum(result.steps_alone)
        assert max(result.steps_of_each) == result.num_steps


def test_goals() -> None:
    """The sum of completions is no larger under its goal, and a short collective comes first."""
    line = network("line:4")
    problem = Problem(line, (alltoall(line), broadcast([0, 3])))
    whole, each = (solve(problem, replace(QUICK, goal=goal)) for goal in ("makespan", "sum"))
    assert sum(each.steps_of_each) <= sum(whole.steps_of_each)
    assert each.steps_of_each[1] == 1
    with pytest.raises(InputError, match="makespan or sum"):
        SearchOptions(goal="fair")  # type: ignore[arg-type]


def test_same_seed_same_answer() -> None:
    """The seed decides, and nothing else."""
    ring = network("ring:6")
    problem = Problem(ring, (allgather(ring), alltoall([0, 2, 4])), Rules(ports=1))
    first, second = (solve(problem, SearchOptions(seed=3, evaluations=1000)) for _ in range(2))
    assert first.schedule == second.schedule


def test_trees_of_collectives_share_switches() -> None:
    """Where a switch copies, two broadcasts over links of capacity 1 take a step each."""
    problem = Problem(network("star:5"), (broadcast([1, 2, 3]), broadcast([1, 3, 4])), Rules(multicast=True))
    result = solve(problem, QUICK)
    assert (result.num_steps, result.status) == (2, "optimal")


def test_combining_is_bounded_by_each_alone() -> None:
    """Transfers of several messages are dispatched together, too."""
    ring = network("ring:4")
    problem = Problem(ring, (alltoall(ring), allgather([0, 1])), Rules(combining=True))
    result = solve(problem, QUICK)
    assert result.num_steps is not None
    assert all(a.figure >= b.figure for a, b in pairwise(result.bounds))


PROBLEM = Problem(network("ring:8"), (allgather(range(8)), alltoall(range(4)), alltoall(range(3, 8))))
"""A problem whose bound is not reached at once, so that schedules are changed."""


def failing(times: Iterable[int], error: type[BaseException], real: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that raises an error the given times that it is called, from 0."""
    calls = count()

    def call(*arguments: Any, **named: Any) -> Any:
        if next(calls) in times:
            raise error("broken")
        return real(*arguments, **named)

    return call


def test_a_solver_that_raises_is_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    """A collective whose first search fails is searched for on the whole network; a note names it."""
    monkeypatch.setattr(synthesis, "solve", failing([0], ZeroDivisionError, solve))
    result = solve(PROBLEM, QUICK)
    assert result.num_steps is not None
    assert [text for text in result.notes if text.startswith("collective 0 failed: ZeroDivisionError: broken")]


def test_a_move_that_raises_is_noted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Moves that fail leave the best schedule, and equal failures are one note."""
    monkeypatch.setattr(several, "rerouted", failing(range(999), RuntimeError, rerouted))
    result = solve(PROBLEM, QUICK)
    assert result.num_steps is not None
    assert len(result.notes) == 1
    assert result.notes[0].startswith("rip-up and reroute failed: RuntimeError: broken")


def test_a_schedule_that_the_judge_refuses_is_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    """A move that loses transfers is refused by the judge, and noted."""
    monkeypatch.setattr(several, "rerouted", lambda problem, schedule, rng: Schedule.from_transfers(list(schedule)[:1]))
    result = solve(PROBLEM, QUICK)
    assert result.num_steps is not None
    assert "never-delivered" in result.notes[0]


def test_nothing_works(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without any schedule the result has bounds and notes."""
    monkeypatch.setattr(synthesis, "solve", failing(range(999), RuntimeError, solve))
    result = solve(PROBLEM, QUICK)
    assert (result.num_steps, result.status) == (None, "unknown")
    assert result.bounds
    assert result.notes[-1].startswith("collectives 1, 2 failed: RuntimeError: broken")


@pytest.mark.parametrize(("name", "time"), [("rerouted", 3), ("solve", 3)])
def test_an_interrupt_leaves_the_best(monkeypatch: pytest.MonkeyPatch, name: str, time: int) -> None:
    """An interrupt after the first schedule of all ends the search with the best so far."""
    module = synthesis if name == "solve" else several
    monkeypatch.setattr(module, name, failing([time], KeyboardInterrupt, getattr(module, name)))
    result = solve(PROBLEM, QUICK)
    assert result.interrupted
    assert result.num_steps is not None
    assert result.bound is not None


def test_an_interrupt_before_the_first_schedule(monkeypatch: pytest.MonkeyPatch) -> None:
    """First fit then schedules the collectives that are left; a second interrupt is raised."""
    real = solve
    for times in ([1], [0, 1]):
        called: list[str] = []

        def call(*arguments: Any, method: str = "auto", called: list[str] = called) -> Result:
            called.append(method)
            return real(*arguments, method=method)

        monkeypatch.setattr(synthesis, "solve", failing(times, KeyboardInterrupt, call))
        if len(times) == 2:
            with pytest.raises(KeyboardInterrupt):
                solve(PROBLEM, QUICK)
        else:
            result = solve(PROBLEM, QUICK)
            assert result.interrupted
            assert result.num_steps is not None
            assert called == ["auto", "greedy", "greedy"]


def test_an_interrupted_search_of_one_collective_ends_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search of one collective that returns its best so far has heard the interrupt of the whole."""
    real, calls = solve, count()

    def call(*arguments: Any, **named: Any) -> Result:
        return real(*arguments, **named).amended(interrupted=next(calls) == 3)

    monkeypatch.setattr(synthesis, "solve", call)
    result = solve(PROBLEM, QUICK)
    assert result.interrupted
    assert next(calls) == 4


def test_the_number_of_steps() -> None:
    """A number of steps below the bound is impossible; one that is large enough ends the search."""
    bound = solve(PROBLEM, QUICK).bound
    assert bound is not None
    refused = solve(PROBLEM, QUICK, num_steps=bound.figure - 1)
    assert (refused.num_steps, refused.status, refused.steps_alone) == (None, "impossible", ())
    for goal in ("makespan", "sum"):
        result = solve(PROBLEM, replace(QUICK, goal=goal), num_steps=30)
        assert result.num_steps is not None
        assert result.requested_steps == 30
    with pytest.raises(InputError, match="at least one step"):
        solve(PROBLEM, num_steps=0)


def test_a_number_of_steps_that_is_not_found() -> None:
    """A schedule of more steps than requested is no answer."""
    problem = Problem(network("ring:8"), (allgather(range(8)), alltoall(range(0, 8, 2)), broadcast(range(8))))
    whole = solve(problem, QUICK)
    assert whole.status == "feasible"
    assert whole.bound is not None
    result = solve(problem, QUICK, num_steps=whole.bound.figure)
    assert (result.num_steps, result.status) == (None, "unknown")
