"""Networks from the matrix that `nvidia-smi topo -m` prints.

A GPU is a router with one processor, and NV4 between two GPUs is a link of capacity 4. Where a GPU would have more
links than any GPU has, its links lead to switches (NVSwitch): then it is joined with one pure switch. Pairs without
NVLink (PIX, PXB, PHB, NODE, SYS) are not joined, and NICs are left out, each with a note. Several machines are joined
over their NICs: each GPU by the nearest one.
"""

from __future__ import annotations

import re
from fractions import Fraction

from pavane.errors import InputError
from pavane.io.capacities import join_numbers
from pavane.io.files import File
from pavane.io.format import Format
from pavane.io.network_builder import NetworkBuilder, first_names, joined_by_rails, uplinks
from pavane.io.parsing import lines_of, shown
from pavane.model.network import Network
from pavane.networks.copies import joined_copies
from pavane.text import counted

MOST_LINKS = 18
"""NVLinks of one GPU, the most there are up to Blackwell."""

COLOUR = re.compile(r"\x1b\[[0-9;]*m")
HEADER = re.compile(r"(?:\x1b\[[0-9;]*m|\s)*GPU0(?:\x1b\[[0-9;]*m|\s)")
FAR = {"PIX": 0, "PXB": 1, "PHB": 2, "NODE": 3, "SYS": 4, "SOC": 4}
"""What lies between a GPU and a NIC, the nearest first."""

CELL = re.compile(r"X|NV\d{1,3}|PIX|PXB|PHB|NODE|SYS|SOC|C2C|N/A")


def recognizes(file: File) -> bool:
    """Return whether a file has the header of the matrix near its beginning."""
    return any(HEADER.match(line + " ") for line in file.head.splitlines())


def read(file: File, nodes: int = 1, nic: Fraction | None = None) -> Network:
    """Read a network from the matrix of nvidia-smi, or that of several such machines, joined over their NICs."""
    builder, distance = _machine(file)
    nics = next(iter(distance.values()))
    if nodes == 1:
        if nics:
            file.note(f"{first_names(list(nics))}: NICs are left out")
        return builder.network()
    if not nics:
        return joined_by_rails(file, builder.network(), nodes, nic)
    if nic is None:
        file.note(
            "each NIC is a link of capacity 1, as one NVLink is, because the matrix does not say how fast it is; "
            "`nic=2` makes it as fast as two, `nic=1/2` half as fast"
        )
    links = uplinks(builder, distance, dict.fromkeys(nics, builder.count_nic(nic)))
    return joined_copies(builder.network(), nodes, links)


def _machine(file: File) -> tuple[NetworkBuilder, dict[str, dict[str, int]]]:
    """Return the network of a machine, and how far each of its GPUs is from each NIC."""
    columns, rows = _matrix(file)
    gpus = [name for name in columns if name.startswith("GPU")]
    for gpu in gpus:
        if gpu not in rows:
            raise InputError(f"{file}: there is no row {gpu}; the file may be cut off")
    cells = {gpu: dict(zip(columns, rows[gpu], strict=True)) for gpu in gpus}
    for gpu in gpus:
        if cells[gpu][gpu] != "X":
            raise InputError(
                f"{file}: {gpu} has {cells[gpu][gpu]} for itself, where X was expected; a column is missing"
            )
    nics = [name for name in columns if name not in gpus]
    distance = {gpu: {nic: FAR.get(cells[gpu][nic], len(FAR)) for nic in nics} for gpu in gpus}
    return _network(file, gpus, cells), distance


def _matrix(file: File) -> tuple[list[str], dict[str, list[str]]]:
    """Return the names above the columns, and the rows by their names."""
    columns: list[str] | None = None
    rows: dict[str, list[str]] = {}
    for where, raw in lines_of(file):
        words = COLOUR.sub("", raw).split()
        if columns is None:
            if words[:1] == ["GPU0"]:
                end = next((index for index, word in enumerate(words) if word in ("CPU", "NUMA")), len(words))
                columns = words[:end]
        elif words and words[0] in columns:
            if words[0] in rows:
                raise InputError(f"{where}: {words[0]} has a second row; keep one of the two")
            rows[words[0]] = _cells(where, words, len(columns))
        elif rows and not words:
            break  # the legend follows
    if columns is None:
        raise InputError(f"{file}: no line begins with GPU0; give all that `nvidia-smi topo -m` prints")
    return columns, rows


def _cells(where: str, words: list[str], count: int) -> list[str]:
    """Return what stands in the columns of a row."""
    cells = words[1 : count + 1]
    wrong = [cell for cell in cells if not CELL.fullmatch(cell)]
    if len(cells) < count or wrong:
        found = shown(wrong[0]) if wrong else f"{len(cells)} entries"
        raise InputError(f"{where}: {words[0]} has {found}, where {count} like NV4 or SYS were expected")
    return cells


def _network(file: File, gpus: list[str], cells: dict[str, dict[str, str]]) -> NetworkBuilder:
    builder = NetworkBuilder(file)
    links: dict[tuple[str, str], int] = {}
    others: set[str] = set()
    apart = 0
    for index, a in enumerate(gpus):
        builder.router(a)
        for b in gpus[index + 1 :]:
            cell = cells[a][b]
            if cell != cells[b][a]:
                raise InputError(f"{file}: {a} has {cell} for {b}, but {b} has {cells[b][a]} for {a}; they must agree")
            if cell.startswith("NV") and int(cell[2:]):
                links[a, b] = int(cell[2:])
            else:
                apart += 1
                others.add(cell)
    if not links:
        raise InputError(
            f"{file}: no two GPUs are joined by NVLink ({', '.join(sorted(others)) or 'there is one GPU'}), and the "
            "matrix does not say how PCI joins them; give the NCCL topology (NCCL_TOPO_DUMP_FILE)"
        )
    ends = {gpu: sum(width for pair, width in links.items() if gpu in pair) for gpu in gpus}
    if max(ends.values()) > MOST_LINKS:
        _switched(file, builder, gpus, links, apart)
    else:
        for (a, b), width in links.items():
            builder.link(builder.number[a], builder.number[b], width)
        if max(links.values()) > 1:
            file.note(f"links of {join_numbers(set(links.values()))} NVLinks are channels of that capacity")
        if apart:
            pairs = counted(apart, "pair")
            file.note(f"{pairs} of GPUs have no NVLink ({', '.join(sorted(others))}) and are not joined directly")
    return builder


def _switched(
    file: File, builder: NetworkBuilder, gpus: list[str], links: dict[tuple[str, str], int], apart: int
) -> None:
    """Join all GPUs with one switch."""
    widths = set(links.values())
    if apart or len(widths) > 1 or max(widths) > MOST_LINKS:
        raise InputError(
            f"{file}: a GPU has more than {MOST_LINKS} NVLinks, so they must lead to switches, but its entries are not "
            "all alike; write the network as an edge list"
        )
    (width,) = widths
    switch = builder.router("NVSwitch", 0)
    for gpu in gpus:
        builder.link(builder.number[gpu], switch, width)
    file.note(f"all pairs have NV{width}: each GPU is joined with one switch by a link of capacity {width}")


NVIDIA_SMI = Format(
    "nvidia-smi",
    "matrix of `nvidia-smi topo -m`: GPUs are routers with a processor, NV4 is a link of capacity 4",
    recognizes,
    read,
    read_nodes=read,
    has_gpus=True,
)
