"""Trees of one router that all routers translate: one new router for each machine in a step.

On a network with translations (`model.channel_kinds`) the message of router 0 spreads along a tree, and the message of
router w along its image. A hop of a kind, translated to all routers, uses every channel of that kind once, sends one
message from every router and brings one to every router. So two messages meet only if two hops of the tree have the
same kind and step, and kinds are machines (`machines`) that inform new routers.

With N routers and K channels at each, ceil((N - 1) / K) steps suffice on all networks tried, which is the bound by
in-degree; with k ports it is ceil((N - 1) / k). Each piece of a message has a tree of its own.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pavane.jit.compiling import compiled
from pavane.model.arrays import Ints, Longs
from pavane.solvers.kernels.tree_growth import GrownHops, GrowthMachines, GrowthState, grow
from pavane.solvers.machines import Machines

MOST_INTERPRETED = 5_000
"""Up to this many places growing takes half a second at most, and loading the compiler alone takes one."""


class TreeHops(NamedTuple):
    """The hops of the trees of router 0, one entry each, in the order of their beats."""

    beats: Longs
    pieces: Longs
    """The piece that goes."""
    kinds: Longs
    tails: Longs
    """The router that it goes from."""
    heads: Longs
    """The router that it goes to."""
    lanes: Longs
    """How many hops over the same machine come before it in its beat."""


def grown_trees(
    heads: Ints, machines: Machines, num_pieces: int, delay: int = 1, first_room: Longs | None = None
) -> TreeHops:
    """Grow the trees of router 0, one for each piece, until each has all routers.

    Args:
        heads: The router that the channel of each kind leads to: heads[router, kind].
        machines: The kinds as machines.
        num_pieces: The number of trees.
        delay: The beats from a hop until its receiver can send on.
        first_room: How many hops each machine makes in the first beat, all of the first piece; None: as in all others.
    """
    num_routers = len(heads)
    num_places, num_machines = num_pieces * num_routers, len(machines.room)
    offsets = np.concatenate([[0], np.cumsum(np.bincount(machines.machine_of, minlength=num_machines))])
    by_machine = np.argsort(machines.machine_of, kind="stable")
    first_room, first_roots = (machines.room, num_pieces) if first_room is None else (first_room, 1)
    growth = GrowthMachines(heads, offsets, by_machine, machines.room, machines.most_at_once, first_room, first_roots)
    informed, is_informed = np.zeros(num_places, dtype=np.int32), np.zeros(num_places, dtype=bool)
    roots = num_routers * np.arange(num_pieces)
    informed[:num_pieces], is_informed[roots] = roots, True
    state = GrowthState(
        informed,
        is_informed,
        np.zeros(num_machines, dtype=np.int64),
        np.full(num_places, -1, dtype=np.int32),
        np.zeros(num_places, dtype=np.int64),
        np.zeros(num_places, dtype=np.int64),
        np.zeros(num_places, dtype=np.int32),
        np.zeros(num_places, dtype=np.int64),
        np.zeros(num_machines, dtype=np.int64),
        np.zeros(num_machines, dtype=np.int64),
        np.zeros(machines.most_at_once, dtype=np.int64),
    )
    hops = GrownHops(*(np.zeros(num_places - num_pieces, dtype=np.int64) for _ in GrownHops._fields))
    kernel = grow if num_places <= MOST_INTERPRETED else compiled(grow)
    kernel(growth, state, hops, delay)
    pieces, tails = np.divmod(hops.tails, num_routers)
    return TreeHops(hops.beats, pieces, hops.kinds, tails, hops.places % num_routers, hops.lanes)
