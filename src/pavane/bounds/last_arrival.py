"""The bound of an allreduce by distance and ports: the sums that a member ends up with arrive late, all of them.

Under store-and-forward nothing that one member contributes comes to another, e steps away, before step e. So the
last sum of every piece comes there in step e or later, over the ports that it has; and read backwards, the other must
have sent every piece e - 1 steps before the end.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pavane.bounds.phrases import Unit
from pavane.model.bound import Bound
from pavane.model.problem import Problem
from pavane.model.switch_hops import steps_from
from pavane.text import counted

NAME = "last-arrival"


def make(problem: Problem) -> Iterator[Bound]:
    """Yield the bound of the pair of members that are far apart and have few ports."""
    if problem.rules.combining or problem.rules.switching != "store-and-forward":
        return
    members = np.array(sorted(problem.collective.senders))
    homes = problem.network.router_of[members]
    best = (0, 0, 0)
    for source, home in zip(members.tolist(), homes.tolist(), strict=True):
        away = np.maximum(steps_from(problem, home)[homes], 1)
        ports = np.minimum(problem.ejection[members], problem.injection[source])
        steps = away - 1 + -(-problem.num_messages // ports)
        steps[members == source] = 0
        latest = int(steps.argmax())
        best = max(best, (int(steps[latest]), -source, -int(members[latest])))
    yield Bound(best[0], NAME, {"from": -best[1], "to": -best[2]})


def explain(problem: Problem, bound: Bound, unit: Unit) -> str:
    """State how far apart the two processors are, and how many sums come late; the unit is always a step."""
    source, target = bound.certificate["from"], bound.certificate["to"]
    home = problem.network.router_of
    away = max(1, int(steps_from(problem, int(home[source]))[home[target]]))
    ports = min(int(problem.injection[source]), int(problem.ejection[target]))
    return (
        f"processor {target} is {counted(away, 'step')} away from processor {source}, so that "
        f"{counted(problem.num_messages, 'last sum')} come in step {away} or later, {ports} a step"
    )
