"""Which channels each displacement goes over, by their kinds, so that the busiest kind is loaded as little as possible.

Translations commute, so a way is a number of hops of each kind that add up to the displacement, in whatever order. A
way is good in every order if no part of it leads nowhere; shortest ways are.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

from pavane.model.arrays import Ints, Longs, Reals
from pavane.solvers.machines import Machines
from pavane.symmetry.translation_groups import TranslationGroup

MOST_WAYS = 32
"""How many ways of one length are compared for a displacement."""

MOST_PASSES = 100
"""How often all displacements that have a choice may choose."""

MOST_CHOICES = 50_000
"""How often single displacements may choose in all: about a second."""

PASSES_BEFORE_A_START = 10
"""Passes after which all displacements start over."""


NORM = 8
"""The power of loads that choices make least: squares would shun every detour, because it makes loads larger in all."""


@dataclass(frozen=True, eq=False)
class WayChoice:
    """How displacements choose among their ways."""

    group: TranslationGroup
    machines: Machines
    rng: np.random.Generator

    def best(self, displacements: Longs, most_extra: int = 0) -> Longs:
        """Return the hops by kind of each displacement, on shortest ways or with at most that many hops more."""
        return self._balanced(displacements, hop_counts_between(self.group, most_extra))

    def fewest_beats(self, displacements: Longs, ways: Longs) -> int:
        """Return a lower bound on the number of beats, whatever the ways: what the busiest machines must carry.

        Every displacement is charged its hops over the machines that these ways load most, however it may go.
        """
        machines, busiest = self.machines, self.machines.busiest(ways)
        charged = _charges(self.group, busiest[machines.machine_of].astype(np.int64))[displacements].sum()
        hops = _charges(self.group, np.ones(self.group.num_kinds, dtype=np.int64))[displacements]
        return max(
            int(-(-charged // machines.room[busiest].sum())),
            int(-(-hops.sum() // machines.most_at_once)),
            int(hops.max(initial=0)),
        )

    def _balanced(self, displacements: Longs, ways: list[Longs]) -> Longs:
        """Let one displacement after the other choose the way that minimizes a high norm of the loads.

        Ties are broken at random, so that a later pass may find a combination that no single choice leads to.
        """
        loading = self._loading()
        forced = np.array([ways[target][0] for target in displacements.tolist()], dtype=np.int64)
        forced = forced.reshape(-1, self.group.num_kinds)
        free = np.array([len(ways[target]) > 1 for target in displacements.tolist()], dtype=bool)
        best, chosen, order = forced, forced, np.flatnonzero(free)
        for number in range(min(MOST_PASSES, len(order) and 1 + MOST_CHOICES // len(order))):
            if number % PASSES_BEFORE_A_START == 0:
                # Start over in another order.
                chosen, order = np.where(free[:, None], 0, forced), self.rng.permutation(order)
            loads = chosen.sum(axis=0) @ loading
            for job in order.tolist():
                options = ways[displacements[job]]
                loads -= chosen[job] @ loading
                needs = options @ loading + loads
                costs = ((needs / needs.max()) ** NORM).sum(axis=1)
                ties = np.flatnonzero(costs < costs.min() * (1 + 1e-9))
                chosen[job] = options[ties[int(self.rng.random() * len(ties))]]
                loads += chosen[job] @ loading
            best = min(best, chosen.copy(), key=self.machines.num_beats)
            if self.machines.num_beats(best) <= self.fewest_beats(displacements, best):
                break
        return best

    def _loading(self) -> Reals:
        """Return what part of a beat a hop of each kind takes from each machine."""
        loading = np.zeros((self.group.num_kinds, len(self.machines.room)))
        loading[np.arange(self.group.num_kinds), self.machines.machine_of] = 1.0
        return loading / self.machines.room


def hop_counts_between(group: TranslationGroup, most_extra: int) -> list[Longs]:
    """List the ways from router 0 to each router: shortest ones, and those with at most that many hops more."""
    backwards = group.sums[group.opposites[group.hops]]
    """The router before each, by the kind of the last hop."""
    distances = group.network.distances_from(0)
    units = np.eye(group.num_kinds, dtype=np.int64)
    found: list[list[Longs]] = [[] for _ in distances]
    layer: list[dict[bytes, Longs]] = [{} for _ in distances]
    layer[0][units[0].tobytes()] = units[0] * 0
    for length in range(1, int(distances.max()) + most_extra + 1):
        following: list[dict[bytes, Longs]] = [{} for _ in distances]
        for router in np.flatnonzero((distances <= length) & (distances + most_extra >= length)).tolist():
            ways = following[router]
            for kind, before in enumerate(backwards[:, router].tolist()):
                for way in layer[before].values():
                    if len(ways) < MOST_WAYS:
                        longer = way + units[kind]
                        ways.setdefault(longer.tobytes(), longer)
            if length > distances[router]:
                ways = {key: way for key, way in ways.items() if not _returns(group, way)}
                following[router] = ways
            if router:
                found[router] += ways.values()
        layer = following
    return [np.array(ways, dtype=np.int64).reshape(-1, group.num_kinds) for ways in found]


def _returns(group: TranslationGroup, way: Longs) -> bool:
    """Return whether some of the hops of a way lead back to where they began."""
    sizes = np.array(group.sizes)
    parts = np.array(list(product(*(range(hops + 1) for hops in way.tolist()))))
    moved = parts @ np.array(np.unravel_index(group.hops, group.sizes)).T % sizes
    return int((~moved.any(axis=1)).sum()) > 1


def _charges(group: TranslationGroup, prices: Longs) -> Longs:
    """Return what the cheapest way from router 0 to each router costs, if each kind of channel has a price."""
    backwards: Ints = group.sums[group.opposites[group.hops]]
    costs = np.full(group.network.num_routers, np.iinfo(np.int64).max // 2)
    costs[0] = 0
    while True:
        cheaper = np.minimum(costs, (costs[backwards] + prices[:, None]).min(axis=0))
        if np.array_equal(cheaper, costs):
            return costs
        costs = cheaper
