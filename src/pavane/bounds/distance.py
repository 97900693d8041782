"""The bound by distance: under store-and-forward a message covers one channel a step, or passes switches on the way."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pavane.bounds.phrases import Unit
from pavane.model.bound import Bound
from pavane.model.network import MOST_ROUTERS_TABLED
from pavane.model.problem import Problem
from pavane.model.switch_hops import steps_from
from pavane.text import counted

NAME = "distance"


def make(problem: Problem) -> Iterator[Bound]:
    """Yield the bound of the longest way."""
    if problem.rules.switching == "store-and-forward":
        yield longest_way(problem)


def longest_way(problem: Problem) -> Bound:
    """Return the bound of the message that has farthest to go, one channel a step."""
    network, ends = problem.network, problem.distinct_ends
    if problem.pattern == "private" and not problem.passes_switches and network.num_routers <= MOST_ROUTERS_TABLED:
        homes = network.router_of[ends]
        ways = network.distances[homes[:, 0], homes[:, 1]]
        farthest = int(ways.argmax())
        source, target = ends[farthest].tolist()
        return Bound(max(int(ways[farthest]), 1), NAME, {"from": source, "to": target})
    best = (-1, 0, 0)
    receivers = np.array(sorted(problem.collective.receivers), dtype=np.int64)
    for origin in np.unique(ends[:, 0]).tolist():
        mine = receivers[receivers != origin]
        if problem.pattern == "private":
            mine = ends[ends[:, 0] == origin, 1]
        ways = steps_from(problem, int(network.router_of[origin]))[network.router_of[mine]]
        farthest = int(ways.argmax())
        if ways[farthest] > best[0]:
            best = (int(ways[farthest]), origin, int(mine[farthest]))
    return Bound(max(best[0], 1), NAME, {"from": best[1], "to": best[2]})


def explain(problem: Problem, bound: Bound, unit: Unit) -> str:
    """State how far apart the two processors are; the unit is always a step."""
    source, target = bound.certificate["from"], bound.certificate["to"]
    home = problem.network.router_of
    if home[source] == home[target]:
        return f"processor {target} must receive from processor {source}, which takes a step"
    away = int(steps_from(problem, int(home[source]))[home[target]])
    if problem.passes_switches:
        hops = counted(away, "hop")
        return f"processor {target} is {hops} over pure switches away from processor {source}, and a step is one hop"
    return (
        f"processor {target} is {counted(away, 'channel')} away from processor {source}, and a step covers one channel"
    )
