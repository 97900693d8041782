"""Workloads in SimGrid: what is replayed takes what was predicted."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pavane.campaign.workload_model.prediction import predict
from pavane.execution.simulated_phases import reason_of_difference, replay_phases, simulated_total
from pavane.search.options import SearchOptions
from pavane.timing import Costs
from tests.execution.small import need_simgrid

WORKLOAD = {
    "workload": 1,
    "name": "mine",
    "phases": [
        {"compute": "7us", "times": 2},
        {"collective": "alltoall", "groups": "rows", "bytes": "10kB"},
        {"collective": "broadcast", "groups": "columns", "bytes": "20kB"},
        {"loop": 3, "phases": [{"collective": "allreduce", "bytes": "1kB"}, {"pairs": "neighbours", "bytes": 100}]},
    ],
}


@pytest.mark.parametrize("spec", ["mesh:2x3", "rails:2,2"])
def test_a_replay_of_all_phases_is_near_the_prediction(spec: str) -> None:
    """Each phase, and the whole with its repetitions, differs by less than a tenth; without hops by nothing."""
    need_simgrid()
    made = predict(WORKLOAD, spec, options=SearchOptions(seconds=0.5))
    phases = replay_phases(made)
    for phase, seconds in zip(made.phases, phases, strict=True):
        assert phase.seconds is not None
        assert seconds == pytest.approx(phase.seconds, rel=1e-6)
    total = simulated_total(made, phases)
    assert total == pytest.approx(made.seconds, rel=1e-6)
    assert total is not None
    assert reason_of_difference(made, total) == ""


def test_the_model_of_hops_is_an_upper_bound() -> None:
    """Where hops cost, a step is predicted by its longest path and largest payload; no replay takes longer."""
    need_simgrid()
    made = predict(WORKLOAD, "mesh:2x3", None, Costs(1e-6, 1e-9, 1e-6), SearchOptions(seconds=0.5))
    for phase, seconds in zip(made.phases, replay_phases(made), strict=True):
        assert phase.seconds is not None
        assert seconds is not None
        assert seconds <= phase.seconds * (1 + 1e-6)


def test_differences_have_a_reason() -> None:
    """More than a tenth above is contention, more than a tenth below is the model's own caution."""
    made = predict({"workload": 1, "phases": [{"compute": "1us"}]}, "ring:4")
    assert "share channels" in reason_of_difference(made, 1.2e-6)
    assert "largest payload" in reason_of_difference(made, 0.8e-6)


def test_what_has_no_schedule_has_no_time() -> None:
    """A phase without a schedule is not replayed, and the whole is not known."""
    made = predict({"workload": 1, "phases": [{"compute": "1us"}]}, "ring:4")
    lost = replace(made, phases=(replace(made.phases[0], communication=None),))
    assert replay_phases(lost) == (None,)
    assert simulated_total(lost, (None,)) is None
