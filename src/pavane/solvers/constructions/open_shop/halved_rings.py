"""All-to-all scatter on a ring of an even number of routers, hop by hop, in the fewest steps: n^2 / 8, rounded up.

With n = 2m routers the messages to the router across must part: those of even routers go up, those of odd ones down.
Going up, the others have lengths 1 to m - 1 and start everywhere. All messages of one length that start at even
routers, or at odd ones, are a job. A job of length j has j hops, by turns over all channels up that leave even routers
and over all that leave odd ones: two machines of a job shop. Both have m^2 / 2 operations, and they are never idle, but
for half a step if m is odd:

* Two jobs of equal length, from even and from odd routers, can run side by side, whenever it may be.
* Beside the job of length m run two jobs of length m / 2, if that is odd; or for odd m one of (m - 1) / 2 and one of
  (m + 1) / 2, the odd length first, and then their two counterparts side by side.
* If m / 2 is even, jobs of 1, m - 2 and 1 run beside it. What is left of these lengths, one of m - 2, takes turns with
  the two of m - 1: first those two for m / 2 steps, then each of them for m / 2 - 1 steps beside the first.

Downwards the same is done with even and odd exchanged.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple


class HalfJob(NamedTuple):
    """The messages of one length that start at every second router."""

    length: int
    parity: int
    """Whether they start at even routers, 0, or at odd ones, 1."""
    steps: Sequence[int]
    """The step of each hop."""


def upward_jobs(half: int) -> list[HalfJob]:
    """Return the jobs of the messages that go up a ring of `2 * half` routers, `half` two at least.

    Messages that go half way round start at even routers.
    """
    across = HalfJob(half, 0, range(half))
    beside = _beside_halves(half) if half % 4 else _beside_three(half)
    jobs = [across, *beside]
    start = max(job.steps[-1] for job in jobs) + 1
    known = {job.length for job in jobs}
    for length in range(1, half):
        if length not in known:
            jobs += [HalfJob(length, parity, range(start, start + length)) for parity in (0, 1)]
            start += length
    return jobs


def _beside_halves(half: int) -> Iterator[HalfJob]:
    """Yield the jobs of the lengths that make up half of the ring in two, the first an odd one."""
    first = half // 2 if half // 2 % 2 else (half + 1) // 2
    second = half - first
    yield HalfJob(first, 1, range(first))
    if first == second:
        yield HalfJob(first, 0, range(first, half))
    else:
        yield HalfJob(second, 0, range(first, half))
        yield HalfJob(first, 0, range(half, half + first))
        yield HalfJob(second, 1, range(half, half + second))


def _beside_three(half: int) -> Iterator[HalfJob]:
    """Yield the jobs of lengths 1, half - 2 and half - 1, where half of the ring is a multiple of four."""
    yield HalfJob(1, 1, [0])
    yield HalfJob(half - 2, 0, range(1, half - 1))
    yield HalfJob(1, 0, [half - 1])
    third = half + half // 2
    last = third + half // 2 - 1
    end = last + half // 2 - 1
    yield HalfJob(half - 1, 0, range(half, last))
    yield HalfJob(half - 1, 1, [*range(half, third), *range(last, end)])
    yield HalfJob(half - 2, 1, range(third, end))
