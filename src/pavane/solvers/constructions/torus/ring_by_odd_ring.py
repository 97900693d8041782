"""The displacements of a ring of 2 m routers by an odd ring that antipodal trails cannot pair up as others.

Along the even axis, of length m / 2 there is only +m/2 and -m/2, and of lengths 0 and m there is one pair, which may go
either way: as many displacements of each kind as the odd axis has routers, 2 h + 1, which is an odd number.

**If m is even** they go together, in 2 h + 1 stages, with the parts and couples of meetings.py and other numbers. On
one side of a stage (one way along the even axis) a row has two displacements of m / 2, on the other side one of 0 and
one of m. In couple k

    the first sends k up (0) and k + 1 down (m/2);      the second receives h - k up, and h - k down,
    the second sends k + 1 up (m/2) and k down (0);     the first receives h - k up, and h - k down,

which is h or h + 1 in every case. What the first receives up, and the second down, has length m, the rest m / 2. The
couples before the middle have their lengths m / 2 on the one side and those after it on the other: k + 1 and h - k
there are all of 1 to h. In the middle, if h is odd, k + 1 = h - k, the first and the second take different sides, and
what they receive changes places. The row that is alone sends h both ways, of length 0 along the even axis, which leaves
its row to the messages that do not leave it: m/2 and -m/2, M/2 steps, and m, M/2 steps.

**If m is odd** there are no lengths m / 2. Length m goes in h stages, in stage v by v up the odd axis on one side and
down on the other; couples share no channel even by h. At last come those that do not leave their row. Length 0, which
is along the odd axis alone, finds room in the stages of all other pairs: the row that is alone leaves by h, so that
h + 1 channels of the ring are idle in its step, either way. There are m // 2 families of such stages, as many as the
odd axis has routers in each, and the lengths 1 to h come in at most as many twos that add up to h + 1.

Messages of length m in a row: those from routers x and x + m take half of the row each, in one step. So of the m steps
for all of them, half go one way and half the other.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pavane.model.arrays import Longs
from pavane.solvers.constructions.torus.meetings import Meetings, crossing_parts
from pavane.solvers.constructions.torus.tori import Departure, Move


def special_departures(meetings: Meetings, first: int) -> Iterator[Departure]:
    """Yield the messages by 0, m/2 and m along the only even axis, from a step on."""
    half = meetings.num_steps
    if half % 2 == 0:
        yield from _with_halves(meetings, first)
        return
    yield from _beside_others(meetings)
    couples = np.array([part.couple for part in crossing_parts(meetings.num_rows)])
    for length in range(1, meetings.num_rows // 2 + 1):
        steps = first + (meetings.steps + couples[meetings.rows]) % half
        for way in (1, -1):
            yield meetings.departure(meetings.across(way * length), _along(meetings, way * half), steps)
        first += half
    yield from _half_round(meetings, np.full_like(meetings.rows, first))


def _beside_others(meetings: Meetings) -> Iterator[Departure]:
    """Yield the messages along the odd axis, in the step of the row that is alone, from where its own end."""
    half, size = meetings.num_steps, meetings.num_rows
    reach = size // 2
    for family in range(half // 2):
        one, other = family + 1, reach - family
        for way in (1, -1):
            part = size - 1 + way * reach
            for length in [one, other] if one < other else [one] if one == other else []:
                stage = _stage(meetings, family * size * half, part)
                steps = stage + (meetings.steps + reach) % half
                yield meetings.departure((), meetings.across(way * length), steps)
                part += way * length


def _with_halves(meetings: Meetings, first: int) -> Iterator[Departure]:
    half, size = meetings.num_steps, meetings.num_rows
    reach = size // 2
    for k in range(reach):
        middle = 2 * k + 1 == reach
        for part, way in ((k, 1), (reach + k, -1)):
            # Which way along the even axis the lengths m/2 go; the other way is for length m.
            side = way if middle else 1 if 2 * k < reach else -1
            arrives = -way if middle else way
            steps = _stage(meetings, first, part) + (meetings.steps + k) % half
            whole, halves = _along(meetings, -side * half), _along(meetings, side * half // 2)
            yield meetings.departure((), meetings.across(way * k), steps)
            yield meetings.departure(meetings.across(arrives * (reach - k)), whole, steps)
            yield meetings.departure(halves, meetings.across(-way * (k + 1)), steps)
            yield meetings.departure(meetings.across(-arrives * (reach - k)), halves, steps)
    alone = _stage(meetings, first, size - 1)
    for way in (1, -1):
        yield meetings.departure((), meetings.across(way * reach), alone + (meetings.steps + reach) % half)
        yield meetings.departure(_along(meetings, way * half // 2), (), alone + meetings.steps % (half // 2))
    yield from _half_round(meetings, alone + half // 2)


def _stage(meetings: Meetings, first: int, part: int) -> Longs:
    """Return the first step of the stage in which each router has a part."""
    return first + (part - meetings.rows) % meetings.num_rows * meetings.num_steps


def _along(meetings: Meetings, length: int) -> tuple[Move, ...]:
    return ((meetings.even[0], length),)


def _half_round(meetings: Meetings, first: Longs) -> Iterator[Departure]:
    """Yield the messages to the opposite router of a row, (m + 1) // 2 steps."""
    half = meetings.num_steps
    up = (half + 1) // 2
    for way, chosen in ((1, meetings.steps < up), (-1, meetings.steps >= up)):
        senders = meetings.routers[chosen]
        steps = (first + meetings.steps % up)[chosen]
        yield Departure(senders, steps, _along(meetings, way * half))
