"""One schedule before the judge: its columns as the rules read them, and how its transfers are called."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cached_property
from itertools import islice, pairwise
from typing import Any, Protocol, TypeVar

import numpy as np

from pavane.judge.violation import Rule, Violation
from pavane.model.arrays import Flags, Ints, Longs
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule

MOST_HOPS_AT_ONCE = 2**18
"""Transfers and channels of paths that are read together: more of them leave the processor's cache, which takes twice
the time; fewer take time for each part."""

MOST_ROUTERS_TABLED = 4096
"""Up to this many routers the judge has a table of all distances, of no more than 32 MB."""

TIMES_LARGER_PARTS = 16
"""How many times as large parts are without that table: distances are measured for each of them."""


Made = TypeVar("Made")


class SentMessages(Protocol):
    """Messages that are sent, with the transfer of each."""

    @property
    def owner(self) -> Longs:
        """Return the transfer that carries each message."""

    @property
    def messages(self) -> Longs:
        """Return the number of each message."""


class Verification:
    """A schedule under verification, and the maximum number of violations reported per rule."""

    def __init__(self, problem: Problem, schedule: Schedule, most: int, *, is_part: bool = False) -> None:
        self.problem, self.schedule, self.most = problem, schedule, most
        self._made: dict[Callable[[Any], Any], Any] = {}
        self.is_part = is_part
        """Whether this is one of several parts of a schedule."""
        self.network = problem.network
        self.num_locations = self.network.num_processors + self.network.num_routers
        """Locations are processors, then routers as pure switches."""
        rules = problem.rules
        self.has_slots = rules.switching == "tdm"
        self.unit = "slot" if self.has_slots else "step"
        self.busy = rules.packet_slots if self.has_slots else 1
        """For how many steps a transfer uses each channel and port."""
        self.is_round = self.has_slots and rules.wrap
        """Whether the schedule repeats, and slots are counted round."""

    def made(self, maker: Callable[[Any], Made]) -> Made:
        """Return what several rules read, which the first of them makes."""
        if maker not in self._made:
            self._made[maker] = maker(self)
        made: Made = self._made[maker]
        return made

    def set_made(self, maker: Callable[[Any], Made], made: Made) -> None:
        """Give what rules read, instead of what its maker would make."""
        self._made[maker] = made

    # Columns of a large schedule are made when a rule reads them: parts of it and the whole read different ones.

    @cached_property
    def senders(self) -> Longs:
        """The location that each transfer starts from; -1 where nothing can rest."""
        return self._locations(self.schedule.senders)

    @cached_property
    def receivers(self) -> Longs:
        """The location that each transfer ends at; -1 where nothing can rest."""
        return self._locations(self.schedule.receivers)

    @cached_property
    def owner(self) -> Longs:
        """The transfer that each carried message belongs to."""
        return np.repeat(np.arange(len(self.schedule)), self.schedule.payloads)

    @cached_property
    def is_known(self) -> Flags:
        """Whether each carried message is one of the collective."""
        return (self.schedule.messages >= 0) & (self.schedule.messages < self.problem.num_messages)

    @cached_property
    def lengths(self) -> Longs:
        """The number of channels of each path."""
        return self.schedule.path_lengths

    @cached_property
    def channels(self) -> Longs:
        """The channels of all paths."""
        return self.schedule.path_channels.astype(np.int64)

    @cached_property
    def exists(self) -> Flags:
        """Whether the network has each listed channel."""
        return (self.channels >= 0) & (self.channels < self.network.num_channels)

    @cached_property
    def path_owner(self) -> Longs:
        """The transfer that each listed channel belongs to."""
        return np.repeat(np.arange(len(self.schedule)), self.schedule.path_lengths)

    @cached_property
    def flights(self) -> Longs:
        """The steps from each transfer's injection to its ejection: none, or under tdm as many as its path takes."""
        lengths = self.schedule.path_lengths.astype(np.int64)
        flights: Longs = self.problem.rules.flight(lengths) if self.has_slots else np.zeros_like(lengths)
        return flights

    @cached_property
    def usable(self) -> Longs:
        """When what each transfer carries can be sent on: in the step after the last in which it uses a port."""
        return self.schedule.starts + self.flights + self.busy

    def parts(self) -> Iterator[Verification]:
        """Yield parts of some steps each that are not too large to be read at once; the whole where it is not."""
        is_in_order = not (self.schedule.starts[1:] < self.schedule.starts[:-1]).any()
        if self.has_slots or self.problem.has_times or not is_in_order:
            yield self  # what may meet must be in one part
        else:
            yield from self.blocks()

    def blocks(self) -> Iterator[Verification]:
        """Yield some of the transfers each, one after another; what is in different blocks may meet."""
        schedule, size = self.schedule, len(self.schedule)
        hops = schedule.path_offsets + np.arange(size + 1)
        limit = MOST_HOPS_AT_ONCE * (1 if self.network.num_routers <= MOST_ROUTERS_TABLED else TIMES_LARGER_PARTS)
        if hops[-1] <= limit:
            yield self
            return
        begins = np.flatnonzero(np.diff(schedule.starts, prepend=-1, append=schedule.num_steps))
        # A part ends with the step in which its number of hops comes to the limit.
        ends = np.flatnonzero(np.diff(hops[begins] // limit, append=-1))
        for first, last in pairwise((0, *begins[ends].tolist())):
            yield Verification(self.problem, _transfers(schedule, first, last), self.most, is_part=True)

    def _locations(self, ends: Ints) -> Longs:
        num_processors, network = self.network.num_processors, self.network
        if ((ends >= 0) & (ends < num_processors)).all():
            return ends.astype(np.int64)
        code = np.where(ends >= 0, ends.astype(np.int64), num_processors + ~ends.astype(np.int64))
        is_switch = np.bincount(network.router_of, minlength=network.num_routers) == 0
        rules = self.problem.rules
        may_rest = rules.switching == "store-and-forward" and rules.switches == "hold"
        allowed = np.concatenate((np.ones(num_processors, dtype=bool), is_switch & may_rest))
        inside = np.where(ends >= 0, ends < num_processors, ~ends < network.num_routers)
        return np.where(inside & allowed[np.where(inside, code, 0)], code, -1)

    def routers(self, locations: Longs) -> Longs:
        """Return the router of each location, -1 for none."""
        homes = np.concatenate((self.network.router_of, np.arange(self.network.num_routers))).astype(np.int64)
        return np.where(locations >= 0, homes[locations], -1)

    def first(self, wrong: Flags) -> list[int]:
        """Return the indices of the first violations, at most as many as are reported."""
        indices: list[int] = np.flatnonzero(wrong)[: self.most].tolist()
        return indices

    # -- words

    def of_transfers(self, rule: Rule, wrong: Flags, text: Callable[[int], str]) -> Iterator[Violation]:
        """Report transfers that break a rule, each with its own text."""
        for i in self.first(wrong):
            transfer = self.schedule.transfer(i)
            yield Violation(
                rule,
                f"{self.transfer(i)}: {text(i)}",
                self.step(i),
                transfer.messages[0] if transfer.messages else None,
                transfer.path[0] if transfer.path else None,
                i,
            )

    def of_messages(self, rule: Rule, sent: SentMessages, wrong: Iterable[int], text: str) -> Iterator[Violation]:
        """Report messages that are sent against a rule, by their indices among all that are sent."""
        for index in islice(wrong, self.most):
            owner, message = int(sent.owner[index]), int(sent.messages[index])
            where = f"{self.transfer(owner)}: message {self.label(message)}"
            yield Violation(rule, f"{where} {text}", self.step(owner), message, transfer=owner)

    def resting_messages(self) -> tuple[Longs, Longs]:
        """Return the messages that are sent between locations where they can rest, and the transfer of each first."""
        rests = self.is_known & (self.senders[self.owner] >= 0) & (self.receivers[self.owner] >= 0)
        return self.owner[rests], self.schedule.messages[rests].astype(np.int64)

    def step(self, i: int) -> int | None:
        """Return the step of a transfer; None where it has a start time."""
        return None if self.problem.has_times else int(self.schedule.starts[i])

    def transfer(self, i: int) -> str:
        """Name a transfer by its step and its ends."""
        transfer = self.schedule.transfer(i)
        sender, receiver = (str(end) if end >= 0 else f"r{~end}" for end in (transfer.sender, transfer.receiver))
        return f"{self.unit} {transfer.start + 1}, transfer {sender} to {receiver}"

    def label(self, message: int) -> str:
        """Name a message by its label."""
        ends = "-".join(str(p) for p in self.problem.ends[message].tolist())
        return f"{ends}, piece {self.problem.labels[message, -1]}," if self.problem.has_pieces else ends

    def channel(self, channel: int) -> str:
        """Name a channel by its routers."""
        tail, head = self.network.channels[channel].tolist()
        return f"{self.network.routers[tail]}>{self.network.routers[head]}"


def _transfers(schedule: Schedule, first: int, last: int) -> Schedule:
    """Return some of the transfers of a schedule, in the steps that they have there."""
    paths, payloads = schedule.path_offsets[first : last + 1], schedule.message_offsets[first : last + 1]
    return replace(
        schedule,
        starts=schedule.starts[first:last],
        senders=schedule.senders[first:last],
        receivers=schedule.receivers[first:last],
        path_offsets=paths - paths[0],
        path_channels=schedule.path_channels[paths[0] : paths[-1]],
        message_offsets=payloads - payloads[0],
        messages=schedule.messages[payloads[0] : payloads[-1]],
    )
