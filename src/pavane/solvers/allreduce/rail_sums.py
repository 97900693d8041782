"""Allreduce on boxes of GPUs that are joined by rails, where the switches of both add and copy.

A part is collected in every box at the GPU of one position, its hub. The rail of that position adds what the hubs have
and returns the sum to them in the same step, and in every box the hub gives it on. Of other parts boxes and rails
change roles. So both share the work: between its own parts a box adds what rails have collected.

A box uses all its links if it collects one part and gives another one on in the same step at the same hub. So parts of
one hub follow each other, and a few hubs take turns, until sums are back from the rails. Hubs come in pairs: when one
of them gives a part on and the other one collects its first, that is one step, because the old hub has sent its
contribution to the new part before, in a step in which it had nothing to give on, and the new hub receives the old sum
later, in a step in which it collects nothing. Two such changes, from one hub to the other and back, find such steps. So
the boxes take G / 2 steps more than their links must carry, for G GPUs in each.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

from pavane.model.arrays import Longs
from pavane.model.problem import Problem
from pavane.model.schedule import Transfer
from pavane.parallel.budget import Budget
from pavane.symmetry.boxes import Boxes, boxes_of

MOST_MESSAGES = 256
"""With more parts others are better: what begins and ends a schedule counts for less than domains out of step."""

MOST_SPLITS = 8
"""How many parts more or fewer than the even share are tried for the boxes."""


class SumMove(NamedTuple):
    """What one part does in one domain and step: from some positions to some others."""

    part: int
    senders: tuple[int, ...]
    receivers: tuple[int, ...]
    is_complete: bool
    """Whether its receivers then have the whole sum."""


class DomainMoves(NamedTuple):
    """What one domain does in one step."""

    step: int
    side: int
    domain: int
    moves: list[SumMove]


class SumSide(NamedTuple):
    """The boxes, or the rails: domains of equally many processors, and the parts that are collected there."""

    processors: Longs
    """The processor at each domain and position."""
    channels: tuple[Longs, Longs]
    """The channels of each processor to its domain, and back."""
    parts: range
    rounds: list[list[SumMove]]
    """What every domain does, one round after the other, but for passing the parts of the other side."""


def sums_over_rails(problem: Problem, num_steps: int | None, budget: Budget) -> list[Transfer] | None:
    """Write the construction down; of several ways to share the parts the one with fewest steps.

    None where the network is no boxes and rails of equal links whose GPUs all take part, or more steps are needed.
    """
    grid = _grid(problem) if _fits(problem) else None
    if grid is None:
        return None
    limit = num_steps if num_steps is not None else 4 * problem.num_messages
    best: tuple[tuple[SumSide, SumSide], list[DomainMoves]] | None = None
    for sides in _choices(problem, grid):
        found = _timed(sides, limit)
        if found is not None:
            best, limit = (sides, found), found[-1].step
        if budget.is_over:
            break
    return None if best is None else list(_transfers(*best))


def _fits(problem: Problem) -> bool:
    """Return whether the rules are those of the construction, links are equal and all GPUs take part."""
    rules, network = problem.rules, problem.network
    return (
        problem.has_trees
        and problem.passes_switches
        and rules.ports == "all"
        and rules.duplex == "full"
        and len(problem.collective.senders) == network.num_processors
        and problem.num_messages <= MOST_MESSAGES
        and network.capacity.max(initial=0) == 1
    )


def _grid(problem: Problem) -> Boxes | None:
    """Return the boxes, where each rail has one GPU of every box."""
    for boxes in boxes_of(problem.network):
        if min(boxes.processors.shape) > 1 and boxes.num_rails == boxes.processors.shape[1]:
            return boxes
    return None


def _choices(problem: Problem, grid: Boxes) -> Iterator[tuple[SumSide, SumSide]]:
    """Yield ways to share the parts, the most even first, with different numbers of hubs in turn."""
    count, (num_boxes, size) = problem.num_messages, grid.processors.shape
    even = min(range(count + 1), key=lambda some: max(some + (count - some) / num_boxes, count - some + some / size))
    splits = [even + sign * more for more in range(MOST_SPLITS + 1) for sign in ((-1, 1) if more else (1,))]
    turns = [range(max(1, (each + 1) // 4), (each + 1) // 2 + 1) for each in (size, num_boxes)]
    for split, inside, outside in product(splits, *turns):
        if 0 <= split <= count:
            own, others = range(split), range(split, count)
            yield (
                SumSide(grid.processors, grid.inner, own, _rounds(own, size, inside)),
                SumSide(grid.processors.T, grid.outer, others, _rounds(others, num_boxes, outside)),
            )


def _rounds(parts: range, size: int, in_turn: int) -> list[list[SumMove]]:
    """Return what a domain does with its own parts, hubs taking turns a few at a time."""
    at = [parts[hub::size] for hub in range(size)]
    lanes: list[list[list[SumMove]]] = [[] for _ in range(in_turn)]
    pairs = [(hub, hub + in_turn) for first in range(0, size, 2 * in_turn) for hub in range(first, first + in_turn)]
    for number, (hub, other) in enumerate(pairs):
        if hub < size:
            lanes[number % in_turn] += _pair(at, size, hub, other if other < size else -1)
    longest = max(map(len, lanes))
    rounds = [lane[turn] for turn in range(longest) for lane in lanes if turn < len(lane)]
    real = ([move for move in moves if move.senders and move.receivers] for moves in rounds)
    return [moves for moves in real if moves]


def _pair(at: list[range], size: int, hub: int, other: int) -> list[list[SumMove]]:
    """Return what two hubs do: half of the first one's parts, those of the second, and the rest; -1: no second one."""
    half = (len(at[hub]) + 1) // 2 if other >= 0 else len(at[hub])
    order = [(part, hub) for part in at[hub][:half]]
    order += [(part, other) for part in (at[other] if other >= 0 else ())]
    order += [(part, hub) for part in at[hub][half:]]
    if not order:
        return []
    moves: list[list[SumMove]] = [[] for _ in range(len(order) + 1)]
    changes = [turn for turn in range(1, len(order)) if order[turn][1] != order[turn - 1][1]]
    for turn, (part, here) in enumerate(order):
        before, after = (order[at][1] if 0 <= at < len(order) else here for at in (turn - 1, turn + 1))
        moves[turn].append(_collected(part, here, size, before))
        moves[turn + 1].append(_given(part, here, size, after))
    for number, turn in enumerate(changes):
        (last, old), (first, new) = order[turn - 1], order[turn]
        early = changes[number - 1] if number else 0
        late = changes[number + 1] if number + 1 < len(changes) else -1
        moves[early].append(SumMove(first, (old,), (new,), is_complete=False))
        moves[late].append(SumMove(last, (old,), (new,), is_complete=True))
    return moves


def _collected(part: int, hub: int, size: int, but: int) -> SumMove:
    return SumMove(part, tuple(one for one in range(size) if one not in (hub, but)), (hub,), is_complete=False)


def _given(part: int, hub: int, size: int, but: int) -> SumMove:
    return SumMove(part, (hub,), tuple(one for one in range(size) if one not in (hub, but)), is_complete=True)


def _timed(sides: tuple[SumSide, SumSide], most_steps: int) -> list[DomainMoves] | None:
    """Return what all domains do, each as soon as sums are there; None where it takes more than some steps."""
    collects = Counter(move.part for side in sides for moves in side.rounds for move in moves if not move.is_complete)
    due = {part: collects[part] * len(side.processors) for side in sides for part in side.parts}
    """How often each part is still to be collected."""
    complete: set[int] = set()
    roots = [
        [[*other.parts[domain :: len(side.processors)]] for domain in range(len(side.processors))]
        for side, other in (sides, sides[::-1])
    ]
    done = [[0] * len(side.processors) for side in sides]
    timetable: list[DomainMoves] = []
    step = 0
    while any(min(at) < len(side.rounds) for side, at in zip(sides, done, strict=True)):
        if step >= most_steps or (step and timetable[-1].step < step - 1):
            return None
        before = len(timetable)
        for number, side in enumerate(sides):
            everywhere = tuple(range(side.processors.shape[1]))
            for domain, at in enumerate(done[number]):
                waiting = roots[number][domain]
                ready = next((part for part in waiting if not due[part]), None)
                if ready is not None:
                    waiting.remove(ready)
                    timetable.append(
                        DomainMoves(step, number, domain, [SumMove(ready, everywhere, everywhere, is_complete=True)])
                    )
                elif at < len(side.rounds) and all(
                    move.part in complete for move in side.rounds[at] if move.is_complete
                ):
                    timetable.append(DomainMoves(step, number, domain, side.rounds[at]))
                    done[number][domain] += 1
        for some in timetable[before:]:
            for move in some.moves:
                if move.is_complete:
                    complete.add(move.part)
                else:
                    due[move.part] -= 1
        step += 1
    return timetable


def _transfers(sides: tuple[SumSide, SumSide], timetable: list[DomainMoves]) -> Iterator[Transfer]:
    """Yield the transfers of what domains do."""
    for step, number, domain, moves in timetable:
        row, (into, out) = sides[number].processors[domain].tolist(), sides[number].channels
        for move in moves:
            for one, other in product(move.senders, move.receivers):
                if one != other:
                    path = int(into[row[one]]), int(out[row[other]])
                    yield Transfer(step, row[one], row[other], path, (move.part,))
