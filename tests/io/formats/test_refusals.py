"""Files of others that cannot be read, format by format, and what is said about them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pavane.errors import InputError
from tests.io.formats.samples import (
    ANYNET,
    ASTRA_SIM,
    GEXF,
    GML,
    IBNETDISCOVER,
    METIS,
    NCCL,
    NVIDIA_SMI,
    PAJEK,
    SIMGRID,
)
from tests.io.formats.test_samples import read


def changed(text: str, old: str, new: str) -> str:
    """Change one place of a sample."""
    assert old in text
    return text.replace(old, new, 1)


ROUTE = '<route src="alpha" dst="middle"><link_ctn id="slow"/></route>'


@pytest.mark.parametrize(
    ("form", "text", "said"),
    [
        ("metis", changed(METIS, "4 5", "4 6"), "its first line says 6 edges, but 10 neighbours are listed"),
        ("metis", changed(METIS, "1 3\n2", "1 4\n2"), "lists"),
        ("metis", changed(METIS, "2 4 3", "2 5 3"), "line 3: there is no vertex 5; they go from 1 to 4"),
        ("metis", METIS + "1\n", "line 7: '1' comes after the last of 4 vertices"),
        ("metis", "2 1 1\n2\n1 5\n", "line 2: each neighbour is followed by a weight; one is missing"),
        ("anynet", changed(ANYNET, "router 1 5", "router 0"), "line 1: router 0 is joined with itself"),
        (
            "anynet",
            changed(ANYNET, "node 3 router 3", "node 2 router 3"),
            "node 2 sits on router 3, and on router 1 before",
        ),
        ("anynet", "node 0 node 1\n", "line 1: node 0 is joined with node 1; nodes sit on routers"),
        ("anynet", "router 0 link 1\n", "'link', where `router` or `node` was expected"),
        ("anynet", "router 0 router", "a number is missing behind `router`"),
        ("anynet", "\n", "no router in it; an anynet file has lines like `router 0 node 0 router 1`"),
        ("simgrid", changed(SIMGRID, "2Gbps", "2000Gbps"), "from 1.25e+08 to 2.5e+11 differ by too large a ratio"),
        ("simgrid", changed(SIMGRID, "2Gbps", "fast"), "link 'fast' has bandwidth 'fast'; write it as 125MBps"),
        (
            "simgrid",
            changed(SIMGRID, '<link_ctn id="slow"/>', '<link_ctn id="slow"/><link_ctn id="fast"/>'),
            "the route from 'alpha' to 'middle' runs over 2 links",
        ),
        (
            "simgrid",
            changed(SIMGRID, ROUTE, ROUTE + '<route src="alpha" dst="beta"><link_ctn id="slow"/></route>'),
            "link 'slow' is on the routes alpha - middle and alpha - beta, and a channel joins two routers",
        ),
        ("simgrid", changed(SIMGRID, 'dst="middle"', 'dst="center"'), "a route names 'center', not a host"),
        ("simgrid", changed(SIMGRID, 'ctn id="slow"', 'ctn id="slew"'), "link 'slew', which the file does not declare"),
        ("simgrid", changed(SIMGRID, '<router id="middle"/>', '<peer id="p"/>'), "<peer> cannot be read"),
        ("simgrid", '<platform><cluster id="c" radical="0-3" bw="1" bb_bw="x"/></platform>', "has bandwidth 'x'"),
        ("simgrid", changed(SIMGRID, '<host id="alpha"', "<host"), "a <host> has no id; give it one"),
        (
            "simgrid",
            changed(SIMGRID, ' dst="middle"', ""),
            "a <route> does not say from where to where; name both ends",
        ),
        (
            "simgrid",
            '<platform><host id="h1"/><cluster id="c" prefix="h" radical="0-3" bw="1GBps"/></platform>',
            "two hosts have the id 'h1'; give each its own",
        ),
        ("ibnetdiscover", changed(IBNETDISCOVER, "[2]\t", "[1]\t"), "has two cables; the lists disagree"),
        (
            "ibnetdiscover",
            IBNETDISCOVER[: IBNETDISCOVER.index("caguid=0xa03")],
            "not listed here; the file may be cut off",
        ),
        (
            "ibnetdiscover",
            changed(IBNETDISCOVER, "[1]\t", "[x]\t"),
            "is not a port; it reads like [1]",
        ),
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
        (
            "astra-sim",
            changed(ASTRA_SIM, "Switch", "Mesh"),
            "topology 'Mesh' is not known; choose Ring, FullyConnected",
        ),
        ("astra-sim", changed(ASTRA_SIM, "[ 3, 2 ]", "[ 3 ]"), "topology has 2 dimensions and npus_count 1"),
        ("astra-sim", changed(ASTRA_SIM, "100.0", "0"), "bandwidth '0' is not a number above 0"),
        ("astra-sim", changed(ASTRA_SIM, "100.0", "99999"), "bandwidths from 50 to 99999 differ by too large a ratio"),
        ("astra-sim", changed(ASTRA_SIM, "]", ""), "not YAML that can be read"),
        ("gml", changed(GML, "id 20", ""), "node[1] has no `id`; give it one"),
        ("gml", changed(GML, "id 20", "id 10"), "two nodes have the same `id`; give each its own"),
        (
            "gml",
            changed(GML, "id 20", "id"),
            "line 8: 'label \"b\" graphics [' stands where a value of `id` was expected",
        ),
        ("gml", changed(GML, "source 10", "source 70"), "edge[0] joins '70', which is not a node of the file"),
        ("gml", changed(GML, "target 20", "[ 20 ]"), "line 10: '[ 20 ] ]' stands where a key was expected"),
        ("gml", changed(GML, "target 20", ""), "edge[0] has no `target`; give it one"),
        ("gml", changed(GML, "directed 0", "directed 2"), "`directed` is 2; write 0 or 1"),
        ("gml", changed(GML, "processors 0", 'processors "0"'), "node 'hub & all' has processors '0'; give a whole"),
        ("gml", changed(GML, "processors 0", "processors @"), "line 7: '@ graphics [ x 1.5 y' is not GML"),
        ("gml", GML.rstrip()[:-1], "the file ends inside a list or behind a key; it may be cut off"),
        ("gml", GML + GML, "2 graphs are in this file, where one `graph [ ... ]` was expected"),
        ("gml", "graph [ node 5 ]", "node[0] is 5, where a list in brackets was expected"),
        ("gml", changed(GML, '"b"', '"&#27;[8m"'), r"router name '\x1b[8m' is empty or not printable"),
        ("gexf", changed(GEXF, 'source="7"', 'source="1"'), "edge[0] joins '1', which is not a node of the file"),
        ("gexf", changed(GEXF, ' target="8"', ""), "edge[0] joins '', which is not a node of the file"),
        ("gexf", changed(GEXF, '"directed"', '"both"'), "an <edge> is of type 'both'; write undirected or directed"),
        ("gexf", changed(GEXF, 'id="8"', 'id="7"'), "two nodes have the same `id`; give each its own"),
        ("gexf", changed(GEXF, 'value="0"', 'value="-1"'), "node 'switch' has processors -1; give a whole number"),
        ("gexf", "<gexf/>", "not GEXF that can be read: it has no <graph>, or several"),
        ("gexf", GEXF[:-9], "not GEXF that can be read"),
        ("pajek", changed(PAJEK, "*Vertices 4", "*Vertices"), "line 3: the number of vertices is missing"),
        ("pajek", changed(PAJEK, "*Vertices 4", "*Vertices 3"), "line 7: there is no vertex 4; they go from 1 to 3"),
        ("pajek", changed(PAJEK, "2 1", "2 x"), "line 10: a vertex is 'x', where a whole number was expected"),
        ("pajek", changed(PAJEK, "2 1", "2"), "line 10: expected two vertices and a weight, found '2'"),
        ("pajek", PAJEK + "*Vertices 2\n", "line 18: a second network begins; leave one in the file"),
        (
            "pajek",
            "*Vertices 2\n*Matrix\n0 1\n1 0 1\n",
            "line 4: a matrix of 2 vertices has that many rows and columns",
        ),
        ("pajek", "*Network x\n1 2\n", "line 2: '1 2' comes before `*Vertices`"),
        ("pajek", "*Edges\n1 2\n", "line 2: there is no vertex 1; they go from 1 to 0"),
        ("pajek", "% nothing\n", "no vertices in it; a Pajek file begins with a line like `*Vertices 8`"),
    ],
)
def test_refusals_say_what_and_where(form: str, text: str, said: str, tmp_path: Path) -> None:
    """One line that begins with the file's name."""
    path = tmp_path / "f"
    path.write_text(text)
    with pytest.raises(InputError, match=re.escape(said)) as caught:
        read(path, form)
    assert str(caught.value).startswith(f"{path}")
    assert "\n" not in str(caught.value)
