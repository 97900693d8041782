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
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from pavane.model.arrays import Longs
from pavane.model.network import Network
from pavane.model.path_blocks import PathBlocks, exchange_numbers
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.parallel.budget import Budget
from pavane.solvers.solving import solve_once


class Boxes(NamedTuple):
    """GPUs in boxes that are joined by rails."""

    processors: Longs
    """The processor at each box and position."""
    num_rails: int
    inner: tuple[Longs, Longs]
    """The channels of each processor to the switch of its box, and back."""
    outer: tuple[Longs, Longs]
    """The channels of each processor to its rail, and back."""
    capacities: tuple[int, int]
    """What a link carries in a step, inside and to the rail."""


class Displacement(NamedTuple):
    """Where messages go: so many boxes and positions on; and which of their pieces."""

    boxes: int
    positions: int
    piece: int


@dataclass(frozen=True)
class RailExchange:
    """All-to-all scatter on boxes with rails: relayed inside the box, then over the rail of the target."""

    name: str = "rail-exchange"
    takes_capacities: ClassVar[bool] = True

    def supports(self, problem: Problem) -> bool:
        """Supports all-to-all scatter on boxes joined by rails, store-and-forward with switches that pass."""
        collective, rules = problem.collective, problem.rules
        return (
            collective.kind == "AAS"
            and not collective.sizes
            and problem.passes_switches
            and rules.ports == "all"
            and rules.duplex == "full"
            and not rules.combining
            and len(collective.senders) == len(collective.receivers) == problem.network.num_processors
            and bool(boxes_of(problem.network))
        )

    def find(
        self, problem: Problem, num_steps: int | None, rng: np.random.Generator, budget: Budget
    ) -> Schedule | None:
        """Write the construction down; of two ways to distinguish boxes from rails the one with fewer steps."""
        options = [(boxes, _steps(boxes, problem.collective.pieces)) for boxes in boxes_of(problem.network)]
        boxes, steps = min(options, key=lambda option: len(option[1]))
        return None if num_steps is not None and num_steps < len(steps) else _schedule(problem, boxes, steps)

    __call__ = solve_once


def boxes_of(network: Network) -> list[Boxes]:
    """Return the network as boxes joined by rails, in up to two ways: boxes and rails may change roles."""
    sides = _sides(network)
    if sides is None:
        return []
    channel_of = {ends: channel for channel, ends in enumerate(map(tuple, network.channels.tolist()))}
    homes = network.router_of
    found = []
    for box_of, rail_of in (sides, sides[::-1]):
        placed = _placed(box_of, rail_of)
        inner, outer = (
            tuple(
                np.array([channel_of[ends] for ends in zip(*way, strict=True)])
                for way in ((homes.tolist(), hub.tolist()), (hub.tolist(), homes.tolist()))
            )
            for hub in (box_of, rail_of)
        )
        rooms = [np.unique(network.capacity[np.concatenate(links)]) for links in (inner, outer)]
        if placed is not None and len(rooms[0]) == len(rooms[1]) == 1:
            capacities = int(rooms[0][0]), int(rooms[1][0])
            found.append(Boxes(*placed, (inner[0], inner[1]), (outer[0], outer[1]), capacities))
    return found


def _sides(network: Network) -> tuple[Longs, Longs] | None:
    """Return two switches for each processor, on two sides: each switch is on one side for all its processors.

    None unless the network consists of processors that have two links each, one to a switch on either side.
    """
    homes, ends = network.router_of, {*map(tuple, network.channels.tolist())}
    hubs: dict[int, list[int]] = {int(router): [] for router in homes}
    if not hubs or not 4 * len(hubs) == 4 * len(homes) == len(ends) == network.num_channels:
        return None
    members: dict[int, list[int]] = {}
    for tail, head in ends:
        if tail in hubs and head not in hubs and (head, tail) in ends:
            hubs[tail].append(head)
            members.setdefault(head, []).append(tail)
    if any(len(pair) != 2 for pair in hubs.values()):
        return None
    side = {min(members): 0}
    waiting = list(side)
    for hub in waiting:
        for router in members[hub]:
            other = sum(hubs[router]) - hub
            if other not in side:
                side[other] = 1 - side[hub]
                waiting.append(other)
            elif side[other] == side[hub]:
                return None
    pairs = np.array([sorted(hubs[int(router)], key=lambda hub: side.get(hub, 0)) for router in homes])
    return (pairs[:, 0], pairs[:, 1]) if len(side) == len(members) else None


def _placed(box_of: Longs, rail_of: Longs) -> tuple[Longs, int] | None:
    """Return the processor at each box and position, and the number of rails; None unless all boxes are alike."""
    boxes, box = np.unique(box_of, return_inverse=True)
    rails, rail = np.unique(rail_of, return_inverse=True)
    members = np.bincount(box * len(rails) + rail, minlength=len(boxes) * len(rails))
    if len(boxes) < 2 or (members != members[0]).any():
        return None
    order = np.lexsort((np.arange(len(box)), rail, box)).reshape(len(boxes), len(rails), members[0])
    return order.transpose(0, 2, 1).reshape(len(boxes), -1), len(rails)


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
