"""All formats, and how a file's own is recognized: by what the file says, never by its name.

The order matters where one format could be taken for another: those with a mark of their own come first, and last the
edge list, which anything could be meant to be. The directed edge list looks like it, so it is only named.
"""

from __future__ import annotations

import difflib

from pavane.errors import InputError
from pavane.io.files import SCHEDULE_FORMAT, File, Keys, refuse_unless_schedule_or_small
from pavane.io.format import Format
from pavane.io.formats.graphml import GRAPHML
from pavane.io.formats.ibnetdiscover import IBNETDISCOVER
from pavane.io.formats.nccl import NCCL
from pavane.io.formats.networkx_files import NETWORKX_FILES
from pavane.io.formats.nvidia_smi import NVIDIA_SMI
from pavane.io.graphs import NODE_LINK
from pavane.io.network_file import NETWORK, PROBLEM
from pavane.io.objects import NETWORK_FORMAT, decode
from pavane.io.schedule_file import SCHEDULE
from pavane.io.table_file import TABLE
from pavane.io.text_files import DIRECTED_EDGE_LIST, EDGE_LIST

JSON_FORMATS = (SCHEDULE, TABLE, NETWORK, PROBLEM, NODE_LINK)
TEXT_FORMATS = (NCCL, IBNETDISCOVER, NVIDIA_SMI, *NETWORKX_FILES, GRAPHML, EDGE_LIST, DIRECTED_EDGE_LIST)

OWN_FORMATS = (SCHEDULE, TABLE, NETWORK, PROBLEM)

NETWORK_FORMATS = {
    each.name: each
    for each in sorted((*JSON_FORMATS, *TEXT_FORMATS), key=lambda each: each.name)
    if each not in OWN_FORMATS
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
