"""What the sender of each transfer waits for: data that have come to it, and its channels.

Transfers follow each other on every channel, or under half duplex on every link. A processor knows of those that it
sends or receives itself; it does not wait for those that other processors send over the same channels.
"""

from __future__ import annotations

from typing import NamedTuple

from pavane.model.problem import Problem
from pavane.model.schedule import Schedule


class Waits(NamedTuple):
    """The transfers that the sender of a transfer waits for, by their numbers."""

    data: tuple[int, ...]
    """It has received them, and what they brought is sent on."""
    sent: tuple[int, ...]
    """The sender has sent them, over channels of its own, right before."""
    received: tuple[int, ...]
    """The sender has received them over a channel of its own, right before."""


def waits_of(problem: Problem, schedule: Schedule) -> list[Waits]:
    """Return what each transfer of a schedule of steps, or of levels, waits for."""
    units, moves = problem.units.tolist(), problem.pattern == "reduction"
    arrived: dict[tuple[int, int], list[int]] = {}
    """What has come to each location of each message, and has not moved on as a partial sum."""
    used: dict[int, list[int]] = {}
    """The transfers of the last step in which each channel or link was used."""
    waits: list[Waits] = []
    for step in range(schedule.num_steps):
        now = [(number, schedule.transfer(number)) for number in schedule.of_step(step)]
        for _, one in now:
            places = [(one.sender, message) for message in one.messages]
            data = {number for place in places for number in arrived.get(place, [])}
            before = {number for channel in one.path for number in used.get(units[channel], [])} - data
            sent = [number for number in sorted(before) if schedule.senders[number] == one.sender]
            received = [number for number in sorted(before) if schedule.receivers[number] == one.sender]
            waits.append(Waits(tuple(sorted(data)), tuple(sent), tuple(received)))
        if moves:
            for _, one in now:
                for message in one.messages:
                    arrived.pop((one.sender, message), None)
        using: dict[int, list[int]] = {}
        for number, one in now:
            for message in one.messages:
                arrived.setdefault((one.receiver, message), []).append(number)
            for channel in one.path:
                using.setdefault(units[channel], []).append(number)
        used |= using
    return waits
