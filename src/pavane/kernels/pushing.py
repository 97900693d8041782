"""Ejection search over all shortest paths at once: who finds no free path pushes out what weighs least.

The rule is that of `ejection`: a message without a place goes where the messages it pushes out weigh least, and becomes
heavier if it had to push. There every path and step is tried in turn. Here the shortest paths are walked backwards from
the target, and each router keeps, for every step, the least weight to be pushed out between it and the target; blocks
of steps go together, which the compiler turns into wide instructions. So the number of shortest paths does not matter,
and a message of a torus with its thousands of paths is placed in some microseconds.

`occupant[row, step]` is the message in a unit (channel or link) or in a slot of a port, or -1. `cells[row, step]` says
what the walk needs to know of it in one number: its weight, times 4096, and a mark between 1 and 4094; 0 if nobody is
there, `BARRED` in the columns behind the last step. A message that stands in the way on two channels in a row is pushed
out once, and its mark tells; another message with the same mark is taken for it, which is rare and does no harm.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

BLOCK = 64
"""Steps that are looked at together."""

MARK_BITS = 12
MARK = np.int32(2**MARK_BITS - 1)
NUM_MARKS = 2**MARK_BITS - 2

BARRED = np.int32(2**29 + 2**MARK_BITS - 1)
"""The cell of a step that is not there: more than any path pushes out."""

HEAVIEST = 2**11
"""No message becomes heavier than this, so that no sum exceeds its type."""


def push_in(
    sources: Array,
    targets: Array,
    ports: Array,
    distances: Array,
    in_offsets: Array,
    in_channels: Array,
    tails: Array,
    units: Array,
    num_units: int,
    first_slot: Array,
    port_capacity: Array,
    path_offsets: Array,
    paths: Array,
    step_of: Array,
    occupant: Array,
    cells: Array,
    weight_of: Array,
    only_step: Array,
    outside: Array,
    num_outside: int,
    most_moves: int,
    most_cells: int,
    rng: np.random.Generator,
) -> tuple[int, int, int]:
    """Make up to so many moves; return the moves made, the cells looked at and the number of messages still outside.

    Slot i of port p is row `num_units + first_slot[p] + i`; a port without slots never binds. A message goes into
    `only_step[message]`, or -1: into any step. The call ends after the move that brings the cells to `most_cells`.
    """
    num_routers = distances.shape[0]
    num_blocks = occupant.shape[1] // BLOCK
    number_of = np.full(num_routers, -1, dtype=np.int32)
    met = np.empty(num_routers, dtype=np.int32)
    keys = np.zeros((num_routers, BLOCK), dtype=np.int32)
    costs = np.zeros(num_routers, dtype=np.int32)
    pushed = np.zeros(num_routers, dtype=np.int32)
    ties_at = np.zeros(num_routers, dtype=np.int32)
    size = np.uint64(BLOCK)
    way_tail = np.empty(len(tails), dtype=np.int32)
    way_head = np.empty(len(tails), dtype=np.int32)
    way_channel = np.empty(len(tails), dtype=np.int32)
    best_way = np.zeros(num_routers, dtype=np.int32)
    moves, walked = 0, 0
    while num_outside > 0 and moves < most_moves and walked < most_cells:
        moves += 1
        pick = int(rng.random() * num_outside)
        message = outside[pick]
        num_outside -= 1
        outside[pick] = outside[num_outside]
        source, target = sources[message], targets[message]
        begin, end = path_offsets[message], path_offsets[message + 1]

        # The ways: channels on shortest paths, nearest to the target first, between routers numbered as they are met.
        away = distances[source]
        met[0] = target
        number_of[target] = 0
        num_met, num_ways, here = 1, 0, 0
        while here < num_met:
            head = met[here]
            nearer = away[head] - 1
            if nearer >= 0:
                for at in range(in_offsets[head], in_offsets[head + 1]):
                    channel = in_channels[at]
                    tail = tails[channel]
                    if away[tail] == nearer:
                        if number_of[tail] < 0:
                            number_of[tail] = num_met
                            met[num_met] = tail
                            num_met += 1
                        way_tail[num_ways] = number_of[tail]
                        way_head[num_ways] = here
                        way_channel[num_ways] = channel
                        num_ways += 1
            here += 1
        start = number_of[source]
        for at in range(num_met):
            number_of[met[at]] = -1

        best, best_step, ties = BARRED >> MARK_BITS, -1, 0
        only = only_step[message]
        num_turns, first_block = num_blocks, int(rng.random() * num_blocks)
        if only >= 0:
            num_turns, first_block = 1, only // BLOCK
        for turn in range(num_turns):
            walked += BLOCK * (1 + num_ways)
            block = first_block + turn
            if block >= num_blocks:
                block -= num_blocks
            # Indices that cannot be negative leave the loops plain enough for wide instructions.
            base = np.uint64(block * BLOCK)
            for at in range(size):
                keys[0, at] = 0
            for side in range(2):
                port = ports[message, side]
                num_slots = port_capacity[port]
                if num_slots > 0:
                    row = np.uint64(num_units + first_slot[port])
                    for at in range(size):
                        least = cells[row, base + at]
                        for slot in range(1, num_slots):
                            least = min(least, cells[row + np.uint64(slot), base + at])
                        keys[0, at] += least & ~MARK
            for there in range(1, num_met):
                for at in range(size):
                    keys[there, at] = BARRED
            for way in range(num_ways):
                tail_row, head_row = np.uint64(way_tail[way]), np.uint64(way_head[way])
                row = np.uint64(units[way_channel[way]])
                for at in range(size):
                    cell, key = cells[row, base + at], keys[head_row, at]
                    key = (key & ~MARK) + (cell if (cell ^ key) & MARK != 0 else cell & MARK)
                    keys[tail_row, at] = min(keys[tail_row, at], key)
            if only >= 0:
                for at in range(BLOCK):
                    if block * BLOCK + at != only:
                        keys[start, at] = BARRED
            least = keys[start, 0]
            for at in range(size):
                least = min(least, keys[start, at])
            least >>= MARK_BITS
            if least > best or least >= BARRED >> MARK_BITS:
                continue
            if least < best:
                best, ties = least, 0
            for at in range(BLOCK):
                if keys[start, at] >> MARK_BITS == best:
                    ties += 1
                    if rng.random() * ties < 1.0:
                        best_step = block * BLOCK + at
            if best == 0:
                break
        if best_step < 0:
            outside[num_outside] = message
            num_outside += 1
            continue

        # The same walk once more, in the chosen step alone, to find the path; equals are drawn by lot.
        for there in range(num_met):
            costs[there] = BARRED
        costs[0] = 0
        pushed[0] = -2
        for way in range(num_ways):
            here, there, row = way_tail[way], way_head[way], units[way_channel[way]]
            whom = occupant[row, best_step]
            cost = costs[there]
            if whom != pushed[there]:
                cost += cells[row, best_step] >> MARK_BITS
            if cost < costs[here]:
                ties_at[here] = 0
            if cost <= costs[here]:
                costs[here] = cost
                ties_at[here] += 1
                if rng.random() * ties_at[here] < 1.0:
                    pushed[here] = whom
                    best_way[here] = way
        here = start
        for at in range(begin, end):
            paths[at] = way_channel[best_way[here]]
            here = way_head[best_way[here]]

        if best > 0 and weight_of[message] < HEAVIEST:
            weight_of[message] += 1
        mine = np.int32((weight_of[message] << MARK_BITS) + 1 + message % NUM_MARKS)
        for at in range(begin - 2, end):
            place = -1
            if at >= begin:
                place = units[paths[at]]
            else:
                port = ports[message, begin - 1 - at]
                if port_capacity[port] == 0:
                    continue
                place = num_units + first_slot[port]
                for slot in range(1, port_capacity[port]):
                    if cells[num_units + first_slot[port] + slot, best_step] < cells[place, best_step]:
                        place = num_units + first_slot[port] + slot
            victim = occupant[place, best_step]
            if victim >= 0:
                for gone in range(path_offsets[victim], path_offsets[victim + 1]):
                    occupant[units[paths[gone]], best_step] = -1
                    cells[units[paths[gone]], best_step] = 0
                for side in range(2):
                    port = ports[victim, side]
                    for slot in range(port_capacity[port]):
                        other = num_units + first_slot[port] + slot
                        if occupant[other, best_step] == victim:
                            occupant[other, best_step] = -1
                            cells[other, best_step] = 0
                step_of[victim] = -1
                outside[num_outside] = victim
                num_outside += 1
            occupant[place, best_step] = message
            cells[place, best_step] = mine
        step_of[message] = best_step
    return moves, walked, num_outside
