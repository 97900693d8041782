"""Packing of paths into stages: in a stage every slot of a pair of opposite kinds is used once at most.

A path makes so many hops along each pair of opposite kinds, in any order, and all of a pair the same way. A hop up from
phase u takes slot u of its pair, one down takes slot -u. The longest paths come first: each stage takes the first paths
that fit, until it has refused some.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

Array = np.ndarray[Any, Any]

MOST_TURNS = 20
"""How often the search for a way turns back, for each of its hops."""


class PathItems(NamedTuple):
    """The paths to be packed, the longest first, and the clock; nothing in it changes."""

    hops: Array
    """int64 [path, pair]: the number of its hops along each pair."""
    ways: Array
    """int64 [path, pair]: 1 up, -1 down."""
    ranks: Array
    """int64 [path, place]: the pairs in the order in which the path prefers them."""
    offsets: Array
    """int64 [path + 1]: its hops are letters[offsets[path]:offsets[path + 1]]."""
    advances: Array
    """int64 [pair]: what a hop up adds to a phase."""
    num_slots: int
    """The slots of each pair in a stage, which are the phases."""
    most_refused: int
    """How many paths a stage refuses before it is closed."""


class PackedPaths(NamedTuple):
    """Where the paths are."""

    stages: Array
    """int64 [path]."""
    phases: Array
    """int64 [path]: the phase in which it begins."""
    letters: Array
    """int32 [hop]: the pair of each hop, path by path."""


class PackingState(NamedTuple):
    """What is known of one stage, and of one search for a path."""

    is_used: Array
    """bool [pair, slot]."""
    free: Array
    """int64 [pair]: the slots that are left."""
    done: Array
    """int64 [pair]: the hops that the search has made."""
    dead: Array
    """int64 [place]: the last search that found no way on from a place; places are numbered by the hops made."""
    left: Array
    """int64 [path]: the paths that are left, in order."""


def walk(items: PathItems, state: PackingState, packed: PackedPaths, path: int, phase: int, search: int) -> bool:
    """Look for a way of a path from a phase on over free slots; take them and write its letters where there is one."""
    hops, ways, ranks, done = items.hops[path], items.ways[path], items.ranks[path], state.done
    first, length = items.offsets[path], items.offsets[path + 1] - items.offsets[path]
    num_pairs, num_slots = len(hops), items.num_slots
    done[:] = 0
    made, turns, now, place = 0, 0, phase, 0
    while made < length:
        moved = False
        stride = 1
        for rank in range(num_pairs):
            pair = ranks[rank]
            if not moved and done[pair] < hops[pair] and state.dead[place + stride] != search:
                slot = (ways[pair] * now) % num_slots
                if not state.is_used[pair, slot]:
                    state.is_used[pair, slot] = True
                    packed.letters[first + made] = pair
                    done[pair] += 1
                    made += 1
                    now = (now - ways[pair] * items.advances[pair]) % num_slots
                    place += stride
                    moved = True
            stride *= hops[pair] + 1
        if not moved:
            state.dead[place] = search
            turns += 1
            # After many ways back the search ends, all the way back.
            while made > 0:
                made -= 1
                pair = packed.letters[first + made]
                now = (now + ways[pair] * items.advances[pair]) % num_slots
                state.is_used[pair, (ways[pair] * now) % num_slots] = False
                done[pair] -= 1
                if turns <= MOST_TURNS * length:
                    break
            if turns > MOST_TURNS * length or (made == 0 and state.dead[0] == search):
                return False
            place, stride = 0, 1
            for rank in range(num_pairs):
                place += stride * done[ranks[rank]]
                stride *= hops[ranks[rank]] + 1
    return True


def pack_paths(items: PathItems, state: PackingState, packed: PackedPaths) -> int:
    """Pack all paths and return the number of stages; -1: one does not fit into an empty stage."""
    num_left, stage, search = len(state.left), 0, 0
    num_pairs, num_slots = len(items.advances), items.num_slots
    while num_left:
        state.is_used[:] = False
        state.free[:] = num_slots
        start, refused, kept = 0, 0, 0
        for at in range(num_left):
            path = state.left[at]
            fits = refused < items.most_refused
            for pair in range(num_pairs):
                fits = fits and items.hops[path, pair] <= state.free[pair]
            is_placed, tried = False, 0
            while fits and not is_placed and tried < num_slots:
                search += 1
                packed.phases[path] = (start + tried) % num_slots
                is_placed = walk(items, state, packed, path, packed.phases[path], search)
                tried += 1
            if is_placed:
                packed.stages[path] = stage
                start = packed.phases[path]
                for pair in range(num_pairs):
                    state.free[pair] -= items.hops[path, pair]
            else:
                refused += fits
                state.left[kept] = path
                kept += 1
        if kept == num_left:
            return -1
        num_left = kept
        stage += 1
    return stage
