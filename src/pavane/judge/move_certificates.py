"""Checks certificates that count moves: of few start-ups, private messages of one origin have few ways of few moves."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

from pavane.judge.checkers import checks
from pavane.judge.facts import hops, is_stored, links, ports, room, shared, switches, wiring
from pavane.model.bound import Bound
from pavane.model.problem import Problem


@checks("moves", ("private",), "moves", bounds=("TCO",))
def by_moves(problem: Problem, bound: Bound) -> Fraction:
    """Return the occupancy of the fewest moves that the messages of each origin, or target, can do with."""
    if bound.num_steps is None:
        raise ValueError("moves are counted for a number of start-ups")
    by_target, homes = bound.certificate["side"] == "targets", problem.network.router_of.tolist()
    if is_stored(problem) and switches(problem):
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
            moves += (most - below) * _fewest_moves(least, bound.num_steps, capacities[member], max(capacities))
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
