"""Payloads: every step does something, and a transfer carries messages of the problem, one unless combining."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pavane.judge.case import Verification
from pavane.judge.violation import Violation


def empty_step(case: Verification) -> Iterator[Violation]:
    """Every step has a transfer; in a slot of tdm none need begin."""
    if case.has_slots:
        return
    used = np.bincount(case.schedule.starts, minlength=case.schedule.num_steps)
    for step in case.first(used == 0):
        yield Violation("empty-step", f"step {step + 1} has no transfer; leave it out", step)


def unknown_message(case: Verification) -> Iterator[Violation]:
    """What is carried is a message of the collective."""
    for at in case.first(~case.is_known):
        owner, number = int(case.owner[at]), int(case.schedule.messages[at])
        yield Violation(
            "unknown-message",
            f"{case.transfer(owner)}: the collective has no message {number}; they are numbered 0 to "
            f"{case.problem.num_messages - 1}",
            case.step(owner),
            number,
            transfer=owner,
        )


def carries_nothing(case: Verification) -> Iterator[Violation]:
    """A transfer carries a message."""
    text = "it carries no message; leave it out"
    return case.of_transfers("carries-nothing", case.schedule.payloads == 0, lambda _: text)


def carries_several(case: Verification) -> Iterator[Violation]:
    """Without combining a transfer carries one message."""
    if case.problem.rules.combining:
        return
    payloads = case.schedule.payloads
    yield from case.of_transfers(
        "carries-several",
        payloads > 1,
        lambda i: f"it carries {payloads[i]} messages; without combining a transfer carries one",
    )
