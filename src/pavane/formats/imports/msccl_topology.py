"""Networks from the topologies of SCCL and msccl-tools, in JSON.

`links[to][from]` is how many messages go from one to the other in a step: so many parallel channels. `switches` limit
what goes from a set of processors to another set. Where such limits are those of ports, or of links that carry one way
at a time, `Limits` says so as rules; a network alone has no rules, and a note tells what to ask for.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import msgspec

from pavane.errors import InputError
from pavane.formats.files import refuse_if_large
from pavane.formats.imports.notes import note
from pavane.formats.imports.opened import LARGEST_NUMBER, head
from pavane.formats.imports.sketch import Sketch
from pavane.formats.objects import decoded
from pavane.model.network import Network
from pavane.networks.limits import MAX_CHANNELS


class Topology(msgspec.Struct):
    """What is used of a topology."""

    links: list[list[float]]
    name: str = ""
    switches: list[tuple[list[int], list[int], float, Any]] = msgspec.field(default_factory=list)


class Marks(msgspec.Struct):
    """The keys by which the JSON files of SCCL and msccl-tools are known."""

    msccl_type: Any = None
    sccl_type: Any = None

    @property
    def kind(self) -> str | None:
        """Return what the file says it is."""
        found = self.sccl_type if self.msccl_type is None else self.msccl_type
        return found if isinstance(found, str) else None


@dataclass(frozen=True)
class Limits:
    """What the switches of a topology ask for, as far as rules can say it."""

    ports: int | Literal["all"] = "all"
    half_duplex: bool = False
    left_out: int = 0
    """Limits that neither ports nor duplex can say."""


def kind_of_json(view: memoryview) -> str | None:
    """Return the msccl_type of a JSON file; None for other files."""
    start = head(view).lstrip()
    if start[:1] != "{":
        return None
    try:
        return decoded(view, Marks, "").kind
    except InputError:
        # Cut off, perhaps; how it begins still tells what it was to be.
        for kind in ("algorithm", "topology"):
            if f'_type": "{kind}"' in start[:200] or f'_type":"{kind}"' in start[:200]:
                return kind
        return None


def network_of(path: Path, topology: Topology) -> Network:
    """Return the network of a topology: a router with a processor for each row of links."""
    count = len(topology.links)
    if count > MAX_CHANNELS:
        raise InputError(f"{path}: {count:,} rows of links are too many")
    sketch = Sketch(path)
    for processor in range(count):
        sketch.router(str(processor))
    for head_, row in enumerate(topology.links):
        if len(row) != count:
            raise InputError(
                f"{path}: links[{head_}] has {len(row)} entries, where there are {count} rows; give as many"
            )
        for tail, width in enumerate(row):
            if width != int(width if abs(width) < LARGEST_NUMBER else 0) or width < 0:
                raise InputError(
                    f"{path}: links[{head_}][{tail}] is {width:g}; a link is so many parallel channels, so give a "
                    "whole number, 0 where there is none"
                )
            if width and tail == head_:
                raise InputError(f"{path}: links[{head_}][{tail}] joins {tail} with itself; make it 0")
    # Each link both ways together, so that channels pair up in order.
    for a in range(count):
        for b in range(a + 1, count):
            sketch.channel(a, b, int(topology.links[b][a]))
            sketch.channel(b, a, int(topology.links[a][b]))
    made = sketch.network()
    return Network(topology.name or made.name, made.routers, made.channels)


def limits_of(path: Path, topology: Topology) -> Limits:
    """Say the limits of the switches as rules; `network_of` has checked the links."""
    count = len(topology.links)
    width = {
        (a, b): topology.links[b][a] for a in range(count) for b in range(count) if topology.links[b][a] and a != b
    }
    out: dict[int, float] = {}
    into: dict[int, float] = {}
    shared: set[tuple[int, int]] = set()
    left_out = 0
    for number, (sources, targets, most, _) in enumerate(topology.switches):
        if not all(0 <= end < count for end in (*sources, *targets)):
            raise InputError(f"{path}: switches[{number}] names a processor beyond {count - 1}")
        ways = {(a, b) for a in set(sources) for b in set(targets) if (a, b) in width}
        if most >= sum(width[way] for way in ways):
            continue  # the links say as much
        froms, tos = {a for a, _ in ways}, {b for _, b in ways}
        if len(froms) == 1 and {b for a, b in width if a in froms} == tos:
            (end,) = froms
            out[end] = min(most, out.get(end, most))
        elif len(tos) == 1 and {a for a, b in width if b in tos} == froms:
            (end,) = tos
            into[end] = min(most, into.get(end, most))
        elif len(ways) == 2 and froms == tos and {width[way] for way in ways} == {most}:
            shared |= ways
        else:
            left_out += 1
    ports: int | Literal["all"] = "all"
    asked = {*out.values(), *into.values()}
    if asked:
        (most, *more) = asked
        free = [
            end
            for end in range(count)
            for limit, side in ((out, 0), (into, 1))
            if end not in limit and sum(size for way, size in width.items() if way[side] == end) > most
        ]
        if more or free or most != int(most) or most < 1:
            left_out += len(out) + len(into)
        else:
            ports = int(most)
    half = bool(shared) and shared == {way for way in width if way[::-1] in width}
    return Limits(ports, half, left_out + (0 if half else len(shared) // 2))


def recognizes(view: memoryview) -> bool:
    """Tell whether a file begins like one of this format."""
    return kind_of_json(view) == "topology"


def read(path: Path, view: memoryview) -> Network:
    """Read a network from an msccl topology."""
    refuse_if_large(path, view)
    topology = decoded(view, Topology, path)
    network = network_of(path, topology)
    limits = limits_of(path, topology)
    if limits.ports != "all":
        note(
            path,
            f"its switches let a processor send and receive {limits.ports} at a time; --ports {limits.ports} does so",
        )
    if limits.half_duplex:
        note(path, "its links carry one way at a time; --duplex half does so")
    if limits.left_out:
        note(path, f"{limits.left_out} limits of switches are left out: channels and ports cannot say them")
    return network
