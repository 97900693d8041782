"""One timed schedule before the judge: how long its transfers hold their channels, and when their data are usable."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from pavane.judge.case import Verification
from pavane.model.arrays import Longs
from pavane.model.links import PICOSECONDS
from pavane.model.schedule import Schedule
from pavane.model.timed import TimedProblem, TimedSchedule


class TimedCase(Verification):
    """A timed schedule under verification; its paths are read as those of one step."""

    def __init__(self, timed: TimedProblem, schedule: TimedSchedule, most: int) -> None:
        size = len(schedule)
        steps = Schedule(
            1,
            np.zeros(size, dtype=np.int32),
            schedule.senders,
            schedule.receivers,
            schedule.path_offsets,
            schedule.path_channels,
            np.arange(size + 1),
            schedule.messages,
        )
        super().__init__(timed.problem, steps, most)
        self.timed, self.timed_schedule, self.starts = timed, schedule, schedule.starts

    def transfer(self, i: int) -> str:
        """Name a transfer by its start and its ends."""
        one = self.timed_schedule.transfer(i)
        sender, receiver = (str(end) if end >= 0 else f"r{~end}" for end in (one.sender, one.receiver))
        return f"{one.start:,} ps, transfer {i} from {sender} to {receiver}"

    @cached_property
    def holds(self) -> Longs:
        """How long each transfer holds its channels: as long as the slowest of them takes."""
        links, holds = self.timed.links, np.zeros(len(self.starts), dtype=np.int64)
        sizes = self.timed.message_bytes[self.timed_schedule.messages]
        some = np.flatnonzero(self.lengths > 0)
        for size in np.unique(sizes).tolist():
            times = [
                over + -(-size * PICOSECONDS // rate)
                for over, rate in zip(links.overheads.tolist(), links.bandwidths.tolist(), strict=True)
            ]
            longest = np.maximum.reduceat(
                np.array(times, dtype=np.int64)[self.channels], self.timed_schedule.path_offsets[:-1][some]
            )
            chosen = sizes[some] == size
            holds[some[chosen]] = longest[chosen]
        return holds

    @cached_property
    def usable(self) -> Longs:
        """When the data of each transfer are usable at its end."""
        delays = np.zeros(len(self.starts), dtype=np.int64)
        np.add.at(delays, self.path_owner, self.timed.links.latencies[self.channels])
        return self.starts + self.holds + delays
