"""Inputs of TE-CCL: the machines that it names, with its latencies and bandwidths."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pavane.errors import InputError
from pavane.io import read_network
from pavane.io.files import Note
from pavane.networks import network


@pytest.mark.parametrize(
    ("about", "name", "latencies", "rates"),
    [
        ({"name": "NDv2", "chassis": 2}, "ndv2:2", {700_000, 1_300_000}, {12.5, 25.0, 50.0}),
        ({"name": "DGX2", "chassis": 2}, "dgx-2:2", {350_000, 2_600_000}, {12.5, 125.0}),
        ({"name": "DGX1", "alpha": [7e-7, 0]}, "dgx-1", {700_000}, {25.0}),
    ],
)
def test_machines_are_those_of_the_catalogue_with_speeds(
    tmp_path: Path, about: dict[str, Any], name: str, latencies: set[int], rates: set[float]
) -> None:
    """In gigabytes a second; the network equals that of the catalogue."""
    path = tmp_path / "input.json"
    path.write_text(json.dumps({"TopologyParams": about, "InstanceParams": {"collective": 1}}))
    with pytest.warns(Note):
        found = read_network(path)
    assert found == network(name)
    assert found.speeds is not None
    assert found.speeds.latencies is not None
    assert found.speeds.bandwidths is not None
    assert set(found.speeds.latencies.tolist()) == latencies
    assert {rate / 10**9 for rate in found.speeds.bandwidths.tolist()} == rates


@pytest.mark.parametrize(
    ("about", "text"),
    [
        ({"name": "Mesh"}, "known are NDv2"),
        ({"name": "NDv2", "chassis": 0}, "chassis"),
        ({"name": "NDv2", "chassis": 10**9}, "ndv2"),
        ({"name": "DGX1", "alpha": [5]}, "latency"),
        ({"name": 3}, "str"),
        ({"chassis": 2}, "name"),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_what_cannot_be_is_refused_with_one_line(tmp_path: Path, about: dict[str, Any], text: str) -> None:
    """The file, what is wrong, and what was expected."""
    path = tmp_path / "input.json"
    path.write_text(json.dumps({"TopologyParams": about}))
    with pytest.raises(InputError, match=text) as error:
        read_network(path)
    assert "\n" not in str(error.value)
