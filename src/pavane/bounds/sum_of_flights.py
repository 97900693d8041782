"""The bound by the sum of flights (tdm without wrap): ports start early and end late at best, and flights lie between.

For private messages. The messages of some senders take so many slots from their injections to their ejections, added
up. A sender of n packets of f slots and c ports injects them f * (0 + ... ) slots after the start at best, c at a time,
and a receiver ejects its packets as close to the end. So the sum of all ejection slots, at the latest, less that of all
injection slots, at the earliest, is no less than the sum of all flights. Where one port sends and receives n packets of
one slot everywhere, the period is n and an average flight, or longer.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import ceil
from typing import NamedTuple

import numpy as np

from pavane.bounds.modular import closed_groups, sum_of_flights
from pavane.bounds.phrases import Unit, carried
from pavane.model.arrays import Ints, Longs
from pavane.model.bound import Bound
from pavane.model.problem import Problem
from pavane.text import counted

NAME = "sum-of-flights"

MOST_MESSAGES = 20_000_000
"""More messages take too long to be followed."""


class FlightSums(NamedTuple):
    """The messages of some senders, added up."""

    num_messages: int
    flights: int
    """The slots from their injections to their ejections."""
    early: int
    """The slots before their injections, at the least."""
    late: int
    """The slots from the start of their ejections to the end of the schedule, at the least."""

    @property
    def slots(self) -> int:
        """Return the length of a schedule that they leave room for: each message has its share of it."""
        return ceil(Fraction(self.flights + self.early + self.late, self.num_messages))


def make(problem: Problem) -> Iterator[Bound]:
    """Yield the bound of the senders and receivers with the longest flights for their ports."""
    if problem.pattern != "private" or problem.rules.wrap or problem.num_messages > MOST_MESSAGES:
        return
    groups = [senders for senders, _ in closed_groups(problem)]
    best = max(groups, key=lambda senders: flight_sums(problem, senders).slots)
    yield Bound(flight_sums(problem, best).slots, NAME, {"senders": best.tolist()})


def flight_sums(problem: Problem, senders: Longs) -> FlightSums:
    """Add up the messages of some senders."""
    sent = problem.ends[np.isin(problem.ends[:, 0], senders)]
    width, busy = problem.network.num_processors, problem.rules.packet_slots
    early, late = (
        busy * _turns(np.bincount(sent[:, side], minlength=width), ports)
        for side, ports in ((0, problem.injection), (1, problem.ejection))
    )
    return FlightSums(len(sent), sum_of_flights(problem, senders), early, late + busy * len(sent))


def _turns(counts: Longs, ports: Ints) -> int:
    """Return how many turns packets wait at least, added up, where so many are sent over so many ports at a time."""
    turns, rest = np.divmod(counts, np.maximum(ports, 1))
    return int((ports * turns * (turns - 1) // 2 + turns * rest).sum())


def explain(problem: Problem, bound: Bound, unit: Unit) -> str:
    """State what the flights add up to, and what the ports leave for them."""
    sums = flight_sums(problem, np.array(bound.certificate["senders"]))
    return (
        f"the flights of {counted(sums.num_messages, carried(problem))} add up to {sums.flights:,} slots, and as ports "
        f"take turns they start after {sums.early:,} slots and end {sums.late:,} before the last, at the least"
    )
