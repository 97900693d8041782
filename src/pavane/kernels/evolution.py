"""Chromosomes of schedules: repair, conflicts, mutation, and the generations of UMDA and of a plain GA.

A chromosome is a row of integers, `num_items` for each gene. A gene of a scatter is (path, step); a gene of a broadcast
is (source, path, step), one for each message and destination (gecco08 section 4.2). A gene with one possible source is
read like a scatter's, so that both share everything but the repair.

Random numbers come from Marsaglia's xorshift generator of 128 bits, because numpy's is several times slower here. Its
state is four whole numbers below 2^32, kept in 64 bits, so that plain Python and machine code draw the same numbers.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

Array = np.ndarray[Any, Any]

SCATTER_ITEMS = 2
BROADCAST_ITEMS = 3


class Tables(NamedTuple):
    """What the genes of a problem stand for, as flat arrays."""

    num_items: int
    num_steps: int
    sender_of: Array
    """The processor that sends each gene's message; of a scatter. With a symmetry, the first of its orbit."""
    room: Array
    """How many messages each processor may send in a step."""
    first_sent: Array
    """Processor p sends the messages of the genes genes_sent[first_sent[p]:first_sent[p + 1]]; of a scatter."""
    genes_sent: Array
    first_gene: Array
    """Message m of a broadcast has the genes first_gene[m] to first_gene[m + 1]."""
    origin_of: Array
    """The processor that each message of a broadcast starts from."""
    target_of: Array
    """The processor that each gene of a broadcast informs."""
    first_source: Array
    """Gene g has the possible sources first_source[g] to first_source[g + 1]."""
    source_of: Array
    """The processor that each possible source is."""
    pair_of: Array
    """The list of paths from each possible source to the gene's target."""
    first_path: Array
    """List p has the paths first_path[p] to first_path[p + 1]."""
    unit_offsets: Array
    units: Array
    """Path i uses the units (channels, links, ports) units[unit_offsets[i]:unit_offsets[i + 1]]."""
    capacity: Array
    """How many transfers each unit takes in a step."""


# -- random numbers


def draw(state: Array, below: int) -> int:
    """Return the next random number, from 0 to below - 1."""
    t = state[0]
    t ^= (t << 11) & 0xFFFFFFFF
    w = state[3]
    state[0], state[1], state[2] = state[1], state[2], w
    w = w ^ (w >> 19) ^ t ^ (t >> 8)
    state[3] = w
    return int((w * below) >> 32)


def chance(state: Array, probability: float) -> bool:
    """Say yes with the given probability."""
    return draw(state, 1 << 30) < probability * (1 << 30)


# -- reading a gene


def path_of(tables: Tables, chromosome: Array, gene: int) -> int:
    """Return the path that a gene names; a path index beyond the list is taken modulo its length (gecco07 3.2)."""
    at = gene * tables.num_items
    pair = gene
    if tables.num_items == BROADCAST_ITEMS:
        pair = tables.pair_of[tables.first_source[gene] + chromosome[at]]
    first = tables.first_path[pair]
    index = chromosome[at + tables.num_items - 2]
    count = tables.first_path[pair + 1] - first
    return int(first + (index if index < count else index % count))


def step_of(tables: Tables, chromosome: Array, gene: int) -> int:
    """Return the step that a gene names; `num_steps` stands for any step after the last."""
    return int(chromosome[gene * tables.num_items + tables.num_items - 1])


# -- fitness


def conflicts(tables: Tables, chromosome: Array, loads: Array) -> int:
    """Count the conflicts of a chromosome, and fill `loads[unit * num_steps + step]`.

    A unit that carries more transfers in a step than it may counts each one too many. Counting the pairs in conflict
    instead (gecco08 section 4.3) has the same zero, but is tens to a hundred times slower. A transfer after the last
    step counts one (gecco08 section 4.4).
    """
    num_steps, units, unit_offsets, capacity = tables.num_steps, tables.units, tables.unit_offsets, tables.capacity
    loads[:] = 0
    total = 0
    for gene in range(len(tables.first_source) - 1):
        step = step_of(tables, chromosome, gene)
        if step >= num_steps:
            total += 1
            continue
        path = path_of(tables, chromosome, gene)
        for i in range(unit_offsets[path], unit_offsets[path + 1]):
            unit = units[i]
            place = unit * num_steps + step
            load = loads[place] + 1
            loads[place] = load
            if load > capacity[unit]:
                total += 1
    return total


def new_loads(tables: Tables) -> Array:
    """Return counters for every unit and step."""
    return np.zeros(len(tables.capacity) * tables.num_steps, dtype=np.int32)


def all_conflicts(tables: Tables, population: Array) -> Array:
    """Count the conflicts of every chromosome of a population."""
    loads = new_loads(tables)
    fitness = np.empty(len(population), dtype=np.int64)
    for row in range(len(population)):
        fitness[row] = conflicts(tables, population[row], loads)
    return fitness


# -- acceleration and restoration (gecco08 section 4.4)


def accelerate(tables: Tables, chromosome: Array, state: Array, sent: Array) -> None:
    """Let no processor send more messages in a step than it has ports: move surplus ones to steps with room.

    Which of them are surplus, and where they go, is left to chance. Messages that find no room stay where they are.
    """
    num_steps, num_genes = tables.num_steps, len(tables.sender_of)
    sent[:] = 0
    surplus = 0
    for gene in range(num_genes):
        sender = tables.sender_of[gene]
        place = sender * num_steps + chromosome[2 * gene + 1]
        sent[place] += 1
        if sent[place] > tables.room[sender]:
            surplus += 1
    if surplus == 0:
        return
    start = draw(state, num_genes)
    for turn in range(num_genes):
        gene = start + turn
        if gene >= num_genes:
            gene -= num_genes
        sender = tables.sender_of[gene]
        first = sender * num_steps
        step = chromosome[2 * gene + 1]
        if sent[first + step] <= tables.room[sender]:
            continue
        other = draw(state, num_steps)
        for _ in range(num_steps):
            if sent[first + other] < tables.room[sender]:
                sent[first + step] -= 1
                sent[first + other] += 1
                chromosome[2 * gene + 1] = other
                break
            other += 1
            if other == num_steps:
                other = 0
        surplus -= 1
        if surplus == 0:
            return


def restore(tables: Tables, chromosome: Array, state: Array, known: Array, waiting: Array, following: Array) -> None:
    """Make the genes of every message a broadcast tree, step by step.

    A destination whose source is not informed yet gets a random informed source and a random path from it. Where no
    possible source is informed, the transfer is postponed to the next step. Transfers that would come after the last
    step get the step `num_steps`; next time they are taken up as early as can be. `known[p]` is the step in which
    processor p is informed; `waiting[t]` and `following` are the lists of the transfers that wait for step t.
    """
    num_steps = tables.num_steps
    for message in range(len(tables.origin_of)):
        known[:] = num_steps
        known[tables.origin_of[message]] = -1
        waiting[:] = -1
        for gene in range(tables.first_gene[message + 1] - 1, tables.first_gene[message] - 1, -1):
            step = chromosome[3 * gene + 2]
            if step >= num_steps:
                step = 0
            following[gene] = waiting[step]
            waiting[step] = gene
        for step in range(num_steps):
            gene = waiting[step]
            while gene >= 0:
                next_gene = following[gene]
                first, last = tables.first_source[gene], tables.first_source[gene + 1]
                source = chromosome[3 * gene]
                informed = known[tables.source_of[first + source]] < step
                if not informed:
                    choices = 0
                    for entry in range(first, last):
                        if known[tables.source_of[entry]] < step:
                            choices += 1
                    if choices > 0:
                        informed = True
                        pick = draw(state, choices)
                        for entry in range(first, last):
                            if known[tables.source_of[entry]] < step:
                                if pick == 0:
                                    source = entry - first
                                    break
                                pick -= 1
                        pair = tables.pair_of[first + source]
                        chromosome[3 * gene] = source
                        chromosome[3 * gene + 1] = draw(state, tables.first_path[pair + 1] - tables.first_path[pair])
                if informed:
                    pair = tables.pair_of[first + source]
                    chromosome[3 * gene + 1] %= tables.first_path[pair + 1] - tables.first_path[pair]
                    chromosome[3 * gene + 2] = step
                    known[tables.target_of[gene]] = step
                elif step + 1 < num_steps:
                    following[gene] = waiting[step + 1]
                    waiting[step + 1] = gene
                else:
                    chromosome[3 * gene + 2] = num_steps
                gene = next_gene


def repair(tables: Tables, chromosome: Array, state: Array, scratch: Array, following: Array) -> None:
    """Accelerate a scatter or restore a broadcast, in place."""
    if tables.num_items == BROADCAST_ITEMS:
        size = len(tables.room)
        restore(tables, chromosome, state, scratch[:size], scratch[size : size + tables.num_steps], following)
    else:
        accelerate(tables, chromosome, state, scratch)


def new_scratch(tables: Tables) -> Array:
    """Return the memory that a repair works in: by processor and step, or by processor and by step."""
    size = len(tables.room)
    if tables.num_items == BROADCAST_ITEMS:
        return np.zeros(size + tables.num_steps, dtype=np.int64)
    return np.zeros(size * tables.num_steps, dtype=np.int64)


def repair_all(tables: Tables, population: Array, state: Array) -> None:
    """Repair every chromosome of a population, in place."""
    scratch = new_scratch(tables)
    following = np.zeros(len(tables.first_source) - 1, dtype=np.int64)
    for row in range(len(population)):
        repair(tables, population[row], state, scratch, following)


# -- mutation


def swap_steps(tables: Tables, chromosome: Array, state: Array, within: bool) -> None:
    """Exchange the times of two messages of a scatter, of one sender or of any (gecco08 section 4.4).

    A sender with k ports has k times in every step, and not all are taken. A message that is to change places with an
    idle time moves to a random step; the acceleration sees to it that there is room.
    """
    gene = draw(state, len(tables.sender_of))
    if within:
        sender = tables.sender_of[gene]
        first, last = tables.first_sent[sender], tables.first_sent[sender + 1]
        times = tables.room[sender] * tables.num_steps
    else:
        first, last = tables.first_sent[0], tables.first_sent[-1]
        times = tables.room.sum() * tables.num_steps
    pick = first + draw(state, max(times, last - first))
    if pick < last:
        other = tables.genes_sent[pick]
        step = chromosome[2 * gene + 1]
        chromosome[2 * gene + 1] = chromosome[2 * other + 1]
        chromosome[2 * other + 1] = step
    else:
        chromosome[2 * gene + 1] = draw(state, tables.num_steps)


def change_gene(tables: Tables, chromosome: Array, state: Array) -> None:
    """Give a random gene of a scatter another path; draw source, path and step of a broadcast's gene anew."""
    items = tables.num_items
    gene = draw(state, len(tables.first_source) - 1)
    at = gene * items
    entry = tables.first_source[gene]
    if items == BROADCAST_ITEMS:
        source = draw(state, tables.first_source[gene + 1] - entry)
        chromosome[at] = source
        chromosome[at + 2] = draw(state, tables.num_steps)
        entry += source
    pair = tables.pair_of[entry]
    chromosome[at + items - 2] = draw(state, tables.first_path[pair + 1] - tables.first_path[pair])


def mutate(tables: Tables, chromosome: Array, state: Array, path_share: float, within: bool, num_changes: int) -> None:
    """Mutate a chromosome in place: a scatter swaps steps or changes a path, a broadcast changes so many genes."""
    if tables.num_items == BROADCAST_ITEMS:
        for _ in range(num_changes):
            change_gene(tables, chromosome, state)
    elif chance(state, path_share):
        change_gene(tables, chromosome, state)
    else:
        swap_steps(tables, chromosome, state, within)


def mutate_all(
    tables: Tables,
    population: Array,
    state: Array,
    probability: float,
    path_share: float,
    within: bool,
    num_changes: int,
) -> None:
    """Mutate each chromosome of a population with the given probability, in place."""
    for row in range(len(population)):
        if chance(state, probability):
            mutate(tables, population[row], state, path_share, within, num_changes)


# -- polish (ours)


def in_conflict(tables: Tables, chromosome: Array, loads: Array, gene: int) -> bool:
    """Say whether a gene's transfer comes too late or uses a unit that is overloaded in its step."""
    step = step_of(tables, chromosome, gene)
    if step >= tables.num_steps:
        return True
    path = path_of(tables, chromosome, gene)
    for i in range(tables.unit_offsets[path], tables.unit_offsets[path + 1]):
        unit = tables.units[i]
        if loads[unit * tables.num_steps + step] > tables.capacity[unit]:
            return True
    return False


def cost_of(tables: Tables, loads: Array, path: int, step: int, most: int) -> int:
    """Return how many conflicts one more transfer would add, or any number above `most`."""
    cost = 0
    for i in range(tables.unit_offsets[path], tables.unit_offsets[path + 1]):
        unit = tables.units[i]
        if loads[unit * tables.num_steps + step] >= tables.capacity[unit]:
            cost += 1
            if cost > most:
                break
    return cost


def change_load(tables: Tables, loads: Array, path: int, step: int, by: int) -> None:
    """Add a transfer to the loads, or take one away."""
    for i in range(tables.unit_offsets[path], tables.unit_offsets[path + 1]):
        loads[tables.units[i] * tables.num_steps + step] += by


def polish(
    tables: Tables, chromosome: Array, state: Array, loads: Array, total: int, num_moves: int, known: Array
) -> int:
    """Move a transfer in conflict to its best path and step, so many times; return the conflicts that are left.

    A broadcast's transfer may change its source, too. It must come after its source is informed and before its target
    sends the message on, so that the trees stay trees. `known` is memory for a number per processor.
    """
    num_steps, items = tables.num_steps, tables.num_items
    num_genes = len(tables.first_source) - 1
    for _ in range(num_moves):
        if total == 0:
            return 0
        gene = draw(state, num_genes)
        while not in_conflict(tables, chromosome, loads, gene):
            gene = gene + 1 if gene + 1 < num_genes else 0
        at = gene * items
        first, last = tables.first_source[gene], tables.first_source[gene + 1]
        best, ties = num_steps * len(tables.capacity), 0
        best_entry, best_path, best_step = first, -1, num_steps
        step = step_of(tables, chromosome, gene)
        if step >= num_steps:
            total -= 1
            best = 1
        else:
            path = path_of(tables, chromosome, gene)
            change_load(tables, loads, path, step, -1)
            total -= cost_of(tables, loads, path, step, best)
        latest = num_steps - 1
        if items == BROADCAST_ITEMS:
            latest = times_of(tables, chromosome, gene, known) - 1
        for entry in range(first, last):
            earliest = 0
            if items == BROADCAST_ITEMS:
                earliest = known[tables.source_of[entry]] + 1
            pair = tables.pair_of[entry]
            for path in range(tables.first_path[pair], tables.first_path[pair + 1]):
                for step in range(earliest, latest + 1):
                    cost = cost_of(tables, loads, path, step, best)
                    if cost < best:
                        best, ties = cost, 0
                    if cost == best:
                        ties += 1
                        if draw(state, ties) == 0:
                            best_entry, best_path, best_step = entry, path, step
        total += best
        if best_path >= 0:
            if items == BROADCAST_ITEMS:
                chromosome[at] = best_entry - first
            chromosome[at + items - 2] = best_path - tables.first_path[tables.pair_of[best_entry]]
            chromosome[at + items - 1] = best_step
            change_load(tables, loads, best_path, best_step, 1)
    return total


def times_of(tables: Tables, chromosome: Array, gene: int, known: Array) -> int:
    """Fill in when each processor is informed of a gene's message; return when the gene's target first sends it on."""
    message = np.searchsorted(tables.first_gene, gene, side="right") - 1
    sent_on = tables.num_steps
    known[tables.origin_of[message]] = -1
    for other in range(tables.first_gene[message], tables.first_gene[message + 1]):
        step = chromosome[3 * other + 2]
        known[tables.target_of[other]] = step
        source = tables.source_of[tables.first_source[other] + chromosome[3 * other]]
        if source == tables.target_of[gene]:
            sent_on = min(sent_on, step)
    # A processor informs itself of nothing.
    known[tables.target_of[gene]] = tables.num_steps
    return int(sent_on)


# -- generations


class Variation(NamedTuple):
    """What befalls every new chromosome."""

    mutation: float
    """The probability of a mutation."""
    path_share: float
    """The share of a scatter's mutations that change a path; the others swap steps."""
    within: bool
    """Whether the messages that swap steps have the same sender."""
    num_changes: int
    """How many genes of a broadcast a mutation changes."""
    num_polish: int


class Memory(NamedTuple):
    """What a generation works in, made once."""

    loads: Array
    scratch: Array
    following: Array
    known: Array


def new_memory(tables: Tables) -> Memory:
    """Make the memory for generations."""
    return Memory(
        new_loads(tables),
        new_scratch(tables),
        np.zeros(len(tables.first_source) - 1, dtype=np.int64),
        np.zeros(len(tables.room), dtype=np.int64),
    )


def finish(tables: Tables, variation: Variation, memory: Memory, chromosome: Array, state: Array) -> int:
    """Mutate, repair and evaluate a new chromosome, and polish it; return its conflicts."""
    if chance(state, variation.mutation):
        mutate(tables, chromosome, state, variation.path_share, variation.within, variation.num_changes)
    repair(tables, chromosome, state, memory.scratch, memory.following)
    total = conflicts(tables, chromosome, memory.loads)
    if variation.num_polish > 0:
        total = polish(tables, chromosome, state, memory.loads, total, variation.num_polish, memory.known)
    return total


def tournament(fitness: Array, size: int, state: Array) -> int:
    """Return the best of so many random chromosomes."""
    best = draw(state, len(fitness))
    for _ in range(size - 1):
        other = draw(state, len(fitness))
        if fitness[other] < fitness[best]:
            best = other
    return best


def sample(population: Array, parents: Array, child: Array, state: Array, width: int) -> None:
    """Draw a chromosome from the univariate marginals of the parents.

    Copying every item, or every `width` items, from a parent chosen at random draws each value with the frequency that
    it has among the parents. That is the marginal distribution, exactly, and no table of it is needed.
    """
    # This happens for every item of every chromosome, so `draw` is written out, with its state in registers.
    x, y, z, w = state[0], state[1], state[2], state[3]
    for first in range(0, len(child), width):
        t = x ^ ((x << 11) & 0xFFFFFFFF)
        x, y, z = y, z, w
        w = w ^ (w >> 19) ^ t ^ (t >> 8)
        parent = parents[(w * len(parents)) >> 32]
        for at in range(first, first + width):
            child[at] = population[parent, at]
    state[0], state[1], state[2], state[3] = x, y, z, w


def umda_generations(
    tables: Tables,
    variation: Variation,
    population: Array,
    fitness: Array,
    oldest: Array,
    state: Array,
    width: int,
    num_generations: int,
    most_evaluations: int,
    trace: Array,
) -> tuple[int, int]:
    """Run generations of UMDA (gecco08 section 4.5) until a chromosome has no conflict or the evaluations are made.

    Return the number of evaluations made and of lines written to `trace`: evaluations and conflicts, whenever the best
    got better. A chromosome without conflicts is left in the population. `oldest` orders the chromosomes by age.
    """
    size = len(population)
    num_children = size // 2
    children = np.empty((num_children, population.shape[1]), dtype=population.dtype)
    child_fitness = np.empty(num_children, dtype=np.int64)
    parents = np.empty(num_children, dtype=np.int64)
    memory = new_memory(tables)
    best = fitness.min()
    made, lines = 0, 0
    for _ in range(num_generations):
        # The binary tournament selects as many parents as there are chromosomes in half the population.
        for i in range(num_children):
            parents[i] = tournament(fitness, 2, state)
        # Of equally bad ones the older give way, or nothing would ever move on a plateau.
        worst_first = oldest[np.argsort(-fitness[oldest], kind="mergesort")]
        for i in range(num_children):
            if made == most_evaluations:
                return made, lines
            sample(population, parents, children[i], state, width)
            child_fitness[i] = finish(tables, variation, memory, children[i], state)
            made += 1
            if child_fitness[i] < best:
                best = child_fitness[i]
                trace[lines, 0], trace[lines, 1] = made, best
                lines += 1
                if best == 0:
                    population[worst_first[0]] = children[i]
                    fitness[worst_first[0]] = 0
                    return made, lines
        # The new chromosomes replace the worse half.
        gone = np.zeros(size, dtype=np.bool_)
        for i in range(num_children):
            population[worst_first[i]] = children[i]
            fitness[worst_first[i]] = child_fitness[i]
            gone[worst_first[i]] = True
        oldest[: size - num_children] = oldest[~gone[oldest]]
        oldest[size - num_children :] = worst_first[:num_children]
    return made, lines


def ga_generations(
    tables: Tables,
    variation: Variation,
    population: Array,
    fitness: Array,
    state: Array,
    tournament_size: int,
    crossover: float,
    num_elite: int,
    num_generations: int,
    most_evaluations: int,
    trace: Array,
) -> tuple[int, int]:
    """Run generations of a plain genetic algorithm; it stops and returns like `umda_generations`."""
    size, items = len(population), tables.num_items
    num_genes = len(tables.first_source) - 1
    children, child_fitness = population.copy(), fitness.copy()
    memory = new_memory(tables)
    best = fitness.min()
    made, lines = 0, 0
    for _ in range(num_generations):
        best_first = np.argsort(fitness, kind="mergesort")
        for i in range(num_elite):
            children[i] = population[best_first[i]]
            child_fitness[i] = fitness[best_first[i]]
        for i in range(num_elite, size):
            if made == most_evaluations:
                return made, lines
            children[i] = population[tournament(fitness, tournament_size, state)]
            other = tournament(fitness, tournament_size, state)
            if chance(state, crossover):
                # Between two points, which lie between genes, the child takes after the other parent.
                one, two = draw(state, num_genes + 1) * items, draw(state, num_genes + 1) * items
                for at in range(min(one, two), max(one, two)):
                    children[i, at] = population[other, at]
            child_fitness[i] = finish(tables, variation, memory, children[i], state)
            made += 1
            if child_fitness[i] < best:
                best = child_fitness[i]
                trace[lines, 0], trace[lines, 1] = made, best
                lines += 1
                if best == 0:
                    population[0] = children[i]
                    fitness[0] = 0
                    return made, lines
        population[:] = children
        fitness[:] = child_fitness
    return made, lines
