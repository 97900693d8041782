"""Large tori laid over smaller ones: sets of routers that repeat, and flows that repeat with them.

A torus of n x n routers covers one of n/f x n/f: routers whose coordinates agree modulo n/f lie on the same router, and
channels on the same channel. Each router of the smaller network carries as many sheets as there are routers over it.

A flow of one step in the smaller network, from a set I to a set J, is one in the large network, too, from all routers
over I to all over J: every channel over a channel that carries a unit carries one, and at every router as much comes in
and goes out as at the one below. It rises wherever the flow below does: a path below can be followed above from either
end, so a router is as far from the nearest router over I as the one below it is from I.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import gcd, prod
from typing import NamedTuple

import numpy as np

from pavane.model.arrays import Flags, Longs
from pavane.model.collectives import broadcast
from pavane.model.network import Network
from pavane.model.problem import Problem
from pavane.solvers.broadcast.step_flows import StepFlow
from pavane.solvers.broadcast.step_oracle import OracleStep

LEAST_SIDE = 5
"""The fewest routers around a torus that another is laid over."""


class Fold(NamedTuple):
    """A broadcast to all in a smaller network, and what lies over it."""

    problem: Problem
    below_router: Longs
    """The router of the smaller network under each router of the large one."""
    below_channel: Longs
    """The channel under each channel."""

    @property
    def num_sheets(self) -> int:
        """Return how many routers lie over each router."""
        return len(self.below_router) // self.problem.network.num_routers

    def folded(self, members: Flags) -> Flags:
        """Return the routers under a set that repeats."""
        below = np.zeros(self.problem.network.num_routers, dtype=bool)
        below[self.below_router[members]] = True
        return below

    def lifted(self, step: OracleStep) -> OracleStep:
        """Return the step above a step of the smaller network."""
        above = self.below_router
        flows = tuple(
            StepFlow(flow.emitted[above], self._over(flow.on_channels), flow.absorbed[above]) for flow in step.flows
        )
        missing = step.missing * self.num_sheets
        return OracleStep(missing, step.emitted[above], step.absorbed[above], step.surplus[above], flows)

    def _over(self, channels: Longs) -> Longs:
        is_below = np.zeros(self.problem.network.num_channels, dtype=bool)
        is_below[channels] = True
        return np.flatnonzero(is_below[self.below_channel])


def folds_of(problem: Problem) -> tuple[Fold, ...]:
    """Return the smaller networks that a broadcast to all is laid over, smallest first, each over the one before."""
    network = problem.network
    members = {*problem.collective.senders, *problem.collective.receivers}
    is_plain = network.is_slim and len(members) == network.num_routers
    if network.grid is None or not is_plain or (network.router_of != np.arange(network.num_routers)).any():
        return ()
    found: list[Fold] = []
    for factor in _factors(network):
        fold = _fold(problem, factor)
        if fold is None:
            break
        found.append(fold)
    return tuple(reversed(found))


def _factors(network: Network) -> Iterator[int]:
    """Yield by what the rings of a torus can be shortened, every factor a multiple of the one before."""
    grid = network.grid
    rings = [] if grid is None else [size for size, wraps in zip(grid.sizes, grid.wraps, strict=True) if wraps]
    common, factor, prime = gcd(*rings), 1, 2
    while common > 1 and prime <= common:
        if common % prime:
            prime += 1
        else:
            factor, common = factor * prime, common // prime
            if min(rings) // factor < LEAST_SIDE:
                return
            yield factor


def _fold(problem: Problem, factor: int) -> Fold | None:
    """Lay a torus over one with rings shorter by a factor; None where the network does not repeat."""
    network = problem.network
    grid = network.grid
    assert grid is not None
    sizes = [size // factor if wraps else size for size, wraps in zip(grid.sizes, grid.wraps, strict=True)]
    count, num_sheets = prod(sizes), network.num_routers // prod(sizes)
    coordinates = grid.coordinates(np.arange(network.num_routers)) % np.array(sizes)
    below = np.ravel_multi_index(tuple(coordinates.T), sizes).astype(np.int64)
    pairs, below_channel = np.unique(below[network.tails] * count + below[network.heads], return_inverse=True)
    # Each router must have one channel over each channel of the router below it, as a torus without faults has.
    kinds = np.unique(network.tails.astype(np.int64) * len(pairs) + below_channel)
    if len(kinds) != network.num_channels or len(pairs) * num_sheets != network.num_channels:
        return None
    smaller = Network("folded", count, np.stack(np.divmod(pairs, count), axis=1))
    root = int(below[problem.ends[0, 0]])
    return Fold(Problem(smaller, broadcast(smaller, root), problem.rules), below, below_channel.astype(np.int64))
