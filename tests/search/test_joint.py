"""Several collectives at once: known optima, both goals, and the same answer for the same seed."""

from __future__ import annotations

from itertools import pairwise

import pytest

from pavane.errors import InputError
from pavane.model.collectives import allgather, allreduce, alltoall, broadcast, reduce, reduce_scatter
from pavane.model.joint import JointProblem
from pavane.model.problem import Rules
from pavane.networks import network
from pavane.search.joint import solve_joint
from pavane.search.options import SearchOptions

QUICK = SearchOptions(evaluations=2_000)


def test_rows_and_columns_at_once() -> None:
    """A corner of a mesh receives from its row and its column over two channels: three steps on 4x4, proven."""
    rows = [[4 * row + column for column in range(4)] for row in range(4)]
    columns = [list(column) for column in zip(*rows, strict=True)]
    result = solve_joint(JointProblem(network("mesh:4x4"), tuple(map(allgather, rows + columns))), QUICK)
    assert (result.num_steps, result.status) == (3, "optimal")
    assert result.steps == (3,) * 8
    assert result.steps_alone == (3,) * 8


def test_private_collectives_as_one_problem() -> None:
    """Two alltoalls on a ring take what all their messages take over its halves."""
    ring = network("ring:6")
    result = solve_joint(JointProblem(ring, (alltoall(ring), alltoall(ring))), QUICK)
    assert (result.num_steps, result.status) == (9, "optimal")


def test_kinds_are_mixed() -> None:
    """Allgather, allreduce, reduce-scatter, alltoall and a reduction run together, in fewer steps than in turn."""
    ring = network("ring:4")
    collectives = (allgather(ring), allreduce([0, 1]), alltoall([1, 3]), reduce_scatter([2, 3]), reduce([3, 0]))
    for rules in (Rules(switching="store-and-forward", ports=1), Rules(duplex="half")):
        result = solve_joint(JointProblem(ring, collectives, rules), QUICK)
        assert result.num_steps is not None
        assert result.bound is not None
        assert result.bound.steps <= result.num_steps <= sum(result.steps_alone)
        assert max(result.steps) == result.num_steps


def test_goals() -> None:
    """The sum of completions is no larger under its goal, and a short collective comes first."""
    line = network("line:4")
    problem = JointProblem(line, (alltoall(line), broadcast([0, 3])))
    whole, each = (solve_joint(problem, QUICK, goal=goal) for goal in ("makespan", "sum"))
    assert sum(each.steps) <= sum(whole.steps)
    assert each.steps[1] == 1
    with pytest.raises(InputError, match="makespan or sum"):
        solve_joint(problem, goal="fair")  # type: ignore[arg-type]


def test_same_seed_same_answer() -> None:
    """The seed decides, and nothing else."""
    ring = network("ring:6")
    problem = JointProblem(ring, (allgather(ring), alltoall([0, 2, 4])), Rules(ports=1))
    first, second = (solve_joint(problem, SearchOptions(seed=3, evaluations=2_000)) for _ in range(2))
    assert first.schedule == second.schedule


def test_trees_of_collectives_share_switches() -> None:
    """Where a switch copies, two broadcasts over links of capacity 1 take a step each."""
    problem = JointProblem(network("star:5"), (broadcast([1, 2, 3]), broadcast([1, 3, 4])), Rules(multicast=True))
    result = solve_joint(problem, QUICK)
    assert (result.num_steps, result.status) == (2, "optimal")


def test_combining_is_bounded_by_each_alone() -> None:
    """Transfers of several messages are dispatched together, too."""
    ring = network("ring:4")
    problem = JointProblem(ring, (alltoall(ring), allgather([0, 1])), Rules(combining=True))
    result = solve_joint(problem, QUICK)
    assert result.num_steps is not None
    assert all(a.steps >= b.steps for a, b in pairwise(result.bounds))
