"""Networks from the topology profiles of TACCL (Shah et al., NSDI 2023), in JSON.

A profile has the GPUs and NICs of a machine, and the cost of its links: alpha in microseconds, beta in microseconds per
megabyte. Its `links` and `betas`, if it has them, are matrices by receiver and sender. Without them TACCL knows the
machine: two betas are those of an NDv2, one is that of GPUs around a switch. Several machines are joined over NICs, of
which each serves as many GPUs.
"""

from __future__ import annotations

from fractions import Fraction

import msgspec

from pavane.errors import InputError
from pavane.io.capacities import as_capacities
from pavane.io.files import File
from pavane.io.format import Format
from pavane.io.network_builder import LATENCIES, ChannelSpeed, NetworkBuilder, allow_count, uplinks, with_speeds
from pavane.io.objects import decode
from pavane.io.parsing import refuse_if_huge
from pavane.model.network import Network
from pavane.networks.copies import joined_copies
from pavane.networks.gpus import ndv2

Matrix = list[list[float]]


class TacclProfile(msgspec.Struct):
    """What is used of a profile."""

    gpus_per_node: int
    alpha: float
    name: str = ""
    links: Matrix | None = None
    betas: Matrix | None = None
    node_betas_list: list[float] | None = None
    nics_per_node: int = -1
    remote_alpha: float = -1.0
    remote_beta: float = -1.0


def recognizes(file: File) -> bool:
    """Return whether a file has the keys of a profile."""
    return file.keys is not None and bool(file.keys.gpus_per_node)


def read(file: File, nodes: int = 1, nic: int | None = None) -> Network:
    """Read the network of a machine, or of several that are joined over their NICs."""
    if nic is not None:
        raise InputError(f"{file}: `nic={nic}` has no effect: `remote_beta` says how fast NICs are; leave it out")
    refuse_if_huge(file)
    profile = decode(file.data, TacclProfile, file)
    allow_count(file, profile.gpus_per_node, "GPUs")
    if profile.gpus_per_node < 1:
        raise InputError(f"{file}: `gpus_per_node` is {profile.gpus_per_node}; give 1 or more")
    if profile.alpha:
        file.note(LATENCIES)
    betas = profile.node_betas_list or []
    if profile.links is None and len(betas) == 2 and profile.gpus_per_node == 8:
        return _ndv2(file, profile, nodes)
    builder = NetworkBuilder(file)
    for gpu in range(profile.gpus_per_node):
        builder.router(str(gpu))
    cost = _add_links(file, profile, builder)
    remote = None if nodes == 1 else _speed(file, profile.remote_alpha, profile.remote_beta, "remote_", parts=2)
    costs = cost | ({} if remote is None else {"remote": remote})
    capacity = as_capacities(file, {key: Fraction(_rate(one)) for key, one in costs.items()}, "bandwidths")
    builder.capacities = [capacity[key] for key in _keys(builder)]
    if remote is None:
        return builder.network(name=profile.name or None)
    nics = profile.nics_per_node
    if nics < 1:
        raise InputError(f"{file}: `nics_per_node` is {nics}, so that machines cannot be joined; give 1 or more")
    names = [f"nic{number}" for number in range(nics)]
    # GPUs that share a NIC are one channel further away from its rail.
    share = ChannelSpeed(
        (remote.latency_ps or 0) // (2 if profile.gpus_per_node > nics else 1), remote.bytes_per_second
    )
    distance = {
        str(gpu): {name: int(gpu * nics // profile.gpus_per_node != at) for at, name in enumerate(names)}
        for gpu in range(profile.gpus_per_node)
    }
    ways = uplinks(builder, distance, dict.fromkeys(names, capacity["remote"]), dict.fromkeys(names, share))
    return joined_copies(builder.network(name=profile.name or None), nodes, ways)


def _keys(builder: NetworkBuilder) -> list[str]:
    return [str(_rate(speed)) for speed in builder.speeds]


def _rate(speed: ChannelSpeed) -> int:
    return speed.bytes_per_second or 1


def _add_links(file: File, profile: TacclProfile, builder: NetworkBuilder) -> dict[str, ChannelSpeed]:
    """Add the links of the matrices, or one of each GPU to a switch; return their speeds by bandwidth."""
    count, links, betas = profile.gpus_per_node, profile.links, profile.betas
    if links is None:
        if len(profile.node_betas_list or []) != 1:
            raise InputError(
                f"{file}: it has neither `links` and `betas` nor the one or two `node_betas_list` of a machine that "
                "TACCL knows; write the matrices"
            )
        # From GPU to GPU are two channels, which share the latency.
        speed = _speed(file, profile.alpha, (profile.node_betas_list or [0.0])[0], "", parts=2)
        switch = builder.router("switch", 0)
        for gpu in range(count):
            builder.link(gpu, switch, 1, speed)
    else:
        rows = [*links, *(betas or [])]
        if betas is None or {len(links), len(betas), *map(len, rows)} != {count}:
            raise InputError(f"{file}: `links` and `betas` must have {count} rows of {count} numbers")
        # Each link both ways together, so that channels pair up in order.
        for a in range(count):
            for b in range(a + 1, count):
                for tail, head in ((a, b), (b, a)):
                    if links[head][tail]:
                        builder.channel(tail, head, 1, _speed(file, profile.alpha, betas[head][tail], ""))
    return {str(_rate(speed)): speed for speed in builder.speeds}


def _speed(file: File, alpha: float, beta: float, which: str, parts: int = 1) -> ChannelSpeed:
    """Return the speed of a channel, of which several share the latency."""
    if not (0 <= alpha < 1e9 and 0 < beta < 1e12):
        raise InputError(f"{file}: `{which}alpha` {alpha:g} and `{which}beta` {beta:g} are no costs of a link")
    return ChannelSpeed(round(alpha * 10**6 / parts), max(1, round(10**12 / beta)))


def _ndv2(file: File, profile: TacclProfile, nodes: int) -> Network:
    """Return machines whose links TACCL knows; one NIC of a quarter of two NVLinks each."""
    fast, slow = profile.node_betas_list or [0.0, 0.0]
    speeds = {4: _speed(file, profile.alpha, fast, "node_"), 2: _speed(file, profile.alpha, slow, "node_")}
    if nodes > 1:
        speeds[1] = _speed(file, profile.remote_alpha, profile.remote_beta, "remote_", parts=1 if nodes == 2 else 2)
    return with_speeds(file, ndv2(nodes), speeds)


TACCL = Format(
    "taccl",
    "topology profile of TACCL: GPUs are routers with a processor, joined by its links or around a switch",
    recognizes,
    read,
    read_nodes=read,
    has_gpus=True,
)
