"""Topologies of NCCL: several machines over their NICs."""

from __future__ import annotations

from pathlib import Path

import pytest

from pavane.io import read_network
from pavane.io.files import collect_notes
from tests.io.formats.samples import NCCL, NCCL_PCI
from tests.io.formats.test_samples import read, with_capacities

TWO_BOARDS = """\
<system version="1">
  <cpu numaid="0">
    <pci busid="0000:10:00.0" class="0x060400" link_speed="16.0 GT/s PCIe" link_width="16">
      <pci busid="0000:11:00.0" class="0x030200" link_speed="16.0 GT/s PCIe" link_width="16">
        <gpu dev="0" sm="80"><nvlink target="0000:21:00.0" count="4" tclass="0x030200"/></gpu>
      </pci>
      <pci busid="0000:12:00.0" class="0x020700"><nic><net name="mlx5_0" dev="0" speed="200000"/></nic></pci>
    </pci>
  </cpu>
  <cpu numaid="1">
    <pci busid="0000:20:00.0" class="0x060400" link_speed="16.0 GT/s PCIe" link_width="16">
      <pci busid="0000:21:00.0" class="0x030200" link_speed="16.0 GT/s PCIe" link_width="16">
        <gpu dev="1" sm="80"><nvlink target="0000:11:00.0" count="4" tclass="0x030200"/></gpu>
      </pci>
      <pci busid="0000:22:00.0" class="0x020700"><nic><net name="mlx5_1" dev="1" speed="100000"/></nic></pci>
    </pci>
  </cpu>
</system>
"""


def test_each_gpu_has_the_nic_of_its_board(tmp_path: Path) -> None:
    """An NVLink has 200 Gb/s, so that four of them and NICs of 200 and 100 Gb/s are 8, 2 and 1."""
    (tmp_path / "t.xml").write_text(TWO_BOARDS)
    found, notes = read(tmp_path / "t.xml", nodes=2)
    assert found.routers == ("0.GPU0", "0.GPU1", "1.GPU0", "1.GPU1", "rail.mlx5_0", "rail.mlx5_1")
    links = ((0, 1, 8), (2, 3, 8), (0, 4, 2), (1, 5, 1), (2, 4, 2), (3, 5, 1))
    assert with_capacities(found) == sorted(way for a, b, c in links for way in ((a, b, c), (b, a, c)))
    assert any("speeds of NICs and NVLinks (Gb/s) 100 and 200 became capacities 1 and 2" in one for one in notes)
    assert not any("left out, because the file does not say" in one for one in notes)


def test_a_nic_may_be_slower_than_an_nvlink(tmp_path: Path) -> None:
    """A capacity that the user gives counts NVLinks, whatever speeds the file has."""
    (tmp_path / "t.xml").write_text(TWO_BOARDS)
    with collect_notes() as notes:
        found = read_network(tmp_path / "t.xml", nodes=2, nic="1/2")
    assert set(found.capacity.tolist()) == {8, 1}
    assert any("a step carries 2 messages over an NVLink, 1 over a NIC" in one for one in notes)


def test_a_nic_of_the_cpu_is_shared(tmp_path: Path) -> None:
    """Two GPUs with one NIC of 10 Gb/s: it is a switch of the machine, a twentieth of an NVLink wide."""
    (tmp_path / "t.xml").write_text(NCCL)
    found, _ = read(tmp_path / "t.xml", nodes=2)
    assert found.routers[3] == "0.eth0"
    assert found.routers[-1] == "rail.eth0"
    assert (3, 8, 1) in with_capacities(found)
    assert (0, 1, 40) in with_capacities(found)


def test_a_nic_without_speed_counts_as_one_nvlink(tmp_path: Path) -> None:
    """What the file does not tell is said in a note."""
    (tmp_path / "t.xml").write_text(TWO_BOARDS.replace('speed="100000"', 'speed="-1"'))
    found, notes = read(tmp_path / "t.xml", nodes=2)
    assert set(found.capacity.tolist()) == {4, 1}
    assert any("each NIC is a link of capacity 1" in one for one in notes)


def test_nics_in_the_pci_tree(tmp_path: Path) -> None:
    """Without NVLinks a NIC is where it is in the tree, and its rail is reached from there."""
    with_nic = NCCL_PCI.replace(
        'link_speed="8.0 GT/s PCIe" link_width="8"/>',
        'link_speed="8.0 GT/s PCIe" link_width="16"><nic><net name="ib0" speed="128000"/></nic></pci>',
    )
    (tmp_path / "t.xml").write_text(with_nic)
    found, _ = read(tmp_path / "t.xml", nodes=2)
    nic, rail = found.routers.index("1.0000:21:00.0"), found.routers.index("rail.ib0")
    assert (nic, rail, 1) in with_capacities(found)
    assert found.is_connected
    assert found.num_processors == 6


@pytest.mark.parametrize("broken", ['link_speed="fast" link_width="16"', 'link_speed="16.0 GT/s PCIe" link_width="0"'])
def test_a_speed_that_cannot_be_read_is_noted(tmp_path: Path, broken: str) -> None:
    """If the speed of one PCI link is not known, the ratios of the others mean nothing, and a note says so."""
    links = [broken, 'link_speed="8.0 GT/s PCIe" link_width="8"', 'link_speed="8.0 GT/s PCIe" link_width="16"']
    gpus = "".join(f'<pci busid="{i}" {link}><gpu dev="{i}" rank="{i}"/></pci>' for i, link in enumerate(links))
    path = tmp_path / "t.xml"
    path.write_text(f'<system version="1"><cpu numaid="0">{gpus}</cpu></system>')
    with collect_notes() as notes:
        assert read_network(path).capacity.tolist() == [1] * 6
    assert notes[0] == f"{path}: the speed of 1 link is missing or cannot be read, so every link carries one message"
