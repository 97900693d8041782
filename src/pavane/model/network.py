"""A network: routers joined by directed channels, with processors on routers.

Parallel channels are allowed, channels from a router to itself are not. A channel carries one message a step, or as
many as its capacity says. A router carries one processor (slim), several (fat) or none (pure switch). A link is a
channel each way; channels without an opposite are one-way.

Everything is numbered from 0: routers, channels and processors. Names are for people.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pavane.errors import InputError, expect, expect_pairs, expect_whole, expect_wholes, shortened
from pavane.model.arrays import Ints, Reals
from pavane.model.channel_speeds import ChannelSpeeds, check_speeds
from pavane.model.connectivity import least_cut, least_router_cut
from pavane.model.distances import breadth_first, distance_table, num_paths
from pavane.model.grid import Grid
from pavane.model.grid_recognition import recognized_grid
from pavane.model.incidence import Incidence
from pavane.model.network_checks import (
    check_boxes,
    check_capacities,
    check_channels,
    check_grid,
    check_name,
    check_positions,
    check_processors,
    check_routers,
)
from pavane.model.removed_parts import Losses

if TYPE_CHECKING:
    import networkx
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_ROUTERS_TABLED = 4096
"""On larger networks several rows of distances are searched for one by one, without the table of all."""


@dataclass(frozen=True, eq=False)
class Network:
    """Routers, directed channels and processors, as arrays that cannot be written to.

    `pavane.network` makes one of a text or of a graph, `pavane.read_network` of a file. Only what is given is in it:
    to change a network use `with_links`, `without_links`, `without` or `with_processors`, which keep the processors,
    switches, capacities, speeds and positions that a call with `network.routers` and channels alone would leave out.

    Args:
        name: Its name.
        routers: The names of its routers, or their number.
        channels: The channels, as pairs of routers: tail and head.
        router_of: The router of each processor; one processor on every router unless given.
        positions: Where to draw each router, x and y.
        grid: Which mesh or torus it is, if known; otherwise a grid is recognized by the channels.
        capacities: How many messages each channel carries in a step; one each unless given.
        speeds: What a file says of latencies and bandwidths, for start times; networks that differ in them are equal.
        boxes: The machine that each router is in, by number, and -1 for switches between machines; all are in one
            unless given. Networks that differ in them are equal.

    Example:
        >>> pavane.Network("pair", ["a", "b"], [(0, 1), (1, 0)])
        <Network pair: 2 routers, 2 channels, 2 processors>
    """

    name: str
    routers: tuple[str, ...]
    """The name of each router."""
    channels: Ints
    """One row per channel: its tail router and its head router."""
    router_of: Ints
    """The router of each processor."""
    positions: Reals | None = field(default=None)
    """Where to draw each router, x and y; None if not given."""
    capacities: Ints | None = field(default=None)
    """How many messages each channel carries in a step; None: one each. `capacity` always has a number per channel."""
    speeds: ChannelSpeeds | None = field(default=None)
    """What a file says of latencies and bandwidths of channels; None if it says nothing."""
    boxes: Ints | None = field(default=None)
    """The machine of each router, -1 for switches between machines; None: all are in one."""
    has_gpus: bool = field(default=False)
    """Whether it is a machine of GPUs, which decides the default rules; networks that differ in it are equal."""

    def __init__(
        self,
        name: str,
        routers: Sequence[str] | int,
        channels: Iterable[tuple[int, int]] | npt.NDArray[np.integer],
        router_of: Iterable[int] | npt.NDArray[np.integer] | None = None,
        positions: Sequence[tuple[float, float]] | npt.NDArray[np.floating] | None = None,
        grid: Grid | None = None,
        capacities: Iterable[int] | npt.NDArray[np.integer] | None = None,
        speeds: ChannelSpeeds | None = None,
        boxes: Iterable[int] | npt.NDArray[np.integer] | None = None,
    ) -> None:
        """Make a network; `routers` may be a number, and processors default to one on every router.

        `grid` says which mesh or torus it is; without it a grid is recognized by its channels.
        """
        check_name(name)
        if isinstance(routers, str | bytes | bool) or not isinstance(routers, int | Iterable):
            raise InputError(f"network {name}: `routers` is {shortened(routers)}; give their names, or their number")
        is_numbered = isinstance(routers, int)
        names = tuple(map(str, range(routers))) if isinstance(routers, int) else tuple(routers)
        table = _frozen_ints(channels, "channels")
        if table.size and table.shape[1:] != (2,):
            raise InputError(f"network {name}: channels must be pairs of routers, tail and head")
        table = table.reshape(-1, 2)
        owners = np.arange(len(names), dtype=np.int32) if router_of is None else _frozen_ints(router_of, "processors")
        owners.flags.writeable = False
        drawn = None if positions is None else _frozen_positions(positions)
        carried = None if capacities is None else check_capacities(name, len(table), capacities)
        check_routers(name, names[:1] if is_numbered else names)
        check_channels(name, names, table)
        check_processors(name, len(names), owners)
        if drawn is not None:
            check_positions(name, len(names), drawn)
        if speeds is not None:
            expect(speeds, ChannelSpeeds, "speeds", "leave them out, and give `Links` to a timed problem")
            check_speeds(name, len(table), speeds)
        machines = None if boxes is None else _frozen_ints(boxes, "boxes")
        if machines is not None:
            check_boxes(name, len(names), machines)
        for attribute, value in (
            ("name", name),
            ("routers", names),
            ("channels", table),
            ("router_of", owners),
            ("positions", drawn),
            ("capacities", carried),
            ("speeds", speeds),
            ("boxes", machines),
        ):
            object.__setattr__(self, attribute, value)
        if is_numbered:
            # Stored in place of the cached property, which would compare all names.
            self.__dict__["is_numbered"] = True
        if grid is not None:
            expect(grid, Grid, "grid", "leave it out, and a mesh or torus is recognized by its channels")
            check_grid(name, len(names), table, grid)
            # Stored in place of the cached property, which would recognize a grid by the channels.
            self.__dict__["grid"] = grid

    # -- what it consists of

    @property
    def num_routers(self) -> int:
        """Return the number of routers."""
        return len(self.routers)

    @cached_property
    def is_numbered(self) -> bool:
        """Whether the name of every router is its number."""
        return all(name == str(router) for router, name in enumerate(self.routers))

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
    def capacity(self) -> Ints:
        """The number of messages that each channel carries in a step."""
        return np.ones(self.num_channels, dtype=np.int32) if self.capacities is None else self.capacities

    @cached_property
    def out_degrees(self) -> Ints:
        """The number of messages that leave each router in a step at most: its channels, by their capacities."""
        return self._carried(self.tails)

    @cached_property
    def in_degrees(self) -> Ints:
        """The number of messages that enter each router in a step at most: its channels, by their capacities."""
        return self._carried(self.heads)

    def _carried(self, ends: Ints) -> Ints:
        if self.capacities is None:
            return np.bincount(ends, minlength=self.num_routers).astype(np.int32)
        degrees = np.zeros(self.num_routers, dtype=np.int32)
        np.add.at(degrees, ends, self.capacities)
        return degrees

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

    @cached_property
    def grid(self) -> Grid | None:
        """Where routers stand in a mesh or torus; None for any other network.

        The maker of the network may have given it; otherwise it is recognized by the channels, whatever the name.
        """
        return recognized_grid(self.num_routers, self.channels)

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
        sources = np.asarray(routers, dtype=np.int64)
        if len(sources) > 8 and self.num_routers <= MOST_ROUTERS_TABLED:
            return self.distances[sources].astype(np.int32)
        rows = [self.distances_from(router) for router in sources.tolist()]
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

    def num_shortest_paths(self, source: int, target: int) -> int:
        """Count the shortest paths between two routers, parallel channels counted separately."""
        return num_paths(self.out_channels, self.heads, self.distances_to(target), source)

    def connectivity(self) -> int:
        """Return the least number of channels whose loss separates some processor from another, by maximum flows."""
        return least_cut(self.num_routers, self.channels, np.unique(self.router_of).tolist())

    def router_connectivity(self) -> int:
        """Return the least number of routers whose loss separates two of the other processors, by maximum flows.

        Where no loss of routers does, as on a complete network, it is the number of routers with processors, less one.
        """
        return least_router_cut(self.num_routers, self.channels, np.unique(self.router_of).tolist())

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
        its channels and processors with it. The rest is renumbered, in the old order.
        """
        losses = Losses(self.name, self.routers, self.channels, self.router_of)
        for channel in expect_wholes(channels, "channels"):
            losses.lose_channel(channel)
        for a, b in expect_pairs(links, "links"):
            losses.lose_link(a, b)
        for router in expect_wholes(routers, "routers"):
            losses.lose_router(router)
        for processor in expect_wholes(processors, "processors"):
            losses.lose_processor(processor)
        stay = ~losses.routers
        number = np.cumsum(stay) - 1
        remaining = Network(
            self.name + _suffix(self.name, "less", losses.labels()),
            tuple(name for name, stays in zip(self.routers, stay.tolist(), strict=True) if stays),
            number[self.channels[~losses.channels]],
            number[self.router_of[~losses.processors]],
            None if self.positions is None else self.positions[stay],
            # A grid without some channels is a grid with faults; without some routers it must be recognized again.
            self.grid if stay.all() else None,
            None if self.capacities is None else self.capacities[~losses.channels],
            None if self.speeds is None else self.speeds.of_channels(~losses.channels),
            None if self.boxes is None else self.boxes[stay],
        )
        return remaining.of_gpus() if self.has_gpus else remaining

    def without_links(self, links: Iterable[tuple[int, int]]) -> Network:
        """Return a copy without the given links (router pairs); the rest is as it was.

        Example:
            >>> pavane.network("ring:4").without_links([(0, 1)]).name
            'ring:4 less 0-1'
        """
        return self.without(links=links)

    def with_links(self, links: Iterable[tuple[int, int]], capacity: int = 1, *, like: int | None = None) -> Network:
        """Return a copy with more links, a channel each way; the rest is as it was, and has the same numbers.

        Args:
            links: Pairs of routers, by their numbers.
            capacity: How many messages each new channel carries in a step.
            like: A channel whose latency, overhead and bandwidth the new channels have; needed where the network has
                speeds and its channels differ in them.

        Example:
            >>> pavane.network("ring:6").with_links([(0, 3)]).num_channels
            14
        """
        pairs = expect_pairs(links, "links")
        for pair in pairs:
            for router in pair:
                if not 0 <= router < self.num_routers:
                    last = self.num_routers - 1
                    raise InputError(f"network {self.name} has no router {router}; they are numbered 0 to {last}")
        added = np.array([ends for a, b in pairs for ends in ((a, b), (b, a))], dtype=np.int64).reshape(-1, 2)
        carried = [expect_whole(capacity, "capacity", 1)] * len(added)
        is_plain = self.capacities is None and capacity == 1
        return self._changed(
            name=self.name + _suffix(self.name, "plus", [f"{self.routers[a]}-{self.routers[b]}" for a, b in pairs]),
            channels=np.concatenate([self.channels, added]),
            capacities=None if is_plain else np.concatenate([self.capacity, carried]),
            speeds=None if self.speeds is None else self.speeds.with_more(len(added), like, self.name),
            grid=None if pairs else self.grid,  # a grid with more links must be recognized again
        )

    def reversed(self) -> Network:
        """Return the network with every channel turned around; the reversal of the reversal is the network."""
        suffix = " reversed"
        name = self.name.removesuffix(suffix) if self.name.endswith(suffix) else self.name + suffix
        grid = None if self.grid is None else self.grid.read_backwards()
        turned = self.channels[:, ::-1]
        return self._changed(name=name, channels=turned, grid=grid)

    def with_processors(self, per_router: int) -> Network:
        """Return the network with `per_router` processors on every router that carries any (the suffix `*K`)."""
        if expect_whole(per_router, "per_router", 2) < 1:
            raise InputError(f"network {self.name}: {per_router} processors per router; give 1 or more")
        homes = np.repeat(np.unique(self.router_of), per_router)
        name = f"{self.name}*{per_router}"
        return self._changed(name=name, router_of=homes)

    def with_grid(self, grid: Grid) -> Network:
        """Return the network with a given grid: for one that lacks too many links to be recognized."""
        return self._changed(grid=grid)

    def of_gpus(self) -> Network:
        """Return the same network as a machine of GPUs: without given rules, these store and forward, switches pass.

        Returns:
            The network; it is equal to the one before, and its file says `gpus`.

        Example:
            >>> machine = pavane.network("complete:4").of_gpus()
            >>> pavane.Problem(machine, "allgather").rules
            Rules(switching='store-and-forward')
        """
        marked = copy(self)
        object.__setattr__(marked, "has_gpus", True)
        return marked

    def _changed(self, **changes: Any) -> Network:
        """Return a copy with other values; the routers are the same."""
        names = ("name", "routers", "channels", "router_of", "positions", "grid", "capacities", "speeds", "boxes")
        changed = Network(**{name: getattr(self, name) for name in names} | changes)
        return changed.of_gpus() if self.has_gpus else changed

    # -- graphs, pictures and notebooks

    def to_networkx(self) -> networkx.MultiDiGraph:
        """Return the network as a graph of NetworkX, which `pavane.network` makes the same network of.

        Returns:
            A MultiDiGraph with one of its `nodes` for each router, by its name, and an edge for each channel, whose key
            is its number. The `nodes` have `processors`, and `pos` where there are positions; edges have `capacity`.

        Example:
            >>> graph = pavane.network("octagon").to_networkx()
            >>> graph.number_of_nodes(), graph.number_of_edges()
            (8, 24)
        """
        import pavane

        return pavane.to_networkx(self)

    def plot(self, ax: Axes | None = None) -> Figure:
        """Draw the network with matplotlib.

        Args:
            ax: Axes to draw into; a new figure unless given.

        Returns:
            The figure, which a notebook shows.

        Example:
            >>> figure = pavane.network("octagon").plot()
            >>> len(figure.axes)
            1
        """
        import pavane

        return pavane.notebook.plot_network(self, ax)

    def _repr_html_(self) -> str:
        import pavane

        return pavane.notebook.network_view(self)

    # -- values

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Network):
            return NotImplemented
        return (
            self.name == other.name
            and self.routers == other.routers
            and np.array_equal(self.channels, other.channels)
            and np.array_equal(self.router_of, other.router_of)
            and np.array_equal(self.capacity, other.capacity)
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


def network_record(network: Network) -> dict[str, Any]:
    """Return a network as files have it, without the speeds of its channels."""
    record: dict[str, Any] = {
        "name": network.name,
        "routers": list(network.routers),
        "channels": network.channels.tolist(),
        "processors": network.router_of.tolist(),
    }
    for key, column in (("capacities", network.capacities), ("positions", network.positions), ("boxes", network.boxes)):
        if column is not None:
            record[key] = column.tolist()
    return record | ({"gpus": True} if network.has_gpus else {})


def _suffix(name: str, word: str, labels: Sequence[str]) -> str:
    """Return what a name ends in after a change: ` less 0-1`, or `, 0-1` if it already ends in a list of this kind."""
    if not labels:
        return ""
    lists_the_same = name.rfind(f" {word} ") > name.rfind(" less " if word == "plus" else " plus ")
    return (", " if lists_the_same else f" {word} ") + ", ".join(labels)


def _frozen_ints(values: Iterable[object] | npt.NDArray[np.integer], what: str) -> Ints:
    try:
        array = np.array(values if isinstance(values, np.ndarray) else list(values))
    except (ValueError, TypeError, OverflowError):
        raise InputError(f"{what} must be whole numbers") from None
    # Numbers beyond 64 bits come as objects; they are whole, and too large.
    is_whole = array.dtype.kind in "iu" or all(type(each) is int for each in array.flat)
    if not is_whole:
        raise InputError(f"{what} must be whole numbers")
    if array.size and (array.min() < -(2**31) or array.max() >= 2**31):
        raise InputError(f"{what} must be numbers below 2,147,483,648")
    small = array.astype(np.int32)
    small.flags.writeable = False
    return small


def _frozen_positions(positions: Sequence[tuple[float, float]] | npt.NDArray[np.floating]) -> Reals:
    try:
        drawn = np.array(positions, dtype=np.float64)
    except (ValueError, TypeError):
        drawn = np.zeros(0)  # refused by its shape, with a text that says what positions must be
    drawn.flags.writeable = False
    return drawn
