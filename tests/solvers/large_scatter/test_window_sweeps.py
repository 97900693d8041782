"""The last steps along planned paths: nobody meets, nobody is left out, and what cannot be is refused."""

from __future__ import annotations

import numpy as np
import pytest

from pavane.model.problem import Rules
from pavane.parallel.budget import Budget
from pavane.solvers.large_scatter.scatter_arrays import ScatterArrays
from pavane.solvers.large_scatter.window_sweeps import fit_planned_paths
from pavane.solvers.rerouting import Rerouting, ReroutingEffort, ground_of
from tests.problems import problem_of


def planned(text: str, detour: int) -> tuple[ScatterArrays, Rerouting]:
    """Plan paths with detours for all messages."""
    arrays = ScatterArrays.of(problem_of(text, "AAS", Rules(routing="any")))
    fabric, messages = arrays.fabric, arrays.messages
    ground = ground_of(fabric.wiring, fabric.distances, [fabric.unit_of])
    rerouting = Rerouting(ground, arrays.unit_capacity.astype(np.int64), messages.sources, messages.targets, detour)
    assert rerouting.plan(1, ReroutingEffort(30), np.random.default_rng(0), Budget()) is not None
    return arrays, rerouting


@pytest.mark.parametrize("text", ["kautz:2,3", "octagon", "random-regular:20,3,1"])
@pytest.mark.parametrize("detour", [0, 1, 2])
def test_no_two_paths_meet(text: str, detour: int) -> None:
    """In every step each channel is on one path at most, and every message has a step."""
    arrays, rerouting = planned(text, detour)
    pending_messages, num_steps = np.arange(arrays.num_messages), rerouting.most_load + 6
    steps = fit_planned_paths(arrays, rerouting, pending_messages, num_steps, np.random.default_rng(1), Budget())
    assert steps is not None
    assert steps.min() >= 0
    assert steps.max() < num_steps
    plan = rerouting.found()
    used = np.repeat(steps, plan.lengths) * arrays.num_units + plan.arcs
    assert len(np.unique(used)) == len(used)


def test_what_cannot_be() -> None:
    """A channel with more to carry than there are steps, and more steps than a word has bits, have no answer."""
    arrays, rerouting = planned("octagon", 1)
    pending_messages = np.arange(arrays.num_messages)
    for num_steps in (rerouting.most_load - 1, 65):
        assert (
            fit_planned_paths(arrays, rerouting, pending_messages, num_steps, np.random.default_rng(1), Budget())
            is None
        )
