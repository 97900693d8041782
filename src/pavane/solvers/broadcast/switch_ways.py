"""Ways through pure switches: which processors are neighbours where one switch stands between them (wormhole)."""

from __future__ import annotations

import numpy as np

from pavane.kernels.switched import WaysIn
from pavane.model.arrays import Flags, Longs
from pavane.model.problem import Problem

MOST_WAYS = 2_000_000
"""With more ways in, their table takes more than 100 MB."""


def num_ways_in(problem: Problem) -> int:
    """Return how many pairs of a channel into a pure switch and one out of it there are, and channels besides."""
    network = problem.network
    entering = np.bincount(network.heads, minlength=network.num_routers)
    leaving = np.bincount(network.tails, minlength=network.num_routers)
    return int((entering * leaving)[problem.is_switch].sum()) + network.num_channels


def joined_by_single_switches(problem: Problem) -> bool:
    """Say whether every way over pure switches passes one of them, and their ways in fit into memory."""
    network, is_switch = problem.network, problem.is_switch
    return not (is_switch[network.tails] & is_switch[network.heads]).any() and num_ways_in(problem) <= MOST_WAYS


def processor_sets(problem: Problem, sets: Flags) -> Flags:
    """Return sets of routers (one row a set) by the routers with processors alone, each once, without single ones."""
    bare = sets & ~problem.is_switch
    bare = bare[bare.sum(axis=1) > 1]
    return np.unique(bare, axis=0) if len(bare) else bare


def ways_in(problem: Problem, sets: Flags) -> WaysIn:
    """List the channels between routers with processors, and the ways between them through one pure switch.

    Under minimal routing ways between neighbours are left out. The sets, one row each, are of routers with processors.
    """
    network, is_switch = problem.network, problem.is_switch
    heads, tails = network.heads.astype(np.int64), network.tails.astype(np.int64)
    direct = np.flatnonzero(~is_switch[tails] & ~is_switch[heads])
    first, last = [direct], [direct]
    for switch in np.flatnonzero(is_switch).tolist():
        up = np.flatnonzero((heads == switch) & ~is_switch[tails])
        down = np.flatnonzero((tails == switch) & ~is_switch[heads])
        pairs = np.repeat(up, len(down)), np.tile(down, len(up))
        kept = tails[pairs[0]] != heads[pairs[1]]
        if problem.rules.routing == "minimal":
            kept &= network.distances[tails[pairs[0]], heads[pairs[1]]] == 2
        first.append(pairs[0][kept])
        last.append(pairs[1][kept])
    outgoing, incoming = np.concatenate(first), np.concatenate(last)
    order = np.argsort(heads[incoming], kind="stable")
    outgoing, incoming = outgoing[order], incoming[order]
    starts, ends = tails[outgoing], heads[incoming]
    way, entered = np.nonzero((sets[:, ends] & ~sets[:, starts]).T)
    offsets: Longs = np.searchsorted(ends, np.arange(network.num_routers + 1))
    return WaysIn(offsets, starts, outgoing, incoming, np.searchsorted(way, np.arange(len(starts) + 1)), entered)
