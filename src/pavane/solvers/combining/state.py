"""Arrays for the combining kernels, made of a problem, and schedules, made of the arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pavane.kernels.combining import Fabric, Scratch, Sets
from pavane.model.problem import Problem
from pavane.model.routing import Moves
from pavane.model.symmetry import Symmetry

Longs = npt.NDArray[np.int64]

LONGEST_DETOUR = 4
"""Under any routing: how many channels more than the diameter a path may have."""


@dataclass(frozen=True, eq=False)
class Places:
    """Where messages can rest, and the fabric between."""

    problem: Problem
    fabric: Fabric
    locations: Longs
    """Each place as a schedule writes it: a processor, or ~r for pure switch r."""

    @classmethod
    def of(cls, problem: Problem, group: Sequence[Symmetry] = ()) -> Places:
        """Read off the places and the fabric of a problem of private or broadcast messages.

        The group lists its symmetries but the identity; each moves every place and every unit of capacity.
        """
        network, rules = problem.network, problem.rules
        hop_by_hop = rules.switching == "store-and-forward"
        homes, locations = network.router_of.astype(np.int64), np.arange(network.num_processors)
        injection, ejection = problem.injection.astype(np.int64), problem.ejection.astype(np.int64)
        if hop_by_hop:
            switches = np.flatnonzero(np.bincount(network.router_of, minlength=network.num_routers) == 0)
            homes, locations = np.concatenate((homes, switches)), np.concatenate((locations, ~switches))
            injection = np.concatenate((injection, network.out_degrees[switches]))
            ejection = np.concatenate((ejection, network.in_degrees[switches]))
        # No more transfers than channels into a router can arrive there, besides those from its own places.
        neighbours = np.bincount(homes, minlength=network.num_routers)[homes] - 1
        room = network.in_degrees[homes] + neighbours * np.max(injection, initial=1)
        inlets = np.minimum(ejection, room)
        restriction = problem.restriction
        moves = Moves(network, restriction)
        distances = np.zeros((1, 1), dtype=np.int64)
        is_minimal = not hop_by_hop and rules.routing != "any"
        everyone = np.arange(network.num_routers)
        if is_minimal:
            distances = (network.distances if restriction is None else restriction.distances(everyone)).astype(np.int64)
        longest = 1 if hop_by_hop else int(distances.max() if is_minimal else network.distances.max() + LONGEST_DETOUR)
        by_home = np.argsort(homes, kind="stable")
        first_inlet = np.concatenate(([0], np.cumsum(inlets))).astype(np.int64)
        place_of = np.repeat(np.arange(len(homes)), inlets).astype(np.int64)
        image_place = np.zeros((len(group), len(homes)), dtype=np.int64)
        for number, symmetry in enumerate(group):
            image_place[number, : network.num_processors] = symmetry.processors
            if hop_by_hop:
                number_of = {int(r): network.num_processors + i for i, r in enumerate(switches)}
                image_place[number, network.num_processors :] = [number_of[int(symmetry.routers[r])] for r in switches]
        image_inlet = first_inlet[image_place[:, place_of]] + (np.arange(len(place_of)) - first_inlet[place_of])
        fabric = Fabric(
            np.concatenate(([0], np.cumsum([len(hops) for hops in moves.out]))).astype(np.int64),
            np.array([channel for hops in moves.out for channel, _ in hops], dtype=np.int64),
            np.array([state for hops in moves.out for _, state in hops], dtype=np.int64),
            moves.num_phases,
            problem.units.astype(np.int64),
            distances,
            is_minimal,
            min(longest, network.num_routers),
            homes.astype(np.int64),
            np.searchsorted(homes[by_home], np.arange(network.num_routers + 1)).astype(np.int64),
            by_home.astype(np.int64),
            injection,
            first_inlet,
            place_of,
            image_place,
            # Of one layout whatever the group, so that kernels are compiled once.
            np.ascontiguousarray(image_inlet.reshape(len(group), len(place_of))),
            np.array([s.channels for s in group], dtype=np.int64).reshape(len(group), network.num_channels),
        )
        return cls(problem, fabric, locations.astype(np.int64))

    @property
    def num_inlets(self) -> int:
        """Return the number of transfers that can arrive in one step, over all places."""
        return len(self.fabric.place_of)

    def sets(self, num_steps: int) -> Sets:
        """Return steps without transfers."""
        shape = (num_steps, self.num_inlets)
        return Sets(
            np.full(shape, -1, dtype=np.int32),
            np.zeros(shape, dtype=np.int32),
            np.zeros((*shape, max(1, self.fabric.most_hops)), dtype=np.int32),
            np.full((num_steps, max(1, len(self.fabric.unit_of))), -1, dtype=np.int32),
            np.zeros((num_steps, len(self.fabric.home)), dtype=np.int32),
        )

    def scratch(self) -> Scratch:
        """Return room to work in."""
        states = len(self.fabric.first_out) - 1
        one = self.sets(1)
        return Scratch(
            *(np.zeros(states, dtype=np.int64) for _ in range(4)),
            *(column[0].copy() for column in one),
        )
