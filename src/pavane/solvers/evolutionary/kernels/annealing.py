"""The annealers of HGSA (gecco07 section 3.1): Metropolis moves, crossover, mutation; the conflicts are the energy.

Among equals the newer one counts as better: a move that changes nothing is made, a child is taken before its parents,
and the mate, which has just come, before the annealer's own solution.
"""

from __future__ import annotations

from math import exp
from typing import NamedTuple

import numpy as np

from pavane.jit.compiling import inlined
from pavane.solvers.evolutionary.kernels.hops import (
    Annealer,
    Annealers,
    Array,
    Counters,
    HopTables,
    Route,
    annealer_of,
    as_long,
    change_of,
    draw_steps,
    length_of,
    recount,
    rewrite,
)
from pavane.solvers.kernels.random_numbers import draw, draw_real


class Moves(NamedTuple):
    """How genes change at random."""

    new_path: float
    """The chance that a move draws another path."""
    new_sequence: float
    """The chance that a move redraws all steps; otherwise one of them changes, between its neighbours."""
    child_mutation: float
    """The chance that a child is mutated."""
    num_mutated: int
    """How many genes a mutation changes."""
    movable: Array
    """int32[]: the genes that have more than one value."""


class Mate(NamedTuple):
    """The solution that an annealer crosses its own with."""

    paths: Array
    """int32[genes]"""
    steps: Array
    """int32[genes, hops]"""
    conflicts: int


class AnnealingScratch(NamedTuple):
    """What changes of a solution are undone from, and what the conflicts of a child are counted in."""

    mutated: Array
    """int32[mutated, 2]: the genes that a mutation has changed, and their old paths."""
    steps: Array
    """int32[max(mutated, 1), hops]: their old steps."""
    differing: Array
    """int32[genes]: first of all those that are not the same in an annealer's solution and its mate's."""
    own_paths: Array
    """int32[genes]"""
    own_steps: Array
    """int32[genes, hops]: what they were in the annealer's own solution."""
    seen: Array
    """int64[hops * steps]: who last used a hop in a step, by a number for each child and message."""
    loads: Array
    """int16[units * steps]"""
    num_counted: Array
    """int64[1]: how many children were counted."""


def new_scratch(tables: HopTables, moves: Moves, steps: Array) -> AnnealingScratch:
    """Make the memory for annealers with an int32[annealers, genes, hops] of steps."""
    num_mutated, num_hops = moves.num_mutated, steps.shape[2]
    return AnnealingScratch(
        np.zeros((num_mutated, 2), dtype=np.int32),
        np.zeros((max(num_mutated, 1), num_hops), dtype=np.int32),
        np.zeros(steps.shape[1], dtype=np.int32),
        np.zeros(steps.shape[1], dtype=np.int32),
        np.zeros((steps.shape[1], num_hops), dtype=np.int32),
        np.zeros((len(tables.first_unit) - 1) * tables.num_steps, dtype=np.int64),
        np.zeros(len(tables.capacity) * tables.num_steps, dtype=np.int16),
        np.zeros(1, dtype=np.int64),
    )


class Tally(NamedTuple):
    """What annealers did, written by `anneal`."""

    num_moves: Array
    """int64[annealers]: the moves that each made."""
    fewest: Array
    """int64[annealers]: the fewest conflicts that each has seen."""


class AnnealingPhase(NamedTuple):
    """What annealers do between two exchanges."""

    mates: Annealers
    """The solution that each crosses its own with; no rows: none."""
    temperatures: Array
    """float64[]: of the moves, one after the other."""
    num_moves: Array
    """int64[annealers]: how many moves each makes at most."""


def anneal(
    tables: HopTables,
    moves: Moves,
    annealers: Annealers,
    counters: Counters,
    stretch: AnnealingPhase,
    scratch: AnnealingScratch,
    tally: Tally,
) -> None:
    """Let every annealer cross its solution with its mate, where there are mates, and then make Metropolis moves.

    It rests when it has no conflicts.
    """
    mates, temperatures = stretch.mates, stretch.temperatures
    for number in range(len(annealers.paths)):
        annealer = annealer_of(annealers, counters, number)
        energy = annealers.conflicts[number]
        if len(mates.paths) > 0 and energy > 0:
            mate = Mate(mates.paths[number], mates.steps[number], mates.conflicts[number])
            energy = cross(tables, moves, annealer, energy, mate, temperatures[0], scratch)
        energy, tally.num_moves[number], tally.fewest[number] = metropolis(
            tables, moves, annealer, energy, temperatures[: stretch.num_moves[number]], scratch
        )
        annealers.conflicts[number] = energy


# -- Metropolis moves


def metropolis(
    tables: HopTables, moves: Moves, annealer: Annealer, energy: int, temperatures: Array, scratch: AnnealingScratch
) -> tuple[int, int, int]:
    """Make a move at each temperature; return the conflicts in the end, the moves made and the fewest conflicts."""
    state, fewest, made = annealer.state, energy, 0
    while made < len(temperatures) and energy > 0:
        gene = as_long(moves.movable[draw(state, len(moves.movable))])
        new = propose(tables, moves, annealer, gene, scratch.steps, 0)
        change = change_of(tables, annealer, gene, Route(as_long(annealer.paths[gene]), annealer.steps, gene), new)
        if accepts(change, temperatures[made], state):
            adopt(tables, annealer, gene, new)
            energy += change
            fewest = min(fewest, energy)
        made += 1
    return energy, made, fewest


@inlined
def accepts(change: int, temperature: float, state: Array) -> bool:
    """Decide by the Metropolis criterion: never refuse what is no worse, and what is worse the likelier the colder."""
    if change <= 0:
        return True
    return temperature > 0.0 and draw_real(state) < exp(-change / temperature)


@inlined
def propose(tables: HopTables, moves: Moves, annealer: Annealer, gene: int, spare: Array, row: int) -> Route:
    """Change a gene at random: return a path with steps in a row of `spare`."""
    steps, state = annealer.steps, annealer.state
    first = tables.first_path[gene]
    num_paths = tables.first_path[gene + 1] - first
    old_path = as_long(annealer.paths[gene])
    new_path = old_path
    if num_paths > 1 and (moves.new_path >= 1.0 or draw_real(state) < moves.new_path):
        new_path = int(first + draw(state, num_paths))
    length = length_of(tables.first_hop, new_path)
    is_other_length = length != length_of(tables.first_hop, old_path)
    if is_other_length or moves.new_sequence >= 1.0 or draw_real(state) < moves.new_sequence:
        draw_steps(length, tables.num_steps, tables.starts_at_once, spare, row, state)
    else:
        for index in range(length):
            spare[row, index] = steps[gene, index]
        change_step(length, tables.num_steps, tables.starts_at_once, spare, row, state)
    return Route(new_path, spare, row)


@inlined
def adopt(tables: HopTables, annealer: Annealer, gene: int, new: Route) -> None:
    """Give a gene another path and steps, and leave the old steps where the new ones were."""
    paths, steps = annealer.paths, annealer.steps
    rewrite(tables, annealer, gene, Route(as_long(paths[gene]), steps, gene), new)
    paths[gene] = new.path
    for index in range(steps.shape[1]):
        held = new.steps[new.row, index]
        new.steps[new.row, index] = steps[gene, index]
        steps[gene, index] = held


@inlined
def change_step(length: int, num_steps: int, starts_at_once: bool, steps: Array, row: int, state: Array) -> None:
    """Redraw the step of one hop, between those of the hops before and after."""
    first = 1 if starts_at_once else 0
    if length > first:
        index = first + draw(state, length - first)
        lowest = steps[row, index - 1] + 1 if index > 0 else 0
        highest = steps[row, index + 1] - 1 if index + 1 < length else num_steps - 1
        steps[row, index] = lowest + draw(state, highest - lowest + 1)


# -- crossover

OWN, FIRST, SECOND, MATE = 0, 1, 2, 3
"""What an annealer's solution is while it crosses: its own, a child, or the mate's.

The first child has the mate's genes between the two points, the second has all the others. So the lower bit says that
the genes inside are the mate's, and the upper one that those outside are."""

FEW = 6
"""Where fewer genes differ than one of these, the conflicts of children are counted by exchanging them."""


class Cut(NamedTuple):
    """How two solutions are crossed."""

    begin: int
    end: int
    """The two points: genes from begin to end are inside."""
    num_differing: int
    """How many genes of the two differ."""
    is_small: bool
    """Whether these are few, so that it is quicker to keep the counters up to date than to count from scratch."""


def cross(
    tables: HopTables,
    moves: Moves,
    annealer: Annealer,
    energy: int,
    mate: Mate,
    temperature: float,
    scratch: AnnealingScratch,
) -> int:
    """Cross a solution with its mate, mutate the best of the four, and keep it by the Metropolis criterion.

    Returns the conflicts of the annealer's new solution.
    """
    state = annealer.state
    begin, end = two_points(len(annealer.paths), state)
    num_differing = compare(tables, annealer, mate, scratch)
    cut = Cut(begin, end, num_differing, FEW * num_differing < len(annealer.paths))
    if cut.is_small:
        first = energy + turn(tables, annealer, mate, cut, scratch, OWN, FIRST)
        second = first + turn(tables, annealer, mate, cut, scratch, FIRST, SECOND)
    else:
        first = child_conflicts(tables, annealer, mate, cut, scratch, FIRST)
        second = child_conflicts(tables, annealer, mate, cut, scratch, SECOND)
    best = min(min(energy, mate.conflicts), min(first, second))
    which = FIRST if first == best else SECOND if second == best else MATE if mate.conflicts == best else OWN
    turn(tables, annealer, mate, cut, scratch, SECOND if cut.is_small else OWN, which)

    is_child = which in (FIRST, SECOND)
    new_energy = best
    num_mutated = 0
    if not is_child or draw_real(state) < moves.child_mutation:
        num_mutated = len(scratch.mutated)
    for row in range(num_mutated):
        gene = as_long(moves.movable[draw(state, len(moves.movable))])
        old_path = as_long(annealer.paths[gene])
        new = propose(tables, moves, annealer, gene, scratch.steps, row)
        new_energy += change_of(tables, annealer, gene, Route(old_path, annealer.steps, gene), new)
        adopt(tables, annealer, gene, new)
        scratch.mutated[row, 0], scratch.mutated[row, 1] = gene, old_path
    if accepts(new_energy - energy, temperature, state):
        return new_energy

    for row in range(num_mutated - 1, -1, -1):
        old = Route(as_long(scratch.mutated[row, 1]), scratch.steps, row)
        adopt(tables, annealer, as_long(scratch.mutated[row, 0]), old)
    turn(tables, annealer, mate, cut, scratch, which, OWN)
    return energy


@inlined
def two_points(num_genes: int, state: Array) -> tuple[int, int]:
    """Draw two different points between genes, or at the ends, in ascending order."""
    one, other = draw(state, num_genes + 1), draw(state, num_genes)
    if other >= one:
        other += 1
    return min(one, other), max(one, other)


def compare(tables: HopTables, annealer: Annealer, mate: Mate, scratch: AnnealingScratch) -> int:
    """List the genes that differ, with their own paths and steps, and return their number."""
    paths, steps = annealer.paths, annealer.steps
    number = 0
    for gene in range(len(paths)):
        path = as_long(paths[gene])
        is_same = mate.paths[gene] == path
        if is_same:
            index, length = 0, length_of(tables.first_hop, path)
            while index < length and steps[gene, index] == mate.steps[gene, index]:
                index += 1
            is_same = index == length
        if not is_same:
            scratch.differing[number] = gene
            scratch.own_paths[gene] = path
            for index in range(steps.shape[1]):
                scratch.own_steps[gene, index] = steps[gene, index]
            number += 1
    return number


def turn(
    tables: HopTables, annealer: Annealer, mate: Mate, cut: Cut, scratch: AnnealingScratch, was: int, becomes: int
) -> int:
    """Make one of the four solutions another; return the change of conflicts where few genes differ, otherwise 0."""
    paths, steps = annealer.paths, annealer.steps
    change = 0
    for number in range(cut.num_differing if was != becomes else 0):
        gene = as_long(scratch.differing[number])
        side = FIRST if cut.begin <= gene < cut.end else SECOND
        if (was & side) == (becomes & side):
            continue
        is_mates = (becomes & side) != 0
        path = as_long(mate.paths[gene] if is_mates else scratch.own_paths[gene])
        new = Route(path, mate.steps if is_mates else scratch.own_steps, gene)
        if cut.is_small:
            old = Route(as_long(paths[gene]), steps, gene)
            change += change_of(tables, annealer, gene, old, new)
            rewrite(tables, annealer, gene, old, new)
        paths[gene] = path
        for index in range(steps.shape[1]):
            steps[gene, index] = new.steps[gene, index]
    if was != becomes and not cut.is_small:
        recount(tables, annealer)
    return change


def child_conflicts(
    tables: HopTables, annealer: Annealer, mate: Mate, cut: Cut, scratch: AnnealingScratch, child: int
) -> int:
    """Count the conflicts of a child from its genes alone."""
    num_steps, seen, loads, capacity = tables.num_steps, scratch.seen, scratch.loads, tables.capacity
    first_unit, units = tables.first_unit, tables.units
    for load in range(len(loads)):
        loads[load] = 0
    user = scratch.num_counted[0] * (tables.message_of[-1] + 1) + 1
    scratch.num_counted[0] += 1
    total = 0
    for gene in range(len(annealer.paths)):
        is_mates = (cut.begin <= gene < cut.end) == (child == FIRST)
        path = mate.paths[gene] if is_mates else annealer.paths[gene]
        steps = mate.steps if is_mates else annealer.steps
        mark = user + tables.message_of[gene]
        begins = tables.first_hop[path]
        length = tables.first_hop[path + 1] - begins
        for index in range(length):
            hop, step = tables.hops[begins + index], steps[gene, index]
            # No branches, which could not be foreseen: another gene of the message may have made this hop, or not.
            is_first = 1 if seen[hop * num_steps + step] != mark else 0
            seen[hop * num_steps + step] = mark
            for at in range(first_unit[hop], first_unit[hop + 1]):
                load = units[at] * num_steps + step
                loads[load] += is_first
                total += is_first if loads[load] > capacity[units[at]] else 0
        absorption = tables.absorption_of[gene]
        if absorption >= 0:
            load = absorption * num_steps + steps[gene, length - 1]
            loads[load] += 1
            total += 1 if loads[load] > capacity[absorption] else 0
    return total
