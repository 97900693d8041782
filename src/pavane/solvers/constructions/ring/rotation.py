"""Rotation: allgather over one port in P - 1 steps, which is optimal, on nearly every network.

The processors form a cycle, and in every step each passes to the next the message that it got last (its own in the
first step). Every processor sends and receives one message a step, a new one each time, so after P - 1 steps all have
all; with one port that is the fewest steps. It takes a cycle whose paths, from each processor to the next,
share no channel. Two known constructions give one:

* The Euler tour of a spanning tree of two-way links (`processor_cycles`), under wormhole and full duplex. Under minimal
  routing several trees are tried, and one counts only if all its paths are shortest.
* A Hamiltonian cycle of the routers that have members (`hamiltonian_cycles`). Its paths are single channels, so it also
  serves store-and-forward, half duplex, every routing, and one-way networks (Kautz, de Bruijn).

Processors on one router follow each other and need no channel between them. Reductions are solved backwards.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from pavane.model.duals import forwards
from pavane.model.network import Network
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.parallel.budget import Budget
from pavane.solvers.constructions.ring.hamiltonian_cycles import hamiltonian_cycle
from pavane.solvers.constructions.ring.processor_cycles import Cycle, euler_tours
from pavane.solvers.solving import solve_once

MOST_TRANSFERS = 2**24
"""Beyond this many transfers the columns of the schedule alone would take gigabytes."""


@dataclass(frozen=True)
class Rotation:
    """Rotation along a cycle of processors; deterministic, so all seeds give the same."""

    name: str = "rotation"

    def supports(self, problem: Problem) -> bool:
        """Supports all members sending to all members, where a cycle for them is found; it is cached for `find`."""
        return _cycle(forwards(problem)) is not None

    def find(
        self, problem: Problem, num_steps: int | None, rng: np.random.Generator, budget: Budget
    ) -> Schedule | None:
        """Return the rotation, unless it takes more than `num_steps` or there is no time."""
        fits = num_steps is None or num_steps >= problem.num_messages - 1
        cycle = _cycle(problem) if fits and not budget.is_over else None
        return None if cycle is None else cycle.rotation()

    __call__ = solve_once


@lru_cache(maxsize=16)
def _cycle(problem: Problem) -> Cycle | None:
    """Return a cycle of the members whose paths are admissible and share no channel, if one is found."""
    members, rules = rotating_members(problem), problem.rules
    if not members:
        return None
    if rules.switching == "wormhole" and rules.duplex == "full" and problem.restriction is None:
        tours = euler_tours(problem.network, members)
        if rules.routing == "any":
            tour = next(tours, None)
        else:
            tour = next((tour for tour in tours if _is_minimal(problem.network, tour)), None)
        if tour is not None:
            return tour
    return ring_of_members(problem, members)


def rotating_members(problem: Problem) -> set[int]:
    """Return the members where all of them send to all of them and messages may rotate; none elsewhere."""
    members, rules = set(problem.collective.senders), problem.rules
    is_small = len(members) ** 2 <= MOST_TRANSFERS
    is_whole = problem.pattern == "broadcast" and problem.is_plain and members == set(problem.collective.receivers)
    return members if is_small and is_whole and not (rules.combining or rules.has_slots) else set()


def _is_minimal(network: Network, cycle: Cycle) -> bool:
    homes = network.router_of[list(cycle.order)].tolist()
    starts = [(home, following) for home, following in zip(homes, homes[1:] + homes[:1], strict=True)]
    lengths = [len(path) for path in cycle.paths]
    # Longest first: those are the ones that fail.
    longest_first = sorted((pair for pair in zip(lengths, starts, strict=True) if pair[0] > 1), reverse=True)
    return all(network.distances_from(start)[end] == length for length, (start, end) in longest_first)


def ring_of_members(problem: Problem, members: set[int], *, is_two_way: bool = False) -> Cycle | None:
    """Return a cycle of single channels through all routers that have members, or of links that go both ways."""
    network = problem.network
    homes = sorted({int(network.router_of[member]) for member in members})
    if len(homes) == 1:
        return Cycle(tuple(sorted(members)), ((),) * len(members))
    number_of = {home: number for number, home in enumerate(homes)}
    channel_from: list[dict[int, int]] = [{} for _ in homes]
    for channel, (tail, head) in enumerate(network.channels.tolist()):
        is_usable = not is_two_way or network.opposite[channel] >= 0
        if is_usable and tail in number_of and head in number_of:
            # Of parallel channels the last one out and the first one back differ in their link under half duplex.
            ways = channel_from[number_of[tail]]
            if tail < head or number_of[head] not in ways:
                ways[number_of[head]] = channel
    after = [sorted(ways) for ways in channel_from]
    following = hamiltonian_cycle(after)
    if following is None:
        return None
    order: list[int] = []
    paths: list[tuple[int, ...]] = []
    here = 0
    for _ in homes:
        residents = [member for member in network.processors_on[homes[here]] if member in members]
        order += residents
        paths += [()] * (len(residents) - 1) + [(channel_from[here][following[here]],)]
        here = following[here]
    used = problem.units[[channel for path in paths for channel in path]]
    return Cycle(tuple(order), tuple(paths)) if len(np.unique(used)) == len(used) else None
