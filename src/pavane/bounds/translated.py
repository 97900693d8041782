"""Bounds of problems on networks with translations, at any size: what one router must send bounds the schedule.

All routers look alike, so that the channels that the messages of router 0 must cover, N times, are to be covered by all
channels: with d the distance from router 0 and K kinds, sum(d) / K steps. If only some kinds count, d is the least
number of channels of these kinds on any path.
"""

from __future__ import annotations

from pavane.model.bound import Bound
from pavane.model.problem import Problem
from pavane.symmetry.cayley import CayleyNetwork

NAME = "translated-distances"


def table_bounds(problem: Problem, cayley: CayleyNetwork) -> tuple[Bound, ...]:
    """Return the bounds that one search from router 0 proves, the highest first."""
    if problem.pattern != "private":
        return ()
    kinds = cayley.kinds
    total = int(kinds.shortest_paths[0].sum()) * problem.collective.pieces
    room = int(problem.network.capacity[kinds.channels[0]].sum())
    return (Bound(-(-total // room), NAME, {"kinds": list(range(kinds.num_kinds))}),)
