"""Payloads of private messages: every message on a cheap way through the steps, while the sets of transfers anneal.

A message waits at locations or moves along transfers, one a step. Each transfer has a price, the derivative of what its
step costs: the p-norm of the step's loads, which for large p is the largest load, but distinguishes a step with one
full transfer from a step with many. The sum of those norms is annealed, plus a fine for every lost message. Between two
changes of the sets a few messages are rerouted, so that ways follow the prices everywhere.
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

FAR = 1e300

DRIFTS = 3
"""How many messages are rerouted between two changes of the sets."""

POLISHED = 0.02
"""By what part of the sum the messages of full transfers may lower it, once they are rerouted."""


STEPS_POLISHED = 2
"""In how many steps that is done after each change of the sets."""


class PathScratch(NamedTuple):
    """Room to work in, and what the last move changed."""

    cost: Array
    """(steps + 1, locations + 1; float64): the price of the way to a location before a step; the last is far away."""
    there: Array
    """(inlets; float64): the price of the way through each inlet."""
    coefficient: Array
    """(steps; float64): what the prices of a step are multiplied by."""
    changed: Array
    """(changes; int64): the messages that were taken off their ways, in that order."""
    old_inlet: Array
    """old_inlet[change, step], int32: the way before."""
    was_lost: Array
    """(changes; bool)"""


class PayloadPaths(NamedTuple):
    """Messages and their ways; with symmetries, one message of every orbit."""

    origin: Array
    """(messages; int64)"""
    target: Array
    """(messages; int64)"""
    inlet: Array
    """inlet[step, message], int32: the inlet into which the message moves in that step, or -1."""
    is_lost: Array
    """(messages; bool): whether it has no way to its target."""
    load: Array
    """load[step, inlet], int64: how many messages its transfer carries."""
    dearer: Array
    """dearer[step, inlet], float64: by how much one message more raises the p-th power of the load."""
    powers: Array
    """(steps; float64): the sum of the p-th powers of its loads."""
    power: Array
    """power[n], float64, is n to the p."""
    exponent: float
    scratch: PathScratch


def weigh(ways: PayloadPaths, step: int, inlet: int, change: int) -> None:
    """Change a load and the books of its step."""
    load = ways.load[step, inlet]
    ways.powers[step] += ways.power[load + change] - ways.power[load]
    ways.load[step, inlet] = load + change
    ways.dearer[step, inlet] = ways.power[load + change + 1] - ways.power[load + change]


def move_way(image_inlet: Array, ways: PayloadPaths, message: int, change: int) -> None:
    """Put a message and its images on their way (change 1), or take them off it (-1); keep prices up to date."""
    power, coefficient = 1.0 / ways.exponent - 1.0, ways.scratch.coefficient
    for step in range(len(ways.inlet)):
        inlet = ways.inlet[step, message]
        if inlet >= 0:
            weigh(ways, step, inlet, change)
            for symmetry in range(len(image_inlet)):
                weigh(ways, step, image_inlet[symmetry, inlet], change)
            coefficient[step] = max(ways.powers[step], 1.0) ** power / ways.exponent


def lead(first_inlet: Array, sender: Array, ways: PayloadPaths, message: int) -> bool:
    """Find the cheapest way of a message without one; return whether there is one.

    Given are the first inlet of each location (Fabric) and the senders of all steps (Sets): this is the innermost part,
    and every argument passed by value takes time.
    """
    num_steps, num_inlets = sender.shape
    num_locations = len(first_inlet) - 1
    cost, there, coefficients = ways.scratch.cost, ways.scratch.there, ways.scratch.coefficient
    fill_line(cost[0], FAR)
    cost[0, ways.origin[message]] = 0.0
    for step in range(num_steps):
        coefficient = coefficients[step]
        before, after = cost[step], cost[step + 1]
        senders, dearer = sender[step], ways.dearer[step]
        # What arrives in a step can be sent on only in the next. The loops do little each, so that machine code does
        # several turns of them at once.
        for inlet in range(num_inlets):
            # Without a transfer the sender is -1: the last entry, which is far from everywhere.
            there[inlet] = before[senders[inlet]] + coefficient * dearer[inlet]
        if num_inlets == num_locations:
            for location in range(num_locations):
                after[location] = min(before[location], there[location])
        else:
            for location in range(num_locations):
                least = before[location]
                for inlet in range(first_inlet[location], first_inlet[location + 1]):
                    least = min(least, there[inlet])
                after[location] = least
        after[num_locations] = FAR
    location = ways.target[message]
    found = cost[num_steps, location] < FAR
    for step in range(num_steps - 1, -1, -1):
        ways.inlet[step, message] = -1
        if found and cost[step + 1, location] < cost[step, location]:
            coefficient = coefficients[step]
            cheapest, by = FAR, -1
            for inlet in range(first_inlet[location], first_inlet[location + 1]):
                price = cost[step, sender[step, inlet]] + coefficient * ways.dearer[step, inlet]
                if price < cheapest:
                    cheapest, by = price, inlet
            ways.inlet[step, message] = by
            location = sender[step, by]
    ways.is_lost[message] = not found
    return bool(found)


def take_off(image_inlet: Array, ways: PayloadPaths, message: int, count: int) -> int:
    """Take a message off its way, noting it as change number `count`; return the number of the next change."""
    scratch = ways.scratch
    scratch.changed[count] = message
    copy_line(scratch.old_inlet[count], ways.inlet[:, message])
    scratch.was_lost[count] = ways.is_lost[message]
    move_way(image_inlet, ways, message, -1)
    for step in range(len(ways.inlet)):
        ways.inlet[step, message] = -1
    return count + 1


def lead_anew(fabric: TransferFabric, sets: TransferSets, ways: PayloadPaths, message: int, count: int) -> int:
    """Take a message off its way and find the cheapest one, noting the old one as change number `count`."""
    count = take_off(fabric.image_inlet, ways, message, count)
    lead(fabric.first_inlet, sets.sender, ways, message)
    move_way(fabric.image_inlet, ways, message, 1)
    return count


def reroute(fabric: TransferFabric, sets: TransferSets, ways: PayloadPaths, message: int) -> None:
    """Take a message off its way and put it on the cheapest one."""
    move_way(fabric.image_inlet, ways, message, -1)
    lead(fabric.first_inlet, sets.sender, ways, message)
    move_way(fabric.image_inlet, ways, message, 1)


def drift_ways(fabric: TransferFabric, sets: TransferSets, ways: PayloadPaths, rng: np.random.Generator) -> None:
    """Reroute random messages, each on what is now its cheapest way."""
    for _ in range(DRIFTS):
        message = int(rng.random() * len(ways.origin))
        if not ways.is_lost[message]:
            reroute(fabric, sets, ways, message)


def num_true(flags: Array) -> int:
    """Count the flags that are set."""
    count = 0
    for flag in flags:
        count += flag
    return count


def strand_messages(image_inlet: Array, before: Array, after: Array, ways: PayloadPaths, step: int) -> int:
    """Take off their ways the messages whose transfers are gone from a step, and those that have no way; count them.

    Given are the senders of the step before and after. Transfers that only changed their path keep their messages.
    """
    count = 0
    for message in range(len(ways.origin)):
        inlet = ways.inlet[step, message]
        is_stranded = inlet >= 0 and after[inlet] != before[inlet]
        if is_stranded or ways.is_lost[message]:
            count = take_off(image_inlet, ways, message, count)
    return count


def put_back(fabric: TransferFabric, sets: TransferSets, ways: PayloadPaths, count: int, most: float) -> bool:
    """Reroute the messages that were taken off; False once the sum is above `most`.

    With each that is put back the sum grows: most moves are given up before all are.
    """
    changed = ways.scratch.changed
    for change in range(count):
        message = changed[change]
        lead(fabric.first_inlet, sets.sender, ways, message)
        move_way(fabric.image_inlet, ways, message, 1)
        if change % 4 == 3 and sum_of_norms(ways.powers, ways.exponent) > most:
            return False
    return True


def lighten_fullest(fabric: TransferFabric, sets: TransferSets, ways: PayloadPaths, step: int, count: int) -> int:
    """Reroute the messages on the fullest transfer of a step; return the number of the next change."""
    fullest = 0
    for inlet in range(1, ways.load.shape[1]):
        if ways.load[step, inlet] > ways.load[step, fullest]:
            fullest = inlet
    if ways.load[step, fullest] == 0:
        return count
    for message in range(len(ways.origin)):
        inlet = ways.inlet[step, message]
        is_there = inlet == fullest
        if inlet >= 0 and not is_there:
            for symmetry in range(len(fabric.image_inlet)):
                is_there = is_there or fabric.image_inlet[symmetry, inlet] == fullest
        if is_there and count < len(ways.scratch.changed):
            count = lead_anew(fabric, sets, ways, message, count)
    return count


def take_changes_back(image_inlet: Array, ways: PayloadPaths, count: int) -> None:
    """Give rerouted messages their old ways, the last change first."""
    scratch = ways.scratch
    for change in range(count - 1, -1, -1):
        message = scratch.changed[change]
        move_way(image_inlet, ways, message, -1)
        copy_line(ways.inlet[:, message], scratch.old_inlet[change])
        ways.is_lost[message] = scratch.was_lost[change]
        move_way(image_inlet, ways, message, 1)


def anneal_paths(
    work: TransferWork, ways: PayloadPaths, best: BestPayloads, annealing: Annealing, rng: np.random.Generator
) -> int:
    """Anneal sets and ways; record the best, stop at the goal, and return the number of moves made."""
    fabric, sets, scratch = work
    num_steps = len(sets.sender)
    for index in range(len(annealing.order)):
        reroute(fabric, sets, ways, annealing.order[index])
    lost = num_true(ways.is_lost)
    for made in range(annealing.moves):
        drift_ways(fabric, sets, ways, rng)
        level = sum_of_norms(ways.powers, ways.exponent) + annealing.fine * lost
        tco = largest_loads(ways.load)
        if lost == 0 and tco < best.tco[0]:
            keep_best(best, sets, best.step, ways.inlet, tco)
        if best.tco[0] <= annealing.goal:
            return made
        heat = heat_at(annealing, made)
        step = int(rng.random() * num_steps)
        if not push(work, step, rng):
            restore(sets, scratch, step)
            continue
        limit = level - heat * np.log(1.0 - rng.random())
        count = strand_messages(fabric.image_inlet, scratch.sender, sets.sender[step], ways, step)
        is_hopeful = put_back(fabric, sets, ways, count, limit + POLISHED * level)
        for number in range(STEPS_POLISHED if is_hopeful else 0):
            now = step if number == 0 else int(rng.random() * num_steps)
            count = lighten_fullest(fabric, sets, ways, now, count)
        now_lost = num_true(ways.is_lost)
        if is_hopeful and sum_of_norms(ways.powers, ways.exponent) + annealing.fine * now_lost <= limit:
            lost = now_lost
        else:
            take_changes_back(fabric.image_inlet, ways, count)
            restore(sets, scratch, step)
    return annealing.moves
