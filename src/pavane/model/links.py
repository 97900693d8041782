"""How fast channels are: a latency, an overhead and a bandwidth for each, in whole numbers.

Times are picoseconds, sizes bytes, and bandwidths bytes per second, so that 50 GiB/s and 12.5 GB/s are exact. A channel
of capacity c has c times the bandwidth: messages follow each other, and none runs beside another.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from pavane.errors import InputError
from pavane.model.arrays import Longs
from pavane.model.network import Network

PICOSECONDS = 10**12
"""Picoseconds of a second."""

MOST_PICOSECONDS = 10**15
"""The longest latency, overhead or transfer, a quarter of an hour: sums of thousands of them are exact in 64 bits."""


@dataclass(frozen=True, eq=False)
class Links:
    """The latency, overhead and bandwidth of each channel.

    A transfer of n bytes holds a channel for its overhead and n bytes at its bandwidth. The latency passes after that,
    while the channel is free again.

    Args:
        latencies: Picoseconds until data arrive that have left, for each channel.
        overheads: Picoseconds that a transfer holds the channel besides its bytes, for each channel.
        bandwidths: Bytes per second of each channel; the capacity is counted in.

    Example:
        >>> links = pavane.Links.uniform(pavane.network("ring:4"), latency_ps=700_000, bytes_per_second=25 * 10**9)
        >>> links.busy(0, 1000)
        40000
    """

    latencies: Longs
    overheads: Longs
    bandwidths: Longs
    _busy: dict[int, Longs] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        for name, least in (("latencies", 0), ("overheads", 0), ("bandwidths", 1)):
            column: Longs = np.asarray(getattr(self, name), dtype=np.int64)
            if len(column) != len(self.latencies) or column.min(initial=least) < least:
                raise InputError(f"`{name}` needs a whole number from {least} up for each channel")
            if name != "bandwidths" and column.max(initial=0) > MOST_PICOSECONDS:
                raise InputError(f"`{name}` has {column.max():,} ps; at most {MOST_PICOSECONDS:,} fit")
            column.flags.writeable = False
            object.__setattr__(self, name, column)

    @classmethod
    def uniform(cls, network: Network, *, latency_ps: int = 0, bytes_per_second: int, overhead_ps: int = 0) -> Links:
        """Return links that are all alike but for the capacities of the network, which multiply the bandwidth."""
        ones = np.ones(network.num_channels, dtype=np.int64)
        return cls(ones * latency_ps, ones * overhead_ps, network.capacity.astype(np.int64) * bytes_per_second)

    @classmethod
    def of_network(
        cls, network: Network, *, latency_ps: int = 0, bytes_per_second: int | None = None, overhead_ps: int = 0
    ) -> Links:
        """Return the links that the file of a network says; what it does not say is filled in, the same for all.

        A capacity multiplies a bandwidth that is filled in.

        Raises:
            InputError: Neither the file nor the caller says a bandwidth.

        Example:
            >>> links = pavane.Links.of_network(pavane.network("ring:3"), latency_ps=5, bytes_per_second=10**9)
            >>> links.latencies.tolist()
            [5, 5, 5, 5, 5, 5]
        """
        known = (None, None, None) if network.speeds is None else network.speeds.columns
        if known[2] is None and bytes_per_second is None:
            raise InputError(f"network {network.name}: it has no bandwidths; give one for all channels")
        otherwise = cls.uniform(
            network, latency_ps=latency_ps, bytes_per_second=bytes_per_second or 1, overhead_ps=overhead_ps
        )
        return cls(
            otherwise.latencies if known[0] is None else known[0],
            otherwise.overheads if known[1] is None else known[1],
            otherwise.bandwidths if known[2] is None else known[2],
        )

    def __eq__(self, other: object) -> bool:
        return self._values == other._values if isinstance(other, Links) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._values)

    @cached_property
    def _values(self) -> tuple[bytes, ...]:
        """The columns as values that can be compared."""
        return tuple(column.tobytes() for column in self.columns)

    @property
    def columns(self) -> tuple[Longs, Longs, Longs]:
        """Return latencies, overheads and bandwidths."""
        return self.latencies, self.overheads, self.bandwidths

    def busy(self, channel: int, num_bytes: int) -> int:
        """Return the picoseconds for which a transfer of some bytes holds a channel."""
        return int(self.all_busy(num_bytes)[channel])

    def all_busy(self, num_bytes: int) -> Longs:
        """Return the picoseconds for which a transfer of some bytes holds each channel."""
        if num_bytes not in self._busy:
            # The product of bytes and picoseconds does not fit into 64 bits.
            rates, which = np.unique(self.bandwidths, return_inverse=True)
            times = [-(-num_bytes * PICOSECONDS // rate) for rate in rates.tolist()]
            if max(times, default=0) > MOST_PICOSECONDS:
                raise InputError(
                    f"{num_bytes:,} bytes take more than a quarter of an hour on the slowest channel; give fewer"
                )
            self._busy[num_bytes] = np.array(times, dtype=np.int64)[which] + self.overheads
        return self._busy[num_bytes]


class LinkTiming(NamedTuple):
    """What a problem with start times has besides others."""

    links: Links
    num_bytes: int
    """The bytes of a message of one unit."""
