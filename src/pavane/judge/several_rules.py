"""Rules of several collectives at once, beside those that each obeys alone.

The transfers of each collective obey its rules in steps of the whole, where a collective may pause; no step of the
whole is without a transfer. All transfers together keep to the capacity of every channel, link and port. Where routers
copy, a tree counts once; trees of different collectives, or of different messages, count apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from pavane.judge.case import Verification
from pavane.judge.rule_table import judged
from pavane.judge.trees import CountedUses, counted_uses
from pavane.judge.violation import Violation
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.model.several import collective_of, owners_of, split

Judge = Callable[[Verification], list[Violation]]
"""What judges the transfers of one collective."""


def verify_several(problem: Problem, schedule: Schedule, most: int, judge: Judge) -> list[Violation]:
    """Return the violations of several collectives at once: of each in steps of the whole, then of their loads."""
    # Loads and steps are those of the network and the rules, which all parts have.
    whole = Verification(problem.parts[0], schedule, most)
    whole.set_made(counted_uses, _uses_of_several(problem, schedule, most))
    violations = [*_of_no_collective(problem, whole)]
    for number, (part, own) in enumerate(zip(problem.parts, split(problem, schedule), strict=True)):
        first = int(problem.first_messages[number])
        for found in judge(Verification(part, own, most)):
            message = None if found.message is None else found.message + first
            violations.append(replace(found, text=f"collective {number}, {found.text}", message=message))
    return [*violations, *judged(whole, "steps", "loads")]


def _of_no_collective(problem: Problem, whole: Verification) -> Iterator[Violation]:
    """A transfer carries messages of one collective, and none that there are not."""
    owners, numbers = owners_of(problem, whole.schedule), collective_of(problem, whole.schedule.messages)
    is_unknown = (numbers < 0) | (numbers >= len(problem.parts))
    for at in whole.first(is_unknown):
        owner, message = int(whole.owner[at]), int(whole.schedule.messages[at])
        text = f"{whole.transfer(owner)}: there is no message {message}; they are numbered 0 to "
        yield Violation(
            "unknown-message", f"{text}{problem.num_messages - 1}", int(whole.schedule.starts[owner]), message
        )
    is_mixed = np.zeros(len(whole.schedule), dtype=bool)
    is_mixed[whole.owner[numbers != owners[whole.owner]]] = True
    text = "it carries messages of several collectives; a transfer carries those of one"
    yield from whole.of_transfers("carries-several", is_mixed, lambda _: text)


def _uses_of_several(problem: Problem, schedule: Schedule, most: int) -> CountedUses | None:
    """Return which uses of channels and ports count, where trees of some collectives count once; None: all do."""
    owners = owners_of(problem, schedule)
    along = np.repeat(owners, schedule.path_lengths)
    exists = (schedule.path_channels >= 0) & (schedule.path_channels < problem.network.num_channels)
    every = np.ones(len(schedule), dtype=bool)
    counted = CountedUses(exists, every, every.copy(), np.arange(len(schedule)))
    has_trees = False
    for number, (part, own) in enumerate(zip(problem.parts, split(problem, schedule), strict=True)):
        uses = counted_uses(Verification(part, own, most))
        if uses is not None:
            has_trees = True
            mine = owners == number
            counted.on_channels[along == number] = uses.on_channels
            counted.at_senders[mine], counted.at_receivers[mine] = uses.at_senders, uses.at_receivers
            counted.tree_of[mine] = np.flatnonzero(mine)[uses.tree_of]
    return counted if has_trees else None
