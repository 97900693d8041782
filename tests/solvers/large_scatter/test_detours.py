"""The last steps along planned paths: nobody meets, nobody is left out, and what cannot be is refused."""

from __future__ import annotations

import numpy as np
import pytest

from pavane.model.problem import Rules
from pavane.parallel.budget import Budget
from pavane.solvers.large_scatter.detours import steps_along_plan
from pavane.solvers.large_scatter.scatter_arrays import Columns
from pavane.solvers.rerouting import Effort, Rerouting, ground_of
from tests.problems import problem_of


def planned(text: str, detour: int) -> tuple[Columns, Rerouting]:
    """Plan paths with detours for all messages."""
    columns = Columns.of(problem_of(text, "AAS", Rules(routing="any")))
    fabric, messages = columns.fabric, columns.messages
    ground = ground_of(fabric.wiring, fabric.distances, [fabric.unit_of])
    moving = Rerouting(ground, columns.unit_capacity.astype(np.int64), messages.sources, messages.targets, detour)
    assert moving.plan(1, Effort(30), np.random.default_rng(0), Budget()) is not None
    return columns, moving


@pytest.mark.parametrize("text", ["kautz:2,3", "octagon", "random-regular:20,3,1"])
@pytest.mark.parametrize("detour", [0, 1, 2])
def test_no_two_paths_meet(text: str, detour: int) -> None:
    """In every step each channel is on one path at most, and every message has a step."""
    columns, moving = planned(text, detour)
    who, num_steps = np.arange(columns.num_messages), moving.most_load + 6
    steps = steps_along_plan(columns, moving, who, num_steps, np.random.default_rng(1), Budget())
    assert steps is not None
    assert steps.min() >= 0
    assert steps.max() < num_steps
    plan = moving.found()
    used = np.repeat(steps, plan.lengths) * columns.num_units + plan.arcs
    assert len(np.unique(used)) == len(used)


def test_what_cannot_be() -> None:
    """A channel with more to carry than there are steps, and more steps than a word has bits, have no answer."""
    columns, moving = planned("octagon", 1)
    who = np.arange(columns.num_messages)
    for num_steps in (moving.most_load - 1, 65):
        assert steps_along_plan(columns, moving, who, num_steps, np.random.default_rng(1), Budget()) is None
