"""Fills steps with one message of each orbit of a group of symmetries, and lifts what is found to all messages.

Which group is best shows only in trying: large ones leave few messages, so that steps are filled to the last channel in
no time; but messages whose paths meet their images have fewer paths. So all groups are tried with few moves a step, the
better half of them with more, and so on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from pavane.model.arrays import Ints
from pavane.parallel.budget import Budget
from pavane.solvers.kernels.wiring import Wiring
from pavane.solvers.large_scatter.free_filling import PendingPairs, can_fill, fill_evenly, is_even
from pavane.solvers.large_scatter.kernels.step_lns import OrbitNetwork
from pavane.solvers.large_scatter.scatter_arrays import PackedSchedule, ScatterArrays, orbit_numbers
from pavane.symmetry.orbits import FreeGroup, groups_for_filling, is_harmless

FIRST_MOVES = 200
"""Moves a step with which all groups are tried."""

MORE_MOVES = 3
"""The better half of the groups is tried with this number of times the moves."""

MOST_MOVES = 6000
"""With more moves a step not much is gained, and starting anew helps more."""

LEAST_CONTENDERS = 2
"""The number of groups that are tried to the end."""

DOUBT = 50
"""An attempt is given up when it takes more steps than the best by more than this part of them."""


@dataclass(eq=False)
class _Contender:
    """A group, and the fewest steps that it has led to."""

    group: FreeGroup
    fewest: int = 2**31
    filled: tuple[ScatterArrays, OrbitNetwork] | None = None
    """What is filled, made when it is first wanted."""


def can_fill_orbits(arrays: ScatterArrays) -> bool:
    """Say yes where channels for one message alone bind, and none has more to carry than others."""
    is_plain = arrays.problem.network.capacities is None and can_fill(arrays)
    return is_plain and is_even(arrays, PendingPairs.of(arrays))


def fill_by_orbits(
    arrays: ScatterArrays, enough: int, fewer_than: int, most_moves: int | None, seed: int, budget: Budget
) -> Iterator[PackedSchedule]:
    """Yield shorter and shorter schedules of all messages, until `most_moves` are made, or None: time is over.

    Nothing comes of networks without symmetries.
    """
    contenders = [_Contender(group) for group in groups_for_filling(arrays.problem)]
    moves_made, moves, number = 0, FIRST_MOVES, 0
    full_steps = -(-arrays.num_hops // arrays.num_units)
    while contenders:
        for contender in list(contenders):
            if budget.is_over or (most_moves is not None and moves_made > most_moves):
                return
            if contender.filled is None:
                contender.filled = _of_orbits(arrays, contender.group)
            if contender.filled is None:
                contenders.remove(contender)
                continue
            rng = np.random.default_rng((seed, 6, number))
            number += 1
            limit = fewer_than + 1 + fewer_than // DOUBT
            found = fill_evenly(*contender.filled, limit, moves, rng, budget)
            moves_made += moves * full_steps
            if found is None:
                continue
            contender.fewest = min(contender.fewest, found.num_steps)
            if found.num_steps < fewer_than:
                fewer_than = found.num_steps
                yield PackedSchedule.of(contender.filled[0].schedule(found))
                if fewer_than <= enough:
                    return
        contenders.sort(key=lambda contender: contender.fewest)
        contenders = contenders[: max(LEAST_CONTENDERS, len(contenders) // 2)]
        moves = min(MOST_MOVES, MORE_MOVES * moves)


def _of_orbits(arrays: ScatterArrays, group: FreeGroup) -> tuple[ScatterArrays, OrbitNetwork] | None:
    """Write out one message of each orbit, and the network between orbits; None where messages are not kept."""
    problem = arrays.problem
    symmetries = group.symmetries(problem)
    if not symmetries:
        return None
    network = problem.network
    of_orbits = ScatterArrays.of(problem, symmetries)
    orbit_of = orbit_numbers([symmetry.routers for symmetry in symmetries], network.num_routers)
    senders = np.full(int(orbit_of.max()) + 1, network.num_routers, dtype=np.int32)
    np.minimum.at(senders, orbit_of, np.arange(network.num_routers, dtype=np.int32))
    if not np.isin(of_orbits.messages.sources, senders).all():
        return None
    unit_of = of_orbits.fabric.unit_of
    tails, heads = np.zeros((2, of_orbits.num_units), dtype=np.int32)
    tails[unit_of], heads[unit_of] = orbit_of[network.tails], orbit_of[network.heads]
    wiring = Wiring(tails, heads, *_by_end(tails, len(senders)), *_by_end(heads, len(senders)))
    may_meet = not all(is_harmless(problem, symmetry) for symmetry in symmetries)
    return of_orbits, OrbitNetwork(wiring, senders, may_meet)


def _by_end(ends: Ints, size: int) -> tuple[Ints, Ints]:
    """List channels by their ends, as a network does: where those of each end begin, and the channels."""
    order = np.argsort(ends, kind="stable").astype(np.int32)
    offsets = np.searchsorted(ends[order], np.arange(size + 1)).astype(np.int32)
    for column in (order, offsets):
        column.setflags(write=False)
    return offsets, order
