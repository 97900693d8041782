"""The bound of an allreduce by a cut: a sum of every piece must leave a set of routers with members on both sides.

The narrowest cut lies between one member and another, so a maximum flow to and from each of them finds it.
"""

from __future__ import annotations

import numpy as np

from pavane.bounds.cut_loads import leaving, marked, some_routers
from pavane.bounds.phrases import Unit
from pavane.jit import clock
from pavane.model.bound import Bound
from pavane.model.maximum_flow import MaximumFlow
from pavane.model.problem import Problem
from pavane.text import counted

NAME = "separation"

MOST_ROUTERS = 512
"""Above this, a flow for every router takes longer than it is worth."""


def narrowest(problem: Problem, lowest: int, deadline: float | None = None) -> Bound | None:
    """Return the bound of the narrowest cut, found before a moment of clock.now(); None where it is too large."""
    network = problem.network
    if problem.rules.combining or network.num_routers > MOST_ROUTERS:
        return None
    first, *others = np.unique(network.router_of[list(problem.collective.senders)]).tolist()
    best: Bound | None = None
    for other in others:
        for source, sink in ((first, other), (other, first)):
            if deadline is not None and clock.now() >= deadline:
                return best
            flow = MaximumFlow(network.tails, network.heads, network.capacity.astype(np.int64), source, sink)
            inside = flow.source_side(network.num_routers)
            cut = leaving(problem, inside)
            if best is None or best.exact is None or cut.exact > best.exact:
                best = cut.bound(NAME, {"routers": np.flatnonzero(inside).tolist()})
    return best


def explain(problem: Problem, bound: Bound, unit: Unit) -> str:
    """State how many sums must leave which routers."""
    inside = marked(problem.network, bound.certificate["routers"])
    cut, routers = leaving(problem, inside), some_routers(problem.network, inside)
    return f"{counted(cut.num_messages, 'sum')} must leave {routers}, {cut.per_step} {unit.each}"
