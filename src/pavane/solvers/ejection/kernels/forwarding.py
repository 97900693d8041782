"""Times for planned paths, step by step: messages wait for their next hop, and in each step some of them take it.

Who takes a hop is the message that has most hops left of those that wait for it. Which hops are taken is for others to
say: they know which units of capacity cannot afford to be idle.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

Array = np.ndarray[Any, Any]

NOBODY = -1


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
    """int32 [hop, hops left]: the first of a list, or NOBODY."""
    following: Array
    """int32 [message]: the next one in its list, or NOBODY."""
    most_left: Array
    """int32 [hop]: the most hops that one who waits for it has left; 0 if nobody waits."""


class Draws(NamedTuple):
    """What hops draw on."""

    unit_offsets: Array
    """int64 [hop + 1]: where the units of each hop begin in the next."""
    units: Array
    """int64 [entry]."""
    loads: Array
    """int64 [unit]: how many hops that are not taken yet draw on it."""
    room: Array
    """int64 [unit]: how many more hops it takes in this step."""


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
    """Let messages take hops in their order, at most so many each and as far as there is room and somebody waits.

    Those who go are added to `gone`, from `num_gone` on; return the new number.
    """
    for number in range(len(hops)):
        hop, taken = hops[number], 0
        while taken < most_each and waiting.most_left[hop] > 0 and has_room(hop, draws):
            left = waiting.most_left[hop]
            message = waiting.first[hop, left]
            waiting.first[hop, left] = waiting.following[message]
            while left > 0 and waiting.first[hop, left] == NOBODY:
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
    """Say whether every unit of a hop takes one more in this step."""
    fits = True
    for at in range(draws.unit_offsets[hop], draws.unit_offsets[hop + 1]):
        fits = fits and draws.room[draws.units[at]] > 0
    return fits
