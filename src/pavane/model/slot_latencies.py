"""Figures of a table of slots: latency and bandwidth of every pair, use of channels and ports, and size of the tables.

A packet that comes at any time waits until a slot of its pair comes round, and then flies without waiting. So its
worst latency is the longest wait between two slots of the pair, the flight after it, and the slots of the packet after
the first. A table that does not wrap is executed once, and a latency counts from its beginning.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from pavane.errors import InputError, expect
from pavane.model.arrays import Ints, Longs
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.model.slots import channel_uses
from pavane.text import counted
from pavane.text.table import Column, Table


@dataclass(frozen=True, eq=False, repr=False)
class SlotFigures:
    """The figures of a tdm schedule, as `slot_figures` returns them.

    Args:
        problem: A problem under tdm.
        schedule: A schedule of it.

    Example:
        >>> network = pavane.network("ring:4")
        >>> problem = pavane.Problem(network, pavane.pairs([(0, 2)]), pavane.Rules(switching="tdm", ports=1))
        >>> result = pavane.solve(problem)
        >>> pavane.slot_figures(problem, result.schedule).mean_flight
        Fraction(3, 1)
    """

    problem: Problem
    schedule: Schedule

    @cached_property
    def _flights(self) -> Longs:
        """The slots from injection to ejection of each packet."""
        return np.asarray(self.problem.rules.flight(self.schedule.path_lengths.astype(np.int64)))

    @cached_property
    def pairs(self) -> Table:
        """A row for each pair of a sender and a receiver: packets a period, most channels of a path, and worst latency.

        The columns are `from`, `to`, `packets`, `hops`, `wait` and `latency`, the last two in slots.
        """
        schedule, rules = self.schedule, self.problem.rules
        order = np.lexsort((schedule.starts, schedule.receivers, schedule.senders))
        senders, receivers, slots = schedule.senders[order], schedule.receivers[order], schedule.starts[order]
        is_first = np.ones(len(order), dtype=bool)
        is_first[1:] = (senders[1:] != senders[:-1]) | (receivers[1:] != receivers[:-1])
        begins = np.flatnonzero(is_first)
        counts = np.diff(begins, append=len(order))
        if rules.wrap:
            before = np.roll(slots, 1).astype(np.int64)
            # Before the first packet of a pair in a period comes its last one in the period before.
            before[begins] = slots[begins + counts - 1] - schedule.num_steps
            waits = slots - before
        else:
            waits = slots.astype(np.int64) + 1
        latencies = waits + self._flights[order] + rules.packet_slots - 1
        most = [np.maximum.reduceat(one, begins) for one in (schedule.path_lengths[order], waits, latencies)]
        columns = [Column(title, align="right") for title in ("from", "to", "packets", "hops", "wait", "latency")]
        return Table(columns, np.column_stack((senders[begins], receivers[begins], counts, *most)).tolist(), leading=2)

    @property
    def worst_latency(self) -> int:
        """Return the largest worst latency of all pairs, in slots."""
        return max(int(row[-1]) for row in self.pairs.rows)

    @property
    def mean_flight(self) -> Fraction:
        """Return the mean number of slots from injection to ejection, over all packets."""
        return Fraction(int(self._flights.sum()), len(self._flights))

    @property
    def channel_use(self) -> Fraction:
        """Return which part of all slots of channels is used."""
        busy = len(channel_uses(self.problem, self.schedule).steps)
        return Fraction(busy, max(1, self._of_period(self.problem.network.capacity)))

    @property
    def port_use(self) -> Fraction:
        """Return which part of all slots of the ports of processors is used, in and out together."""
        problem = self.problem
        ports = self._of_period(np.concatenate((problem.injection, problem.ejection)))
        return Fraction(2 * len(self.schedule) * problem.rules.packet_slots, ports)

    def _of_period(self, capacities: Ints) -> int:
        """Return the slots that units of some capacities have in a period."""
        return int(capacities.sum(dtype=np.int64)) * self.schedule.num_steps

    @cached_property
    def table_bits(self) -> tuple[int, ...]:
        """The bits of the slot table of each router: for every slot and output port the input port, or none.

        The ports of a processor are ports of its router: an input for what it injects, an output for what it ejects.
        """
        problem, network = self.problem, self.problem.network
        size = network.num_routers

        def of_router(home: Ints, capacities: Ints) -> Longs:
            return np.asarray(np.bincount(home, weights=capacities, minlength=size).astype(np.int64))

        inputs = of_router(network.heads, network.capacity) + of_router(network.router_of, problem.injection)
        outputs = of_router(network.tails, network.capacity) + of_router(network.router_of, problem.ejection)
        return tuple(
            self.schedule.num_steps * ports * choices.bit_length()  # of n inputs or none: ceil(log2(n + 1))
            for ports, choices in zip(outputs.tolist(), inputs.tolist(), strict=True)
        )

    def to_dict(self) -> dict[str, object]:
        """Return the figures for JSON; parts of a whole as numbers up to 1."""
        return {
            "worst_latency": self.worst_latency,
            "mean_flight": float(self.mean_flight),
            "channel_use": float(self.channel_use),
            "port_use": float(self.port_use),
            "table_bits": list(self.table_bits),
        }

    def __str__(self) -> str:
        least, most = min(self.table_bits), max(self.table_bits)
        bits = f"{least:,} to {most:,}" if least < most else f"{most:,}"
        return (
            f"latency at most {counted(self.worst_latency, 'slot')}, mean flight {float(self.mean_flight):.1f}; "
            f"channels {float(self.channel_use):.1%} busy, ports {float(self.port_use):.1%}; "
            f"slot table of {bits} bits a router"
        )

    def __repr__(self) -> str:
        return f"<SlotFigures: {self}>"


def slot_figures(problem: Problem, schedule: Schedule) -> SlotFigures:
    """Return latencies, use and table sizes of a tdm schedule.

    Args:
        problem: A problem under tdm.
        schedule: A schedule of it.

    Returns:
        The figures; `pairs` is the table of all pairs.

    Raises:
        InputError: The problem is not under tdm, or the schedule is empty.

    Example:
        >>> rules = pavane.Rules(switching="tdm", ports=1)
        >>> result = pavane.solve(pavane.Problem(pavane.network("ring:4"), "alltoall", rules))
        >>> figures = pavane.slot_figures(result.problem, result.schedule)
        >>> figures.mean_flight
        Fraction(7, 3)
        >>> figures.pairs.records()[0]["hops"]
        1
    """
    expect(problem, Problem, "problem", "make a `pavane.Problem` under tdm")
    expect(schedule, Schedule, "schedule", "take the schedule of a result")
    if not problem.rules.has_slots:
        raise InputError(f"only tdm has slots, and the problem is under {problem.rules.switching}")
    if not len(schedule):
        raise InputError("the schedule is empty; give one with transfers")
    return SlotFigures(problem, schedule)
