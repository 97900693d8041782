"""Networks from the topologies of SCCL and msccl-tools, in JSON.

`links[to][from]` is the number of messages that go from one to the other in a step: the capacity of a channel.
`switches` limit what goes from a set of processors to another set. Where such limits are those of ports, or of links
that carry one way at a time, `SwitchLimits` states them as rules; a network alone has no rules, so a note names them.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import Any, Literal

import msgspec

from pavane.errors import InputError
from pavane.io.capacities import join_numbers
from pavane.io.files import File
from pavane.io.format import Format
from pavane.io.network_builder import NetworkBuilder, allow_count
from pavane.io.objects import decode
from pavane.io.parsing import MOST_NUMBER, refuse_if_huge
from pavane.model.network import Network


class Topology(msgspec.Struct):
    """What is used of a topology."""

    links: list[list[float]]
    name: str = ""
    switches: list[tuple[list[int], list[int], float, Any]] = msgspec.field(default_factory=list)


@dataclass(frozen=True)
class SwitchLimits:
    """What the switches of a topology require, as far as rules can say it."""

    ports: int | Literal["all"] = "all"
    half_duplex: bool = False
    left_out: int = 0
    """Limits that neither ports nor duplex can say."""


def kind_of_json(file: File) -> str | None:
    """Return what a JSON file of SCCL or msccl-tools says it is; None for other files."""
    if file.keys is not None:
        kind = file.keys.sccl_type if file.keys.msccl_type is None else file.keys.msccl_type
        return kind if isinstance(kind, str) else None
    # Perhaps cut off; the beginning still identifies it.
    start = file.head.lstrip()[:200]
    kinds = (kind for kind in ("algorithm", "topology") if re.search(rf'_type": ?"{kind}"', start))
    return next(kinds, None) if start[:1] == "{" else None


def network_of(file: File, topology: Topology) -> Network:
    """Return the network of a topology: a router with a processor for each row of links."""
    count = len(topology.links)
    allow_count(file, count, "rows of links")
    builder = NetworkBuilder(file)
    for processor in range(count):
        builder.router(str(processor))
    for head_, row in enumerate(topology.links):
        if len(row) != count:
            raise InputError(
                f"{file}: links[{head_}] has {len(row)} entries, where there are {count} rows; give as many"
            )
        for tail, width in enumerate(row):
            if width != int(width if abs(width) < MOST_NUMBER else 0) or width < 0:
                raise InputError(
                    f"{file}: links[{head_}][{tail}] is {width:g}; a link carries a whole number of messages "
                    "a step, so give one, 0 where there is no link"
                )
            if width and tail == head_:
                raise InputError(f"{file}: links[{head_}][{tail}] joins {tail} with itself; make it 0")
    # Each link both ways together, so that channels pair up in order.
    for a in range(count):
        for b in range(a + 1, count):
            for tail, head in ((a, b), (b, a)):
                if topology.links[head][tail]:
                    builder.channel(tail, head, int(topology.links[head][tail]))
    return builder.network(name=topology.name or None)


def limits_of(file: File, topology: Topology) -> SwitchLimits:
    """Return the limits of the switches as rules; `network_of` has checked the links."""
    limits = _SwitchLimits(topology)
    for number, (sources, targets, most, _) in enumerate(topology.switches):
        if not all(0 <= end < limits.count for end in (*sources, *targets)):
            raise InputError(f"{file}: switches[{number}] names a processor beyond {limits.count - 1}")
        if most < 0:
            raise InputError(f"{file}: switches[{number}] lets {most:g} through in a step; give 0 or more")
        limits.take(set(sources), set(targets), most)
    return limits.as_rules()


class _SwitchLimits:
    """The limits of switches, sorted by what rules could say them."""

    def __init__(self, topology: Topology) -> None:
        links = topology.links
        self.count = len(links)
        self.width = {
            (a, b): int(links[b][a]) for a in range(self.count) for b in range(self.count) if links[b][a] and a != b
        }
        """The number of messages from one processor to another in a step, where there is a link."""
        self.out: dict[int, float] = {}
        """The most that a processor may send in a step."""
        self.into: dict[int, float] = {}
        """The most that a processor may receive in a step."""
        self.shared: set[tuple[int, int]] = set()
        """Links that carry one way at a time, both ways of each."""
        self.left_out = 0

    def take(self, sources: set[int], targets: set[int], most: float) -> None:
        """Take in one switch: the most that goes from some processors to others in a step."""
        ways = {(a, b) for a in sources for b in targets if (a, b) in self.width}
        if most >= sum(self.width[way] for way in ways):
            return  # the links say as much
        tails, heads = {a for a, _ in ways}, {b for _, b in ways}
        if len(tails) == 1 and {b for a, b in self.width if a in tails} == heads:
            (end,) = tails
            self.out[end] = min(most, self.out.get(end, most))
        elif len(heads) == 1 and {a for a, b in self.width if b in heads} == tails:
            (end,) = heads
            self.into[end] = min(most, self.into.get(end, most))
        elif len(ways) == 2 and tails == heads and {self.width[way] for way in ways} == {most}:
            self.shared |= ways
        else:
            self.left_out += 1

    def as_rules(self) -> SwitchLimits:
        """Return ports and duplex, and how many limits they do not say."""
        ports = self._ports()
        half = bool(self.shared) and self.shared == {way for way in self.width if way[::-1] in self.width}
        left_out = self.left_out + (0 if half else len(self.shared) // 2)
        if ports is None:
            left_out += len(self.out) + len(self.into)
        return SwitchLimits(ports or "all", half, left_out)

    def _ports(self) -> int | Literal["all"] | None:
        """Return the ports of all processors; None where they have different ones, which rules cannot say."""
        limits = {*self.out.values(), *self.into.values()}
        if not limits:
            return "all"
        most = limits.pop()
        if limits or most != int(most) or most < 1:
            return None
        for limited, side in ((self.out, 0), (self.into, 1)):
            loads: Counter[int] = Counter()
            for way, size in self.width.items():
                loads[way[side]] += size
            if any(load > most for end, load in loads.items() if end not in limited):
                return None  # a processor without a limit could send or receive more than those with one
        return int(most)


def read(file: File) -> Network:
    """Read a network from an msccl topology."""
    refuse_if_huge(file)
    topology = decode(file.data, Topology, file)
    network = network_of(file, topology)
    if network.capacities is not None:
        file.note(f"links of {join_numbers(set(network.capacities.tolist()))} are channels of that capacity")
    limits = limits_of(file, topology)
    if limits.ports != "all":
        file.note(
            f"its switches let a processor send and receive {limits.ports} at a time; `ports={limits.ports}` does so",
        )
    if limits.half_duplex:
        file.note("its links carry one way at a time; `duplex='half'` does so")
    if limits.left_out:
        file.note(f"{limits.left_out} limits of switches are left out: channels and ports cannot say them")
    return network


MSCCL = Format(
    "msccl",
    "topology of SCCL and msccl-tools in JSON: `links[to][from]` is the capacity of a channel",
    lambda file: kind_of_json(file) == "topology",
    read,
    has_gpus=True,
)
