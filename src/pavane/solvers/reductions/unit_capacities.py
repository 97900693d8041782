"""Capacities as parallel channels, for solvers that know channels of one message a step only.

A channel that carries c messages a step is c parallel channels of one each: the same routers, ports and distances, and
any load of the one can be divided among the others. So a schedule of the expanded problem is one of the original, with
channel numbers translated, and vice versa.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pavane.errors import InputError
from pavane.model.arrays import Ints
from pavane.model.network import Network
from pavane.model.problem import Problem
from pavane.solvers.reductions.reduction import Reduction

MOST_CHANNELS = 2_000_000
"""Lists of more parallel channels take too much memory."""


def with_unit_capacities(problem: Problem) -> tuple[Problem, Ints]:
    """Return the problem with parallel channels for capacities, and the original channel of each."""
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
    return replace(problem, network=expanded), channel_of


UNIT_CAPACITIES = Reduction(
    "capacities",
    accepts=lambda problem: problem.network.capacities is not None,
    apply=with_unit_capacities,
    invert=lambda schedule, channel_of: schedule.with_columns(path_channels=channel_of[schedule.path_channels]),
    # Certificates may refer to the parallel channels.
    lift=lambda bounds, _: tuple(bound for bound in bounds if "channels" not in bound.certificate),
)
