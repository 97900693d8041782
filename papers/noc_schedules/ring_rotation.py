"""Rotation on a ring: everything moves on by one router in each step (noc section 3.1, Table 2).

* AAB: each processor passes on what came last, P - 1 steps and TCO P - 1, with or without combining.
* AAS, combining: each processor takes out what is for it and passes on the rest. Transfers shrink from P - 1 messages
  to one: P - 1 steps, TCO P(P - 1)/2.

Paths are single channels in one direction, so one-way rings, store-and-forward, every routing and, from three
routers on, half duplex will do.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from papers.noc_schedules.shapes import Ring, ring_of
from papers.noc_schedules.steps import (
    RouterStep,
    StepRoutes,
    whole_kind,
)
from pavane.model.problem import Problem


def ring_rotation(problem: Problem) -> Iterator[RouterStep] | None:
    """Return the rotation: AAB, with combining AAS, on rings; None elsewhere."""
    kind, rules = whole_kind(problem), problem.rules
    if kind not in ("AAB", "AAS") or (kind == "AAS" and not rules.combining):
        return None
    ring = ring_of(problem.network)
    if ring is None:
        return None
    if rules.duplex == "half" and len(ring.order) == 2:
        return None  # both messages need the one link at once
    return _rotation(problem, ring, private=kind == "AAS")


def _rotation(problem: Problem, ring: Ring, private: bool) -> Iterator[RouterStep]:
    order = np.array(ring.order)
    size = len(order)
    routes = StepRoutes.along(problem.network, np.stack((order, np.roll(order, -1)), axis=1).tolist())
    for step in range(size - 1):
        origins = np.roll(order, step)
        if private:
            # What has come `step` routers far and has further to go.
            ahead = (np.arange(size)[:, None] - step + np.arange(step + 1, size)) % size
            yield RouterStep.even(routes, origins[:, None] * size + order[ahead])
        else:
            yield RouterStep.even(routes, origins[:, None])
