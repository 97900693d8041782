"""Time-division multiplexing: what a table of slots shares with a schedule of steps.

A packet that is injected in slot t uses the sender's port in t, channel number i of its path in t + i * (router delay +
link delay), and the receiver's port one router delay after its last channel. It uses each of them for as many slots as
it has, and waits nowhere.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from pavane.errors import InputError
from pavane.model.arrays import Ints, Longs
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule


class ChannelUses(NamedTuple):
    """When channels are used: an entry for each transfer, each channel of its path, and each step of its use."""

    steps: Longs
    """The step, or under tdm the slot."""
    channels: Ints
    transfers: Longs
    """The number of the transfer."""


def channel_uses(problem: Problem, schedule: Schedule) -> ChannelUses:
    """Return which transfer uses which channel in which step; under tdm one channel after the other, slot by slot.

    A table that wraps counts its slots modulo the period.
    """
    rules = problem.rules
    transfers = np.repeat(np.arange(len(schedule), dtype=np.int64), schedule.path_lengths)
    steps, channels = schedule.starts[transfers].astype(np.int64), schedule.path_channels
    if not rules.has_slots:
        return ChannelUses(steps, channels, transfers)
    steps += (np.arange(len(channels)) - schedule.path_offsets[transfers] + 1) * rules.hop_slots
    busy = rules.packet_slots
    return ChannelUses(_in_period(problem, schedule, steps), np.repeat(channels, busy), np.repeat(transfers, busy))


def ejection_steps(problem: Problem, schedule: Schedule) -> Longs:
    """Return the step of each transfer's ejection; under tdm a row of slots for each, as many as a packet has."""
    steps, rules = schedule.starts.astype(np.int64), problem.rules
    if not rules.has_slots:
        return steps[:, None]
    return _in_period(problem, schedule, steps + rules.flight(schedule.path_lengths)).reshape(-1, rules.packet_slots)


def _in_period(problem: Problem, schedule: Schedule, first: Longs) -> Longs:
    """Return the slots of each use of a packet that begins in a slot, modulo the period."""
    slots = np.add.outer(first, np.arange(problem.rules.packet_slots)).ravel()
    return np.asarray(slots % max(schedule.num_steps, 1))


def wrapped(problem: Problem, schedule: Schedule) -> tuple[Problem, Schedule]:
    """Return a valid table of slots that ends as one that repeats, in the shortest period that its packets allow.

    Refuses what repeats already, and broadcasts and reductions, which cannot.
    """
    if not problem.rules.has_slots or problem.rules.wrap or problem.pattern != "private":
        raise InputError("`wrap` is for private messages in slots (tdm) that do not repeat yet; leave it out")
    repeating = replace(problem, rules=replace(problem.rules, wrap=True))
    units, slots, room = _unit_uses(problem, schedule)
    most = np.bincount(units, minlength=len(room))
    least = max(1, problem.rules.packet_slots, int((-(-most // np.maximum(room, 1))).max(initial=0)))
    for period in range(least, schedule.num_steps):
        loads = np.bincount(units * period + slots % period, minlength=len(room) * period)
        if (loads.reshape(-1, period) <= room[:, None]).all():
            paths = schedule.path_lengths, schedule.path_channels
            columns = schedule.starts % period, schedule.senders, schedule.receivers
            return repeating, Schedule.from_columns(period, *columns, paths, schedule.messages)
    return repeating, schedule


def _unit_uses(problem: Problem, schedule: Schedule) -> tuple[Longs, Longs, Longs]:
    """Return links, then ports that send and that receive: unit and slot of each use, and how many each unit takes."""
    uses, network, busy = channel_uses(problem, schedule), problem.network, problem.rules.packet_slots
    injections = np.add.outer(schedule.starts.astype(np.int64), np.arange(busy))
    ejections = ejection_steps(problem, schedule)
    senders = np.repeat(schedule.senders.astype(np.int64), busy) + network.num_channels
    receivers = np.repeat(schedule.receivers.astype(np.int64), busy) + network.num_channels + network.num_processors
    units = np.concatenate([problem.units[uses.channels].astype(np.int64), senders, receivers])
    slots = np.concatenate([uses.steps, injections.ravel(), ejections.ravel()])
    room = np.concatenate([network.capacity, problem.injection, problem.ejection]).astype(np.int64)
    return units, slots, room
