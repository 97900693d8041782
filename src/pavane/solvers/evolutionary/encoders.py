"""Which of the papers' encodings a problem gets: a scatter's or a broadcast's."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pavane.model.problem import Problem
from pavane.solvers.evolutionary import broadcast, scatter
from pavane.solvers.evolutionary.encoding import Coding, Encoding
from pavane.solvers.solver import seed_of
from pavane.symmetry.involutions import free_involutions

ENCODED = replace(scatter.SUPPORTS, or_else=broadcast.SUPPORTS)
"""The problems that can be encoded."""


def encode(problem: Problem, num_steps: int, coding: Coding, rng: np.random.Generator) -> Encoding | None:
    """Encode a scatter or a broadcast; None where a message has no path, or a symmetry is wanted and none will do."""
    # Where paths are sampled, all seeds have the same sample, so that many of them can share one encoding.
    paths = np.random.default_rng(0)
    if problem.pattern != "private":
        return broadcast.encoded(problem, num_steps, coding, paths)
    symmetry = None
    if coding.symmetric:
        symmetries = list(free_involutions(problem))
        if not symmetries:
            return None
        symmetry = symmetries[seed_of(rng) % len(symmetries)]
    return scatter.encoded(problem, num_steps, coding, paths, symmetry)
