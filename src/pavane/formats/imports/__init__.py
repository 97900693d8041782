"""Networks from the files that others write, each format recognized by what its files say.

The order matters where one format could be taken for another: those with a mark of their own come first, METIS, which
looks like an edge list, last.
"""

from __future__ import annotations

import difflib
from pathlib import Path

from pavane.errors import InputError
from pavane.formats.imports.form import Form
from pavane.formats.imports.notes import Note as Note
from pavane.formats.imports.opened import refuse_if_huge
from pavane.formats.imports.ordinary import ORDINARY
from pavane.model.network import Network

MSCCL = Form(
    "msccl",
    "topology of SCCL and msccl-tools in JSON: `links[to][from]` is the number of parallel channels",
    "msccl_topology",
)
IMPORTED = (
    Form(
        "simgrid",
        "platform of SimGrid: hosts are routers with a processor, routers pure switches, routes over a link join them",
        "simgrid",
    ),
    Form(
        "nccl",
        "topology that NCCL dumps: GPUs are routers with a processor, joined by NVLinks or else the PCI tree",
        "nccl",
    ),
    MSCCL,
    Form(
        "astra-sim",
        "network file of ASTRA-sim: a product of rings, complete networks and pure switches",
        "astra_sim",
    ),
    Form("dot", "DOT of Graphviz: edges of a `graph` are links, those of a `digraph` channels", "dot"),
    Form("anynet", "anynet file of BookSim: its routers are routers, its nodes processors", "anynet"),
    Form(
        "ibnetdiscover",
        "output of ibnetdiscover: switches are pure switches, adapters routers with a processor, cables links",
        "ibnetdiscover",
    ),
    Form(
        "nvidia-smi",
        "matrix of `nvidia-smi topo -m`: GPUs are routers with a processor, NV4 is four parallel links",
        "nvidia_smi",
    ),
    Form("metis", "METIS graph file: an edge is a link, weights are left out", "metis"),
)
"""The formats that are recognized here."""

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
