"""The bound by an exhaustive search: a solver has looked through all schedules of fewer steps.

More steps never hurt, so those of one step less stand for all. For a table of slots that repeats they do not, and the
solver has looked through every smaller period.

Solvers make it. It has no certificate that could be checked independently, and the judge does not count it.
"""

from __future__ import annotations

from pavane.bounds.phrases import Unit
from pavane.model.bound import Bound
from pavane.model.problem import Problem
from pavane.text import counted

NAME = "exhaustive"


def explain(problem: Problem, bound: Bound, unit: Unit) -> str:
    """State which schedules do not exist; the unit is always a step or a slot."""
    if problem.rules.has_slots:
        return f"a search through all tables of at most {counted(bound.figure - 1, 'slot')} found none"
    return f"a search through all schedules of {counted(bound.figure - 1, 'step')} found none"
