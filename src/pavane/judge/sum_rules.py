"""Allreduce: running sums grow until every member has all contributions to every piece, each counted once.

A location has one running sum of each piece: at first its own contribution, or nothing. It sends what it has when the
step begins, and keeps it. What arrives is added where no contribution is in both, or takes the place of what it
contains; what would count a contribution twice, or brings nothing new, is wrong.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from pavane.judge.case import Verification
from pavane.judge.violation import Violation
from pavane.model.arrays import Longs


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
    """Let the running sums of each piece grow step by step; a set of contributions is the bits of a number."""
    members = case.problem.collective.senders
    own = [0] * case.num_locations
    for bit, member in enumerate(members):
        own[member] = 1 << bit
    everyone = (1 << len(members)) - 1
    owner, messages = case.resting_messages()
    steps = case.schedule.steps[owner]
    sums = Sums(owner, messages, [], [], [])
    order = np.lexsort((steps, messages))
    bounds = np.searchsorted(messages[order], np.arange(case.problem.num_messages + 1))
    for message in range(case.problem.num_messages):
        held = list(own)
        mine = order[bounds[message] : bounds[message + 1]]
        for now in np.split(mine, np.flatnonzero(np.diff(steps[mine])) + 1):
            _grow(case, sums, held, now)
        sums.lacking.extend(
            (message, member, (everyone & ~held[member]).bit_count()) for member in members if held[member] != everyone
        )
    sums.empty_handed.sort()
    sums.repeated.sort()
    return sums


def _grow(case: Verification, sums: Sums, held: list[int], now: Longs) -> None:
    """Let the sums of one piece arrive that are sent in one step."""
    arriving: dict[int, list[tuple[int, int]]] = {}
    for at in now.tolist():
        sent = held[case.senders[sums.owner[at]]]
        if sent:
            arriving.setdefault(int(case.receivers[sums.owner[at]]), []).append((at, sent))
        else:
            sums.empty_handed.append(at)
    for receiver, sendings in arriving.items():
        before = held[receiver]
        containing = next((at for at, sent in sendings if before and sent != before and sent & before == before), None)
        counted = 0 if containing is not None else before
        # What contains the running sum takes its place first.
        for at, sent in sorted(sendings, key=lambda sending: sending[0] != containing):
            if counted & sent:
                sums.repeated.append(at)
            counted |= sent
        held[receiver] = before | counted


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
