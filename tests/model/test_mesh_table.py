"""Mesh tables: exchanges along lines, written out whole, by step and by message."""

from __future__ import annotations

from itertools import chain

import pytest

from pavane.errors import InputError
from pavane.judge.rules import verify
from pavane.model.mesh_table import MeshTable
from pavane.model.problem import Problem
from pavane.solvers.tables.meshes import line_exchanges
from tests.checker import judge
from tests.problems import problem_of


def mesh_case(spec: str) -> tuple[Problem, MeshTable]:
    """Return all-to-all by store-and-forward on a mesh, and its table."""
    problem = problem_of(spec, "AAS", switching="store-and-forward")
    table = line_exchanges(problem)
    assert table is not None
    return problem, table


@pytest.mark.parametrize("spec", ["mesh:4x4", "mesh:3x5", "mesh:3x3x3", "line:6"])
def test_steps_together_are_the_schedule(spec: str) -> None:
    """The transfers of all steps, and those of all routers, are those of the schedule, which two judges accept."""
    problem, table = mesh_case(spec)
    whole = table.expand(problem)
    assert verify(problem, whole) == []
    assert judge(problem, whole) == set()
    assert table.num_transfers(problem) == len(whole)
    steps = (table.expand_step(problem, step) for step in range(table.num_steps))
    assert sorted(chain.from_iterable(steps)) == sorted(whole)
    routers = (table.transfers_of(problem, router) for router in range(table.num_routers))
    assert sorted(chain.from_iterable(routers)) == sorted(whole)


def test_one_message_runs_from_its_origin_to_its_target() -> None:
    """The transfers of one message lead hop by hop from its origin to its target, later and later."""
    problem, table = mesh_case("mesh:5x4")
    for origin, target in ((0, 19), (19, 0), (7, 6), (3, 15)):
        hops = table.transfers_of(problem, origin, target)
        assert [hops[0].sender, *(hop.receiver for hop in hops)][-1] == target
        assert [hop.receiver for hop in hops[:-1]] == [hop.sender for hop in hops[1:]]
        assert hops[0].sender == origin
        assert sorted({hop.step for hop in hops}) == [hop.step for hop in hops]


def test_what_does_not_fit_is_refused() -> None:
    """Steps that do not exist and schedules too large to write out are refused, and single steps of these are not."""
    problem, table = mesh_case("mesh:128x128")
    with pytest.raises(InputError, match="has 268,419,072 messages; at most 50,000,000 are written out"):
        table.expand(problem)
    with pytest.raises(InputError, match="so there is no step 524288"):
        table.expand_step(problem, 524288)
    step = table.expand_step(problem, 300_000)
    assert 0 < len(step) <= problem.network.num_channels
    assert len(set(step.path_channels.tolist())) == len(step)
