"""Encodings that several tests use."""

from __future__ import annotations

import numpy as np

from pavane.model.collectives import named
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.solvers.evolution import broadcast, scatter
from pavane.solvers.evolution.encoding import Encoding


def problem(spec: str, kind: str, rules: Rules | None = None) -> Problem:
    """Return a collective on a network of the catalogue."""
    made = network(spec)
    return Problem(made, named(kind, made), rules or Rules())


def encoding(spec: str, kind: str, num_steps: int, rules: Rules | None = None) -> Encoding:
    """Return the papers' encoding of a collective."""
    asked = problem(spec, kind, rules)
    rng = np.random.default_rng(0)
    if asked.pattern != "private":
        return broadcast.encoded(asked, num_steps, rng)
    found = scatter.encoded(asked, num_steps, rng)
    assert found is not None
    return found
