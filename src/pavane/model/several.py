"""Several collectives at once: which messages and transfers belong to each, and which can be one problem.

The messages of all collectives are numbered one collective after the other, so that one schedule holds them all. A
transfer carries messages of one collective.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from pavane.errors import InputError
from pavane.model.arrays import Longs
from pavane.model.messages import Collective
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule, some_transfers


def collective_of(problem: Problem, messages: Any) -> Longs:
    """Return the number of the collective that each message belongs to; others than there are for no message."""
    numbers: Longs = np.searchsorted(problem.first_messages, messages, side="right") - 1
    return numbers


def label_of(problem: Problem, message: int) -> list[int]:
    """Return a message as files write it: the number of its collective, and its label there."""
    number = int(collective_of(problem, message))
    return [number, *problem.parts[number].labels[message - problem.first_messages[number]].tolist()]


def united(problem: Problem) -> tuple[tuple[int, ...], ...]:
    """Return the numbers of collectives that can be one problem each: all private ones, and twins."""
    groups: dict[object, list[int]] = {}
    for number, collective in enumerate(problem.collectives):
        is_private = collective.pattern == "private"
        members = () if is_private else (tuple(sorted(collective.senders)), tuple(sorted(collective.receivers)))
        groups.setdefault((collective.pattern, *members), []).append(number)
    return tuple(map(tuple, groups.values()))


def as_one(problem: Problem, numbers: Sequence[int]) -> tuple[Problem, Longs]:
    """Return some united collectives as one problem, and the number here of each of its messages.

    A message has the units that it has in all of them: of each the pieces, one collective after the other.
    """
    parts = [problem.parts[number] for number in numbers]
    in_whole = np.concatenate(
        [problem.first_messages[number] + np.arange(problem.parts[number].num_messages) for number in numbers]
    )
    if len(parts) == 1:
        return parts[0], in_whole
    if not any(set(numbers) <= set(group) for group in united(problem)) or len(set(numbers)) < len(numbers):
        raise InputError(f"collectives {list(numbers)} are not one problem: they differ in kind or members")
    ends = np.concatenate([part.ends for part in parts])
    rows, units = np.unique(ends, axis=0, return_counts=True)
    sizes = tuple((*row, count) for row, count in zip(rows.tolist(), units.tolist(), strict=True))
    first = parts[0].collective
    if first.pattern == "private":
        one = Collective("PAIRS", pairs=tuple((a, b) for a, b in rows.tolist()), sizes=sizes)
    else:
        named = first.senders if first.pattern == "broadcast" else first.receivers
        missing = tuple((end, 0) for end in sorted(set(named) - set(rows[:, 0].tolist())))
        one = replace(first, pieces=1, sizes=sizes + missing)
    # Messages are numbered by their ends.
    return Problem(problem.network, one, problem.rules), in_whole[np.lexsort(ends.T[::-1])]


def owners_of(problem: Problem, schedule: Schedule) -> Longs:
    """Return the number of the collective that each transfer belongs to; -1 where it carries nothing."""
    firsts = schedule.message_offsets[:-1]
    of_each = collective_of(problem, np.append(schedule.messages, -1))[np.minimum(firsts, len(schedule.messages))]
    return np.where(schedule.payloads > 0, of_each, -1)


def split(problem: Problem, schedule: Schedule) -> tuple[Schedule, ...]:
    """Return the transfers of each collective as a schedule of its own, in steps of the whole."""
    if not problem.has_several:
        return (schedule,)
    owners, firsts = owners_of(problem, schedule), problem.first_messages[:-1].tolist()
    return tuple(some_transfers(schedule, owners == number, first) for number, first in enumerate(firsts))


def steps_of(problem: Problem, schedule: Schedule) -> tuple[int, ...]:
    """Return the number of steps after which each collective is complete."""
    return tuple(int(part.starts.max(initial=-1)) + 1 for part in split(problem, schedule))
