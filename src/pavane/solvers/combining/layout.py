"""Arrays for the combining kernels, made of a problem: where messages can rest, and what runs between."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pavane.model.arrays import Longs
from pavane.model.problem import Problem
from pavane.model.routing import StateHops
from pavane.model.switch_hops import joins_switches
from pavane.solvers.combining.kernels.transfer_sets import (
    Reach,
    SetScratch,
    TransferFabric,
    TransferSets,
    TransferWork,
)
from pavane.symmetry.involutions import Symmetry

MOST_DETOUR = 4
"""Under any routing: how many channels more than the diameter a path may have."""


@dataclass(frozen=True, eq=False)
class CombiningLayout:
    """Where messages can rest, and the fabric between.

    The kernels number locations from 0: processors first, then, where switches hold messages, the pure switches.
    """

    problem: Problem
    fabric: TransferFabric
    locations: Longs
    """Each location as a schedule writes it: a processor, or ~r for pure switch r."""

    @classmethod
    def of(cls, problem: Problem, group: Sequence[Symmetry] = ()) -> CombiningLayout:
        """Read off the locations and the fabric of a problem of private or broadcast messages.

        The group lists its symmetries but the identity; each moves every location and every unit of capacity.
        """
        network = problem.network
        homes, locations = network.router_of.astype(np.int64), np.arange(network.num_processors)
        injection, ejection = problem.injection.astype(np.int64), problem.ejection.astype(np.int64)
        if problem.rules.switching == "store-and-forward" and not problem.passes_switches:
            switches = np.flatnonzero(problem.is_switch)
            homes, locations = np.concatenate((homes, switches)), np.concatenate((locations, ~switches))
            injection = np.concatenate((injection, network.out_degrees[switches]))
            ejection = np.concatenate((ejection, network.in_degrees[switches]))
        # No more transfers than channels into a router can arrive there, besides those from its own locations.
        neighbours = np.bincount(homes, minlength=network.num_routers)[homes] - 1
        room = network.in_degrees[homes] + neighbours * np.max(injection, initial=1)
        inlets = np.minimum(ejection, room)
        by_home = np.argsort(homes, kind="stable")
        first_inlet = np.concatenate(([0], np.cumsum(inlets))).astype(np.int64)
        location_of = np.repeat(np.arange(len(homes)), inlets).astype(np.int64)
        image_location = _images(problem, locations, group)
        image_inlet = (
            first_inlet[image_location[:, location_of]] + np.arange(len(location_of)) - first_inlet[location_of]
        )
        hops_out, num_phases = _hops_between_states(problem)
        distances, is_minimal, most_hops = _path_limits(problem)
        fabric = TransferFabric(
            first_out=np.concatenate(([0], np.cumsum([len(hops) for hops in hops_out]))).astype(np.int64),
            out_channel=np.array([channel for hops in hops_out for channel, _ in hops], dtype=np.int64),
            out_state=np.array([state for hops in hops_out for _, state in hops], dtype=np.int64),
            states_per_router=num_phases,
            unit_of=problem.units.astype(np.int64),
            distances=distances,
            is_minimal=is_minimal,
            most_hops=most_hops,
            home=homes.astype(np.int64),
            first_on=np.searchsorted(homes[by_home], np.arange(network.num_routers + 1)).astype(np.int64),
            location_on=by_home.astype(np.int64),
            injection=injection,
            first_inlet=first_inlet,
            location_of=location_of,
            image_location=image_location,
            # Of one layout whatever the group, so that kernels are compiled once.
            image_inlet=np.ascontiguousarray(image_inlet.reshape(len(group), len(location_of))),
            image_channel=np.array([s.channels for s in group], dtype=np.int64).reshape(
                len(group), network.num_channels
            ),
        )
        return cls(problem, fabric, locations.astype(np.int64))

    @property
    def num_inlets(self) -> int:
        """Return the number of transfers that can arrive in one step, over all locations."""
        return len(self.fabric.location_of)

    def sets(self, num_steps: int) -> TransferSets:
        """Return steps without transfers."""
        shape = (num_steps, self.num_inlets)
        return TransferSets(
            sender=np.full(shape, -1, dtype=np.int32),
            hops=np.zeros(shape, dtype=np.int32),
            path=np.zeros((*shape, max(1, self.fabric.most_hops)), dtype=np.int32),
            holder=np.full((num_steps, max(1, len(self.fabric.unit_of))), -1, dtype=np.int32),
            sending=np.zeros((num_steps, len(self.fabric.home)), dtype=np.int32),
        )

    def work(self, sets: TransferSets) -> TransferWork:
        """Return sets with the fabric and with room to work in."""
        states = [np.zeros(len(self.fabric.first_out) - 1, dtype=np.int64) for _ in range(4)]
        scratch = SetScratch(*states, *(column[0].copy() for column in self.sets(1)))
        return TransferWork(self.fabric, sets, scratch)

    def reach(self, num_steps: int) -> Reach:
        """Return which origins have reached each location at the start, with room for all steps, and which must."""
        problem, num_locations = self.problem, len(self.fabric.home)
        origins = np.unique(problem.ends[:, 0])
        num_words = (len(origins) + 63) // 64
        reached = np.zeros((num_steps + 1, num_locations, num_words), dtype=np.uint64)
        wanted = np.zeros((num_locations, num_words), dtype=np.uint64)
        word, bit = np.arange(len(origins)) // 64, np.uint64(1) << (np.arange(len(origins)) % 64).astype(np.uint64)
        reached[0, origins, word] = bit
        if problem.pattern == "private":
            number = np.searchsorted(origins, problem.ends[:, 0])
            np.bitwise_or.at(wanted, (problem.ends[:, 1], word[number]), bit[number])
        else:
            for receiver in problem.collective.receivers:
                np.bitwise_or.at(wanted[receiver], word, bit)
        wanted &= ~reached[0]
        return Reach(reached, wanted)


def _images(problem: Problem, locations: Longs, group: Sequence[Symmetry]) -> Longs:
    """Return where each symmetry takes each location."""
    num_processors = problem.network.num_processors
    switches = (~locations[num_processors:]).tolist()
    number_of = {router: num_processors + index for index, router in enumerate(switches)}
    images = np.zeros((len(group), len(locations)), dtype=np.int64)
    for row, symmetry in zip(images, group, strict=True):
        row[:num_processors] = symmetry.processors
        row[num_processors:] = [number_of[int(symmetry.routers[router])] for router in switches]
    return images


def _hops_between_states(problem: Problem) -> tuple[list[list[tuple[int, int]]], int]:
    """Return the channels out of each state and the states that they lead to, and the number of states a router.

    Where switches pass, a path ends as soon as it comes to a router with processors: that is its second state, which
    nothing leads out of.
    """
    if not problem.passes_switches:
        moves = StateHops(problem.network, problem.restriction)
        return moves.out, moves.num_phases
    is_switch = problem.is_switch.tolist()
    out: list[list[tuple[int, int]]] = [[] for _ in range(2 * problem.network.num_routers)]
    for channel, (tail, head) in enumerate(problem.network.channels.tolist()):
        out[2 * tail].append((channel, 2 * head + (not is_switch[head])))
    return out, 2


def _path_limits(problem: Problem) -> tuple[Longs, bool, int]:
    """Return the distances that shortest paths keep, whether paths must be shortest, and the most hops of one."""
    network, restriction = problem.network, problem.restriction
    is_passed = problem.passes_switches
    if problem.rules.switching == "store-and-forward" and not is_passed:
        return np.zeros((1, 1), dtype=np.int64), False, min(1, network.num_routers)
    if problem.rules.routing == "any" or (is_passed and not problem.takes_shortest_hops):
        is_short = is_passed and not joins_switches(problem)
        longest = 2 if is_short else int(network.distances.max() + MOST_DETOUR)
        return np.zeros((1, 1), dtype=np.int64), False, min(longest, network.num_routers)
    everyone = np.arange(network.num_routers)
    distances = network.distances if restriction is None else restriction.distances(everyone)
    return distances.astype(np.int64), True, min(int(distances.max()), network.num_routers)
