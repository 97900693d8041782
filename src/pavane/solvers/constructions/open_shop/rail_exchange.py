"""All-to-all scatter on boxes of GPUs that are joined by rails, relayed inside the box of the sender.

Every GPU has a link to the switch of its box and a link (its NIC) to one rail, a switch across the boxes; each rail has
equally many GPUs of every box. GPUs are numbered (box, position), so that those of one rail have positions that are
equal modulo the number of rails. A message that goes d boxes and e positions on, both modulo their number, needs

* d = 0: one transfer over the switch of the box;
* e a multiple of the number of rails: one transfer over the rail of its sender;
* otherwise two: inside the box to the position of its target, then over the rail of that position.

All messages with the same (d, e) move at the same time, and so every link carries one of them. A step thus has room for
as many (d, e) inside as the inner links have capacity, and for as many on the rails as the NICs have. Relayed messages
go inside first and start on the rails with those that need no relay, so that NICs never wait where links inside are as
fast. B boxes of G GPUs then take (B - 1) G steps over NICs of capacity 1, which is how much a NIC must send.
"""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

import numpy as np

from pavane.model.path_blocks import PathBlocks, exchange_numbers
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.solvers.boxes import Boxes, boxes_of


class Displacement(NamedTuple):
    """Where messages go: so many boxes and positions on; and which of their pieces."""

    boxes: int
    positions: int
    piece: int


def has_rails(problem: Problem) -> bool:
    """Return whether a problem is all-to-all scatter on boxes joined by rails, store-and-forward past switches."""
    collective, rules = problem.collective, problem.rules
    return (
        collective.kind == "AAS"
        and not collective.sizes
        and problem.passes_switches
        and rules.ports == "all"
        and rules.duplex == "full"
        and not rules.combining
        and problem.is_total
        and bool(boxes_of(problem.network))
    )


def exchange_over_rails(problem: Problem, num_steps: int | None) -> Schedule | None:
    """Write the construction down; of two ways to distinguish boxes from rails the one with fewer steps."""
    options = [(boxes, _steps(boxes, problem.collective.pieces)) for boxes in boxes_of(problem.network)]
    boxes, steps = min(options, key=lambda option: len(option[1]))
    return None if num_steps is not None and num_steps < len(steps) else _schedule(problem, boxes, steps)


def _steps(boxes: Boxes, num_pieces: int) -> list[tuple[list[Displacement], list[Displacement]]]:
    """Return what moves inside the boxes and what moves on the rails, step by step."""
    (num_boxes, size), (inside, outside) = boxes.processors.shape, boxes.capacities
    moves = [
        Displacement(d, e, piece)
        for d in range(num_boxes)
        for e in range(size)
        for piece in range(num_pieces)
        if d or e
    ]
    near = deque(move for move in moves if not move.boxes)
    direct = deque(move for move in moves if move.boxes and move.positions % boxes.num_rails == 0)
    relayed = deque(move for move in moves if move.boxes and move.positions % boxes.num_rails)
    ready: deque[Displacement] = deque()
    steps = []
    while near or direct or relayed or ready:
        on_rails = [(ready or direct).popleft() for _ in range(min(outside, len(ready) + len(direct)))]
        within = [(relayed or near).popleft() for _ in range(min(inside, len(relayed) + len(near)))]
        ready += [move for move in within if move.boxes]
        steps.append((within, on_rails))
    return steps


def _schedule(problem: Problem, boxes: Boxes, steps: list[tuple[list[Displacement], list[Displacement]]]) -> Schedule:
    """Return the schedule in which all GPUs make the moves of each step."""
    pieces, blocks = problem.collective.pieces, PathBlocks()
    for number, (within, on_rails) in enumerate(steps):
        for links, moves in ((boxes.inner, within), (boxes.outer, on_rails)):
            for move in moves:
                origins, targets = boxes.processors, np.roll(boxes.processors, (-move.boxes, -move.positions), (0, 1))
                relays = np.roll(boxes.processors, -move.positions, 1)
                is_relayed = move.boxes and move.positions % boxes.num_rails
                if is_relayed and moves is within:
                    senders, receivers = origins, relays
                else:
                    senders, receivers = relays if is_relayed else origins, targets
                numbers = exchange_numbers(origins.size, origins.ravel(), targets.ravel()) * pieces + move.piece
                paths = np.stack((links[0][senders.ravel()], links[1][receivers.ravel()]), axis=1)
                blocks.add(number, senders.ravel(), receivers.ravel(), numbers, paths)
    return blocks.schedule()
