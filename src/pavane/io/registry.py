"""All formats, and how a file's own is recognized: by what the file says, never by its name.

The order matters where one format could be taken for another: those with a mark of their own come first, then METIS,
which looks like an edge list, then lists that say two things or are none, and last the edge list, which anything could
be meant to be. A few formats are never recognized, only named: those whose files look like another's.
"""

from __future__ import annotations

import difflib

from pavane.errors import InputError
from pavane.io.files import SCHEDULE_FORMAT, File, Keys, refuse_unless_schedule_or_small
from pavane.io.format import Format
from pavane.io.formats.adjacency_lists import ADJACENCY_LIST, DIRECTED_ADJACENCY_LIST, UNCLEAR_ADJACENCY_LIST
from pavane.io.formats.astra_sim import ASTRA_SIM
from pavane.io.formats.booksim import ANYNET
from pavane.io.formats.dot import DOT
from pavane.io.formats.gexf import GEXF
from pavane.io.formats.gml import GML
from pavane.io.formats.graph6 import GRAPH6
from pavane.io.formats.ibnetdiscover import IBNETDISCOVER
from pavane.io.formats.metis import METIS
from pavane.io.formats.msccl_topology import MSCCL
from pavane.io.formats.msccl_xml import MSCCL_XML
from pavane.io.formats.nccl import NCCL
from pavane.io.formats.nvidia_smi import NVIDIA_SMI
from pavane.io.formats.pajek import PAJEK
from pavane.io.formats.poseidon import POSEIDON, POSEIDON_SCHEDULE
from pavane.io.formats.s4noc import S4NOC
from pavane.io.formats.sccl import SCCL
from pavane.io.formats.simgrid import SIMGRID
from pavane.io.formats.taccl import TACCL
from pavane.io.formats.teccl import TECCL
from pavane.io.formats.teccl_topology import TECCL_TOPOLOGY
from pavane.io.formats.unsupported_files import NO_LIST, NO_TEXT
from pavane.io.graphs import GRAPHML, NODE_LINK
from pavane.io.network_file import NETWORK, PROBLEM
from pavane.io.objects import NETWORK_FORMAT, decode
from pavane.io.schedule_file import SCHEDULE
from pavane.io.table_file import TABLE
from pavane.io.text_files import DIRECTED_EDGE_LIST, EDGE_LIST, NEIGHBOUR_LIST

JSON_FORMATS = (SCHEDULE, TABLE, SCCL, MSCCL, TECCL, TACCL, TECCL_TOPOLOGY, NETWORK, PROBLEM, NODE_LINK)
TEXT_FORMATS = (
    *(NO_TEXT, S4NOC, GRAPH6, MSCCL_XML, POSEIDON, POSEIDON_SCHEDULE, SIMGRID, NCCL, GEXF, ASTRA_SIM, DOT, GML),
    *(PAJEK, ANYNET, IBNETDISCOVER, NVIDIA_SMI),
    *(METIS, GRAPHML, UNCLEAR_ADJACENCY_LIST, ADJACENCY_LIST, NO_LIST, NEIGHBOUR_LIST, EDGE_LIST),
    *(DIRECTED_EDGE_LIST, DIRECTED_ADJACENCY_LIST),
)

OWN_FORMATS = (SCHEDULE, TABLE, NETWORK, PROBLEM)
REFUSED = (NO_TEXT, UNCLEAR_ADJACENCY_LIST, NO_LIST)
"""Recognized only to be refused; users cannot name these."""

NETWORK_FORMATS = {
    each.name: each
    for each in sorted((*JSON_FORMATS, *TEXT_FORMATS), key=lambda each: each.name)
    if each not in (*OWN_FORMATS, *REFUSED, POSEIDON) and each.read_schedule is None
}
"""The formats of networks that others write, by the names that users may give."""


def recognize(file: File) -> Format | None:
    """Return the format that a file is in, or None for JSON that says nothing of the kind."""
    is_json = file.first in ("{", "[") and not GRAPH6.recognizes(file)  # graph6 begins with any letter or mark
    formats = JSON_FORMATS if is_json else TEXT_FORMATS
    return next((each for each in formats if each.recognizes(file)), None)


def format_of(file: File) -> Format:
    """Return the format that a file is in; refuse what is in none, or larger than it can be."""
    refuse_unless_schedule_or_small(file)
    found = recognize(file)
    if found is None:
        if file.first == "[":
            raise InputError(
                f"{file}: not what was expected there: expected `object`, got `array` or a section of settings; "
                f'a network in JSON is {{"format": "{NETWORK_FORMAT}", ...}}'
            )
        content = decode(file.data, Keys, file).format_text  # refuses what is not a JSON object
        raise InputError(
            f"{file}: this JSON {content}; known are {NETWORK_FORMAT}, {SCHEDULE_FORMAT}, a problem, and node-link JSON"
        )
    return found


def named_format(name: str) -> Format:
    """Return the format of networks that a user names."""
    wanted = name.strip().lower().replace("_", "-")
    if wanted in NETWORK_FORMATS:
        return NETWORK_FORMATS[wanted]
    near = difflib.get_close_matches(wanted, NETWORK_FORMATS, n=2, cutoff=0.7)
    hint = f"did you mean {' or '.join(near)}?" if near else f"choose one of {', '.join(NETWORK_FORMATS)}"
    raise InputError(f"`form` {name!r} is not a format of networks; {hint}")
