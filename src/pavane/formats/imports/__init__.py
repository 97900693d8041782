"""Networks from the files that others write, each format recognized by what its files say.

The order matters where one format could be taken for another: those with a mark of their own come first, METIS, which
looks like an edge list, last.
"""

from __future__ import annotations

import difflib
from pathlib import Path

from pavane.errors import InputError
from pavane.formats.graph_files import read_graphml, read_node_link
from pavane.formats.imports.anynet import ANYNET
from pavane.formats.imports.astra_sim import ASTRA_SIM
from pavane.formats.imports.dot import DOT
from pavane.formats.imports.form import Form
from pavane.formats.imports.ibnetdiscover import IBNETDISCOVER
from pavane.formats.imports.metis import METIS
from pavane.formats.imports.msccl_topology import MSCCL
from pavane.formats.imports.nccl import NCCL
from pavane.formats.imports.notes import Note as Note
from pavane.formats.imports.nvidia_smi import NVIDIA_SMI
from pavane.formats.imports.opened import refuse_if_huge
from pavane.formats.imports.simgrid import SIMGRID
from pavane.formats.text_files import read_text
from pavane.network import Network

IMPORTED = (SIMGRID, NCCL, MSCCL, ASTRA_SIM, DOT, ANYNET, IBNETDISCOVER, NVIDIA_SMI, METIS)
"""The formats that are recognized here."""


def _never(view: memoryview) -> bool:
    """Leave it to network_file, which knows pavane's own JSON as well."""
    return False


def _edges(path: Path, view: memoryview) -> Network:
    return read_text(path, view, by_neighbours=False)


def _neighbours(path: Path, view: memoryview) -> Network:
    return read_text(path, view, by_neighbours=True)


ORDINARY = (
    Form("edge-list", "edge list: a line `0 1` is a link, `0 > 1` a channel", _never, _edges),
    Form(
        "neighbour-list",
        "neighbour list: a line `0: 1 3` gives the channels from router 0",
        _never,
        _neighbours,
    ),
    Form("node-link", "node-link JSON of NetworkX: edges are links, or channels if directed", _never, read_node_link),
    Form("graphml", "GraphML: edges are links, or channels if directed", _never, read_graphml),
)

FORMS = {form.name: form for form in sorted((*ORDINARY, *IMPORTED), key=lambda form: form.name)}
"""Every format that --from may name."""


def recognized(view: memoryview) -> Form | None:
    """Return the format that a file is in, if it is one of others."""
    return next((form for form in IMPORTED if form.recognizes(view)), None)


def named_form(name: str) -> Form:
    """Return the format that a user names."""
    asked = name.strip().lower().replace("_", "-")
    if asked in FORMS:
        return FORMS[asked]
    near = difflib.get_close_matches(asked, FORMS, n=2, cutoff=0.7)
    hint = f"did you mean {' or '.join(near)}?" if near else f"choose one of {', '.join(FORMS)}"
    raise InputError(f"--from {name!r} is no format of networks; {hint}")


def read_as(form: Form, path: Path, view: memoryview) -> Network:
    """Read a file in a format, whatever it looks like."""
    if form in IMPORTED:
        refuse_if_huge(path, view)
    return form.read(path, view)
