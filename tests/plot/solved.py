"""Schedules to draw."""

from __future__ import annotations

from pavane.judge.result import Result
from pavane.model.collectives import named
from pavane.model.problem import Problem
from pavane.networks import network
from pavane.search.synthesis import synthesize


def solved(spec: str, kind: str) -> Result:
    """Return a schedule for a catalogue network."""
    made = network(spec)
    return synthesize(Problem(made, named(kind, made)))
