"""What every processor does, step by step: the sends and receives of a schedule, by who makes them."""

from __future__ import annotations

from typing import NamedTuple

from pavane.model.problem import Problem
from pavane.model.schedule import Schedule, Transfer


class Act(NamedTuple):
    """One end of a transfer: somebody sends, or receives."""

    number: int
    """The number of the transfer in the schedule."""
    transfer: Transfer
    receives: bool

    @property
    def peer(self) -> int:
        """Return the location at the other end."""
        return self.transfer.sender if self.receives else self.transfer.receiver


Program = dict[int, list[Act]]
"""What is done in each step in which anything is done, in the order of the schedule."""


def programs_of(problem: Problem, schedule: Schedule, steps: range | None = None) -> dict[int, Program]:
    """Return the program of every processor, and of every pure switch at which messages rest.

    Processors come first, in order; then switches by the step of their first act, and by number.
    """
    programs: dict[int, Program] = {processor: {} for processor in range(problem.network.num_processors)}
    at_switches: dict[int, Program] = {}
    for number, transfer in enumerate(schedule):
        step = transfer.step
        if steps is not None and step not in steps:
            continue
        for location, receives in ((transfer.sender, False), (transfer.receiver, True)):
            program = programs[location] if location >= 0 else at_switches.setdefault(location, {})
            program.setdefault(step, []).append(Act(number, transfer, receives))
    in_order = sorted(at_switches, key=lambda location: (next(iter(at_switches[location])), ~location))
    return programs | {location: at_switches[location] for location in in_order}
