"""Platforms and replays of SimGrid."""

from __future__ import annotations

import csv
import io
import subprocess
from pathlib import Path

import defusedxml.ElementTree
import pytest

from pavane.io.exports import EXPORTS, Options
from pavane.judge.result import Result
from pavane.model.problem import Rules
from tests.installed import need_simgrid
from tests.io.formats.pieced import cut, uneven
from tests.io.formats.schedules import around_a_switch, exchange, solved


def simgrid(result: Result, size: int = 1000) -> dict[str, str]:
    """Return the files of a SimGrid export."""
    files = EXPORTS["simgrid"].write(result, Options("it", size))
    return {name: content.decode() for name, content in files.items()}


SIMULATED = [
    solved("kautz:2,2", "aas"),
    solved("ring:4*2", "aas", ports=1),
    solved("ring:4*2", "aas"),
    solved("ring:4", "mns", duplex="half"),
    exchange(),
    around_a_switch("store-and-forward"),
    cut("ring:4", "aab", 4, wide=True),
    cut("ring:4", "aas", 2, wide=True, rules=Rules(ports=2)),
    cut("ring:4", "aas", 2, uneven("aas", 4)),
]


@pytest.mark.parametrize("result", SIMULATED, ids=lambda result: str(result.problem))
def test_a_platform_has_a_link_per_channel_and_the_routes_of_the_schedule(result: Result) -> None:
    """Every transfer has a route between its hosts, whose links are the units of its channels."""
    files = simgrid(result)
    problem, schedule = result.problem, result.schedule
    assert schedule is not None
    platform = defusedxml.ElementTree.fromstring(files["it.platform.xml"])
    hosts = {host.attrib["id"] for host in platform.iter("host")}
    links = {link.attrib["id"] for link in platform.iter("link")}
    assert {link for link in links if link[0] == "c"} == {f"c{unit}" for unit in problem.units.tolist()}
    for link in platform.iter("link"):
        if link.attrib["id"][0] == "c":
            capacity = int(problem.network.capacity[int(link.attrib["id"][1:])])
            assert link.attrib["bandwidth"] == f"{capacity * 10**9}Bps"
    routes = {}
    for route in platform.iter("route"):
        assert route.attrib["symmetrical"] == "NO"
        ends = route.attrib["src"], route.attrib["dst"]
        assert ends not in routes
        routes[ends] = [link.attrib["id"] for link in route]
        assert set(routes[ends]) <= links
        assert set(ends) <= hosts
    rows = list(csv.DictReader(io.StringIO(files["it.transfers.csv"])))
    for row, transfer in zip(rows, schedule, strict=True):
        assert int(row["step"]) == transfer.start + 1
        assert int(row["bytes"]) == 1000 * len(transfer.messages) // problem.collective.pieces
        source = row["from"].partition(".")[0]
        for host, end in ((source, transfer.sender), (row["to"], transfer.receiver)):
            assert host == (f"p{end}" if end >= 0 else f"r{~end}")
        used = [link for link in routes[row["from"], row["to"]] if link[0] == "c"]
        assert used == [f"c{problem.units[channel]}" for channel in transfer.path]


@pytest.mark.parametrize("result", [SIMULATED[0], *SIMULATED[-3:]], ids=lambda result: str(result.problem))
def test_simgrid_notices_a_conflict(result: Result, tmp_path: Path) -> None:
    """Where transfers of two steps run at once, some channel is shared, and SimGrid needs longer."""
    python = need_simgrid()
    for name, text in simgrid(result).items():
        (tmp_path / name).write_text(text.replace("\n2,", "\n1,"))
    done = subprocess.run([python, tmp_path / "it.replay.py"], capture_output=True, text=True, timeout=300, check=True)
    assert done.stdout.splitlines()[-1] == "1 steps are slower than without conflicts"
