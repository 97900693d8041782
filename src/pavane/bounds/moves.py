"""The bound by moves: with few start-ups many messages must be moved several times.

In T steps the messages of one origin take at most C(T, j) k^j different ways of exactly j transfers over k ports, and
two targets need two ways. Pieces of one message may take the same way: the first pieces of all messages are counted,
then the second ones, and so on. One unit of occupancy holds no more moves than there are ports.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from math import comb

import numpy as np

from pavane.bounds.phrases import carried
from pavane.errors import InputError
from pavane.model.arrays import Ints
from pavane.model.bound import Bound
from pavane.model.problem import Problem
from pavane.text import counted

NAME = "moves"


def bounds_by_moves(problem: Problem, num_steps: int) -> Iterator[Bound]:
    """Yield the bounds of the messages of each origin, and of each target, in a number of start-ups."""
    network = problem.network
    stored = problem.rules.switching == "store-and-forward"
    if problem.pattern != "private" or (stored and not all(network.processors_on)):
        return
    per_step = _most_transfers(problem)
    for side, ports in ((0, problem.injection), (1, problem.ejection)):
        widest = int(ports.max())
        moves = 0
        for member, others, times in _others(problem, side):
            waiting = [0] * num_steps
            if stored:
                home = network.router_of
                away = network.distances_to if side else network.distances_from
                for far in np.maximum(away(int(home[member]))[home[others]], 1).tolist():
                    if far > num_steps:
                        raise _too_far(num_steps)
                    waiting[far - 1] += 1
            else:
                waiting[0] = len(others)
            moves += times * _fewest_moves(waiting, num_steps, int(ports[member]), widest)
        certificate = {"side": "targets" if side else "origins", "moves": moves, "per-step": per_step}
        yield Bound(-(-moves // per_step), NAME, certificate, objective="tco", num_steps=num_steps)


def explain_moves(problem: Problem, bound: Bound) -> str:
    """State how often messages must be moved, and how many moves one unit of occupancy holds."""
    assert bound.num_steps is not None
    # Counted again: the figures beside a certificate are for people, and are not checked.
    by_side = {made.certificate["side"]: made.certificate for made in bounds_by_moves(problem, bound.num_steps)}
    counts = by_side["targets" if bound.certificate["side"] == "targets" else "origins"]
    moves, per_step = counts["moves"], counts["per-step"]
    return (
        f"in {counted(bound.num_steps, 'step')} too few targets are reached directly: {carried(problem)}s must be "
        f"moved {moves:,} times in all, and a unit of occupancy moves {per_step:,}"
    )


def _others(problem: Problem, side: int) -> Iterator[tuple[int, Ints, int]]:
    """Yield each origin (or target) with its targets (origins) of one piece each, and how many pieces are alike."""
    for member in np.unique(problem.distinct_ends[:, side]).tolist():
        mine = problem.ends[problem.ends[:, side] == member, 1 - side]
        others, pieces = np.unique(mine, return_counts=True)
        levels = [0, *np.unique(pieces).tolist()]
        for fewer, more in pairwise(levels):
            yield member, others[pieces >= more], more - fewer


def _too_far(num_steps: int) -> InputError:
    # Under store-and-forward growth and distance may each allow what both together do not.
    return InputError(f"no schedule has {counted(num_steps, 'start-up')}: too many targets are far away; request more")


def _fewest_moves(waiting: list[int], num_steps: int, ports: int, widest: int) -> int:
    """Return the fewest moves of an origin's messages; waiting[j - 1] of them need j transfers at least."""
    moves, left, ready = 0, sum(waiting), 0
    for j in range(1, num_steps + 1):
        moves += left  # the jth move of every message that has not arrived
        ready += waiting[j - 1]
        arrived = min(ready, comb(num_steps, j) * ports * widest ** (j - 1))
        ready, left = ready - arrived, left - arrived
        if not left:
            return moves
    raise _too_far(num_steps)


def _most_transfers(problem: Problem) -> int:
    """Return how many transfers one step can have."""
    most = min(int(problem.injection.sum(dtype=np.int64)), int(problem.ejection.sum(dtype=np.int64)))
    homes = problem.network.router_of
    if len(np.unique(homes)) == len(homes):
        # No two share a router, so every transfer runs over a channel.
        most = min(most, int(problem.network.capacity[np.unique(problem.units)].sum()))
    return most
