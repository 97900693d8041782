"""Which channels meet which router, as two arrays: what loops and kernels read where tuples would be slow."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from pavane.model.arrays import Ints


class Incidence(NamedTuple):
    """The channels at every router, one router after another.

    Those of router r are `channels[offsets[r] : offsets[r + 1]]`.
    """

    offsets: Ints
    """Where the channels of each router begin, and at the end the number of channels."""
    channels: Ints
    """The channels, those of router 0 first, in order within a router."""

    @classmethod
    def of(cls, routers: Ints, num_routers: int) -> Incidence:
        """Sort channels by the router that each is said to meet; arrays that cannot be written to."""
        channels = np.argsort(routers, kind="stable").astype(np.int32)
        offsets = np.zeros(num_routers + 1, dtype=np.int32)
        np.cumsum(np.bincount(routers, minlength=num_routers), out=offsets[1:])
        for array in (offsets, channels):
            array.flags.writeable = False
        return cls(offsets, channels)

    def listed(self) -> tuple[tuple[int, ...], ...]:
        """Return the channels of each router as a tuple of their own."""
        bounds, channels = self.offsets.tolist(), self.channels.tolist()
        return tuple(tuple(channels[first:last]) for first, last in pairwise(bounds))
