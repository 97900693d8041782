"""Checks certificates on when packets of tdm are where: full ports of a period, and flights where nothing wraps."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import ceil, gcd

from pavane.errors import InputError
from pavane.judge.checkers import TRANSFERS, checks
from pavane.judge.facts import hops, partners, ports, some_processors, switches, whole, wiring
from pavane.model.bound import Bound
from pavane.model.problem import Problem


def _sent(problem: Problem, senders: set[int]) -> tuple[list[tuple[int, int]], int]:
    """Return the ends of all messages of some senders, and what their shortest flights add up to."""
    homes, neighbours = problem.network.router_of.tolist(), wiring(problem)
    sent = [(origin, target) for origin, target in problem.ends.tolist() if origin in senders]
    if not sent:
        raise ValueError("these processors send nothing")
    away = {home: hops(neighbours, home) for home in {homes[origin] for origin, _ in sent}}
    return sent, sum(problem.rules.flight(away[homes[origin]][homes[target]]) for origin, target in sent)


# -- of a period


@checks("packets", TRANSFERS, "packet", bounds=("slots",))
def by_packet(problem: Problem, bound: Bound) -> int:
    """Return the slots of a packet: each channel and port of its path is in use for as many, one after another."""
    if not problem.num_messages:
        raise ValueError("there is no packet")
    return problem.rules.packet_slots


@checks("full ports", TRANSFERS, "modular", bounds=("slots",))
def by_full_ports(problem: Problem, bound: Bound) -> int:
    """Return one slot more than a period in which all ports would be full, where flights do not add up to whole ones.

    At a full port packets start in rows of equal gaps g round the period, g the greatest common divisor of a packet's
    slots and the period; modulo period / g every row adds up to the same, at senders as at receivers.
    """
    if problem.pattern != "private" or not problem.rules.wrap or problem.rules.routing == "any":
        raise InputError("full ports bound periods of private messages only, along paths of known length")
    period, senders = whole(bound.certificate["period"]), some_processors(problem, bound.certificate["senders"])
    sent, flights = _sent(problem, senders)
    sending, receiving = Counter(origin for origin, _ in sent), Counter(target for _, target in sent)
    if any(target in receiving and origin not in senders for origin, target in problem.ends.tolist()):
        raise ValueError("their receivers have messages of others, too")
    busy = problem.rules.packet_slots
    for counts, rooms in zip((sending, receiving), ports(problem), strict=True):
        if any(count * busy != rooms[processor] * period for processor, count in counts.items()):
            raise ValueError(f"not all ports are full in {period} slots")
    return period + (flights % (period // gcd(busy, period)) != 0)


# -- where nothing wraps


def _must_end(problem: Problem) -> None:
    if problem.rules.wrap:
        raise InputError("flights bound schedules that do not wrap; a packet may end in the next period")


@checks("flights", TRANSFERS, "flight", bounds=("slots",))
def by_flight(problem: Problem, bound: Bound) -> int:
    """Return the slots in which a processor can send all that goes far, and the last can arrive; or receive it."""
    _must_end(problem)
    side = "sender" if "sender" in bound.certificate else "receiver"
    processor, distance = whole(bound.certificate[side]), whole(bound.certificate["distance"])
    network, backwards = problem.network, side == "receiver"
    homes = network.router_of.tolist()
    rooms = ports(problem)[1 if backwards else 0]
    others = partners(problem, processor, backwards=backwards)
    away = hops(wiring(problem, backwards=backwards), homes[processor])
    far = {other for other in others if away[homes[other]] >= distance}
    if not far or distance < 0:
        raise ValueError(f"processor {processor} has no messages of that distance")
    if problem.pattern == "private":
        mine = 1 if backwards else 0
        count = sum(row[mine] == processor and row[1 - mine] in far for row in problem.ends.tolist())
    else:
        # What it sends goes to all; what it receives has its origin there.
        count = sum(origin in far if backwards else origin == processor for (origin,) in problem.ends.tolist())
    turns: int = -(-count // rooms[processor])
    return int(problem.rules.flight(distance)) + problem.rules.packet_slots * turns


@checks("sums of flights", TRANSFERS, "sum-of-flights", bounds=("slots",))
def by_sum_of_flights(problem: Problem, bound: Bound) -> int:
    """Return the slots between the earliest injections and the latest ejections that leave room for all flights.

    A packet waits for all but the last packets before it at a port, a turn for every room of the port.
    """
    if problem.pattern != "private":
        raise InputError("sums of flights bound private messages only")
    _must_end(problem)
    sent, flights = _sent(problem, some_processors(problem, bound.certificate["senders"]))
    total = Fraction(flights)
    for side, rooms in enumerate(ports(problem)):
        for processor, count in Counter(ends[side] for ends in sent).items():
            turns = sum(place // rooms[processor] for place in range(count))
            # At the end, the last turn takes its own slots, too.
            total += problem.rules.packet_slots * (turns + side * count)
    return ceil(total / len(sent))


@checks("postal growth", TRANSFERS, "postal", bounds=("slots",))
def by_postal_growth(problem: Problem, bound: Bound) -> int:
    """Return the slots until the last message of an origin can be held by all its receivers.

    A holder starts as many packets as it has ports, and again when they have left its ports.
    """
    if problem.pattern != "broadcast":
        raise InputError("growth bounds broadcasts only")
    _must_end(problem)
    origin, rules = whole(bound.certificate["origin"]), problem.rules
    wanted, injection = len(partners(problem, origin)), ports(problem)[0]
    if not wanted:
        raise ValueError(f"processor {origin} has no message")
    num_messages: int = sum(first == origin for (first,) in problem.ends.tolist())
    started = (-(-num_messages // injection[origin]) - 1) * rules.packet_slots
    travel = int(rules.flight(_fewest_channels(problem))) + rules.packet_slots
    first = injection.pop(origin)
    waiting = sorted(injection, reverse=True)
    # The slots in which so many ports become free.
    free = {0: first}
    taken, slot = 0, 0
    while taken < wanted:
        slot = min(free)
        count = free.pop(slot)
        free[slot + rules.packet_slots] = free.get(slot + rules.packet_slots, 0) + count
        newly = waiting[taken : taken + count]
        taken += count
        if any(newly):
            free[slot + travel] = free.get(slot + travel, 0) + sum(newly)
    return started + slot + travel


def _fewest_channels(problem: Problem) -> int:
    """Return a number of channels that any two processors are apart, at least."""
    homes = problem.network.router_of.tolist()
    if len(set(homes)) < len(homes):
        return 0
    between = switches(problem)
    is_joined = any(tail not in between and head not in between for tail, head in problem.network.channels.tolist())
    return 1 if is_joined else 2
