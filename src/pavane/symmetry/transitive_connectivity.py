"""Connectivity of networks with translations: all routers look alike, so that few maximum flows are enough.

Where every router looks like every other, and no two channels are parallel, the loss of fewer channels than leave a
router separates nothing (Mader 1971 for links, Hamidoune 1977 for one-way channels). Of routers fewer may do. Take a
least set of routers whose loss separates others, and the smallest part that it can cut off, an *atom*. Atoms of one
network do not overlap, so that every router is in one, and the loss is a multiple of the size of an atom (Watkins 1970,
Hamidoune 1977). So the atom of router 0 is no larger than the degree d, which the loss never exceeds, and reaches no
farther than d - 1 channels. What is more than d channels away is separated from router 0: one flow there, and one from
there, count the loss. Links without four routers that are all joined have no atoms but single routers (Mader 1971).
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from pavane.model.connectivity import least_cut, router_cuts
from pavane.symmetry.cayley import CayleyNetwork


def channel_connectivity(cayley: CayleyNetwork) -> int:
    """Return the least number of channels whose loss separates two routers."""
    network, first = cayley.network, cayley.kinds.heads[0].tolist()
    if len(set(first)) == len(first):
        return len(first)
    return least_cut(network.num_routers, network.channels, list(range(network.num_routers)))


def router_connectivity(cayley: CayleyNetwork) -> int:
    """Return the least number of routers whose loss separates two others; all but one if none does."""
    network, kinds = cayley.network, cayley.kinds
    ahead = sorted(set(kinds.heads[0].tolist()))
    if (kinds.opposites >= 0).all() and not _has_four_joined(cayley):
        return len(ahead)
    cut_between = router_cuts(network.num_routers, network.channels)
    away, back = kinds.shortest_paths[0], network.distances_to(0)
    if min(away.max(), back.max()) > len(ahead):
        return min(cut_between(0, int(away.argmax())), cut_between(int(back.argmax()), 0))
    # Any set leaves some router, which a translation takes to router 0: flows from there and to there are enough.
    others = range(1, network.num_routers)
    return min(network.num_routers - 1, *(min(cut_between(0, other), cut_between(other, 0)) for other in others))


def _has_four_joined(cayley: CayleyNetwork) -> bool:
    """Return whether router 0 and three of its neighbours are all joined by links."""
    heads = cayley.kinds.heads
    around = sorted(set(heads[0].tolist()))
    joined = {(a, b) for a in around for b in np.intersect1d(heads[a], around).tolist()}
    return any((a, b) in joined and (b, c) in joined and (a, c) in joined for a, b, c in combinations(around, 3))
