"""One timed schedule before the judge: how long its transfers hold their channels, and when their data are usable."""

from __future__ import annotations

from functools import cached_property
from typing import Literal

import numpy as np

from pavane.judge.case import Verification
from pavane.judge.trees import CountedUses, counted_uses
from pavane.model.arrays import Ints, Longs
from pavane.model.links import PICOSECONDS
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule

_SIDES: tuple[Literal["left"], Literal["right"]] = ("left", "right")


class TimedCase(Verification):
    """A timed schedule under verification."""

    def __init__(self, problem: Problem, schedule: Schedule, most: int) -> None:
        super().__init__(problem, schedule, most)
        self.unit = "transfer"
        self.starts: Longs = schedule.starts.astype(np.int64)

    def transfer(self, i: int) -> str:
        """Name a transfer by its start and its ends."""
        one = self.schedule.transfer(i)
        sender, receiver = (str(end) if end >= 0 else f"r{~end}" for end in (one.sender, one.receiver))
        return f"{one.start:,} ps, transfer {i} from {sender} to {receiver}"

    @property
    def counted(self) -> CountedUses | None:
        """What counts of the uses of channels and ports where transfers of one start form trees; None: all does."""
        return self.made(counted_uses)

    @cached_property
    def tree_of(self) -> Longs:
        """Of each transfer the number of the first one of its tree; its own where it is in none."""
        return np.arange(len(self.starts)) if self.counted is None else self.counted.tree_of

    def tree_members(self, numbers: Longs) -> Longs:
        """Return all transfers of the trees that some transfers belong to."""
        order, sorted_trees = self._by_tree
        first, last = (np.searchsorted(sorted_trees, np.unique(self.tree_of[numbers]), side=side) for side in _SIDES)
        return np.concatenate([order[a:b] for a, b in zip(first.tolist(), last.tolist(), strict=True)] or [order[:0]])

    @cached_property
    def _by_tree(self) -> tuple[Longs, Longs]:
        order = np.argsort(self.tree_of, kind="stable")
        return order, self.tree_of[order]

    @cached_property
    def holds(self) -> Longs:
        """How long each transfer holds its channels: as long as the slowest of them, or of its tree's, takes."""
        links, holds = self.problem.timing.links, np.zeros(len(self.starts), dtype=np.int64)
        sizes = self.problem.message_bytes[self.schedule.messages]
        some = np.flatnonzero(self.lengths > 0)
        for size in np.unique(sizes).tolist():
            times = [
                over + -(-size * PICOSECONDS // rate)
                for over, rate in zip(links.overheads.tolist(), links.bandwidths.tolist(), strict=True)
            ]
            longest = np.maximum.reduceat(
                np.array(times, dtype=np.int64)[self.channels], self.schedule.path_offsets[:-1][some]
            )
            chosen = sizes[some] == size
            holds[some[chosen]] = longest[chosen]
        slowest = np.zeros(len(holds), dtype=np.int64)
        np.maximum.at(slowest, self.tree_of, holds)
        return slowest[self.tree_of]

    def port_holds(self, ends: Ints) -> Longs:
        """Return for how long each transfer holds the port of a processor at one side.

        A router that copies has one message of a processor for all its channels, as long as the slowest takes it.
        """
        if self.counted is None:
            return self.holds
        is_known = (ends >= 0) & (ends < self.network.num_processors)
        home = self.network.router_of[np.where(is_known, ends, 0)]
        own = np.where(is_known & self.problem.is_copying[home], -1, np.arange(len(ends)))
        keys = np.stack((self.starts, self.schedule.messages, ends, own))
        _, group = np.unique(keys, axis=1, return_inverse=True)
        longest = np.zeros(len(ends), dtype=np.int64)
        np.maximum.at(longest, group.reshape(-1), self.holds)
        return longest[group.reshape(-1)]

    @cached_property
    def usable(self) -> Longs:
        """When the data of each transfer are usable at its end."""
        delays = np.zeros(len(self.starts), dtype=np.int64)
        np.add.at(delays, self.path_owner, self.problem.timing.links.latencies[self.channels])
        return self.starts + self.holds + delays


def finish_time(problem: Problem, schedule: Schedule) -> int:
    """Return when the last transfer's data are usable, in picoseconds."""
    return int(TimedCase(problem, schedule, 1).usable.max(initial=0))
