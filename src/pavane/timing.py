"""How long a schedule takes: the papers' linear time model, and the units in which people give their figures.

A transfer of m bytes over h channels takes ts + m t1 + h tr: a start-up, a time per byte and a time per hop (noc eq.
(1)). A step takes as long as its slowest transfer may: the largest payload, k messages of m bytes, and the longest
path. All times are in seconds.

Where messages are cut into pieces, payloads count pieces, and m bytes are those of a whole message: a piece has m / k.
Where messages have sizes, m bytes are those of a unit. A channel of capacity c carries c transfers at a time, each as
fast as on a channel of capacity 1. A message of an allreduce is one part of the vector that it adds up.

Others call ts alpha, the latency, and t1 beta, the inverse of the bandwidth.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from pavane.errors import InputError, expect
from pavane.model.links import PICOSECONDS, Links
from pavane.model.network import Network
from pavane.model.problem import Rules
from pavane.model.schedule import Schedule

# -- costs and schedules


@dataclass(frozen=True)
class Costs:
    """What communication costs, in seconds.

    Args:
        startup: The time that each step takes to begin; alpha elsewhere.
        per_byte: The time that one byte takes to pass; beta elsewhere.
        per_hop: The time that one channel of a path adds.

    Example:
        >>> pavane.Costs(startup=1e-6, per_byte=1e-9)
        Costs(startup=1e-06, per_byte=1e-09, per_hop=0.0)
    """

    startup: float
    """ts of noc and gecco07, t0 of gecco08, alpha elsewhere: once for each step."""
    per_byte: float
    """t1, elsewhere beta: the time that one byte takes to pass."""
    per_hop: float = 0.0
    """tr: the time that one channel of a path adds."""

    def __post_init__(self) -> None:
        for value, what in ((self.startup, "start-up"), (self.per_byte, "per byte"), (self.per_hop, "per hop")):
            expect(value, (int, float), what.replace("-", "").replace(" ", "_"), "give seconds, like 1e-6")
            if not (math.isfinite(value) and value >= 0):
                raise InputError(f"the time {what} is {value}; give a time of 0 or more")


@dataclass(frozen=True)
class Profile:
    """What the time of a schedule depends on, step by step."""

    payloads: tuple[int, ...]
    """The largest number of messages, or of their pieces, that one transfer carries in each step."""
    hops: tuple[int, ...]
    """The longest path of each step, in channels."""
    pieces: int = 1
    """How many pieces a message, or a unit of one, is cut into."""
    units: Fraction | int = 1
    """How many times the requested size a message has: 8 for an allreduce in one part, which sends the whole
    vector in a message, beside one in 8 parts."""

    @property
    def num_steps(self) -> int:
        """Return the number of steps, each with a start-up."""
        return len(self.payloads)

    @property
    def tco(self) -> int:
        """Return the total channel occupancy."""
        return sum(self.payloads)

    @property
    def message_times(self) -> Fraction:
        """Return the total channel occupancy in whole messages, which schedules of different pieces compare by."""
        return Fraction(self.tco, self.pieces)

    def piece_of(self, size: float) -> float:
        """Return the bytes of a piece for a message size."""
        return size * self.units / self.pieces


def refuse_slots(rules: Rules) -> None:
    """Refuse tdm, whose slots have one length: start-ups and bytes say nothing about them."""
    if rules.has_slots:
        raise InputError(
            "times of start-ups and bytes do not apply to tdm, which takes its number of slots times the length of a "
            "slot; choose `switching='wormhole'` or `switching='store-and-forward'`"
        )


def profile(schedule: Schedule, pieces: int = 1) -> Profile:
    """Return the largest payload and the longest path of each step, on which its time depends.

    Args:
        schedule: The schedule.
        pieces: The number of pieces that each message is cut into.

    Returns:
        The profile, for `predicted`.

    Example:
        >>> problem = pavane.Problem(pavane.network("octagon"), "alltoall")
        >>> pavane.profile(pavane.solve(problem).schedule).hops
        (2, 2, 2, 2)
    """
    expect(schedule, Schedule, "schedule", "give the `schedule` of a result")
    payloads, hops = np.zeros((2, schedule.num_steps), dtype=np.int64)
    np.maximum.at(payloads, schedule.starts, schedule.payloads)
    np.maximum.at(hops, schedule.starts, schedule.path_lengths)
    return Profile(tuple(payloads.tolist()), tuple(hops.tolist()), pieces)


# -- the model


def linear_time(costs: Costs, size: float, num_steps: int, tco: float, hops: int) -> float:
    """Return the time of steps that carry `tco` messages of `size` bytes in all, over paths of `hops` channels."""
    return num_steps * costs.startup + size * costs.per_byte * tco + hops * costs.per_hop


def predicted(costs: Costs, size: float, about: Profile) -> float:
    """Return the time in seconds of a schedule with messages of `size` bytes: the sum of its steps (noc eq. (1)).

    Args:
        costs: What start-ups, bytes and hops cost.
        size: The bytes of a message.
        about: The profile of a schedule.

    Returns:
        The time in seconds.

    Example:
        >>> problem = pavane.Problem(pavane.network("octagon"), "alltoall")
        >>> about = pavane.profile(pavane.solve(problem).schedule)
        >>> f"{pavane.predicted(pavane.Costs(startup=1e-6, per_byte=1e-9), 1000, about):.2e}"
        '8.00e-06'
    """
    expect(costs, Costs, "costs", "say them like `pavane.Costs(startup=1e-6, per_byte=1e-9)`")
    expect(about, Profile, "about", "`pavane.profile` makes one of a schedule")
    return linear_time(costs, about.piece_of(size), about.num_steps, about.tco, sum(about.hops))


def links_of_costs(network: Network, costs: Costs) -> Links:
    """Return links on which a transfer takes as long as noc eq. (1) says; what a network file says comes first."""
    if not costs.per_byte:
        raise InputError("start times need a bandwidth; give a time per byte above 0")
    return Links.of_network(
        network,
        latency_ps=round(costs.per_hop * PICOSECONDS),
        overhead_ps=round(costs.startup * PICOSECONDS),
        bytes_per_second=max(1, round(1 / costs.per_byte)),
    )


# -- which schedule is the fastest at which size


@dataclass(frozen=True)
class Stretch:
    """A range of message sizes in which one schedule is the fastest."""

    first: float
    """The size in bytes from which on it is; the first stretch starts at 0."""
    fastest: int
    """The index of the schedule in the list that was given."""


def decision_table(costs: Costs, profiles: Sequence[Profile]) -> tuple[Stretch, ...]:
    """Return the fastest schedule for every size, from small to large: what a tuned library looks up.

    The time is a straight line over the size, so this is the lower hull of lines; of equals the first counts.
    """
    lines = sorted(
        (
            about.tco * costs.per_byte * about.units / about.pieces,
            about.num_steps * costs.startup + sum(about.hops) * costs.per_hop,
            index,
        )
        for index, about in enumerate(profiles)
    )
    at_zero = min(lines, key=lambda line: (line[1], line[0], line[2]))
    stretches = [Stretch(0.0, at_zero[2])]
    slope, start = at_zero[0], at_zero[1]
    here = 0.0
    while True:
        # The next to win is the one that is met first; of those met at once, but for rounding, the flattest.
        ahead = [
            (float(f"{(line[1] - start) / (slope - line[0]):.12g}"), line[0], line) for line in lines if line[0] < slope
        ]
        if not ahead:
            return tuple(stretches)
        here, _, (slope, start, index) = min(ahead, key=lambda meeting: (max(meeting[0], here), *meeting[1:]))
        stretches.append(Stretch(here, index))


# -- units

_NUMBER = r"((?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,4})?)"
_SECONDS = {"s": 0, "ms": -3, "us": -6, "µs": -6, "μs": -6, "ns": -9, "ps": -12}
_DURATIONS = {"": 1.0, "ms": 0.001, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}
_MULTIPLES: dict[str, int] = {
    "": 1,
    **{p: 1000**i for i, p in enumerate("kMGTP", 1)},
    **{f"{p}i": 1024**i for i, p in enumerate("KMGTP", 1)},
}


def read_time(text: str, what: str = "time") -> float:
    """Read a time like 10ns, 1us, 1µs or 2.5ms, in seconds."""
    match = re.fullmatch(rf"\s*{_NUMBER}\s*([a-zµμ]*)\s*", text, re.ASCII)
    if match and match[2] in _SECONDS:
        return _number(match[1], _SECONDS[match[2]], text, what)
    if match and not match[2] and float(match[1]) == 0:
        return 0.0
    hint = "it has no unit; " if match and not match[2] else ""
    raise InputError(f"{what} {text!r} is not a time: {hint}write a number and s, ms, us, ns or ps, as in 10ns")


def read_duration(text: str, what: str = "time") -> float:
    """Read how long something may take, in seconds: 10, 10s, 2m or 2min, 1h, 500ms."""
    match = re.fullmatch(rf"\s*{_NUMBER}\s*([a-z]*)\s*", text, re.ASCII)
    if match is None or match[2] not in _DURATIONS:
        raise InputError(
            f"{what} {text!r} is not a time: write seconds, or a number and ms, s, m or h, as in 90, 90s or 2m"
        )
    seconds = float(match[1]) * _DURATIONS[match[2]]
    if not math.isfinite(seconds):
        raise InputError(f"{what} {text!r} is too long to be a time")
    return seconds


def rounded_size_text(size: int) -> str:
    """Return a size for people, in decimal units if it is a multiple of a thousand: 64 kB, 1,024 kB, 1 MiB."""
    for unit, multiple in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if size % multiple == 0:
            return f"{size // multiple:,} {unit}"
    return size_text(size)


def read_sweep(text: str, what: str = "sweep") -> list[int]:
    """Read sizes like 1kB:1GB, from one to the other: each four times the one before, or as 1kB:1GB:2 says."""
    first, _, rest = text.partition(":")
    last, _, factor = rest.partition(":")
    if not last or not re.fullmatch(r"\s*([1-9]\d{0,3})?\s*", factor, re.ASCII) or factor.strip() == "1":
        raise InputError(f"{what} {text!r:.60} is not a range of sizes; write it like 1kB:1GB, or 1kB:1GB:2 to double")
    size, end, times = read_size(first, what), read_size(last, what), int(factor or 4)
    if not 1 <= size <= end:
        raise InputError(f"{what} {text!r:.60}: the first size must be 1 byte or more, and not above the last")
    sizes = []
    while size < end:
        sizes.append(size)
        size *= times
    return [*sizes, end]


def read_size(text: str, what: str = "size") -> int:
    """Read a size like 4, 4B, 1kB, 1KiB or 1MiB, in bytes; 1K and 1M are 1KiB and 1MiB, as for dd and nccl-tests.

    With a B units are decimal: 1KB is 1kB, a thousand bytes, as 1MB is a million.
    """
    match = re.fullmatch(rf"\s*{_NUMBER}\s*(?:([kKMGTP]|[KMGTP]i)?B|([kKMGTP]))?\s*", text, re.ASCII)
    if match is None:
        raise InputError(
            f"{what} {text!r} is not a size: write a number and B, kB, KiB, MB, MiB and so on, as in 4KiB or 4K"
        )
    unit = f"{match[3].upper()}i" if match[3] else (match[2] or "").replace("K", "k").replace("ki", "Ki")
    size = float(match[1]) * _MULTIPLES[unit]
    if not math.isfinite(size) or size != round(size) or size > 2**60:
        raise InputError(f"{what} {text!r} is not a usable whole number of bytes")
    return round(size)


def read_per_byte(text: str, what: str = "per byte") -> float:
    """Read the time of one byte, like 1ns, or a bandwidth like 1GB/s, 16GiB/s or 100Gbit/s; in seconds.

    A small b is a bit: 100Gb/s and 100Gbps are 100Gbit/s.
    """
    match = re.fullmatch(rf"\s*{_NUMBER}\s*([kMGTP]|[KMGTP]i)?(B|bit|b)(?:/s|ps)\s*", text, re.ASCII)
    if match is None:
        try:
            return read_time(re.sub(r"/\s*(?:B|byte)\s*$", "", text), what)
        except InputError:
            raise InputError(
                f"{what} {text!r} is neither a time nor a bandwidth: write 1ns, or 1GB/s, or 100Gb/s"
            ) from None
    bytes_per_second = float(match[1]) * _MULTIPLES[match[2] or ""] / (1 if match[3] == "B" else 8)
    if not (math.isfinite(bytes_per_second) and bytes_per_second > 0):
        raise InputError(f"{what} {text!r}: nothing gets through; give a bandwidth above 0")
    return 1 / bytes_per_second


def _number(digits: str, exponent: int, text: str, what: str) -> float:
    # Ten to a negative power is not a float; let Python read the decimal number as it is written.
    mantissa, _, power = digits.lower().partition("e")
    value = float(f"{mantissa}e{int(power or 0) + exponent}")
    if not math.isfinite(value):
        raise InputError(f"{what} {text!r} is too long to be a time")
    return value


def time_text(seconds: float) -> str:
    """Return a time for people: 1.512 us."""
    if seconds == 0:
        return "0 s"
    exponent = math.floor(math.log10(seconds) / 3 + 1e-9)
    unit, scale = {0: ("s", 1.0), -1: ("ms", 1e3), -2: ("us", 1e6), -3: ("ns", 1e9)}.get(min(exponent, 0), ("ps", 1e12))
    shown = f"{seconds * scale:.6g}"
    if shown == "1000" and unit != "s":
        return time_text(1000 / scale)
    return f"{shown} {unit}"


def picoseconds_text(picoseconds: int) -> str:
    """Return a time in picoseconds for people: 81.4 us."""
    return time_text(picoseconds / 1e12)


def rate_text(bytes_per_second: float) -> str:
    """Return a bandwidth for people: 25 GB/s."""
    return f"{bytes_per_second / 1e9:.4g} GB/s"


def short_time_text(seconds: float | None) -> str:
    """Return a time in four digits; a dash for None."""
    return "-" if seconds is None else time_text(float(f"{seconds:.4g}"))


def size_text(size: float) -> str:
    """Return a size for people: 4 B, 16 KiB, 1 MiB; in bytes if it is not a multiple."""
    if size and size == round(size):
        whole = round(size)
        for unit, multiple in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
            if whole % multiple == 0:
                return f"{whole // multiple:,} {unit}"
        return f"{whole:,} B"
    return f"{size:,.6g} B"
