"""Reductions: partial results move until every contribution is at its target, each once.

A location sends its partial result once, with all that was combined into it, and the target sends none: backwards, a
broadcast message comes to a location once and never to its origin.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

import numpy as np

from pavane.judge.case import Verification
from pavane.judge.violation import Violation
from pavane.model.arrays import Ints, Longs


class Contributions(NamedTuple):
    """What becomes of the partial results."""

    owner: Longs
    """The transfer that carries each partial result that is sent."""
    messages: Longs
    empty_handed: list[int]
    """Sendings, as indices, of what the sender does not have."""
    repeated: list[int]
    """Sendings of what is sent in the same step already."""
    later: list[int]
    """Sendings of another partial result from a location that has sent one in an earlier step."""
    past_target: list[int]
    """Sendings of the target's own partial result."""
    arrived: Ints
    """The number of contributions at the target of each message, in the end."""


def contributions_moved(case: Verification) -> Contributions:
    """Move the contributions step by step; under tdm they arrive some slots after they are sent."""
    problem, schedule = case.problem, case.schedule
    held = np.zeros((problem.num_messages, case.num_locations), dtype=np.int32)
    held[:, list(problem.collective.senders)] = 1
    has_sent = np.zeros(held.shape, dtype=bool)
    owner, messages = case.resting_messages()
    bounds = np.searchsorted(schedule.starts[owner], np.arange(schedule.num_steps + 1))
    empty_handed: list[int] = []
    repeated: list[int] = []
    later: list[int] = []
    arriving: dict[int, list[tuple[Longs, Longs, Ints]]] = {}
    for step in range(schedule.num_steps):
        for those, receivers, counts in arriving.pop(step, ()):
            np.add.at(held, (those, receivers), counts)
        now = np.arange(bounds[step], bounds[step + 1])
        keys = messages[now] * case.num_locations + case.senders[owner[now]]
        _, first = np.unique(keys, return_index=True)
        again = np.ones(len(now), dtype=bool)
        again[first] = False
        repeated += now[again].tolist()
        now = now[~again]
        senders = messages[now], case.senders[owner[now]]
        moved = held[senders]
        empty_handed += now[moved == 0].tolist()
        later += now[has_sent[senders] & (moved > 0)].tolist()
        has_sent[senders] |= (moved > 0) & (case.receivers[owner[now]] != case.senders[owner[now]])
        held[senders] = 0
        usable = case.usable[owner[now]]
        for later_step in np.unique(usable).tolist():
            some = now[usable == later_step]
            arriving.setdefault(later_step, []).append(
                (messages[some], case.receivers[owner[some]], moved[usable == later_step])
            )
    for those, receivers, counts in chain.from_iterable(arriving.values()):
        np.add.at(held, (those, receivers), counts)
    targets = problem.labels[:, 0]
    past_target = np.flatnonzero(case.senders[owner] == targets[messages]).tolist()
    arrived = held[np.arange(problem.num_messages), targets]
    return Contributions(owner, messages, empty_handed, repeated, later, past_target, arrived)


def not_held(case: Verification, moved: Contributions) -> Iterator[Violation]:
    """A sender has a partial result to send on."""
    text = "has no partial result at the sender to send on"
    return case.of_messages("not-held", moved, moved.empty_handed, text)


def delivered_twice(case: Verification, moved: Contributions) -> Iterator[Violation]:
    """A location sends a partial result once."""
    text = "is sent twice in one step, so its contributions count twice"
    yield from case.of_messages("delivered-twice", moved, moved.repeated, text)
    text = "leaves the sender a second time; backwards it would come there twice"
    yield from case.of_messages("delivered-twice", moved, moved.later, text)


def past_target(case: Verification, moved: Contributions) -> Iterator[Violation]:
    """The target sends no partial result of its own sum."""
    text = "is for the sender itself; a partial result goes no further than its target"
    return case.of_messages("past-target", moved, moved.past_target, text)


def never_delivered(case: Verification, moved: Contributions) -> Iterator[Violation]:
    """Every contribution comes to its target."""
    num_senders = len(case.problem.collective.senders)
    for message in case.first(moved.arrived < num_senders):
        lost, target = num_senders - int(moved.arrived[message]), case.problem.labels[message, 0]
        piece = f", piece {case.problem.labels[message, -1]}," if case.problem.has_pieces else ""
        yield Violation(
            "never-delivered",
            f"{lost} contributions to processor {target}{piece} never reach it",
            message=message,
        )
