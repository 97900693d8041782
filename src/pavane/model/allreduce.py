"""The parts of an allreduce: its two phases, what its contributions must do, and how running sums grow.

Every location keeps one running sum of each piece. What arrives is added to it where the two have no contribution in
common, and takes its place where it contains it already. So the sum of a piece may be complete anywhere, and the two
phases may overlap.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from pavane.model.arrays import Flags, Ints
from pavane.model.messages import Collective
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule


def phases(problem: Problem) -> tuple[Problem, Problem]:
    """Return the reduction of every part at the processor it is named after, and the broadcast back from there.

    Their messages have the numbers of the allreduce's.
    """
    collective = problem.collective
    members, parts = collective.senders, collective.receivers
    if len(parts) == 1:
        others = tuple(member for member in members if member not in parts)
        gathered, spread = Collective("AOR", others, parts), Collective("OAB", parts, others)
    else:
        kind = "AAB" if set(parts) == set(members) else "MNB"
        gathered, spread = Collective("AAR", members, parts), Collective(kind, parts, members)
    before, after = (replace(one, pieces=collective.pieces, sizes=collective.sizes) for one in (gathered, spread))
    return replace(problem, collective=before), replace(problem, collective=after)


def contributions(problem: Problem) -> Problem:
    """Return the allgather, with combining, of what the processors contribute to one piece.

    A processor that holds a sum has received from every processor in it. So the transfers of one piece, read as sets
    of contributions, are a schedule of this problem, and no allreduce has fewer steps than it has start-ups.
    """
    members = problem.collective.senders
    kind = "AAB" if len(members) == problem.network.num_processors else "MNB"
    rules = replace(problem.rules.without_copies(), combining=True)
    return Problem(problem.network, Collective(kind, members, members), rules)


class SumArrivals(NamedTuple):
    """What becomes of each carried piece, as `schedule.messages` lists them."""

    added: Flags
    """Whether the receiver adds it to its running sum. Otherwise it takes the place of what the receiver has, if
    anything, before others that arrive in the same step are added."""
    complete: Flags
    """Whether it is the sum of what all members contribute."""
    heard: Ints
    """How many contributions the receiver's running sum has when the step ends."""


def is_added(problem: Problem, schedule: Schedule) -> Flags:
    """Return for each carried piece of a valid schedule whether the receiver adds it to its running sum."""
    return arrivals(problem, schedule).added


def arrivals(problem: Problem, schedule: Schedule) -> SumArrivals:
    """Return what becomes of each carried piece of a valid schedule."""
    added, complete = np.zeros((2, len(schedule.messages)), dtype=bool)
    heard = np.zeros(len(schedule.messages), dtype=np.int32)
    owner = np.repeat(np.arange(len(schedule)), schedule.payloads)
    steps = schedule.steps[owner]
    # Piece after piece, so that the running sums of one piece are all that is held at a time.
    order = np.lexsort((steps, schedule.messages))
    pieces = np.diff(schedule.messages[order], prepend=-1) != 0
    begins = np.flatnonzero(pieces | (np.diff(steps[order], prepend=-1) != 0))
    starts_piece = pieces[begins].tolist()
    numbers, senders, receivers = (
        column[order].tolist() for column in (np.arange(len(owner)), schedule.senders[owner], schedule.receivers[owner])
    )
    start = {member: 1 << number for number, member in enumerate(problem.collective.senders)}
    everyone = (1 << len(start)) - 1
    sums: dict[int, int] = {}
    for is_new, (first, last) in zip(starts_piece, pairwise((*begins.tolist(), len(owner))), strict=True):
        if is_new:
            sums = dict(start)
        sent = [sums.get(sender, 0) for sender in senders[first:last]]
        before = {receiver: sums.get(receiver, 0) for receiver in receivers[first:last]}
        for at, receiver, arriving in zip(numbers[first:last], receivers[first:last], sent, strict=True):
            # Several sums may come to where there is none: one takes the place of nothing, the others are added.
            is_first = not before[receiver] and not sums.get(receiver, 0)
            added[at] = not (is_first or before[receiver] & arriving)
            complete[at] = arriving == everyone
            sums[receiver] = sums.get(receiver, 0) | arriving
        for at, receiver in zip(numbers[first:last], receivers[first:last], strict=True):
            heard[at] = sums[receiver].bit_count()
    return SumArrivals(added, complete, heard)
