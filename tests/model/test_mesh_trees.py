"""Trees along the lines of a mesh, written out whole, by step and by message."""

from __future__ import annotations

from itertools import chain, product

import pytest

from pavane.errors import InputError
from pavane.judge.rules import verify
from pavane.model.mesh_trees import MeshTrees
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule, Transfer
from pavane.solvers.tables.mesh_trees import line_trees
from tests.checker import judge
from tests.problems import problem_of


def tree_case(spec: str, kind: str = "AAB") -> tuple[Problem, MeshTrees]:
    """Return a collective on a mesh, and its trees along lines."""
    problem = problem_of(spec, kind)
    table = line_trees(problem)
    assert table is not None
    return problem, table


def written_out(problem: Problem, table: MeshTrees) -> Schedule:
    """Return the schedule of trees, from the definition: message by message, leg by leg, router by router."""
    places = list(product(*(range(size) for size in table.sizes)))
    number = {place: at for at, place in enumerate(places)}
    channel_of = {(tail, head): at for at, (tail, head) in enumerate(problem.network.channels.tolist())}
    span = table.num_steps // 2 if problem.pattern == "allreduce" else table.num_steps
    transfers = []
    for message, origin in enumerate(places):
        informed = [origin]
        for leg in range(len(table.sizes)):
            axis = (int(table.first_axes[message]) + leg) % len(table.sizes)
            for place in list(informed):
                for way, sign in enumerate((1, -1)):
                    step, tail = int(table.starts[leg, way, message]), place
                    while 0 <= tail[axis] + sign < table.sizes[axis]:
                        head = (*tail[:axis], tail[axis] + sign, *tail[axis + 1 :])
                        a, b = number[tail], number[head]
                        if problem.pattern != "reduction":
                            after = span if problem.pattern == "allreduce" else 0
                            transfers.append(Transfer(after + step, a, b, (channel_of[a, b],), (message,)))
                        if problem.pattern != "broadcast":
                            transfers.append(Transfer(span - 1 - step, b, a, (channel_of[b, a],), (message,)))
                        informed.append(head)
                        step, tail = step + 1, head
    return Schedule.from_transfers(transfers, table.num_steps)


@pytest.mark.parametrize("kind", ["AAB", "AAR", "ALLREDUCE"])
@pytest.mark.parametrize("spec", ["mesh:3x3", "mesh:3x5", "mesh:2x3x2", "mesh:1x3x3", "line:6"])
def test_steps_together_are_the_schedule(spec: str, kind: str) -> None:
    """The transfers of all steps, and of all messages, are those of the definition, which two judges accept."""
    problem, table = tree_case(spec, kind)
    whole = table.expand(problem)
    assert whole == written_out(problem, table)
    assert verify(problem, whole) == []
    assert judge(problem, whole) == set()
    assert table.num_transfers(problem) == len(whole)
    steps = (table.expand_step(problem, step) for step in range(table.num_steps))
    assert sorted(chain.from_iterable(steps)) == sorted(whole)
    routers = (table.transfers_of(problem, router) for router in range(table.num_routers))
    assert sorted(chain.from_iterable(routers)) == sorted(whole)


def test_what_does_not_fit_is_refused() -> None:
    """Steps that do not exist and schedules too large to write out are refused, and single steps of these are not."""
    problem, table = tree_case("mesh:25x25x25")
    with pytest.raises(InputError, match="has 244,125,000 transfers; at most 50,000,000 are written out"):
        table.expand(problem)
    with pytest.raises(InputError, match="so there is no step"):
        table.expand_step(problem, table.num_steps)
    with pytest.raises(InputError, match="they have no one target"):
        table.transfers_of(problem, 0, 1)
    step = table.expand_step(problem, 2_000)
    assert 0 < len(step) <= problem.network.num_channels
    assert len(set(step.path_channels.tolist())) == len(step)
    assert table.num_bytes < 2_000_000
    assert len(table) == 15_625
