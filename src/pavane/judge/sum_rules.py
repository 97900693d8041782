"""Allreduce: running sums grow until every member has all contributions to every piece, each counted once.

A location has one running sum of each piece: at first its own contribution, or nothing. It sends what it has when the
step begins, and keeps it. What arrives is added where no contribution is in both, or takes the place of what it
contains; what would count a contribution twice, or brings nothing new, is wrong.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pavane.judge.case import Verification
from pavane.judge.violation import Violation
from pavane.model.arrays import Longs

Words = npt.NDArray[np.uint64]

MOST_WORDS = 2**24
"""Words of 64 contributions that are held at once, over pieces and locations: 128 MB."""


class Sums(NamedTuple):
    """What becomes of the running sums."""

    owner: Longs
    """The transfer that carries each sum that is sent."""
    messages: Longs
    empty_handed: list[int]
    """Sendings, as indices, of what the sender does not have."""
    repeated: list[int]
    """Sendings of contributions that the receiver has already, or gets in the same step."""
    lacking: list[tuple[int, int, int]]
    """A piece, a member and how many contributions to the piece it lacks in the end."""


def sums_grown(case: Verification) -> Sums:
    """Let the running sums of some pieces at a time grow step by step; a set of contributions is a row of bits."""
    sums = Sums(*case.resting_messages(), [], [], [])
    members = np.array(case.problem.collective.senders, dtype=np.int64)
    own = np.zeros((case.num_locations, -(-len(members) // 64)), dtype=np.uint64)
    bits = np.arange(len(members))
    own[members, bits // 64] = np.left_shift(np.uint64(1), (bits % 64).astype(np.uint64))
    everyone = np.bitwise_or.reduce(own, axis=0)
    order = np.argsort(sums.messages, kind="stable")
    batch = max(1, MOST_WORDS // own.size)
    for first in range(0, case.problem.num_messages, batch):
        last = min(first + batch, case.problem.num_messages)
        held = np.repeat(own[None], last - first, axis=0)
        mine = np.sort(order[slice(*np.searchsorted(sums.messages[order], (first, last)))])
        steps = case.schedule.starts[sums.owner[mine]]
        mine = mine[np.argsort(steps, kind="stable")]
        for now in np.split(mine, np.flatnonzero(np.diff(np.sort(steps))) + 1):
            _grow(case, sums, held, first, now)
        lacked = everyone & ~held[:, members]
        for message, member in np.argwhere(lacked.any(axis=2)).tolist():
            num_lacked = int(np.unpackbits(lacked[message, member].view(np.uint8)).sum())
            sums.lacking.append((first + message, int(members[member]), num_lacked))
    sums.empty_handed.sort()
    sums.repeated.sort()
    return sums


def _grow(case: Verification, sums: Sums, held: Words, first: int, now: Longs) -> None:
    """Let the sums arrive that are sent in one step; `held` has those of the pieces from the first one on."""
    pieces, senders = sums.messages[now] - first, case.senders[sums.owner[now]]
    sent = held[pieces, senders]
    has_sum = sent.any(axis=1)
    sums.empty_handed.extend(now[~has_sum].tolist())
    now, pieces, sent = now[has_sum], pieces[has_sum], sent[has_sum]
    receivers = case.receivers[sums.owner[now]]
    before = held[pieces, receivers]
    is_containing = before.any(axis=1) & ((sent & before) == before).all(axis=1) & (sent != before).any(axis=1)
    keys = pieces * held.shape[1] + receivers
    _, group = np.unique(keys, return_inverse=True)
    containing = np.full(group.max(initial=-1) + 1, len(now))
    np.minimum.at(containing, group[is_containing], np.flatnonzero(is_containing))
    # What contains the running sum takes its place first; the others follow in their order.
    order = np.lexsort((containing[group] != np.arange(len(now)), group))
    begins = np.flatnonzero(np.diff(group[order], prepend=-1))
    counted = np.where(containing[:, None] < len(now), np.uint64(0), before[order[begins]])
    number = np.arange(len(now)) - begins[group[order]]
    for turn in range(int(number.max(initial=-1)) + 1):
        at = order[number == turn]
        repeated = (counted[group[at]] & sent[at]).any(axis=1)
        sums.repeated.extend(now[at[repeated]].tolist())
        counted[group[at]] |= sent[at]
    held[pieces[order[begins]], receivers[order[begins]]] |= counted


def not_held(case: Verification, sums: Sums) -> Iterator[Violation]:
    """A sender has a sum to send."""
    return case.of_messages("not-held", sums, sums.empty_handed, "has no sum at the sender to send on")


def delivered_twice(case: Verification, sums: Sums) -> Iterator[Violation]:
    """No contribution is counted twice, and none comes for nothing."""
    text = "brings contributions that the receiver has or gets, so they would count twice"
    return case.of_messages("delivered-twice", sums, sums.repeated, text)


def never_delivered(case: Verification, sums: Sums) -> Iterator[Violation]:
    """Every member gets the whole sum of every piece."""
    for message, member, lacking in sums.lacking[: case.most]:
        yield Violation(
            "never-delivered",
            f"the sum of part {case.label(message)} that processor {member} has in the end lacks {lacking} of "
            f"{len(case.problem.collective.senders)} contributions",
            message=message,
        )
