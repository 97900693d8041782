"""Symmetric schedules: the rows of one processor, translated to all, on networks with switches."""

from __future__ import annotations

from itertools import chain
from typing import Any

import numpy as np
import pytest

from pavane.errors import InputError
from pavane.judge.rules import verify
from pavane.model.mesh_table import MeshTable
from pavane.model.problem import Problem
from pavane.model.symmetric_schedule import SymmetricSchedule
from pavane.solvers.tables.switched import switched_paths
from tests.checker import judge
from tests.model.test_mesh_table import mesh_case
from tests.problems import problem_of

PASSING: dict[str, Any] = {"switching": "store-and-forward", "switches": "pass"}


def path_case(spec: str, **rules: Any) -> tuple[Problem, SymmetricSchedule]:
    """Return all-to-all on a network with switches, and its table."""
    problem = problem_of(spec, "AAS", **rules)
    table = switched_paths(problem)
    assert table is not None
    return problem, table


@pytest.mark.parametrize("spec", ["mesh:4x4", "mesh:3x5", "mesh:3x3x3", "line:6"])
def test_steps_of_a_mesh_together_are_the_schedule(spec: str) -> None:
    """So it is with the exchanges along the lines of a mesh, which are a table of another kind."""
    is_the_schedule(*mesh_case(spec))


@pytest.mark.parametrize(
    ("spec", "rules"), [("rails:5,3", {}), ("rails:5,3", PASSING), ("kary-tree:3,2", {}), ("fat-tree:4", {})]
)
def test_steps_together_are_the_schedule(spec: str, rules: dict[str, Any]) -> None:
    """The transfers of all steps, and those of all processors, are those of the schedule, which two judges accept."""
    is_the_schedule(*path_case(spec, **rules))


def is_the_schedule(problem: Problem, table: SymmetricSchedule | MeshTable) -> None:
    """Hold the parts of a table against the whole."""
    whole = table.expand(problem)
    assert verify(problem, whole) == []
    assert judge(problem, whole) == set()
    assert table.num_transfers(problem) == len(whole)
    steps = (table.expand_step(problem, step) for step in range(table.num_steps))
    assert sorted(chain.from_iterable(steps)) == sorted(whole)
    processors = (table.transfers_of(problem, processor) for processor in range(problem.network.num_processors))
    assert sorted(chain.from_iterable(processors)) == sorted(whole)


@pytest.mark.parametrize(
    ("case", "pairs"),
    [
        (path_case("rails:6,4", **PASSING), [(0, 23), (23, 0), (7, 6), (3, 15)]),
        (mesh_case("mesh:5x4"), [(0, 19), (19, 0), (7, 6), (3, 15)]),
    ],
    ids=["paths", "mesh"],
)
def test_one_message_runs_from_its_origin_to_its_target(
    case: tuple[Problem, SymmetricSchedule | MeshTable], pairs: list[tuple[int, int]]
) -> None:
    """The transfers of one message lead from its origin to its target, later and later."""
    problem, table = case
    for origin, target in pairs:
        hops = table.transfers_of(problem, origin, target)
        assert (hops[0].sender, hops[-1].receiver) == (origin, target)
        assert [hop.receiver for hop in hops[:-1]] == [hop.sender for hop in hops[1:]]
        assert sorted({hop.start for hop in hops}) == [hop.start for hop in hops]


def test_what_does_not_fit_is_refused() -> None:
    """Steps that do not exist and schedules too large to write out are refused, and single steps of these are not."""
    problem, table = path_case("rails:1250,8")
    with pytest.raises(InputError, match="has 99,990,000 messages, and schedules of at most 50,000,000 "):
        table.expand(problem)
    with pytest.raises(InputError, match="so there is no step 9992"):
        table.expand_step(problem, 9992)
    step = table.expand_step(problem, 5000)
    assert len(step) >= 10_000
    assert len(np.unique(step.path_channels)) == len(step.path_channels)
