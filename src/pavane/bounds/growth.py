"""The bounds by growth: how many processors can have data of one origin after each step, log(P) / log(k + 1).

Each processor that holds a message sends it to at most as many others as it has ports (gecco07 eq. (4), with the real
ports of every processor instead of the largest): the largest ports are assumed to be reached first. It holds for
private messages too where they may be combined, because the receiver of a message must have data of its origin.
Then a receiver may get data of many origins at once, so that growth read backwards bounds it, too: gathering.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pavane.bounds.phrases import Unit
from pavane.model.arrays import Longs
from pavane.model.bound import Bound
from pavane.model.problem import Problem

NAME, GATHERING = "growth", "gathering"


def make(problem: Problem) -> Iterator[Bound]:
    """Yield the steps until the processors informed by the origin with the most receivers are enough."""
    if problem.pattern == "broadcast" or problem.rules.combining:
        yield growth_of_the_worst(problem, NAME)


def by_gathering(problem: Problem) -> Iterator[Bound]:
    """Yield the steps until the receiver with the most origins can have received from enough of them."""
    if problem.rules.combining:
        yield growth_of_the_worst(problem, GATHERING, backwards=True)


def explain(problem: Problem, bound: Bound, unit: Unit) -> str:
    """State how many a processor must inform, or hear from, and how many can know; the unit is always a step."""
    origin, backwards = bound.certificate["origin"], bound.argument == GATHERING
    wanted = audience(problem, origin, backwards=backwards)
    # Counted again: the figures beside a certificate are for people, and are not checked.
    counts = ", ".join(f"{count - 1:,}" for count in informed(problem, origin, wanted, backwards=backwards)[1:])
    if backwards:
        return (
            f"processor {origin} must hear from {wanted:,} others; after 1, 2, ... steps it can from at most {counts}"
        )
    return f"processor {origin} must inform {wanted:,} others; after 1, 2, ... steps at most {counts} can know"


def growth_of_the_worst(problem: Problem, argument: str, *, backwards: bool = False) -> Bound:
    """Return the bound of the one with the most others to reach, and among those the one with the fewest ports."""
    ports = problem.ejection if backwards else problem.injection
    members, counts = _audiences(problem, backwards=backwards)
    worst = max(range(len(members)), key=lambda i: (int(counts[i]), -int(ports[members[i]]), -i))
    return growth_of(problem, argument, int(members[worst]), int(counts[worst]), backwards=backwards)


def growth_of_everyone(problem: Problem, argument: str, *, backwards: bool = False) -> Iterator[Bound]:
    """Yield the bounds of all that are not alike: few ports may matter more than many others to reach."""
    ports = problem.ejection if backwards else problem.injection
    seen: set[tuple[int, int]] = set()
    for member, wanted in zip(*(column.tolist() for column in _audiences(problem, backwards=backwards)), strict=True):
        alike = (wanted, int(ports[member]))
        if wanted and alike not in seen:
            seen.add(alike)
            yield growth_of(problem, argument, member, wanted, backwards=backwards)


def growth_of(problem: Problem, argument: str, origin: int, wanted: int, *, backwards: bool) -> Bound:
    """Return the bound of one origin; backwards, of one receiver."""
    reached = informed(problem, origin, wanted, backwards=backwards)
    return Bound(len(reached) - 1, argument, {"origin": origin, "informed": reached})


def _audiences(problem: Problem, *, backwards: bool) -> tuple[Longs, Longs]:
    """Return the origins, and how many others must hear from each; backwards, the receivers and what they must hear."""
    if problem.pattern == "private":
        known, counts = np.unique(problem.distinct_ends[:, int(backwards)], return_counts=True)
        return known.astype(np.int64), counts.astype(np.int64)
    origins: Longs = problem.distinct_ends[:, 0].astype(np.int64)
    receivers: Longs = np.unique(problem.collective.receivers).astype(np.int64)
    members, others = (receivers, origins) if backwards else (origins, receivers)
    return members, len(others) - np.isin(members, others).astype(np.int64)


def informed(problem: Problem, origin: int, wanted: int, *, backwards: bool = False) -> list[int]:
    """Return how many locations the origin can have informed after 0, 1, ... steps, until `wanted` others are.

    Backwards, the most locations whose data can have reached it, through its receive ports and those of its relays.
    """
    network = problem.network
    fan_out = (problem.ejection if backwards else problem.injection).tolist()
    own = fan_out.pop(origin)
    if problem.rules.switching == "store-and-forward" and not problem.passes_switches:
        # A pure switch keeps a copy, too, and sends it out on all its channels.
        fan_out += (network.in_degrees if backwards else network.out_degrees)[problem.is_switch].tolist()
    fan_out.sort(reverse=True)
    counts = [1]
    sending = own
    while counts[-1] <= wanted:
        reached = min(counts[-1] + sending, len(fan_out) + 1)
        if reached == counts[-1]:
            raise ValueError(f"processor {origin} cannot reach {wanted} others")
        sending += sum(fan_out[counts[-1] - 1 : reached - 1])
        counts.append(reached)
    return counts


def audience(problem: Problem, member: int, *, backwards: bool = False) -> int:
    """Return how many processors must hear from this one; backwards, how many it must hear from."""
    if problem.pattern == "private":
        return int((problem.distinct_ends[:, 1 if backwards else 0] == member).sum())
    senders, receivers = set(problem.distinct_ends[:, 0].tolist()), set(problem.collective.receivers)
    here, there = (receivers, senders) if backwards else (senders, receivers)
    return len(there - {member}) if member in here else 0
