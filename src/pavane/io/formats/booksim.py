"""booksim: the network as an anynet file of BookSim 2, which has networks and no schedules.

A line `router 0 node 0 node 1 router 1` puts nodes 0 and 1, which are processors, on router 0, and joins it with router
1. Each link is two-way, in however many lines it appears, as in BookSim.
"""

from __future__ import annotations

import numpy as np

from pavane.io.formats.export import Export
from pavane.model.network import Network


def _refuse_network(network: Network) -> str | None:
    if network.capacities is not None:
        wide = int(network.capacities.argmax())
        tail, head = network.channels[wide].tolist()
        return (
            f"the channel from router {network.routers[tail]} to {network.routers[head]} has capacity "
            f"{network.capacities[wide]}, and all channels of anynet are alike"
        )
    alone = np.flatnonzero(network.opposite < 0)
    seen: set[tuple[int, int]] = set()
    for tail, head in network.channels.tolist():
        names = f"{network.routers[tail]} to {network.routers[head]}"
        if (tail, head) in seen:
            return f"there are parallel channels from router {names}, and anynet joins two routers once"
        seen.add((tail, head))
    if len(alone):
        tail, head = network.channels[alone[0]].tolist()
        names = f"{network.routers[tail]} to {network.routers[head]}"
        return f"the channel from router {names} is one-way, and anynet makes every channel two-way"
    return None


def _render_network(network: Network) -> str:
    lines = []
    for router in range(network.num_routers):
        words = [f"router {router}"]
        words += [f"node {processor}" for processor in network.processors_on[router]]
        words += [f"router {network.heads[channel]}" for channel in network.out_channels[router]]
        lines.append(" ".join(words))
    return "\n".join(lines) + "\n"


BOOKSIM = Export(
    "booksim",
    "The network as an anynet file for BookSim 2; the schedule itself cannot be carried.",
    ".anynet",
    lambda ordered, _: _render_network(ordered.problem.network),
    lambda ordered: _refuse_network(ordered.problem.network),
    render_network=_render_network,
    refuses_network=_refuse_network,
)
