"""Networks that are put together router by router, and the NICs that join several machines.

NICs of the same name are on one rail, a switch. A NIC that one GPU uses is the link from that GPU to the rail; one that
several GPUs share is a pure switch between them and the rail, so that they share its capacity.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from pavane.errors import InputError
from pavane.io.capacities import in_whole_numbers
from pavane.io.files import File
from pavane.model.channel_speeds import ChannelSpeeds
from pavane.model.network import Network
from pavane.model.network_checks import MOST_CAPACITY
from pavane.networks.copies import Uplink, joined_copies, rails_of
from pavane.networks.limits import MOST_CHANNELS


def allow_count(where: object, count: int, what: str = "channels") -> None:
    """Refuse more channels, routers or processors than a network may have."""
    if count > MOST_CHANNELS:
        raise InputError(f"{where}: more than {MOST_CHANNELS:,} {what}; that is too large a network")


class ChannelSpeed(NamedTuple):
    """What a file says of the speed of a channel; None: nothing."""

    latency_ps: int | None = None
    bytes_per_second: int | None = None


UNKNOWN = ChannelSpeed()


class NetworkBuilder:
    """Collects a network; refuses to grow beyond what fits in memory."""

    def __init__(self, file: File) -> None:
        self.file = file
        self.number: dict[str, int] = {}
        """The routers by name."""
        self.carried: list[int] = []
        """How many processors each router carries."""
        self.channels: list[tuple[int, int]] = []
        self.capacities: list[Fraction | int] = []
        """What each channel carries in a step, perhaps a fraction."""
        self.speeds: list[ChannelSpeed] = []

    def router(self, name: str, processors: int = 1) -> int:
        """Return the number of a router, a new one where the name is new."""
        number = self.number.setdefault(name, len(self.carried))
        if number == len(self.carried):
            self.carried.append(processors)
            allow_count(self.file, len(self.carried), "routers")
        return number

    def channel(self, tail: int, head: int, capacity: int = 1, speed: ChannelSpeed = UNKNOWN) -> None:
        """Add a channel."""
        self.channels.append((tail, head))
        self.capacities.append(capacity)
        self.speeds.append(speed)
        allow_count(self.file, len(self.channels))
        if capacity > MOST_CAPACITY:
            raise InputError(
                f"{self.file}: {capacity:,} a step are too large a capacity for a channel; {MOST_CAPACITY:,} at most"
            )

    def link(self, a: int, b: int, capacity: int = 1, speed: ChannelSpeed = UNKNOWN) -> None:
        """Add a channel each way."""
        self.channel(a, b, capacity, speed)
        self.channel(b, a, capacity, speed)

    def count_nic(self, nic: Fraction | None) -> int:
        """Return the capacity of a NIC, given in NVLinks; if it is a fraction, all capacities are multiplied."""
        width = _nic_in_links(self.file, nic, "an NVLink")
        self.capacities = [capacity * width.denominator for capacity in self.capacities]
        return width.numerator

    def network(
        self,
        positions: Sequence[tuple[float, float]] | None = None,
        *,
        in_order: bool = False,
        name: str | None = None,
        boxes: Sequence[int] | None = None,
    ) -> Network:
        """Return the network; `in_order` sorts routers by number where all names are numbers."""
        allow_count(self.file, sum(self.carried), "processors")
        names = list(self.number)
        order = list(range(len(names)))
        if in_order and all(name.isdecimal() and len(name) < 19 for name in names):
            order.sort(key=lambda router: int(names[router]))
        index_of = np.argsort(order)
        return Network(
            self.file.stem if name is None else name,
            [names[router] for router in order],
            index_of[np.array(self.channels, dtype=np.int64).reshape(-1, 2)],
            [index for index, router in enumerate(order) for _ in range(self.carried[router])],
            None if positions is None else [positions[router] for router in order],
            capacities=in_whole_numbers(self.file, self.capacities) or None,
            speeds=columns_of(self.file, self.speeds),
            boxes=None if boxes is None else [boxes[router] for router in order],
        )


def columns_of(where: object, speeds: Sequence[ChannelSpeed]) -> ChannelSpeeds | None:
    """Return the latencies and bandwidths that are known of all channels; None where nothing is."""
    columns = [[one.latency_ps for one in speeds], [one.bytes_per_second for one in speeds]]
    known = [None if None in column or not column else column for column in columns]
    if all(column is None for column in known):
        return None
    try:
        latencies, rates = (None if column is None else np.array(column, dtype=np.int64) for column in known)
    except OverflowError:
        raise InputError(f"{where}: a latency or a bandwidth is too large; give smaller ones") from None
    return ChannelSpeeds(latencies=latencies, bandwidths=rates)


def _nic_in_links(file: File, nic: Fraction | None, link: str) -> Fraction:
    """Return the capacity of a NIC in links, 1 unless given; a note says the unit where it is a fraction."""
    width = Fraction(1) if nic is None else nic
    if width.denominator > 1:
        file.note(
            f"capacity 1 is 1/{width.denominator} of {link}: a step carries {width.denominator} messages over {link}, "
            f"{width.numerator:,} over a NIC"
        )
    return width


def joined_by_rails(file: File, network: Network, nodes: int, nic: Fraction | None) -> Network:
    """Return several of a network, joined by a rail for each processor; the capacity of its links is given in links."""
    width = _nic_in_links(file, nic, "a link of the file")
    return joined_copies(network, nodes, rails_of(network, width.numerator), width.denominator)


def uplinks(
    builder: NetworkBuilder,
    distance: Mapping[str, Mapping[str, int]],
    capacity: Mapping[str, int],
    speed: Mapping[str, ChannelSpeed] | None = None,
) -> list[Uplink]:
    """Give each GPU its nearest NIC, of equally near ones that of the fewest GPUs; return the links to rails.

    Distances are given by GPU and NIC, capacities and speeds by NIC. Shared NICs become routers of the network being
    built.
    """
    speeds = dict.fromkeys(capacity, UNKNOWN) if speed is None else speed
    used: Counter[str] = Counter()
    chosen: dict[str, str] = {}
    for gpu, ways in distance.items():
        nic = min(ways, key=lambda one: (ways[one], used[one]))
        used[nic] += 1
        chosen[gpu] = nic
    found: dict[str, Uplink] = {}
    for gpu, nic in chosen.items():
        own = builder.number[gpu]
        if used[nic] > 1:
            shared = builder.router(nic, 0)
            builder.link(own, shared, capacity[nic], speeds[nic])
            own = shared
        found[nic] = Uplink(own, rail(nic), capacity[nic], *speeds[nic])
    unused = [nic for nic in capacity if nic not in used]
    if unused:
        builder.file.note(f"{first_names(unused)}: left out, because every GPU has another NIC as near or nearer")
    return list(found.values())


def rail(nic: str) -> str:
    """Return the name of the rail of a NIC."""
    return f"rail.{nic}"


def first_names(names: Sequence[str]) -> str:
    """Name the first of several."""
    return f"{', '.join(names[:4])}{', ...' if len(names) > 4 else ''}"
