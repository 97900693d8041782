"""Annealing over sequences of conflict-free transfer sets; the objective is the number of deliveries in reach.

A location is where messages can rest. It has as many inlets as it can receive transfers in one step; an inlet of a step
holds one transfer (its sender and its path) or none. So a step is an array over inlets, and ports on the receiving side
need no books. Paths are found on the graph of states (see `routing`): without a restriction its states are the routers.

With a group of symmetries every transfer comes with its images, and goes with them.

Reach is what the sets are for before loads are counted: which origins can have reached each location after every
step? Origins are bits.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pavane.jit.copying import copy_line, copy_table, copy_tables, fill_line

Array = np.ndarray[Any, Any]

REFILLED = 4
"""How many locations may send once more after a transfer has been pushed in."""


class TransferFabric(NamedTuple):
    """What transfers run on; nothing in it changes. All arrays are int64."""

    first_out: Array
    """(states + 1): hops from state s are first_out[s] to first_out[s + 1]."""
    out_channel: Array
    """(hops): the channel of each hop."""
    out_state: Array
    """(hops): the state behind it."""
    states_per_router: int
    """States per router; a path starts in its router's first state."""
    unit_of: Array
    """(channels): the unit of capacity that each channel draws on."""
    distances: Array
    """(routers, routers); used only where paths must be shortest."""
    is_minimal: bool
    most_hops: int
    home: Array
    """(locations): the router of each."""
    first_on: Array
    """(routers + 1): the locations on router r are location_on[first_on[r]:first_on[r + 1]]."""
    location_on: Array
    injection: Array
    """(locations): how many transfers each can send in a step."""
    first_inlet: Array
    """(locations + 1): the inlets of location l are first_inlet[l] to first_inlet[l + 1]."""
    location_of: Array
    """(inlets): the location of each."""
    image_location: Array
    """(symmetries, locations): where symmetry g takes location l; the identity is not listed."""
    image_inlet: Array
    """(symmetries, inlets)"""
    image_channel: Array
    """(symmetries, channels)"""


class TransferSets(NamedTuple):
    """The transfers of every step. All arrays are int32."""

    sender: Array
    """sender[step, inlet], or -1."""
    hops: Array
    """hops[step, inlet]: the length of the path."""
    path: Array
    """path[step, inlet, :hops[step, inlet]] are channels."""
    holder: Array
    """holder[step, unit]: the inlet whose path uses the unit, or -1."""
    sending: Array
    """sending[step, location]: how many transfers the location sends."""


class SetScratch(NamedTuple):
    """Room to work in, and the step as it was before the last move."""

    via: Array
    """(states, int64): the channel by which the search came; -1 at its start, -2 where it has not come."""
    before: Array
    """(states, int64): the state before each."""
    depth: Array
    """(states, int64): hops from the start."""
    queue: Array
    """(states, int64): states in the order in which the search came to them."""
    sender: Array
    """This and what follows are one step of Sets."""
    hops: Array
    path: Array
    holder: Array
    sending: Array


class TransferWork(NamedTuple):
    """What moves of sets read and change."""

    fabric: TransferFabric
    sets: TransferSets
    scratch: SetScratch


class Reach(NamedTuple):
    """Which origins reach which locations. Both arrays are uint64, a bit for each origin."""

    reached: Array
    """reached[step, location, word]: the origins that have reached a location before a step."""
    wanted: Array
    """wanted[location, word]: the origins, other than itself, that must reach it."""


class Annealing(NamedTuple):
    """How a kernel anneals sets and payloads: how long, at which heat, and for what."""

    moves: int
    goal: int
    """A sum of largest loads that is good enough to stop at."""
    fine: float
    """The fine for a message without a way."""
    hot: float
    """The heat at first."""
    cold: float
    """The heat in the end."""
    progress: float
    """What part of the cooling is done before the first move."""
    pace: float
    """What part of the cooling each move adds."""
    order: Array = np.zeros(0, dtype=np.int64)
    """The messages that are routed before the first move."""


class BestPayloads(NamedTuple):
    """The best transfer sets and payloads so far: copies of fields of TransferSets and of the payloads."""

    sender: Array
    hops: Array
    path: Array
    step: Array
    """(messages, locations): when each message comes, for trees; empty for paths."""
    inlet: Array
    tco: Array
    """(1; int64): the sum of the largest loads."""


def keep_best(best: BestPayloads, sets: TransferSets, step: Array, inlet: Array, tco: int) -> None:
    """Copy sets and payloads, which are the best so far."""
    best.tco[0] = tco
    copy_table(best.sender, sets.sender)
    copy_table(best.hops, sets.hops)
    copy_tables(best.path, sets.path)
    copy_table(best.step, step)
    copy_table(best.inlet, inlet)


def heat_at(annealing: Annealing, made: int) -> float:
    """Return the heat after so many moves of this call."""
    hot, cold = annealing.hot, annealing.cold
    return float(hot * (cold / hot) ** min(1.0, annealing.progress + annealing.pace * made))


def sum_of_norms(powers: Array, exponent: float) -> float:
    """Return the sum of the steps' norms, given the sums of the powers of their loads."""
    total = 0.0
    for step in range(len(powers)):
        total += max(powers[step], 0.0) ** (1.0 / exponent)
    return total


def largest_loads(load: Array) -> int:
    """Return the sum of the largest loads: the TCO."""
    total = 0
    for step in range(load.shape[0]):
        largest = 0
        for inlet in range(load.shape[1]):
            largest = max(largest, load[step, inlet])
        total += largest
    return total


def keep(sets: TransferSets, scratch: SetScratch, step: int) -> None:
    """Copy a step before it changes."""
    copy_line(scratch.sender, sets.sender[step])
    copy_line(scratch.hops, sets.hops[step])
    copy_table(scratch.path, sets.path[step])
    copy_line(scratch.holder, sets.holder[step])
    copy_line(scratch.sending, sets.sending[step])


def restore(sets: TransferSets, scratch: SetScratch, step: int) -> None:
    """Put back the step that was copied."""
    copy_line(sets.sender[step], scratch.sender)
    copy_line(sets.hops[step], scratch.hops)
    copy_table(sets.path[step], scratch.path)
    copy_line(sets.holder[step], scratch.holder)
    copy_line(sets.sending[step], scratch.sending)


def spread(work: TransferWork, step: int, source: int, boldness: float, rng: np.random.Generator) -> int:
    """Search from a location breadth first and return the number of states reached, in scratch.queue.

    Occupied units are passed with probability `boldness`.
    """
    fabric, sets, scratch = work
    states = fabric.states_per_router
    origin = fabric.home[source]
    start = origin * states
    via, before, depth, queue = scratch.via, scratch.before, scratch.depth, scratch.queue
    fill_line(via, -2)
    via[start] = -1
    depth[start] = 0
    queue[0] = start
    first, last = 0, 1
    while first < last:
        state = queue[first]
        first += 1
        if depth[state] >= fabric.most_hops:
            break
        begin = fabric.first_out[state]
        size = fabric.first_out[state + 1] - begin
        turn = int(rng.random() * size)
        for number in range(size):
            at = begin + (number + turn) % size
            following = fabric.out_state[at]
            if via[following] != -2:
                continue
            channel = fabric.out_channel[at]
            if fabric.is_minimal and fabric.distances[origin, following // states] != depth[state] + 1:
                continue
            if sets.holder[step, fabric.unit_of[channel]] >= 0 and (boldness == 0.0 or rng.random() >= boldness):
                continue
            via[following] = channel
            before[following] = state
            depth[following] = depth[state] + 1
            queue[last] = following
            last += 1
    return last


def drop(fabric: TransferFabric, sets: TransferSets, step: int, inlet: int) -> None:
    """Take one transfer out of a step."""
    for hop in range(sets.hops[step, inlet]):
        sets.holder[step, fabric.unit_of[sets.path[step, inlet, hop]]] = -1
    sets.sending[step, sets.sender[step, inlet]] -= 1
    sets.sender[step, inlet] = -1
    sets.hops[step, inlet] = 0


def eject(fabric: TransferFabric, sets: TransferSets, step: int, inlet: int) -> None:
    """Take a transfer and its images out of a step."""
    drop(fabric, sets, step, inlet)
    for symmetry in range(len(fabric.image_inlet)):
        image = fabric.image_inlet[symmetry, inlet]
        if sets.sender[step, image] >= 0:
            drop(fabric, sets, step, image)


def mirror(fabric: TransferFabric, sets: TransferSets, step: int, inlet: int) -> bool:
    """Put in the images of a transfer; False where they would meet it or each other, and then none is left."""
    source = sets.sender[step, inlet]
    length = sets.hops[step, inlet]
    for symmetry in range(len(fabric.image_inlet)):
        there = fabric.image_inlet[symmetry, inlet]
        origin = fabric.image_location[symmetry, source]
        fits = sets.sender[step, there] < 0 and sets.sending[step, origin] < fabric.injection[origin]
        for hop in range(length):
            channel = fabric.image_channel[symmetry, sets.path[step, inlet, hop]]
            if sets.holder[step, fabric.unit_of[channel]] >= 0:
                fits = False
        if not fits:
            eject(fabric, sets, step, inlet)
            return False
        sets.sender[step, there] = origin
        sets.hops[step, there] = length
        sets.sending[step, origin] += 1
        for hop in range(length):
            channel = fabric.image_channel[symmetry, sets.path[step, inlet, hop]]
            sets.path[step, there, hop] = channel
            sets.holder[step, fabric.unit_of[channel]] = there
    return True


def put(work: TransferWork, step: int, source: int, inlet: int, rng: np.random.Generator) -> bool:
    """Push in a transfer along the path that `spread` found last, ejecting what is in its way; False: it has none."""
    fabric, sets, scratch = work
    states = fabric.states_per_router
    router = fabric.home[fabric.location_of[inlet]]
    end = -1
    for state in range(router * states, (router + 1) * states):
        if scratch.via[state] != -2 and (end < 0 or scratch.depth[state] < scratch.depth[end]):
            end = state
    if end < 0:
        return False
    if sets.sender[step, inlet] >= 0:
        eject(fabric, sets, step, inlet)
    if sets.sending[step, source] >= fabric.injection[source]:
        size = len(fabric.location_of)
        turn = int(rng.random() * size)
        for number in range(size):
            other = (number + turn) % size
            if sets.sender[step, other] == source:
                eject(fabric, sets, step, other)
                break
    length = scratch.depth[end]
    state = end
    for hop in range(length - 1, -1, -1):
        channel = scratch.via[state]
        held = sets.holder[step, fabric.unit_of[channel]]
        if held >= 0:
            eject(fabric, sets, step, held)
        sets.path[step, inlet, hop] = channel
        state = scratch.before[state]
    sets.sender[step, inlet] = source
    sets.hops[step, inlet] = length
    sets.sending[step, source] += 1
    for hop in range(length):
        sets.holder[step, fabric.unit_of[sets.path[step, inlet, hop]]] = inlet
    return mirror(fabric, sets, step, inlet)


def free_inlet(fabric: TransferFabric, sets: TransferSets, step: int, location: int) -> int:
    """Return an inlet of a location that holds no transfer, or -1."""
    for inlet in range(fabric.first_inlet[location], fabric.first_inlet[location + 1]):
        if sets.sender[step, inlet] < 0:
            return inlet
    return -1


def exchange(work: TransferWork, step: int, partner_of: Array, rng: np.random.Generator) -> bool:
    """Put in a transfer from every location to its partner, over units that are free; False where one does not fit."""
    fabric, sets = work.fabric, work.sets
    for source in range(len(partner_of)):
        inlet = free_inlet(fabric, sets, step, partner_of[source])
        if inlet < 0 or sets.sending[step, source] >= fabric.injection[source]:
            return False
        spread(work, step, source, 0.0, rng)
        if not put(work, step, source, inlet, rng):
            return False
    return True


def refill(work: TransferWork, step: int, tries: int, rng: np.random.Generator) -> None:
    """Put in transfers that fit beside the others, wherever a location can send and another one receive."""
    fabric, sets, scratch = work
    num_locations = len(fabric.home)
    states = fabric.states_per_router
    turn = int(rng.random() * num_locations)
    for number in range(num_locations):
        source = (number + turn) % num_locations
        if sets.sending[step, source] >= fabric.injection[source]:
            continue
        if tries == 0:
            return
        tries -= 1
        reached = spread(work, step, source, 0.0, rng)
        chosen, met = -1, 0
        for at in range(reached):
            router = scratch.queue[at] // states
            for index in range(fabric.first_on[router], fabric.first_on[router + 1]):
                target = fabric.location_on[index]
                if target == source:
                    continue
                inlet = free_inlet(fabric, sets, step, target)
                if inlet >= 0:
                    met += 1
                    if rng.random() * met < 1.0:
                        chosen = inlet
        if chosen >= 0:
            put(work, step, source, chosen, rng)


def push(work: TransferWork, step: int, rng: np.random.Generator) -> bool:
    """Change a step by one move: a random transfer in, what it meets out, and what then fits in."""
    fabric = work.fabric
    keep(work.sets, work.scratch, step)
    source = int(rng.random() * len(fabric.home))
    inlet = int(rng.random() * len(fabric.location_of))
    if fabric.location_of[inlet] == source or fabric.injection[source] == 0:
        return False
    draw = rng.random()
    boldness = 1.0 if draw < 0.5 else 0.5 if draw < 0.75 else 0.15
    spread(work, step, source, boldness, rng)
    if not put(work, step, source, inlet, rng):
        return False
    refill(work, step, REFILLED, rng)
    return True


def fill(work: TransferWork, step: int, partner_of: Array, rng: np.random.Generator) -> bool:
    """Fill a step with an exchange between partners, or, where there are none, with random transfers.

    Returns False where partners cannot exchange.
    """
    if len(partner_of) > 0:
        return exchange(work, step, partner_of, rng)
    for _ in range(3):
        refill(work, step, len(work.fabric.home), rng)
    return True


# -- reach


def num_bits(word: np.uint64) -> int:
    """Count the bits of a word, one by one: near the end few are left."""
    count = 0
    while word:
        word &= word - np.uint64(1)
        count += 1
    return count


def propagate(fabric: TransferFabric, sets: TransferSets, reached: Array, step: int) -> None:
    """Find which origins have reached every location after each step from `step` on."""
    for now in range(step, len(sets.sender)):
        copy_table(reached[now + 1], reached[now])
        for inlet in range(len(fabric.location_of)):
            source = sets.sender[now, inlet]
            if source >= 0:
                location = fabric.location_of[inlet]
                for word in range(reached.shape[2]):
                    reached[now + 1, location, word] |= reached[now, source, word]


def num_missing(reach: Reach) -> int:
    """Count the origins that have not reached locations as they must."""
    missing = 0
    for location in range(len(reach.wanted)):
        for word in range(reach.wanted.shape[1]):
            missing += num_bits(reach.wanted[location, word] & ~reach.reached[-1, location, word])
    return missing


def anneal_reach(
    work: TransferWork, reach: Reach, heat: tuple[float, float], moves: int, rng: np.random.Generator
) -> tuple[int, int]:
    """Anneal the sets until all wanted origins reach every location; return what is missing and the moves made.

    `heat` is that of the first move and that of the last.
    """
    fabric, sets, scratch = work
    num_steps = len(sets.sender)
    hot, cold = heat
    propagate(fabric, sets, reach.reached, 0)
    missing = num_missing(reach)
    made = 0
    while missing > 0 and made < moves:
        now_hot = hot * (cold / hot) ** (made / moves)
        made += 1
        step = int(rng.random() * num_steps)
        if not push(work, step, rng):
            restore(sets, scratch, step)
            continue
        propagate(fabric, sets, reach.reached, step)
        now = num_missing(reach)
        if now <= missing or rng.random() < np.exp((missing - now) / now_hot):
            missing = now
        else:
            restore(sets, scratch, step)
            propagate(fabric, sets, reach.reached, step)
    return missing, made
