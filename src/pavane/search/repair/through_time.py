"""Mending store-and-forward scatter by ejection search through time: what is left of the old schedule is heavy."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from pavane.model.arrays import Ints
from pavane.model.problem import Problem
from pavane.model.schedule import Transfer
from pavane.parallel.budget import Budget
from pavane.search.repair.timetable import Hop
from pavane.solvers.ejection.hop_assignment import HopAssignment, ways_between
from pavane.solvers.ejection.hop_network import HopNetwork
from pavane.solvers.ejection.time_ejection import MOST_WAYS, TimeEjection

MOST_CELLS = 200_000_000
"""Pairs of a hop and a step that one attempt may look at; about a second's worth."""

DETOUR = 1
"""How many hops more than the shortest a message may take that cannot go as before."""


def suits(problem: Problem) -> bool:
    """Say whether ejection search through time can mend a schedule, and knows its channels one from the other."""
    channels = problem.network.channels
    return TimeEjection().supports(problem) and len(np.unique(channels, axis=0)) == len(channels)


def homes_of(hops: Iterable[tuple[Hop, tuple[int, ...], bool]]) -> dict[int, list[Hop]]:
    """Return the old hops, in order, of the messages that can still go all of their old way."""
    homes: dict[int, list[Hop]] = {}
    broken: set[int] = set()
    for hop, messages, is_alive in hops:
        for message in messages:
            homes.setdefault(message, []).append(hop)
            if not is_alive:
                broken.add(message)
    return {message: sorted(homes[message]) for message in sorted(homes.keys() - broken)}


def pushed_through_time(
    problem: Problem, num_steps: int, homes: dict[int, list[Hop]], seed: int, weight: float, budget: Budget
) -> list[Transfer] | None:
    """Return transfers for all messages, at their homes where that can be; None where none were found.

    A message that still has its old hops begins with that weight for each of them, the others with 1.
    """
    network = HopNetwork.of(problem)
    ways = ways_between(network, DETOUR, MOST_WAYS)
    if ways is None:
        return None
    longest = max(map(len, homes.values()), default=0)
    assignment = HopAssignment(network, ways, np.ones(num_steps, dtype=np.int64), least_room=longest)
    numbers = _Numbers(network)
    taken = {message: numbers.of(hops) for message, hops in homes.items() if numbers.know(hops)}
    for message, (hops, steps) in taken.items():
        if assignment.put(message, hops, steps):
            assignment.partial.weights[message] = int(weight * len(hops))
    rng = np.random.default_rng(seed)
    if not assignment.fill(max(1_000, MOST_CELLS // assignment.cells_per_move), rng, budget):
        return None
    _go_home(assignment, taken)
    return list(_transfers(assignment, numbers))


class _Numbers:
    """The numbers of hops by where they lead and over which channels."""

    def __init__(self, network: HopNetwork) -> None:
        channel_of = network.bundles.channel_of[network.bundles.first_lane[:-1]].tolist()
        paths = [tuple(channel_of[bundle] for bundle in path) for path in network.paths]
        ends = network.location_of[network.graph.wiring.tails], network.location_of[network.graph.wiring.heads]
        path_of = network.path_of.tolist()
        self.ways = [
            (sender, receiver, paths[path] if path >= 0 else ())
            for sender, receiver, path in zip(ends[0].tolist(), ends[1].tolist(), path_of, strict=True)
        ]
        self.number_of = {way: number for number, way in enumerate(self.ways)}

    def know(self, hops: list[Hop]) -> bool:
        """Say whether hops are listed; of ways over switches only the shortest are."""
        return all((hop.sender, hop.receiver, hop.path) in self.number_of for hop in hops)

    def of(self, hops: list[Hop]) -> tuple[Ints, Ints]:
        """Return the numbers and the steps of hops."""
        numbers = [self.number_of[hop.sender, hop.receiver, hop.path] for hop in hops]
        return np.array(numbers, dtype=np.int32), np.array([hop.step for hop in hops], dtype=np.int32)


def _go_home(assignment: HopAssignment, homes: dict[int, tuple[Ints, Ints]]) -> None:
    """Bring messages back to their old hops as long as there is room for one."""
    moved = True
    while moved:
        moved = False
        for message, home in homes.items():
            now = assignment.hops_of(message)
            if not all(map(np.array_equal, now, home)):
                assignment.take_out(message)
                is_home = assignment.put(message, *home)
                moved |= is_home
                if not is_home:
                    assignment.put(message, *now)


def _transfers(assignment: HopAssignment, numbers: _Numbers) -> Iterable[Transfer]:
    for message in range(len(assignment.partial.num_hops)):
        hops, steps = assignment.hops_of(message)
        for hop, step in zip(hops.tolist(), steps.tolist(), strict=True):
            sender, receiver, path = numbers.ways[hop]
            yield Transfer(step, sender, receiver, path, (message,))
