"""Payloads of broadcasts: a cheap tree through the steps for every message, while the sets of transfers anneal.

A copy of a message comes to a place once, through one inlet in one step, from a place that held it before. So the tree
of a message is a step and an inlet per place. Prices are those of `combining_paths`: the derivative of the p-norm of a
step's loads. Between two changes of the sets single copies drift: each may come through another inlet or in another
step, as the heat allows. That evens out loads where trees that grow by price alone get stuck.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pavane.kernels.combining import Fabric, Scratch, Sets, push, restore
from pavane.kernels.combining_paths import largest_loads

Array = np.ndarray[Any, Any]

NEVER = 1 << 14
"""The step in which a message comes to places where it does not come; at its origin it is from step -1 on."""

DRIFTS = 50
"""How many copies are asked to come another way between two changes of the sets."""

CALM = 0.1
"""What part of the heat copies drift at: one copy changes the sum by much less than a transfer does."""

RENEWED = 0.2
"""How often a change of the sets makes one message grow anew, so that its tree follows the sets."""


class Trees(NamedTuple):
    """Messages and their trees; with symmetries, one message of every orbit."""

    step: Array
    """step[message, place]: when the message comes."""
    inlet: Array
    """inlet[message, place]: through which inlet."""
    is_target: Array
    """Whether a place wants every message."""
    load: Array
    powers: Array
    power: Array
    exponent: float


class Desk(NamedTuple):
    """Room to work in, and the messages as they were before the last move."""

    coefficient: Array
    latest: Array
    is_kept: Array
    old_step: Array
    old_inlet: Array


class BestTrees(NamedTuple):
    """The best sets and trees so far."""

    sender: Array
    hops: Array
    path: Array
    step: Array
    inlet: Array
    tco: Array
    """Its only entry: the sum of the largest loads."""


def weigh_tree(fabric: Fabric, trees: Trees, step: int, inlet: int, change: int) -> None:
    """Change the load of a transfer and its images, and the books of the step."""
    for symmetry in range(-1, len(fabric.image_inlet)):
        image = inlet if symmetry < 0 else fabric.image_inlet[symmetry, inlet]
        load = trees.load[step, image]
        trees.powers[step] += trees.power[load + change] - trees.power[load]
        trees.load[step, image] = load + change


def price_step(trees: Trees, desk: Desk, step: int) -> None:
    """Find what the prices of a step are multiplied by."""
    desk.coefficient[step] = max(trees.powers[step], 1.0) ** (1.0 / trees.exponent - 1.0) / trees.exponent


def price_trees(trees: Trees, desk: Desk) -> None:
    """Find what the prices of each step are multiplied by."""
    for step in range(len(trees.powers)):
        price_step(trees, desk, step)


def remember(trees: Trees, desk: Desk, message: int) -> None:
    """Copy a message's tree before it changes, once per move."""
    if not desk.is_kept[message]:
        desk.is_kept[message] = True
        desk.old_step[message] = trees.step[message]
        desk.old_inlet[message] = trees.inlet[message]


def cut_off(fabric: Fabric, trees: Trees, message: int, place: int) -> None:
    """Let a message come no longer to a place."""
    weigh_tree(fabric, trees, trees.step[message, place], trees.inlet[message, place], -1)
    trees.step[message, place] = NEVER


def sweep(fabric: Fabric, sets: Sets, trees: Trees, desk: Desk, message: int) -> None:
    """Bring a message to every place that lacks it as early as can be, from where it is."""
    when, waiting = trees.step[message], desk.latest
    count = 0
    for place in range(len(when)):
        if when[place] == NEVER:
            waiting[count] = place
            count += 1
    for step in range(len(sets.sender)):
        left = 0
        for at in range(count):
            place = waiting[at]
            for inlet in range(fabric.first_inlet[place], fabric.first_inlet[place + 1]):
                source = sets.sender[step, inlet]
                if source >= 0 and when[source] < step:
                    when[place] = step
                    trees.inlet[message, place] = inlet
                    weigh_tree(fabric, trees, step, inlet, 1)
                    break
            if when[place] == NEVER:
                waiting[left] = place
                left += 1
        count = left


def prune(fabric: Fabric, sets: Sets, trees: Trees, message: int) -> None:
    """Take out what hangs on a place that has the message no longer, or too late."""
    when = trees.step[message]
    is_sound = False
    while not is_sound:
        is_sound = True
        for place in range(len(when)):
            step = when[place]
            if 0 <= step < NEVER and when[sets.sender[step, trees.inlet[message, place]]] >= step:
                cut_off(fabric, trees, message, place)
                is_sound = False


def tidy(fabric: Fabric, sets: Sets, trees: Trees, desk: Desk, message: int) -> None:
    """Take out relays that serve nobody, and find when each place sends first."""
    when, latest = trees.step[message], desk.latest
    is_tidy = False
    while not is_tidy:
        is_tidy = True
        latest[:] = NEVER
        for place in range(len(when)):
            step = when[place]
            if 0 <= step < NEVER:
                source = sets.sender[step, trees.inlet[message, place]]
                latest[source] = min(latest[source], step)
        for place in range(len(when)):
            if latest[place] == NEVER and 0 <= when[place] < NEVER and not trees.is_target[place]:
                cut_off(fabric, trees, message, place)
                is_tidy = False


def num_absent(trees: Trees, message: int) -> int:
    """Count the targets that a message does not come to."""
    absent = 0
    for place in range(trees.step.shape[1]):
        absent += trees.is_target[place] and trees.step[message, place] == NEVER
    return absent


def cut_down(fabric: Fabric, trees: Trees, message: int) -> None:
    """Leave of a tree nothing but its origin."""
    for place in range(trees.step.shape[1]):
        if 0 <= trees.step[message, place] < NEVER:
            cut_off(fabric, trees, message, place)


def grow(fabric: Fabric, sets: Sets, trees: Trees, desk: Desk, message: int, rng: np.random.Generator) -> int:
    """Bring a message to every target that lacks it, cheaply; return how many stay without."""
    num_places = trees.step.shape[1]
    prune(fabric, sets, trees, message)
    sweep(fabric, sets, trees, desk, message)
    absent = num_absent(trees, message)
    if absent:
        # Who has it late may have to have it early now.
        cut_down(fabric, trees, message)
        sweep(fabric, sets, trees, desk, message)
        absent = num_absent(trees, message)
    tidy(fabric, sets, trees, desk, message)
    price_trees(trees, desk)
    turn = int(rng.random() * num_places)
    for number in range(num_places):
        place = (number + turn) % num_places
        when = trees.step[message, place]
        if 0 <= when < NEVER and (
            when != desk.old_step[message, place] or trees.inlet[message, place] != desk.old_inlet[message, place]
        ):
            shift(fabric, sets, trees, desk, message, place, desk.latest[place])
    return absent


def grow_all(
    fabric: Fabric, sets: Sets, trees: Trees, desk: Desk, first: int, last: int, rng: np.random.Generator
) -> int:
    """Bring the messages from the first to before the last to their targets; return how many arrivals are missing."""
    lost = 0
    for message in range(first, last):
        lost += grow(fabric, sets, trees, desk, message, rng)
    return lost


def shift(fabric: Fabric, sets: Sets, trees: Trees, desk: Desk, message: int, place: int, latest: int) -> bool:
    """Let a message come to a place through the cheapest inlet before the place sends it on."""
    came, through = trees.step[message, place], trees.inlet[message, place]
    load = trees.load[came, through]
    cheapest = desk.coefficient[came] * (trees.power[load] - trees.power[load - 1])
    at, by = -1, -1
    for step in range(min(latest, len(sets.sender))):
        for inlet in range(fabric.first_inlet[place], fabric.first_inlet[place + 1]):
            source = sets.sender[step, inlet]
            if source < 0 or trees.step[message, source] >= step or (step == came and inlet == through):
                continue
            load = trees.load[step, inlet]
            price = desk.coefficient[step] * (trees.power[load + 1] - trees.power[load])
            if price < cheapest:
                cheapest = price
                at, by = step, inlet
    if at < 0:
        return False
    remember(trees, desk, message)
    weigh_tree(fabric, trees, came, through, -1)
    weigh_tree(fabric, trees, at, by, 1)
    trees.step[message, place] = at
    trees.inlet[message, place] = by
    # The new sender must keep the message from then on; who sent it before has one less to serve.
    source = sets.sender[at, by]
    desk.latest[source] = min(desk.latest[source], at)
    return True


def is_needed(sets: Sets, trees: Trees, message: int, place: int, until: int) -> bool:
    """Say whether a place sends a message on in a step up to the given one."""
    for other in range(trees.step.shape[1]):
        when = trees.step[message, other]
        if 0 <= when <= until and sets.sender[when, trees.inlet[message, other]] == place:
            return True
    return False


def drift(
    fabric: Fabric, sets: Sets, trees: Trees, desk: Desk, tries: int, heat: float, rng: np.random.Generator
) -> None:
    """Let random copies come through random other inlets, where that is cheaper or the heat allows it."""
    num_messages, num_places = trees.step.shape
    num_steps = len(sets.sender)
    price_trees(trees, desk)
    for _ in range(tries):
        message = int(rng.random() * num_messages)
        place = int(rng.random() * num_places)
        came, through = trees.step[message, place], trees.inlet[message, place]
        step = int(rng.random() * num_steps)
        first = fabric.first_inlet[place]
        inlet = first + int(rng.random() * (fabric.first_inlet[place + 1] - first))
        if came < 0 or came == NEVER or first == fabric.first_inlet[place + 1]:
            continue
        source = sets.sender[step, inlet]
        if source < 0 or trees.step[message, source] >= step or (step == came and inlet == through):
            continue
        now, then = trees.load[came, through], trees.load[step, inlet]
        dearer = desk.coefficient[step] * (trees.power[then + 1] - trees.power[then])
        dearer -= desk.coefficient[came] * (trees.power[now] - trees.power[now - 1])
        dearer *= 1 + len(fabric.image_inlet)
        if dearer > 0.0 and rng.random() >= np.exp(-dearer / heat):
            continue
        if step > came and is_needed(sets, trees, message, place, step):
            continue
        weigh_tree(fabric, trees, came, through, -1)
        weigh_tree(fabric, trees, step, inlet, 1)
        trees.step[message, place] = step
        trees.inlet[message, place] = inlet
        price_step(trees, desk, came)
        price_step(trees, desk, step)


def norms(trees: Trees) -> float:
    """Return the sum of the steps' norms."""
    total = 0.0
    for step in range(len(trees.powers)):
        total += max(trees.powers[step], 0.0) ** (1.0 / trees.exponent)
    return total


def take_back(fabric: Fabric, trees: Trees, desk: Desk) -> None:
    """Give every message that changed in this move its old tree."""
    for message in range(len(trees.step)):
        if desk.is_kept[message]:
            for place in range(trees.step.shape[1]):
                now, old = trees.step[message, place], desk.old_step[message, place]
                inlet, old_inlet = trees.inlet[message, place], desk.old_inlet[message, place]
                if now != old or inlet != old_inlet:
                    if 0 <= now < NEVER:
                        weigh_tree(fabric, trees, now, inlet, -1)
                    if 0 <= old < NEVER:
                        weigh_tree(fabric, trees, old, old_inlet, 1)
                    trees.step[message, place] = old
                    trees.inlet[message, place] = old_inlet


def anneal_trees(
    fabric: Fabric,
    sets: Sets,
    scratch: Scratch,
    trees: Trees,
    desk: Desk,
    best: BestTrees,
    goal: int,
    fine: float,
    hot: float,
    cold: float,
    progress: float,
    pace: float,
    moves: int,
    tries: int,
    rng: np.random.Generator,
) -> int:
    """Anneal sets and trees; keep the best, stop at the goal, and return the number of moves made.

    `progress` of the cooling is done before; each move adds `pace`.
    """
    num_steps = len(sets.sender)
    num_messages, num_places = trees.step.shape
    lost = 0
    for message in range(num_messages):
        lost += num_absent(trees, message)
    for made in range(moves):
        heat = hot * (cold / hot) ** min(1.0, progress + pace * made)
        drift(fabric, sets, trees, desk, DRIFTS, CALM * heat, rng)
        if lost == 0:
            tco = largest_loads(trees.load)
            if tco < best.tco[0]:
                best.tco[0] = tco
                best.sender[:] = sets.sender
                best.hops[:] = sets.hops
                best.path[:] = sets.path
                best.step[:] = trees.step
                best.inlet[:] = trees.inlet
        if best.tco[0] <= goal:
            return made
        step = int(rng.random() * num_steps)
        desk.is_kept[:] = False
        if not push(fabric, sets, scratch, step, tries, rng):
            restore(sets, scratch, step)
            continue
        limit = norms(trees) + fine * lost - heat * np.log(1.0 - rng.random())
        renewed = int(rng.random() * num_messages / RENEWED)
        for message in range(num_messages):
            stranded = message == renewed
            for place in range(num_places):
                when = trees.step[message, place]
                if when == NEVER:
                    stranded = stranded or trees.is_target[place]
                elif when == step:
                    inlet = trees.inlet[message, place]
                    if sets.sender[step, inlet] != scratch.sender[inlet]:
                        stranded = True
                        remember(trees, desk, message)
                        cut_off(fabric, trees, message, place)
            if stranded:
                remember(trees, desk, message)
                if message == renewed:
                    cut_down(fabric, trees, message)
        now_lost = 0
        # With each that grows again the sum does: most moves are given up before all have.
        is_hopeless = False
        for message in range(num_messages):
            if desk.is_kept[message]:
                now_lost += grow(fabric, sets, trees, desk, message, rng)
                is_hopeless = norms(trees) + fine * now_lost > limit
                if is_hopeless:
                    break
        if is_hopeless:
            take_back(fabric, trees, desk)
            restore(sets, scratch, step)
        else:
            lost = now_lost
    return moves
