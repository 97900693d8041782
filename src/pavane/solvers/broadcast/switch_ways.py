"""Ways over pure switches: which processors are neighbours where only switches stand between them."""

from __future__ import annotations

import numpy as np

from pavane.kernels.switched import WaysIn
from pavane.model.arrays import Flags, Longs
from pavane.model.leaps import MOST_ALIKE, hops
from pavane.model.problem import Problem

MOST_WAYS = 2_000_000
"""With more ways in, their table takes more than 100 MB."""


def num_ways_in(problem: Problem) -> int:
    """Return how many ways over pure switches there are at most, and channels besides.

    Over one switch these are the pairs of a channel into it and one out of it.
    """
    network = problem.network
    if _joins_switches(problem):
        return MOST_ALIKE * int((~problem.is_switch).sum()) ** 2 + network.num_channels
    entering = np.bincount(network.heads, minlength=network.num_routers)
    leaving = np.bincount(network.tails, minlength=network.num_routers)
    return int((entering * leaving)[problem.is_switch].sum()) + network.num_channels


def processor_sets(problem: Problem, sets: Flags) -> Flags:
    """Return sets of routers (one row a set) by the routers with processors alone, each once, without single ones."""
    bare = sets & ~problem.is_switch
    bare = bare[bare.sum(axis=1) > 1]
    return np.unique(bare, axis=0) if len(bare) else bare


def ways_in(problem: Problem, sets: Flags) -> WaysIn:
    """List the channels between routers with processors, and the ways between them over pure switches.

    Under wormhole these are ways through one switch, under minimal routing not between neighbours. Where switches pass
    and are joined to each other, these are the shortest ways. The sets, one row each, are of routers with processors.
    """
    paths = [hop.path for hop in hops(problem)] if _joins_switches(problem) else _over_one_switch(problem)
    network = problem.network
    tails, heads = network.tails.astype(np.int64), network.heads.astype(np.int64)
    last = np.array([path[-1] for path in paths], dtype=np.int64)
    order = np.argsort(heads[last], kind="stable")
    paths = [paths[number] for number in order.tolist()]
    starts, ends = tails[np.array([path[0] for path in paths], dtype=np.int64)], heads[last[order]]
    path_offsets = np.concatenate(([0], np.cumsum([len(path) for path in paths], dtype=np.int64)))
    path = np.array([channel for path in paths for channel in path], dtype=np.int64)
    way, entered = np.nonzero((sets[:, ends] & ~sets[:, starts]).T)
    offsets: Longs = np.searchsorted(ends, np.arange(network.num_routers + 1))
    return WaysIn(offsets, starts, path_offsets, path, np.searchsorted(way, np.arange(len(starts) + 1)), entered)


def _joins_switches(problem: Problem) -> bool:
    """Say whether switches pass, and some are joined to each other."""
    is_switch, network = problem.is_switch, problem.network
    return problem.passes_switches and bool((is_switch[network.tails] & is_switch[network.heads]).any())


def _over_one_switch(problem: Problem) -> list[tuple[int, ...]]:
    """List the channels between routers with processors, and the ways through one pure switch."""
    network, is_switch = problem.network, problem.is_switch
    heads, tails = network.heads.astype(np.int64), network.tails.astype(np.int64)
    direct = np.flatnonzero(~is_switch[tails] & ~is_switch[heads])
    paths: list[tuple[int, ...]] = [(channel,) for channel in direct.tolist()]
    for switch in np.flatnonzero(is_switch).tolist():
        up = np.flatnonzero((heads == switch) & ~is_switch[tails])
        down = np.flatnonzero((tails == switch) & ~is_switch[heads])
        first, last = np.repeat(up, len(down)), np.tile(down, len(up))
        kept = tails[first] != heads[last]
        if problem.rules.switching == "wormhole" and problem.rules.routing == "minimal":
            kept &= network.distances[tails[first], heads[last]] == 2
        paths += zip(first[kept].tolist(), last[kept].tolist(), strict=True)
    return paths
