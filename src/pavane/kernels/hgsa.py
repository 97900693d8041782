"""The annealers of HGSA on plain arrays (gecco07 section 3.1): Metropolis moves, crossover, mutation, and their books.

A gene is a path and a step for each of its hops, in ascending order. The books of an annealer say how often each
message uses each hop in each step (`uses`), and how many transfers draw on each unit of capacity in each step
(`loads`): however many paths of one message share a hop in a step, they are one transfer. The energy is the number of
conflicts, the loads beyond the capacities, summed.

Tables, all int32: the message of each gene; its first path and the end of its paths that are short enough; the first
hop of each path; the hops of all paths; the first unit of each hop; the units of all hops; the capacities of the units.

Every annealer has its own generator, one word of xorshift, so that it does the same in whichever process it runs.
"""

from __future__ import annotations

from math import exp

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
Counts = npt.NDArray[np.int16]
Words = npt.NDArray[np.uint64]
Reals = npt.NDArray[np.float64]
Tables = tuple[Ints, Ints, Ints, Ints, Ints, Ints, Ints, Ints]
Odds = tuple[float, float, float]
"""The chance that a move takes another path, that it then or otherwise draws all steps anew rather than one, and that
a child is mutated."""

UNIT_INTERVAL = 2.0**-53
LEFT, RIGHT, LEFT_AGAIN = np.uint64(13), np.uint64(7), np.uint64(17)
HALF_WORD, MANTISSA = np.uint64(32), np.uint64(11)


def next_word(words: Words, who: int) -> np.uint64:
    """Turn the generator once (Marsaglia's xorshift) and return its word."""
    word: np.uint64 = words[who]
    word = word ^ (word << LEFT)
    word = word ^ (word >> RIGHT)
    word = word ^ (word << LEFT_AGAIN)
    words[who] = word
    return word


def below(words: Words, who: int, limit: int) -> int:
    """Draw a number from 0 to limit - 1."""
    return np.int64(((next_word(words, who) >> HALF_WORD) * np.uint64(limit)) >> HALF_WORD)  # type: ignore[return-value]


def unit_interval(words: Words, who: int) -> float:
    """Draw a number from 0 to 1, 1 excluded."""
    return np.float64(next_word(words, who) >> MANTISSA) * UNIT_INTERVAL


def accepts(change: int, temperature: float, words: Words, who: int) -> bool:
    """Decide by the Metropolis criterion: never refuse what is no worse, and what is worse the likelier the colder."""
    if change <= 0:
        return True
    return temperature > 0.0 and unit_interval(words, who) < exp(-change / temperature)


def draw_steps(
    num_hops: int, num_steps: int, starts_at_once: bool, steps: Ints, row: int, words: Words, who: int
) -> None:
    """Draw ascending steps for the hops of a path into a row, every choice with the same chance (Floyd's sampling)."""
    first = 1 if starts_at_once else 0
    if starts_at_once:
        steps[row, 0] = 0
    filled = first
    for largest in range(num_steps - num_hops + first, num_steps):
        step = first + below(words, who, largest - first + 1)
        place = filled
        while place > first and steps[row, place - 1] > step:
            place -= 1
        if place > first and steps[row, place - 1] == step:
            # Already there: take the largest instead, which is above all others.
            step, place = largest, filled
        for later in range(filled, place, -1):
            steps[row, later] = steps[row, later - 1]
        steps[row, place] = step
        filled += 1


def rewrite(
    tables: Tables,
    num_steps: int,
    uses: Counts,
    loads: Counts,
    gene: int,
    old_path: int,
    old_steps: Ints,
    old_row: int,
    new_path: int,
    new_steps: Ints,
    new_row: int,
) -> int:
    """Enter a gene's new path and steps into the books, strike out the old, and return the change of conflicts.

    The steps are rows of tables. A path of -1 is none.
    """
    message_of, _, _, first_hop, hops, first_unit, units, capacity = tables
    num_hops = len(first_unit) - 1
    row = message_of[gene] * num_hops
    old_at, old_end = (first_hop[old_path], first_hop[old_path + 1]) if old_path >= 0 else (0, 0)
    new_at, new_end = (first_hop[new_path], first_hop[new_path + 1]) if new_path >= 0 else (0, 0)
    old_length, new_length = old_end - old_at, new_end - new_at
    change = 0
    for place in range(old_length):
        hop, step = hops[old_at + place], old_steps[old_row, place]
        if place < new_length and hops[new_at + place] == hop and new_steps[new_row, place] == step:
            continue
        use = (row + hop) * num_steps + step
        uses[use] -= 1
        if uses[use] == 0:
            for at in range(first_unit[hop], first_unit[hop + 1]):
                load = units[at] * num_steps + step
                if loads[load] > capacity[units[at]]:
                    change -= 1
                loads[load] -= 1
    for place in range(new_length):
        hop, step = hops[new_at + place], new_steps[new_row, place]
        if place < old_length and hops[old_at + place] == hop and old_steps[old_row, place] == step:
            continue
        use = (row + hop) * num_steps + step
        uses[use] += 1
        if uses[use] == 1:
            for at in range(first_unit[hop], first_unit[hop + 1]):
                load = units[at] * num_steps + step
                loads[load] += 1
                if loads[load] > capacity[units[at]]:
                    change += 1
    return change


def start_genes(tables: Tables, num_steps: int, starts_at_once: bool, paths: Ints, steps: Ints, words: Words) -> None:
    """Draw the genes of every annealer at random."""
    _, first_path, end_path, first_hop, _, _, _, _ = tables
    for who in range(len(paths)):
        for gene in range(paths.shape[1]):
            path = first_path[gene] + below(words, who, end_path[gene] - first_path[gene])
            paths[who, gene] = path
            length = first_hop[path + 1] - first_hop[path]
            draw_steps(length, num_steps, starts_at_once, steps[who], gene, words, who)


def recount(
    tables: Tables, num_steps: int, paths: Ints, steps: Ints, uses: Counts, loads: Counts, conflicts: Longs
) -> None:
    """Make the books of every annealer anew from its genes."""
    uses[:] = 0
    loads[:] = 0
    for who in range(len(paths)):
        own = steps[who]
        total = 0
        for gene in range(paths.shape[1]):
            path = paths[who, gene]
            total += rewrite(tables, num_steps, uses[who], loads[who], gene, -1, own, gene, path, own, gene)
        conflicts[who] = total


def mutate(
    tables: Tables,
    num_steps: int,
    starts_at_once: bool,
    odds: Odds,
    gene: int,
    paths: Ints,
    steps: Ints,
    uses: Counts,
    loads: Counts,
    spare: Ints,
    row: int,
    words: Words,
    who: int,
) -> int:
    """Change a gene at random, leave its old steps in a row of `spare`, and return the change of conflicts."""
    _, first_path, end_path, first_hop, _, _, _, _ = tables
    num_paths = end_path[gene] - first_path[gene]
    old_path = int(paths[gene])
    new_path = old_path
    if num_paths > 1 and (odds[0] >= 1.0 or unit_interval(words, who) < odds[0]):
        new_path = first_path[gene] + below(words, who, num_paths)
    length = first_hop[new_path + 1] - first_hop[new_path]
    is_other_length = length != first_hop[old_path + 1] - first_hop[old_path]
    if is_other_length or odds[1] >= 1.0 or unit_interval(words, who) < odds[1]:
        draw_steps(length, num_steps, starts_at_once, spare, row, words, who)
    else:
        for place in range(length):
            spare[row, place] = steps[gene, place]
        first = 1 if starts_at_once else 0
        if length > first:
            place = first + below(words, who, length - first)
            lowest = steps[gene, place - 1] + 1 if place > 0 else 0
            highest = steps[gene, place + 1] - 1 if place + 1 < length else num_steps - 1
            spare[row, place] = lowest + below(words, who, highest - lowest + 1)
    change = rewrite(tables, num_steps, uses, loads, gene, old_path, steps, gene, new_path, spare, row)
    paths[gene] = new_path
    for place in range(steps.shape[1]):
        held = spare[row, place]
        spare[row, place] = steps[gene, place]
        steps[gene, place] = held
    return change


def restore(
    tables: Tables,
    num_steps: int,
    gene: int,
    old_path: int,
    spare: Ints,
    row: int,
    paths: Ints,
    steps: Ints,
    uses: Counts,
    loads: Counts,
) -> None:
    """Give a gene its old path back, and the old steps from a row of `spare`."""
    rewrite(tables, num_steps, uses, loads, gene, int(paths[gene]), steps, gene, old_path, spare, row)
    paths[gene] = old_path
    for place in range(steps.shape[1]):
        steps[gene, place] = spare[row, place]


def exchange(
    tables: Tables,
    num_steps: int,
    uses: Counts,
    loads: Counts,
    begin: int,
    end: int,
    inside: bool,
    outside: bool,
    paths: Ints,
    steps: Ints,
    other_paths: Ints,
    other_steps: Ints,
) -> int:
    """Exchange genes of two solutions, those from begin to end, those outside, or all.

    The books are those of the first; returns the change of its conflicts.
    """
    first_hop = tables[3]
    change = 0
    for gene in range(len(paths)):
        if not (inside if begin <= gene < end else outside):
            continue
        path, other = int(paths[gene]), int(other_paths[gene])
        is_same = path == other
        if is_same:
            for place in range(first_hop[path + 1] - first_hop[path]):
                if steps[gene, place] != other_steps[gene, place]:
                    is_same = False
                    break
        if is_same:
            continue
        change += rewrite(tables, num_steps, uses, loads, gene, path, steps, gene, other, other_steps, gene)
        paths[gene], other_paths[gene] = other, path
        for place in range(steps.shape[1]):
            held = steps[gene, place]
            steps[gene, place] = other_steps[gene, place]
            other_steps[gene, place] = held
    return change


def cross(
    tables: Tables,
    num_steps: int,
    starts_at_once: bool,
    odds: Odds,
    movable: Ints,
    temperature: float,
    paths: Ints,
    steps: Ints,
    uses: Counts,
    loads: Counts,
    conflicts: int,
    mate_paths: Ints,
    mate_steps: Ints,
    mate_conflicts: int,
    mutated: Ints,
    spare: Ints,
    words: Words,
    who: int,
) -> int:
    """Cross an annealer's solution with its mate, mutate the best of the four, keep it by the Metropolis criterion.

    Genes are exchanged between the two, so that the mate's arrays hold the other parent or child; they are used up.
    `mutated` has a row for each gene that a mutation changes. Returns the conflicts of the annealer's new solution.
    """
    size = len(paths)
    one, other = below(words, who, size + 1), below(words, who, size)
    if other >= one:
        other += 1
    begin, end = min(one, other), max(one, other)

    best = int(conflicts)
    first, second = best, best
    for turn in range(2):
        # First the mate's genes between the two points; then all the others instead, which is the second child.
        change = exchange(
            tables, num_steps, uses, loads, begin, end, True, turn == 1, paths, steps, mate_paths, mate_steps
        )
        second = first + change
        if turn == 0:
            first = second
    best = min(min(best, mate_conflicts), min(first, second))
    is_child = first == best or second == best
    # Which genes are to be the mate's, those inside and those outside.
    inside = first == best if is_child else mate_conflicts == best
    outside = (not inside) if is_child else inside

    energy, num_mutated = conflicts, 0
    for turn in range(2):
        # The second child stands here, with the mate's genes outside; or at last what is refused goes back.
        from_inside, from_outside = (False, True) if turn == 0 else (inside, outside)
        to_inside, to_outside = (inside, outside) if turn == 0 else (False, False)
        exchange(
            tables,
            num_steps,
            uses,
            loads,
            begin,
            end,
            from_inside != to_inside,
            from_outside != to_outside,
            paths,
            steps,
            mate_paths,
            mate_steps,
        )
        if turn == 1:
            break
        energy = best
        if not is_child or unit_interval(words, who) < odds[2]:
            num_mutated = len(mutated)
        for row in range(num_mutated):
            gene = movable[below(words, who, len(movable))]
            mutated[row, 0], mutated[row, 1] = gene, paths[gene]
            energy += mutate(
                tables, num_steps, starts_at_once, odds, gene, paths, steps, uses, loads, spare, row, words, who
            )
        if accepts(energy - conflicts, temperature, words, who):
            return energy
        for row in range(num_mutated - 1, -1, -1):
            restore(tables, num_steps, mutated[row, 0], mutated[row, 1], spare, row, paths, steps, uses, loads)
    return conflicts


def evolve(
    tables: Tables,
    num_steps: int,
    starts_at_once: bool,
    odds: Odds,
    num_mutated: int,
    movable: Ints,
    temperatures: Reals,
    iterations: Longs,
    paths: Ints,
    steps: Ints,
    uses: Counts,
    loads: Counts,
    conflicts: Longs,
    mate_paths: Ints,
    mate_steps: Ints,
    mate_conflicts: Longs,
    words: Words,
    made: Longs,
    best: Longs,
) -> None:
    """Let every annealer cross its solution with its mate, where it has one, and then make so many Metropolis moves.

    An annealer without conflicts rests. `made` and `best` receive the moves made and the fewest conflicts seen.
    """
    mutated = np.zeros((num_mutated, 2), dtype=np.int32)
    spare = np.zeros((max(num_mutated, 1), steps.shape[2]), dtype=np.int32)
    for who in range(len(paths)):
        own_paths, own_steps, own_uses, own_loads = paths[who], steps[who], uses[who], loads[who]
        energy = conflicts[who]
        if len(mate_paths) > 0 and energy > 0:
            energy = cross(
                tables,
                num_steps,
                starts_at_once,
                odds,
                movable,
                temperatures[0],
                own_paths,
                own_steps,
                own_uses,
                own_loads,
                energy,
                mate_paths[who],
                mate_steps[who],
                mate_conflicts[who],
                mutated,
                spare,
                words,
                who,
            )
        lowest = energy
        moves = 0
        while moves < iterations[who] and energy > 0:
            gene = int(movable[below(words, who, len(movable))])
            old_path = int(own_paths[gene])
            change = mutate(
                tables,
                num_steps,
                starts_at_once,
                odds,
                gene,
                own_paths,
                own_steps,
                own_uses,
                own_loads,
                spare,
                0,
                words,
                who,
            )
            if accepts(change, temperatures[moves], words, who):
                energy += change
                lowest = min(lowest, energy)
            else:
                restore(tables, num_steps, gene, old_path, spare, 0, own_paths, own_steps, own_uses, own_loads)
            moves += 1
        conflicts[who], made[who], best[who] = energy, moves, lowest
