"""Ejection chains over all shortest paths: a message without a free path ejects the conflicts of least weight.

The rule is that of `ejection`: a message without a step goes where the messages it ejects weigh least, and becomes
heavier if it had to eject any. There every path and step is tried in turn. Here dynamic programming over the shortest
paths, backwards from the target, finds for each router and step the least weight to be ejected between it and the
target; blocks of steps are processed together, which the compiler turns into vector instructions. So the number of
shortest paths does not matter, and a message of a torus with its thousands of paths gets its step in some microseconds.

A unit or port has as many lanes as it carries messages in a step, and a lane has one row in the tables. A cell is the
one number that the search needs of a lane in a step: the occupant's weight, times 4096, plus a mark between 1 and 4094;
0 if the lane is free, `BARRED` in the columns behind the last step. A message that conflicts on two successive channels
is ejected once, which equal marks show; two messages with the same mark are taken for one, which is rare and harmless.

Loops here end by their conditions: a break or return from within one makes numba count references to every array.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pavane.jit.compiling import inlined
from pavane.solvers.large_scatter.kernels.first_fit import change_loads
from pavane.solvers.large_scatter.kernels.shortest_paths import (
    DagSize,
    Messages,
    PathDag,
    ScatterFabric,
    dag_scratch,
    find_dag,
    write_path,
)

Array = np.ndarray[Any, Any]

BLOCK = 64
"""Steps that are processed together."""

MARK_BITS = 12
"""The low bits of a cell, which have the mark."""

MARK = np.int32(2**MARK_BITS - 1)
"""A cell of which only the mark is left."""

NUM_MARKS = 2**MARK_BITS - 2
"""Marks from 1 on; 0 is that of a free lane, and the last that of steps beyond the end."""

BARRED = np.int32(2**29 + 2**MARK_BITS - 1)
"""The cell of a step beyond the end: more than any path ejects."""

BARRED_WEIGHT = 2 ** (29 - MARK_BITS)
"""The weight in a barred cell."""

MOST_WEIGHT = 2**11
"""The largest weight of a message, so that no sum exceeds its type."""

NO_LIMIT = 2**31 - 1
"""More than any load."""

NO_MESSAGE = -2
"""No ejected message; not the occupant of any lane."""


class EjectionLanes(NamedTuple):
    """The lanes of units and ports, one per message that they carry in one step; read-only."""

    port_row: Array
    """int32 [port]: the row of its first lane in the tables of an Occupancy; the others follow."""
    port_capacity: Array
    """int32 [port]: the number of its lanes; a port without lanes never binds."""
    unit_row: Array | None = None
    """int32 [unit]: the row of its first lane; None: every unit has one lane, in the row of its number."""
    unit_capacity: Array | None = None
    """int32 [unit]: the number of its lanes; None: one."""


class Occupancy(NamedTuple):
    """The messages in all lanes and steps, and those without a step."""

    occupant: Array
    """int32 [lane, step]: the message in it, or -1."""
    cells: Array
    """int32 [lane, step]: weight and mark of the occupant."""
    paths: Array
    """int32 [channel of a path], one message after the other."""
    step_of: Array
    """int32 [message]: its step, or -1: it is not placed."""
    only_step: Array
    """int32 [message]: the only step it may take, or -1: any."""
    weight_of: Array
    """int32 [message]."""
    unplaced: Array
    """int32 [message]: the messages without a step come first, in any order."""
    loads: Array
    """int64 [unit]: the messages, placed or not, whose paths use it."""


class EjectionLimits(NamedTuple):
    """When a call ends before all messages are placed, and the largest load of a unit."""

    moves: int
    cells: int
    """The call ends after the move that brings the cells examined to this number."""
    most_load: int
    """No message moves to a unit with this load per capacity, unless it has no other path."""


class EjectionScratch(NamedTuple):
    """Working memory."""

    dag: PathDag
    keys: Array
    """int32 [router met, step of a block]: the least sum of cells to be ejected from there to the target."""
    costs: Array
    """int32 [router met]: the least weight to be ejected in the chosen step."""
    ejected: Array
    """int32 [router met]: the first message that is ejected from there on."""
    num_ties: Array
    """int32 [router met]: how many edges have the least cost."""


def insert_with_ejection(
    fabric: ScatterFabric,
    messages: Messages,
    lanes: EjectionLanes,
    occupancy: Occupancy,
    num_unplaced: int,
    limits: EjectionLimits,
    rng: np.random.Generator,
) -> tuple[int, int, int]:
    """Insert messages; return the moves made, the cells examined and the number of messages without a step."""
    num_routers = fabric.distances.shape[0]
    scratch = EjectionScratch(
        dag_scratch(num_routers, len(fabric.wiring.tails)),
        np.zeros((num_routers, BLOCK), dtype=np.int32),
        np.zeros(num_routers, dtype=np.int32),
        np.zeros(num_routers, dtype=np.int32),
        np.zeros(num_routers, dtype=np.int32),
    )
    unplaced, offsets = occupancy.unplaced, messages.path_offsets
    moves, walked = 0, 0
    while num_unplaced > 0 and moves < limits.moves and walked < limits.cells:
        moves += 1
        pick = int(rng.random() * num_unplaced)
        message = unplaced[pick]
        num_unplaced -= 1
        unplaced[pick] = unplaced[num_unplaced]
        path = occupancy.paths[offsets[message] : offsets[message + 1]]
        change_loads(fabric.unit_of, path, occupancy.loads, -1)
        source, target = messages.sources[message], messages.targets[message]
        dag_size = find_dag(fabric, fabric.capacity, source, target, occupancy.loads, limits.most_load, scratch.dag)
        if dag_size.source < 0:
            dag_size = find_dag(fabric, fabric.capacity, source, target, occupancy.loads, NO_LIMIT, scratch.dag)
        step, weight, num_cells = best_step(
            messages.ports[message], lanes, occupancy.cells, occupancy.only_step[message], dag_size, scratch, rng
        )
        walked += num_cells
        if step < 0:
            unplaced[num_unplaced] = message
            num_unplaced += 1
        else:
            choose_edges(lanes, occupancy, step, dag_size, scratch, rng)
            write_path(scratch.dag, dag_size, path)
            if weight > 0 and occupancy.weight_of[message] < MOST_WEIGHT:
                occupancy.weight_of[message] += 1
            num_unplaced = settle(fabric.unit_of, messages, lanes, occupancy, message, step, num_unplaced)
        change_loads(fabric.unit_of, path, occupancy.loads, 1)
    return moves, walked, num_unplaced


@inlined
def best_step(
    own_ports: Array,
    lanes: EjectionLanes,
    cells: Array,
    only: int,
    dag_size: DagSize,
    scratch: EjectionScratch,
    rng: np.random.Generator,
) -> tuple[int, int, int]:
    """Find a step with the least ejected weight, at random among equals; only the step `only` unless that is -1.

    Return the step, or -1 if there is none, the weight ejected in it and the number of cells examined.
    """
    num_blocks = cells.shape[1] // BLOCK
    best, chosen, num_ties, num_cells = BARRED_WEIGHT, -1, 0, 0
    num_turns, block = num_blocks, int(rng.random() * num_blocks)
    if only >= 0:
        num_turns, block = 1, only // BLOCK
    keys, turn = scratch.keys, 0
    while turn < num_turns and best > 0:
        turn += 1
        num_cells += BLOCK * (1 + dag_size.num_edges)
        first_step = block * BLOCK
        block = block + 1 if block + 1 < num_blocks else 0
        weigh_ports(own_ports, lanes, cells, first_step, keys)
        weigh_edges(scratch.dag, dag_size, lanes.unit_row, lanes.unit_capacity, cells, first_step, keys)
        if only >= 0:
            bar_others(keys, dag_size.source, only - first_step)
        least = least_of(keys, dag_size.source) >> MARK_BITS
        if least < best:
            best, num_ties = least, 0
        if least == best and least < BARRED_WEIGHT:
            for at in range(BLOCK):
                if keys[dag_size.source, at] >> MARK_BITS == best:
                    num_ties += 1
                    if rng.random() * num_ties < 1.0:
                        chosen = first_step + at
    return chosen, best, num_cells


@inlined
def weigh_ports(own_ports: Array, lanes: EjectionLanes, cells: Array, first_step: int, keys: Array) -> None:
    """Set the keys of the target to the least weight ejected from the message's ports, in each step of a block."""
    # Unsigned indices leave the loops simple enough for vector instructions; here and below.
    base, size = np.uint64(first_step), np.uint64(BLOCK)
    for at in range(size):
        keys[0, at] = 0
    for side in range(2):
        port = own_ports[side]
        num_lanes = lanes.port_capacity[port]
        if num_lanes > 0:
            row = np.uint64(lanes.port_row[port])
            for at in range(size):
                least = cells[row, base + at]
                for lane in range(1, num_lanes):
                    least = min(least, cells[row + np.uint64(lane), base + at])
                keys[0, at] += least & ~MARK


@inlined
def weigh_edges(
    dag: PathDag,
    dag_size: DagSize,
    unit_row: Array | None,
    unit_capacity: Array | None,
    cells: Array,
    first_step: int,
    keys: Array,
) -> None:
    """Propagate the least ejected weight from the target to all routers met, in each step of a block."""
    base, size = np.uint64(first_step), np.uint64(BLOCK)
    for index in range(1, dag_size.num_met):
        for at in range(size):
            keys[index, at] = BARRED
    for edge in range(dag_size.num_edges):
        tail, head, unit = np.uint64(dag.tails[edge]), np.uint64(dag.heads[edge]), np.uint64(dag.units[edge])
        if unit_row is None or unit_capacity is None:
            for at in range(size):
                cell, key = cells[unit, base + at], keys[head, at]
                key = (key & ~MARK) + (cell if (cell ^ key) & MARK != 0 else cell & MARK)
                keys[tail, at] = min(keys[tail, at], key)
        else:
            # A unit ejects the lightest of its lanes.
            row = np.uint64(unit_row[unit])
            for at in range(size):
                key, least = keys[head, at], BARRED
                for lane in range(np.uint64(unit_capacity[unit])):
                    cell = cells[row + lane, base + at]
                    least = min(least, cell if (cell ^ key) & MARK != 0 else cell & MARK)
                keys[tail, at] = min(keys[tail, at], (key & ~MARK) + least)


@inlined
def bar_others(keys: Array, index: int, only: int) -> None:
    """Bar all steps of a block but one, at one router."""
    for at in range(BLOCK):
        if at != only:
            keys[index, at] = BARRED


@inlined
def least_of(keys: Array, index: int) -> int:
    """Return the least key of a router in a block."""
    row = np.uint64(index)
    least = keys[row, 0]
    for at in range(np.uint64(BLOCK)):
        least = min(least, keys[row, at])
    return least  # type: ignore[no-any-return]


@inlined
def choose_edges(
    lanes: EjectionLanes,
    occupancy: Occupancy,
    step: int,
    dag_size: DagSize,
    scratch: EjectionScratch,
    rng: np.random.Generator,
) -> None:
    """Find the edge with the least ejected weight from every router met in a step, at random among equals."""
    dag, costs, ejected, num_ties = scratch.dag, scratch.costs, scratch.ejected, scratch.num_ties
    for index in range(dag_size.num_met):
        costs[index] = BARRED
    costs[0] = 0
    ejected[0] = NO_MESSAGE
    for edge in range(dag_size.num_edges):
        tail, head = dag.tails[edge], dag.heads[edge]
        row = row_to_take(dag.units[edge], lanes.unit_row, lanes.unit_capacity, occupancy, step, ejected[head])
        occupant = occupancy.occupant[row, step]
        cost = costs[head]
        if occupant != ejected[head]:
            cost += occupancy.cells[row, step] >> MARK_BITS
        if cost < costs[tail]:
            num_ties[tail] = 0
        if cost <= costs[tail]:
            costs[tail] = cost
            num_ties[tail] += 1
            if rng.random() * num_ties[tail] < 1.0:
                ejected[tail] = occupant
                dag.best[tail] = edge


@inlined
def row_to_take(
    unit: int, unit_row: Array | None, unit_capacity: Array | None, occupancy: Occupancy, step: int, ejected: int
) -> int:
    """Return the row of the lane that a message takes: that of a message it ejects anyway, or the lightest."""
    if unit_row is None or unit_capacity is None:
        return unit
    first, last = unit_row[unit], unit_row[unit] + unit_capacity[unit]
    lightest, whose = first, -1
    for row in range(first, last):
        if occupancy.cells[row, step] < occupancy.cells[lightest, step]:
            lightest = row
        if occupancy.occupant[row, step] == ejected:
            whose = row
    return whose if whose >= 0 and occupancy.cells[lightest, step] > 0 else lightest


@inlined
def settle(
    unit_of: Array,
    messages: Messages,
    lanes: EjectionLanes,
    occupancy: Occupancy,
    message: int,
    step: int,
    num_unplaced: int,
) -> int:
    """Place a message in a step along its path and eject what conflicts; return how many are unplaced then."""
    occupant, cells = occupancy.occupant, occupancy.cells
    begin, end = messages.path_offsets[message], messages.path_offsets[message + 1]
    mine = np.int32((occupancy.weight_of[message] << MARK_BITS) + 1 + message % NUM_MARKS)
    for at in range(begin - 2, end):
        if at >= begin:
            row = row_to_take(
                unit_of[occupancy.paths[at]], lanes.unit_row, lanes.unit_capacity, occupancy, step, NO_MESSAGE
            )
        else:
            row = lightest_lane(lanes, messages.ports[message, begin - 1 - at], cells, step)
            if row < 0:
                continue
        victim = occupant[row, step]
        if victim >= 0:
            remove(unit_of, messages, lanes, occupancy, victim, step)
            occupancy.unplaced[num_unplaced] = victim
            num_unplaced += 1
        occupant[row, step] = message
        cells[row, step] = mine
    occupancy.step_of[message] = step
    return num_unplaced


@inlined
def lightest_lane(lanes: EjectionLanes, port: int, cells: Array, step: int) -> int:
    """Return the row of the port's lane that is free or has the lightest occupant; -1 if the port never binds."""
    if lanes.port_capacity[port] == 0:
        return -1
    first = lanes.port_row[port]
    lightest = first
    for row in range(first + 1, first + lanes.port_capacity[port]):
        if cells[row, step] < cells[lightest, step]:
            lightest = row
    return lightest  # type: ignore[no-any-return]


@inlined
def remove(
    unit_of: Array, messages: Messages, lanes: EjectionLanes, occupancy: Occupancy, victim: int, step: int
) -> None:
    """Remove a message from its step."""
    for at in range(messages.path_offsets[victim], messages.path_offsets[victim + 1]):
        free_unit(unit_of[occupancy.paths[at]], lanes.unit_row, lanes.unit_capacity, occupancy, victim, step)
    for side in range(2):
        port = messages.ports[victim, side]
        free_lane(occupancy, victim, step, lanes.port_row[port], lanes.port_capacity[port])
    occupancy.step_of[victim] = -1


@inlined
def free_unit(
    unit: int, unit_row: Array | None, unit_capacity: Array | None, occupancy: Occupancy, victim: int, step: int
) -> None:
    """Remove a message from a unit."""
    if unit_row is None or unit_capacity is None:
        occupancy.occupant[unit, step] = -1
        occupancy.cells[unit, step] = 0
    else:
        free_lane(occupancy, victim, step, unit_row[unit], unit_capacity[unit])


@inlined
def free_lane(occupancy: Occupancy, victim: int, step: int, first_row: int, num_lanes: int) -> None:
    """Remove a message from the lane that it has among several."""
    for row in range(first_row, first_row + num_lanes):
        if occupancy.occupant[row, step] == victim:
            occupancy.occupant[row, step] = -1
            occupancy.cells[row, step] = 0
