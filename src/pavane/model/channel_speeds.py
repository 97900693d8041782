"""What a file says of the speed of channels: latencies, overheads and bandwidths, each for all channels or none."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pavane.errors import InputError
from pavane.model.arrays import Flags, Longs
from pavane.text import counted


@dataclass(frozen=True, eq=False)
class ChannelSpeeds:
    """The known latencies and overheads (picoseconds) and bandwidths (bytes per second) of channels; None: not known.

    A bandwidth is that of the whole channel, whatever its capacity.
    """

    latencies: Longs | None = None
    overheads: Longs | None = None
    bandwidths: Longs | None = None

    def of_channels(self, chosen: Flags) -> ChannelSpeeds:
        """Return the speeds of some channels."""
        return ChannelSpeeds(*(None if column is None else column[chosen] for column in self.columns))

    def with_more(self, number: int, like: int | None, name: str) -> ChannelSpeeds:
        """Return these speeds with those of `number` more channels, which are as channel `like` of network `name`."""
        longer = []
        for key, column in zip(COLUMN_KEYS, self.columns, strict=True):
            if column is None or number == 0:
                longer.append(column)
                continue
            if like is None and (not len(column) or column.min() != column.max()):
                raise InputError(
                    f"network {name}: its channels differ in `{key}`; say with `like` which channel new ones are like"
                )
            if like is not None and not 0 <= like < len(column):
                last = len(column) - 1
                raise InputError(f"network {name} has no channel {like} (`like`); they are numbered 0 to {last}")
            longer.append(np.concatenate([column, np.full(number, column[like or 0])]))
        return ChannelSpeeds(*longer)

    @property
    def columns(self) -> tuple[Longs | None, Longs | None, Longs | None]:
        """Return the three columns as network files name them: latency_ps, overhead_ps, bytes_per_second."""
        return self.latencies, self.overheads, self.bandwidths


COLUMN_KEYS = ("latency_ps", "overhead_ps", "bytes_per_second")
"""The keys of network files for the columns."""


def check_speeds(name: str, num_channels: int, speeds: ChannelSpeeds) -> None:
    """Refuse columns that do not have a number from 0 up, or a bandwidth from 1 up, for each channel."""
    for key, least, column in zip(COLUMN_KEYS, (0, 0, 1), speeds.columns, strict=True):
        if column is None:
            continue
        if np.shape(column) != (num_channels,):
            channels = counted(num_channels, "channel")
            raise InputError(f"network {name}: `{key}` has {np.size(column):,} entries, and there are {channels}")
        for channel in np.flatnonzero(column < least)[:1].tolist():
            raise InputError(
                f"network {name}: channel {channel} has `{key}` {column[channel]}; give a whole number from {least} up"
            )
