"""Schedules to draw."""

from __future__ import annotations

from pavane.judge.result import Result
from pavane.search.synthesis import synthesize
from tests.problems import problem_of


def solved(spec: str, kind: str) -> Result:
    """Return a schedule for a catalogue network."""
    return synthesize(problem_of(spec, kind))
