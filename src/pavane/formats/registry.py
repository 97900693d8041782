"""All formats, and how a file's own is recognized: by what the file says, never by its name.

The order matters where one format could be taken for another: those with a mark of their own come first, then METIS,
which looks like an edge list, and last the edge list, which anything could be meant to be.
"""

from __future__ import annotations

import difflib

from pavane.errors import InputError
from pavane.formats.files import SCHEDULE_FORMAT, File, Keys, refuse_unless_schedule_or_small
from pavane.formats.foreign.anynet import ANYNET
from pavane.formats.foreign.astra_sim import ASTRA_SIM
from pavane.formats.foreign.dot import DOT
from pavane.formats.foreign.ibnetdiscover import IBNETDISCOVER
from pavane.formats.foreign.metis import METIS
from pavane.formats.foreign.msccl_topology import MSCCL
from pavane.formats.foreign.msccl_xml import MSCCL_XML
from pavane.formats.foreign.nccl import NCCL
from pavane.formats.foreign.nvidia_smi import NVIDIA_SMI
from pavane.formats.foreign.sccl import SCCL
from pavane.formats.foreign.simgrid import SIMGRID
from pavane.formats.format import Format
from pavane.formats.graph_files import GRAPHML, NODE_LINK
from pavane.formats.network_file import NETWORK, PROBLEM
from pavane.formats.objects import NETWORK_FORMAT, decoded
from pavane.formats.schedule_file import SCHEDULE
from pavane.formats.text_files import EDGE_LIST, NEIGHBOUR_LIST

JSON_FORMATS = (SCHEDULE, SCCL, MSCCL, NETWORK, PROBLEM, NODE_LINK)
TEXT_FORMATS = (
    *(MSCCL_XML, SIMGRID, NCCL, ASTRA_SIM, DOT, ANYNET, IBNETDISCOVER, NVIDIA_SMI, METIS),
    *(GRAPHML, NEIGHBOUR_LIST, EDGE_LIST),
)

OWN_FORMATS = (SCHEDULE, NETWORK, PROBLEM)

NETWORK_FORMATS = {
    each.name: each
    for each in sorted((*JSON_FORMATS, *TEXT_FORMATS), key=lambda each: each.name)
    if each not in OWN_FORMATS and each.read_schedule is None
}
"""The formats of networks that others write, by the names that users may give."""


def recognize(file: File) -> Format | None:
    """Return the format that a file is in, or None for JSON that says nothing of the kind."""
    formats = JSON_FORMATS if file.first in ("{", "[") else TEXT_FORMATS
    return next((each for each in formats if each.recognizes(file)), None)


def format_of(file: File) -> Format:
    """Return the format that a file is in; refuse what is in none, or larger than it can be."""
    refuse_unless_schedule_or_small(file)
    found = recognize(file)
    if found is None:
        said = decoded(file.data, Keys, file).said  # refuses what is no JSON object
        raise InputError(
            f"{file}: this JSON {said}; known are {NETWORK_FORMAT}, {SCHEDULE_FORMAT}, a problem, and node-link JSON"
        )
    return found


def named_format(name: str) -> Format:
    """Return the format of networks that a user names."""
    asked = name.strip().lower().replace("_", "-")
    if asked in NETWORK_FORMATS:
        return NETWORK_FORMATS[asked]
    near = difflib.get_close_matches(asked, NETWORK_FORMATS, n=2, cutoff=0.7)
    hint = f"did you mean {' or '.join(near)}?" if near else f"choose one of {', '.join(NETWORK_FORMATS)}"
    raise InputError(f"`form` {name!r} is no format of networks; {hint}")
