"""Maximum flows, their cuts, and the paths or hops that a flow of one step consists of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from pavane.model.arrays import Flags, Longs
from pavane.model.network import Network

T = TypeVar("T")


class MaximumFlow:
    """A maximum flow, arc by arc, and its cut."""

    def __init__(
        self,
        tails: npt.NDArray[np.integer],
        heads: npt.NDArray[np.integer],
        capacities: Longs,
        source: int,
        sink: int,
    ) -> None:
        # Loaded only where a flow is wanted: it takes a third of a second.
        from ortools.graph.python import max_flow

        self._search: Any = max_flow.SimpleMaxFlow()
        arcs = self._search.add_arcs_with_capacity(tails.astype(np.int32), heads.astype(np.int32), capacities)
        status = self._search.solve(source, sink)
        if status != self._search.OPTIMAL:
            raise RuntimeError(f"no maximum flow was found: {status}")
        self.value = int(self._search.optimal_flow())
        self.on_arcs: Longs = np.asarray(self._search.flows(arcs), dtype=np.int64)

    def source_side(self, num_ends: int) -> Flags:
        """Mark which of the ends lie on the source's side of a minimum cut."""
        inside = np.zeros(num_ends, dtype=bool)
        inside[self._search.get_source_side_min_cut()] = True
        return inside


def simple_paths_of(
    network: Network, channels: Longs, starts: Iterable[int], ends: Iterable[int]
) -> Iterator[tuple[int, tuple[int, ...], int]]:
    """Decompose a flow of unit channels: yield a path from each of the starts, between the routers at its ends.

    `ends` says how many paths end at each router; a path ends at the first router on its way that wants one.
    """
    head_of = dict(zip(channels.tolist(), network.heads[channels].tolist(), strict=True))
    leaving: dict[int, list[int]] = {}
    for channel, tail in zip(channels.tolist(), network.tails[channels].tolist(), strict=True):
        leaving.setdefault(tail, []).append(channel)
    wanted = list(ends)
    for start in starts:
        router, walk = start, []
        while not wanted[router]:
            walk.append(leaving[router].pop())
            router = head_of[walk[-1]]
        wanted[router] -= 1
        yield start, tuple(without_loops(start, walk, head_of.__getitem__)), router


def hops_of(network: Network, channels: Longs, passes: Flags) -> Iterator[tuple[int, tuple[int, ...], int]]:
    """Decompose the flow of a step under store-and-forward: yield hops, each between the routers at its ends.

    A hop is a channel; where that leads to a router that passes, it goes on until it comes to another.
    """
    goes_on = passes[network.tails[channels]]
    leaving: dict[int, list[int]] = {}
    for channel in channels[goes_on].tolist():
        leaving.setdefault(int(network.tails[channel]), []).append(channel)
    first = channels[~goes_on]
    for channel, (start, end) in zip(first.tolist(), network.channels[first].tolist(), strict=True):
        walk, router = [channel], end
        while router in leaving:
            walk.append(leaving[router].pop())
            router = int(network.heads[walk[-1]])
        kept = without_loops(start, walk, lambda channel: int(network.heads[channel])) if len(walk) > 1 else walk
        yield start, tuple(kept), router


def without_loops(start: int, hops: list[T], end_of: Callable[[T], int]) -> list[T]:
    """Leave out the hops between two visits of one router or location."""
    kept: list[T] = []
    visited = {start: 0}
    for hop in hops:
        end = end_of(hop)
        if end in visited:
            for lost in kept[visited[end] :]:
                del visited[end_of(lost)]
            del kept[visited[end] :]
        else:
            kept.append(hop)
            visited[end] = len(kept)
    return kept
