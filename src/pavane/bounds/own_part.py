"""The bound of an allreduce by one member's ports: it must send, and receive, a sum of every piece."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pavane.bounds.cut_loads import RouterCut
from pavane.bounds.phrases import Unit
from pavane.model.bound import Bound
from pavane.model.problem import Problem
from pavane.text import counted

NAME = "own-part"


def make(problem: Problem) -> Iterator[Bound]:
    """Yield the bound of the member with the fewest ports."""
    if not problem.rules.combining:
        members = np.array(sorted(problem.collective.senders))
        fewest = int(members[np.minimum(problem.injection, problem.ejection)[members].argmin()])
        yield _cut(problem, fewest).bound(NAME, {"processor": fewest})


def explain(problem: Problem, bound: Bound, unit: Unit) -> str:
    """State which processor must send and receive how many sums."""
    processor = bound.certificate["processor"]
    cut = _cut(problem, processor)
    return f"processor {processor} must send and receive {counted(cut.num_messages, 'sum')}, {cut.per_step} {unit.each}"


def _cut(problem: Problem, processor: int) -> RouterCut:
    return RouterCut(problem.num_messages, min(int(problem.injection[processor]), int(problem.ejection[processor])))
