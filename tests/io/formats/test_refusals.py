"""Files of others that cannot be read, format by format, and what is said about them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pavane.errors import InputError
from tests.io.formats.samples import GEXF, GML, IBNETDISCOVER, NCCL, NVIDIA_SMI, PAJEK
from tests.io.formats.test_samples import read


def changed(text: str, old: str, new: str) -> str:
    """Change one place of a sample."""
    assert old in text
    return text.replace(old, new, 1)


@pytest.mark.parametrize(
    ("form", "text", "said"),
    [
        ("ibnetdiscover", changed(IBNETDISCOVER, "[2]\t", "[1]\t"), "has two cables; the lists disagree"),
        (
            "ibnetdiscover",
            IBNETDISCOVER[: IBNETDISCOVER.index("caguid=0xa03")],
            "not listed here; the file may be cut off",
        ),
        ("ibnetdiscover", changed(IBNETDISCOVER, "[1]\t", "[x]\t"), "is not a port; it reads like [1]"),
        (
            "ibnetdiscover",
            changed(IBNETDISCOVER, "[2]\t", '[3]\t"S-0000000000000f01"[4]\t\t# "leaf one" lid 1 4xEDR\n[2]\t'),
            "a cable joins 'S-0000000000000f01' with itself; leave it out",
        ),
        (
            "nvidia-smi",
            changed(NVIDIA_SMI, "GPU1\tNV2", "GPU1\tNV3"),
            "GPU0 has NV2 for GPU1, but GPU1 has NV3 for GPU0",
        ),
        ("nvidia-smi", re.sub(r"NV\d", "PHB", NVIDIA_SMI), "no two GPUs are joined by NVLink (PHB, SYS)"),
        ("nvidia-smi", NVIDIA_SMI[: NVIDIA_SMI.index("GPU2\tNV1")], "there is no row GPU2; the file may be cut off"),
        (
            "nvidia-smi",
            changed(NVIDIA_SMI, "NV2\tNV1", "NV20\tNV1").replace("GPU1\tNV2\t", "GPU1\tNV20\t"),
            "more than 18",
        ),
        ("nccl", changed(NCCL, 'count="2"', 'count="3"'), "GPU0 lists 3 NVLinks to GPU1, which lists 2 back"),
        (
            "nccl",
            changed(NCCL, 'target="0000:1b', 'target="0000:77'),
            "leads to '0000:77:00.0', not a <gpu> of the file",
        ),
        ("nccl", "<system><cpu/></system>", "no <gpu> in it"),
        ("nccl", '<system><cpu><gpu dev="0"/></cpu></system>', "a <gpu> must stand in a <pci> of its own"),
        ("dot", "graph {\n a -> b }", "`->` does not go with `graph`"),
        ("dot", "graph { a -- b } graph { c }", "2 graphs are in this file"),
        ("dot", "graph { node [processors=0]; a -- b }", "`processors` is a default, which is not read"),
        ("dot", "graph { subgraph s { edge [capacity=2]; a -- b } }", "`capacity` is a default, which is not read"),
        ("dot", "graph { a -- { b -- c } }", "an edge leads to a group with edges of its own"),
        ("dot", "digraph { a -> b [dir=both] }", "an edge has dir=both; write an edge for each direction"),
        ("dot", "graph { a:p -- b }", "'a:p' is a port of a node; name the node alone"),
        ("gml", GML.replace("id 20", "", 1), "node #1 has no 'id' attribute"),
        ("gml", GML.replace("id 20", "id 10", 1), "node id 10 is duplicated"),
        ("gml", GML.replace("source 10", "source 70", 1), "edge #0 has undefined source 70"),
        ("gml", GML.replace("  multigraph 1\n", ""), "edge #2 (10--30) is duplicated"),
        ("gml", GML + GML, "input contains more than one graph"),
        (
            "gexf",
            GEXF.replace('source="7"', 'source="1"', 1),
            "NetworkX reads other nodes than the <node> of this file",
        ),
        (
            "gexf",
            GEXF.replace('edge id="1"', 'edge id="0"').replace('target="9"', 'target="8"'),
            "NetworkX reads 1 of 2 edges; give each an id",
        ),
        ("gexf", GEXF.replace('target="8"', 'target="8" type="directed"'), "Directed edge found in undirected graph"),
        ("gexf", GEXF[:-9], "not GEXF that can be read"),
        (
            "pajek",
            PAJEK + "*Edges\n1 2\n",
            "its parts are *network *vertices *arcs *edges; read are *Vertices and one of",
        ),
        ("pajek", PAJEK.replace("4 1 1\n", "5 1 1\n"), "5 vertices are named, which is not the number in *Vertices"),
        ("pajek", "% nothing\n", "its parts are missing; read are *Vertices and one of"),
        ("graph6", ">>graph6<<Bw\nBw\n", "2 graphs are in this file, where one was expected; leave one line"),
        ("graph6", ">>digraph6<<&BP_", "not graph6 or sparse6 that can be read"),
        (
            "adjacency-list",
            "a b\nb a\n",
            "every edge is listed at both ends; `form=directed-adjacency-list` reads each",
        ),
        ("adjacency-list", "0 2\n1 {'weight': 2}\n2 {}\n", "an adjacency list has no attributes in braces"),
    ],
)
def test_refusals_say_what_and_where(form: str, text: str, said: str, tmp_path: Path) -> None:
    """One line that begins with the file's name."""
    path = tmp_path / "f"
    path.write_text(text)
    with pytest.raises(InputError, match=re.escape(said)) as caught:
        read(path, form)
    assert str(caught.value).startswith(f"{path}")
    assert str(caught.value).isprintable()
