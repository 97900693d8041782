"""NICs of a machine: which GPU uses which, and how they join several such machines.

NICs of the same name are on one rail, a switch. A NIC that one GPU uses is the link from that GPU to the rail; one that
several GPUs share is a pure switch between them and the rail, so that together they get what it carries.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from pavane.io.file_notes import note
from pavane.io.formats.network_builder import NetworkBuilder
from pavane.networks.copies import Uplink


def uplinks(
    builder: NetworkBuilder, distance: Mapping[str, Mapping[str, int]], capacity: Mapping[str, int]
) -> list[Uplink]:
    """Give each GPU its nearest NIC, of equally near ones that of the fewest GPUs; return the links to rails.

    Distances are told by GPU and NIC, capacities by NIC. Shared NICs become routers of the network being built.
    """
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
            builder.link(own, shared, capacity[nic])
            own = shared
        found[nic] = Uplink(own, rail(nic), capacity[nic])
    unused = [nic for nic in capacity if nic not in used]
    if unused:
        note(builder.file, f"{listed(unused)}: left out, because every GPU has another NIC as near or nearer")
    return list(found.values())


def rail(nic: str) -> str:
    """Return the name of the rail of a NIC."""
    return f"rail.{nic}"


def listed(names: Sequence[str]) -> str:
    """Name the first of several."""
    return f"{', '.join(names[:4])}{', ...' if len(names) > 4 else ''}"
