"""Rotation on a ring: everything moves on by one router in each step (noc section 3.1, Table 2).

* AAB: each processor passes on what came last, P - 1 steps and TCO P - 1, with or without combining.
* AAS, combining: each processor takes out what is for it and passes on the rest. Transfers shrink from P - 1 messages
  to one: P - 1 steps, TCO P(P - 1)/2.

Paths are single channels in one direction, so one-way rings, store-and-forward, every routing and, from three
routers on, half duplex will do. Reduce-scatter runs backwards.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from pavane.model.problem import Problem
from pavane.solvers.constructions.shapes import Ring, ring_of
from pavane.solvers.constructions.steps import (
    ConstructionStep,
    StepRoutes,
    has_steps,
    is_small,
    whole_kind,
    write_schedule,
)
from pavane.solvers.solving import solve_once


@dataclass(frozen=True)
class RingRotation:
    """Rotation along a ring; deterministic, so all seeds give the same."""

    name: str = "ring-rotation"

    def steps(self, problem: Problem) -> Iterator[ConstructionStep] | None:
        """Return the rotation: AAB, with combining AAS, on rings; None elsewhere."""
        kind, rules = whole_kind(problem), problem.rules
        if kind not in ("AAB", "AAS") or (kind == "AAS" and not rules.combining):
            return None
        ring = ring_of(problem.network)
        if ring is None or not is_small(problem, len(ring.order)):
            return None
        if rules.duplex == "half" and len(ring.order) == 2:
            return None  # both messages need the one link at once
        return _rotation(problem, ring, private=kind == "AAS")

    supports, find, __call__ = has_steps, write_schedule, solve_once


def _rotation(problem: Problem, ring: Ring, private: bool) -> Iterator[ConstructionStep]:
    order = np.array(ring.order)
    size = len(order)
    routes = StepRoutes.along(problem.network, np.stack((order, np.roll(order, -1)), axis=1).tolist())
    for step in range(size - 1):
        origins = np.roll(order, step)
        if private:
            # What has come `step` routers far and has further to go.
            ahead = (np.arange(size)[:, None] - step + np.arange(step + 1, size)) % size
            yield ConstructionStep.even(routes, origins[:, None] * size + order[ahead])
        else:
            yield ConstructionStep.even(routes, origins[:, None])
