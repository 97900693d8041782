"""Rip-up and reroute of single collectives of those that run at once: out, and in again where the others leave room.

Private messages and broadcasts are placed by first fit around the transfers of the others; reductions backwards, around
the others backwards. Sums of an allreduce stay where they are.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pavane.model.duals import dual
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule, Transfer, some_transfers, time_reversed
from pavane.model.several import owners_of
from pavane.solvers.greedy import first_fit_around

MOST_RIPPED_UP = 2
"""Collectives that are taken out at once: more of them leave little of what was good."""


def rerouted(problem: Problem, schedule: Schedule, rng: np.random.Generator) -> Schedule:
    """Return a schedule in which one or two collectives, drawn at random, take other ways in other steps."""
    movable = [number for number, part in enumerate(problem.parts) if part.pattern != "allreduce"]
    if not movable:
        return schedule
    count = int(rng.integers(1, 1 + min(MOST_RIPPED_UP, len(movable))))
    chosen = rng.permutation(movable)[:count].tolist()
    kept = some_transfers(schedule, ~np.isin(owners_of(problem, schedule), chosen))
    for number in chosen:
        kept = _with_part(problem, number, kept, rng)
    # Steps that have become empty are left out.
    steps = np.unique(kept.starts, return_inverse=True)[1]
    return Schedule.join([kept], int(steps.max(initial=-1)) + 1, [steps])


def _with_part(problem: Problem, number: int, others: Schedule, rng: np.random.Generator) -> Schedule:
    """Return the schedule of the others with one collective placed around it."""
    part, first = problem.parts[number], problem.first_messages[number]
    if part.pattern != "reduction":
        own = Schedule.from_transfers(first_fit_around(part, others, rng))
        shift = 0
    else:
        backwards, last = dual(part), others.num_steps - 1
        mirrored = [_turned(one, last) for one in others]
        found = Schedule.from_transfers(first_fit_around(backwards, mirrored, rng))
        # What took longer than the others begins before them.
        shift = max(0, found.num_steps - others.num_steps)
        found = replace(found, num_steps=others.num_steps + shift)
        own = time_reversed(backwards, found, part)
    num_steps = max(own.num_steps, others.num_steps + shift)
    messages = [others.messages.astype(np.int64), own.messages.astype(np.int64) + first]
    return Schedule.join([others, own], num_steps, [others.starts + shift, own.starts], messages)


def _turned(transfer: Transfer, last: int) -> Transfer:
    """Return a transfer read backwards from a last step."""
    return transfer._replace(
        start=last - transfer.start,
        sender=transfer.receiver,
        receiver=transfer.sender,
        path=transfer.path[::-1],
    )
