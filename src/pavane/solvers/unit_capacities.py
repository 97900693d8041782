"""Capacities as parallel channels, for solvers that know channels of one message a step only.

A channel that carries c messages a step is c parallel channels of one each: the same routers, ports and distances, and
any load of the one can be divided among the others. So a schedule of the expanded problem is one of the original, with
channel numbers translated, and vice versa.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from pavane.errors import InputError
from pavane.model.arrays import Ints
from pavane.model.network import Network
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule

MOST_CHANNELS = 2_000_000
"""Lists of more parallel channels take too much memory."""


@dataclass(frozen=True)
class ExpandedProblem:
    """A problem with parallel channels for capacities."""

    problem: Problem
    channel_of: Ints
    """The original channel of each parallel channel."""

    @classmethod
    def of(cls, problem: Problem) -> ExpandedProblem:
        """Expand the capacities of a problem into parallel channels."""
        network = problem.network
        num_channels = int(network.capacity.sum(dtype=np.int64))
        if num_channels > MOST_CHANNELS:
            raise InputError(
                f"network {network.name}: its capacities add up to {num_channels:,}; up to {MOST_CHANNELS:,} can be "
                "expanded into parallel channels, so divide all by a number"
            )
        channel_of = np.repeat(np.arange(network.num_channels), network.capacity).astype(np.int32)
        expanded = Network(
            network.name,
            network.routers,
            network.channels[channel_of],
            network.router_of,
            network.positions,
            network.grid,
        )
        return cls(replace(problem, network=expanded), channel_of)

    def original_schedule(self, schedule: Schedule) -> Schedule:
        """Translate a schedule of the expanded problem into one of the original."""
        return schedule.with_columns(path_channels=self.channel_of[schedule.path_channels])
