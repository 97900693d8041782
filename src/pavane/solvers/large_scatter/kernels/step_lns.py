"""Large neighbourhood search of one step: filled greedily, then ruin and recreate, accepted by annealing.

A move picks an idle unit of capacity, removes up to three messages beside it, and lets every router that reaches what
was freed send its worthiest pending messages. Messages come from one of two sources:

- `fill_free_step`: along any shortest path over idle channels. One walk from a router over idle channels, nearest
  routers first, finds the worthiest message that it can send; the fuller the step, the shorter the walk. A path is
  worth its channels, and more if it is long: short ones fit in later. A message with a planned path is worth no more
  than that path: messages with a choice would otherwise use up the channels that others need.
- `fill_planned_step`: along planned paths alone. The effort is counted in probes of channels, so that it means the same
  on any network.

With a group of symmetries one router of each orbit sends for all of them, and the channels of one orbit are one unit. A
path must not use a unit twice: it would conflict with an image of itself.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from pavane.jit.compiling import inlined
from pavane.solvers.kernels.rerouting import MessagePaths
from pavane.solvers.kernels.wiring import Wiring
from pavane.solvers.large_scatter.kernels.shortest_paths import ScatterFabric

Array = np.ndarray[Any, Any]

MOST_WALKED = 3_000_000
"""Routers met in all walks of a free step after which it ends, about a tenth of a second: with few pending messages
most channels are idle, walks are long, and nothing is gained."""

MOST_REMOVED = 3
"""A move removes one message or a few, up to this many."""

NUM_DRAWN = 3
"""A planned step picks the worthiest of this many random idle units."""

PROBES_PER_MOVE = 10
"""A move counts as this many probes besides its own."""

NUM_IDLE, NUM_SPARE, NUM_WALKS, NUM_WALKED, NUM_PROBES = range(5)
"""The entries of `StepUnits.counts`: idle units, spare path numbers, walks, routers met in them, probes of channels."""


class OrbitNetwork(NamedTuple):
    """The quotient of a network by a group: its routers and channels are orbits."""

    wiring: Wiring
    """Between orbits of routers; its channels are the units of the fabric."""
    senders: Array
    """int32 [orbit]: the router that sends for all of its orbit."""
    may_meet: bool
    """Whether some shortest path uses a unit twice."""


class UnitChannels(NamedTuple):
    """The channels of every unit; read-only."""

    offsets: Array
    """int32 [unit + 1]: channels[offsets[u]:offsets[u + 1]] draw on unit u."""
    channels: Array
    """int32 [channel]."""


class PendingMessages(NamedTuple):
    """Pending messages with planned paths, by source and target."""

    first_of: Array
    """int32 [source, target]: a pending message, or -1."""
    next_of: Array
    """int32 [message]: another pending message between the same routers, or -1."""
    most_worth: Array
    """float32 [source, target]: the worth of the worthiest message, or a little more; 0 without any."""
    worth: Array
    """float32 [message]."""
    slack: int
    """How many channels longer than the shortest paths may be."""


class StepUnits(NamedTuple):
    """The use of units of capacity in a step."""

    user: Array
    """int32 [unit]: the path or message that uses it, or -1: it is idle."""
    idle: Array
    """int32 [unit]: the idle units come first, in any order."""
    idle_index: Array
    """int32 [unit]: the index of an idle unit in `idle`."""
    counts: Array
    """int64 [5]: see NUM_IDLE."""


class WalkScratch(NamedTuple):
    """Working memory of walks over idle units."""

    senders: Array
    """int32 [router or orbit]: those that may send come first."""
    is_sender: Array
    """bool [router or orbit]: False between two searches for senders."""
    met_in: Array
    """int64 [router]: the last walk that met it."""
    queue: Array
    """int32 [router]: the routers met, nearest first."""
    removed: Array
    """int32 [MOST_REMOVED]: the paths or messages that a move removed."""
    added: Array
    """int32 [unit]: the paths or messages that a move added."""


class FreeStep(NamedTuple):
    """A step of paths numbered from 0, with working memory."""

    units: StepUnits
    path_ends: Array
    """int32 [path, 2]: its source and target."""
    path_channels: Array
    """int32 [path, hop]: its channels, as many as its ends are apart."""
    path_worth: Array
    """float64 [path]."""
    spare: Array
    """int32 [path]: the numbers that no path has come first."""
    factor: Array
    """float64 [distance]: the factor of the worth of a path of that length."""
    walk: WalkScratch
    worth_to: Array
    """float64 [router]: the worth of the channels by which the last walk came."""
    came_by: Array
    """int32 [router]: the channel by which the last walk came."""


NO_LIMIT = np.zeros((0, 0), dtype=np.float32)
"""The limits of no pair: an array, not None, so that one machine code serves with limits and without."""


class FreeStepOptions(NamedTuple):
    """How a free step is filled."""

    hottest: float
    """Temperature of the first move."""
    coldest: float
    """Temperature of the last move."""
    num_moves: int
    unit_worth: Array
    """float64 [unit]."""
    planned_worth: Array = NO_LIMIT
    """float32 [source, target]: the largest worth of the channels of a path; without rows, no limit."""


class PlannedStep(NamedTuple):
    """A step of messages along planned paths, with working memory."""

    units: StepUnits
    is_inside: Array
    """bool [message]: whether it is in the step, or reserved for a later one."""
    walk: WalkScratch
    hops: Array
    """int32 [router]: the channels of the last walk to it."""


class PlannedStepOptions(NamedTuple):
    """How a planned step is filled."""

    unit_worth: Array
    """float64 [unit]."""
    hottest: float
    """Temperature of the first move."""
    coldest: float
    """Temperature of the last move."""
    most_probes: int
    """Probes of channels after which the step ends."""
    first: Array
    """int64 [index]: messages placed first, in this order, where their paths are idle."""


def empty_free_step(num_routers: int, num_units: int, longest_path: int, bonus: float) -> FreeStep:
    """Return a step; each channel of a path adds a bonus to the factor of its worth."""
    numbers = np.arange(num_units, dtype=np.int32)
    counts = np.zeros(5, dtype=np.int64)
    # Removed paths keep their numbers until their replacements are accepted.
    num_paths = num_units + MOST_REMOVED
    return FreeStep(
        StepUnits(np.full(num_units, -1, dtype=np.int32), numbers.copy(), numbers.copy(), counts),
        np.zeros((num_paths, 2), dtype=np.int32),
        np.zeros((num_paths, longest_path), dtype=np.int32),
        np.zeros(num_paths),
        np.arange(num_paths, dtype=np.int32),
        1.0 + bonus * np.arange(num_routers),
        _walk_scratch(num_routers, num_units),
        np.zeros(num_routers),
        np.zeros(num_routers, dtype=np.int32),
    )


def empty_planned_step(num_routers: int, unit_channels: UnitChannels, num_messages: int) -> PlannedStep:
    """Return an empty step; units without channels are never idle."""
    num_channels = np.diff(unit_channels.offsets)
    idle = np.argsort(num_channels == 0, kind="stable").astype(np.int32)
    counts = np.zeros(5, dtype=np.int64)
    counts[NUM_IDLE] = (num_channels > 0).sum()
    user = np.full(len(idle), -1, dtype=np.int32)
    return PlannedStep(
        StepUnits(user, idle, np.argsort(idle).astype(np.int32), counts),
        np.zeros(num_messages, dtype=bool),
        _walk_scratch(num_routers, len(idle)),
        np.zeros(num_routers, dtype=np.int32),
    )


def _walk_scratch(num_routers: int, num_units: int) -> WalkScratch:
    return WalkScratch(
        np.zeros(num_routers, dtype=np.int32),
        np.zeros(num_routers, dtype=np.bool_),
        np.zeros(num_routers, dtype=np.int64),
        np.zeros(num_routers, dtype=np.int32),
        np.zeros(MOST_REMOVED, dtype=np.int32),
        np.zeros(num_units, dtype=np.int32),
    )


def fill_free_step(
    fabric: ScatterFabric,
    orbits: OrbitNetwork | None,
    pending: Array,
    step: FreeStep,
    options: FreeStepOptions,
    rng: np.random.Generator,
) -> int:
    """Empty a step and fill it along any shortest paths; return the number of its paths.

    `pending`, int32 [source, target], counts the pending messages, without those in the step. Without orbits, None,
    every channel is a unit of its own.
    """
    wiring = fabric.wiring if orbits is None else orbits.wiring
    walk, counts = step.walk, step.units.counts
    clear(step)
    # The first turn is the greedy filling: nothing is removed, and every router sends.
    for move in range(options.num_moves + 1):
        if counts[NUM_IDLE] == 0 or counts[NUM_WALKED] > MOST_WALKED:
            break
        first_freed, num_removed, change = 0, 0, 0.0
        if move > 0:
            first_freed = counts[NUM_IDLE]
            num_removed, change = ruin_free(fabric, orbits, pending, step, rng)
            if num_removed == 0:
                continue
        num_senders = find_senders(wiring, None, None, step.units, walk, first_freed)
        num_added, change = recreate_free(fabric, orbits, pending, step, num_senders, change, options, rng)
        if move == 0:
            continue
        heat = options.hottest * (options.coldest / options.hottest) ** (move / options.num_moves)
        if change >= 0.0 or rng.random() < math.exp(change / heat):
            for number in range(num_removed):
                make_spare(step, walk.removed[number])
            continue
        for number in range(num_added):
            remove_path(fabric, orbits, pending, step, walk.added[number])
            make_spare(step, walk.added[number])
        for number in range(num_removed):
            restore_path(fabric, orbits, pending, step, walk.removed[number])
    return close_gaps(fabric, orbits, step)


def fill_planned_step(
    fabric: ScatterFabric,
    unit_channels: UnitChannels,
    paths: MessagePaths,
    pending: PendingMessages,
    step: PlannedStep,
    options: PlannedStepOptions,
    rng: np.random.Generator,
) -> None:
    """Fill a step with pending messages along planned paths; they stay pending until `close_step`."""
    unit_of, walk, counts = fabric.unit_of, step.walk, step.units.counts
    for number in range(len(options.first)):
        message = options.first[number]
        if not step.is_inside[message] and is_idle(unit_of, paths, step.units.user, message):
            place_message(unit_of, paths, step, message)
    # Then every router sends what it can.
    num_senders = find_senders(fabric.wiring, unit_of, unit_channels, step.units, walk, 0)
    recreate_planned(fabric, paths, pending, step, num_senders, rng)
    first_probe = counts[NUM_PROBES]
    last_probe = first_probe + options.most_probes
    cooling = math.log(options.coldest / options.hottest) / max(1, options.most_probes)
    while counts[NUM_IDLE] > 0 and counts[NUM_PROBES] < last_probe:
        counts[NUM_PROBES] += PROBES_PER_MOVE
        first_freed = counts[NUM_IDLE]
        num_removed, lost = ruin_planned(fabric, unit_channels, paths, pending.worth, step, options.unit_worth, rng)
        if num_removed == 0:
            continue
        num_senders = find_senders(fabric.wiring, unit_of, unit_channels, step.units, walk, first_freed)
        num_added, gained = recreate_planned(fabric, paths, pending, step, num_senders, rng)
        heat = options.hottest * math.exp(cooling * (counts[NUM_PROBES] - first_probe))
        change = gained - lost
        if change < 0.0 and rng.random() >= math.exp(change / heat):
            for number in range(num_added):
                remove_message(unit_of, paths, step, walk.added[number])
            for number in range(num_removed):
                place_message(unit_of, paths, step, walk.removed[number])


@inlined
def occupy(units: StepUnits, unit: int, user: int) -> None:
    """Let a path or message use an idle unit."""
    units.user[unit] = user
    units.counts[NUM_IDLE] -= 1
    last, index = units.idle[units.counts[NUM_IDLE]], units.idle_index[unit]
    units.idle[index], units.idle_index[last] = last, index


@inlined
def release(units: StepUnits, unit: int) -> None:
    """Make a unit idle."""
    units.user[unit] = -1
    num_idle = units.counts[NUM_IDLE]
    units.idle[num_idle], units.idle_index[unit] = unit, num_idle
    units.counts[NUM_IDLE] += 1


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
def find_senders(
    wiring: Wiring,
    unit_of: Array | None,
    unit_channels: UnitChannels | None,
    units: StepUnits,
    walk: WalkScratch,
    first_freed: int,
) -> int:
    """List the routers that reach freed units over idle ones: no other router can send more than before.

    The units from `first_freed` on in `units.idle` were freed; None: units are channels. Return the number of senders.
    """
    senders, is_sender, user = walk.senders, walk.is_sender, units.user
    num_senders, num_expanded, probes = 0, 0, 0
    for index in range(first_freed, units.counts[NUM_IDLE]):
        unit = units.idle[index]
        if unit_channels is None:
            num_senders = add_sender(senders, is_sender, num_senders, wiring.tails[unit])
        else:
            for at in range(unit_channels.offsets[unit], unit_channels.offsets[unit + 1]):
                probes += 1
                num_senders = add_sender(senders, is_sender, num_senders, wiring.tails[unit_channels.channels[at]])
    while num_expanded < num_senders:
        router = senders[num_expanded]
        num_expanded += 1
        probes += wiring.in_offsets[router + 1] - wiring.in_offsets[router]
        for at in range(wiring.in_offsets[router], wiring.in_offsets[router + 1]):
            channel = wiring.in_channels[at]
            unit = channel if unit_of is None else unit_of[channel]
            if user[unit] < 0:
                num_senders = add_sender(senders, is_sender, num_senders, wiring.tails[channel])
    for at in range(num_senders):
        is_sender[senders[at]] = False
    units.counts[NUM_PROBES] += probes
    return num_senders


@inlined
def add_sender(senders: Array, is_sender: Array, num_senders: int, router: int) -> int:
    """Add a router to the senders if it is not one; return their number."""
    if is_sender[router]:
        return num_senders
    is_sender[router] = True
    senders[num_senders] = router
    return num_senders + 1


@inlined
def clear(step: FreeStep) -> None:
    """Make all units idle and all path numbers spare."""
    units, num_units, num_paths = step.units, len(step.units.user), len(step.spare)
    for unit in range(num_units):
        units.user[unit] = -1
        units.idle[unit] = unit
        units.idle_index[unit] = unit
    for at in range(num_paths):
        step.spare[at] = num_paths - 1 - at
    units.counts[NUM_IDLE] = num_units
    units.counts[NUM_SPARE] = num_paths
    units.counts[NUM_WALKED] = 0


@inlined
def ruin_free(
    fabric: ScatterFabric, orbits: OrbitNetwork | None, pending: Array, step: FreeStep, rng: np.random.Generator
) -> tuple[int, float]:
    """Remove up to three paths beside an idle unit; return how many, and the change of worth, below 0."""
    wiring = fabric.wiring if orbits is None else orbits.wiring
    unit = step.units.idle[int(rng.random() * step.units.counts[NUM_IDLE])]
    num_removed, change = 0, 0.0
    for _ in range(1 + int(rng.random() * MOST_REMOVED)):
        path = step.units.user[channel_beside(wiring, unit, rng)]
        if path < 0:
            continue
        step.walk.removed[num_removed] = path
        num_removed += 1
        change -= step.path_worth[path]
        remove_path(fabric, orbits, pending, step, path)
    return num_removed, change


@inlined
def recreate_free(
    fabric: ScatterFabric,
    orbits: OrbitNetwork | None,
    pending: Array,
    step: FreeStep,
    num_senders: int,
    change: float,
    options: FreeStepOptions,
    rng: np.random.Generator,
) -> tuple[int, float]:
    """Let random senders send their worthiest messages until none can.

    Return how many paths were added, and the change of the step's worth, which so far was `change`.
    """
    senders, counts = step.walk.senders, step.units.counts
    num_added = 0
    while num_senders > 0:
        pick = int(rng.random() * num_senders)
        source = senders[pick] if orbits is None else orbits.senders[senders[pick]]
        target, worth = worthiest_target(
            fabric, orbits, pending, step, source, options.unit_worth, options.planned_worth, rng
        )
        if target < 0:
            num_senders -= 1
            senders[pick] = senders[num_senders]
            continue
        counts[NUM_SPARE] -= 1
        path = step.spare[counts[NUM_SPARE]]
        step.walk.added[num_added] = path
        num_added += 1
        change += worth
        step.path_worth[path] = worth
        step.path_ends[path, 0], step.path_ends[path, 1] = source, target
        pending[source, target] -= 1
        router = target
        for hop in range(fabric.distances[source, target] - 1, -1, -1):
            channel = step.came_by[router]
            step.path_channels[path, hop] = channel
            occupy(step.units, unit_of(fabric, orbits, channel), path)
            router = fabric.wiring.tails[channel]
    return num_added, change


@inlined
def worthiest_target(
    fabric: ScatterFabric,
    orbits: OrbitNetwork | None,
    pending: Array,
    step: FreeStep,
    source: int,
    unit_worth: Array,
    planned_worth: Array,
    rng: np.random.Generator,
) -> tuple[int, float]:
    """Walk all shortest paths over idle units from a source; return the worthiest target, or -1, and its worth."""
    wiring, user = fabric.wiring, step.units.user
    met_in, queue, came_by, counts = step.walk.met_in, step.walk.queue, step.came_by, step.units.counts
    counts[NUM_WALKS] += 1
    this_walk = counts[NUM_WALKS]
    away, wanted = fabric.distances[source], pending[source]
    worth_to = step.worth_to
    queue[0], met_in[source], worth_to[source] = source, this_walk, 0.0
    num_met, num_expanded = 1, 0
    best, best_worth = -1, 0.0
    while num_expanded < num_met:
        router = queue[num_expanded]
        num_expanded += 1
        if wanted[router] > 0:
            worth = worth_to[router]
            if len(planned_worth) > 0:
                worth = min(worth, planned_worth[source, router])
            worth *= step.factor[away[router]]
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
    """Whether the walk from a source came to a router through a unit."""
    while router != source:
        channel = came_by[router]
        if fabric.unit_of[channel] == unit:
            return True
        router = fabric.wiring.tails[channel]
    return False


@inlined
def remove_path(fabric: ScatterFabric, orbits: OrbitNetwork | None, pending: Array, step: FreeStep, path: int) -> None:
    """Remove a path from the step: its message is pending again, and its units are idle."""
    start, end = step.path_ends[path, 0], step.path_ends[path, 1]
    pending[start, end] += 1
    for hop in range(fabric.distances[start, end]):
        release(step.units, unit_of(fabric, orbits, step.path_channels[path, hop]))


@inlined
def restore_path(fabric: ScatterFabric, orbits: OrbitNetwork | None, pending: Array, step: FreeStep, path: int) -> None:
    """Put a removed path into the step again."""
    start, end = step.path_ends[path, 0], step.path_ends[path, 1]
    pending[start, end] -= 1
    for hop in range(fabric.distances[start, end]):
        occupy(step.units, unit_of(fabric, orbits, step.path_channels[path, hop]), path)


@inlined
def make_spare(step: FreeStep, path: int) -> None:
    """Make the number of a removed path available."""
    step.spare[step.units.counts[NUM_SPARE]] = path
    step.units.counts[NUM_SPARE] += 1


def close_gaps(fabric: ScatterFabric, orbits: OrbitNetwork | None, step: FreeStep) -> int:
    """Number the paths without gaps; return how many there are."""
    is_spare = np.zeros(len(step.spare), dtype=np.bool_)
    for at in range(step.units.counts[NUM_SPARE]):
        is_spare[step.spare[at]] = True
    num_paths = 0
    for path in range(len(is_spare)):
        if is_spare[path]:
            continue
        if path != num_paths:
            step.path_ends[num_paths] = step.path_ends[path]
            step.path_channels[num_paths] = step.path_channels[path]
            for hop in range(fabric.distances[step.path_ends[path, 0], step.path_ends[path, 1]]):
                step.units.user[unit_of(fabric, orbits, step.path_channels[path, hop])] = num_paths
        num_paths += 1
    return num_paths


@inlined
def ruin_planned(
    fabric: ScatterFabric,
    unit_channels: UnitChannels,
    paths: MessagePaths,
    worth: Array,
    step: PlannedStep,
    unit_worth: Array,
    rng: np.random.Generator,
) -> tuple[int, float]:
    """Remove up to three messages beside an idle unit; return how many, and the worth that is lost."""
    num_idle = step.units.counts[NUM_IDLE]
    unit = step.units.idle[int(rng.random() * num_idle)]
    for _ in range(NUM_DRAWN - 1):
        other = step.units.idle[int(rng.random() * num_idle)]
        if unit_worth[other] > unit_worth[unit]:
            unit = other
    first = unit_channels.offsets[unit]
    channel = unit_channels.channels[first + int(rng.random() * (unit_channels.offsets[unit + 1] - first))]
    num_removed, lost = 0, 0.0
    for _ in range(1 + int(rng.random() * MOST_REMOVED)):
        message = step.units.user[fabric.unit_of[channel_beside(fabric.wiring, channel, rng)]]
        if message >= 0:
            step.walk.removed[num_removed] = message
            num_removed += 1
            lost += worth[message]
            remove_message(fabric.unit_of, paths, step, message)
    return num_removed, lost


@inlined
def recreate_planned(
    fabric: ScatterFabric,
    paths: MessagePaths,
    pending: PendingMessages,
    step: PlannedStep,
    num_senders: int,
    rng: np.random.Generator,
) -> tuple[int, float]:
    """Let random senders send their worthiest messages until none can; return how many, and their worth."""
    senders, num_added, gained = step.walk.senders, 0, 0.0
    while num_senders > 0:
        pick = int(rng.random() * num_senders)
        message = worthiest_message(fabric, paths, pending, step, senders[pick])
        if message < 0:
            num_senders -= 1
            senders[pick] = senders[num_senders]
        else:
            step.walk.added[num_added] = message
            num_added += 1
            gained += pending.worth[message]
            place_message(fabric.unit_of, paths, step, message)
    return num_added, gained


@inlined
def worthiest_message(
    fabric: ScatterFabric, paths: MessagePaths, pending: PendingMessages, step: PlannedStep, source: int
) -> int:
    """Walk over idle units from a source; return the worthiest message whose planned path is idle, or -1."""
    wiring, user, counts = fabric.wiring, step.units.user, step.units.counts
    met_in, queue, hops = step.walk.met_in, step.walk.queue, step.hops
    counts[NUM_WALKS] += 1
    this_walk = counts[NUM_WALKS]
    away, most_worth, first_of = fabric.distances[source], pending.most_worth[source], pending.first_of[source]
    queue[0], met_in[source], hops[source] = source, this_walk, 0
    num_met, num_expanded, probes = 1, 0, 0
    best, best_worth = -1, np.float32(0.0)
    while num_expanded < num_met:
        router = queue[num_expanded]
        num_expanded += 1
        if most_worth[router] > best_worth:
            message = first_of[router]
            while message >= 0:
                if pending.worth[message] > best_worth and not step.is_inside[message]:
                    probes += paths.lengths[message]
                    if is_idle(fabric.unit_of, paths, user, message):
                        best, best_worth = message, pending.worth[message]
                message = pending.next_of[message]
        probes += wiring.out_offsets[router + 1] - wiring.out_offsets[router]
        for at in range(wiring.out_offsets[router], wiring.out_offsets[router + 1]):
            channel = wiring.out_channels[at]
            if user[fabric.unit_of[channel]] < 0:
                head = wiring.heads[channel]
                if met_in[head] != this_walk and hops[router] < away[head] + pending.slack:
                    met_in[head] = this_walk
                    hops[head] = hops[router] + 1
                    queue[num_met] = head
                    num_met += 1
    counts[NUM_PROBES] += probes
    return best


@inlined
def is_idle(unit_of: Array, paths: MessagePaths, user: Array, message: int) -> bool:
    """Whether all units of a message's path are idle."""
    at, end = paths.offsets[message], paths.offsets[message] + paths.lengths[message]
    while at < end and user[unit_of[paths.arcs[at]]] < 0:
        at += 1
    return bool(at == end)


@inlined
def place_message(unit_of: Array, paths: MessagePaths, step: PlannedStep, message: int) -> None:
    """Place a message in the step."""
    step.is_inside[message] = True
    begin = paths.offsets[message]
    for at in range(begin, begin + paths.lengths[message]):
        occupy(step.units, unit_of[paths.arcs[at]], message)


@inlined
def remove_message(unit_of: Array, paths: MessagePaths, step: PlannedStep, message: int) -> None:
    """Remove a message from the step: the units of its path are idle."""
    step.is_inside[message] = False
    begin = paths.offsets[message]
    for at in range(begin, begin + paths.lengths[message]):
        release(step.units, unit_of[paths.arcs[at]])


def drop_scheduled(fabric: ScatterFabric, paths: MessagePaths, step: PlannedStep, is_pending: Array) -> int:
    """Remove messages from a step that another step has taken; return how many they are."""
    num_dropped = 0
    for unit in range(len(step.units.user)):
        message = step.units.user[unit]
        if message >= 0 and not is_pending[message]:
            remove_message(fabric.unit_of, paths, step, message)
            num_dropped += 1
    return num_dropped


def close_step(
    fabric: ScatterFabric,
    paths: MessagePaths,
    pending: PendingMessages,
    step: PlannedStep,
    is_pending: Array,
    loads: Array,
    chosen: Array,
) -> int:
    """Remove the messages of the step from the lists, the loads and `is_pending`, a bool array; empty the step.

    They are written to `chosen`, an int64 array; return their number.
    """
    num_chosen = 0
    for unit in range(len(step.units.user)):
        message = step.units.user[unit]
        if message >= 0 and is_pending[message]:
            is_pending[message] = False
            chosen[num_chosen] = message
            num_chosen += 1
    for number in range(num_chosen):
        message = chosen[number]
        begin, length = paths.offsets[message], paths.lengths[message]
        source, target = fabric.wiring.tails[paths.arcs[begin]], fabric.wiring.heads[paths.arcs[begin + length - 1]]
        other = pending.first_of[source, target]
        if other == message:
            pending.first_of[source, target] = pending.next_of[message]
            if pending.next_of[message] < 0:
                pending.most_worth[source, target] = 0.0
        else:
            while pending.next_of[other] != message:
                other = pending.next_of[other]
            pending.next_of[other] = pending.next_of[message]
        for at in range(begin, begin + length):
            loads[fabric.unit_of[paths.arcs[at]]] -= 1
        remove_message(fabric.unit_of, paths, step, message)
    return num_chosen


def weigh_messages(
    pending: PendingMessages,
    paths: MessagePaths,
    fabric: ScatterFabric,
    messages: Array,
    unit_worth: Array,
    bonus: float,
) -> None:
    """Set the worth of pending messages, an int64 array; each channel of a path adds a bonus to its factor."""
    wiring = fabric.wiring
    for number in range(len(messages)):
        begin, length = paths.offsets[messages[number]], paths.lengths[messages[number]]
        pending.most_worth[wiring.tails[paths.arcs[begin]], wiring.heads[paths.arcs[begin + length - 1]]] = 0.0
    for number in range(len(messages)):
        message = messages[number]
        begin, length = paths.offsets[message], paths.lengths[message]
        pending.worth[message] = path_worth(fabric, paths, message, unit_worth) * (1.0 + bonus * length)
        source, target = wiring.tails[paths.arcs[begin]], wiring.heads[paths.arcs[begin + length - 1]]
        pending.most_worth[source, target] = max(pending.most_worth[source, target], pending.worth[message])


def weigh_pairs(
    fabric: ScatterFabric, paths: MessagePaths, messages: Array, unit_worth: Array, pair_worth: Array
) -> None:
    """Set the worth of the planned paths of pending messages, an int64 array.

    `pair_worth`, float32 [source, target], gets that of the worthiest message of each pair.
    """
    wiring = fabric.wiring
    pair_worth[:] = 0.0
    for number in range(len(messages)):
        begin, length = paths.offsets[messages[number]], paths.lengths[messages[number]]
        worth = path_worth(fabric, paths, messages[number], unit_worth)
        source, target = wiring.tails[paths.arcs[begin]], wiring.heads[paths.arcs[begin + length - 1]]
        pair_worth[source, target] = max(pair_worth[source, target], worth)


@inlined
def path_worth(fabric: ScatterFabric, paths: MessagePaths, message: int, unit_worth: Array) -> float:
    """Return the worth of the units of a message's planned path."""
    begin, worth = paths.offsets[message], 0.0
    for at in range(begin, begin + paths.lengths[message]):
        worth += unit_worth[fabric.unit_of[paths.arcs[at]]]
    return worth


def spread_loads(fabric: ScatterFabric, nearest_first: Array, pending: Array, loads: Array) -> None:
    """Set the loads, float64 [channel], if every pending message is spread evenly over its shortest paths.

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
