"""Matrices of nvidia-smi."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from tests.formats.foreign.test_samples import read


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
