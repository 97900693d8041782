"""The genes of HGSA (gecco07 section 3.1): a path of hops for each, and ascending steps, one for each hop.

An annealer counts how often each message uses each hop in each step, and how many transfers draw on each unit of
capacity in each step: however many paths of one message share a hop in a step, they are one transfer. The conflicts are
the loads beyond the capacities, summed. The steps of a path ascend, so that its hops never meet each other.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pavane.jit.compiling import inlined
from pavane.solvers.kernels.random_numbers import draw

Array = np.ndarray[Any, Any]


class HopTables(NamedTuple):
    """What genes stand for; nothing in it changes."""

    num_steps: int
    starts_at_once: bool
    """Whether the first hop of every path is made in the first step."""
    message_of: Array
    """int32[genes]: the message that each gene is about."""
    first_path: Array
    """int32[genes + 1]: gene g has the paths first_path[g] to first_path[g + 1]."""
    first_hop: Array
    """int32[paths + 1]"""
    hops: Array
    """int32[]: path i makes the hops hops[first_hop[i]:first_hop[i + 1]]."""
    first_unit: Array
    """int32[hops + 1]"""
    units: Array
    """int32[]: hop h draws on the units (channels, links, ports) units[first_unit[h]:first_unit[h + 1]]."""
    capacity: Array
    """int32[units]: how many transfers each unit takes in a step."""
    absorption_of: Array
    """int32[genes]: the unit that the last hop of each gene draws on besides, once for every gene; -1: none."""


class Annealers(NamedTuple):
    """The solutions of several annealers, a row for each."""

    paths: Array
    """int32[annealers, genes]"""
    steps: Array
    """int32[annealers, genes, hops]: the steps of each hop of a gene's path; what is beyond the path means nothing."""
    conflicts: Array
    """int64[annealers]"""
    states: Array
    """int64[annealers, 4]: a random generator for each, so that it does the same in whichever process it runs."""


class Counters(NamedTuple):
    """Who uses what when, a row for each annealer."""

    uses: Array
    """int16[annealers, messages * hops * steps]"""
    loads: Array
    """int16[annealers, units * steps]"""


class Annealer(NamedTuple):
    """One annealer: its solution, its counters and its random numbers."""

    paths: Array
    """int32[genes]"""
    steps: Array
    """int32[genes, hops]"""
    uses: Array
    """int16[messages * hops * steps]"""
    loads: Array
    """int16[units * steps]"""
    state: Array
    """int64[4]"""


class Route(NamedTuple):
    """A path, and the row of a table that has its steps."""

    path: int
    steps: Array
    """int32[rows, hops]"""
    row: int


@inlined
def annealer_of(annealers: Annealers, counters: Counters, number: int) -> Annealer:
    """Return one of several annealers; it shares their memory."""
    return Annealer(
        annealers.paths[number],
        annealers.steps[number],
        counters.uses[number],
        counters.loads[number],
        annealers.states[number],
    )


@inlined
def as_long(number: Any) -> int:
    """Return a number of an array of any type as an int64, so that what takes it is compiled for one type only."""
    return int(np.int64(number))


@inlined
def length_of(first_hop: Array, path: int) -> int:
    """Return the number of hops of a path."""
    return first_hop[path + 1] - first_hop[path]  # type: ignore[no-any-return]


def start_genes(tables: HopTables, annealers: Annealers) -> None:
    """Draw the genes of every annealer at random."""
    for number in range(len(annealers.paths)):
        state = annealers.states[number]
        for gene in range(annealers.paths.shape[1]):
            first = tables.first_path[gene]
            path = first + draw(state, tables.first_path[gene + 1] - first)
            annealers.paths[number, gene] = path
            num_hops = length_of(tables.first_hop, path)
            draw_steps(num_hops, tables.num_steps, tables.starts_at_once, annealers.steps[number], gene, state)


@inlined
def draw_steps(num_hops: int, num_steps: int, starts_at_once: bool, steps: Array, row: int, state: Array) -> None:
    """Draw ascending steps for the hops of a path into a row, every choice with the same chance (Floyd's sampling)."""
    first = 1 if starts_at_once else 0
    if starts_at_once:
        steps[row, 0] = 0
    filled = first
    for largest in range(num_steps - num_hops + first, num_steps):
        step = first + draw(state, largest - first + 1)
        index = filled
        while index > first and steps[row, index - 1] > step:
            index -= 1
        if index > first and steps[row, index - 1] == step:
            # Already there: take the largest instead, which is above all others.
            step, index = largest, filled
        for later in range(filled, index, -1):
            steps[row, later] = steps[row, later - 1]
        steps[row, index] = step
        filled += 1


def count_anew(tables: HopTables, annealers: Annealers, counters: Counters) -> None:
    """Make the counters and the conflicts of every annealer from its genes."""
    for number in range(len(annealers.paths)):
        recount(tables, annealer_of(annealers, counters, number))
        annealers.conflicts[number] = overload(tables, counters.loads[number])


def recount(tables: HopTables, annealer: Annealer) -> None:
    """Count for an annealer from scratch."""
    for use in range(len(annealer.uses)):
        annealer.uses[use] = 0
    for load in range(len(annealer.loads)):
        annealer.loads[load] = 0
    for gene in range(len(annealer.paths)):
        new = Route(as_long(annealer.paths[gene]), annealer.steps, gene)
        rewrite(tables, annealer, gene, Route(-1, annealer.steps, gene), new)


def overload(tables: HopTables, loads: Array) -> int:
    """Return the conflicts: the loads beyond the capacities, summed."""
    total = 0
    for unit in range(len(tables.capacity)):
        for step in range(tables.num_steps):
            total += max(0, loads[unit * tables.num_steps + step] - tables.capacity[unit])
    return total


@inlined
def change_of(tables: HopTables, annealer: Annealer, gene: int, old: Route, new: Route) -> int:
    """Return how many conflicts more there were if a gene had a new path and steps; nothing is changed."""
    num_steps, uses, loads = tables.num_steps, annealer.uses, annealer.loads
    hops, first_unit, units, capacity = tables.hops, tables.first_unit, tables.units, tables.capacity
    first_use = tables.message_of[gene] * (len(first_unit) - 1)
    old_hop, old_end = tables.first_hop[old.path], tables.first_hop[old.path + 1]
    new_hop, new_end = tables.first_hop[new.path], tables.first_hop[new.path + 1]
    old_index, new_index = 0, 0
    change = 0
    while old_hop < old_end or new_hop < new_end:
        old_step = old.steps[old.row, old_index] if old_hop < old_end else num_steps
        new_step = new.steps[new.row, new_index] if new_hop < new_end else num_steps
        step = min(old_step, new_step)
        gone, come = -1, -1
        if old_step == step:
            gone = hops[old_hop]
            old_hop += 1
            old_index += 1
        if new_step == step:
            come = hops[new_hop]
            new_hop += 1
            new_index += 1
        if gone == come:
            continue
        if gone >= 0 and uses[(first_use + gone) * num_steps + step] > 1:
            gone = -1
        if gone >= 0:
            for at in range(first_unit[gone], first_unit[gone + 1]):
                if loads[units[at] * num_steps + step] > capacity[units[at]]:
                    change -= 1
        if come >= 0 and uses[(first_use + come) * num_steps + step] == 0:
            for at in range(first_unit[come], first_unit[come + 1]):
                load = loads[units[at] * num_steps + step]
                if load >= capacity[units[at]] and not (
                    load == capacity[units[at]] and gone >= 0 and draws_on(tables, gone, units[at])
                ):
                    change += 1
    absorption = tables.absorption_of[gene]
    if absorption >= 0:
        old_step, new_step = old.steps[old.row, old_index - 1], new.steps[new.row, new_index - 1]
        if old_step != new_step:
            if loads[absorption * num_steps + old_step] > capacity[absorption]:
                change -= 1
            if loads[absorption * num_steps + new_step] >= capacity[absorption]:
                change += 1
    return change


@inlined
def draws_on(tables: HopTables, hop: int, unit: int) -> bool:
    """Return whether a hop draws on a unit."""
    at = tables.first_unit[hop]
    while at < tables.first_unit[hop + 1] and tables.units[at] != unit:
        at += 1
    return at < tables.first_unit[hop + 1]  # type: ignore[no-any-return]


@inlined
def rewrite(tables: HopTables, annealer: Annealer, gene: int, old: Route, new: Route) -> None:
    """Count a gene's new path and steps instead of the old; path -1 is none."""
    if old.path >= 0:
        recharge(tables, annealer, gene, old, -1)
    if new.path >= 0:
        recharge(tables, annealer, gene, new, 1)


@inlined
def recharge(tables: HopTables, annealer: Annealer, gene: int, route: Route, sign: int) -> None:
    """Count a path once more (sign 1) or once less (sign -1)."""
    num_steps, uses, loads = tables.num_steps, annealer.uses, annealer.loads
    first_use = tables.message_of[gene] * (len(tables.first_unit) - 1)
    # The number of uses between which a transfer comes or goes: none and one.
    changing = 1 if sign > 0 else 0
    begin = tables.first_hop[route.path]
    length = tables.first_hop[route.path + 1] - begin
    for index in range(length):
        hop, step = tables.hops[begin + index], route.steps[route.row, index]
        use = (first_use + hop) * num_steps + step
        uses[use] += sign
        if uses[use] == changing:
            for at in range(tables.first_unit[hop], tables.first_unit[hop + 1]):
                loads[tables.units[at] * num_steps + step] += sign
    absorption = tables.absorption_of[gene]
    if absorption >= 0:
        loads[absorption * num_steps + route.steps[route.row, length - 1]] += sign
