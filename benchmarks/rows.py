"""The rows of all tables, and random ordinary problems: networks that are built, plain collectives and rules."""

from __future__ import annotations

import random
from itertools import chain
from typing import Any

from benchmarks import clusters, combining, copying, slots, stored, timed
from benchmarks.cases import ONE_PORT, TABLES, Case
from pavane.model.problem import Rules

MACHINES = ("dgx-1", "dgx-2:2", "dgx-a100:2", "dgx-h100:2", "nvl:16", "rails:4,4", "rails:8,8", "fat-tree:4")
CASES = [Case(one.spec, one.kind, rules=one.rules) for one in combining.CASES]
CASES += [Case(one.spec, one.kind, rules=one.rules) for one in copying.CASES]
CASES += [Case(one.spec, "AAS", rules=one.rules) for one in slots.CASES if " " not in one.spec]
CASES += [Case(spec, "AAS", rules=part.rules) for part in stored.PARTS.values() for spec in part.targets]
CASES += [Case(spec, kind, rules=clusters.PASSING) for spec in MACHINES for kind in ("AAB", "AAS", "ALLREDUCE")]
ROWS: dict[str, Any] = {one.label: one for one in chain(*TABLES.values(), CASES)}
ROWS |= {one.name: one for one in timed.random()}
"""The rows of all tables by their labels: cases, and problems with start times."""

NETWORKS = [f"{grid}:{sides}" for grid in ("mesh", "torus") for sides in ("3x3", "4x4", "5x6", "3x4x5", "8x8", "16x16")]
NETWORKS += [*(f"ring:{n}" for n in (8, 13, 24, 64)), *(f"hypercube:{n}" for n in range(3, 9)), "fat-tree:4"]
NETWORKS += [f"random-regular:{n},{degree},{seed}" for n in (8, 20, 64, 256) for degree in (3, 4) for seed in range(3)]
KINDS = ("OAB", "OAS", "AAB", "AAS", "AOG", "AAR", "ALLREDUCE")
RULES = [Rules(), ONE_PORT, *(part.rules for part in stored.PARTS.values())]


def ordinary(number: int, seed: int = 0) -> dict[str, Case]:
    """Return random ordinary problems by their labels."""
    draw = random.Random(seed).choice
    drawn = (Case(draw(NETWORKS), draw(KINDS), rules=draw(RULES)) for _ in range(number))
    return {one.label: one for one in drawn}
