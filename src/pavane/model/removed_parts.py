"""Removal of parts of a network: channels, links, routers with their channels and processors, and processors."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from pavane.errors import InputError
from pavane.model.arrays import Flags, Ints


class Losses:
    """Marks on the channels, routers and processors that are lost, set one loss at a time."""

    def __init__(self, name: str, routers: tuple[str, ...], channels: Ints, router_of: Ints) -> None:
        self._name, self._routers, self._channels, self._router_of = name, routers, channels, router_of
        self.channels: Flags = np.zeros(len(channels), dtype=bool)
        self.routers: Flags = np.zeros(len(routers), dtype=bool)
        self.processors: Flags = np.zeros(len(router_of), dtype=bool)
        self._ends: list[tuple[str, str]] = []
        self._labels: list[str] = []

    def lose_channel(self, channel: int) -> None:
        """Lose one channel."""
        if not 0 <= channel < len(self._channels):
            raise InputError(
                f"network {self._name} has no channel {channel}; they are numbered 0 to {len(self._channels) - 1}"
            )
        self.channels[channel] = True
        tail, head = self._channels[channel].tolist()
        self._ends.append((self._routers[tail], self._routers[head]))

    def lose_link(self, a: int, b: int) -> None:
        """Lose a channel each way, as far as they exist; where channels are parallel, the first of those left."""
        for router in (a, b):
            self._must_have_router(router)
        lost = [self._lose_between(a, b), self._lose_between(b, a)]
        if not any(lost):
            raise InputError(
                f"network {self._name} has no link between routers {self._routers[a]} and {self._routers[b]} left"
                " to cut; `Network.channels` lists those of a network"
            )
        self._labels.append(f"{self._routers[a]}-{self._routers[b]}")

    def lose_router(self, router: int) -> None:
        """Lose a router with its channels and processors."""
        self._must_have_router(router)
        self.routers[router] = True
        self.channels |= (self._channels == router).any(axis=1)
        self.processors |= self._router_of == router
        self._labels.append(f"router {self._routers[router]}")

    def lose_processor(self, processor: int) -> None:
        """Lose a processor; its router stays."""
        if not 0 <= processor < len(self._router_of):
            raise InputError(
                f"network {self._name} has no processor {processor}; they are numbered 0 to {len(self._router_of) - 1}"
            )
        self.processors[processor] = True
        self._labels.append(f"processor {processor}")

    def labels(self) -> list[str]:
        """Return the names of what is lost: `0-1`, `0>1`, `router 3`, `processor 2`."""
        return [*channel_names(self._ends), *self._labels]

    def _must_have_router(self, router: int) -> None:
        if not 0 <= router < len(self._routers):
            raise InputError(
                f"network {self._name} has no router {router}; they are numbered 0 to {len(self._routers) - 1}"
            )

    def _lose_between(self, tail: int, head: int) -> bool:
        """Lose the first channel left from tail to head, if there is one."""
        left = np.flatnonzero((self._channels == (tail, head)).all(axis=1) & ~self.channels)
        self.channels[left[:1]] = True
        return len(left) > 0


def channel_names(ends: Iterable[tuple[str, str]]) -> list[str]:
    """Return the names of channels by their ends: `0>1`, and `0-1` for one each way."""
    names: list[str] = []
    alone: dict[tuple[str, str], list[int]] = {}
    for tail, head in ends:
        if opposite := alone.get((head, tail)):
            names[opposite.pop(0)] = f"{head}-{tail}"
        else:
            alone.setdefault((tail, head), []).append(len(names))
            names.append(f"{tail}>{head}")
    return names
