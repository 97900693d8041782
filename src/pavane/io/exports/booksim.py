"""booksim: the network as an anynet file of BookSim 2, with `router` and `node` lines; its traffic is BookSim's own."""

from __future__ import annotations

import numpy as np

from pavane.io.exports.export import Export, NetworkExport, Options
from pavane.io.exports.reasons import carried, nothing_to_write
from pavane.judge.result import Result
from pavane.model.network import Network


def _refusal(result: Result) -> str | None:
    return nothing_to_write(result) or _network_refusal(result.problem.network)


def _network_refusal(network: Network) -> str | None:
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


def _write(result: Result, options: Options) -> dict[str, bytes]:
    return _write_network(carried(result)[0].network, options)


def _write_network(network: Network, options: Options) -> dict[str, bytes]:
    lines = []
    for router in range(network.num_routers):
        words = [f"router {router}"]
        words += [f"node {processor}" for processor in network.processors_on[router]]
        words += [f"router {network.heads[channel]}" for channel in network.out_channels[router]]
        lines.append(" ".join(words))
    return {f"{options.stem}.anynet": ("\n".join(lines) + "\n").encode()}


BOOKSIM = Export(
    "booksim",
    "The network as an anynet file for BookSim 2; the schedule itself cannot be carried.",
    ".anynet",
    _refusal,
    _write,
    network=NetworkExport(_write_network, _network_refusal),
)
