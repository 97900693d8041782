"""Payloads of broadcasts: a cheap tree through the steps for every message, while the sets of transfers anneal.

A copy of a message comes to a location once, through one inlet in one step, from a location that held it before. So
the tree of a message is a step and an inlet per location. Prices are those of `paths`: the derivative of the
p-norm of a step's loads. Between two changes of the sets single copies drift: each may come through another inlet or
in another step, as the heat allows. That evens out loads where trees that grow by price alone get stuck.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pavane.jit.copying import copy_line, fill_line
from pavane.solvers.combining.kernels.transfer_sets import (
    Annealing,
    BestPayloads,
    TransferFabric,
    TransferSets,
    TransferWork,
    heat_at,
    keep_best,
    largest_loads,
    push,
    restore,
    sum_of_norms,
)

Array = np.ndarray[Any, Any]

NEVER = 1 << 14
"""Stands for the step of locations that a message does not come to; at its origin it is from step -1 on."""

DRIFTS = 50
"""How many copies try another way between two changes of the sets."""

CALM = 0.1
"""What part of the heat copies drift at: one copy changes the sum by much less than a transfer does."""

RENEWED = 0.2
"""How often a change of the sets rebuilds the tree of one message, so that it follows the sets."""


class TreeScratch(NamedTuple):
    """Room to work in, and the messages as they were before the last move."""

    coefficient: Array
    """(steps; float64): what the prices of a step are multiplied by."""
    latest: Array
    """(locations; int64): the first step in which each sends the current message."""
    is_kept: Array
    """(messages; bool): whether the old tree of each stands below."""
    old_step: Array
    old_inlet: Array


class BroadcastTrees(NamedTuple):
    """Messages and their trees; with symmetries, one message of every orbit."""

    step: Array
    """step[message, location], int32: when the message comes."""
    inlet: Array
    """inlet[message, location], int32: through which inlet."""
    is_target: Array
    """(locations; bool): whether a location wants every message."""
    load: Array
    """load[step, inlet], int64: how many messages its transfer carries."""
    powers: Array
    """(steps; float64): the sum of the p-th powers of its loads."""
    power: Array
    """power[n], float64, is n to the p."""
    exponent: float
    scratch: TreeScratch


def weigh_tree(image_inlet: Array, trees: BroadcastTrees, step: int, inlet: int, change: int) -> None:
    """Change the load of a transfer and its images, and the books of the step."""
    for symmetry in range(-1, len(image_inlet)):
        image = inlet if symmetry < 0 else image_inlet[symmetry, inlet]
        load = trees.load[step, image]
        trees.powers[step] += trees.power[load + change] - trees.power[load]
        trees.load[step, image] = load + change


def price_step(trees: BroadcastTrees, step: int) -> None:
    """Find what the prices of a step are multiplied by."""
    trees.scratch.coefficient[step] = max(trees.powers[step], 1.0) ** (1.0 / trees.exponent - 1.0) / trees.exponent


def price_trees(trees: BroadcastTrees) -> None:
    """Find what the prices of each step are multiplied by."""
    for step in range(len(trees.powers)):
        price_step(trees, step)


def remember(trees: BroadcastTrees, message: int) -> None:
    """Copy a message's tree before it changes, once per move."""
    if not trees.scratch.is_kept[message]:
        trees.scratch.is_kept[message] = True
        copy_line(trees.scratch.old_step[message], trees.step[message])
        copy_line(trees.scratch.old_inlet[message], trees.inlet[message])


def cut_off(image_inlet: Array, trees: BroadcastTrees, message: int, location: int) -> None:
    """Let a message come no longer to a location."""
    weigh_tree(image_inlet, trees, trees.step[message, location], trees.inlet[message, location], -1)
    trees.step[message, location] = NEVER


def sweep(fabric: TransferFabric, sets: TransferSets, trees: BroadcastTrees, message: int) -> None:
    """Bring a message to every location that lacks it as early as possible, from where it is."""
    when, waiting = trees.step[message], trees.scratch.latest
    count = 0
    for location in range(len(when)):
        if when[location] == NEVER:
            waiting[count] = location
            count += 1
    for step in range(len(sets.sender)):
        left = 0
        for at in range(count):
            location = waiting[at]
            for inlet in range(fabric.first_inlet[location], fabric.first_inlet[location + 1]):
                source = sets.sender[step, inlet]
                if source >= 0 and when[source] < step:
                    when[location] = step
                    trees.inlet[message, location] = inlet
                    weigh_tree(fabric.image_inlet, trees, step, inlet, 1)
                    break
            if when[location] == NEVER:
                waiting[left] = location
                left += 1
        count = left


def prune(fabric: TransferFabric, sets: TransferSets, trees: BroadcastTrees, message: int) -> None:
    """Take out what hangs on a location that has the message no longer, or too late."""
    when = trees.step[message]
    is_sound = False
    while not is_sound:
        is_sound = True
        for location in range(len(when)):
            step = when[location]
            if 0 <= step < NEVER and when[sets.sender[step, trees.inlet[message, location]]] >= step:
                cut_off(fabric.image_inlet, trees, message, location)
                is_sound = False


def tidy(fabric: TransferFabric, sets: TransferSets, trees: BroadcastTrees, message: int) -> None:
    """Take out relays that serve no target, and find when each location sends first."""
    when, latest = trees.step[message], trees.scratch.latest
    is_tidy = False
    while not is_tidy:
        is_tidy = True
        fill_line(latest, NEVER)
        for location in range(len(when)):
            step = when[location]
            if 0 <= step < NEVER:
                source = sets.sender[step, trees.inlet[message, location]]
                latest[source] = min(latest[source], step)
        for location in range(len(when)):
            if latest[location] == NEVER and 0 <= when[location] < NEVER and not trees.is_target[location]:
                cut_off(fabric.image_inlet, trees, message, location)
                is_tidy = False


def num_absent(trees: BroadcastTrees, message: int) -> int:
    """Count the targets that a message does not come to."""
    absent = 0
    for location in range(trees.step.shape[1]):
        absent += trees.is_target[location] and trees.step[message, location] == NEVER
    return absent


def cut_down(image_inlet: Array, trees: BroadcastTrees, message: int) -> None:
    """Leave of a tree nothing but its origin."""
    for location in range(trees.step.shape[1]):
        if 0 <= trees.step[message, location] < NEVER:
            cut_off(image_inlet, trees, message, location)


def grow(
    fabric: TransferFabric, sets: TransferSets, trees: BroadcastTrees, message: int, rng: np.random.Generator
) -> int:
    """Bring a message to every target that lacks it, cheaply; return how many stay without."""
    num_locations, scratch = trees.step.shape[1], trees.scratch
    prune(fabric, sets, trees, message)
    sweep(fabric, sets, trees, message)
    absent = num_absent(trees, message)
    if absent:
        # A location that has it late may now need it early.
        cut_down(fabric.image_inlet, trees, message)
        sweep(fabric, sets, trees, message)
        absent = num_absent(trees, message)
    tidy(fabric, sets, trees, message)
    price_trees(trees)
    turn = int(rng.random() * num_locations)
    for number in range(num_locations):
        location = (number + turn) % num_locations
        when = trees.step[message, location]
        if 0 <= when < NEVER and (
            when != scratch.old_step[message, location]
            or trees.inlet[message, location] != scratch.old_inlet[message, location]
        ):
            shift(fabric, sets, trees, message, location, scratch.latest[location])
    return absent


def shift(
    fabric: TransferFabric, sets: TransferSets, trees: BroadcastTrees, message: int, location: int, latest: int
) -> bool:
    """Let a message come to a location through the cheapest inlet before the location sends it on."""
    came, through = trees.step[message, location], trees.inlet[message, location]
    load = trees.load[came, through]
    cheapest = trees.scratch.coefficient[came] * (trees.power[load] - trees.power[load - 1])
    at, by = -1, -1
    for step in range(min(latest, len(sets.sender))):
        for inlet in range(fabric.first_inlet[location], fabric.first_inlet[location + 1]):
            source = sets.sender[step, inlet]
            if source < 0 or trees.step[message, source] >= step or (step == came and inlet == through):
                continue
            load = trees.load[step, inlet]
            price = trees.scratch.coefficient[step] * (trees.power[load + 1] - trees.power[load])
            if price < cheapest:
                cheapest = price
                at, by = step, inlet
    if at < 0:
        return False
    remember(trees, message)
    weigh_tree(fabric.image_inlet, trees, came, through, -1)
    weigh_tree(fabric.image_inlet, trees, at, by, 1)
    trees.step[message, location] = at
    trees.inlet[message, location] = by
    # The new sender must keep the message from then on; the previous sender has one less to serve.
    source = sets.sender[at, by]
    trees.scratch.latest[source] = min(trees.scratch.latest[source], at)
    return True


def is_needed(sets: TransferSets, trees: BroadcastTrees, message: int, location: int, until: int) -> bool:
    """Return whether a location sends a message on in a step up to the given one."""
    for other in range(trees.step.shape[1]):
        when = trees.step[message, other]
        if 0 <= when <= until and sets.sender[when, trees.inlet[message, other]] == location:
            return True
    return False


def drift(
    fabric: TransferFabric, sets: TransferSets, trees: BroadcastTrees, tries: int, heat: float, rng: np.random.Generator
) -> None:
    """Let random copies come through random other inlets, where that is cheaper or the heat allows it."""
    num_messages, num_locations = trees.step.shape
    num_steps = len(sets.sender)
    price_trees(trees)
    for _ in range(tries):
        message = int(rng.random() * num_messages)
        location = int(rng.random() * num_locations)
        came, through = trees.step[message, location], trees.inlet[message, location]
        step = int(rng.random() * num_steps)
        first = fabric.first_inlet[location]
        inlet = first + int(rng.random() * (fabric.first_inlet[location + 1] - first))
        if came < 0 or came == NEVER or first == fabric.first_inlet[location + 1]:
            continue
        source = sets.sender[step, inlet]
        if source < 0 or trees.step[message, source] >= step or (step == came and inlet == through):
            continue
        now, then = trees.load[came, through], trees.load[step, inlet]
        dearer = trees.scratch.coefficient[step] * (trees.power[then + 1] - trees.power[then])
        dearer -= trees.scratch.coefficient[came] * (trees.power[now] - trees.power[now - 1])
        dearer *= 1 + len(fabric.image_inlet)
        if dearer > 0.0 and rng.random() >= np.exp(-dearer / heat):
            continue
        if step > came and is_needed(sets, trees, message, location, step):
            continue
        weigh_tree(fabric.image_inlet, trees, came, through, -1)
        weigh_tree(fabric.image_inlet, trees, step, inlet, 1)
        trees.step[message, location] = step
        trees.inlet[message, location] = inlet
        price_step(trees, came)
        price_step(trees, step)


def take_back(image_inlet: Array, trees: BroadcastTrees) -> None:
    """Give every message that changed in this move its old tree."""
    for message in range(len(trees.step)):
        if trees.scratch.is_kept[message]:
            for location in range(trees.step.shape[1]):
                now, old = trees.step[message, location], trees.scratch.old_step[message, location]
                inlet, old_inlet = trees.inlet[message, location], trees.scratch.old_inlet[message, location]
                if now != old or inlet != old_inlet:
                    if 0 <= now < NEVER:
                        weigh_tree(image_inlet, trees, now, inlet, -1)
                    if 0 <= old < NEVER:
                        weigh_tree(image_inlet, trees, old, old_inlet, 1)
                    trees.step[message, location] = old
                    trees.inlet[message, location] = old_inlet


def num_all_absent(trees: BroadcastTrees) -> int:
    """Count the arrivals that are missing, over all messages."""
    absent = 0
    for message in range(len(trees.step)):
        absent += num_absent(trees, message)
    return absent


def strand_copies(
    image_inlet: Array, before: Array, after: Array, trees: BroadcastTrees, step: int, renewed: int
) -> None:
    """Cut off the copies whose transfers are gone from a step; leave of the tree to be renewed nothing but its origin.

    Given are the senders of the step before and after.
    """
    for message in range(len(trees.step)):
        is_stranded = message == renewed
        for location in range(trees.step.shape[1]):
            when = trees.step[message, location]
            if when == NEVER:
                is_stranded = is_stranded or trees.is_target[location]
            elif when == step:
                inlet = trees.inlet[message, location]
                if after[inlet] != before[inlet]:
                    is_stranded = True
                    remember(trees, message)
                    cut_off(image_inlet, trees, message, location)
        if is_stranded:
            remember(trees, message)
            if message == renewed:
                cut_down(image_inlet, trees, message)


def anneal_trees(
    work: TransferWork, trees: BroadcastTrees, best: BestPayloads, annealing: Annealing, rng: np.random.Generator
) -> int:
    """Anneal sets and trees; record the best, stop at the goal, and return the number of moves made."""
    fabric, sets, scratch = work
    num_steps, num_messages = len(sets.sender), len(trees.step)
    for index in range(len(annealing.order)):
        grow(fabric, sets, trees, annealing.order[index], rng)
    fine = annealing.fine
    lost = num_all_absent(trees)
    for made in range(annealing.moves):
        heat = heat_at(annealing, made)
        drift(fabric, sets, trees, DRIFTS, CALM * heat, rng)
        tco = largest_loads(trees.load)
        if lost == 0 and tco < best.tco[0]:
            keep_best(best, sets, trees.step, trees.inlet, tco)
        if best.tco[0] <= annealing.goal:
            return made
        step = int(rng.random() * num_steps)
        fill_line(trees.scratch.is_kept, False)
        if not push(work, step, rng):
            restore(sets, scratch, step)
            continue
        limit = sum_of_norms(trees.powers, trees.exponent) + fine * lost - heat * np.log(1.0 - rng.random())
        renewed = int(rng.random() * num_messages / RENEWED)
        strand_copies(fabric.image_inlet, scratch.sender, sets.sender[step], trees, step, renewed)
        now_lost = 0
        # With each that grows again the sum does: most moves are given up before all have.
        is_hopeless = False
        for message in range(num_messages):
            if trees.scratch.is_kept[message]:
                now_lost += grow(fabric, sets, trees, message, rng)
                is_hopeless = sum_of_norms(trees.powers, trees.exponent) + fine * now_lost > limit
                if is_hopeless:
                    break
        if is_hopeless:
            take_back(fabric.image_inlet, trees)
            restore(sets, scratch, step)
        else:
            lost = now_lost
    return annealing.moves
