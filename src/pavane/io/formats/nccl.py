"""Networks from the topology that NCCL dumps (NCCL_TOPO_DUMP_FILE), in XML.

A GPU is a router with one processor. If there are NVLinks, they are the network: a channel of capacity `count` to the
GPU or the switch that `target` names by its number on the PCI bus. If there are none, the PCI tree is: bridges and CPUs
are pure switches, all CPUs are joined with each other, speeds become capacities in the same ratio. NICs are left out,
because what they lead to is in no file; several machines are joined over them, in the ratio of their speed to that of
NVLinks or PCI. For start times the bandwidths are kept: of an NVLink by the model of the GPU, of PCI by lanes and
transfers without the bits of its code, of a NIC its speed; latencies are in no such file.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

from pavane.errors import InputError
from pavane.io.capacities import as_capacities, join_numbers
from pavane.io.files import File
from pavane.io.format import Format
from pavane.io.network_builder import ChannelSpeed, NetworkBuilder, joined_by_rails, rail, uplinks
from pavane.io.parsing import refuse_if_huge, root_of, shown, whole
from pavane.model.network import Network
from pavane.networks.copies import Uplink, joined_copies
from pavane.text import counted

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

NVLINK_SPEEDS = {"60": Fraction(160), "100": Fraction(400)} | dict.fromkeys(("70", "80", "90"), Fraction(200))
"""Gb/s of an NVLink each way, by the model of the GPU (`sm`)."""

PCI_CODE = Fraction(128, 130)
"""The part of the bits of a PCI link that are data, from generation 3 on; earlier ones have a fifth less."""

GIGABIT = Fraction(10**9, 8)
"""Bytes per second of a Gb/s."""

FAR = 1_000_000
"""More than any way inside a PCI tree has parts."""

GPU_CLASS, SWITCH_CLASS = "0x0302", "0x068000"


@dataclass
class Machine:
    """The content of the file: GPUs, the PCI tree, and NVLinks."""

    file: File
    gpus: dict[str, Element] = field(default_factory=dict)
    """GPUs by their numbers on the bus."""
    above: dict[str, tuple[str, Fraction | None]] = field(default_factory=dict)
    """What hangs below what in the PCI tree, and how fast it is joined."""
    cpus: list[str] = field(default_factory=list)
    nics: dict[str, tuple[str, Fraction | None]] = field(default_factory=dict)
    """Below what each NIC hangs, and its speed in Gb/s."""


def recognizes(file: File) -> bool:
    """Return whether a file is XML whose first element is <system>."""
    found = re.search(r"<([A-Za-z][\w.-]*)", re.sub(r"<!--.*?-->", "", file.head, flags=re.DOTALL))
    return file.first == "<" and found is not None and found[1] == "system"


def _machine(file: File, root: Element) -> Machine:
    machine = Machine(file)
    waiting: list[tuple[Element, str, Element | None]] = [(child, "", None) for child in reversed(root)]
    while waiting:
        element, owner, around = waiting.pop()
        bus = owner
        if element.tag == "cpu":
            bus = f"CPU{len(machine.cpus)}"
            machine.cpus.append(bus)
        elif element.tag == "pci":
            bus = (element.get("busid") or "").lower()
            if not bus:
                raise InputError(f"{file}: a <pci> has no busid; give it one")
            if bus in machine.above:
                raise InputError(f"{file}: two <pci> have the busid {shown(bus)}; give each its own")
            machine.above[bus] = (owner, _speed(file, element))
        elif element.tag == "gpu":
            if around is None or around.tag != "pci" or owner in machine.gpus:
                raise InputError(f"{file}: a <gpu> must stand in a <pci> of its own, which says where it is")
            machine.gpus[owner] = element
        elif element.tag == "net":
            name = element.get("name") or "NIC"
            if name in machine.nics:
                name = f"{name}.{len(machine.nics)}"
            speed = re.fullmatch(r"0*([1-9]\d{0,9})", element.get("speed", ""), re.ASCII)
            machine.nics[name] = (owner, Fraction(int(speed[1]), 1000) if speed else None)
        waiting += [(child, bus, element) for child in reversed(element)]
    if not machine.gpus:
        raise InputError(f"{file}: no <gpu> in it; let NCCL dump the topology of a run with GPUs")
    return machine


def _speed(file: File, element: Element) -> Fraction | None:
    """Return lanes times gigatransfers of a PCI link; None where the machine hides it."""
    found = re.match(r"\s*(\d{1,4}(?:\.\d{1,3})?)\s*GT/s", element.get("link_speed", ""))
    width = whole(element.get("link_width", "0") or "0", f"{file}: the link_width of {shown(element.get('busid'))}")
    return Fraction(found[1]) * width if found and width and Fraction(found[1]) else None


def read(file: File, nodes: int = 1, nic: Fraction | None = None) -> Network:
    """Read a network from an NCCL topology, or that of several such machines, joined over their NICs."""
    machine, builder, names, order = _begun(file)
    nics = {} if nodes == 1 else machine.nics
    links = None
    if _has_nvlinks(machine):
        _nvlinks(machine, builder, names, order)
        if nics:
            links = _nearest(machine, builder, names, order, nic)
    elif nic is not None:
        raise InputError(f"{file}: `nic={nic}` counts NVLinks, and there are none; leave it out")
    else:
        links = _pci(machine, builder, names, nics) or None
    if nodes > 1:
        network = builder.network()
        return joined_by_rails(file, network, nodes, nic) if links is None else joined_copies(network, nodes, links)
    if machine.nics:
        file.note(f"{counted(len(machine.nics), 'NIC')} left out, because the file does not say where they lead")
    return builder.network()


def _begun(file: File) -> tuple[Machine, NetworkBuilder, dict[str, str], list[str]]:
    """Return the machine, its network with the GPUs alone, their names, and their numbers on the bus in order."""
    refuse_if_huge(file)
    root = root_of(file)
    if root.tag != "system":
        raise InputError(f"{file}: an NCCL topology begins with <system>, found <{root.tag}>")
    machine = _machine(file, root)
    builder = NetworkBuilder(file)
    names = _names(machine)
    order = sorted(machine.gpus, key=lambda bus: _rank(machine, bus))
    for bus in order:
        builder.router(names[bus])
    return machine, builder, names, order


def _has_nvlinks(machine: Machine) -> bool:
    return any(element.find("nvlink") is not None for element in machine.gpus.values())


def _rank(machine: Machine, bus: str) -> int:
    """Return the number of a GPU in the run, or else in its machine."""
    gpu = machine.gpus[bus]
    number = gpu.get("rank", gpu.get("dev"))
    return whole(number, f"{machine.file}: the rank of the GPU at {shown(bus)}", -1)


def _names(machine: Machine) -> dict[str, str]:
    numbers = Counter(_rank(machine, bus) for bus in machine.gpus)
    return {
        bus: f"GPU{_rank(machine, bus)}" if numbers[_rank(machine, bus)] == 1 else f"GPU@{bus}" for bus in machine.gpus
    }


def _nvlinks(machine: Machine, builder: NetworkBuilder, names: dict[str, str], order: list[str]) -> None:
    file, nvlink = machine.file, _nvlink_gigabits(machine)
    to_cpus = 0
    for bus in order:
        own = builder.number[names[bus]]
        for element in machine.gpus[bus].iter("nvlink"):
            target = (element.get("target") or "").lower()
            count = whole(element.get("count"), f"{file}: the count of an nvlink of {names[bus]}", 1)
            kind = element.get("tclass", GPU_CLASS).lower()
            if target in names:
                builder.channel(own, builder.number[names[target]], count, _nvlink_speed(nvlink, count))
            elif kind == SWITCH_CLASS:
                switch = builder.router(f"NVSwitch@{target}", 0)
                builder.link(own, switch, count, _nvlink_speed(nvlink, count))
            elif kind.startswith(GPU_CLASS) or not target:
                raise InputError(f"{file}: an nvlink of {names[bus]} leads to {shown(target)}, not a <gpu> of the file")
            else:
                to_cpus += count
    ways: Counter[tuple[int, int]] = Counter()
    for way, capacity in zip(builder.channels, builder.capacities, strict=True):
        ways[way] += int(capacity)
    for (tail, head), number in ways.items():
        if ways[head, tail] != number:
            routers = list(builder.number)
            raise InputError(
                f"{file}: {routers[tail]} lists {counted(number, 'NVLink')} to {routers[head]}, which lists "
                f"{ways[head, tail]} back; they must agree"
            )
    if to_cpus:
        file.note(f"{counted(to_cpus, 'NVLink')} to CPUs left out")
    counts = (
        f", {join_numbers(set(builder.capacities))} of them a channel of that capacity"
        if max(ways.values()) > 1
        else ""
    )
    file.note(f"the network is that of the NVLinks{counts}; PCI is left out")


def _nvlink_gigabits(machine: Machine) -> Fraction | None:
    """Return the Gb/s of an NVLink; None where the model of the GPUs is not known, or there are several."""
    models = {gpu.get("sm", "") for gpu in machine.gpus.values()}
    return NVLINK_SPEEDS.get(min(models)) if len(models) == 1 else None


def _nvlink_speed(gigabits: Fraction | None, count: int) -> ChannelSpeed:
    return ChannelSpeed(None, None if gigabits is None else round(gigabits * count * GIGABIT))


def _nearest(
    machine: Machine, builder: NetworkBuilder, names: dict[str, str], order: list[str], nic: Fraction | None
) -> list[Uplink]:
    """Join each GPU with the rail of the NIC that is nearest in the PCI tree; a given capacity counts NVLinks."""
    speeds = {nic: speed for nic, (_, speed) in machine.nics.items() if speed is not None}
    nvlink = _nvlink_gigabits(machine)
    capacity = dict.fromkeys(machine.nics, builder.count_nic(nic))
    if nic is None and nvlink is not None and len(speeds) == len(machine.nics):
        capacity = as_capacities(machine.file, speeds | {"": nvlink}, "speeds of NICs and NVLinks (Gb/s)")
        builder.capacities = [count * capacity[""] for count in builder.capacities]
        del capacity[""]
    elif nic is None:
        text = "each NIC is a link of capacity 1, as one NVLink is, because the file does not say how fast both are"
        machine.file.note(f"{text}; `nic=2` makes it as fast as two, `nic=1/2` half as fast")
    distance = {
        names[bus]: {nic: _distance(machine, bus, owner) for nic, (owner, _) in machine.nics.items()} for bus in order
    }
    return uplinks(builder, distance, capacity, {nic: _nic_speed(speed) for nic, (_, speed) in machine.nics.items()})


def _nic_speed(gigabits: Fraction | None) -> ChannelSpeed:
    return ChannelSpeed(None, None if gigabits is None else max(1, round(gigabits * GIGABIT)))


def _distance(machine: Machine, gpu: str, owner: str) -> int:
    """Return how many parts of the PCI tree lie between a GPU and a NIC; a way over CPUs is longer than any other."""
    there = _way_up(machine, owner)
    for steps, bus in enumerate(_way_up(machine, gpu)):
        if bus in there:
            return steps + there.index(bus) + FAR * (bus not in machine.above)
    return 2 * FAR


def _way_up(machine: Machine, bus: str) -> list[str]:
    way = []
    while bus:
        way.append(bus)
        bus = machine.above.get(bus, ("", None))[0]
    return way


def _pci(
    machine: Machine, builder: NetworkBuilder, names: dict[str, str], nics: dict[str, tuple[str, Fraction | None]]
) -> list[Uplink]:
    """Join the GPUs and NICs by the PCI tree, without branches that hold none; return the links of NICs to rails."""
    needed: dict[str, None] = {}
    for start in (*machine.gpus, *(owner for owner, _ in nics.values())):
        bus = start
        while bus and bus not in needed:
            needed[bus] = None
            bus = machine.above.get(bus, ("", None))[0]
    rates = {bus: rate for bus in needed if (rate := machine.above.get(bus, ("", None))[1]) is not None}
    speeds = {rail(nic): speed for nic, (_, speed) in nics.items() if speed is not None}
    known = len(rates) + len(speeds) == sum(bus in machine.above for bus in needed) + len(nics)
    words = "PCI links (lanes x GT/s)" + " and NICs (Gb/s)" * bool(nics)
    capacity = as_capacities(machine.file, rates | speeds, words) if known else {}
    if not known:
        hidden = sum(bus in machine.above and bus not in rates for bus in needed) + len(nics) - len(speeds)
        links_text = counted(hidden, "link")
        machine.file.note(f"the speed of {links_text} is missing or cannot be read, so every link carries one message")

    def router(bus: str) -> int:
        return builder.number[names[bus]] if bus in names else builder.router(bus or "host", 0)

    for bus in needed:
        if bus in machine.above:
            builder.link(router(bus), router(machine.above[bus][0]), capacity.get(bus, 1), _pci_speed(rates.get(bus)))
    links = [
        Uplink(router(owner), rail(nic), capacity.get(rail(nic), 1), *_nic_speed(speed))
        for nic, (owner, speed) in nics.items()
    ]
    cpus = [cpu for cpu in machine.cpus if cpu in needed]
    for at, a in enumerate(cpus):
        for b in cpus[at + 1 :]:
            slowest = _pci_speed(min(rates.values(), default=None) if known else None)
            builder.link(router(a), router(b), min(capacity.values(), default=1), slowest)
    text = "there are no NVLinks: the network is the PCI tree"
    machine.file.note(f"{text}, its {len(cpus)} CPUs joined by one link a pair" if len(cpus) > 1 else text)
    return links


def _pci_speed(transfers: Fraction | None) -> ChannelSpeed:
    """Return the bandwidth of a PCI link by its lanes times gigatransfers; a bit in each, less those of the code."""
    return ChannelSpeed(None, None if transfers is None else max(1, round(transfers * PCI_CODE * GIGABIT)))


NCCL = Format(
    "nccl",
    "topology that NCCL dumps: GPUs are routers with a processor, joined by NVLinks or else the PCI tree",
    recognizes,
    read,
    read_nodes=read,
    has_gpus=True,
)
