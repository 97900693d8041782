"""What a format says and a network cannot: refused with how to mend it, or left out with a note."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pavane.errors import InputError
from pavane.formats.files import File
from pavane.formats.foreign.metis import METIS as METIS_FORMAT
from pavane.formats.registry import recognize
from pavane.formats.text_files import EDGE_LIST
from tests.formats.foreign.samples import ANYNET, ASTRA_SIM, IBNETDISCOVER, METIS, NCCL, NVIDIA_SMI, SIMGRID
from tests.formats.foreign.test_samples import read


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
        ("simgrid", changed(SIMGRID, "2Gbps", "1.5Gbps"), "are no whole multiple of each other"),
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
        ("simgrid", changed(SIMGRID, 'dst="middle"', 'dst="center"'), "a route names 'center', which is no host"),
        ("simgrid", changed(SIMGRID, 'ctn id="slow"', 'ctn id="slew"'), "link 'slew', which the file does not declare"),
        ("simgrid", changed(SIMGRID, '<router id="middle"/>', '<peer id="p"/>'), "<peer> cannot be read"),
        ("simgrid", '<platform><cluster id="c" radical="0-3" bw="1" bb_bw="2"/></platform>', "has a backbone"),
        (
            "simgrid",
            '<platform><cluster id="c" topology="TORUS"/></platform>',
            "is a torus; take it from the catalogue",
        ),
        ("ibnetdiscover", changed(IBNETDISCOVER, "[2]\t", "[1]\t"), "has two cables; the lists disagree"),
        (
            "ibnetdiscover",
            IBNETDISCOVER[: IBNETDISCOVER.index("caguid=0xa03")],
            "not listed here; the file may be cut off",
        ),
        (
            "ibnetdiscover",
            changed(IBNETDISCOVER, "lid 4 4xEDR", "lid 4 4xFDR"),
            "cable speeds (Gbit/s) 54.56 and 100 are no whole",
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
            "leads to '0000:77:00.0', which is no <gpu> here",
        ),
        ("nccl", "<system><cpu/></system>", "no <gpu> in it"),
        (
            "astra-sim",
            changed(ASTRA_SIM, "Switch", "Mesh"),
            "topology 'Mesh' is not known; choose Ring, FullyConnected",
        ),
        ("astra-sim", changed(ASTRA_SIM, "[ 3, 2 ]", "[ 3 ]"), "topology has 2 dimensions and npus_count 1"),
        ("astra-sim", changed(ASTRA_SIM, "100.0", "75"), "bandwidths 50 and 75 are no whole multiple of each other"),
        ("astra-sim", changed(ASTRA_SIM, "]", ""), "not YAML that can be read"),
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


def topology(links: list[list[float]], switches: list[Any] | None = None) -> str:
    """Return a topology as msccl-tools writes it."""
    return json.dumps({"msccl_type": "topology", "name": "t", "links": links, "switches": switches or []})


ALL = [[0, 1, 1], [1, 0, 1], [1, 1, 0]]


@pytest.mark.parametrize(
    ("links", "switches", "note"),
    [
        (
            ALL,
            [[[p], [q for q in range(3) if q != p], 1, "out"] for p in range(3)]
            + [[[0, 1, 2], [p], 1, "in"] for p in range(3)],
            "`ports=1`",
        ),
        (ALL, [[[a, b], [a, b], 1, "link"] for a, b in ((0, 1), (0, 2), (1, 2))], "`duplex='half'`"),
        (ALL, [[[0, 1], [2], 2, "says nothing new"]], ""),
        (ALL, [[[0], [1, 2], 1, "one of three"]], "1 limits of switches are left out"),
        (ALL, [[[0, 1], [1, 2], 1, "neither"]], "1 limits of switches are left out"),
    ],
)
def test_limits_of_msccl_switches_are_told(
    links: list[list[float]], switches: list[Any], note: str, tmp_path: Path
) -> None:
    """A limit that ports or duplex can say is told with the option for it, any other as left out."""
    (tmp_path / "t").write_text(topology(links, switches))
    notes = read(tmp_path / "t")[1]
    assert len(notes) == bool(note)
    assert all(note in said for said in notes)


@pytest.mark.parametrize(
    ("links", "said"),
    [
        ([[0, 1], [1]], "links[1] has 1 entries, where there are 2 rows"),
        ([[0, 0.5], [1, 0]], "links[0][1] is 0.5; a link is a number of parallel channels"),
        ([[0, -1], [1, 0]], "links[0][1] is -1"),
        ([[1, 1], [1, 0]], "links[0][0] joins 0 with itself"),
        ([], "it has no routers"),
    ],
)
def test_msccl_links_that_are_no_channels_are_refused(links: list[list[float]], said: str, tmp_path: Path) -> None:
    """Bandwidths are whole numbers of channels."""
    (tmp_path / "t").write_text(topology(links))
    with pytest.raises(InputError, match=re.escape(said)):
        read(tmp_path / "t")


def test_links_are_by_target_and_then_by_source(tmp_path: Path) -> None:
    """links[to][from]: two channels from 1 to 0, one back."""
    (tmp_path / "t").write_text(topology([[0, 2], [1, 0]]))
    assert Counter(map(tuple, read(tmp_path / "t")[0].channels.tolist())) == {(1, 0): 2, (0, 1): 1}


def test_switched_nvlinks_lead_to_a_switch(tmp_path: Path) -> None:
    """Eight GPUs with NV18 for every pair have 18 links each, not 126."""
    names = [f"GPU{i}" for i in range(8)]
    rows = ["\t".join(["", *names, "CPU Affinity"])]
    rows += ["\t".join([a, *("X" if a == b else "NV18" for b in names), "0-95"]) for a in names]
    (tmp_path / "topo").write_text("\n".join(rows))
    found, notes = read(tmp_path / "topo")
    assert found.routers == (*names, "NVSwitch")
    assert found.num_processors == 8
    assert Counter(map(tuple, found.channels.tolist())) == {way: 18 for g in range(8) for way in ((g, 8), (8, g))}
    assert "each GPU is joined with one switch by 18 links" in notes[0]


def test_shared_links_of_simgrid_are_told(tmp_path: Path) -> None:
    """The default policy of SimGrid is half duplex, which is a rule here and no property of a network."""
    (tmp_path / "p").write_text(SIMGRID.replace(' sharing_policy="SPLITDUPLEX"', ""))
    assert any("`duplex='half'`" in said for said in read(tmp_path / "p")[1])


def test_a_cluster_of_simgrid_is_a_star(tmp_path: Path) -> None:
    """Hosts of a flat cluster hang at one switch."""
    (tmp_path / "p").write_text(
        '<platform version="4.1"><zone id="z" routing="Full"><cluster id="c" prefix="h" suffix=".org" '
        'radical="0-2,7" speed="1Gf" bw="1GBps" lat="1us"/></zone></platform>'
    )
    found = read(tmp_path / "p")[0]
    assert found.routers == ("c_router", "h0.org", "h1.org", "h2.org", "h7.org")
    assert found.router_of.tolist() == [1, 2, 3, 4]
    assert Counter(map(tuple, found.channels.tolist())) == {way: 1 for h in range(1, 5) for way in ((0, h), (h, 0))}


@pytest.mark.parametrize(
    ("shape", "count", "channels"),
    [("Ring", 2, 2), ("Ring", 5, 10), ("FullyConnected", 4, 12), ("Switch", 4, 8), ("Ring", 1, 0)],
)
def test_dimensions_of_astra_sim(shape: str, count: int, channels: int, tmp_path: Path) -> None:
    """A ring of two is one link, a dimension of one is none."""
    (tmp_path / "n.yml").write_text(f"topology: [{shape}]\nnpus_count: [{count}]\n")
    found, notes = read(tmp_path / "n.yml")
    assert (found.num_processors, found.num_channels, notes) == (count, channels, [])


@given(st.integers(2, 7), st.data())
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_graph_comes_back_from_metis_and_is_no_edge_list(tmp_path: Path, count: int, data: st.DataObject) -> None:
    """What is written by METIS's rules is recognized, whatever the graph, and an edge list of it is not."""
    pairs = [(a, b) for a in range(count) for b in range(a + 1, count)]
    edges = data.draw(st.lists(st.sampled_from(pairs), min_size=1, unique=True))
    lines = [f"{count} {len(edges)}"]
    lines += [" ".join(str(sum(edge) - v + 1) for edge in edges if v in edge) for v in range(count)]
    text = "\n".join(lines) + "\n"
    (tmp_path / "m").write_text(text)
    assert recognize(File.of(text.encode(), "m")) is METIS_FORMAT
    found = read(tmp_path / "m")[0]
    assert Counter(map(tuple, found.channels.tolist())) == Counter(way for a, b in edges for way in ((a, b), (b, a)))
    assert recognize(File.of("\n".join(f"{a} {b}" for a, b in edges).encode(), "e")) is EDGE_LIST
