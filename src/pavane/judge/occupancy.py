"""Checks the certificates of bounds on the occupancy of combining schedules, against the problem alone.

A step whose largest payload is w can be written as w steps that move one message in each transfer. So cuts and prices
count for the occupancy as they do for steps without combining, but private messages may be relayed along any way.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import ceil

from pavane.errors import InputError
from pavane.judge.certificates import UNREADABLE, proven_of_cuts, proven_of_pieces, proven_steps, unreadable
from pavane.judge.facts import hops, is_stored, links, ports, room, shared, switches, wiring
from pavane.judge.price_certificates import by_prices
from pavane.model.bound import Bound
from pavane.model.duals import dual
from pavane.model.problem import Problem


def proven_occupancy(problem: Problem, bound: Bound) -> int:
    """Return the occupancy that the certificate of a bound proves; InputError where it proves nothing."""
    return ceil(proven_occupancy_exactly(problem, bound))


def proven_occupancy_exactly(problem: Problem, bound: Bound) -> Fraction:
    """Return the same before it is rounded up."""
    if not problem.rules.combining:
        raise InputError("bounds on the occupancy are about combining")
    if problem.pattern == "reduction":
        return proven_occupancy_exactly(dual(problem), bound)
    try:
        proven = _proven(problem, bound)
    except UNREADABLE as error:
        raise unreadable(bound, error) from None
    if proven is None:
        raise InputError(f"bound {bound.argument!r} is of no known kind, so it cannot be checked")
    return Fraction(proven)


def _proven(problem: Problem, bound: Bound) -> Fraction | int | None:
    """Return what a certificate proves; None if there is no checker for it."""
    certificate = bound.certificate
    if bound.argument == "start-ups":
        if bound.num_steps is not None:
            return bound.num_steps
        inner = certificate["start-ups"]
        return proven_steps(problem, Bound(inner["steps"], inner["argument"], inner["certificate"]))
    if problem.pattern == "allreduce":
        return proven_of_pieces(problem, certificate)
    if bound.argument == "moves":
        if bound.num_steps is None:
            raise ValueError("moves are counted for a number of start-ups")
        return _by_moves(problem, bound.num_steps, by_target=certificate["side"] == "targets")
    if "channels" in certificate:
        if problem.pattern != "private":
            raise ValueError("prices bound private messages")
        return by_prices(problem, certificate, relayed=True)
    if problem.pattern == "private":
        raise ValueError("private messages are bounded by prices")
    return proven_of_cuts(problem, bound)


def _by_moves(problem: Problem, num_steps: int, *, by_target: bool) -> Fraction:
    """Return the occupancy of the fewest moves that the messages of each origin, or target, can do with."""
    homes = problem.network.router_of.tolist()
    if problem.pattern != "private" or (is_stored(problem) and switches(problem)):
        raise ValueError("moves are counted for private messages between processors")
    sending, receiving = ports(problem)
    capacities = receiving if by_target else sending
    neighbours = wiring(problem, backwards=by_target)
    moves = 0
    if not min(capacities):
        raise ValueError("a processor has no port")
    mine, theirs = (1, 0) if by_target else (0, 1)
    # Pieces of one message may go together all the way: those of one number are counted, whatever the number.
    counts: dict[int, Counter[int]] = {}
    for ends in problem.ends.tolist():
        counts.setdefault(ends[mine], Counter())[ends[theirs]] += 1
    for member, pieces in sorted(counts.items()):
        away = hops(neighbours, homes[member]) if is_stored(problem) else {}
        below = 0
        for most in sorted(set(pieces.values())):
            others = [other for other, count in pieces.items() if count >= most]
            least = sorted(max(1, away.get(homes[other], 1)) for other in others)
            moves += (most - below) * _fewest_moves(least, num_steps, capacities[member], max(capacities))
            below = most
    per_unit = min(sum(sending), sum(receiving))
    if len(set(homes)) == len(homes):
        # No two processors share a router, so that every transfer takes a channel.
        per_unit = min(per_unit, room(problem, set(links(problem))))
    return shared(moves, per_unit)


def _fewest_moves(least: list[int], num_steps: int, own_ports: int, most_ports: int) -> int:
    """Return the fewest moves of messages, of which each needs a least number, in ascending order.

    In T steps there are C(T, j) times ports^j different ways of j moves, and no two messages share one.
    """
    # A way of one move more leaves out one step fewer and takes any port of the one before.
    moves, length, choices, ports_taken, room = 0, 0, 1, own_ports, 0
    for need in least:
        while length < need or room == 0:
            length += 1
            if length > num_steps:
                raise ValueError(f"{num_steps:,} start-ups are too few for any schedule")
            choices = choices * (num_steps - length + 1) // length
            room = choices * ports_taken
            ports_taken *= most_ports
        room -= 1
        moves += length
    return moves
