"""A problem as columns of numbers, made once: what the kernels that pack whole paths into steps read.

With a group of symmetries that move every message and channel (see `orbits`), one of each orbit stands for all. Units
of capacity are channels, links or orbits of channels; where some carry several messages in a step, the fabric says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pavane.model.arrays import Ints, Longs
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.solvers.kernels.wiring import Wiring
from pavane.solvers.large_scatter.kernels.shortest_paths import Messages, ScatterFabric
from pavane.symmetry.involutions import Symmetry

MOST_BYTES = 2**30
"""The most memory that a table of all steps may take; beyond, there is no answer."""

NO_LIMIT = 2**31 - 1
"""More than any load, and the capacity of port 0."""


@dataclass(frozen=True, eq=False)
class PackedSchedule:
    """A path and a step for every message of the columns."""

    num_steps: int
    step_of: Ints
    path_lengths: Longs
    paths: Ints

    @classmethod
    def of(cls, schedule: Schedule) -> PackedSchedule:
        """Read a schedule with one transfer for every message by messages instead of steps."""
        order = np.argsort(schedule.messages, kind="stable")
        lengths = np.diff(schedule.path_offsets)[order].astype(np.int64)
        first_hops = np.repeat(schedule.path_offsets[:-1][order], lengths)
        return cls(
            schedule.num_steps,
            schedule.steps[order].astype(np.int32),
            lengths,
            schedule.path_channels[first_hops + positions(lengths)].astype(np.int32),
        )


@dataclass(frozen=True, eq=False)
class ScatterArrays:
    """The messages to be packed and what they run on; with a group, one message and one channel of each orbit."""

    problem: Problem
    group: Sequence[Symmetry]
    numbers: Longs
    """Which messages of the problem they are."""
    fabric: ScatterFabric
    num_units: int
    messages: Messages
    path_lengths: Longs
    port_capacity: Ints
    """By port; port 0 stands for all that never bind."""

    @classmethod
    def of(cls, problem: Problem, group: Sequence[Symmetry] = ()) -> ScatterArrays:
        """Write out a problem, or one message and one channel of each orbit of a group without its identity."""
        network = problem.network
        numbers = _firsts([symmetry.messages for symmetry in group], problem.num_messages)
        unit_of = (
            orbit_numbers([symmetry.channels for symmetry in group], network.num_channels) if group else problem.units
        )
        sources, targets = (network.router_of[problem.ends[numbers, side]] for side in (0, 1))
        path_lengths = network.distances[sources, targets].astype(np.int64)
        path_offsets = np.concatenate(([0], np.cumsum(path_lengths)))
        ports, port_capacity = _ports(problem, numbers, path_lengths)
        num_units = int(unit_of.max(initial=-1)) + 1 if group else network.num_channels
        return cls(
            problem,
            group,
            numbers,
            ScatterFabric(_wiring(problem), network.distances, unit_of, _unit_capacity(problem, unit_of, num_units)),
            num_units,
            Messages(sources, targets, path_offsets, ports),
            path_lengths,
            port_capacity,
        )

    @property
    def unit_capacity(self) -> Ints:
        """Return the most messages through each unit in one step."""
        capacity: Ints | None = self.fabric.capacity
        return np.ones(self.num_units, dtype=np.int32) if capacity is None else capacity

    @property
    def variant(self) -> str:
        """Return the variant of kernels that are called with its fabric, which has capacities or none."""
        return "" if self.fabric.capacity is None else "capacities"

    @property
    def num_messages(self) -> int:
        """Return the number of messages to be packed."""
        return len(self.numbers)

    @property
    def num_hops(self) -> int:
        """Return the number of channels of all paths together."""
        return int(self.messages.path_offsets[-1])

    def schedule(self, packed: PackedSchedule) -> Schedule:
        """Return what is packed as a schedule of all messages."""
        return self.schedule_of(np.arange(self.num_messages), packed)

    def schedule_of(self, some: Longs, packed: PackedSchedule) -> Schedule:
        """Return what is packed of some of the messages as a schedule."""
        copies, numbers = 1 + len(self.group), self.numbers[some]
        messages = np.concatenate([numbers, *(symmetry.messages[numbers] for symmetry in self.group)])
        paths = np.concatenate([packed.paths, *(symmetry.channels[packed.paths] for symmetry in self.group)])
        labels = self.problem.ends[messages]
        return Schedule.from_columns(
            packed.num_steps,
            np.tile(packed.step_of, copies),
            labels[:, 0],
            labels[:, 1],
            np.tile(packed.path_lengths, copies),
            paths,
            np.ones(len(messages), dtype=np.int64),
            messages,
        )


def without_empty_steps(step_of: Ints) -> tuple[int, Ints]:
    """Return the number of steps in which there is a message, and the steps numbered without the others."""
    used, numbers = np.unique(step_of, return_inverse=True)
    return len(used), numbers.reshape(-1).astype(np.int32)


def positions(lengths: Longs) -> Longs:
    """Count from 0 within each of several runs of the given lengths, one after the other."""
    ends = np.cumsum(lengths)
    return np.arange(int(ends[-1])) - np.repeat(ends - lengths, lengths)


def orbit_numbers(images: Sequence[Longs], size: int) -> Ints:
    """Number the orbits; return that of each thing."""
    firsts = np.minimum.reduce([np.arange(size), *images])
    return np.unique(firsts, return_inverse=True)[1].reshape(-1).astype(np.int32)


def _wiring(problem: Problem) -> Wiring:
    network = problem.network
    tails, heads = np.ascontiguousarray(network.tails), np.ascontiguousarray(network.heads)
    return Wiring(tails, heads, *network.outgoing, *network.incoming)


def _unit_capacity(problem: Problem, unit_of: Ints, num_units: int) -> Ints | None:
    """Return the capacity of each unit, no more than there are messages; None where all are 1."""
    network = problem.network
    if network.capacities is None:
        return None
    capacity = np.ones(num_units, dtype=np.int32)
    capacity[unit_of] = np.minimum(network.capacities, problem.num_messages)
    return capacity


def _firsts(images: Sequence[Longs], size: int) -> Longs:
    """Return the numbers that are the least of their orbits."""
    firsts = np.ones(size, dtype=bool)
    for image in images:
        firsts &= np.arange(size) < image
    return np.flatnonzero(firsts)


def _ports(problem: Problem, messages: Longs, path_lengths: Longs) -> tuple[Ints, Ints]:
    """Return the two ports of each message, and the capacity of each port.

    Port 0 stands for all that can never be the bottleneck, because every message through them takes one of no more
    channels: all-port models need no tables.
    """
    network = problem.network
    arrays, capacities = [], [np.array([NO_LIMIT])]
    num_ports = 1
    for side, capacity, degrees in (
        (0, problem.injection, network.out_degrees),
        (1, problem.ejection, network.in_degrees),
    ):
        ends = problem.ends[messages, side]
        binds = capacity < degrees[network.router_of]
        # Messages within one router take no channel.
        binds[ends[path_lengths == 0]] = True
        mine = np.unique(ends[binds[ends]])
        number_of = np.zeros(network.num_processors, dtype=np.int32)
        number_of[mine] = num_ports + np.arange(len(mine))
        num_ports += len(mine)
        arrays.append(number_of[ends])
        capacities.append(capacity[mine])
    return np.column_stack(arrays), np.concatenate(capacities).astype(np.int32)
