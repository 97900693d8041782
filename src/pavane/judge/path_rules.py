"""Paths: made of joined channels, from the sender's router to the receiver's, meeting no router twice."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pavane.judge.case import Verification
from pavane.judge.distances import least_lengths
from pavane.judge.violation import Violation
from pavane.model.arrays import Flags, Longs

MOST_STOPS_COMPARED = 16
"""Up to this length of paths, comparing every two stops is quicker than sorting."""


class Walks(NamedTuple):
    """What is right about the path of each transfer; each flag is looked at only where those before hold."""

    is_joined: Flags
    meets_ends: Flags
    is_simple: Flags
    least: Longs
    """The number of channels that a path between the same ends has at least, as far as the rules require it."""

    @property
    def is_sound(self) -> Flags:
        """Whether nothing is wrong with a path but perhaps its length and its turns."""
        return self.is_joined & self.meets_ends & self.is_simple


def walked(case: Verification) -> Walks:
    """Follow the paths of all transfers."""
    network, lengths, offsets = case.network, case.lengths, case.schedule.path_offsets
    safe = case.channels if case.exists.all() else np.where(case.exists, case.channels, 0)
    # A network without channels has no channel 0 to stand in for one that does not exist.
    tails = network.tails[safe] if network.num_channels else safe
    heads = network.heads[safe] if network.num_channels else safe
    some = lengths > 0
    begins, lasts = offsets[:-1][some], offsets[1:][some] - 1
    is_parted = np.zeros(len(safe), dtype=bool)
    is_parted[1:] = heads[:-1] != tails[1:]
    is_parted[begins] = False
    is_parted |= ~case.exists
    is_joined = np.ones(len(lengths), dtype=bool)
    is_joined[np.searchsorted(offsets, np.flatnonzero(is_parted), side="right") - 1] = False

    here, there = case.routers(case.senders), case.routers(case.receivers)
    start, end = here.copy(), here.copy()
    start[some] = tails[begins]
    end[some] = heads[lasts]
    can_rest = (case.senders >= 0) & (case.receivers >= 0) & (case.senders != case.receivers)
    meets_ends = can_rest & (start == here) & (end == there)
    is_path = is_joined & meets_ends
    least = least_lengths(case, is_path, here, there)
    # A path of as few channels as its ends allow meets no router twice.
    is_simple = ~_winding(case, is_path & (lengths > least), heads, here)
    return Walks(is_joined, meets_ends, is_simple, least)


def _winding(case: Verification, checked: Flags, heads: npt.NDArray[np.integer], here: Longs) -> Flags:
    """Mark the paths that meet a router twice: short ones stop by stop, long ones by sorting the stops of each."""
    winding = np.zeros(len(checked), dtype=bool)
    if not checked.any():
        return winding
    num_routers, lengths = case.network.num_routers, case.lengths[checked]
    # A stop is a path and a router; each path begins at its sender's router.
    number = np.arange(len(lengths))
    owner = np.repeat(number, lengths)
    stops = np.empty(len(owner) + len(number), dtype=np.int64)
    stops[np.cumsum(lengths) - lengths + number] = number * num_routers + here[checked]
    stops[np.arange(len(owner)) + owner + 1] = owner * num_routers + heads[np.repeat(checked, case.lengths)]
    longest = int(lengths.max())
    if longest > MOST_STOPS_COMPARED:
        stops = np.sort(stops)
        longest = 1
    for apart in range(1, longest + 1):
        again = stops[apart:] == stops[:-apart]
        winding[np.flatnonzero(checked)[stops[apart:][again] // num_routers]] = True
    return winding


def broken_path(case: Verification, walks: Walks) -> Iterator[Violation]:
    """Each channel of a path exists and starts where the last one ends."""
    text = "its channels do not join into a path; each must start where the last ends"
    return case.of_transfers("broken-path", ~walks.is_joined, lambda _: text)


def wrong_ends(case: Verification, walks: Walks) -> Iterator[Violation]:
    """A path runs from the sender's router to the receiver's, two locations where messages may rest."""

    def text(i: int) -> str:
        transfer = case.schedule.transfer(i)
        if case.senders[i] < 0 or case.receivers[i] < 0:
            if case.problem.rules.switches != "hold":
                return "a message cannot rest at its ends: only at processors, where switches pass"
            return "a message cannot rest at its ends: only at processors, and under store-and-forward at pure switches"
        if transfer.sender == transfer.receiver:
            return "it goes to where it comes from"
        return "its path does not run from the sender's router to the receiver's"

    return case.of_transfers("wrong-ends", ~walks.meets_ends & walks.is_joined, text)


def not_simple(case: Verification, walks: Walks) -> Iterator[Violation]:
    """A path meets no router twice."""
    text = "its path meets a router twice; paths must be simple"
    return case.of_transfers("not-simple", ~walks.is_simple, lambda _: text)
