"""Paths: made of joined channels, from the sender's router to the receiver's, meeting no router twice."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from pavane.judge.case import Verification
from pavane.judge.violation import Violation
from pavane.model.arrays import Flags, Ints, Longs

MOST_STOPS_COMPARED = 16
"""Up to this length of paths, comparing every two stops is quicker than sorting."""


class Walks(NamedTuple):
    """What is right about the path of each transfer; each flag is looked at only where those before hold."""

    is_joined: Flags
    meets_ends: Flags
    is_simple: Flags

    @property
    def is_sound(self) -> Flags:
        """Whether nothing is wrong with a path but perhaps its length and its turns."""
        return self.is_joined & self.meets_ends & self.is_simple


def walked(case: Verification) -> Walks:
    """Follow the paths of all transfers."""
    schedule, network, owner = case.schedule, case.network, case.path_owner
    channels = schedule.path_channels
    exists = (channels >= 0) & (channels < network.num_channels)
    safe = np.where(exists, channels, 0)
    # A network without channels has no channel 0 to stand in for one that does not exist.
    tails = network.tails[safe] if network.num_channels else safe
    heads = network.heads[safe] if network.num_channels else safe
    is_joined = np.ones(len(schedule), dtype=bool)
    is_joined[owner[~exists]] = False
    parted = (owner[1:] == owner[:-1]) & (heads[:-1] != tails[1:])
    is_joined[owner[1:][parted]] = False

    here, there = case.routers(case.senders), case.routers(case.receivers)
    start, end = here.copy(), here.copy()
    some = schedule.path_lengths > 0
    start[some] = tails[schedule.path_offsets[:-1][some]]
    end[some] = heads[schedule.path_offsets[1:][some] - 1]
    can_rest = (case.senders >= 0) & (case.receivers >= 0) & (case.senders != case.receivers)
    meets_ends = can_rest & (start == here) & (end == there)
    is_simple = ~_winding(case, is_joined & meets_ends, heads, here)
    return Walks(is_joined, meets_ends, is_simple)


def _winding(case: Verification, checked: Flags, heads: Ints, here: Longs) -> Flags:
    """Mark the paths that meet a router twice: short ones stop by stop, long ones by sorting the stops of each."""
    num_routers, num_transfers = case.network.num_routers, len(case.schedule)
    winding = np.zeros(num_transfers, dtype=bool)
    # A stop is a path and a router; each path begins at its sender's router.
    starts = case.schedule.path_offsets[:-1] + np.arange(num_transfers)
    stops = np.empty(len(heads) + num_transfers, dtype=np.int64)
    owner = np.arange(num_transfers)
    # A path without a start gets a stop unlike any other.
    stops[starts] = np.where(here >= 0, owner * num_routers + here, ~owner)
    stops[np.arange(len(heads)) + case.path_owner + 1] = case.path_owner * num_routers + heads
    longest = int(case.schedule.path_lengths.max(initial=0))
    if longest > MOST_STOPS_COMPARED:
        stops = np.sort(stops)
        longest = 1
    for apart in range(1, longest + 1):
        again = stops[apart:] == stops[:-apart]
        winding[stops[apart:][again] // max(num_routers, 1)] = True
    return winding & checked


def broken_path(case: Verification, walks: Walks) -> Iterator[Violation]:
    """Each channel of a path exists and starts where the last one ends."""
    text = "its channels do not join into a path; each must start where the last ends"
    return case.of_transfers("broken-path", ~walks.is_joined, lambda _: text)


def wrong_ends(case: Verification, walks: Walks) -> Iterator[Violation]:
    """A path runs from the sender's router to the receiver's, two locations where messages may rest."""

    def text(i: int) -> str:
        transfer = case.schedule.transfer(i)
        if case.senders[i] < 0 or case.receivers[i] < 0:
            if case.problem.rules.switches == "pass":
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
