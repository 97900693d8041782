"""Polish of chromosomes: a transfer in conflict moves to its best path and step. Ours, not the papers'."""

from __future__ import annotations

from typing import NamedTuple

from pavane.solvers.evolutionary.kernels.bit_words import POLISHES, WORD, Key, below, word
from pavane.solvers.evolutionary.kernels.genes import BROADCAST_ITEMS, Array, Genome, added, path_of, step_of

ANY_COST = 1 << 40
"""More conflicts than a transfer can have."""


class PolishMove(NamedTuple):
    """What a gene's transfer may become."""

    source: int
    """The number of a possible source, counted over all genes."""
    path: int
    """-1: nothing is within the limit."""
    step: int
    cost: int
    """How many conflicts it adds."""


def polish(genome: Genome, chromosome: Array, key: Key, loads: Array, total: int, num_moves: int, known: Array) -> int:
    """Move a transfer in conflict to its best path and step, `num_moves` times; return the conflicts that are left.

    A broadcast's transfer may change its source, too. It must come after its source is informed and before its target
    sends the message on, so that the trees stay trees. `known` is memory for a number per processor.
    """
    num_steps, items = genome.num_steps, genome.num_items
    for move in range(num_moves):
        if total == 0:
            return 0
        gene = gene_in_conflict(genome, chromosome, below(key, POLISHES + 2 * move, len(genome.target_of)), loads)
        ties = Key(word(key, POLISHES + 2 * move + 1), key.high)
        most = ANY_COST
        step = step_of(genome, chromosome, gene)
        if step >= num_steps:
            total -= 1
            most = 1
        else:
            path = path_of(genome, chromosome, gene)
            change_load(genome, loads, path, step, -1)
            total -= cost_of(genome, loads, path, step, most)
        latest = num_steps - 1
        if items == BROADCAST_ITEMS:
            latest = times_of(genome, chromosome, gene, known) - 1
        best = best_choice(genome, ties, loads, gene, most, latest, known)
        total += best.cost
        if best.path >= 0:
            at = gene * items
            if items == BROADCAST_ITEMS:
                chromosome[at] = best.source - genome.first_source[gene]
            chromosome[at + items - 2] = best.path - genome.first_path[genome.pair_of[best.source]]
            chromosome[at + items - 1] = best.step
            change_load(genome, loads, best.path, best.step, 1)
    return total


def gene_in_conflict(genome: Genome, chromosome: Array, gene: int, loads: Array) -> int:
    """Return the first gene in conflict from a given one on; there must be one."""
    num_genes = len(genome.first_source) - 1
    while not in_conflict(genome, chromosome, loads, gene):
        gene = gene + 1 if gene + 1 < num_genes else 0
    return gene


def in_conflict(genome: Genome, chromosome: Array, loads: Array, gene: int) -> bool:
    """Return whether a gene's transfer comes too late or uses a unit that is overloaded in its step."""
    step = step_of(genome, chromosome, gene)
    if step >= genome.num_steps:
        return True
    path = path_of(genome, chromosome, gene)
    for i in range(genome.unit_offsets[path], genome.unit_offsets[path + 1]):
        unit = genome.units[i]
        if loads[unit * genome.num_steps + step] > genome.capacity[unit]:
            return True
    return False


def best_choice(genome: Genome, ties: Key, loads: Array, gene: int, most: int, latest: int, known: Array) -> PolishMove:
    """Return the source, path and step that add the fewest conflicts, at most `most`; chance decides among equals."""
    best, lowest = most, WORD + 1
    best_source, best_path, best_step = genome.first_source[gene], -1, genome.num_steps
    for source in range(genome.first_source[gene], genome.first_source[gene + 1]):
        earliest = 0
        if genome.num_items == BROADCAST_ITEMS:
            earliest = known[genome.source_of[source]] + 1
        pair = genome.pair_of[source]
        for path in range(genome.first_path[pair], genome.first_path[pair + 1]):
            for step in range(earliest, latest + 1):
                cost = cost_of(genome, loads, path, step, best)
                if cost > best:
                    continue
                tie = word(ties, path * genome.num_steps + step)
                if cost < best or tie < lowest:
                    best, lowest = cost, tie
                    best_source, best_path, best_step = source, path, step
    return PolishMove(best_source, best_path, best_step, best)


def cost_of(genome: Genome, loads: Array, path: int, step: int, most: int) -> int:
    """Return how many conflicts one more transfer would add, or any number above `most`."""
    cost = 0
    for i in range(genome.unit_offsets[path], genome.unit_offsets[path + 1]):
        unit = genome.units[i]
        cost += added(genome, unit, loads[unit * genome.num_steps + step])
        if cost > most:
            break
    return cost


def change_load(genome: Genome, loads: Array, path: int, step: int, by: int) -> None:
    """Add a transfer to the loads, or take one away."""
    for i in range(genome.unit_offsets[path], genome.unit_offsets[path + 1]):
        loads[genome.units[i] * genome.num_steps + step] += by


def message_of(first_gene: Array, gene: int) -> int:
    """Return the message that a gene belongs to; numpy's search takes a second to compile."""
    message, beyond = 0, len(first_gene) - 1
    while beyond - message > 1:
        middle = (message + beyond) // 2
        if first_gene[middle] <= gene:
            message = middle
        else:
            beyond = middle
    return message


def times_of(genome: Genome, chromosome: Array, gene: int, known: Array) -> int:
    """Fill in when each processor is informed of a gene's message; return when the gene's target first sends it on."""
    message = message_of(genome.first_gene, gene)
    sent_on = genome.num_steps
    known[genome.origin_of[message]] = -1
    for other in range(genome.first_gene[message], genome.first_gene[message + 1]):
        step = chromosome[3 * other + 2]
        known[genome.target_of[other]] = step
        source = genome.source_of[genome.first_source[other] + chromosome[3 * other]]
        if source == genome.target_of[gene]:
            sent_on = min(sent_on, step)
    # A processor informs itself of nothing.
    known[genome.target_of[gene]] = genome.num_steps
    return int(sent_on)
