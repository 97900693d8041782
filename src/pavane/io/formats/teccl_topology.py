"""Networks from the input files of TE-CCL (Liu et al., SIGCOMM 2024), in JSON.

`TopologyParams` names one of the machines that TE-CCL knows, and how many of them there are: NDv2, DGX1 or DGX2. They
are those of the catalogue, with the latencies and bandwidths that TE-CCL gives to them.
"""

from __future__ import annotations

import msgspec

from pavane.errors import InputError
from pavane.io.files import File
from pavane.io.format import Format
from pavane.io.network_builder import LATENCIES, ChannelSpeed, with_speeds
from pavane.io.objects import decode
from pavane.io.parsing import refuse_if_huge, shown
from pavane.model.network import Network
from pavane.networks import network

UNIT = 12_500_000_000
"""Bytes per second of a NIC, which has capacity 1 in the catalogue."""


class TecclTopology(msgspec.Struct):
    """The machine of an input file."""

    name: str
    chassis: int = 1
    alpha: list[float] = msgspec.field(default_factory=lambda: [0.0])


class TecclInput(msgspec.Struct):
    """What is used of an input file."""

    topology: TecclTopology = msgspec.field(name="TopologyParams")


def recognizes(file: File) -> bool:
    """Return whether a file names a topology as TE-CCL does."""
    return file.keys is not None and bool(file.keys.topology_params)


def read(file: File) -> Network:
    """Read the network of an input file."""
    refuse_if_huge(file)
    about = decode(file.data, TecclInput, file).topology
    name, chassis = about.name.lower().replace("-", ""), about.chassis
    if chassis < 1:
        raise InputError(f"{file}: `chassis` is {chassis}; give 1 or more")
    file.note(LATENCIES)
    if name == "ndv2":
        speeds = {1: _speed(1.3, 1), 2: _speed(0.7, 2), 4: _speed(0.7, 4)}
        return with_speeds(file, network(f"ndv2:{chassis}"), speeds)
    if name == "dgx2":
        return with_speeds(file, network(f"dgx-2:{chassis}"), {1: _speed(2.6, 1), 10: _speed(0.35, 10)})
    if name == "dgx1" and chassis == 1:
        alpha = about.alpha[0] if about.alpha else 0.0
        if not 0 <= alpha < 1:
            raise InputError(f"{file}: `alpha` {alpha:g}: expected a latency in seconds")
        return with_speeds(file, network("dgx-1"), {1: ChannelSpeed(round(alpha * 10**12), 2 * UNIT)})
    raise InputError(
        f"{file}: topology {shown(about.name)} of {chassis} chassis cannot be read; known are NDv2, DGX1 and DGX2. "
        "Name a network of the catalogue, with --latency and --bandwidth"
    )


def _speed(microseconds: float, capacity: int) -> ChannelSpeed:
    return ChannelSpeed(round(microseconds * 10**6), capacity * UNIT)


TECCL_TOPOLOGY = Format(
    "teccl-topology",
    "input of TE-CCL: the machines that it names, with the latencies and bandwidths that TE-CCL gives to them",
    recognizes,
    read,
)
