"""Shortest paths between two routers: which channels lie on them, and how many paths there are."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pavane.model.arrays import Flags, Ints


def channels_between(away: npt.NDArray[np.integer], back: npt.NDArray[np.integer], channels: Ints, far: int) -> Flags:
    """Mark the channels on a shortest path of length `far`, by the distances from its start and to its end."""
    before, after = away[channels[:, 0]], back[channels[:, 1]]
    marked: Flags = (before >= 0) & (after >= 0) & (before + 1 + after == far)
    return marked


def num_paths(out_channels: tuple[tuple[int, ...], ...], heads: Ints, back: Ints, source: int) -> int:
    """Count the shortest paths from a source, by distances to their end; parallel channels count separately."""
    counts = {source: 1}
    for level in range(int(back[source]), 0, -1):
        following: dict[int, int] = {}
        for router, count in counts.items():
            for channel in out_channels[router]:
                head = int(heads[channel])
                if back[head] == level - 1:
                    following[head] = following.get(head, 0) + count
        counts = following
    return sum(counts.values()) if back[source] >= 0 else 0
