"""Ways over pure switches: which processors are neighbours where only switches stand between them."""

from __future__ import annotations

import numpy as np

from pavane.model.arrays import Flags, Longs
from pavane.model.problem import Problem
from pavane.model.switch_hops import MOST_ALIKE, SwitchHop, hops, joins_switches, single_hops
from pavane.solvers.broadcast.kernels.rarest_first_switched import WaysIn

MOST_WAYS = 2_000_000
"""With more ways in, their table takes more than 100 MB."""


def num_ways_in(problem: Problem) -> int:
    """Return how many ways over pure switches there are at most, and channels besides.

    Over one switch these are the pairs of a channel into it and one out of it.
    """
    network = problem.network
    if problem.passes_switches and joins_switches(problem):
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

    These are ways through one switch, under minimal routing not between neighbours. Where switches pass and are joined
    to each other, these are the shortest ways. The sets, one row each, are of routers with processors.
    """
    paths = [hop.path for hop in _hops(problem)]
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
    # numpy gives a column of a table, which would be another type to compile the kernel for
    entered = np.ascontiguousarray(entered)
    return WaysIn(offsets, starts, path_offsets, path, np.searchsorted(way, np.arange(len(starts) + 1)), entered)


def _hops(problem: Problem) -> list[SwitchHop]:
    """List the ways of one step, or those through one switch."""
    if problem.passes_switches and joins_switches(problem):
        return hops(problem)
    return single_hops(problem)
