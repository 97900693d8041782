"""A scatter problem as arrays for the kernels, and a schedule of it as arrays.

With a group of symmetries that move every message and channel (see `symmetry.orbits`), one of each orbit stands for
all. Units of capacity are channels, links or orbits of channels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pavane.model.arrays import Ints, Longs, ranges
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.solvers.kernels.wiring import Wiring
from pavane.solvers.large_scatter.kernels.shortest_paths import Messages, ScatterFabric
from pavane.solvers.slot_timing import Timing
from pavane.symmetry.involutions import Symmetry

MOST_BYTES = 2**30
"""The most memory of a table of all steps; a search that needs more returns nothing."""

NO_LIMIT = 2**31 - 1
"""More than any load, and the capacity of port 0."""

NO_STEP = -1
"""The step of a message that is not placed."""


@dataclass(frozen=True, eq=False)
class PackedSchedule:
    """A schedule, complete or under construction: a path and a step, or NO_STEP, for every message of the arrays."""

    num_steps: int
    step_of: Ints
    path_lengths: Longs
    paths: Ints
    """The channels of all paths, one message after the other."""

    @classmethod
    def of(cls, schedule: Schedule) -> PackedSchedule:
        """Read a schedule with one transfer for every message, ordered by messages instead of steps."""
        order = np.argsort(schedule.messages, kind="stable")
        lengths = np.diff(schedule.path_offsets)[order].astype(np.int64)
        channels = schedule.path_channels[ranges(schedule.path_offsets[:-1][order], lengths)]
        return cls(schedule.num_steps, schedule.starts[order].astype(np.int32), lengths, channels.astype(np.int32))

    def without_empty_steps(self) -> PackedSchedule:
        """Return a complete schedule with only the steps that have a message, in their order."""
        used, numbers = np.unique(self.step_of, return_inverse=True)
        return PackedSchedule(len(used), numbers.reshape(-1).astype(np.int32), self.path_lengths, self.paths)


@dataclass(frozen=True, eq=False)
class ScatterArrays:
    """The messages of a problem and the network they use; with a group, one message and channel of each orbit."""

    problem: Problem
    group: Sequence[Symmetry]
    numbers: Longs
    """The numbers of the messages in the problem."""
    fabric: ScatterFabric
    num_units: int
    messages: Messages
    path_lengths: Longs
    port_capacity: Ints
    """By port; port 0 stands for all ports that never bind."""

    @classmethod
    def of(cls, problem: Problem, group: Sequence[Symmetry] = ()) -> ScatterArrays:
        """Return the arrays of a problem; the group, if any, is given without its identity."""
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
        """The most messages through each unit in one step."""
        capacity: Ints | None = self.fabric.capacity
        return np.ones(self.num_units, dtype=np.int32) if capacity is None else capacity

    @property
    def delays(self) -> Longs | None:
        """The slots from one channel to the next, from the last one to the port, and of one use; None in steps."""
        if not self.problem.rules.has_slots:
            return None
        timing = Timing.of(self.problem)
        return np.array([timing.hop, timing.router, timing.busy], dtype=np.int64)

    @property
    def variant(self) -> str:
        """The variant of kernels that take the fabric, with capacities or without, in slots or in steps."""
        return ("" if self.fabric.capacity is None else "capacities") + ("" if self.delays is None else "slots")

    @property
    def num_messages(self) -> int:
        """The number of messages."""
        return len(self.numbers)

    @property
    def num_hops(self) -> int:
        """The number of channels of all paths together."""
        return int(self.messages.path_offsets[-1])

    def empty_schedule(self, num_steps: int) -> PackedSchedule:
        """Return a schedule in which no message has a step."""
        step_of = np.full(self.num_messages, NO_STEP, dtype=np.int32)
        return PackedSchedule(num_steps, step_of, self.path_lengths, np.zeros(self.num_hops, dtype=np.int32))

    def schedule(self, packed: PackedSchedule) -> Schedule:
        """Return a packed schedule as a schedule of all messages of the problem."""
        return self.schedule_of(np.arange(self.num_messages), packed)

    def schedule_of(self, selected: Longs, packed: PackedSchedule) -> Schedule:
        """Return the packed schedule of selected messages, with those of their orbits, as a schedule."""
        copies, numbers = 1 + len(self.group), self.numbers[selected]
        messages = np.concatenate([numbers, *(symmetry.messages[numbers] for symmetry in self.group)])
        paths = np.concatenate([packed.paths, *(symmetry.channels[packed.paths] for symmetry in self.group)])
        labels = self.problem.ends[messages]
        return Schedule.from_columns(
            packed.num_steps,
            np.tile(packed.step_of, copies),
            labels[:, 0],
            labels[:, 1],
            (np.tile(packed.path_lengths, copies), paths),
            messages,
        )


def orbit_numbers(images: Sequence[Longs], size: int) -> Ints:
    """Return the number of each element's orbit."""
    firsts = np.minimum.reduce([np.arange(size), *images])
    return np.unique(firsts, return_inverse=True)[1].reshape(-1).astype(np.int32)


def _wiring(problem: Problem) -> Wiring:
    network = problem.network
    tails, heads = network.tails.copy(), network.heads.copy()  # of one type, whatever the network
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
    """Return the numbers that are the smallest of their orbits."""
    firsts = np.ones(size, dtype=bool)
    for image in images:
        firsts &= np.arange(size) < image
    return np.flatnonzero(firsts)


def _ports(problem: Problem, messages: Longs, path_lengths: Longs) -> tuple[Ints, Ints]:
    """Return the two ports of each message, and the capacity of each port.

    Port 0 stands for all ports that never bind because the router has no more channels than the port has capacity:
    all-port models need no tables.
    """
    network = problem.network
    columns, capacities = [], [np.array([NO_LIMIT])]
    num_ports = 1
    for side, capacity, degrees in (
        (0, problem.injection, network.out_degrees),
        (1, problem.ejection, network.in_degrees),
    ):
        ends = problem.ends[messages, side]
        binds = capacity < degrees[network.router_of]
        # Messages within one router use no channel.
        binds[ends[path_lengths == 0]] = True
        binding = np.unique(ends[binds[ends]])
        number_of = np.zeros(network.num_processors, dtype=np.int32)
        number_of[binding] = num_ports + np.arange(len(binding))
        num_ports += len(binding)
        columns.append(number_of[ends])
        capacities.append(capacity[binding])
    return np.column_stack(columns), np.concatenate(capacities).astype(np.int32)
