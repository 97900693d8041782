"""Checks certificates that bound the steps of an allreduce, against the problem alone.

Of every piece each member's contribution must come to all the others.
"""

from __future__ import annotations

from math import ceil

from pavane.judge.checkers import SUMS, checks
from pavane.judge.facts import (
    carried,
    is_stored,
    ports,
    router_ports,
    shared,
    steps_from,
    whole,
)
from pavane.model.bound import Bound
from pavane.model.problem import Problem

MOST_MEMBERS = 128
"""Profiles of more routers with members are not counted."""


@checks("first steps", SUMS, "first-step")
def by_first_step(problem: Problem, bound: Bound) -> int:
    """Return 2 where the contributions of all others to every piece do not come to a member, and its own out, at once.

    In the first step nothing else is sent, because no sum has grown yet.
    """
    processor, (sending, receiving) = whole(bound.certificate["processor"]), ports(problem)
    members = problem.collective.senders
    if processor not in members:
        raise ValueError(f"processor {processor} contributes nothing")
    needed = problem.num_messages * (len(members) - 1)
    return 2 if needed > min(sending[processor], receiving[processor]) else 1


@checks("last arrivals", SUMS, "last-arrival", key="from")
def by_last_arrival(problem: Problem, bound: Bound) -> int:
    """Return the steps in which the last sum of every piece can come to a member from as far as another.

    Before the distance is covered no sum at the target has what the source contributes, so every piece arrives there
    in that step or later. And every piece leaves the source that many steps before the end, or earlier.
    """
    if not is_stored(problem):
        raise ValueError("distance bounds store-and-forward only; a wormhole runs any path in one step")
    source, target = whole(bound.certificate["from"]), whole(bound.certificate["to"])
    members = problem.collective.senders
    if source == target or source not in members or target not in members:
        raise ValueError(f"{source} and {target} are not two different members")
    homes = problem.network.router_of.tolist()
    away = steps_from(problem, homes[source])
    sending, receiving = ports(problem)
    late = shared(problem.num_messages, min(sending[source], receiving[target]))
    return max(1, away[homes[target]]) - 1 + ceil(late)


@checks("centres", SUMS, "last-arrival", key="router")
def by_centre(problem: Problem, bound: Bound) -> int:
    """Return the steps in which sums can pass through the only router that joins several parts of the network.

    A first sum of each piece from each part must enter it, and the last of these must then be sent to all other parts.
    And a last sum of each piece must leave it for each part; before the first of these all others must have sent.
    """
    if not is_stored(problem):
        raise ValueError("a wormhole passes a router without its ports")
    centre, homes = whole(bound.certificate["router"]), problem.network.router_of.tolist()
    if centre not in homes:
        raise ValueError(f"router {centre} has no processor, so nothing need rest there")
    to_find, num_parts = {homes[member] for member in problem.collective.senders} - {centre}, 0
    while to_find:
        to_find -= _joined_without(problem, centre, min(to_find))
        num_parts += 1
    if num_parts < 2:
        raise ValueError(f"without router {centre} the members are still joined")
    sending, receiving = router_ports(problem, counts_switches=False)
    out = min(sending[centre], carried(problem)[centre])
    into = min(receiving[centre], carried(problem, backwards=True)[centre])
    sums, others = num_parts * problem.num_messages, num_parts - 1
    return max(ceil(shared(sums, one)) + ceil(shared(others, other)) for one, other in ((into, out), (out, into)))


def _joined_without(problem: Problem, centre: int, start: int) -> set[int]:
    """Return the routers that channels of whatever direction join to one, without a router."""
    beside: dict[int, set[int]] = {router: set() for router in range(problem.network.num_routers)}
    for tail, head in problem.network.channels.tolist():
        beside[tail].add(head)
        beside[head].add(tail)
    joined, latest = {start}, {start}
    while latest:
        latest = set().union(*(beside[router] for router in latest)) - joined - {centre}
        joined |= latest
    return joined
