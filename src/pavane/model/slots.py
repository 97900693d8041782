"""Time-division multiplexing: what a table of slots shares with a schedule of steps.

A packet that is injected in slot t uses the sender's port in t, channel number i of its path in t + i * (router delay +
link delay), and the receiver's port one router delay after its last channel. It uses each of them for as many slots as
it has, and waits nowhere.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from pavane.model.arrays import Ints, Longs
from pavane.model.problem import Problem, Rules
from pavane.model.schedule import Schedule


@lru_cache(maxsize=4)
def as_steps(problem: Problem) -> Problem:
    """Return the wormhole problem that loads every channel and port as the packets of a tdm problem do.

    A packet of f slots loads a unit as f pieces do, one in each step. So what bounds the load of steps bounds that of
    slots; when packets can be where says nothing about steps.
    """
    rules = problem.rules
    collective = replace(problem.collective, pieces=problem.collective.pieces * rules.packet_slots)
    return Problem(problem.network, collective, Rules(ports=rules.ports, duplex=rules.duplex, routing=rules.routing))


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
    steps, channels = schedule.steps[transfers].astype(np.int64), schedule.path_channels
    if not rules.has_slots:
        return ChannelUses(steps, channels, transfers)
    steps += (np.arange(len(channels)) - schedule.path_offsets[transfers] + 1) * rules.hop_slots
    busy = rules.packet_slots
    return ChannelUses(_in_period(problem, schedule, steps), np.repeat(channels, busy), np.repeat(transfers, busy))


def ejection_steps(problem: Problem, schedule: Schedule) -> Longs:
    """Return the step of each transfer's ejection; under tdm a row of slots for each, as many as a packet has."""
    steps, rules = schedule.steps.astype(np.int64), problem.rules
    if not rules.has_slots:
        return steps[:, None]
    return _in_period(problem, schedule, steps + rules.flight(schedule.path_lengths)).reshape(-1, rules.packet_slots)


def _in_period(problem: Problem, schedule: Schedule, first: Longs) -> Longs:
    """Return the slots of each use of a packet that begins in a slot, modulo the period."""
    slots = np.add.outer(first, np.arange(problem.rules.packet_slots)).ravel()
    return np.asarray(slots % max(schedule.num_steps, 1))
