"""Loads: no channel, link or port carries more in a step than its capacity.

Under tdm a step is a slot: a packet that is injected in slot t occupies the sender's port from t on, channel number i
of its path from t + i * (router delay + link delay) on, and the receiver's port one router delay after its last
channel, each for as many slots as it has. Where the schedule repeats, slots are counted round its period; where it does
not, what lies after its last slot is outside the period, and loads nothing.

Where routers copy, a tree of transfers counts once on each of its channels (`trees.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from pavane.judge.case import Verification
from pavane.judge.trees import CountedUses, counted_uses
from pavane.judge.violation import Violation
from pavane.model.arrays import Ints, Longs
from pavane.text import counted as counted_text

MOST_CELLS_PER_KEY = 8
"""Up to this many times the keys that occur, counting in a table of all that could is quicker than sorting."""


class ChannelLoads(NamedTuple):
    """Channels that may carry too much in a step, and how many transfers each carries."""

    keys: Longs
    """Step times number of channels, plus channel; ascending."""
    loads: Longs


def counted_loads(case: Verification) -> ChannelLoads:
    """Count the transfers on each channel in each step; channels that do not exist carry nothing."""
    # Two channels of a link may carry too much together, however little each does.
    allowed = 0 if case.problem.rules.duplex == "half" else int(case.network.capacity.min(initial=1))
    num_cells, num_uses = case.schedule.num_steps * case.network.num_channels, len(case.schedule.path_channels)
    is_dense = num_cells <= MOST_CELLS_PER_KEY * num_uses * case.busy and case.schedule.starts.min(initial=0) >= 0
    uses = case.made(counted_uses)
    if not case.has_slots or not is_dense:
        return ChannelLoads(*counted(_channel_keys(case, uses), allowed))
    # The uses of a large table of slots take more memory than a count of each channel in each slot.
    loads = np.zeros(num_cells, dtype=np.int32)
    for block in case.blocks():
        keys = _channel_keys(block, None)
        least = int(keys.min(initial=num_cells))
        counts = np.bincount(keys - least)
        loads[least : least + len(counts)] += counts.astype(np.int32)
    used = np.flatnonzero(loads > allowed)
    return ChannelLoads(used, loads[used].astype(np.int64))


def _channel_keys(case: Verification, uses: CountedUses | None) -> Longs:
    """Return step and channel of each use of a channel, as one number."""
    steps, channels = np.repeat(case.schedule.starts.astype(np.int64), case.lengths), case.channels
    if case.has_slots:
        rules = case.problem.rules
        number = 1 + np.arange(len(channels)) - case.schedule.path_offsets[case.path_owner]
        steps += number * rules.hop_slots
    if uses is not None:
        steps, channels = steps[uses.on_channels], channels[uses.on_channels]
    elif not case.exists.all():
        steps, channels = steps[case.exists], channels[case.exists]
    return _keys(case, steps, channels, case.network.num_channels)


def _keys(case: Verification, steps: Longs, units: Longs, width: int) -> Longs:
    """Return step times number of units, plus unit, for every step from these on in which transfers use their unit."""
    if case.busy > 1:
        units = np.tile(units, min(case.busy, case.schedule.num_steps))
        steps = np.concatenate([steps + later for later in range(min(case.busy, case.schedule.num_steps))])
    if case.is_round:
        steps = steps % case.schedule.num_steps
    elif case.has_slots:
        inside = steps < case.schedule.num_steps
        steps, units = steps[inside], units[inside]
    keys = steps * max(width, 1)
    keys += units
    return keys


def outside_period(case: Verification) -> Iterator[Violation]:
    """A packet is not longer than the period; where the schedule does not repeat, it ends within it."""
    if not case.has_slots:
        return
    num_slots = case.schedule.num_steps
    if case.is_round:
        if len(case.schedule) and case.busy > num_slots:
            text = f"a packet of {case.busy} slots does not fit into a period of {num_slots}; it would meet itself"
            yield Violation("outside-period", text)
        return
    yield from case.of_transfers(
        "outside-period",
        case.usable > num_slots,
        lambda i: f"it ends in slot {case.usable[i]}; the schedule has {num_slots} and does not wrap",
    )


def counted(keys: Longs, allowed: int) -> tuple[Longs, Longs]:
    """Return the different keys that occur more often than allowed, ascending, and how often each does."""
    if not len(keys) or np.ptp(keys) > MOST_CELLS_PER_KEY * len(keys):
        used, counts = np.unique(keys, return_counts=True)
        return used[counts > allowed], counts[counts > allowed]
    least = keys.min()
    counts = np.bincount(keys - least)
    used = np.flatnonzero(counts > allowed)
    return least + used, counts[used]


def channel_capacity(case: Verification, used: ChannelLoads) -> Iterator[Violation]:
    """A channel carries no more transfers in a step than its capacity says: one, unless said."""
    network = case.network
    most = 1 if network.capacities is None else network.capacities[used.keys % max(network.num_channels, 1)]
    for at in case.first(used.loads > most):
        step, channel = divmod(int(used.keys[at]), network.num_channels)
        carried = "one" if network.capacities is None else int(network.capacities[channel])
        yield Violation(
            "channel-capacity",
            f"{case.unit} {step + 1}: {used.loads[at]} transfers share channel {case.channel(channel)}; it carries "
            f"{carried}",
            step,
            channel=channel,
        )


def half_duplex(case: Verification, used: ChannelLoads) -> Iterator[Violation]:
    """Under half duplex the two channels of a link share its capacity; of one, they are not both used in a step."""
    network = case.network
    if case.problem.rules.duplex != "half":
        return
    step, channel = np.divmod(used.keys, max(network.num_channels, 1))
    back = network.opposite[channel].astype(np.int64)
    both = (back > channel) & np.isin(step * network.num_channels + back, used.keys)
    if network.capacities is not None:
        there = np.searchsorted(used.keys, step * network.num_channels + back)
        together = used.loads + np.where(both, used.loads[np.minimum(there, len(used.loads) - 1)], 0)
        both &= together > network.capacities[channel]
    for at in case.first(both):
        link = case.channel(int(channel[at]))
        text = f"link {link} is used both ways under half duplex"
        if network.capacities is not None:
            text = f"link {link} carries {together[at]} both ways; half duplex leaves {network.capacities[channel[at]]}"
        yield Violation("half-duplex", f"{case.unit} {step[at] + 1}: {text}", int(step[at]), channel=int(channel[at]))


def port_capacity(case: Verification, uses: CountedUses | None) -> Iterator[Violation]:
    """A processor sends, and receives, no more transfers in a step than it has ports."""
    schedule, steps = case.schedule, case.schedule.starts.astype(np.int64)
    sent, received = (slice(None), slice(None)) if uses is None else (uses.at_senders, uses.at_receivers)
    yield from _port_loads(case, steps[sent], schedule.senders[sent], case.network.out_degrees, "sends")
    arrivals = (steps + case.flights)[received]
    yield from _port_loads(case, arrivals, schedule.receivers[received], case.network.in_degrees, "receives")


def _port_loads(case: Verification, steps: Longs, ends: Ints, degrees: Ints, verb: str) -> Iterator[Violation]:
    network, ports = case.network, case.problem.rules.ports
    at_processor = (ends >= 0) & (ends < network.num_processors)
    width = max(network.num_processors, 1)
    if not at_processor.all():
        steps, ends = steps[at_processor], ends[at_processor]
    allowed = int(degrees.min(initial=1)) if ports == "all" else ports
    used, loads = counted(_keys(case, steps, ends.astype(np.int64), width), allowed)
    capacity = degrees[network.router_of[used % width]] if ports == "all" else np.full(len(used), ports)
    for at in case.first(loads > capacity):
        step, processor = divmod(int(used[at]), width)
        yield Violation(
            "port-capacity",
            f"{case.unit} {step + 1}: processor {processor} {verb} {loads[at]} transfers at once; it has "
            f"{counted_text(int(capacity[at]), 'port')}",
            step,
        )
