"""Small files in each format, written by hand after what the tools write, and what they say."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from pavane.networks import network


class Sample(NamedTuple):
    """A file, and the network that it describes."""

    form: str
    name: str
    """What the file is called; its ending says nothing."""
    text: str
    routers: tuple[str, ...]
    channels: list[tuple[int, int, int]]
    """Tail, head and capacity of each channel, in any order."""
    processors: list[int]
    notes: tuple[str, ...] = ()
    """What each note says, in part."""


def links(*ends: tuple[int, int], capacity: int = 1) -> list[tuple[int, int, int]]:
    """Return a channel each way for each pair."""
    return [way for a, b in ends for way in ((a, b, capacity), (b, a, capacity))]


DOT = """\
// Two hosts and a switch.
graph office {
  rankdir=LR; node [shape=box];
  hub [processors=0, label=<the <b>hub</b>>];
  subgraph cluster_left { a; "b 2" [label="with \\"quotes\\""] }
  hub -- {a; "b 2"} [color=red]
  a:port1:n -- "b 2" /* a
  comment */ ; a -- "b 2"
}
"""

METIS = """\
% a square with one diagonal
4 5
2 4 3
1 3
2 4 1
3 1
"""

ANYNET = """\
router 0 node 0 node 1 router 1 5
router 1 node 2 router 0 router 2
router 2 router 3
node 3 router 3
"""

SIMGRID = """\
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <!-- two hosts at a router, one of them with a link twice as fast -->
  <zone id="world" routing="Floyd">
    <host id="alpha" speed="1Gf"/>
    <host id="beta" speed="2Gf"><prop id="rack" value="7"/></host>
    <router id="middle"/>
    <link id="slow" bandwidth="125MBps" latency="50us" sharing_policy="SPLITDUPLEX"/>
    <link id="fast" bandwidth="2Gbps" latency="50us" sharing_policy="SPLITDUPLEX"/>
    <link id="loop" bandwidth="3.3GBps" latency="0"/>
    <route src="alpha" dst="middle"><link_ctn id="slow"/></route>
    <route src="beta" dst="middle" symmetrical="NO"><link_ctn id="fast"/></route>
    <route src="middle" dst="beta" symmetrical="NO"><link_ctn id="fast"/></route>
    <route src="alpha" dst="alpha"><link_ctn id="loop"/></route>
  </zone>
</platform>
"""

IBNETDISCOVER = """\
#
# Topology file: generated on Thu Jan  4 10:00:00 2024
#
# Initiated from node 0000000000000a01 port 0000000000000a01

vendid=0x2c9
devid=0xcb20
sysimgguid=0xf01
switchguid=0xf01(f01)
Switch\t36 "S-0000000000000f01"\t\t# "leaf one" enhanced port 0 lid 1 lmc 0
[1]\t"H-0000000000000a01"[1](a01) \t\t# "red HCA-1" lid 4 4xEDR
[2]\t"H-0000000000000a02"[1](a02) \t\t# "blue HCA-1" lid 5 4xEDR
[36]\t"S-0000000000000f02"[36]\t\t# "leaf two" lid 2 4xEDR
[35]\t"S-0000000000000f02"[35]\t\t# "leaf two" lid 2 4xEDR
[17]\t"H-0000000000000b01"[1](b01) \t\t# "Mellanox Technologies Aggregation Node" lid 9 4xHDR

vendid=0x2c9
devid=0xcb20
switchguid=0xf02(f02)
Switch\t36 "S-0000000000000f02"\t\t# "leaf two" enhanced port 0 lid 2 lmc 0
[1]\t"H-0000000000000a03"[1](a03) \t\t# "red HCA-1" lid 6 4xEDR
[36]\t"S-0000000000000f01"[36]\t\t# "leaf one" lid 1 4xEDR
[35]\t"S-0000000000000f01"[35]\t\t# "leaf one" lid 1 4xEDR

vendid=0x2c9
caguid=0xa01
Ca\t1 "H-0000000000000a01"\t\t# "red HCA-1"
[1](a01) \t"S-0000000000000f01"[1]\t\t# lid 4 lmc 0 "leaf one" lid 1 4xEDR

caguid=0xa02
Ca\t1 "H-0000000000000a02"\t\t# "blue HCA-1"
[1](a02) \t"S-0000000000000f01"[2]\t\t# lid 5 lmc 0 "leaf one" lid 1 4xEDR

caguid=0xa03
Ca\t1 "H-0000000000000a03"\t\t# "red HCA-1"
[1](a03) \t"S-0000000000000f02"[1]\t\t# lid 6 lmc 0 "leaf two" lid 2 4xEDR

caguid=0xb01
Ca\t1 "H-0000000000000b01"\t\t# "Mellanox Technologies Aggregation Node"
[1](b01) \t"S-0000000000000f01"[17]\t\t# lid 9 lmc 0 "leaf one" lid 1 4xHDR
"""

NVIDIA_SMI = """\
\t\x1b[4mGPU0\tGPU1\tGPU2\tNIC0\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\x1b[0m
GPU0\t X \tNV2\tNV1\tPXB\t0-15\t0\t\tN/A
GPU1\tNV2\t X \tSYS\tPXB\t0-15\t0\t\tN/A
GPU2\tNV1\tSYS\t X \tSYS\t16-31\t1\t\tN/A
NIC0\tPXB\tPXB\tSYS\t X \t\t\t\t

Legend:

  X    = Self
  SYS  = Connection traversing PCIe and more
  NV#  = Connection traversing a bonded set of # NVLinks

NIC Legend:

  NIC0: mlx5_0
"""

NCCL = """\
<system version="1">
  <cpu numaid="0" affinity="ff" arch="x86_64" vendor="GenuineIntel" familyid="6" modelid="85">
    <pci busid="0000:1a:00.0" class="0x030200" link_speed="8.0 GT/s PCIe" link_width="16">
      <gpu dev="0" sm="70" rank="0" gdr="1">
        <nvlink target="0000:1b:00.0" count="2" tclass="0x030200"/>
        <nvlink target="0000:CF:00.0" count="1" tclass="0x068000"/>
      </gpu>
    </pci>
    <pci busid="0000:1b:00.0" class="0x030200" link_speed="8.0 GT/s PCIe" link_width="16">
      <gpu dev="1" sm="70" rank="1" gdr="1">
        <nvlink target="0000:1a:00.0" count="2" tclass="0x030200"/>
        <nvlink target="0000:cf:00.0" count="1" tclass="0x068000"/>
      </gpu>
    </pci>
    <nic><net name="eth0" dev="0" speed="10000" port="0" guid="0x0" maxconn="65536" gdr="0"/></nic>
  </cpu>
</system>
"""

NCCL_PCI = """\
<system version="1">
  <cpu numaid="0">
    <pci busid="0000:10:00.0" class="0x060400" link_speed="16.0 GT/s PCIe" link_width="16">
      <pci busid="0000:11:00.0" class="0x030200" link_speed="8.0 GT/s PCIe" link_width="16">
        <gpu dev="0" sm="80"/>
      </pci>
      <pci busid="0000:12:00.0" class="0x030200" link_speed="8.0 GT/s PCIe" link_width="16">
        <gpu dev="1" sm="80"/>
      </pci>
    </pci>
  </cpu>
  <cpu numaid="1">
    <pci busid="0000:20:00.0" class="0x030200" link_speed="8.0 GT/s PCIe" link_width="16">
      <gpu dev="2" sm="80"/>
    </pci>
    <pci busid="0000:21:00.0" class="0x020000" link_speed="8.0 GT/s PCIe" link_width="8"/>
  </cpu>
</system>
"""

MSCCL: dict[str, Any] = {
    "msccl_type": "topology",
    "name": "three in a row",
    "switches": [],
    "links": [[0, 1, 0], [1, 0, 2], [0, 2, 0]],
}

TACCL: dict[str, Any] = {"name": "box", "gpus_per_node": 3, "alpha": 0.3, "node_betas_list": [20]}

ASTRA_SIM = """\
# two dimensions
topology: [ Ring, Switch ]

npus_count: [ 3, 2 ]  # 6 in all
bandwidth: [ 100.0, 50.0 ]  # GB/s
latency: [ 500, 2000 ]  # ns
"""

ADJACENCY = """\
#write.py
# GMT Sun Jan  7 10:00:00 2024
# a square with a diagonal, one side of it twice
a b b d
b c
c d
d
"""

MULTILINE = """\
#write.py
# GMT Sun Jan  7 10:00:00 2024
#
0 2
1 {'weight': 2.5, 'colour': '#ff0000'}
2 {}
1 1
2 {'weight': 1}
2 0
"""

GML = """\
# of a drawing program
Creator "somebody"
Version 1
graph [
  comment "a tree [with brackets], of &quot;three&quot;"
  directed 0
  node [ id 10 label "hub &amp; all" processors 0 graphics [ x 1.5 y -2 w 30.0 ] ]
  node [ id 20 label "b" graphics [ x 0 y 0 ] ]
  node [ id 30 label "c" graphics [ x 1e1 y 0.0 ] ]
  edge [ source 10 target 20 ]
  edge [ source 10 target 30 capacity 4 ]
  edge [ source 10 target 30 capacity 1 ]
]
"""

GEXF = """\
<?xml version="1.0" encoding="UTF-8"?>
<gexf xmlns="http://gexf.net/1.3" xmlns:viz="http://gexf.net/1.3/viz" version="1.3">
  <meta lastmodifieddate="2024-01-07"><creator>Gephi</creator></meta>
  <graph defaultedgetype="undirected" mode="static">
    <attributes class="node"><attribute id="p" title="processors" type="integer"/></attributes>
    <attributes class="edge"><attribute id="p" title="LinkSpeed" type="string"/></attributes>
    <nodes>
      <node id="7" label="switch"><attvalues><attvalue for="p" value="0"/></attvalues></node>
      <node id="8" label="left"><viz:position x="1" y="2" z="0"/></node>
      <node id="9" label="right"/>
    </nodes>
    <edges>
      <edge id="0" source="7" target="8" weight="1.0"><attvalues><attvalue for="p" value="10G"/></attvalues></edge>
      <edge id="1" source="7" target="9" type="directed"/>
      <edge id="2" source="9" target="7" type="directed" weight="2.0"/>
    </edges>
  </graph>
</gexf>
"""

PAJEK = """\
% from Pajek
*Network small
*Vertices 4
1 "the first" 0.1 0.2 0.5 ic Red
2 second 0.3 0.4 0.5
3
4 "fourth"
*Arcs
1 2 3 c Blue
2 1
*Edges
2 3
3 4 1
*Arcslist
4 1
*Partition colours
1
"""

GRAPH6 = ">>graph6<<ShCGGC@?G?_@?@??_?G?@??C??G??K??C\n"
"""The ring of 20."""

SAMPLES = [
    Sample(
        "adjacency-list",
        "square.adjlist",
        ADJACENCY,
        ("a", "b", "c", "d"),
        links((0, 1), (0, 1), (0, 3), (1, 2), (2, 3)),
        [0, 1, 2, 3],
    ),
    Sample(
        "adjacency-list",
        "triangle.adjlist",
        MULTILINE,
        ("0", "1", "2"),
        links((0, 1), (0, 2), (1, 2)),
        [0, 1, 2],
        ("`weight` of 2 edges is left out; every channel carries one message a step",),
    ),
    Sample(
        "gml",
        "tree.gml",
        GML,
        ("hub & all", "b", "c"),
        links((0, 1), (0, 2)) + links((0, 2), capacity=4),
        [1, 2],
        ("1 edge without `capacity` carries 1 a step",),
    ),
    Sample(
        "gexf",
        "star.gexf",
        GEXF,
        ("switch", "left", "right"),
        links((0, 1), (0, 2)),
        [1, 2],
        ("`weight` of 2 edges, `LinkSpeed` of 1 edge are left out",),
    ),
    Sample(
        "pajek",
        "small.net",
        PAJEK,
        ("the first", "second", "3", "fourth"),
        [(0, 1, 1), (1, 0, 1), *links((1, 2), (2, 3)), (3, 0, 1)],
        [0, 1, 2, 3],
        ("*partition: this part of the file is left out", "`weight` of 2 edges is left out"),
    ),
    Sample(
        "graph6",
        "ring.g6",
        GRAPH6,
        tuple(map(str, range(20))),
        links(*((i, (i + 1) % 20) for i in range(20))),
        list(range(20)),
    ),
    Sample("dot", "office.dot", DOT, ("hub", "a", "b 2"), links((0, 1), (0, 2), (1, 2), (1, 2)), [1, 2]),
    Sample(
        "metis",
        "square.graph",
        METIS,
        ("1", "2", "3", "4"),
        links((0, 1), (0, 3), (0, 2), (1, 2), (2, 3)),
        [0, 1, 2, 3],
    ),
    Sample(
        "anynet",
        "chip.anynet",
        ANYNET,
        ("0", "1", "2", "3"),
        links((0, 1), (1, 2), (2, 3)),
        [0, 0, 1, 3],
        ("latencies are left out",),
    ),
    Sample(
        "simgrid",
        "platform.xml",
        SIMGRID,
        ("alpha", "beta", "middle"),
        links((0, 2)) + links((1, 2), capacity=2),
        [0, 1],
        ("bandwidths (bytes a second) 1.25e+08 and 2.5e+08 became capacities 1 and 2", "latencies are left out"),
    ),
    Sample(
        "ibnetdiscover",
        "fabric.topo",
        IBNETDISCOVER,
        ("leaf_one", "leaf_two", "H-0000000000000a01", "blue_HCA-1", "H-0000000000000a03"),
        links((0, 1), (0, 1), (0, 2), (0, 3), (1, 4)),
        [2, 3, 4],
        ("1 adapter inside switches",),
    ),
    Sample(
        "nvidia-smi",
        "topo.txt",
        NVIDIA_SMI,
        ("GPU0", "GPU1", "GPU2"),
        links((0, 1), capacity=2) + links((0, 2)),
        [0, 1, 2],
        (
            "links of 1 and 2 NVLinks are channels of that capacity",
            "1 pair of GPUs have no NVLink (SYS)",
            "NIC0: NICs are left out",
        ),
    ),
    Sample(
        "nccl",
        "nccl.xml",
        NCCL,
        ("GPU0", "GPU1", "NVSwitch@0000:cf:00.0"),
        links((0, 1), capacity=2) + links((0, 2), (1, 2)),
        [0, 1],
        ("that of the NVLinks, 1 and 2 of them a channel of that capacity; PCI", "1 NIC left out"),
    ),
    Sample(
        "nccl",
        "pci.xml",
        NCCL_PCI,
        ("GPU0", "GPU1", "GPU2", "0000:10:00.0", "CPU0", "CPU1"),
        links((0, 3), (1, 3), (2, 5), (4, 5)) + links((3, 4), capacity=2),
        [0, 1, 2],
        (
            "PCI links (lanes x GT/s) 128 and 256 became capacities 1 and 2",
            "the network is the PCI tree, its 2 CPUs joined by one link a pair",
        ),
    ),
    Sample(
        "msccl",
        "row.json",
        json.dumps(MSCCL),
        ("0", "1", "2"),
        links((0, 1)) + links((1, 2), capacity=2),
        [0, 1, 2],
        ("links of 1 and 2 are channels of that capacity",),
    ),
    Sample(
        "taccl",
        "profile.json",
        json.dumps(TACCL),
        ("0", "1", "2", "switch"),
        links((0, 3), (1, 3), (2, 3)),
        [0, 1, 2],
        ("latencies are left out of steps",),
    ),
    Sample(
        "teccl-topology",
        "input.json",
        '{"TopologyParams": {"name": "DGX1", "chassis": 1}, "GurobiParams": {}, "InstanceParams": {}}',
        tuple("01234567"),
        [(tail, head, 1) for tail, head in network("dgx-1").channels.tolist()],
        list(range(8)),
        ("latencies are left out of steps",),
    ),
    Sample(
        "astra-sim",
        "network.yml",
        ASTRA_SIM,
        ("0", "1", "2", "3", "4", "5", "switch1.0", "switch1.1", "switch1.2"),
        links((0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), capacity=2)
        + links((0, 6), (3, 6), (1, 7), (4, 7), (2, 8), (5, 8)),
        [0, 1, 2, 3, 4, 5],
        ("latencies are left out", "bandwidths 50 and 100 became capacities 1 and 2"),
    ),
]
"""One file or two in each format."""


def algorithm(
    links: list[list[int]],
    chunks: list[tuple[int, list[int], int]],
    steps: list[tuple[int, list[tuple[int, int, int]]]],
    **more: Any,
) -> dict[str, Any]:
    """Return an algorithm as msccl-tools writes it: chunks as (before, after, address), steps as (rounds, sends)."""
    return {
        "msccl_type": "algorithm",
        "name": "by hand",
        "instance": {"msccl_type": "instance", "steps": len(steps), "extra_rounds": 0, "chunks": 1, "pipeline": None},
        "input_map": {},
        "output_map": {},
        "steps": [{"msccl_type": "step", "rounds": rounds, "sends": sends} for rounds, sends in steps],
        "collective": {
            "msccl_type": "collective",
            "name": "Custom",
            "nodes": len(links),
            "chunks": [{"msccl_type": "chunk", "pre": [a], "post": b, "addr": addr} for a, b, addr in chunks],
            "triggers": {},
            "runtime_name": "custom",
        },
        "topology": {"msccl_type": "topology", "name": "by hand", "switches": [], "links": links},
    } | more


RING_LINKS = [[int(abs(a - b) in (1, 3)) for a in range(4)] for b in range(4)]
ALLGATHER = algorithm(
    RING_LINKS,
    [(p, [0, 1, 2, 3], p) for p in range(4)],
    [
        (1, [(p, p, (p + 1) % 4) for p in range(4)] + [(p, p, (p - 1) % 4) for p in range(4)]),
        (1, [(p, (p + 1) % 4, (p + 2) % 4) for p in range(4)]),
    ],
)
"""Allgather on a ring of four: one hop either way, then on."""


def allgather_xml(wait: bool = True) -> str:
    """Return an MSCCL program: an allgather on a one-way ring of three; without waiting it sends what is not there."""
    gpus = []
    for gpu in range(3):
        before, after = (gpu - 1) % 3, (gpu + 1) % 3
        depends = 'depid="1" deps="0"' if wait else 'depid="-1" deps="-1"'
        gpus.append(
            f"""  <gpu id="{gpu}" i_chunks="1" o_chunks="3" s_chunks="0">
    <tb id="0" send="{after}" recv="-1" chan="0">
      <step s="0" type="s" srcbuf="i" srcoff="0" dstbuf="o" dstoff="{gpu}" cnt="1" depid="-1" deps="-1" hasdep="0"/>
      <step s="1" type="s" srcbuf="o" srcoff="{before}" dstbuf="o" dstoff="{before}" cnt="1" {depends} hasdep="0"/>
    </tb>
    <tb id="1" send="-1" recv="{before}" chan="0">
      <step s="0" type="r" srcbuf="i" srcoff="0" dstbuf="o" dstoff="{before}" cnt="1" depid="-1" deps="-1" hasdep="1"/>
      <step s="1" type="r" srcbuf="o" srcoff="{after}" dstbuf="o" dstoff="{after}" cnt="1" depid="-1" deps="-1"/>
    </tb>
    <tb id="2" send="-1" recv="-1" chan="0">
      <step s="0" type="cpy" srcbuf="i" srcoff="0" dstbuf="o" dstoff="{gpu}" cnt="1" depid="-1" deps="-1" hasdep="0"/>
    </tb>
  </gpu>"""
        )
    head = '<algo name="ring of three" proto="Simple" nchannels="1" ngpus="3" coll="allgather" inplace="0">'
    return "\n".join([head, *gpus, "</algo>\n"])


CHUNKS = algorithm(
    [[0, 2], [1, 0]],
    [(0, [0, 1], 0), (1, [0, 1], 1), (1, [0, 1], 2)],
    [(2, [(0, 0, 1), (1, 0, 1), (2, 1, 0), (3, 1, 0), (4, 1, 0), (5, 1, 0)])],
    instance={"chunks": 2},
)
"""Two processors with capacities 1 and 2 between them, messages of one unit and two, both cut in two."""


def teccl(flows: list[str], paths: dict[str, Any], epochs: int = 2, **more: Any) -> dict[str, Any]:
    """Return a schedule as TE-CCL writes it: sentences of hops, and who wants what by which ways."""
    return {
        "1-Epoch_Duration": 0.5,
        "2-Expected_Epoch_Duration": 0.5,
        "3-Epochs_Required": epochs,
        "4-Collective_Finish_Time": 0.5 * epochs,
        "5-Algo_Bandwidth": 12.0,
        "7-Flows": flows,
        "8-Chunk paths": paths,
        "Solver_Time": 0.1,
    } | more


PAIRS_OF_4 = [(a, b) for a in range(4) for b in range(4) if a != b]
TECCL_ALLGATHER = teccl(
    [f"Chunk 0 from {p} traveled over {p}->{(p + way) % 4} in epoch 0" for p in range(4) for way in (1, 3)]
    + [f"Chunk 0 from {p} traveled over {(p + 1) % 4}->{(p + 2) % 4} in epoch 1" for p in range(4)],
    {
        f"Demand at {b} for chunk 0 from {a} met by epoch {int(abs(a - b) == 2)}": [
            *([f"{a}->{(a + 1) % 4} in epoch 0", f"{(a + 1) % 4}->{b} in epoch 1"] if abs(a - b) == 2 else []),
            *([] if abs(a - b) == 2 else [f"{a}->{b} in epoch 0"]),
        ]
        for a, b in PAIRS_OF_4
    },
)
"""The same allgather on a ring of four."""

TECCL_ALLTOALL = teccl(
    [],
    {
        f"Demand at {b} for chunk {b - 1} from {a} met by epoch 1": [
            [[epoch, f"{a}->{b} with volume 0.5 in epoch {epoch} via switches 0"]] for epoch in (0, 1)
        ]
        for a in (1, 2, 3)
        for b in (1, 2, 3)
        if a != b
    },
)
"""An alltoall of GPUs 1 to 3 at switch 0, half of every chunk in each of two epochs."""

SCHEDULES = {"sccl.json": json.dumps(ALLGATHER), "msccl.xml": allgather_xml(), "chunks.json": json.dumps(CHUNKS)}
SCHEDULES |= {"allgather.json": json.dumps(TECCL_ALLGATHER), "alltoall.json": json.dumps(TECCL_ALLTOALL)}
"""Schedules of others, by the names of their files."""
