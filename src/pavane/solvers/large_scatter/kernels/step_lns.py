"""Fills one step with paths of messages that wait: greedily, then ruin and recreate, accepted by annealing.

A path is worth its channels, and a little more if it is long: what is short fits in later. From a router
all paths over idle channels are walked at once, nearest routers first, so the worthiest message that it can send is
found in one walk; the fuller the step, the shorter the walk. Where some channels have more to carry than others, they
are worth more. A message that is planned on other paths is worth no more than the planned one: whoever may as well go
where there is room would else use up what others need.

A move removes some paths that touch one end of an idle channel and lets every router with an idle channel send again.

With a group of symmetries one router of each orbit sends for all of them, and channels of one orbit, a unit, are idle
or used together. A path may not lead twice through one unit: it would meet an image of itself.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from pavane.jit.compiling import inlined
from pavane.solvers.kernels.wiring import Wiring
from pavane.solvers.large_scatter.kernels.shortest_paths import ScatterFabric

Array = np.ndarray[Any, Any]

MOST_WALKED = 3_000_000
"""Routers met in all walks of a step after which it is left as it is, about a tenth of a second: where few messages
wait most channels are idle, walks are long, and nothing is to be gained."""

MOST_REMOVED = 3
"""A move removes one path or a few, up to this many."""

NUM_IDLE, NUM_SPARE, NUM_WALKS, NUM_WALKED = range(4)
"""What the entries of `Scratch.counts` count: idle units, spare paths, walks made, routers met in them."""


class OrbitNetwork(NamedTuple):
    """What the symmetries of a group make of a network: its orbits are routers and channels of a smaller one."""

    wiring: Wiring
    """Between orbits of routers; its channels are the units of the fabric."""
    senders: Array
    """int32 [orbit]: the router that sends for all of its orbit."""
    may_meet: bool
    """Whether some shortest path leads twice through one unit."""


class FreeStep(NamedTuple):
    """The paths of one step, numbered from 0."""

    user: Array
    """int32 [unit]: the path that uses it, or -1: it is idle."""
    path_ends: Array
    """int32 [path, 2]: the routers that it leads from and to."""
    path_channels: Array
    """int32 [path, hop]: its channels, as many as its ends are apart."""


class FreeStepOptions(NamedTuple):
    """How a step is filled."""

    bonus: float
    """What each channel of a path adds to the worth of all its channels."""
    hottest: float
    """Worth that is given up lightly at the first move."""
    coldest: float
    """Worth that is given up lightly at the last move."""
    num_moves: int
    unit_worth: Array
    """float64 [unit]."""
    planned_worth: Array | None = None
    """float32 [source, target]: the channels of a path count for no more than this; None: for what they are worth."""


class FreeStepScratch(NamedTuple):
    """Room to work in."""

    counts: Array
    """int64 [4]: see NUM_IDLE."""
    idle: Array
    """int32 [unit]: the idle units come first, in any order."""
    idle_index: Array
    """int32 [unit]: where an idle unit stands in `idle`."""
    spare: Array
    """int32 [path]: the numbers that no path has come first."""
    factor: Array
    """float64 [distance]: by what the worth of the channels of a path of that length is multiplied."""
    worth_to: Array
    """float64 [router]: the worth of the channels by which the last walk came."""
    path_worth: Array
    """float64 [path]: what each path of the step is worth."""
    removed: Array
    """int32 [MOST_REMOVED]: the paths that a move removed."""
    added: Array
    """int32 [path]: the paths that a move added."""
    senders: Array
    """int32 [orbit]: the orbits of routers that may send come first."""
    is_sender: Array
    """bool [orbit]: False between two searches for senders."""
    met_in: Array
    """int64 [router]: the last walk that met it."""
    queue: Array
    """int32 [router]: the routers met, nearest first."""
    came_by: Array
    """int32 [router]: the channel through which the walk came."""


def room_for_step(num_routers: int, num_units: int, bonus: float) -> FreeStepScratch:
    """Return room for a step in which all units are idle."""
    lengths = np.arange(num_routers)
    return FreeStepScratch(
        np.array([num_units, num_units, 0, 0]),
        np.arange(num_units).astype(np.int32),
        np.arange(num_units).astype(np.int32),
        np.arange(num_units - 1, -1, -1).astype(np.int32),
        1.0 + bonus * lengths,
        np.zeros(num_routers, dtype=np.float64),
        np.zeros(num_units, dtype=np.float64),
        np.empty(MOST_REMOVED, dtype=np.int32),
        np.empty(num_units, dtype=np.int32),
        np.empty(num_routers, dtype=np.int32),
        np.zeros(num_routers, dtype=np.bool_),
        np.zeros(num_routers, dtype=np.int64),
        np.empty(num_routers, dtype=np.int32),
        np.empty(num_routers, dtype=np.int32),
    )


def fill_free_step(
    fabric: ScatterFabric,
    orbits: OrbitNetwork | None,
    pending: Array,
    step: FreeStep,
    tuning: FreeStepOptions,
    rng: np.random.Generator,
) -> int:
    """Fill an empty step; return the number of its paths.

    `waiting`, int32 [source, target], counts the messages that wait; those in the step are taken from it. Without
    orbits, None, every channel is a unit of its own.
    """
    distances = fabric.distances
    wiring = fabric.wiring if orbits is None else orbits.wiring
    scratch = room_for_step(len(distances), len(wiring.tails), tuning.bonus)
    counts = scratch.counts
    step.user[:] = -1
    # The first turn is the greedy filling: nothing is removed, and every router sends.
    for move in range(tuning.num_moves + 1):
        if counts[NUM_IDLE] == 0 or counts[NUM_WALKED] > MOST_WALKED:
            break
        first_freed, num_removed, change = 0, 0, 0.0
        if move > 0:
            first_freed = counts[NUM_IDLE]
            num_removed, change = remove_some(fabric, orbits, pending, step, scratch, rng)
            if num_removed == 0:
                continue
        num_senders = find_senders(wiring, step.user, scratch, first_freed)
        num_added, change = send_all(fabric, orbits, pending, step, num_senders, change, tuning, scratch, rng)
        if move == 0:
            continue
        heat = tuning.hottest * (tuning.coldest / tuning.hottest) ** (move / tuning.num_moves)
        if change >= 0.0 or rng.random() < math.exp(change / heat):
            for number in range(num_removed):
                make_spare(scratch, scratch.removed[number])
            continue
        for number in range(num_added):
            take_out(fabric, orbits, pending, step, scratch, scratch.added[number])
            make_spare(scratch, scratch.added[number])
        for number in range(num_removed):
            put_back(fabric, orbits, pending, step, scratch, scratch.removed[number])
    return close_gaps(fabric, orbits, step, scratch)


@inlined
def remove_some(
    fabric: ScatterFabric,
    orbits: OrbitNetwork | None,
    pending: Array,
    step: FreeStep,
    scratch: FreeStepScratch,
    rng: np.random.Generator,
) -> tuple[int, float]:
    """Remove up to three paths beside an idle unit; return how many, and the worth that is lost, below 0."""
    wiring = fabric.wiring if orbits is None else orbits.wiring
    unit = scratch.idle[int(rng.random() * scratch.counts[NUM_IDLE])]
    num_removed, change = 0, 0.0
    wanted = 1 + int(rng.random() * MOST_REMOVED)
    for _ in range(wanted):
        path = step.user[channel_beside(wiring, unit, rng)]
        if path < 0:
            continue
        scratch.removed[num_removed] = path
        num_removed += 1
        change -= scratch.path_worth[path]
        take_out(fabric, orbits, pending, step, scratch, path)
    return num_removed, change


@inlined
def channel_beside(wiring: Wiring, channel: int, rng: np.random.Generator) -> int:
    """Draw a channel that leaves or enters one end of a channel; the channel itself where there is none."""
    router = wiring.tails[channel] if rng.random() < 0.5 else wiring.heads[channel]
    if rng.random() < 0.5:
        offsets, channels = wiring.out_offsets, wiring.out_channels
    else:
        offsets, channels = wiring.in_offsets, wiring.in_channels
    first, last = offsets[router], offsets[router + 1]
    return channels[first + int(rng.random() * (last - first))] if last > first else channel


@inlined
def find_senders(wiring: Wiring, user: Array, scratch: FreeStepScratch, first_freed: int) -> int:
    """List the routers that reach what was freed over idle channels: nobody else can send more than before.

    The channels from `first_freed` on in `scratch.idle` were freed. Return the number of senders.
    """
    senders, is_sender = scratch.senders, scratch.is_sender
    num_senders, here = 0, 0
    for at in range(first_freed, scratch.counts[NUM_IDLE]):
        router = wiring.tails[scratch.idle[at]]
        if not is_sender[router]:
            is_sender[router] = True
            senders[num_senders] = router
            num_senders += 1
    while here < num_senders:
        router = senders[here]
        here += 1
        for at in range(wiring.in_offsets[router], wiring.in_offsets[router + 1]):
            channel = wiring.in_channels[at]
            tail = wiring.tails[channel]
            if user[channel] < 0 and not is_sender[tail]:
                is_sender[tail] = True
                senders[num_senders] = tail
                num_senders += 1
    for at in range(num_senders):
        is_sender[senders[at]] = False
    return num_senders


@inlined
def send_all(
    fabric: ScatterFabric,
    orbits: OrbitNetwork | None,
    pending: Array,
    step: FreeStep,
    num_senders: int,
    change: float,
    tuning: FreeStepOptions,
    scratch: FreeStepScratch,
    rng: np.random.Generator,
) -> tuple[int, float]:
    """Let senders send their worthiest messages, drawn by lot, until none can.

    Return how many paths were added, and the change of the step's worth, which so far was `change`.
    """
    senders, counts = scratch.senders, scratch.counts
    num_added = 0
    while num_senders > 0:
        pick = int(rng.random() * num_senders)
        source = senders[pick] if orbits is None else orbits.senders[senders[pick]]
        target, worth = worthiest(
            fabric, orbits, pending, step.user, source, tuning.unit_worth, tuning.planned_worth, scratch, rng
        )
        if target < 0:
            num_senders -= 1
            senders[pick] = senders[num_senders]
            continue
        counts[NUM_SPARE] -= 1
        path = scratch.spare[counts[NUM_SPARE]]
        scratch.added[num_added] = path
        num_added += 1
        change += worth
        scratch.path_worth[path] = worth
        step.path_ends[path, 0], step.path_ends[path, 1] = source, target
        pending[source, target] -= 1
        router = target
        for hop in range(fabric.distances[source, target] - 1, -1, -1):
            channel = scratch.came_by[router]
            step.path_channels[path, hop] = channel
            occupy(step.user, scratch, unit_of(fabric, orbits, channel), path)
            router = fabric.wiring.tails[channel]
    return num_added, change


@inlined
def worthiest(
    fabric: ScatterFabric,
    orbits: OrbitNetwork | None,
    pending: Array,
    user: Array,
    source: int,
    unit_worth: Array,
    planned_worth: Array | None,
    scratch: FreeStepScratch,
    rng: np.random.Generator,
) -> tuple[int, float]:
    """Walk all shortest paths over idle units from a source; return the target worth most and its worth, or -1."""
    wiring = fabric.wiring
    met_in, queue, came_by, counts = scratch.met_in, scratch.queue, scratch.came_by, scratch.counts
    counts[NUM_WALKS] += 1
    this_walk = counts[NUM_WALKS]
    away, wanted = fabric.distances[source], pending[source]
    worth_to = scratch.worth_to
    queue[0], met_in[source], worth_to[source] = source, this_walk, 0.0
    num_met, here = 1, 0
    best, best_worth = -1, 0.0
    while here < num_met:
        router = queue[here]
        here += 1
        if wanted[router] > 0:
            worth = worth_to[router]
            if planned_worth is not None:
                worth = min(worth, planned_worth[source, router])
            worth *= scratch.factor[away[router]]
            if worth > best_worth or (worth == best_worth and rng.random() < 0.5):
                best, best_worth = router, worth
        for at in range(wiring.out_offsets[router], wiring.out_offsets[router + 1]):
            channel = wiring.out_channels[at]
            unit = unit_of(fabric, orbits, channel)
            if user[unit] >= 0:
                continue
            head = wiring.heads[channel]
            if away[head] != away[router] + 1:
                continue
            if orbits is not None:  # noqa: SIM102 (machine code without orbits leaves out what is within)
                if orbits.may_meet and leads_through(fabric, came_by, source, router, unit):
                    continue
            if met_in[head] != this_walk:
                met_in[head] = this_walk
                queue[num_met] = head
                num_met += 1
                came_by[head] = channel
                worth_to[head] = worth_to[router] + unit_worth[unit]
            elif rng.random() < 0.5:
                came_by[head] = channel
                worth_to[head] = worth_to[router] + unit_worth[unit]
    counts[NUM_WALKED] += num_met
    return best, best_worth


@inlined
def unit_of(fabric: ScatterFabric, orbits: OrbitNetwork | None, channel: int) -> int:
    """Return the unit that a channel draws on."""
    return channel if orbits is None else fabric.unit_of[channel]


@inlined
def leads_through(fabric: ScatterFabric, came_by: Array, source: int, router: int, unit: int) -> bool:
    """Say whether the walk from a source came to a router through a unit."""
    while router != source:
        channel = came_by[router]
        if fabric.unit_of[channel] == unit:
            return True
        router = fabric.wiring.tails[channel]
    return False


@inlined
def occupy(user: Array, scratch: FreeStepScratch, unit: int, path: int) -> None:
    """Let a path use an idle unit."""
    user[unit] = path
    scratch.counts[NUM_IDLE] -= 1
    last, index = scratch.idle[scratch.counts[NUM_IDLE]], scratch.idle_index[unit]
    scratch.idle[index], scratch.idle_index[last] = last, index


@inlined
def take_out(
    fabric: ScatterFabric,
    orbits: OrbitNetwork | None,
    pending: Array,
    step: FreeStep,
    scratch: FreeStepScratch,
    path: int,
) -> None:
    """Take a path out of the step: its message waits again, and its units are idle."""
    start, end = step.path_ends[path, 0], step.path_ends[path, 1]
    pending[start, end] += 1
    for hop in range(fabric.distances[start, end]):
        unit = unit_of(fabric, orbits, step.path_channels[path, hop])
        step.user[unit] = -1
        num_idle = scratch.counts[NUM_IDLE]
        scratch.idle[num_idle], scratch.idle_index[unit] = unit, num_idle
        scratch.counts[NUM_IDLE] += 1


@inlined
def put_back(
    fabric: ScatterFabric,
    orbits: OrbitNetwork | None,
    pending: Array,
    step: FreeStep,
    scratch: FreeStepScratch,
    path: int,
) -> None:
    """Put a path that was taken out into the step again."""
    start, end = step.path_ends[path, 0], step.path_ends[path, 1]
    pending[start, end] -= 1
    for hop in range(fabric.distances[start, end]):
        occupy(step.user, scratch, unit_of(fabric, orbits, step.path_channels[path, hop]), path)


@inlined
def make_spare(scratch: FreeStepScratch, path: int) -> None:
    """Let another path have a number."""
    scratch.spare[scratch.counts[NUM_SPARE]] = path
    scratch.counts[NUM_SPARE] += 1


def close_gaps(fabric: ScatterFabric, orbits: OrbitNetwork | None, step: FreeStep, scratch: FreeStepScratch) -> int:
    """Number the paths without gaps; return how many there are."""
    is_spare = np.zeros(len(scratch.spare), dtype=np.bool_)
    for at in range(scratch.counts[NUM_SPARE]):
        is_spare[scratch.spare[at]] = True
    num_paths = 0
    for path in range(len(is_spare)):
        if is_spare[path]:
            continue
        if path != num_paths:
            step.path_ends[num_paths] = step.path_ends[path]
            step.path_channels[num_paths] = step.path_channels[path]
            for hop in range(fabric.distances[step.path_ends[path, 0], step.path_ends[path, 1]]):
                step.user[unit_of(fabric, orbits, step.path_channels[path, hop])] = num_paths
        num_paths += 1
    return num_paths


def spread_loads(fabric: ScatterFabric, nearest_first: Array, pending: Array, loads: Array) -> None:
    """Set the loads, float64 [channel], if every waiting message is spread evenly over its shortest paths.

    `nearest_first`, int32 [router, index], has all routers by their distance from each.
    """
    wiring = fabric.wiring
    num_routers = len(fabric.distances)
    counts = np.zeros(num_routers)
    flows = np.zeros(num_routers)
    loads[:] = 0.0
    for source in range(num_routers):
        away, order = fabric.distances[source], nearest_first[source]
        total = 0
        for router in range(num_routers):
            counts[router] = 0.0
            flows[router] = pending[source, router]
            total += pending[source, router]
        if total == 0:
            continue
        counts[source] = 1.0
        for index in range(1, num_routers):
            router = order[index]
            for at in range(wiring.in_offsets[router], wiring.in_offsets[router + 1]):
                tail = wiring.tails[wiring.in_channels[at]]
                if away[tail] + 1 == away[router]:
                    counts[router] += counts[tail]
        for index in range(num_routers - 1, 0, -1):
            router = order[index]
            if flows[router] == 0.0 or counts[router] == 0.0:
                continue
            each = flows[router] / counts[router]
            for at in range(wiring.in_offsets[router], wiring.in_offsets[router + 1]):
                channel = wiring.in_channels[at]
                tail = wiring.tails[channel]
                if away[tail] + 1 == away[router]:
                    flow = each * counts[tail]
                    loads[channel] += flow
                    flows[tail] += flow
