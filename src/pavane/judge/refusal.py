"""Refused schedules: they break rules, which they list; they can be shown, and are no results."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import inf

from pavane.judge.result import Provenance
from pavane.judge.rules import verify
from pavane.judge.timed_case import finish_time
from pavane.judge.violation import Violation
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule

MOST_OF_A_RULE = 1_000
"""Violations of one rule that are listed."""


@dataclass(frozen=True)
class Refusal:
    """A schedule that the judge refuses, and why: pictures and the player draw it, and nothing exports it."""

    problem: Problem
    schedule: Schedule
    provenance: Provenance

    status = "invalid"
    status_text = "invalid"

    @property
    def num_steps(self) -> int:
        """Return the number of steps of the schedule."""
        return self.schedule.num_steps

    @cached_property
    def finish(self) -> int | None:
        """With start times, when the last data are usable, in picoseconds."""
        return finish_time(self.problem, self.schedule) if self.problem.has_times else None

    @cached_property
    def violations(self) -> tuple[Violation, ...]:
        """The broken rules, causes before consequences."""
        found = verify(self.problem, self.schedule, MOST_OF_A_RULE)
        return tuple(found if self.problem.has_times else sorted(found, key=order_of_causes))

    @cached_property
    def conflicts(self) -> Mapping[int, frozenset[int]]:
        """The channels of each step at which a rule is broken: named by the judge, or under what breaks it."""
        channels: dict[int, set[int]] = defaultdict(set)
        for violation in self.violations:
            if violation.step is None:
                continue
            if violation.channel is not None:
                channels[violation.step].add(violation.channel)
            elif violation.message is not None:
                for number in self.schedule.of_step(violation.step):
                    transfer = self.schedule.transfer(number)
                    if violation.message in transfer.messages:
                        channels[violation.step].update(transfer.path)
        return {step: frozenset(some) for step, some in channels.items()}

    @cached_property
    def wrong(self) -> frozenset[int]:
        """With start times, the transfers that break rules."""
        return frozenset(each.transfer for each in self.violations if each.transfer is not None)


def order_of_causes(violation: Violation) -> float:
    """Return the sort key of a violation: the first step has the cause, a missing delivery is the last consequence."""
    return inf if violation.step is None or violation.rule == "never-delivered" else violation.step
