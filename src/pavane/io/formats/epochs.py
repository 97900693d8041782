"""Sends in epochs laid on the channels of a network, in steps.

Foreign programs list sends between processors by epoch, and a link may take a part of an epoch for it, or
several epochs. A step is the time that a piece takes on a channel of capacity 1. So an epoch is some steps, and what is
sent in it goes in the first of them, and if need be of the next epochs, in which the channels on its way have room. A
way is a channel, or runs over pure switches that pass. Programs without epochs send as soon as there is room.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from pavane.io.files import File
from pavane.model.messages import Collective
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.model.schedule import Schedule, Transfer
from pavane.model.switch_hops import hops, hops_lead_everywhere
from pavane.text import counted

Ways = dict[tuple[int, int], list[tuple[int, ...]]]
"""The ways from one processor to another that take one step."""


class Send(NamedTuple):
    """Some parts of a message, one after the other, that go from a processor to another from an epoch on."""

    epoch: int
    sender: int
    receiver: int
    ends: tuple[int, ...]
    """The message: its origin and target, or its origin."""
    first: int
    """The number of the first part."""
    num_parts: int
    needed: int | None = None
    """The epoch in which the receiver sends it on, where it does."""
    follows: bool = False
    """Whether it goes as soon as the sender has it and there is room, because its own epoch is not known."""


class PlacedSend(NamedTuple):
    """Parts that go in one step over one way."""

    step: int
    send: Send
    way: tuple[int, ...]
    first: int
    num_pieces: int


def ways_of(problem: Problem) -> Ways:
    """Return the ways of one step between processors; those on one router need no channel."""
    network = problem.network
    between: Ways = {}
    for hop in hops(problem):
        for sender in network.processors_on[hop.tail]:
            for receiver in network.processors_on[hop.head]:
                between.setdefault((sender, receiver), []).append(hop.path)
    for together in network.processors_on:
        between |= {(a, b): [()] for a in together for b in together if a != b}
    return between


def note_unjoined(file: File, problem: Problem, ways: Ways, pairs: set[tuple[int, int]]) -> None:
    """Note between which processors something is sent without a path in the network."""
    unjoined = sorted(pairs - ways.keys())
    if unjoined:
        listed = ", ".join(f"{tail}->{head}" for tail, head in unjoined[:4])
        name = problem.network.name
        file.note(f"{name} has no link for {counted(len(unjoined), 'pair')} that it sends over: {listed}")


def problem_on(network: Network, collective: Collective) -> Problem:
    """Return the problem of schedules that go from GPU to GPU: switches pass, where there are any.

    Switches join GPUs whether or not a way over other GPUs is shorter: where one is, routing is any.
    """
    has_switches = len(np.unique(network.router_of)) < network.num_routers
    rules = Rules("store-and-forward", switches="pass" if has_switches else "hold")
    problem = Problem(network, collective, rules)
    return problem if hops_lead_everywhere(problem) else replace(problem, rules=replace(rules, routing="any"))


def busiest_steps(ways: Ways, capacity: list[int], sends: list[Send]) -> int:
    """Return how many steps the fullest channel needs for what is sent in one epoch, over the first way of each."""
    loads: Counter[tuple[int, int]] = Counter()
    for send in sends:
        for channel in ways.get((send.sender, send.receiver), [()])[0]:
            loads[send.epoch, channel] += send.num_parts
    return max((-(-load // capacity[channel]) for (_, channel), load in loads.items()), default=1)


class Loads:
    """What the channels carry in each step; where switches copy, copies of a piece count once on the way to them."""

    def __init__(self, capacity: list[int], *, switches_copy: bool = False) -> None:
        self.capacity = capacity
        self.switches_copy = switches_copy
        self.used: Counter[tuple[int, int]] = Counter()
        self.copied: dict[tuple[int, int, int, tuple[int, ...], int], int] = {}
        """How many pieces go from a processor over a channel in a step, by their message and the first of them."""
        self.full: dict[int, tuple[int, int]] = {}
        """From which step to which each channel has no room; it may have none before or later, too."""

    def place(
        self, send: Send, between: list[tuple[int, ...]], *, begin: int, cut: int = 1, end: int | None = None
    ) -> list[PlacedSend]:
        """Let all parts of a send, each in `cut` pieces, go from a step on as soon as the ways between have room.

        What would go from step `end` on is left out.
        """
        placed: list[PlacedSend] = []
        step, first, left = begin, send.first * cut, send.num_parts * cut
        while left:
            if not self.switches_copy:
                step = min(max((self._roomy(step, channel) for channel in way), default=step) for way in between)
            if end is not None and step >= end:
                break
            for way in between:
                count = self.room(step, send, way, first, left)
                if count > 0:
                    self.take(step, send, way, first, count)
                    placed.append(PlacedSend(step, send, way, first, count))
                    left, first = left - count, first + count
            step += 1
        return placed

    def _roomy(self, step: int, channel: int) -> int:
        """Return a step from one on before which the channel has no room."""
        begun, end = self.full.get(channel, (0, 0))
        return end if begun <= step < end else step

    def room(self, step: int, send: Send, way: tuple[int, ...], first: int, most: int) -> int:
        """Return how many pieces, beginning with the first, the way can still carry in a step, up to `most`."""
        for channel in way:
            copied = self.copied.get((step, channel, send.sender, send.ends, first), 0)
            most = min(most, copied or self.capacity[channel] - self.used[step, channel])
        return most

    def take(self, step: int, send: Send, way: tuple[int, ...], first: int, count: int) -> None:
        """Let pieces go over the way in a step."""
        for channel in way:
            key = step, channel, send.sender, send.ends, first
            if key not in self.copied:
                self.used[step, channel] += count
                if self.used[step, channel] >= self.capacity[channel]:
                    begun, end = self.full.get(channel, (step, step))
                    self.full[channel] = (begun, step + 1) if step == end else (step, step + 1)
                if self.switches_copy:
                    self.copied[key] = count


def place_in_time(
    ways: Ways, capacity: list[int], sends: list[Send], *, cut: int, per_epoch: int, heeds_needs: bool = True
) -> list[PlacedSend] | None:
    """Lay sends, each part in `cut` pieces, an epoch in `per_epoch` steps; None where something comes too late.

    Too late is what does not go at the full speed of its way, or not before it is sent on; the latter may be left to
    the judge (`heeds_needs`). So are switches that copy, and what has no way at all: an empty one stands for it.
    """
    loads = Loads(capacity, switches_copy=True)
    laid: list[PlacedSend] = []
    arrived: dict[tuple[int, tuple[int, ...], int], int] = {}
    for send in sends:
        left, step = send.num_parts * cut, send.epoch * per_epoch
        between = ways.get((send.sender, send.receiver), [()])
        speed = sum(min((capacity[channel] for channel in way), default=left) for way in between)
        end = send.epoch - (-left // (speed * per_epoch))
        if heeds_needs and send.needed is not None and send.needed > send.epoch:
            end = min(end, send.needed)
        if send.follows:
            step = max(step, arrived.get((send.sender, send.ends, send.first), -1) + 1)
        placed = loads.place(send, between, begin=step, cut=cut, end=None if send.follows else end * per_epoch)
        if sum(each.num_pieces for each in placed) < left:
            return None
        laid += placed
        arrived[send.receiver, send.ends, send.first] = placed[-1].step
    return laid


def in_used_steps(transfers: list[Transfer]) -> Schedule:
    """Return the schedule of some transfers, without the steps in which nothing goes."""
    index_of = {step: index for index, step in enumerate(sorted({transfer.step for transfer in transfers}))}
    return Schedule.from_transfers([t._replace(step=index_of[t.step]) for t in transfers], len(index_of))


def build_schedule(problem: Problem, laid: list[PlacedSend]) -> Schedule:
    """Return the schedule of what was laid, without the steps in which nothing goes."""
    steps = sorted({each.step for each in laid})
    index_of = {step: index for index, step in enumerate(steps)}
    counts = np.array([each.num_pieces for each in laid], dtype=np.int64)
    owner = np.repeat(np.arange(len(laid)), counts)
    numbers = np.array([each.first for each in laid], dtype=np.int64)[owner]
    numbers += np.arange(len(owner)) - (np.cumsum(counts) - counts)[owner]
    ends = np.array([each.send.ends for each in laid], dtype=np.int64).reshape(len(laid), -1)
    labels = np.column_stack((ends[owner], numbers)) if problem.has_pieces else ends[owner]
    # A problem without pieces has no numbers for them: a second piece of a message does not exist.
    messages = problem.message_numbers(labels)
    if not problem.has_pieces:
        messages = np.where(numbers == 0, messages, -1)
    lengths = np.array([len(each.way) for each in laid], dtype=np.int64)
    return Schedule.from_columns(
        len(steps),
        np.array([index_of[each.step] for each in laid], dtype=np.int64)[owner],
        np.array([each.send.sender for each in laid], dtype=np.int64)[owner],
        np.array([each.send.receiver for each in laid], dtype=np.int64)[owner],
        (lengths[owner], [channel for each in laid for _ in range(each.num_pieces) for channel in each.way]),
        messages,
    )
