"""Payloads of private messages: every message on a cheap way through the steps, while the sets of transfers anneal.

A message waits at places or moves along transfers, one a step. Each transfer has a price, the derivative of what its
step costs: the p-norm of the step's loads, which for large p is the largest load, but tells a step with one full
transfer from a step with many. What is annealed is the sum of those norms, plus a fine for every lost message. Between
two changes of the sets a few messages are led anew, so that ways follow the prices everywhere.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pavane.kernels.combining import Fabric, Scratch, Sets, push, restore

Array = np.ndarray[Any, Any]

FAR = 1e300

DRIFTS = 3
"""How many messages are led anew between two changes of the sets."""

POLISHED = 0.02
"""By what part of the sum the messages of full transfers may lower it, once they are led anew."""


class Ways(NamedTuple):
    """Messages and their ways; with symmetries, one message of every orbit."""

    origin: Array
    target: Array
    inlet: Array
    """inlet[step, message]: the inlet into which the message moves in that step, or -1."""
    is_lost: Array
    load: Array
    """load[step, inlet]: how many messages its transfer carries."""
    dearer: Array
    """dearer[step, inlet]: by how much one message more raises the p-th power of the load."""
    powers: Array
    """powers[step]: the sum of the p-th powers of its loads."""
    power: Array
    """power[n] is n to the p."""
    exponent: float


class Paper(NamedTuple):
    """Room to work in, and what the last move changed."""

    cost: Array
    """cost[step, place]: what the way to a place costs before a step; one place more than there are, far away."""
    there: Array
    """What the way through each inlet costs."""
    coefficient: Array
    changed: Array
    old_inlet: Array
    was_lost: Array


class Best(NamedTuple):
    """The best sets and ways so far."""

    sender: Array
    hops: Array
    path: Array
    inlet: Array
    tco: Array
    """Its only entry: the sum of the largest loads."""


def weigh(ways: Ways, step: int, inlet: int, change: int) -> None:
    """Change a load and the books of its step."""
    load = ways.load[step, inlet]
    ways.powers[step] += ways.power[load + change] - ways.power[load]
    ways.load[step, inlet] = load + change
    ways.dearer[step, inlet] = ways.power[load + change + 1] - ways.power[load + change]


def move_way(fabric: Fabric, ways: Ways, paper: Paper, message: int, change: int) -> None:
    """Put a message and its images on their way (change 1), or take them off it (-1); keep prices up to date."""
    power = 1.0 / ways.exponent - 1.0
    for step in range(len(ways.inlet)):
        inlet = ways.inlet[step, message]
        if inlet >= 0:
            weigh(ways, step, inlet, change)
            for symmetry in range(len(fabric.image_inlet)):
                weigh(ways, step, fabric.image_inlet[symmetry, inlet], change)
            paper.coefficient[step] = max(ways.powers[step], 1.0) ** power / ways.exponent


def lead(fabric: Fabric, sets: Sets, ways: Ways, paper: Paper, message: int) -> bool:
    """Find the cheapest way of a message that lies on none; False where there is none."""
    num_steps, num_inlets = sets.sender.shape
    num_places = len(fabric.home)
    cost, there, first_inlet = paper.cost, paper.there, fabric.first_inlet
    cost[0, :] = FAR
    cost[0, ways.origin[message]] = 0.0
    for step in range(num_steps):
        coefficient = paper.coefficient[step]
        before, after = cost[step], cost[step + 1]
        senders, dearer = sets.sender[step], ways.dearer[step]
        # What arrives in a step can be sent on only in the next. The loops do little each, so that machine code does
        # several rounds of them at once.
        for inlet in range(num_inlets):
            # Without a transfer the sender is -1: the last entry, which is far from everywhere.
            there[inlet] = before[senders[inlet]] + coefficient * dearer[inlet]
        if num_inlets == num_places:
            for place in range(num_places):
                after[place] = min(before[place], there[place])
        else:
            for place in range(num_places):
                least = before[place]
                for inlet in range(first_inlet[place], first_inlet[place + 1]):
                    least = min(least, there[inlet])
                after[place] = least
        after[num_places] = FAR
    place = ways.target[message]
    found = cost[num_steps, place] < FAR
    for step in range(num_steps - 1, -1, -1):
        ways.inlet[step, message] = -1
        if found and cost[step + 1, place] < cost[step, place]:
            coefficient = paper.coefficient[step]
            cheapest, by = FAR, -1
            for inlet in range(first_inlet[place], first_inlet[place + 1]):
                price = cost[step, sets.sender[step, inlet]] + coefficient * ways.dearer[step, inlet]
                if price < cheapest:
                    cheapest, by = price, inlet
            ways.inlet[step, message] = by
            place = sets.sender[step, by]
    ways.is_lost[message] = not found
    return bool(found)


def take_off(fabric: Fabric, ways: Ways, paper: Paper, message: int, count: int) -> int:
    """Take a message off its way, noting it as change number `count`."""
    paper.changed[count] = message
    paper.old_inlet[count] = ways.inlet[:, message]
    paper.was_lost[count] = ways.is_lost[message]
    move_way(fabric, ways, paper, message, -1)
    ways.inlet[:, message] = -1
    return count + 1


def lead_anew(fabric: Fabric, sets: Sets, ways: Ways, paper: Paper, message: int, count: int) -> int:
    """Take a message off its way and find the cheapest one, noting the old one as change number `count`."""
    count = take_off(fabric, ways, paper, message, count)
    lead(fabric, sets, ways, paper, message)
    move_way(fabric, ways, paper, message, 1)
    return count


def lead_all(fabric: Fabric, sets: Sets, ways: Ways, paper: Paper, order: Array) -> int:
    """Take every message off its way and find the cheapest one, in an order; return how many are lost."""
    lost = 0
    for message in order:
        move_way(fabric, ways, paper, message, -1)
        lost += not lead(fabric, sets, ways, paper, message)
        move_way(fabric, ways, paper, message, 1)
    return lost


def drift_ways(fabric: Fabric, sets: Sets, ways: Ways, paper: Paper, tries: int, rng: np.random.Generator) -> None:
    """Lead random messages anew, each on what is now its cheapest way."""
    for _ in range(tries):
        message = int(rng.random() * len(ways.origin))
        if not ways.is_lost[message]:
            move_way(fabric, ways, paper, message, -1)
            lead(fabric, sets, ways, paper, message)
            move_way(fabric, ways, paper, message, 1)


def energy(ways: Ways) -> float:
    """Return the sum of the steps' norms."""
    total = 0.0
    for step in range(len(ways.powers)):
        total += max(ways.powers[step], 0.0) ** (1.0 / ways.exponent)
    return total


def largest_loads(load: Array) -> int:
    """Return the sum of the largest loads, which is what counts in the end."""
    total = 0
    for step in range(len(load)):
        total += load[step].max()
    return total


def anneal_paths(
    fabric: Fabric,
    sets: Sets,
    scratch: Scratch,
    ways: Ways,
    paper: Paper,
    best: Best,
    goal: int,
    fine: float,
    hot: float,
    cold: float,
    progress: float,
    pace: float,
    moves: int,
    tries: int,
    polish: int,
    rng: np.random.Generator,
) -> int:
    """Anneal sets and ways; keep the best, stop at the goal, and return the number of moves made.

    `progress` of the cooling is done before; each move adds `pace`.
    """
    num_steps = len(sets.sender)
    num_messages = len(ways.origin)
    room = len(paper.changed)
    lost = 0
    for message in range(num_messages):
        lost += ways.is_lost[message]
    for made in range(moves):
        drift_ways(fabric, sets, ways, paper, DRIFTS, rng)
        level = energy(ways) + fine * lost
        if lost == 0:
            tco = largest_loads(ways.load)
            if tco < best.tco[0]:
                best.tco[0] = tco
                best.sender[:] = sets.sender
                best.hops[:] = sets.hops
                best.path[:] = sets.path
                best.inlet[:] = ways.inlet
        if best.tco[0] <= goal:
            return made
        heat = hot * (cold / hot) ** min(1.0, progress + pace * made)
        step = int(rng.random() * num_steps)
        if not push(fabric, sets, scratch, step, tries, rng):
            restore(sets, scratch, step)
            continue
        limit = level - heat * np.log(1.0 - rng.random())
        count = 0
        # Transfers that were moved to another path keep their messages; those that are gone strand them.
        for message in range(num_messages):
            inlet = ways.inlet[step, message]
            is_stranded = inlet >= 0 and sets.sender[step, inlet] != scratch.sender[inlet]
            if is_stranded or ways.is_lost[message]:
                count = take_off(fabric, ways, paper, message, count)
        # With each that is put back the sum grows: most moves are given up before all are.
        is_hopeless = False
        for at in range(count):
            message = paper.changed[at]
            lead(fabric, sets, ways, paper, message)
            move_way(fabric, ways, paper, message, 1)
            if at % 4 == 3 and energy(ways) > limit + POLISHED * level:
                is_hopeless = True
                break
        for number in range(0 if is_hopeless else polish):
            now = step if number == 0 else int(rng.random() * num_steps)
            fullest = int(np.argmax(ways.load[now]))
            if ways.load[now, fullest] == 0:
                continue
            for message in range(num_messages):
                inlet = ways.inlet[now, message]
                is_there = inlet == fullest
                if inlet >= 0 and not is_there:
                    for symmetry in range(len(fabric.image_inlet)):
                        is_there = is_there or fabric.image_inlet[symmetry, inlet] == fullest
                if is_there and count < room:
                    count = lead_anew(fabric, sets, ways, paper, message, count)
        now_lost = 0
        for message in range(num_messages):
            now_lost += ways.is_lost[message]
        then = energy(ways) + fine * now_lost
        if not is_hopeless and then <= limit:
            lost = now_lost
        else:
            for at in range(count - 1, -1, -1):
                message = paper.changed[at]
                move_way(fabric, ways, paper, message, -1)
                ways.inlet[:, message] = paper.old_inlet[at]
                ways.is_lost[message] = paper.was_lost[at]
                move_way(fabric, ways, paper, message, 1)
            restore(sets, scratch, step)
    return moves
