"""The hand-made schedules of noc, sections 2 to 4, for rings, meshes and hierarchical rings.

They are made for one port and are valid with more. Each is a function that returns the steps of a collective among all
processors, or None where the schedule does not cover the problem.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from papers.noc_schedules.binary_jumping import binary_jumping
from papers.noc_schedules.hierarchical import hierarchical
from papers.noc_schedules.hierarchical_exchange import hierarchical_exchange
from papers.noc_schedules.mesh_phases import mesh_phases
from papers.noc_schedules.ring_rotation import ring_rotation
from papers.noc_schedules.steps import RouterStep, schedule_of
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule

SCHEDULES: dict[str, Callable[[Problem], Iterator[RouterStep] | None]] = {
    "ring-rotation": ring_rotation,
    "mesh-phases": mesh_phases,
    "binary-jumping": binary_jumping,
    "hierarchical": hierarchical,
    "hierarchical-exchange": hierarchical_exchange,
}
"""The schedules by name."""


def hand_made(problem: Problem) -> dict[str, Schedule]:
    """Return the schedules that cover a problem, by name."""
    made = {name: steps(problem) for name, steps in SCHEDULES.items()}
    return {name: schedule_of(problem, steps) for name, steps in made.items() if steps is not None}
