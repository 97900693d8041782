"""Network files of ASTRA-sim."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.io.formats.test_samples import read


@pytest.mark.parametrize(
    ("shape", "count", "channels"),
    [("Ring", 2, 2), ("Ring", 5, 10), ("FullyConnected", 4, 12), ("Switch", 4, 8), ("Ring", 1, 0)],
)
def test_dimensions_of_astra_sim(shape: str, count: int, channels: int, tmp_path: Path) -> None:
    """A ring of two is one link, a dimension of one is none."""
    (tmp_path / "n.yml").write_text(f"topology: [{shape}]\nnpus_count: [{count}]\n")
    found, notes = read(tmp_path / "n.yml")
    assert (found.num_processors, found.num_channels, notes) == (count, channels, [])
