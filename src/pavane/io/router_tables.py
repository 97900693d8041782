"""Slot tables of routers: the input port that each output port takes its packet from, slot by slot.

The ports of a router are its channels in the order of their numbers, then a local port for each of its processors; a
pure switch at which messages rest has a port to its memory. A step is a slot, numbered from 0. Under tdm the slot of an
entry is the one in which the output is used: the packet was at the input one router delay earlier, and one link delay
before that where the output is a channel.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from pavane.model.network import Network
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule, Transfer
from pavane.model.symmetric_schedule import SymmetricSchedule


class RouterPort(NamedTuple):
    """A port of a router: a channel, the local port of a processor, or that of a switch's memory."""

    kind: str
    """`channel`, `processor` or `memory`; in a table for all routers `kind`."""
    number: int
    """The number of the channel, processor or kind of channels; for a memory that of the switch."""


class PortUse(NamedTuple):
    """One output port of a router that takes a packet from an input port in a slot."""

    slot: int
    router: int
    output: RouterPort
    input: RouterPort


@dataclass(frozen=True)
class RouterTable:
    """The slot table of one router."""

    router: int
    num_slots: int
    outputs: tuple[RouterPort, ...]
    inputs: tuple[RouterPort, ...]
    entries: dict[tuple[int, int], list[int]] = field(default_factory=dict)
    """The inputs, by their position, that an output takes from in a slot; idle outputs have no entry."""

    @property
    def select_bits(self) -> int:
        """Return the bits that name an input, or none: ceil(log2(inputs + 1))."""
        return len(self.inputs).bit_length()

    @property
    def word_bits(self) -> int:
        """Return the bits of one slot."""
        return len(self.outputs) * self.select_bits

    @property
    def bits(self) -> int:
        """Return the bits of the whole table."""
        return self.num_slots * self.word_bits

    def word(self, slot: int) -> int:
        """Return the code of a slot: 1 + the input of each output, 0 where it is idle, output 0 in the lowest bits."""
        code = 0
        for output in range(len(self.outputs)):
            for taken in self.entries.get((slot, output), ()):
                code |= (taken + 1) << (output * self.select_bits)
        return code


def tables_of(problem: Problem, schedule: Schedule) -> list[RouterTable]:
    """Return the table of every router."""
    network = problem.network
    resting = {~end for end in (*schedule.senders.tolist(), *schedule.receivers.tolist()) if end < 0}
    tables = []
    for router in range(network.num_routers):
        local = [RouterPort("processor", each) for each in network.processors_on[router]]
        local += [RouterPort("memory", router)] if router in resting else []
        outputs, inputs = (
            (*(RouterPort("channel", each) for each in channels[router]), *local)
            for channels in (network.out_channels, network.in_channels)
        )
        tables.append(RouterTable(router, schedule.num_steps, outputs, inputs))
    output_of = [{port: index for index, port in enumerate(table.outputs)} for table in tables]
    input_of = [{port: index for index, port in enumerate(table.inputs)} for table in tables]
    for use in port_uses(problem, schedule):
        key = use.slot, output_of[use.router][use.output]
        tables[use.router].entries.setdefault(key, []).append(input_of[use.router][use.input])
    return tables


def table_of_kinds(problem: Problem, table: SymmetricSchedule) -> RouterTable:
    """Return the table that all routers have, with kinds of channels as ports; for tables without clocks.

    In a step every router sends and passes on the same kinds of channels, because all do the same rows, translated.
    """
    rules, num_kinds = problem.rules, len(problem.network.out_channels[0])
    local = num_kinds
    ports = (*(RouterPort("kind", kind) for kind in range(num_kinds)), RouterPort("processor", 0))
    made = RouterTable(0, table.num_steps, ports, ports)
    for row, start in enumerate(table.steps.tolist()):
        word = [kind for kind, length in table.row_path(row) for _ in range(length)]
        hops = [(start, [local, *word, local])]
        if rules.switching == "store-and-forward":
            hops = [(start + hop, [local, kind, local]) for hop, kind in enumerate(word)]
        for first, through in hops:
            for hop, (taken, output) in enumerate(pairwise(through)):
                slot = first
                if rules.has_slots:
                    slot += (hop + 1) * rules.hop_slots if output != local else rules.flight(len(word))
                for each in _occupied(problem, table, slot):
                    made.entries.setdefault((each, output), []).append(taken)
    return made


def port_uses(problem: Problem, schedule: Schedule) -> Iterator[PortUse]:
    """Yield what every transfer uses: an output and an input at each router of its path, in each of its slots."""
    rules, network = problem.rules, problem.network
    for transfer in schedule:
        start, length = transfer.start, len(transfer.path)
        ports = [
            _local_port(transfer.sender),
            *(RouterPort("channel", channel) for channel in transfer.path),
            _local_port(transfer.receiver),
        ]
        routers = [*network.tails[list(transfer.path)].tolist(), _router_of(network, transfer.receiver)]
        for hop, router in enumerate(routers):
            slot = start
            if rules.has_slots:
                slot += (hop + 1) * rules.hop_slots if hop < length else rules.flight(length)
            for each in _occupied(problem, schedule, slot):
                yield PortUse(each, router, ports[hop + 1], ports[hop])


def crowded_port(problem: Problem, schedule: Schedule) -> str | None:
    """Return in words which port has several transfers in one slot; None where each has one at most.

    Transfers of the same messages from one processor count once: a router may copy what enters.
    """
    unit = "slot" if problem.rules.has_slots else "step"
    loads = Counter((use.slot, use.router, use.output) for use in port_uses(problem, schedule))
    for (slot, router, port), load in loads.items():
        if load > 1:
            name = problem.network.routers[router]
            return f"{load} transfers leave router {name} to {port.kind} {port.number} in {unit} {slot + 1}"
    sent: dict[tuple[int, int], Transfer] = {}
    for transfer in schedule:
        for slot in _occupied(problem, schedule, transfer.start):
            other = sent.setdefault((slot, transfer.sender), transfer)
            if (other.messages, other.start) != (transfer.messages, transfer.start):
                port = _local_port(transfer.sender)
                return f"{port.kind} {port.number} sends several transfers in {unit} {slot + 1}"
    return None


def _occupied(problem: Problem, schedule: Schedule | SymmetricSchedule, slot: int) -> Iterator[int]:
    """Yield the slots from one on in which a transfer uses a port."""
    rules = problem.rules
    for each in range(slot, slot + (rules.packet_slots if rules.has_slots else 1)):
        yield each % schedule.num_steps if rules.wrap else each


def _local_port(location: int) -> RouterPort:
    return RouterPort("processor", location) if location >= 0 else RouterPort("memory", ~location)


def _router_of(network: Network, location: int) -> int:
    return int(network.router_of[location]) if location >= 0 else ~location
