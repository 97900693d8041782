"""A network: routers joined by directed channels, with processors on routers.

Parallel channels are allowed, channels from a router to itself are not. A router carries one processor (slim), several
(fat) or none (pure switch). A link is a channel each way; channels without an opposite are one-way.

Everything is numbered from 0: routers, channels and processors. Names are for people.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from pavane.errors import InputError
from pavane.model.arrays import Flags, Ints, Reals
from pavane.model.distances import breadth_first, distance_table
from pavane.model.incidence import Incidence

MOST_ROUTERS_TABLED = 4096
"""On larger networks several rows of distances are searched for one by one, without the table of all."""


@dataclass(frozen=True, eq=False)
class Network:
    """Routers, directed channels and processors, as arrays that cannot be written to."""

    name: str
    routers: tuple[str, ...]
    """The name of each router."""
    channels: Ints
    """One row per channel: its tail router and its head router."""
    router_of: Ints
    """The router of each processor."""
    positions: Reals | None = field(default=None)
    """Where to draw each router, x and y; None where nobody said."""

    def __init__(
        self,
        name: str,
        routers: Sequence[str] | int,
        channels: Iterable[tuple[int, int]] | npt.NDArray[np.integer],
        router_of: Iterable[int] | npt.NDArray[np.integer] | None = None,
        positions: Sequence[tuple[float, float]] | npt.NDArray[np.floating] | None = None,
    ) -> None:
        """Make a network; `routers` may be a number, and processors default to one on every router."""
        names = tuple(str(r) for r in range(routers)) if isinstance(routers, int) else tuple(routers)
        table = _frozen_ints(channels, "channels")
        if table.size and table.shape[1:] != (2,):
            raise InputError(f"network {name}: channels must be pairs of routers, tail and head")
        table = table.reshape(-1, 2)
        owners = np.arange(len(names), dtype=np.int32) if router_of is None else _frozen_ints(router_of, "processors")
        owners.flags.writeable = False
        places = None
        if positions is not None:
            try:
                places = np.array(positions, dtype=np.float64)
            except (ValueError, TypeError):
                places = np.zeros(0)  # refused by _check, which says what positions must be
            places.flags.writeable = False
        for attribute, value in (
            ("name", name),
            ("routers", names),
            ("channels", table),
            ("router_of", owners),
            ("positions", places),
        ):
            object.__setattr__(self, attribute, value)
        self._check()

    def _check(self) -> None:
        """Refuse what is not a network, naming the first thing that is wrong."""
        num_routers = self.num_routers
        if not num_routers:
            raise InputError(f"network {self.name}: it has no routers; give at least one")
        if len(set(self.routers)) < num_routers:
            seen: set[str] = set()
            double = next(r for r in self.routers if r in seen or seen.add(r))  # type: ignore[func-returns-value]
            raise InputError(f"network {self.name}: two routers are named {double!r}; give each its own name")
        for router in self.routers:
            if not router or not router.isprintable():
                raise InputError(
                    f"network {self.name}: router name {router!r} is empty or not printable; rename that router"
                )
        bad = np.flatnonzero(((self.channels < 0) | (self.channels >= num_routers)).any(axis=1))
        if len(bad):
            tail, head = self.channels[bad[0]].tolist()
            raise InputError(
                f"network {self.name}: channel {bad[0]} runs from router {tail} to {head}, "
                f"but routers are numbered 0 to {num_routers - 1}"
            )
        loops = np.flatnonzero(self.tails == self.heads)
        if len(loops):
            raise InputError(
                f"network {self.name}: channel {loops[0]} runs from router "
                f"{self.routers[self.tails[loops[0]]]} to itself; leave it out"
            )
        stray = np.flatnonzero((self.router_of < 0) | (self.router_of >= num_routers))
        if len(stray):
            raise InputError(
                f"network {self.name}: processor {stray[0]} is on router {self.router_of[stray[0]]}, "
                f"but routers are numbered 0 to {num_routers - 1}"
            )
        if self.positions is not None and (
            self.positions.shape != (num_routers, 2) or not np.isfinite(self.positions).all()
        ):
            raise InputError(
                f"network {self.name}: positions must be {num_routers} pairs of finite numbers, one per router"
            )

    # -- what it consists of

    @property
    def num_routers(self) -> int:
        """Return the number of routers."""
        return len(self.routers)

    @property
    def num_channels(self) -> int:
        """Return the number of directed channels."""
        return len(self.channels)

    @property
    def num_processors(self) -> int:
        """Return the number of processors."""
        return len(self.router_of)

    @property
    def tails(self) -> Ints:
        """Return the router that each channel leaves."""
        return self.channels[:, 0]

    @property
    def heads(self) -> Ints:
        """Return the router that each channel enters."""
        return self.channels[:, 1]

    @cached_property
    def out_degrees(self) -> Ints:
        """The number of channels that leave each router."""
        return np.bincount(self.tails, minlength=self.num_routers).astype(np.int32)

    @cached_property
    def in_degrees(self) -> Ints:
        """The number of channels that enter each router."""
        return np.bincount(self.heads, minlength=self.num_routers).astype(np.int32)

    @cached_property
    def outgoing(self) -> Incidence:
        """The channels that leave each router, as arrays; `out_channels` has them as tuples."""
        return Incidence.of(self.tails, self.num_routers)

    @cached_property
    def incoming(self) -> Incidence:
        """The channels that enter each router, as arrays; `in_channels` has them as tuples."""
        return Incidence.of(self.heads, self.num_routers)

    @cached_property
    def out_channels(self) -> tuple[tuple[int, ...], ...]:
        """The channels that leave each router, in order."""
        return self.outgoing.listed()

    @cached_property
    def in_channels(self) -> tuple[tuple[int, ...], ...]:
        """The channels that enter each router, in order."""
        return self.incoming.listed()

    @cached_property
    def processors_on(self) -> tuple[tuple[int, ...], ...]:
        """The processors on each router, in order."""
        homes: list[list[int]] = [[] for _ in range(self.num_routers)]
        for processor, router in enumerate(self.router_of.tolist()):
            homes[router].append(processor)
        return tuple(map(tuple, homes))

    @cached_property
    def opposite(self) -> Ints:
        """The channel back along the same link, or -1 for a one-way channel.

        Parallel channels pair up in the order of their numbers: the second one from a to b belongs to the second one
        from b to a.
        """
        back = np.full(self.num_channels, -1, dtype=np.int32)
        waiting: dict[tuple[int, int], list[int]] = {}
        for channel, (tail, head) in enumerate(self.channels.tolist()):
            partners = waiting.get((head, tail))
            if partners:
                partner = partners.pop(0)
                back[channel], back[partner] = partner, channel
            else:
                waiting.setdefault((tail, head), []).append(channel)
        back.flags.writeable = False
        return back

    @property
    def is_slim(self) -> bool:
        """Whether processor p sits on router p, one on each."""
        return np.array_equal(self.router_of, np.arange(self.num_routers))

    def router(self, name: str) -> int:
        """Return the number of the router called `name`."""
        try:
            return self.routers.index(name)
        except ValueError:
            shown = ", ".join(self.routers[:8]) + (", ..." if self.num_routers > 8 else "")
            raise InputError(f"network {self.name} has no router {name!r}; its routers are {shown}") from None

    # -- distances

    @cached_property
    def distances(self) -> npt.NDArray[np.int16]:
        """Channels on a shortest path from router to router; UNREACHABLE where there is none."""
        return distance_table(self.incoming, self.tails)

    def distances_from(self, router: int) -> Ints:
        """Return the distance from one router to every router, for networks too large for the whole table."""
        return self.distances_from_nearest(np.array([router]))

    def distances_from_nearest(self, routers: npt.NDArray[np.integer]) -> Ints:
        """Return the distance of every router from the nearest of several routers."""
        return breadth_first(self.outgoing, self.heads, routers)

    def distance_rows(self, routers: npt.ArrayLike) -> Ints:
        """Return the distances from several routers, a row each; from the whole table where that is small enough."""
        asked = np.asarray(routers, dtype=np.int64)
        if len(asked) > 8 and self.num_routers <= MOST_ROUTERS_TABLED:
            return self.distances[asked].astype(np.int32)
        rows = [self.distances_from(router) for router in asked.tolist()]
        return np.stack(rows) if rows else np.zeros((0, self.num_routers), dtype=np.int32)

    def distances_to(self, router: int) -> Ints:
        """Return the distance from every router to one router."""
        return breadth_first(self.incoming, self.tails, np.array([router]))

    @cached_property
    def processor_distances(self) -> npt.NDArray[np.int16]:
        """Channels on a shortest path from processor to processor."""
        return self.distances[np.ix_(self.router_of, self.router_of)]

    @property
    def is_connected(self) -> bool:
        """Whether every processor can reach every other."""
        if not self.num_processors:
            return True
        start = int(self.router_of[0])
        return bool(
            (self.distances_from(start)[self.router_of] >= 0).all()
            and (self.distances_to(start)[self.router_of] >= 0).all()
        )

    @property
    def diameter(self) -> int:
        """Return the largest distance between two processors."""
        self._must_connect("diameter")
        return int(self.processor_distances.max(initial=0))

    @property
    def sum_of_distances(self) -> int:
        """Return the sum of the distances over all ordered pairs of processors (gecco08 section 3)."""
        self._must_connect("sum of distances")
        return int(self.processor_distances.sum(dtype=np.int64))

    def _must_connect(self, what: str) -> None:
        if not self.is_connected:
            raise InputError(
                f"network {self.name} has no {what}: not every processor can reach every other; "
                "add channels or leave processors out"
            )

    def shortest_path_channels(self, source: int, target: int) -> Flags:
        """Mark the channels that lie on a shortest path between two routers."""
        distances = self.distances
        on_way = (distances[source, self.tails] >= 0) & (distances[self.heads, target] >= 0)
        lengths = distances[source, self.tails] + 1 + distances[self.heads, target]
        marked: Flags = on_way & (lengths == distances[source, target])
        return marked

    def num_shortest_paths(self, source: int, target: int) -> int:
        """Count the shortest paths between two routers, parallel channels counted apart."""
        distances = self.distances_to(target)
        counts = {source: 1}
        for level in range(int(distances[source]), 0, -1):
            following: dict[int, int] = {}
            for router, count in counts.items():
                for channel in self.out_channels[router]:
                    head = int(self.heads[channel])
                    if distances[head] == level - 1:
                        following[head] = following.get(head, 0) + count
            counts = following
        return counts.get(target, 0)

    def connectivity(self) -> int:
        """Return the least number of channels whose loss parts some processor from another, by maximum flows."""
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import maximum_flow

        ones = np.ones(self.num_channels, dtype=np.int32)
        capacity = csr_array((ones, (self.tails, self.heads)), shape=(self.num_routers, self.num_routers))
        homes = np.unique(self.router_of).tolist()
        if len(homes) < 2:
            return 0
        return int(
            min(
                maximum_flow(capacity, source, target).flow_value
                for other in homes[1:]
                for source, target in ((homes[0], other), (other, homes[0]))
            )
        )

    # -- faults and other variants

    def without(
        self,
        *,
        channels: Iterable[int] = (),
        links: Iterable[tuple[int, int]] = (),
        routers: Iterable[int] = (),
        processors: Iterable[int] = (),
    ) -> Network:
        """Return a copy without the given channels, links (router pairs), routers or processors.

        A link goes with both its channels; where channels are parallel, each mention removes one more. A router takes
        its channels and processors with it. What stays is numbered anew, in the old order.
        """
        gone = np.zeros(self.num_channels, dtype=bool)
        labels: list[str] = []
        for channel in channels:
            if not 0 <= channel < self.num_channels:
                raise InputError(
                    f"network {self.name} has no channel {channel}; they are numbered 0 to {self.num_channels - 1}"
                )
            gone[channel] = True
            labels.append(f"{self.routers[self.tails[channel]]}>{self.routers[self.heads[channel]]}")
        for a, b in links:
            for router in (a, b):
                self._must_have_router(router)
            hit = [self._take(a, b, gone), self._take(b, a, gone)]
            if hit == [False, False]:
                raise InputError(
                    f"network {self.name} has no link between routers {self.routers[a]} and {self.routers[b]} left"
                    " to cut; `Network.channels` lists those of a network"
                )
            labels.append(f"{self.routers[a]}-{self.routers[b]}")
        lost = np.zeros(self.num_routers, dtype=bool)
        for router in routers:
            self._must_have_router(router)
            lost[router] = True
            labels.append(f"router {self.routers[router]}")
        dead = lost[self.router_of]
        for processor in processors:
            if not 0 <= processor < self.num_processors:
                raise InputError(
                    f"network {self.name} has no processor {processor}; "
                    f"they are numbered 0 to {self.num_processors - 1}"
                )
            dead[processor] = True
            labels.append(f"processor {processor}")
        gone |= lost[self.tails] | lost[self.heads]
        number = np.cumsum(~lost) - 1
        return Network(
            self.name + (", " if " less " in self.name else " less ") * bool(labels) + ", ".join(labels),
            tuple(name for name, out in zip(self.routers, lost, strict=True) if not out),
            number[self.channels[~gone]],
            number[self.router_of[~dead]],
            None if self.positions is None else self.positions[~lost],
        )

    def _must_have_router(self, router: int) -> None:
        if not 0 <= router < self.num_routers:
            raise InputError(
                f"network {self.name} has no router {router}; they are numbered 0 to {self.num_routers - 1}"
            )

    def _take(self, tail: int, head: int, gone: Flags) -> bool:
        """Mark the first channel from tail to head that is not yet gone."""
        hits = np.flatnonzero((self.tails == tail) & (self.heads == head) & ~gone)
        gone[hits[:1]] = True
        return len(hits) > 0

    def reversed(self) -> Network:
        """Return the network with every channel turned round; the reversal of the reversal is the network."""
        suffix = " reversed"
        name = self.name.removesuffix(suffix) if self.name.endswith(suffix) else self.name + suffix
        return Network(name, self.routers, self.channels[:, ::-1], self.router_of, self.positions)

    def with_processors(self, per_router: int) -> Network:
        """Return the network with so many processors on every router that carries any (the suffix `*K`)."""
        if per_router < 1:
            raise InputError(f"network {self.name}: {per_router} processors per router; give 1 or more")
        homes = np.unique(self.router_of)
        name = f"{self.name}*{per_router}"
        return Network(name, self.routers, self.channels, np.repeat(homes, per_router), self.positions)

    # -- values

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Network):
            return NotImplemented
        return (
            self.name == other.name
            and self.routers == other.routers
            and np.array_equal(self.channels, other.channels)
            and np.array_equal(self.router_of, other.router_of)
            and (
                self.positions is other.positions
                or (
                    self.positions is not None
                    and other.positions is not None
                    and np.array_equal(self.positions, other.positions)
                )
            )
        )

    def __hash__(self) -> int:
        return hash((self.name, self.routers, self.channels.tobytes(), self.router_of.tobytes()))

    def __repr__(self) -> str:
        return (
            f"<Network {self.name}: {self.num_routers} routers, {self.num_channels} channels, "
            f"{self.num_processors} processors>"
        )


def _frozen_ints(values: Iterable[object] | npt.NDArray[np.integer], what: str) -> Ints:
    try:
        array = np.array(values if isinstance(values, np.ndarray) else list(values))
    except (ValueError, TypeError, OverflowError):
        raise InputError(f"{what} must be whole numbers") from None
    if array.size and array.dtype.kind not in "iu":
        raise InputError(f"{what} must be whole numbers")
    if array.size and (array.min() < -(2**31) or array.max() >= 2**31):
        raise InputError(f"{what} must be numbers below 2,147,483,648")
    small = array.astype(np.int32)
    small.flags.writeable = False
    return small
