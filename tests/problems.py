"""The one maker of problems from texts, for all tests."""

from __future__ import annotations

from typing import Any

from pavane.model.collectives import named
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import network


def problem_of(
    where: str | Network, kind: str = "AAS", rules: Rules | None = None, /, root: int | None = None, **settings: Any
) -> Problem:
    """Return a collective of all processors, or from one root, under rules or under single settings of them."""
    found = network(where) if isinstance(where, str) else where
    return Problem(found, named(kind, found, root=root), rules if rules is not None else Rules(**settings))
