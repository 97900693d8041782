"""Networks from the topology that NCCL dumps (NCCL_TOPO_DUMP_FILE), in XML.

A GPU is a router with one processor. If there are NVLinks, they are the network: `count` parallel channels to the GPU
or the switch that `target` names by its place on the PCI bus. If there are none, the PCI tree is: bridges and CPUs are
pure switches, all CPUs are joined with each other. NICs are left out, because what they lead to is in no file.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from pavane.errors import InputError
from pavane.formats.imports.notes import note
from pavane.formats.imports.opened import begins_with_element, root_of, shown, whole
from pavane.formats.imports.sketch import Sketch, as_parallel
from pavane.model.network import Network
from pavane.words import counted

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

GPU_CLASS, SWITCH_CLASS = "0x0302", "0x068000"


@dataclass
class Machine:
    """What the file tells: GPUs, the PCI tree, and NVLinks."""

    path: Path
    gpus: dict[str, Element] = field(default_factory=dict)
    """GPUs by their places on the bus."""
    above: dict[str, tuple[str, Fraction | None]] = field(default_factory=dict)
    """What hangs below what in the PCI tree, and how fast it is joined."""
    cpus: list[str] = field(default_factory=list)
    num_nics: int = 0


def _machine(path: Path, root: Element) -> Machine:
    machine = Machine(path)
    waiting: list[tuple[Element, str, Element | None]] = [(child, "", None) for child in reversed(root)]
    while waiting:
        element, owner, around = waiting.pop()
        place = owner
        if element.tag == "cpu":
            place = f"CPU{len(machine.cpus)}"
            machine.cpus.append(place)
        elif element.tag == "pci":
            place = (element.get("busid") or "").lower()
            if not place:
                raise InputError(f"{path}: a <pci> has no busid; give it one")
            if place in machine.above:
                raise InputError(f"{path}: two <pci> have the busid {shown(place)}; give each its own")
            machine.above[place] = (owner, _speed(path, element))
        elif element.tag == "gpu":
            if around is None or around.tag != "pci" or owner in machine.gpus:
                raise InputError(f"{path}: a <gpu> must stand in a <pci> of its own, which says where it is")
            machine.gpus[owner] = element
        elif element.tag == "net":
            machine.num_nics += 1
        waiting += [(child, place, element) for child in reversed(element)]
    if not machine.gpus:
        raise InputError(f"{path}: no <gpu> in it; let NCCL dump the topology of a run with GPUs")
    return machine


def _speed(path: Path, element: Element) -> Fraction | None:
    """Return lanes times gigatransfers of a PCI link; None where the machine hides it."""
    found = re.match(r"\s*(\d{1,4}(?:\.\d{1,3})?)\s*GT/s", element.get("link_speed", ""))
    width = whole(element.get("link_width", "0") or "0", f"{path}: the link_width of {shown(element.get('busid'))}")
    return Fraction(found[1]) * width if found and width and Fraction(found[1]) else None


def recognizes(view: memoryview) -> bool:
    """Tell whether a file begins like one of this format."""
    return begins_with_element(view, "system")


def read(path: Path, view: memoryview) -> Network:
    """Read a network from an NCCL topology."""
    root = root_of(path, view)
    if root.tag != "system":
        raise InputError(f"{path}: an NCCL topology begins with <system>, found <{root.tag}>")
    machine = _machine(path, root)
    sketch = Sketch(path)
    names = _names(machine)
    order = sorted(machine.gpus, key=lambda place: _rank(machine, place))
    for place in order:
        sketch.router(names[place])
    if any(element.find("nvlink") is not None for element in machine.gpus.values()):
        _nvlinks(machine, sketch, names, order)
    else:
        _pci(machine, sketch, names)
    if machine.num_nics:
        note(path, f"{counted(machine.num_nics, 'NIC')} left out, because the file does not say where they lead")
    return sketch.network()


def _rank(machine: Machine, place: str) -> int:
    """Return the number of a GPU in the run, or else in its machine."""
    gpu = machine.gpus[place]
    number = gpu.get("rank", gpu.get("dev"))
    return whole(number, f"{machine.path}: the rank of the GPU at {shown(place)}", -1)


def _names(machine: Machine) -> dict[str, str]:
    numbers = Counter(_rank(machine, place) for place in machine.gpus)
    return {
        place: f"GPU{_rank(machine, place)}" if numbers[_rank(machine, place)] == 1 else f"GPU@{place}"
        for place in machine.gpus
    }


def _nvlinks(machine: Machine, sketch: Sketch, names: dict[str, str], order: list[str]) -> None:
    path = machine.path
    to_cpus = 0
    for place in order:
        own = sketch.number[names[place]]
        for element in machine.gpus[place].iter("nvlink"):
            target = (element.get("target") or "").lower()
            count = whole(element.get("count"), f"{path}: the count of an nvlink of {names[place]}", 1)
            kind = element.get("tclass", GPU_CLASS).lower()
            if target in names:
                sketch.channel(own, sketch.number[names[target]], count)
            elif kind == SWITCH_CLASS:
                sketch.link(own, sketch.router(f"NVSwitch@{target}", 0), count)
            elif kind.startswith(GPU_CLASS) or not target:
                raise InputError(
                    f"{path}: an nvlink of {names[place]} leads to {shown(target)}, which is no <gpu> here"
                )
            else:
                to_cpus += count
    ways = Counter(sketch.channels)
    for (tail, head), count in ways.items():
        if ways[head, tail] != count:
            routers = list(sketch.number)
            raise InputError(
                f"{path}: {routers[tail]} lists {counted(count, 'NVLink')} to {routers[head]}, which lists "
                f"{ways[head, tail]} back; they must agree"
            )
    if to_cpus:
        note(path, f"{counted(to_cpus, 'NVLink')} to CPUs left out")
    note(path, "the network is that of the NVLinks; PCI is left out")


def _pci(machine: Machine, sketch: Sketch, names: dict[str, str]) -> None:
    """Join the GPUs by the PCI tree, without branches that hold none."""
    needed: dict[str, None] = {}
    for gpu in machine.gpus:
        place = gpu
        while place and place not in needed:
            needed[place] = None
            place = machine.above.get(place, ("", None))[0]
    rates = {place: rate for place in needed if (rate := machine.above.get(place, ("", None))[1]) is not None}
    known = len(rates) == sum(place in machine.above for place in needed)
    width = as_parallel(machine.path, rates, "PCI links (lanes x GT/s)") if known else {}

    def router(place: str) -> int:
        return sketch.number[names[place]] if place in names else sketch.router(place or "host", 0)

    for place in needed:
        if place in machine.above:
            sketch.link(router(place), router(machine.above[place][0]), width.get(place, 1))
    cpus = [cpu for cpu in machine.cpus if cpu in needed]
    for at, a in enumerate(cpus):
        for b in cpus[at + 1 :]:
            sketch.link(router(a), router(b))
    text = "there are no NVLinks: the network is the PCI tree"
    note(machine.path, f"{text}, its {len(cpus)} CPUs joined by one link a pair" if len(cpus) > 1 else text)
