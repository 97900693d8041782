"""The channels of a network as kernels see them, at their two ends and at each router."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

Array = np.ndarray[Any, Any]


class Wiring(NamedTuple):
    """Which channels leave and enter each router; nothing in it changes."""

    tails: Array
    """int32 [channel]: the router that a channel leaves."""
    heads: Array
    """int32 [channel]: the router that a channel enters."""
    out_offsets: Array
    """int32 [router + 1]: the channels that leave router r are out_channels[out_offsets[r]:out_offsets[r + 1]]."""
    out_channels: Array
    """int32 [channel]."""
    in_offsets: Array
    """int32 [router + 1]: the channels that enter router r are in_channels[in_offsets[r]:in_offsets[r + 1]]."""
    in_channels: Array
    """int32 [channel]."""
