"""Matrices of nvidia-smi."""

from __future__ import annotations

from pathlib import Path

from tests.formats.foreign.test_samples import read, with_capacities


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
