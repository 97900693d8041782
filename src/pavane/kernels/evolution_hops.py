"""The genes of HGSA (gecco07 section 3.1): a path of hops for each, and ascending steps, one for each hop.

An annealer counts how often each message uses each hop in each step, and how many transfers draw on each unit of
capacity in each step: however many paths of one message share a hop in a step, they are one transfer. The conflicts are
the loads beyond the capacities, summed.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pavane.kernels.compiling import inlined
from pavane.kernels.evolution_random import draw

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
    """Make the counters and the conflicts of every annealer anew from its genes."""
    counters.uses[:] = 0
    counters.loads[:] = 0
    for number in range(len(annealers.paths)):
        annealer = annealer_of(annealers, counters, number)
        total = 0
        for gene in range(len(annealer.paths)):
            new = Route(int(annealer.paths[gene]), annealer.steps, gene)
            total += rewrite(tables, annealer, gene, Route(-1, annealer.steps, gene), new)
        annealers.conflicts[number] = total


@inlined
def rewrite(tables: HopTables, annealer: Annealer, gene: int, old: Route, new: Route) -> int:
    """Count a gene's new path and steps instead of the old, and return the change of conflicts; path -1 is none."""
    num_steps, uses, loads = tables.num_steps, annealer.uses, annealer.loads
    hops, first_unit, units, capacity = tables.hops, tables.first_unit, tables.units, tables.capacity
    first_use = tables.message_of[gene] * (len(first_unit) - 1)
    old_length = length_of(tables.first_hop, old.path) if old.path >= 0 else 0
    new_length = length_of(tables.first_hop, new.path) if new.path >= 0 else 0
    old_hop, new_hop = tables.first_hop[old.path], tables.first_hop[new.path]
    change = 0
    for index in range(old_length):
        hop, step = hops[old_hop + index], old.steps[old.row, index]
        if index < new_length and hops[new_hop + index] == hop and new.steps[new.row, index] == step:
            continue
        use = (first_use + hop) * num_steps + step
        uses[use] -= 1
        if uses[use] == 0:
            for at in range(first_unit[hop], first_unit[hop + 1]):
                load = units[at] * num_steps + step
                if loads[load] > capacity[units[at]]:
                    change -= 1
                loads[load] -= 1
    for index in range(new_length):
        hop, step = hops[new_hop + index], new.steps[new.row, index]
        if index < old_length and hops[old_hop + index] == hop and old.steps[old.row, index] == step:
            continue
        use = (first_use + hop) * num_steps + step
        uses[use] += 1
        if uses[use] == 1:
            for at in range(first_unit[hop], first_unit[hop + 1]):
                load = units[at] * num_steps + step
                loads[load] += 1
                if loads[load] > capacity[units[at]]:
                    change += 1
    return change
