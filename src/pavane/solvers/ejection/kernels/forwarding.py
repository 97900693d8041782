"""Times for planned paths, step by step: messages wait for their next hop, and in each step some of them take it.

Of the messages that wait for a hop, the one with most hops left takes it. The caller decides which hops are taken: it
knows which units of capacity must not be idle.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

Array = np.ndarray[Any, Any]

NO_MESSAGE = -1


class Journeys(NamedTuple):
    """The planned paths, and the steps in which their hops are taken."""

    offsets: Array
    """int64 [message + 1]: where the hops of each message begin in the next two."""
    hops: Array
    """int32 [entry]."""
    steps: Array
    """int32 [entry]: the step of each hop, once it is taken."""
    position: Array
    """int64 [message]: the entry of its next hop."""


class Waiting(NamedTuple):
    """The messages that wait for each hop, those with equally many hops left in one list."""

    first: Array
    """int32 [hop, hops left]: the first of a list, or NO_MESSAGE."""
    following: Array
    """int32 [message]: the next one in its list, or NO_MESSAGE."""
    most_left: Array
    """int32 [hop]: the most hops that a message waiting for it has left; 0 if none waits."""


class Draws(NamedTuple):
    """The units that hops draw on."""

    unit_offsets: Array
    """int64 [hop + 1]: where the units of each hop begin in the next."""
    units: Array
    """int64 [entry]."""
    loads: Array
    """int64 [unit]: the hops not taken yet that draw on it."""
    room: Array
    """int64 [unit]: the hops that it still has room for in this step."""


def let_wait(messages: Array, journeys: Journeys, waiting: Waiting) -> None:
    """Let messages wait for their next hops; those that have arrived wait for nothing."""
    for number in range(len(messages)):
        message = messages[number]
        position = journeys.position[message]
        left = journeys.offsets[message + 1] - position
        if left > 0:
            hop = journeys.hops[position]
            waiting.following[message] = waiting.first[hop, left]
            waiting.first[hop, left] = message
            waiting.most_left[hop] = max(waiting.most_left[hop], left)


def take_hops(
    hops: Array,
    most_each: int,
    step: int,
    journeys: Journeys,
    waiting: Waiting,
    draws: Draws,
    gone: Array,
    num_gone: int,
) -> int:
    """Let messages take hops in their order, at most `most_each` per hop, while there is room and messages wait.

    These messages are appended to `gone`, from `num_gone` on; return the new number.
    """
    for number in range(len(hops)):
        hop, taken = hops[number], 0
        while taken < most_each and waiting.most_left[hop] > 0 and has_room(hop, draws):
            left = waiting.most_left[hop]
            message = waiting.first[hop, left]
            waiting.first[hop, left] = waiting.following[message]
            while left > 0 and waiting.first[hop, left] == NO_MESSAGE:
                left -= 1
            waiting.most_left[hop] = left
            for at in range(draws.unit_offsets[hop], draws.unit_offsets[hop + 1]):
                draws.room[draws.units[at]] -= 1
                draws.loads[draws.units[at]] -= 1
            journeys.steps[journeys.position[message]] = step
            journeys.position[message] += 1
            gone[num_gone] = message
            num_gone += 1
            taken += 1
    return num_gone


def has_room(hop: int, draws: Draws) -> bool:
    """Return whether every unit of a hop has room for one more in this step."""
    fits = True
    for at in range(draws.unit_offsets[hop], draws.unit_offsets[hop + 1]):
        fits = fits and draws.room[draws.units[at]] > 0
    return fits
