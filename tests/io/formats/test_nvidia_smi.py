"""Matrices of nvidia-smi."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

from pavane.io import read_network
from pavane.io.files import collect_notes
from tests.io.formats.test_samples import read, with_capacities


def test_switched_nvlinks_lead_to_a_switch(tmp_path: Path) -> None:
    """Eight GPUs with NV18 for every pair have 18 links each, not 126."""
    names = [f"GPU{i}" for i in range(8)]
    rows = ["\t".join(["", *names, "CPU Affinity"])]
    rows += ["\t".join([a, *("X" if a == b else "NV18" for b in names), "0-95"]) for a in names]
    (tmp_path / "topo").write_text("\n".join(rows))
    found, notes = read(tmp_path / "topo")
    assert found.routers == (*names, "NVSwitch")
    assert found.num_processors == 8
    assert with_capacities(found) == sorted(way for g in range(8) for way in ((g, 8, 18), (8, g, 18)))
    assert "each GPU is joined with one switch by a link of capacity 18" in notes[0]


def matrix(nics: list[str], cells: list[str]) -> str:
    """Return a matrix of GPUs that all have NV12, with what lies between each GPU and each NIC."""
    names = [f"GPU{i}" for i in range(len(cells))]
    rows = ["\t".join(["", *names, *nics, "CPU Affinity"])]
    for own, far in zip(names, cells, strict=True):
        rows.append("\t".join([own, *("X" if own == other else "NV12" for other in names), *far.split(), "0-95"]))
    return "\n".join(rows)


def test_machines_are_joined_over_their_nics(tmp_path: Path) -> None:
    """A GPU is on the rail of its nearest NIC; of two equally near ones each of two GPUs has its own."""
    path = tmp_path / "topo"
    far = ["PXB PXB SYS NODE", "PXB PXB SYS NODE", "SYS SYS PIX PHB"]
    path.write_text(matrix(["mlx5_0", "mlx5_1", "mlx5_2", "mlx5_3"], far))
    found, notes = read(path, nodes=2)
    own = [f"{node}.{name}" for node in (0, 1) for name in ("GPU0", "GPU1", "GPU2")]
    assert found.name == "topo@2"
    assert found.num_processors == 6
    ways = [(found.routers[tail], found.routers[head]) for tail, head in found.channels.tolist()]
    expected = dict(zip(own, ["rail.mlx5_0", "rail.mlx5_1", "rail.mlx5_2"] * 2, strict=True))
    assert {gpu: rail for gpu, rail in ways if rail.startswith("rail.")} == expected
    assert "mlx5_3: left out, because every GPU has another NIC as near or nearer" in notes[-1]
    assert any("each NIC is a link of capacity 1" in one for one in notes)
    assert found.has_gpus
    with collect_notes() as notes_of_wide:
        wide = read_network(path, nodes=2, nic=2)
    assert not any("capacity 1," in one for one in notes_of_wide)
    assert sorted(set(zip(found.capacity.tolist(), wide.capacity.tolist(), strict=True))) == [(1, 2), (12, 12)]
    with collect_notes() as notes_of_narrow:
        narrow = read_network(path, nodes=2, nic=0.5)
    assert sorted(set(zip(found.capacity.tolist(), narrow.capacity.tolist(), strict=True))) == [(1, 1), (12, 24)]
    unit = "capacity 1 is 1/2 of an NVLink: a step carries 2 messages over an NVLink, 1 over a NIC"
    assert any(unit in one for one in notes_of_narrow)
    alone, notes = read(path)
    assert alone.routers == ("GPU0", "GPU1", "GPU2", "NVSwitch")
    assert "mlx5_0, mlx5_1, mlx5_2, mlx5_3: NICs are left out" in notes[-1]


def test_a_shared_nic_is_a_switch(tmp_path: Path) -> None:
    """Two GPUs that share a NIC get together what it carries."""
    (tmp_path / "topo").write_text(matrix(["NIC0"], ["PIX", "SYS"]))
    found, _ = read(tmp_path / "topo", nodes=3)
    assert found.routers == (*(f"{node}.{name}" for node in range(3) for name in ("GPU0", "GPU1", "NIC0")), "rail.NIC0")
    assert found.out_degrees[-1] == found.in_degrees[-1] == 3
    assert (2, 9, 1) in with_capacities(found)
    assert (0, 2, 1) in with_capacities(found)
    with collect_notes():
        narrow = read_network(tmp_path / "topo", nodes=3, nic=Fraction(2, 3))
    assert sorted(set(zip(found.capacity.tolist(), narrow.capacity.tolist(), strict=True))) == [(1, 2), (12, 36)]


def test_without_nics_every_gpu_has_a_rail(tmp_path: Path) -> None:
    """A matrix of GPUs alone is joined as copies of any network are."""
    (tmp_path / "topo").write_text(matrix([], ["", ""]))
    found, _ = read(tmp_path / "topo", nodes=2)
    assert found.routers == ("0.GPU0", "0.GPU1", "1.GPU0", "1.GPU1", "R0", "R1")
