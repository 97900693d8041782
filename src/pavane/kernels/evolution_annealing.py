"""The annealers of HGSA (gecco07 section 3.1): Metropolis moves, crossover, mutation; the conflicts are the energy."""

from __future__ import annotations

from math import exp
from typing import NamedTuple

import numpy as np

from pavane.kernels.compiling import inlined
from pavane.kernels.evolution_hops import (
    Annealer,
    Annealers,
    Array,
    Counters,
    HopTables,
    Route,
    annealer_of,
    draw_steps,
    length_of,
    rewrite,
)
from pavane.kernels.evolution_random import draw, draw_real


class Moves(NamedTuple):
    """How genes change at random."""

    new_path: float
    """The chance that a move draws another path."""
    new_sequence: float
    """The chance that a move draws all steps anew; otherwise one of them changes, between its neighbours."""
    child_mutation: float
    """The chance that a child is mutated."""
    num_mutated: int
    """How many genes a mutation changes."""
    movable: Array
    """int32[]: the genes that have more than one value."""


class Mate(NamedTuple):
    """The solution that an annealer crosses its own with; it is used up."""

    paths: Array
    """int32[genes]"""
    steps: Array
    """int32[genes, hops]"""
    conflicts: int


class Scratch(NamedTuple):
    """What changes of a solution are undone from."""

    mutated: Array
    """int32[mutated, 2]: the genes that a mutation has changed, and their old paths."""
    steps: Array
    """int32[max(mutated, 1), hops]: their old steps."""


def anneal(
    tables: HopTables,
    moves: Moves,
    annealers: Annealers,
    counters: Counters,
    mates: Annealers,
    temperatures: Array,
    num_moves: Array,
) -> tuple[Array, Array]:
    """Let every annealer cross its solution with its mate, where there are mates, and then make Metropolis moves.

    Annealer i makes up to num_moves[i] of them (int64[annealers]), move j at temperatures[j] (float64[]), and rests
    when it has no conflicts. Returns for each the moves made and the fewest conflicts seen, both int64[annealers].
    """
    made, fewest = np.zeros_like(num_moves), np.zeros_like(num_moves)
    num_mutated, num_hops = moves.num_mutated, annealers.steps.shape[2]
    scratch = Scratch(
        np.zeros((num_mutated, 2), dtype=np.int32), np.zeros((max(num_mutated, 1), num_hops), dtype=np.int32)
    )
    for number in range(len(annealers.paths)):
        annealer = annealer_of(annealers, counters, number)
        energy = annealers.conflicts[number]
        if len(mates.paths) > 0 and energy > 0:
            mate = Mate(mates.paths[number], mates.steps[number], mates.conflicts[number])
            energy = cross(tables, moves, annealer, energy, mate, temperatures[0], scratch)
        energy, made[number], fewest[number] = metropolis(
            tables, moves, annealer, energy, temperatures[: num_moves[number]], scratch
        )
        annealers.conflicts[number] = energy
    return made, fewest


# -- Metropolis moves


@inlined
def metropolis(
    tables: HopTables, moves: Moves, annealer: Annealer, energy: int, temperatures: Array, scratch: Scratch
) -> tuple[int, int, int]:
    """Make a move at each temperature; return the conflicts in the end, the moves made and the fewest conflicts."""
    state, fewest, made = annealer.state, energy, 0
    while made < len(temperatures) and energy > 0:
        gene = int(moves.movable[draw(state, len(moves.movable))])
        old_path = int(annealer.paths[gene])
        change = mutate(tables, moves, annealer, gene, scratch.steps, 0)
        if accepts(change, temperatures[made], state):
            energy += change
            fewest = min(fewest, energy)
        else:
            restore(tables, annealer, gene, Route(old_path, scratch.steps, 0))
        made += 1
    return energy, made, fewest


@inlined
def accepts(change: int, temperature: float, state: Array) -> bool:
    """Decide by the Metropolis criterion: never refuse what is no worse, and what is worse the likelier the colder."""
    if change <= 0:
        return True
    return temperature > 0.0 and draw_real(state) < exp(-change / temperature)


@inlined
def mutate(tables: HopTables, moves: Moves, annealer: Annealer, gene: int, spare: Array, row: int) -> int:
    """Change a gene at random, leave its old steps in a row of `spare`, and return the change of conflicts."""
    paths, steps, state = annealer.paths, annealer.steps, annealer.state
    first = tables.first_path[gene]
    num_paths = tables.first_path[gene + 1] - first
    old_path = int(paths[gene])
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
    change = rewrite(tables, annealer, gene, Route(old_path, steps, gene), Route(new_path, spare, row))
    paths[gene] = new_path
    for index in range(steps.shape[1]):
        held = spare[row, index]
        spare[row, index] = steps[gene, index]
        steps[gene, index] = held
    return change


@inlined
def change_step(length: int, num_steps: int, starts_at_once: bool, steps: Array, row: int, state: Array) -> None:
    """Draw the step of one hop anew, between those of the hops before and after."""
    first = 1 if starts_at_once else 0
    if length > first:
        index = first + draw(state, length - first)
        lowest = steps[row, index - 1] + 1 if index > 0 else 0
        highest = steps[row, index + 1] - 1 if index + 1 < length else num_steps - 1
        steps[row, index] = lowest + draw(state, highest - lowest + 1)


@inlined
def restore(tables: HopTables, annealer: Annealer, gene: int, old: Route) -> None:
    """Give a gene its old path and steps back."""
    paths, steps = annealer.paths, annealer.steps
    rewrite(tables, annealer, gene, Route(int(paths[gene]), steps, gene), old)
    paths[gene] = old.path
    for index in range(steps.shape[1]):
        steps[gene, index] = old.steps[old.row, index]


# -- crossover


@inlined
def cross(
    tables: HopTables,
    moves: Moves,
    annealer: Annealer,
    energy: int,
    mate: Mate,
    temperature: float,
    scratch: Scratch,
) -> int:
    """Cross a solution with its mate, mutate the best of the four, and keep it by the Metropolis criterion.

    Genes are exchanged between the two, so that the mate's arrays hold the other parent or child. Returns the conflicts
    of the annealer's new solution.
    """
    state = annealer.state
    begin, end = two_points(len(annealer.paths), state)
    # The first child has the mate's genes between the two points, the second has all the others.
    first = energy + exchange(tables, annealer, mate, begin, end, True, False)
    second = first + exchange(tables, annealer, mate, begin, end, True, True)
    best = min(min(energy, mate.conflicts), min(first, second))
    is_child = first == best or second == best
    # Which genes of the best are the mate's: those inside, those outside, all or none.
    inside = first == best if is_child else mate.conflicts == best
    outside = not inside if is_child else inside
    # The second child stands here, with the mate's genes outside.
    exchange(tables, annealer, mate, begin, end, inside, not outside)

    new_energy = best
    num_mutated = 0
    if not is_child or draw_real(state) < moves.child_mutation:
        num_mutated = len(scratch.mutated)
    for row in range(num_mutated):
        gene = moves.movable[draw(state, len(moves.movable))]
        scratch.mutated[row, 0], scratch.mutated[row, 1] = gene, annealer.paths[gene]
        new_energy += mutate(tables, moves, annealer, gene, scratch.steps, row)
    if accepts(new_energy - energy, temperature, state):
        return new_energy

    for row in range(num_mutated - 1, -1, -1):
        old = Route(int(scratch.mutated[row, 1]), scratch.steps, row)
        restore(tables, annealer, int(scratch.mutated[row, 0]), old)
    exchange(tables, annealer, mate, begin, end, inside, outside)
    return energy


@inlined
def two_points(num_genes: int, state: Array) -> tuple[int, int]:
    """Draw two different points between genes, or at the ends, in ascending order."""
    one, other = draw(state, num_genes + 1), draw(state, num_genes)
    if other >= one:
        other += 1
    return min(one, other), max(one, other)


@inlined
def exchange(
    tables: HopTables, annealer: Annealer, mate: Mate, begin: int, end: int, inside: bool, outside: bool
) -> int:
    """Exchange genes with the mate, those from begin to end, those outside, or all; return the change of conflicts."""
    paths, steps = annealer.paths, annealer.steps
    change = 0
    for gene in range(len(paths)):
        if not (inside if begin <= gene < end else outside):
            continue
        path, other = int(paths[gene]), int(mate.paths[gene])
        if path == other and has_same_steps(steps, mate.steps, gene, length_of(tables.first_hop, path)):
            continue
        change += rewrite(tables, annealer, gene, Route(path, steps, gene), Route(other, mate.steps, gene))
        paths[gene], mate.paths[gene] = other, path
        for index in range(steps.shape[1]):
            held = steps[gene, index]
            steps[gene, index] = mate.steps[gene, index]
            mate.steps[gene, index] = held
    return change


@inlined
def has_same_steps(steps: Array, others: Array, gene: int, length: int) -> bool:
    """Say whether a gene has the same steps in two solutions."""
    index = 0
    while index < length and steps[gene, index] == others[gene, index]:
        index += 1
    return index == length
