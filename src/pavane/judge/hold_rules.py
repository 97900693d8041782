"""Loads with start times: a transfer holds its channels and ports from its start on, for as long as its data take.

A channel, or under half duplex a link, is held by one transfer at a time, whatever its capacity. Where routers copy and
add, transfers of one message that start together and share channels may be a tree (`trees`): it holds each of its
channels once, for the longest time that one of them takes.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import numpy as np

from pavane.judge.timed_case import TimedCase
from pavane.judge.unit_loads import Load
from pavane.judge.violation import Rule, Violation
from pavane.model.arrays import Longs
from pavane.text import counted

LATEST = 10**18
"""The latest start, after eleven days: times are exact in 64 bits."""


def outside_times(case: TimedCase) -> Iterator[Violation]:
    """Nothing starts before time 0, or so late that times would not be exact."""
    is_wrong = (case.starts < 0) | (case.starts > LATEST)
    return case.of_transfers("outside-period", is_wrong, lambda _: f"it starts before 0 or after {LATEST:,} ps")


def held_channels(case: TimedCase) -> Iterator[Violation]:
    """With start times a channel, or under half duplex a link, is held by one transfer at a time."""
    units, owners = case.problem.units[case.channels].astype(np.int64), case.path_owner
    if case.counted is not None:
        units, owners = units[case.counted.on_channels], owners[case.counted.on_channels]
    rule: Rule = "channel-capacity" if case.problem.rules.duplex == "full" else "half-duplex"
    for unit, last, count in _too_many(case, units, owners, case.holds, 1):
        text = f"{case.transfer(last)}: {count} transfers hold channel {case.channel(unit)} then, or its link"
        yield Violation(rule, text, message=int(case.schedule.messages[last]), transfer=last)


def held_ports(case: TimedCase) -> Iterator[Violation]:
    """With start times a processor sends, and receives, at most as many transfers at a time as it has ports."""
    if case.problem.rules.ports == "all":
        return
    everything = np.ones(len(case.starts), dtype=bool)
    uses = (everything, everything) if case.counted is None else case.counted[1:3]
    room, schedule = int(case.problem.rules.ports), case.schedule
    for ends, column, counts, verb in (
        (case.senders, schedule.senders, uses[0], "sends"),
        (case.receivers, schedule.receivers, uses[1], "receives"),
    ):
        chosen = np.flatnonzero(counts & (ends < case.network.num_processors))
        for processor, last, count in _too_many(case, ends[chosen], chosen, case.port_holds(column), room):
            text = f"processor {processor} {verb} {count} transfers at that time; it has {counted(room, 'port')}"
            yield Violation("port-capacity", f"{case.transfer(last)}: {text}", transfer=last)


def _too_many(case: TimedCase, units: Longs, owners: Longs, holds: Longs, room: int) -> Iterator[tuple[int, int, int]]:
    """Yield a unit that more transfers hold than it has room for, the last of them and how many hold it then."""
    takes_time = holds[owners] > 0  # between processors of one router no time passes
    units, owners = units[takes_time], owners[takes_time]
    starts = case.starts[owners]
    load = Load(units, starts, starts + holds[owners], np.ones(len(units), dtype=np.int64))
    capacities = np.full(int(units.max(initial=-1)) + 1, room)
    at = {(unit, start): count for unit, start, count in load.above(capacities)}
    for (unit, start), count in islice(at.items(), case.most):
        yield unit, int(owners[(units == unit) & (starts == start)].max()), count
