"""Checks certificates of bounds on several collectives at once, against the problem alone.

What each collective must pass over a cut, through the ports of a processor, between classes of routers, or over all
channels, adds up, because all use the same capacities.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from pavane.judge.checkers import SEVERAL, checks
from pavane.judge.facts import across, holders, hops, links, links_out, marked, ports, room, shared, whole, wiring
from pavane.judge.sum_certificates import room_between
from pavane.model.arrays import Flags
from pavane.model.bound import Bound
from pavane.model.duals import dual
from pavane.model.problem import Problem


@checks("cuts of several", SEVERAL, "joint-cut", holds_for_trees=True)
def by_cut(problem: Problem, bound: Bound) -> Fraction:
    """Return the steps in which the channels out of a set of routers can carry what all collectives must."""
    first = problem.parts[0]
    inside = marked(first, bound.certificate["routers"])
    amount, out = sum(_must_leave(part, inside) for part in problem.parts), links_out(first, inside)
    if problem.rules.duplex == "half":
        amount += sum(_must_leave(part, ~inside) for part in problem.parts)
        out |= links_out(first, ~inside)
    return shared(amount, room(first, out))


def _must_leave(part: Problem, inside: Flags) -> int:
    """Return how many messages, partial results or sums of a collective must leave a set of routers."""
    if part.pattern == "reduction":
        # Backwards, what leaves a set enters it.
        return across(dual(part), ~inside).num_messages
    if part.pattern == "allreduce":
        is_inside = inside[part.network.router_of[list(part.collective.senders)]]
        return part.num_messages if is_inside.any() and not is_inside.all() else 0
    return across(part, inside).num_messages


@checks("ports of several", SEVERAL, "joint-ports", holds_for_trees=True)
def by_ports(problem: Problem, bound: Bound) -> Fraction:
    """Return the steps in which a processor can send, and receive, what it must for all collectives."""
    processor = whole(bound.certificate["processor"])
    sending, receiving = ports(problem.parts[0])
    if not 0 <= processor < len(sending):
        raise ValueError(f"there is no processor {processor}")
    amounts = [_at_processor(part, processor) for part in problem.parts]
    sent, received = (sum(side) for side in zip(*amounts, strict=True))
    sides = ((sent, sending[processor]), (received, receiving[processor]))
    # A processor without channels one way has nothing to carry that way.
    return max((shared(amount, size) for amount, size in sides if amount), default=Fraction(0))


def _at_processor(part: Problem, processor: int) -> tuple[int, int]:
    """Return how many transfers a processor must send, and receive, for a collective."""
    collective = part.collective
    if part.pattern == "private":
        origins, targets = part.ends.T.tolist()
        return origins.count(processor), targets.count(processor)
    if part.pattern == "allreduce":
        both = part.num_messages if processor in collective.senders else 0
        return both, both
    own = sum(end == processor for (end,) in part.ends.tolist())
    others = len(part.ends) - own
    if part.pattern == "broadcast":
        return own, others if processor in collective.receivers else 0
    return others if processor in collective.senders else 0, own


@checks("classes of several", SEVERAL, "joint-transfers")
def by_classes(problem: Problem, bound: Bound) -> Fraction:
    """Return the steps in which the transfers of all collectives between classes of routers can run.

    Where a message can rest is in exactly one class; a switch that passes may be in several, or in none.
    """
    first = problem.parts[0]
    classes = [marked(first, one) for one in bound.certificate["classes"]]
    class_of: dict[int, int] = {}
    for router in {*problem.network.router_of.tolist(), *holders(first)}:
        its = [number for number, one in enumerate(classes) if one[router]]
        if len(its) != 1:
            raise ValueError("a router where messages can rest is not in one class, but in none or in several")
        class_of[router] = its[0]
    homes = [class_of[router] for router in problem.network.router_of.tolist()]
    amount = sum(_between(part, homes) for part in problem.parts)
    return max(shared(amount, room_between(first, classes, entering)) for entering in (False, True))


def _between(part: Problem, homes: list[int]) -> int:
    """Return how many transfers of a collective run between classes of processors at least."""
    collective = part.collective
    if part.pattern == "private":
        return sum(homes[origin] != homes[target] for origin, target in part.ends.tolist())
    if part.pattern == "allreduce":
        return 2 * (len({homes[member] for member in collective.senders}) - 1) * part.num_messages
    many = collective.receivers if part.pattern == "broadcast" else collective.senders
    classes = {homes[member] for member in many}
    return sum(len(classes - {homes[end]}) for (end,) in part.ends.tolist())


@checks("volumes of several", SEVERAL, "joint-volume", holds_for_trees=True)
def by_volume(problem: Problem, bound: Bound) -> Fraction:
    """Return the steps in which all channels can carry what all collectives cannot do without."""
    first = problem.parts[0]
    amount = sum(_channel_uses(part) for part in problem.parts)
    return shared(amount, room(first, set(links(first))))


def _channel_uses(part: Problem) -> int:
    """Return how many uses of channels a collective cannot do without."""
    homes = part.network.router_of.tolist()
    if part.pattern == "private":
        neighbours = wiring(part)
        pairs, counts = np.unique(part.ends, axis=0, return_counts=True)
        away = {home: hops(neighbours, home) for home in {homes[origin] for origin, _ in pairs.tolist()}}
        ways = zip(pairs.tolist(), counts.tolist(), strict=True)
        return sum(away[homes[origin]][homes[target]] * count for (origin, target), count in ways)
    if part.pattern == "allreduce" and part.has_trees:
        # Each router with a member is entered; a tree may do that once for all.
        num_homes = len({homes[member] for member in part.collective.senders})
        return num_homes * part.num_messages if num_homes > 1 else 0
    return _between(part, homes)
