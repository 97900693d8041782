"""Filling with one message of each orbit of a group of symmetries; the schedule is lifted to all messages.

Which group is best is known only by trying: large ones leave few messages, so that steps fill to the last channel
quickly; but messages whose paths conflict with their images have fewer paths. So all groups are tried with few moves
per step, the better half of them with more, and so on (successive halving).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from pavane.model.incidence import Incidence
from pavane.parallel.budget import Budget
from pavane.solvers.kernels.wiring import Wiring
from pavane.solvers.large_scatter.free_filling import can_fill, fill_evenly, is_even
from pavane.solvers.large_scatter.kernels.step_lns import OrbitNetwork
from pavane.solvers.large_scatter.scatter_arrays import PackedSchedule, ScatterArrays, orbit_numbers
from pavane.solvers.large_scatter.tuning import TUNING
from pavane.symmetry.orbits import FreeGroup, groups_for_filling, is_harmless


@dataclass(eq=False)
class _Contender:
    """A group, and the fewest steps that it has led to."""

    group: FreeGroup
    fewest: int = 2**31
    quotient: tuple[ScatterArrays, OrbitNetwork] | None = None
    """One message of each orbit and the network between orbits, made on first use."""


def can_fill_orbits(arrays: ScatterArrays) -> bool:
    """Whether channels for one message alone bind, and their loads are even."""
    return arrays.problem.network.capacities is None and can_fill(arrays) and is_even(arrays)


def fill_by_orbits(
    arrays: ScatterArrays, enough: int, fewer_than: int, most_moves: int | None, seed: int, budget: Budget
) -> Iterator[PackedSchedule]:
    """Yield ever shorter schedules of all messages until `most_moves` are made, or None: time is over.

    There are none for networks without symmetries.
    """
    contenders = [_Contender(group) for group in groups_for_filling(arrays.problem)]
    moves_made, moves, attempt = 0, TUNING.orbit_first_moves, 0
    full_steps = -(-arrays.num_hops // arrays.num_units)
    while contenders:
        for contender in list(contenders):
            if budget.is_over or (most_moves is not None and moves_made > most_moves):
                return
            if contender.quotient is None:
                contender.quotient = _quotient(arrays, contender.group)
            if contender.quotient is None:
                contenders.remove(contender)
                continue
            rng = np.random.default_rng((seed, 6, attempt))
            attempt += 1
            limit = fewer_than + 1 + fewer_than // 50
            packed = fill_evenly(*contender.quotient, limit, moves, rng, budget)
            moves_made += moves * full_steps
            if packed is None:
                continue
            contender.fewest = min(contender.fewest, packed.num_steps)
            if packed.num_steps < fewer_than:
                fewer_than = packed.num_steps
                yield PackedSchedule.of(contender.quotient[0].schedule(packed))
                if fewer_than <= enough:
                    return
        contenders.sort(key=lambda contender: contender.fewest)
        contenders = contenders[: max(2, len(contenders) // 2)]
        moves = min(30 * TUNING.orbit_first_moves, 3 * moves)  # beyond, another seed gains more


def _quotient(arrays: ScatterArrays, group: FreeGroup) -> tuple[ScatterArrays, OrbitNetwork] | None:
    """Return one message of each orbit, and the network between orbits; None if the group changes the messages."""
    problem = arrays.problem
    symmetries = group.symmetries(problem)
    if not symmetries:
        return None
    network = problem.network
    quotient = ScatterArrays.of(problem, symmetries)
    orbit_of = orbit_numbers([symmetry.routers for symmetry in symmetries], network.num_routers)
    senders = np.full(int(orbit_of.max()) + 1, network.num_routers, dtype=np.int32)
    np.minimum.at(senders, orbit_of, np.arange(network.num_routers, dtype=np.int32))
    if not np.isin(quotient.messages.sources, senders).all():
        return None
    unit_of = quotient.fabric.unit_of
    tails, heads = np.zeros((2, quotient.num_units), dtype=np.int32)
    tails[unit_of], heads[unit_of] = orbit_of[network.tails], orbit_of[network.heads]
    wiring = Wiring(tails, heads, *Incidence.of(tails, len(senders)), *Incidence.of(heads, len(senders)))
    may_meet = not all(is_harmless(problem, symmetry) for symmetry in symmetries)
    return quotient, OrbitNetwork(wiring, senders, may_meet)
