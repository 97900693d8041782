"""Lets the phases of an allreduce overlap: transfers move to earlier steps, as far as sums and channels allow.

Transfers are taken in the order of their steps, and each goes to the first step in which its channels and ports are
free, its sender has what it sent before, and nothing arrives anywhere too early. None comes later than it was: nothing
that was in its step or after it conflicts, unless sums that came together now wait for each other; then the schedule
stays as it was. An allreduce read backwards is an allreduce, so the same can be done from the end, which makes room for
the next time (forward-backward improvement of project schedules).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pavane.model.allreduce import is_added
from pavane.model.arrays import Longs
from pavane.model.duals import dual
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule, time_reversed
from pavane.parallel.budget import Budget
from pavane.solvers.step_table import EVERY_STEP, StepTable, first_step

MOST_MOVES = 20_000_000
"""Transfers times steps of a schedule that is worth the time."""


def overlap_phases(
    problem: Problem, schedule: Schedule, rng: np.random.Generator, least_steps: int, budget: Budget, tries: int = 20
) -> Schedule:
    """Return a schedule of as few steps or fewer, in which the transfers of both phases may share steps."""
    if len(schedule) * schedule.num_steps > MOST_MOVES:
        return schedule
    mirror = dual(problem)
    best = now = move_earlier(problem, schedule, np.arange(len(schedule)))
    for _ in range(tries):
        if best.num_steps <= least_steps or budget.is_over:
            break
        back = time_reversed(problem, now, mirror)
        back = move_earlier(mirror, back, shuffle_order(mirror, back, rng))
        now = time_reversed(mirror, back, problem)
        now = move_earlier(problem, now, shuffle_order(problem, now, rng))
        if now.num_steps < best.num_steps:
            best = now
    return best


def shuffle_order(problem: Problem, schedule: Schedule, rng: np.random.Generator) -> Longs:
    """Return the transfers in the order of their steps, and within a step in any.

    What takes the place of a sum goes before what is added to it in the same step, so that it need not wait for it.
    """
    takes_place = np.add.reduceat(~is_added(problem, schedule), schedule.message_offsets[:-1]) > 0
    return np.lexsort((rng.random(len(schedule)), ~takes_place, schedule.starts))


def move_earlier(problem: Problem, schedule: Schedule, order: Longs) -> Schedule:
    """Return the schedule with every transfer, in an order that keeps that of steps, in the first step that it can."""
    added = is_added(problem, schedule).tolist()
    table = StepTable(problem)
    steps = schedule.starts.copy()
    ready: dict[tuple[int, int], int] = {}
    """The first step in which a location can send on what has come to it, of each piece."""
    last_sent: dict[tuple[int, int], int] = {}
    """The last step in which a location has sent its sum of each piece."""
    channels, path_ends = schedule.path_channels.tolist(), schedule.path_offsets.tolist()
    senders, receivers = schedule.senders.tolist(), schedule.receivers.tolist()
    messages, message_ends = schedule.messages.tolist(), schedule.message_offsets.tolist()
    for i in order.tolist():
        sender, receiver = senders[i], receivers[i]
        least = 0
        for at in range(message_ends[i], message_ends[i + 1]):
            here, there = (messages[at], sender), (messages[at], receiver)
            # What the receiver has sent, it has sent without this; what takes its sum's place contains it.
            least = max(least, ready.get(here, 0), last_sent.get(there, 0))
            if not added[at]:
                least = max(least, ready.get(there, 0))
        path = channels[path_ends[i] : path_ends[i + 1]]
        step = first_step(table.free_for(sender, receiver, path) & (EVERY_STEP << least))
        if step >= schedule.num_steps:
            return schedule
        table.take(step, sender, receiver, path)
        steps[i] = step
        for message in messages[message_ends[i] : message_ends[i + 1]]:
            there = (message, receiver)
            ready[there] = max(ready.get(there, 0), step + 1)
            here = (message, sender)
            last_sent[here] = max(last_sent.get(here, 0), step)
    return replace(schedule, num_steps=int(steps.max()) + 1).with_columns(starts=steps)
