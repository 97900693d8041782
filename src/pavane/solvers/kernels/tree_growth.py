"""Growth of the trees of one router, beat by beat: a maximum matching of machines with places that they can reach.

A piece at a router is a place; router r has place `piece * routers + r` of each piece. In a beat a machine informs as
many new places as it has room for, over channels of its kinds, from places that were informed before the beat. Places
that were informed earlier lead first, so that what is left at the end lies together, with informed places all around.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pavane.jit.compiling import inlined

Array = np.ndarray[Any, Any]


class GrowthMachines(NamedTuple):
    """What grows the trees; nothing in it changes."""

    heads: Array
    """int32 [router, kind]: the router that the channel of each kind leads to."""
    kind_offsets: Array
    """int64 [machine + 1]: the machine's kinds are kinds[kind_offsets[m]:kind_offsets[m + 1]]."""
    kinds: Array
    """int64 [kind]: machine by machine."""
    room: Array
    """int64 [machine]: how many places it informs in a beat."""
    most_at_once: int
    """How many places all machines inform in a beat."""
    first_room: Array
    """int64 [machine]: its room in the first beat."""
    first_roots: int
    """How many roots lead on from the first beat; the others from the second."""


class GrownHops(NamedTuple):
    """The hops of the trees, in the order of their beats: an entry for each place that is informed."""

    beats: Array
    """int64 [hop]."""
    places: Array
    """int64 [hop]: the place that is informed."""
    kinds: Array
    """int64 [hop]."""
    tails: Array
    """int64 [hop]: the place that it is informed from."""
    lanes: Array
    """int64 [hop]: how many hops of the same machine come before it in its beat."""


class GrowthState(NamedTuple):
    """What has grown, and the search for an augmenting path."""

    informed: Array
    """int32 [place]: places in the order in which they were informed, the roots first."""
    is_informed: Array
    """bool [place]."""
    firsts: Array
    """int64 [machine]: how many of its ways, from the first on, lead to informed places; see `way_at`."""
    holder: Array
    """int32 [place]: the machine that informs it in this beat; -1: none."""
    way_of: Array
    """int64 [place]: the way by which it does."""
    reached: Array
    """int64 [place]: the last search that has reached it."""
    reached_by: Array
    """int32 [place]: the machine that reached it."""
    reached_way: Array
    """int64 [place]."""
    lost: Array
    """int64 [machine]: the place that a machine loses in a search; -1: it has not been searched from."""
    searching: Array
    """int64 [machine]: the machines to search from, in order."""
    chosen: Array
    """int64 [most_at_once]: the places of this beat."""


@inlined
def way_at(machines: GrowthMachines, state: GrowthState, machine: int, way: int) -> tuple[int, int, int]:
    """Return tail, kind and place of a way of a machine: ways are numbered by their tails, as these are informed."""
    first = machines.kind_offsets[machine]
    width = machines.kind_offsets[machine + 1] - first
    tail = state.informed[way // width]
    kind = machines.kinds[first + way % width]
    num_routers = len(machines.heads)
    router = tail % num_routers
    return tail, kind, tail - router + machines.heads[router, kind]


@inlined
def augment(machines: GrowthMachines, state: GrowthState, machine: int, ready: int, number: int) -> int:
    """Give a machine one more place along an augmenting path; return the place that is new, -1: there is no path.

    Ways start at the first `ready` informed places; `number` is that of this search.
    """
    lost, searching, reached, holder = state.lost, state.searching, state.reached, state.holder
    lost[:] = -1
    searching[0] = machine
    num_searching, at, new = 1, 0, -1
    while at < num_searching and new < 0:
        now = searching[at]
        way = state.firsts[now]
        last = ready * (machines.kind_offsets[now + 1] - machines.kind_offsets[now])
        while way < last and new < 0:
            place = way_at(machines, state, now, way)[2]
            if not state.is_informed[place] and reached[place] != number:
                reached[place], state.reached_by[place], state.reached_way[place] = number, now, way
                if holder[place] < 0:
                    new = place
                elif holder[place] != machine and lost[holder[place]] < 0:
                    lost[holder[place]] = place
                    searching[num_searching] = holder[place]
                    num_searching += 1
            way += 1
        at += 1
    place = new
    while place >= 0:
        holder[place], state.way_of[place] = state.reached_by[place], state.reached_way[place]
        place = lost[holder[place]] if holder[place] != machine else -1
    return new


def grow(machines: GrowthMachines, state: GrowthState, hops: GrownHops, delay: int) -> int:
    """Grow until all places are informed, and return the number of beats.

    A place leads on `delay` beats after the beat in which it is informed. The first entries of `state.informed`, as
    many as there are more places than hops, are the roots.
    """
    num_machines, num_places = len(machines.room), len(state.informed)
    num_roots = num_places - len(hops.beats)
    firsts, chosen = state.firsts, state.chosen
    used = np.zeros(num_machines, dtype=np.int64)
    known, ready, beat, search = num_roots, machines.first_roots, 0, 0
    room = machines.first_room
    while known < num_places:
        if beat == 1:
            ready, room = max(ready, num_roots), machines.room
        while num_roots <= ready < known and hops.beats[ready - num_roots] + delay <= beat:
            ready += 1
        num_chosen = 0
        for turn in range(num_machines):
            # Where ports limit a beat, machines take turns.
            machine = (beat + turn) % num_machines
            end = ready * (machines.kind_offsets[machine + 1] - machines.kind_offsets[machine])
            while firsts[machine] < end and state.is_informed[way_at(machines, state, machine, firsts[machine])[2]]:
                firsts[machine] += 1
            left = min(room[machine], machines.most_at_once - num_chosen)
            while left > 0:
                search += 1
                place = augment(machines, state, machine, ready, search)
                left -= 1
                if place >= 0:
                    chosen[num_chosen] = place
                    num_chosen += 1
                else:
                    left = 0
        used[:] = 0
        for i in range(num_chosen):
            place = chosen[i]
            machine = state.holder[place]
            tail, kind, _ = way_at(machines, state, machine, state.way_of[place])
            hop = known + i - num_roots
            hops.beats[hop], hops.places[hop], hops.kinds[hop], hops.tails[hop] = beat, place, kind, tail
            hops.lanes[hop] = used[machine]
            used[machine] += 1
            state.holder[place] = -1
        for i in range(num_chosen):
            state.is_informed[chosen[i]] = True
            state.informed[known + i] = chosen[i]
        known += num_chosen
        beat += 1
    return beat
