"""The one maker of problems from texts, for all tests."""

from __future__ import annotations

from typing import Any

from pavane.model.collectives import named
from pavane.model.problem import Problem, Rules
from pavane.networks import network


def problem_of(spec: str, kind: str = "AAS", rules: Rules | None = None, /, **settings: Any) -> Problem:
    """Return a collective of all processors, or from root 0, on a network of the catalogue, under rules."""
    where = network(spec)
    return Problem(where, named(kind, where), rules if rules is not None else Rules(**settings))
