"""The one maker of problems from texts, for all tests."""

from __future__ import annotations

from functools import cache
from typing import Any

from pavane.model.collectives import named
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import FAMILIES, network


def problem_of(
    where: str | Network, kind: str = "AAS", rules: Rules | None = None, /, root: int | None = None, **settings: Any
) -> Problem:
    """Return a collective of all processors, or from one root, under rules or under single settings of them."""
    found = network(where) if isinstance(where, str) else where
    return Problem(found, named(kind, found, root=root), rules if rules is not None else Rules(**settings))


@cache
def examples() -> tuple[Network, ...]:
    """Return the example of every family of the catalogue; the larger ones take a second."""
    return tuple(network(family.example) for family in FAMILIES.values())
