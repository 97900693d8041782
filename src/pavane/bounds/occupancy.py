"""Lower bounds on the total channel occupancy (noc section 3) and on the start-ups of combining schedules.

The occupancy, TCO, adds up the largest payload of each step, so a channel carries at most TCO messages in all, and a
port as many per unit of its capacity. Three arguments follow.

Unrolled: write a step whose largest payload is w as w steps that move one message in each transfer. So a schedule of
occupancy X is one of X steps without combining, in which private messages may be relayed, and the bounds on steps
that allow relays hold for the occupancy: cuts for broadcasts; for private messages prices, where a message must buy
the cheapest route of any kind.

Moves: in T steps the messages of one origin take at most C(T, j) k^j different ways of exactly j transfers over k
ports, and two targets need two ways. So with few start-ups many messages must be moved several times, and one unit of
occupancy holds no more moves than there are ports.

Crossing: who sends over a cut in step t can have heard from at most (k + 1)^(t - 1) origins, and whoever receives can
tell at most (k + 1)^(T - t) targets. So each crossing serves so many pairs at most, and few channels need more steps.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import comb

import numpy as np
import numpy.typing as npt

from pavane.bounds.bisections import bisection
from pavane.bounds.growth import informed
from pavane.errors import InputError
from pavane.model.bound import Bound, OccupancyBound
from pavane.model.collectives import dual
from pavane.model.problem import Problem
from pavane.words import counted

Bools = npt.NDArray[np.bool_]

MOST_ROUTERS_CROSSED = 1024
"""Above this only growth bounds the start-ups."""

MOST_CENTRES, MOST_RADII = 256, 16
"""So many balls of routers are tried as sides of a cut: around so many routers, of so many sizes."""

MOST_ROUTERS_IN_RUNS = 128
"""Up to so many routers every run of router numbers is tried as a side of a cut."""


def occupancy_bound(problem: Problem, num_steps: int | None = None, deadline: float | None = None) -> OccupancyBound:
    """Return the highest lower bound on the occupancy, for schedules of so many start-ups or of any number."""
    return occupancy_bounds(problem, num_steps, deadline)[0]


def occupancy_bounds(
    problem: Problem, num_steps: int | None = None, deadline: float | None = None
) -> tuple[OccupancyBound, ...]:
    """Return the best lower bound on the occupancy of each argument, the highest first.

    Raises InputError where no schedule has so few start-ups. Prices are improved until the deadline, a moment of
    time.monotonic().
    """
    if not problem.rules.combining:
        raise InputError("without combining the occupancy is the number of steps; bound those, or ask for combining")
    if problem.pattern == "reduction":
        return occupancy_bounds(dual(problem), num_steps, deadline)
    fewest = start_up_bounds(problem)[0]
    if num_steps is not None and num_steps < fewest.steps:
        raise InputError(
            f"no schedule has {counted(num_steps, 'start-up')}; at least {fewest.steps} are needed "
            f"({fewest.argument}), so ask for {fewest.steps} or more"
        )
    best: dict[str, OccupancyBound] = {}
    for bound in (*_unrolled(problem, deadline), *_moves(problem, num_steps), *_steps(num_steps, fewest)):
        if bound.argument not in best or bound.tco > best[bound.argument].tco:
            best[bound.argument] = bound
    return tuple(sorted(best.values(), key=lambda bound: -bound.tco))


def start_up_bounds(problem: Problem) -> tuple[Bound, ...]:
    """Return lower bounds on the start-ups under combining, the highest first: growth, distance, and crossing."""
    from pavane.bounds import lower_bounds

    if not problem.rules.combining:
        raise InputError("start-ups are bounded under combining; without it, bound the steps")
    if problem.pattern == "reduction":
        return start_up_bounds(dual(problem))
    best = {bound.argument: bound for bound in lower_bounds(problem)}
    for bound in (*_growth(problem), *_crossing(problem)):
        if bound.argument not in best or bound.steps > best[bound.argument].steps:
            best[bound.argument] = bound
    return tuple(sorted(best.values(), key=lambda bound: -bound.steps))


def explain_occupancy(problem: Problem, bound: OccupancyBound) -> str:
    """Return the argument of a bound in words, with its figures."""
    from pavane.bounds import explain

    if problem.pattern == "reduction":
        return f"read backwards: {explain_occupancy(dual(problem), bound)}"
    if bound.argument == "start-ups":
        if bound.num_steps is not None:
            return f"each of {counted(bound.num_steps, 'step')} moves at least one message"
        inner = bound.certificate["start-ups"]
        known = Bound(inner["steps"], inner["argument"], inner["certificate"])
        return f"each of at least {counted(bound.tco, 'step')} moves a message: {explain(problem, known)}"
    if bound.argument == "moves":
        assert bound.num_steps is not None
        moves, per_step = bound.certificate["moves"], bound.certificate["per-step"]
        return (
            f"in {counted(bound.num_steps, 'step')} too few targets are reached directly: messages must be moved "
            f"{moves:,} times in all, and a unit of occupancy moves {per_step:,}"
        )
    # The words for steps say what a channel carries "a step": here a unit of the occupancy.
    words = explain(unrolled(problem), Bound(bound.tco, bound.argument, bound.certificate))
    return words.replace("and a step has", "and a unit of occupancy has").replace("a step", "per unit of occupancy")


# -- unrolled


def unrolled(problem: Problem) -> Problem:
    """Return the problem without combining whose price and cut bounds hold for the occupancy.

    Under wormhole switching relays may bring a private message along any route.
    """
    relayed = problem.rules.switching == "wormhole" and problem.pattern == "private"
    routing = "any" if relayed else problem.rules.routing
    return Problem(problem.network, problem.collective, replace(problem.rules, combining=False, routing=routing))


def _unrolled(problem: Problem, deadline: float | None) -> Iterator[OccupancyBound]:
    from pavane.bounds import best_bounds

    for bound in best_bounds(unrolled(problem), deadline):
        if bound.argument not in ("growth", "distance"):
            yield OccupancyBound(bound.steps, None, bound.argument, bound.certificate)


def _steps(num_steps: int | None, fewest: Bound) -> Iterator[OccupancyBound]:
    """Yield the occupancy of steps with one message in each transfer."""
    if num_steps is not None:
        yield OccupancyBound(num_steps, num_steps, "start-ups", {})
    else:
        inner = {"steps": fewest.steps, "argument": fewest.argument, "certificate": fewest.certificate}
        yield OccupancyBound(fewest.steps, None, "start-ups", {"start-ups": inner})


# -- moves


def _moves(problem: Problem, num_steps: int | None) -> Iterator[OccupancyBound]:
    network = problem.network
    stored = problem.rules.switching == "store-and-forward"
    if num_steps is None or problem.pattern != "private" or (stored and not all(network.processors_on)):
        return
    per_step = _most_transfers(problem)
    for side, ports in ((0, problem.injection), (1, problem.ejection)):
        widest = int(ports.max())
        moves = 0
        for member, count in zip(*np.unique(problem.labels[:, side], return_counts=True), strict=True):
            waiting = [0] * num_steps
            if stored:
                home = network.router_of
                away = network.distances_to if side else network.distances_from
                others = problem.labels[problem.labels[:, side] == member, 1 - side]
                for far in np.maximum(away(int(home[member]))[home[others]], 1).tolist():
                    waiting[far - 1] += 1
            else:
                waiting[0] = int(count)
            moves += _fewest_moves(waiting, num_steps, int(ports[member]), widest)
        certificate = {"side": "targets" if side else "origins", "moves": moves, "per-step": per_step}
        yield OccupancyBound(-(-moves // per_step), num_steps, "moves", certificate)


def _fewest_moves(waiting: list[int], num_steps: int, ports: int, widest: int) -> int:
    """Return the fewest moves of an origin's messages; waiting[j - 1] of them need j transfers at least."""
    moves, left, ready = 0, sum(waiting), 0
    for j in range(1, num_steps + 1):
        moves += left  # the jth move of everyone who is not there yet
        ready += waiting[j - 1]
        arrived = min(ready, comb(num_steps, j) * ports * widest ** (j - 1))
        ready, left = ready - arrived, left - arrived
        if not left:
            return moves
    # Under store-and-forward growth and distance may each allow what both together do not.
    raise InputError(f"no schedule has {counted(num_steps, 'start-up')}: too many targets are far away; ask for more")


def _most_transfers(problem: Problem) -> int:
    """Return how many transfers one step can have."""
    most = min(int(problem.injection.sum(dtype=np.int64)), int(problem.ejection.sum(dtype=np.int64)))
    homes = problem.network.router_of
    if len(np.unique(homes)) == len(homes):
        # No two share a router, so every transfer runs over a channel.
        most = min(most, len(np.unique(problem.units)))
    return most


# -- start-ups


def _growth(problem: Problem) -> Iterator[Bound]:
    """Yield the bounds by growth of everyone who is no like of another: few ports may matter more than many targets."""
    for argument, side, ports in (("growth", 0, problem.injection), ("gathering", 1, problem.ejection)):
        seen: set[tuple[int, int]] = set()
        if problem.pattern == "private":
            members, counts = np.unique(problem.labels[:, side], return_counts=True)
        else:
            others = problem.collective.senders if side else problem.collective.receivers
            members = np.unique(problem.collective.receivers) if side else problem.labels[:, 0]
            counts = len(others) - np.isin(members, others)
        for member, wanted in zip(members.tolist(), counts.tolist(), strict=True):
            like = (wanted, int(ports[member]))
            if wanted and like not in seen:
                seen.add(like)
                reached = informed(problem, member, wanted, backwards=side == 1)
                yield Bound(len(reached) - 1, argument, {"origin": member, "informed": reached})


def _crossing(problem: Problem) -> Iterator[Bound]:
    """Yield the most start-ups that a cut demands."""
    network = problem.network
    if not 2 <= network.num_routers <= MOST_ROUTERS_CROSSED:
        return
    sides = _sides(problem)
    home = network.router_of
    if problem.pattern == "private":
        origins, targets = np.unique(problem.labels[:, 0]), np.unique(problem.labels[:, 1])
        demand = np.zeros((network.num_routers, network.num_routers))
        np.add.at(demand, (home[problem.labels[:, 0]], home[problem.labels[:, 1]]), 1)
        pairs = ((sides @ demand) * ~sides).sum(axis=1).astype(np.int64)
    else:
        origins, targets = problem.labels[:, 0], np.unique(problem.collective.receivers)
    inside = sides[:, home[origins]].sum(axis=1)
    outside = (~sides[:, home[targets]]).sum(axis=1)
    if problem.pattern != "private":
        pairs = inside * outside
    channels = (sides[:, network.tails] & ~sides[:, network.heads]).sum(axis=1)
    stored = problem.rules.switching == "store-and-forward"
    if not (stored and not all(network.processors_on)):
        # The sender of a crossing is a processor inside, its receiver one outside.
        channels = np.minimum(channels, sides[:, home] @ problem.injection.astype(np.int64))
        channels = np.minimum(channels, ~sides[:, home] @ problem.ejection.astype(np.int64))
    fans = _widest(problem)
    table = np.column_stack((channels, inside, outside, pairs))
    cuts, first = np.unique(table, axis=0, return_index=True)
    best: Bound | None = None
    for (per_step, heard, told, asked), which in zip(cuts.tolist(), first.tolist(), strict=True):
        if not asked:
            continue
        steps, served = 1, 0
        while (now := per_step * _served(heard, told, steps, fans)) < asked:
            steps, served = steps + 1, now
        if best is None or steps > best.steps:
            routers = np.flatnonzero(sides[which]).tolist()
            best = Bound(
                steps, "crossing", {"routers": routers, "pairs": asked, "per-step": per_step, "served": served}
            )
    if best is not None:
        yield best


def _served(heard: int, told: int, num_steps: int, fans: tuple[int, int]) -> int:
    """Return how many pairs one transfer over a cut in each step can serve."""
    return sum(
        min(heard, (1 + fans[0]) ** step) * min(told, (1 + fans[1]) ** (num_steps - 1 - step))
        for step in range(num_steps)
    )


def _widest(problem: Problem) -> tuple[int, int]:
    """Return the most transfers that anyone can receive, and send, in a step."""
    into, out = int(problem.ejection.max()), int(problem.injection.max())
    if problem.rules.switching == "store-and-forward":
        into, out = max(into, int(problem.network.in_degrees.max())), max(out, int(problem.network.out_degrees.max()))
    return into, out


def _sides(problem: Problem) -> Bools:
    """Return sets of routers to cut along, one a row: balls, runs of numbers, halves, and the rest of each."""
    network = problem.network
    size = network.num_routers
    centres = np.unique(np.linspace(0, size - 1, min(size, MOST_CENTRES)).astype(np.int64))
    away = network.distance_rows(centres)
    rows = [(away >= 0) & (away <= radius) for radius in range(min(int(away.max()), MOST_RADII))]
    if size <= MOST_ROUTERS_IN_RUNS:
        numbers = np.arange(size)
        rows += [(numbers[None, :] >= first) & (numbers[None, :] <= numbers[first:, None]) for first in range(size)]
        half = np.zeros((1, size), dtype=bool)
        half[0, list(bisection(network).side)] = True
        rows.append(half)
    sides = np.concatenate(rows)
    return np.concatenate((sides, ~sides))
