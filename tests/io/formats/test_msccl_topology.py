"""Topologies of SCCL and msccl-tools."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from pavane.errors import InputError
from tests.io.formats.test_samples import read, with_capacities


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
        ([[0, 0.5], [1, 0]], "links[0][1] is 0.5; a link carries a whole number of messages a step"),
        ([[0, -1], [1, 0]], "links[0][1] is -1"),
        ([[1, 1], [1, 0]], "links[0][0] joins 0 with itself"),
        ([], "it has no routers"),
    ],
)
def test_msccl_links_that_are_no_channels_are_refused(links: list[list[float]], said: str, tmp_path: Path) -> None:
    """Bandwidths are whole numbers."""
    (tmp_path / "t").write_text(topology(links))
    with pytest.raises(InputError, match=re.escape(said)):
        read(tmp_path / "t")


def test_links_are_by_target_and_then_by_source(tmp_path: Path) -> None:
    """links[to][from]: capacity 2 from 1 to 0, and 1 back."""
    (tmp_path / "t").write_text(topology([[0, 2], [1, 0]]))
    assert with_capacities(read(tmp_path / "t")[0]) == [(0, 1, 1), (1, 0, 2)]
