"""First fit in slots, as machine code and as its source."""

from __future__ import annotations

import numpy as np
import pytest

from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.parallel.budget import Budget
from pavane.solvers import slot_first_fit


def test_machine_code_does_what_the_source_says(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compiled and uncompiled place the packets in the same slots on the same paths."""
    problem = Problem(network("mesh:3x3"), "alltoall", Rules("tdm", ports=1, packet_slots=2))
    schedules = [slot_first_fit.first_fit_in_slots(problem, np.random.default_rng(0), Budget())]
    monkeypatch.setattr(slot_first_fit, "compiled", lambda kernel: kernel)
    schedules.append(slot_first_fit.first_fit_in_slots(problem, np.random.default_rng(0), Budget()))
    assert schedules[0] == schedules[1]
