"""Repair of scatter by ejection search: it starts from the usable part of the old schedule, which is heavy.

Under wormhole switching messages have whole paths, under store-and-forward hops. The home of a message is its place in
the old schedule; messages whose homes still exist start there and are ejected last.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from pavane.model.arrays import Ints
from pavane.model.problem import Problem
from pavane.model.schedule import Transfer
from pavane.parallel.budget import Budget
from pavane.search.repair.timetable import Hop
from pavane.solvers.candidates import Candidates, PathFinder, candidate_paths
from pavane.solvers.ejection.assignment import Assignment
from pavane.solvers.ejection.hop_assignment import HopAssignment, ways_between
from pavane.solvers.ejection.hop_network import HopNetwork
from pavane.solvers.ejection.time_ejection import MOST_WAYS, TimeEjection

MOST_TRIALS = 4_000_000
"""Pairs of a path and a step that one attempt may try; about a second's worth."""

MOST_CELLS = 200_000_000
"""Pairs of a hop and a step that one attempt may examine; about a second's worth."""

DETOUR = 1
"""Under store-and-forward: how many hops more than the shortest a message may take that cannot go as before."""


def place_paths(
    problem: Problem, num_steps: int, homes: dict[int, Hop], detour: int, seed: int, weight: float, budget: Budget
) -> list[Transfer] | None:
    """Return transfers along whole paths for all messages, at their homes where possible; None where none were found.

    A message at home begins with that weight, the others with 1.
    """
    rng = np.random.default_rng(seed)
    known_paths = {message: hop.path for message, hop in homes.items()}
    finder = PathFinder(problem, rng, detour=detour)
    candidates = candidate_paths(problem, finder, known_paths=known_paths, period=num_steps)
    # Room that all messages together could not fill needs no memory.
    candidates = replace(candidates, capacity=np.minimum(candidates.capacity, max(1, len(candidates.messages))))
    assignment = Assignment(candidates, num_steps)
    places = {message: (_path_number(candidates, message, hop), hop.step) for message, hop in homes.items()}
    for message, place in places.items():
        if assignment.put(message, *place):
            assignment.weigh(message, weight)
    if not assignment.fill(assignment.moves_for(MOST_TRIALS), rng, budget):
        return None
    _return_home(assignment, places)
    found = zip(problem.ends.tolist(), assignment.path_of.tolist(), assignment.step_of.tolist(), strict=True)
    return [
        Transfer(step, origin, target, _channels(candidates, path), (message,))
        for message, ((origin, target), path, step) in enumerate(found)
    ]


def _path_number(candidates: Candidates, message: int, hop: Hop) -> int:
    """Return the number of the path that a message took in the old schedule."""
    paths = range(*candidates.first_path[message : message + 2].tolist())
    return next(path for path in paths if _channels(candidates, path) == hop.path)


def _channels(candidates: Candidates, path: int) -> tuple[int, ...]:
    first, last = candidates.channel_offsets[path : path + 2].tolist()
    return tuple(candidates.channels[first:last].tolist())


def _return_home(assignment: Assignment | HopAssignment, homes: Mapping[int, tuple[Any, Any]]) -> None:
    """Return messages to their homes as long as there is room for one."""
    has_moved = True
    while has_moved:
        has_moved = False
        for message, home in homes.items():
            place = assignment.place_of(message)
            if not all(map(np.array_equal, place, home)):
                assignment.take_out(message)
                is_home = assignment.put(message, *home)
                has_moved |= is_home
                if not is_home:
                    assignment.put(message, *place)


# -- store-and-forward


def supports_hops(problem: Problem) -> bool:
    """Return whether ejection search through time supports the problem and no two channels are parallel."""
    channels = problem.network.channels
    return TimeEjection().supports(problem) and len(np.unique(channels, axis=0)) == len(channels)


def homes_of(hops: Iterable[tuple[Hop, tuple[int, ...], bool]]) -> dict[int, list[Hop]]:
    """Return the old hops, in order, of the messages all of whose hops still exist."""
    homes: dict[int, list[Hop]] = {}
    broken: set[int] = set()
    for hop, messages, is_alive in hops:
        for message in messages:
            homes.setdefault(message, []).append(hop)
            if not is_alive:
                broken.add(message)
    return {message: sorted(homes[message]) for message in sorted(homes.keys() - broken)}


def place_hops(
    problem: Problem, num_steps: int, homes: dict[int, list[Hop]], seed: int, weight: float, budget: Budget
) -> list[Transfer] | None:
    """Return store-and-forward transfers for all messages, at their homes where possible; None where none were found.

    A message at home begins with that weight for each of its hops, the others with 1.
    """
    network = HopNetwork.of(problem)
    ways = ways_between(network, DETOUR, MOST_WAYS)
    if ways is None:
        return None
    longest = max(map(len, homes.values()), default=0)
    assignment = HopAssignment(network, ways, np.ones(num_steps, dtype=np.int64), least_room=longest)
    listed = _listed_hops(network)
    number_of = {way: number for number, way in enumerate(listed)}
    # Of ways over switches only the shortest are listed.
    places = {
        message: _numbers(hops, number_of)
        for message, hops in homes.items()
        if all((hop.sender, hop.receiver, hop.path) in number_of for hop in hops)
    }
    for message, place in places.items():
        if assignment.put(message, *place):
            assignment.partial.weights[message] = int(weight * len(place[0]))
    rng = np.random.default_rng(seed)
    if not assignment.fill(max(1_000, MOST_CELLS // assignment.cells_per_move), rng, budget):
        return None
    _return_home(assignment, places)
    return list(_transfers(assignment, listed))


def _listed_hops(network: HopNetwork) -> list[tuple[int, int, tuple[int, ...]]]:
    """Return the sender, receiver and channels of each hop."""
    channel_of = network.bundles.channel_of[network.bundles.first_lane[:-1]].tolist()
    paths = [tuple(channel_of[bundle] for bundle in path) for path in network.paths]
    senders, receivers = (network.location_of[ends].tolist() for ends in network.graph.wiring[:2])
    path_of = (paths[path] if path >= 0 else () for path in network.path_of.tolist())
    return list(zip(senders, receivers, path_of, strict=True))


def _numbers(hops: list[Hop], number_of: dict[tuple[int, int, tuple[int, ...]], int]) -> tuple[Ints, Ints]:
    """Return the numbers and the steps of hops."""
    numbers = [number_of[hop.sender, hop.receiver, hop.path] for hop in hops]
    return np.array(numbers, dtype=np.int32), np.array([hop.step for hop in hops], dtype=np.int32)


def _transfers(assignment: HopAssignment, listed: list[tuple[int, int, tuple[int, ...]]]) -> Iterator[Transfer]:
    for message in range(len(assignment.partial.num_hops)):
        hops, steps = assignment.place_of(message)
        for hop, step in zip(hops.tolist(), steps.tolist(), strict=True):
            sender, receiver, path = listed[hop]
            yield Transfer(step, sender, receiver, path, (message,))
