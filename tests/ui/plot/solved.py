"""Schedules to draw."""

from __future__ import annotations

from pavane.judge.result import Result
from pavane.search.synthesis import solve
from tests.problems import problem_of


def solved(spec: str, kind: str) -> Result:
    """Return a schedule for a catalogue network."""
    return solve(problem_of(spec, kind))
