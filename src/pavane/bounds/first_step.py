"""The bound of an allreduce by its first step: what is sent then are single contributions.

In an allreduce of one step a member receives every other member's contribution to every piece by a transfer of its own.
Where its ports do not take so many, it takes two steps, which switches that join all processors often reach.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pavane.bounds.phrases import Unit
from pavane.model.arrays import Ints
from pavane.model.bound import Bound
from pavane.model.problem import Problem
from pavane.text import counted

NAME = "first-step"


def make(problem: Problem) -> Iterator[Bound]:
    """Yield the bound of the member with the fewest ports; none where one step may be enough."""
    if problem.rules.combining:
        return
    members = np.array(sorted(problem.collective.senders))
    fewest = int(members[_ports(problem)[members].argmin()])
    if _num_arrivals(problem) > _ports(problem)[fewest]:
        yield Bound(2, NAME, {"processor": fewest})


def explain(problem: Problem, bound: Bound, unit: Unit) -> str:
    """State how many contributions a processor would receive in one step; the unit is always a step."""
    processor = bound.certificate["processor"]
    return (
        f"in one step processor {processor} would send and receive {counted(_num_arrivals(problem), 'contribution')}, "
        f"and it has {counted(int(_ports(problem)[processor]), 'port')}"
    )


def _num_arrivals(problem: Problem) -> int:
    return problem.num_messages * (len(problem.collective.senders) - 1)


def _ports(problem: Problem) -> Ints:
    fewer: Ints = np.minimum(problem.injection, problem.ejection)
    return fewer
