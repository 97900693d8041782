"""Platforms and replays of SimGrid."""

from __future__ import annotations

import csv
import io
import re
import subprocess
from collections import Counter
from pathlib import Path

import defusedxml.ElementTree
import networkx
import pytest

from pavane.errors import InputError
from pavane.io.exports import EXPORTS, Options
from pavane.io.formats.simgrid import bandwidth
from pavane.judge.result import Result
from pavane.model.network import Network
from pavane.model.problem import Rules
from tests.execution.small import need_simgrid
from tests.io.formats.pieced import cut, uneven
from tests.io.formats.samples import SIMGRID
from tests.io.formats.schedules import around_a_switch, exchange, solved
from tests.io.formats.test_samples import read


def test_shared_links_of_simgrid_are_told(tmp_path: Path) -> None:
    """The default policy of SimGrid is half duplex, which is a rule here and no property of a network."""
    (tmp_path / "p").write_text(SIMGRID.replace(' sharing_policy="SPLITDUPLEX"', ""))
    assert any("`duplex='half'`" in said for said in read(tmp_path / "p")[1])


def test_a_cluster_of_simgrid_is_a_star(tmp_path: Path) -> None:
    """Hosts of a flat cluster hang at one switch."""
    (tmp_path / "p").write_text(
        '<platform version="4.1"><zone id="z" routing="Full"><cluster id="c" prefix="h" suffix=".org" '
        'radical="0-2,7" speed="1Gf" bw="1GBps" lat="1us"/></zone></platform>'
    )
    found = read(tmp_path / "p")[0]
    assert found.routers == ("hc_router.org", "h0.org", "h1.org", "h2.org", "h7.org")
    assert found.router_of.tolist() == [1, 2, 3, 4]
    assert Counter(map(tuple, found.channels.tolist())) == {way: 1 for h in range(1, 5) for way in ((0, h), (h, 0))}


def cluster(tmp_path: Path, attributes: str) -> Network:
    """Read a platform of one cluster."""
    (tmp_path / "p").write_text(
        f'<platform version="4.1"><cluster id="c" prefix="h" suffix="" speed="1Gf" bw="1GBps" lat="1us" {attributes}/>'
        "</platform>"
    )
    return read(tmp_path / "p")[0]


def test_hosts_of_a_cluster_share_its_backbone(tmp_path: Path) -> None:
    """Every path between two hosts has the one channel of the backbone, which is as wide as it is faster."""
    found = cluster(tmp_path, 'radical="0-3" bb_bw="3GBps" bb_lat="5us"')
    names = found.routers
    ways = {
        (names[tail], names[head]): width for (tail, head), width in zip(found.channels, found.capacity, strict=True)
    }
    hosts = {f"h{number}" for number in range(4)}
    assert ways.pop(("c/in", "c/out")) == 3
    assert ways.pop(("hc_router", "c/in")) == ways.pop(("c/out", "hc_router")) == 3
    assert ways == {way: 1 for host in hosts for way in ((host, "c/in"), ("c/out", host))}


@pytest.mark.parametrize(
    ("attributes", "routers", "links", "diameter"),
    [
        # SimGrid's own example of each; links are counted as its constructors add them.
        ('topology="TORUS" topo_parameters="3,2,2" radical="0-11"', 12, 36, 3),
        ('topology="FAT_TREE" topo_parameters="2;4,4;1,2;1,2" radical="0-15"', 16 + 4 + 2, 16 + 4 * 2 * 2, 4),
        ('topology="DRAGONFLY" topo_parameters="3,4;4,3;5,1;2" radical="0-119"', 180, 120 + 12 * 10 + 15 * 6 + 3, 7),
    ],
)
def test_clusters_with_a_topology(tmp_path: Path, attributes: str, routers: int, links: int, diameter: int) -> None:
    """A torus, a fat tree and a dragonfly have the switches and links that SimGrid gives them."""
    found = cluster(tmp_path, attributes)
    assert (found.num_routers, found.num_channels) == (routers, 2 * links)
    assert networkx.diameter(networkx.Graph(found.to_networkx())) == diameter


def test_links_of_a_dragonfly_are_as_wide_as_their_kind(tmp_path: Path) -> None:
    """Links in a chassis, between the chassis of a group, and between groups have widths of their own."""
    found = cluster(tmp_path, 'topology="DRAGONFLY" topo_parameters="3,4;4,3;5,2;2" radical="0-119"')
    assert Counter(found.capacity.tolist()) == {1: 240, 2: 2 * 120, 3: 2 * 90, 4: 2 * 3}


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ('topology="TORUS" topo_parameters="3,3" radical="0-7"', "do not describe its 8 hosts; write them like 3,2,2"),
        ('topology="FAT_TREE" topo_parameters="2;4,4;1,2" radical="0-15"', "write them like 2;4,4;1,2;1,2"),
        ('topology="FAT_TREE" topo_parameters="1;1;99999999;9" radical="0"', "too large a network"),
        ('topology="DRAGONFLY" topo_parameters="3;4;5;2" radical="0-119"', "write them like 3,4;4,3;5,1;2"),
        ('topology="VIVALDI" radical="0-3"', "has topo_parameters ''"),
        ('topology="VIVALDI" topo_parameters="3" radical="0-3"', "is a vivaldi; known are flat, torus, fat_tree"),
    ],
)
def test_topologies_that_do_not_fit_are_refused(tmp_path: Path, attributes: str, message: str) -> None:
    """The parameters of a cluster agree with the number of its hosts."""
    with pytest.raises(InputError, match=re.escape(message)):
        cluster(tmp_path, attributes)


def test_a_fatpipe_beside_a_link_says_how_fast_one_message_goes(tmp_path: Path) -> None:
    """A route over a shared link and a FATPIPE is a channel, as wide as the one is faster than the other."""
    text = (
        '<platform version="4.1"><zone id="z" routing="Full"><host id="a" speed="1Gf"/><host id="b" speed="1Gf"/>'
        '<link id="c" bandwidth="3GBps" latency="0s"/>'
        '<link id="one" bandwidth="1GBps" latency="0s" sharing_policy="FATPIPE"/>'
        '<route src="a" dst="b"><link_ctn id="c"/><link_ctn id="one"/></route></zone></platform>'
    )
    (tmp_path / "p").write_text(text)
    made = read(tmp_path / "p")[0]
    assert made.channels.tolist() == [[0, 1], [1, 0]]
    assert made.capacity.tolist() == [3, 3]


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
        assert int(row["step"]) == transfer.step + 1
        assert int(row["bytes"]) == 1000 * len(transfer.messages) // problem.collective.pieces
        source = row["from"].partition(".")[0]
        for host, end in ((source, transfer.sender), (row["to"], transfer.receiver)):
            assert host == (f"p{end}" if end >= 0 else f"r{~end}")
        used = [link for link in routes[row["from"], row["to"]] if link[0] == "c"]
        assert used == [f"c{problem.units[channel]}" for channel in transfer.path]


@pytest.mark.parametrize("result", SIMULATED, ids=lambda result: str(result.problem))
def test_simgrid_finds_no_conflict(result: Result, tmp_path: Path) -> None:
    """In SimGrid, which shares bandwidth, every step takes the time of its largest transfer and no more."""
    python = need_simgrid()
    for name, text in simgrid(result).items():
        (tmp_path / name).write_text(text)
    done = subprocess.run([python, tmp_path / "it.replay.py"], capture_output=True, text=True, timeout=60, check=True)
    lines = done.stdout.splitlines()
    assert len(lines) == (result.num_steps or 0) + 1
    assert lines[-1] == "0 steps are slower than without conflicts"
    assert all("1.000000 of the time" in line for line in lines[:-1])


@pytest.mark.parametrize("result", [SIMULATED[0], *SIMULATED[-3:]], ids=lambda result: str(result.problem))
def test_simgrid_notices_a_conflict(result: Result, tmp_path: Path) -> None:
    """Where transfers of two steps run at once, some channel is shared, and SimGrid needs longer."""
    python = need_simgrid()
    for name, text in simgrid(result).items():
        (tmp_path / name).write_text(text.replace("\n2,", "\n1,"))
    done = subprocess.run([python, tmp_path / "it.replay.py"], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.splitlines()[-1] == "1 steps are slower than without conflicts"


def test_bandwidths_have_decimal_and_binary_prefixes() -> None:
    """`kBps` counts thousands of bytes, `KiBps` 1,024 of them, and `bps` bits."""
    assert [bandwidth(text, "link") for text in ("8kBps", "1KiBps", "1kiBps", "8Mbps")] == [8000, 1024, 1024, 10**6]
