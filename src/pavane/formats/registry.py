"""All formats, and how a file's own is recognized: by what the file says, never by its name.

The order matters where one format could be taken for another: those with a mark of their own come first, then METIS,
which looks like an edge list, then lists that say two things or are none, and last the edge list, which anything could
be meant to be. A few formats are never recognized, only named: those whose files look like another's.
"""

from __future__ import annotations

import difflib

from pavane.errors import InputError
from pavane.formats.files import SCHEDULE_FORMAT, File, Keys, refuse_unless_schedule_or_small
from pavane.formats.foreign.adjacency_lists import ADJACENCY_LIST, DIRECTED_ADJACENCY_LIST, UNCLEAR_ADJACENCY_LIST
from pavane.formats.foreign.anynet import ANYNET
from pavane.formats.foreign.astra_sim import ASTRA_SIM
from pavane.formats.foreign.dot import DOT
from pavane.formats.foreign.gexf import GEXF
from pavane.formats.foreign.gml import GML
from pavane.formats.foreign.graph6 import GRAPH6
from pavane.formats.foreign.ibnetdiscover import IBNETDISCOVER
from pavane.formats.foreign.metis import METIS
from pavane.formats.foreign.msccl_topology import MSCCL
from pavane.formats.foreign.msccl_xml import MSCCL_XML
from pavane.formats.foreign.nccl import NCCL
from pavane.formats.foreign.nvidia_smi import NVIDIA_SMI
from pavane.formats.foreign.pajek import PAJEK
from pavane.formats.foreign.sccl import SCCL
from pavane.formats.foreign.simgrid import SIMGRID
from pavane.formats.foreign.strangers import NO_LIST, NO_TEXT
from pavane.formats.foreign.teccl import TECCL
from pavane.formats.format import Format
from pavane.formats.graph_files import GRAPHML, NODE_LINK
from pavane.formats.network_file import NETWORK, PROBLEM
from pavane.formats.objects import NETWORK_FORMAT, decoded
from pavane.formats.schedule_file import SCHEDULE
from pavane.formats.text_files import DIRECTED_EDGE_LIST, EDGE_LIST, NEIGHBOUR_LIST

JSON_FORMATS = (SCHEDULE, SCCL, MSCCL, TECCL, NETWORK, PROBLEM, NODE_LINK)
TEXT_FORMATS = (
    *(NO_TEXT, GRAPH6, MSCCL_XML, SIMGRID, NCCL, GEXF, ASTRA_SIM, DOT, GML, PAJEK, ANYNET, IBNETDISCOVER, NVIDIA_SMI),
    *(METIS, GRAPHML, UNCLEAR_ADJACENCY_LIST, ADJACENCY_LIST, NO_LIST, NEIGHBOUR_LIST, EDGE_LIST),
    *(DIRECTED_EDGE_LIST, DIRECTED_ADJACENCY_LIST),
)

OWN_FORMATS = (SCHEDULE, NETWORK, PROBLEM)
REFUSED = (NO_TEXT, UNCLEAR_ADJACENCY_LIST, NO_LIST)
"""What is recognized to be refused; nobody names these."""

NETWORK_FORMATS = {
    each.name: each
    for each in sorted((*JSON_FORMATS, *TEXT_FORMATS), key=lambda each: each.name)
    if each not in (*OWN_FORMATS, *REFUSED) and each.read_schedule is None
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
