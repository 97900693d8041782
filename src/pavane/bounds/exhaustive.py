"""The bound by an exhaustive search: a solver has looked through all schedules of fewer steps.

Solvers make it. It has no certificate that could be checked apart, and the judge does not count it.
"""

from __future__ import annotations

from pavane.bounds.phrases import Unit
from pavane.model.bound import Bound
from pavane.model.problem import Problem
from pavane.text import counted

NAME = "exhaustive"


def explain(problem: Problem, bound: Bound, unit: Unit) -> str:
    """State which schedules do not exist; the unit is always a step."""
    return f"a search through all schedules of {counted(bound.steps - 1, 'step')} found none"
