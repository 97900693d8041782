"""Checks certificates that count what must pass a cut: a set of routers, ports, classes of routers, or all channels.

A message with its origin inside a set and a target outside must leave the set at least once, and of an allreduce with
members on both sides a sum of every piece. Where the network falls into p classes with members, at least 2 (p - 1)
transfers of each piece of an allreduce run between classes: put in any order, those until the first class has received
from all join p classes into one, which takes p - 1, and every other class must receive after that. What several
collectives must pass adds up, because all use the same capacities.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from pavane.judge.checkers import BROADCAST, SEVERAL, SUMS, TRANSFERS, checks
from pavane.judge.facts import (
    across,
    carried,
    holders,
    hops,
    is_stored,
    links,
    links_out,
    marked,
    ports,
    room,
    shared,
    whole,
    wiring,
)
from pavane.model.arrays import Flags
from pavane.model.bound import Bound
from pavane.model.duals import dual
from pavane.model.messages import Pattern
from pavane.model.problem import Problem

ALL: tuple[Pattern, ...] = (*TRANSFERS, *SUMS, *SEVERAL)


@checks("cuts", ALL, key="routers", counts_loads=True, holds_for_trees=True)
def by_cut(problem: Problem, bound: Bound) -> Fraction:
    """Return the steps in which the channels out of a set of routers can carry what must leave it.

    Under half duplex they carry what must enter it, too.
    """
    inside = marked(problem, bound.certificate["routers"])
    amount, out = sum(_must_leave(part, inside) for part in problem.parts), links_out(problem, inside)
    if problem.rules.duplex == "half":
        amount += sum(_must_leave(part, ~inside) for part in problem.parts)
        out |= links_out(problem, ~inside)
    return shared(amount, room(problem, out))


def _must_leave(part: Problem, inside: Flags) -> int:
    """Return how many messages, partial results or sums of a collective must leave a set of routers."""
    collective = part.collective
    is_inside = [inside[part.network.router_of[list(side)]] for side in (collective.senders, collective.receivers)]
    if part.pattern == "reduction":
        # Backwards, what leaves a set enters it.
        return across(dual(part), ~inside).num_messages
    if part.pattern == "allreduce":
        return part.num_messages if is_inside[0].any() and not is_inside[0].all() else 0
    if part.pattern == "private" and collective.kind != "PAIRS" and not collective.sizes:
        # They may be too many to be listed.
        return int(is_inside[0].sum()) * int((~is_inside[1]).sum()) * collective.pieces
    return across(part, inside).num_messages


@checks("arrivals", ALL, key="processor", counts_loads=True, holds_for_trees=True)
def by_ports(problem: Problem, bound: Bound) -> Fraction:
    """Return the steps in which a processor can receive what it must; of sums, or of several collectives, send, too."""
    processor = whole(bound.certificate["processor"])
    sending, receiving = ports(problem)
    if not 0 <= processor < len(sending):
        raise ValueError(f"there is no processor {processor}")
    amounts = [_at_processor(part, processor) for part in problem.parts]
    sent, received = (sum(side) for side in zip(*amounts, strict=True))
    sides = [(received, receiving[processor])]
    if problem.pattern in ("allreduce", "several"):
        sides.append((sent, sending[processor]))
    # A processor without channels one way has nothing to carry that way.
    return max((shared(amount, size) for amount, size in sides if amount), default=Fraction(0))


@checks("senders", ("private",), key="sender")
def by_sender(problem: Problem, bound: Bound) -> Fraction:
    """Return the steps in which a processor can send all its messages."""
    sender = whole(bound.certificate["sender"])
    if not 0 <= sender < problem.network.num_processors or not problem.num_sent[sender]:
        raise ValueError(f"processor {sender} sends nothing")
    return shared(int(problem.num_sent[sender]), ports(problem)[0][sender])


def _at_processor(part: Problem, processor: int) -> tuple[int, int]:
    """Return how many transfers a processor must send, and receive, for a collective."""
    collective = part.collective
    if part.pattern == "private":
        return int(part.num_sent[processor]), int(part.num_received[processor])
    if part.pattern == "allreduce":
        both = part.num_messages if processor in collective.senders else 0
        return both, both
    own = sum(end == processor for (end,) in part.ends.tolist())
    others = len(part.ends) - own
    if part.pattern == "broadcast":
        return own, others if processor in collective.receivers else 0
    return others if processor in collective.senders else 0, own


@checks("classes", (*SUMS, *SEVERAL), key="classes", counts_loads=True)
def by_classes(problem: Problem, bound: Bound) -> Fraction:
    """Return the steps in which the transfers between classes of routers can run, as many as leave, and enter, them.

    Where a message can rest is in exactly one class; a switch that passes may be in several, or in none.
    """
    classes = [marked(problem, one) for one in bound.certificate["classes"]]
    class_of: dict[int, int] = {}
    for router in {*problem.network.router_of.tolist(), *holders(problem)}:
        its = [number for number, one in enumerate(classes) if one[router]]
        if len(its) != 1:
            raise ValueError("a router where messages can rest is not in one class, but in none or in several")
        class_of[router] = its[0]
    homes = [class_of[router] for router in problem.network.router_of.tolist()]
    amount = sum(_between(part, homes) for part in problem.parts)
    return max(shared(amount, _room_between(problem, classes, entering)) for entering in (False, True))


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


def _room_between(problem: Problem, classes: list[Flags], entering: bool) -> int:
    """Return how many transfers can leave, or enter, the classes in a step, by channels and by ports."""
    resting, at_ports = holders(problem), ports(problem)[1 if entering else 0]
    at_switches = carried(problem, backwards=entering)
    homes = problem.network.router_of.tolist()
    between: set[int] = set()
    alone = 0
    for one in classes:
        crossing = links_out(problem, ~one if entering else one)
        between |= crossing
        own = sum(count for home, count in zip(homes, at_ports, strict=True) if one[home])
        own += sum(at_switches[switch] for switch in resting if one[switch])
        alone += min(own, room(problem, crossing))
    # Under half duplex the classes at both ends of a link share it.
    return alone if problem.rules.duplex == "full" else min(alone, room(problem, between))


@checks("volumes", (*BROADCAST, *SEVERAL), "volume", "joint-volume", counts_loads=True, holds_for_trees=True)
def by_volume(problem: Problem, bound: Bound) -> Fraction:
    """Return the steps in which all channels can carry what must run over some, as into each router with a receiver."""
    amount = sum(_channel_uses(part) for part in problem.parts)
    return shared(amount, room(problem, set(links(problem))))


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


@checks("crossings", TRANSFERS, "crossing", bounds=("start-ups",), of_contributions=True)
def by_crossing(problem: Problem, bound: Bound) -> int:
    """Return the start-ups in which all that must leave a set can, where transfers carry any number of messages.

    A sender over the cut in step t has data of few origins, and a receiver in that step informs few targets:
    no processor receives from, or sends to, more others in one step than it has ports.
    """
    inside = marked(problem, bound.certificate["routers"])
    leaving = across(problem, inside)
    if not leaving.num_pairs:
        raise ValueError("nothing must cross this cut")
    sending, receiving = ports(problem)
    crossings = sum(
        capacity
        for (tail, head), capacity in zip(
            problem.network.channels.tolist(), problem.network.capacity.tolist(), strict=True
        )
        if inside[tail] and not inside[head]
    )
    most_heard, most_informed = max(receiving), max(sending)
    if is_stored(problem):
        most_heard = max(most_heard, *carried(problem, backwards=True).values())
        most_informed = max(most_informed, *carried(problem).values())
    if not holders(problem):
        # The sender of a crossing is a processor inside, its receiver one outside.
        homes = problem.network.router_of.tolist()
        out = sum(count for home, count in zip(homes, sending, strict=True) if inside[home])
        into = sum(count for home, count in zip(homes, receiving, strict=True) if not inside[home])
        crossings = min(crossings, out, into)
    if not crossings:
        raise ValueError("nothing can cross this cut")
    steps, served = 0, 0
    while served < leaving.num_pairs:
        steps += 1
        served = 0
        for step in range(1, steps + 1):
            heard = min((most_heard + 1) ** (step - 1), len(leaving.origins))
            informed = min((most_informed + 1) ** (steps - step), len(leaving.targets))
            served += crossings * heard * informed
    return steps
