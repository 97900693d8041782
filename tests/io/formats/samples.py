"""Small files in each format, written by hand after what the tools write, and what they say."""

from __future__ import annotations

from typing import NamedTuple


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

SAMPLES = [
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
]
"""One file or two in each format."""
