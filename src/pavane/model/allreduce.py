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
import numpy.typing as npt

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
    return replace(problem, collectives=(before,)), replace(problem, collectives=(after,))


def contributions(problem: Problem) -> Problem:
    """Return the allgather, with combining, of what the processors contribute to one piece.

    A processor that holds a sum has received from every processor in it. So the transfers of one piece, read as sets
    of contributions, are a schedule of this problem, and no allreduce has fewer steps than it has start-ups.
    """
    members = problem.collective.senders
    kind = "AAB" if len(members) == problem.network.num_processors else "MNB"
    rules = replace(problem.rules.without_copies(), combining=True)
    return Problem(problem.network, Collective(kind, members, members), rules)


MOST_WORDS = 2**24
"""Words of 64 contributions that are held at once, over pieces and locations: 128 MB."""


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
    """Return what becomes of each carried piece of a valid schedule; a set of contributions is a row of bits."""
    owner, messages = np.repeat(np.arange(len(schedule)), schedule.payloads), schedule.messages
    steps, senders, receivers = (column[owner] for column in (schedule.starts, schedule.senders, schedule.receivers))
    own = _own_contributions(problem)
    senders, receivers = (column % len(own) for column in (senders, receivers))
    everyone = np.bitwise_or.reduce(own, axis=0)
    added, complete = np.zeros((2, len(messages)), dtype=bool)
    heard = np.zeros(len(messages), dtype=np.int32)
    batch = max(1, MOST_WORDS // own.size)
    order = np.lexsort((steps, messages // batch))
    is_new = np.diff(messages[order] // batch, prepend=-1) != 0
    begins = np.flatnonzero(is_new | (np.diff(steps[order], prepend=-1) != 0))
    held = own[None]
    for first, last in pairwise((*begins.tolist(), len(order))):
        now = order[first:last]
        pieces, receiver = messages[now] % batch, receivers[now]
        if is_new[first]:
            held = np.repeat(own[None], min(batch, problem.num_messages), axis=0)
        sent, before = held[pieces, senders[now]], held[pieces, receiver]
        places = pieces * len(own) + receiver
        by_place = np.argsort(places, kind="stable")
        starts = np.flatnonzero(np.diff(places[by_place], prepend=-1))
        # Several sums may come to where there is none: one takes the place of nothing, the others are added.
        added[now] = before.any(axis=1)
        added[now[np.delete(by_place, starts)]] = True
        added[now] &= ~(before & sent).any(axis=1)
        complete[now] = (sent == everyone).all(axis=1)
        reached = by_place[starts]
        held[pieces[reached], receiver[reached]] |= np.bitwise_or.reduceat(sent[by_place], starts, axis=0)
        heard[now] = np.bitwise_count(held[pieces, receiver]).sum(axis=1)
    return SumArrivals(added, complete, heard)


def _own_contributions(problem: Problem) -> npt.NDArray[np.uint64]:
    """Return the contributions that each location has at the start, a row of bits each; switches come last, backwards.

    So a location is the row with its number, counted from the end if it is negative.
    """
    members = np.array(problem.collective.senders, dtype=np.int64)
    bits = np.arange(len(members))
    num_locations = problem.network.num_processors + problem.network.num_routers
    own = np.zeros((num_locations, -(-len(members) // 64)), dtype=np.uint64)
    own[members, bits // 64] = np.left_shift(np.uint64(1), (bits % 64).astype(np.uint64))
    return own
