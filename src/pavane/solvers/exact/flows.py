"""Transfers of any routing, and of store-and-forward: one variable per message, channel and step.

In one step the transfers of one message are a flow from locations that have it to locations that get it. Whole flows
fall apart into simple paths, so flows stand for all simple paths and none has to be listed. Under store-and-forward
nothing flows through a router, but for switches that pass: what leaves it was injected there. Where hops over switches
must be shortest, messages flow in the network that has these hops and no others (`unfolded_hops`).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator

import numpy as np

from pavane.model.arrays import Flags
from pavane.model.maximum_flow import hops_of, simple_paths_of
from pavane.model.problem import Problem
from pavane.model.schedule import Transfer
from pavane.model.switch_hops import flows_are_hops, unfolded_hops
from pavane.solvers.exact.program import Literal, Location, ScheduleProgram

Ends = list[list[Location]]
"""For every router the locations there that send, or get, the message; a location may send several times."""

Table = dict[tuple[int, int, int], Literal]
"""Variables by message, location or channel, and step."""


class Flows:
    """Routes the arrivals of a program as flows."""

    def __init__(self, program: ScheduleProgram) -> None:
        self.program, self.network = program, program.problem.network
        self.channel_of = list(range(self.network.num_channels))
        """The channel that each channel of the network of flows stands for."""
        hops = unfolded_hops(program.problem)
        if hops is not None:
            self.network, self.channel_of = hops.network, hops.channel_of.tolist()
        # Copies of switches come after the routers.
        more = self.network.num_routers - len(program.passes)
        self.passes: Flags = np.pad(program.passes, (0, more), constant_values=True)
        self.flows: Table = {}
        self.sends: Table = {}
        self.locations_on: list[list[Location]] = [[] for _ in range(self.network.num_routers)]
        for location, router in program.router_of.items():
            self.locations_on[router].append(location)
        for message in range(len(program.journeys)):
            program.check_time()
            self._send_what_is_held(message)
            self._flow_along_channels(message)
            for step in range(program.num_steps):
                self._conserve(message, step)
                if program.is_stored:
                    self._join_ends_of_hops(message, step)
        if program.is_stored:
            self._order_pieces()
        else:
            program.order_pieces()
        if program.problem.pattern == "private" and not program.is_stored:
            ends = [(journey.origin, *journey.targets) for journey in program.journeys]
            program.order_steps(
                [frozenset((program.injection(origin), program.ejection(target))) for origin, target in ends]
            )

    def _send_what_is_held(self, message: int) -> None:
        """A location sends a message over any number of ports, but only if it has it."""
        program, model = self.program, self.program.model
        journey = program.journeys[message]
        private = program.problem.pattern == "private"
        senders = [*journey.senders(program.num_steps)]
        for location, sending in senders[:1] if private and not program.is_stored else senders:
            degree = int(program.problem.network.out_degrees[program.router_of[location]])
            ports = program.capacity[program.injection(location)] if location >= 0 else degree
            most = min(ports, 1) if private else ports
            for step in sending:
                sent = model.new_bool_var("") if most == 1 else model.new_int_var(0, most, "")
                self.sends[message, location, step] = sent
                if location != journey.origin:
                    model.add(sent <= most * program.holds[message, location, step])
                if location >= 0:
                    program.use(program.injection(location), step, sent)

    def _flow_along_channels(self, message: int) -> None:
        """A channel carries a message or it does not, and is used if it does; with capacity, perhaps several times."""
        program = self.program
        private = program.problem.pattern == "private"
        for channel in self._useful(message) if private else range(self.network.num_channels):
            unit = program.channel_unit[self.channel_of[channel]]
            most = self._most_copies(channel)
            for step in range(program.num_steps):
                flow = program.model.new_bool_var("") if most == 1 else program.model.new_int_var(0, most, "")
                self.flows[message, channel, step] = flow
                program.use(unit, step, flow)

    def _useful(self, message: int) -> list[int]:
        """Return the channels that a private message may take: no detour is longer than what all messages can spare.

        The shortest ways together leave so much of the network unused (gecco08 section 3); a longer detour would have
        to come out of it.
        """
        program, network = self.program, self.program.problem.network
        distances = network.distances.astype(np.int64)
        homes = network.router_of[program.problem.ends]
        room = sum(program.capacity[unit] for unit in set(program.channel_unit))
        spare = program.num_steps * room - int(distances[homes[:, 0], homes[:, 1]].sum())
        start, end = homes[message].tolist()
        before, after = distances[start, network.tails], distances[network.heads, end]
        useful = (before >= 0) & (after >= 0) & (before + 1 + after <= distances[start, end] + spare)
        # A way does not come back to its start or go on from its end, except to rest at another processor there.
        if not program.is_stored or len(self.locations_on[start]) == 1:
            useful &= network.heads != start
        if not program.is_stored or len(self.locations_on[end]) == 1:
            useful &= network.tails != end
        return np.flatnonzero(useful[self.channel_of]).tolist()

    def _conserve(self, message: int, step: int) -> None:
        """What is injected at a router or flows into it flows out of it or is ejected there."""
        program, network = self.program, self.network
        for router in range(network.num_routers):
            here = self.locations_on[router]
            sent, got = _known(self.sends, message, here, step), _known(program.arrives, message, here, step)
            out = _known(self.flows, message, network.out_channels[router], step)
            into = _known(self.flows, message, network.in_channels[router], step)
            program.model.add(sum(sent) + sum(into) == sum(got) + sum(out))
            if program.is_stored and not self.passes[router]:
                program.model.add(sum(sent) >= sum(out))

    def _join_ends_of_hops(self, message: int, step: int) -> None:
        """A hop starts at a router where some location has the message and ends where some location gets it."""
        program, journey = self.program, self.program.journeys[message]
        for channel, (tail, head) in enumerate(self.network.channels.tolist()):
            if (message, channel, step) not in self.flows:
                continue
            flow = self.flows[message, channel, step]
            if not self.passes[head]:
                got = _known(program.arrives, message, self.locations_on[head], step)
                self._carry_only_if(flow, self._most_copies(channel), got)
            if not self.passes[tail] and journey.origin not in self.locations_on[tail]:
                held = _known(program.holds, message, self.locations_on[tail], step)
                self._carry_only_if(flow, self._most_copies(channel), held)

    def _carry_only_if(self, flow: Literal, most: int, reasons: list[Literal]) -> None:
        """A channel carries a message, `most` times at most, if at all, for one of some reasons."""
        if most == 1:
            self.program.model.add_bool_or(~flow, *reasons)
        else:
            self.program.model.add(flow <= most * sum(reasons))

    def _most_copies(self, channel: int) -> int:
        """Return how many copies of one message a channel carries in a step at most, for different locations."""
        program = self.program
        if program.problem.pattern == "private":
            return 1
        carried = int(program.problem.network.capacity[self.channel_of[channel]])
        head = self.network.heads[channel]
        ends_there = program.is_stored and not self.passes[head]
        return min(carried, len(self.locations_on[head])) if ends_there else carried

    def _order_pieces(self) -> None:
        """Pieces of one message may exchange their ways: they enter a far router in the order of channels, then steps.

        Any figure of its own way will do to order them by; this one seldom is the same for two.
        """
        program, network = self.program, self.network
        steps = program.num_steps
        for pair in program.alike:
            entries = network.in_channels[program.router_of[program.farthest(pair[0])]]
            first, second = (
                sum(
                    (steps * number + step) * self.flows[piece, channel, step]
                    for number, channel in enumerate(entries)
                    for step in range(steps)
                    if (piece, channel, step) in self.flows
                )
                for piece in pair
            )
            program.model.add(first <= second)

    # -- answers

    def transfers(self, value: Callable[[Literal], int]) -> Iterator[Transfer]:
        """Yield the transfers that the flows of an answer consist of."""
        program, numbers = self.program, range(self.network.num_channels)
        split = self._hops if program.is_stored else self._paths
        for message in range(len(program.journeys)):
            for step in range(program.num_steps):

                def count(table: Table, place: int, message: int = message, step: int = step) -> int:
                    return value(table[message, place, step]) if (message, place, step) in table else 0

                senders = [[p for p in there for _ in range(count(self.sends, p))] for there in self.locations_on]
                receivers = [[p for p in there if count(program.arrives, p)] for there in self.locations_on]
                channels = [c for c in numbers for _ in range(count(self.flows, c))]
                for sender, receiver, path in split(senders, receivers, channels):
                    yield Transfer(step, sender, receiver, path, (message,))

    def _hops(
        self, senders: Ends, receivers: Ends, channels: list[int]
    ) -> Iterator[tuple[Location, Location, tuple[int, ...]]]:
        """Take a flow apart whose every hop starts at a sender and ends at a receiver; the others are local."""
        taken = np.array(channels, dtype=np.int64)
        for start, path, end in hops_of(self.network, taken, self.passes):
            yield senders[start].pop(), receivers[end].pop(), tuple(self.channel_of[channel] for channel in path)
        for here, there in zip(senders, receivers, strict=True):
            for sender, receiver in zip(here, there, strict=True):
                yield sender, receiver, ()

    def _paths(
        self, senders: Ends, receivers: Ends, channels: list[int]
    ) -> Iterator[tuple[Location, Location, tuple[int, ...]]]:
        """Follow a flow from every sender to the first receiver on the way."""
        starts = [router for router, here in enumerate(senders) for _ in here]
        sending = [sender for here in senders for sender in here]
        apart = simple_paths_of(
            self.program.problem.network, np.array(channels, dtype=np.int64), starts, map(len, receivers)
        )
        for sender, (_, path, end) in zip(sending, apart, strict=True):
            yield sender, receivers[end].pop(), path


def _known(table: Table, message: int, places: Iterable[int], step: int) -> list[Literal]:
    """Return the variables of a message in a step that exist, by locations or channels."""
    return [table[message, place, step] for place in places if (message, place, step) in table]


def num_flows(problem: Problem) -> int:
    """Return the number of variables that one step takes; more than any program has where flows are not enough."""
    if not flows_are_hops(problem):
        return sys.maxsize
    network, hops = problem.network, unfolded_hops(problem)
    num_channels = network.num_channels if hops is None else hops.network.num_channels
    return problem.num_messages * (num_channels + 2 * network.num_processors + network.num_routers)
