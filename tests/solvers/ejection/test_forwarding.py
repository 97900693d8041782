"""Steps for planned paths, one step after the other."""

from typing import Any

import numpy as np
import pytest

from pavane.judge.rules import verify
from pavane.parallel.budget import Budget
from pavane.solvers.ejection.forwarding import forward
from pavane.solvers.ejection.hop_assignment import HopAssignment, planned_hops
from pavane.solvers.ejection.hop_network import HopNetwork
from pavane.solvers.ejection.kernels.forwarding import Journeys
from pavane.solvers.rerouting import ReroutingEffort, RoutePlan
from tests.problems import problem_of


def planned(spec: str, num_steps: int, **rules: Any) -> tuple[HopNetwork, RoutePlan, Journeys]:
    """Plan all-to-all scatter and carry the plan out as far as it comes."""
    network = HopNetwork.of(problem_of(spec, "AAS", None, switching="store-and-forward", **rules))
    rng = np.random.default_rng(0)
    plan = network.rerouting(0).plan(num_steps, ReroutingEffort(noise=0.9), rng, Budget())
    assert plan is not None
    return network, plan, forward(network, plan, num_steps, rng, Budget())


@pytest.mark.parametrize(
    ("spec", "num_steps", "rules"),
    [
        ("mesh:4x4", 43, {"ports": 1}),
        ("mesh:4x4", 17, {}),
        ("fat-octagon:2", 60, {"ports": 2}),
        ("dgx-a100:2", 9, {"switches": "pass"}),
        ("ring:6", 10, {"duplex": "half"}),
    ],
)
def test_all_arrive_in_time(spec: str, num_steps: int, rules: dict[str, Any]) -> None:
    """Where there is room all messages arrive, hop by hop, and no unit carries more than it can."""
    network, plan, journeys = planned(spec, num_steps, **rules)
    assert journeys.steps.min() >= 0
    assert journeys.steps.max() < num_steps
    messages = np.repeat(np.arange(len(plan.lengths)), plan.lengths)
    schedule = network.schedule(plan.arcs, journeys.steps.astype(np.int64), messages)
    assert not verify(network.problem, schedule)


def test_who_comes_too_late_is_left_outside() -> None:
    """With too few steps some messages come later; only those that are in time are taken over."""
    network, plan, journeys = planned("mesh:4x4", 12)
    arrived = journeys.steps[journeys.offsets[1:] - 1] < 12
    assert 0 < arrived.sum() < len(arrived)
    assignment = HopAssignment(network, planned_hops(plan), 12)
    assignment.begin_with(journeys)
    assert np.array_equal(assignment.partial.num_paths > 0, arrived)
