"""Networks from what `ibnetdiscover` prints about an InfiniBand fabric.

A switch is a pure switch, a host channel adapter a router with one processor; each cable is a link, though it is listed
at both its ends. Speeds of cables become capacities in the same ratio. Routers are named by what the fabric
says about them, with underscores for spaces, or by their identifiers where that is not unique.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction

from pavane.errors import InputError
from pavane.io.capacities import as_capacities
from pavane.io.files import File
from pavane.io.format import Format
from pavane.io.network_builder import NetworkBuilder
from pavane.io.parsing import lines_of, shown, whole
from pavane.model.network import Network
from pavane.text import counted

BLOCK = re.compile(r'\s*(Switch|Ca|Rt)\s+(\d+)\s+"([^"]*)"\s*(?:#\s*"([^"]*)")?.*')
PORT = re.compile(r'\s*\[(\d+)\][^"#]*"([^"]*)"\[(\d+)\][^#]*(?:#(.*))?')
RATE = re.compile(r"\b(\d{1,2}x[A-Z]+\d*)\s*(?:$|\()")
LANES = {"SDR": 2, "DDR": 4, "QDR": 8, "FDR10": 10, "EDR": 25, "HDR": 50, "NDR": 100, "XDR": 200}
"""Gigabits a second of one lane, for data."""
TITLE = "# Topology file: generated on"
IN_SWITCH = "Aggregation Node"
"""What switches that compute say of the adapter inside them, which carries no processor of the user's."""

Port = tuple[str, int]


@dataclass
class InfinibandFabric:
    """What the file lists, by the identifiers of switches and adapters."""

    kinds: dict[str, str] = field(default_factory=dict)
    """Switch, Ca or Rt."""
    descriptions: dict[str, str] = field(default_factory=dict)
    """What each says about itself."""
    cables: dict[tuple[Port, Port], str] = field(default_factory=dict)
    """Each cable once, with its speed as it is written."""


def _rate(text: str) -> Fraction | None:
    """Return the speed of a cable, `4xEDR`; None where it is not said."""
    found = re.fullmatch(r"(\d{1,2})x([A-Z]+\d*)", text)
    if found is None:
        return None
    lane = Fraction(1364, 100) if found[2] == "FDR" else LANES.get(found[2])
    return None if lane is None or not int(found[1]) else int(found[1]) * Fraction(lane)


def recognizes(file: File) -> bool:
    """Return whether a file has the title of ibnetdiscover, or a switch or adapter."""
    start = file.head
    return re.search(r'^\s*(?:Switch|Ca|Rt)\s+\d+\s+"', start, re.M) is not None or TITLE in start


def read(file: File) -> Network:
    """Read a network from the output of ibnetdiscover."""
    fabric = _fabric(file)
    if not fabric.kinds:
        raise InputError(f"{file}: no Switch and no Ca in it; give all that ibnetdiscover prints")
    inside = {name for name, text in fabric.descriptions.items() if IN_SWITCH in text}
    builder = NetworkBuilder(file)
    number: dict[str, int] = {}
    titles = {name: "_".join(text.split()) for name, text in fabric.descriptions.items()}
    used = Counter(titles.values())
    for name, kind in fabric.kinds.items():
        if name not in inside:
            title = titles[name]
            is_unique = title and used[title] == 1 and title not in fabric.kinds
            number[name] = builder.router(title if is_unique else name, int(kind == "Ca"))
    return _join(file, builder, number, fabric.cables, inside)


def _fabric(file: File) -> InfinibandFabric:
    fabric = InfinibandFabric()
    current: str | None = None
    for where, line in lines_of(file):
        block = BLOCK.fullmatch(line)
        port = PORT.fullmatch(line)
        if block is not None:
            current = block[3]
            if current in fabric.kinds:
                raise InputError(f"{where}: {shown(current)} is listed a second time; keep one of the two")
            fabric.kinds[current], fabric.descriptions[current] = block[1], block[4] or ""
        elif port is not None:
            if current is None:
                raise InputError(f"{where}: a port stands before the first Switch or Ca; the file may be cut off")
            ends = [(current, whole(port[1], f"{where}: a port")), (port[2], whole(port[3], f"{where}: a port"))]
            speed = RATE.search(port[4] or "")
            cable = (min(ends), max(ends))
            fabric.cables[cable] = fabric.cables.get(cable) or (speed[1] if speed else "")
        elif line.lstrip().startswith("["):
            raise InputError(f'{where}: {shown(line.strip())} is not a port; it reads like [1] "S-..."[2]')
    return fabric


def _join(
    file: File,
    builder: NetworkBuilder,
    number: dict[str, int],
    cables: dict[tuple[Port, Port], str],
    inside: set[str],
) -> Network:
    outside: dict[tuple[Port, Port], str] = {}
    taken: dict[Port, tuple[Port, Port]] = {}
    for cable, speed in cables.items():
        for port in cable:
            if port[0] not in number and port[0] not in inside:
                raise InputError(f"{file}: a cable leads to {shown(port[0])}, not listed here; the file may be cut off")
            if taken.setdefault(port, cable) != cable:
                raise InputError(f"{file}: port {port[1]} of {shown(port[0])} has two cables; the lists disagree")
        if not {end for end, _ in cable} & inside:
            outside[cable] = speed
    rates = {cable: rate for cable, speed in outside.items() if (rate := _rate(speed)) is not None}
    capacity = as_capacities(file, rates, "cable speeds (Gbit/s)") if len(rates) == len(outside) else {}
    for cable in sorted(outside, key=lambda ends: [(number[name], port) for name, port in ends]):
        (a, _), (b, _) = cable
        if a == b:
            raise InputError(f"{file}: a cable joins {shown(a)} with itself; leave it out")
        builder.link(number[a], number[b], capacity.get(cable, 1))
    if inside:
        file.note(f"{counted(len(inside), 'adapter')} inside switches (aggregation) left out")
    if set(outside.values()) - {""} and not capacity:
        file.note("some cables do not say how fast they are; every cable carries one message a step")
    return builder.network()


IBNETDISCOVER = Format(
    "ibnetdiscover",
    "output of ibnetdiscover: switches are pure switches, adapters routers with a processor, cables links",
    recognizes,
    read,
)
