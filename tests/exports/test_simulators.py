"""Exports for simulators: GOAL, SimGrid, BookSim."""

from __future__ import annotations

import csv
import io
import re
import shutil
import subprocess
from pathlib import Path

import defusedxml.ElementTree
import pytest

from pavane.exports import EXPORTS, Options
from pavane.judge.result import Result
from tests.exports.schedules import around_a_switch, exchange, refused, solved, written

# -- GOAL

LINE = re.compile(
    r"(?P<label>l\d+): (?P<act>send|recv) (?P<size>\d+)b (?:to|from) (?P<peer>\d+) tag (?P<tag>\d+)"
    r"|(?P<calc>l\d+): calc (?P<time>\d+)"
    r"|(?P<later>l\d+) requires (?P<sooner>l\d+)"
)


def replay(text: str) -> list[tuple[int, int, int, int]]:
    """Carry out a GOAL program; return sender, receiver, size and the time at which each send goes off.

    Everything takes no time but a message, which takes one unit.
    """
    head, *blocks = re.split(r"^rank (\d+) \{\n", text, flags=re.MULTILINE)
    ids = [int(number) for number in blocks[::2]]
    assert head.split() == ["num_ranks", str(len(ids))]
    assert ids == list(range(len(ids)))
    needs: dict[tuple[int, str], set[str]] = {}
    acts: dict[tuple[int, str], tuple[str, int, int, int]] = {}
    for here, block in zip(ids, blocks[1::2], strict=True):
        assert block.endswith(("}\n\n", "}\n"))
        for line in block.strip().splitlines()[:-1]:
            found = LINE.fullmatch(line)
            assert found, line
            if found["later"]:
                assert (here, found["sooner"]) in needs
                needs[here, found["later"]].add(found["sooner"])
            elif found["calc"]:
                needs[here, found["calc"]] = set()
                acts[here, found["calc"]] = ("calc", here, 0, 0)
            else:
                needs[here, found["label"]] = set()
                acts[here, found["label"]] = (
                    found["act"],
                    int(found["peer"]),
                    int(found["size"]),
                    int(found["tag"]),
                )
    over: dict[tuple[int, str], int] = {}
    flying: dict[tuple[int, int, int, int], int] = {}
    sent = []
    progress = True
    while progress:
        progress = False
        for key, (act, peer, size, tag) in acts.items():
            here = key[0]
            if key in over or not all((here, sooner) in over for sooner in needs[key]):
                continue
            start = max((over[here, sooner] for sooner in needs[key]), default=0)
            if act == "send":
                flying[here, peer, size, tag] = start + 1
                sent.append((here, peer, size, start))
                start += 1
            elif act == "recv":
                if (peer, here, size, tag) not in flying:
                    continue
                start = max(start, flying.pop((peer, here, size, tag)))
            over[key] = start
            progress = True
    assert len(over) == len(acts)
    assert not flying
    return sent


@pytest.mark.parametrize(
    "result",
    [solved("kautz:2,2", "aas"), solved("ring:4", "aar"), solved("ring:4", "pairs"), exchange()],
    ids=lambda result: str(result.problem),
)
def test_goal_sends_in_the_order_of_the_steps(result: Result) -> None:
    """Every transfer is a send that a receive meets; none is late, and where all are busy none is early."""
    sent = replay(written("goal", result, 100))
    assert result.schedule is not None
    wanted = [(t.sender, t.receiver, 100 * len(t.messages), t.step) for t in result.schedule]
    assert sorted(row[:3] for row in sent) == sorted(row[:3] for row in wanted)
    # No processor gets ahead of its own earlier steps.
    for here in range(result.problem.network.num_processors):
        mine = [row[3] for row in sorted(wanted, key=lambda row: row[3]) if row[0] == here]
        times = sorted(row[3] for row in sent if row[0] == here)
        assert all(time <= step for time, step in zip(times, mine, strict=True))
    if result is exchange():
        assert sorted(sent) == sorted(wanted)


def test_goal_refuses_messages_at_switches() -> None:
    """GOAL has processors only."""
    assert "rest at the pure switch r3" in refused("goal", around_a_switch("store-and-forward"))


# -- SimGrid


def simgrid(result: Result, size: int = 1000) -> dict[str, str]:
    """Return the files of a SimGrid export."""
    files = EXPORTS["simgrid"].write(result, Options("it", size))
    return {name: content.decode() for name, content in files.items()}


SIMULATED = [
    solved("kautz:2,2", "aas"),
    solved("ring:4*2", "aas", ports=1),
    solved("ring:4", "mns", duplex="half"),
    exchange(),
    around_a_switch("store-and-forward"),
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
        assert int(row["bytes"]) == 1000 * len(transfer.messages)
        source = row["from"].partition(".")[0]
        for host, end in ((source, transfer.sender), (row["to"], transfer.receiver)):
            assert host == (f"p{end}" if end >= 0 else f"r{~end}")
        used = [link for link in routes[row["from"], row["to"]] if link[0] == "c"]
        assert used == [f"c{problem.units[channel]}" for channel in transfer.path]


def system_python() -> str:
    """Return a Python that has SimGrid, or skip."""
    found = shutil.which("python3", path="/usr/bin:/usr/local/bin")
    if found is None:
        pytest.skip("there is no system Python to have SimGrid")
    if subprocess.run([found, "-c", "import simgrid"], capture_output=True, check=False, timeout=60).returncode:
        pytest.skip(f"{found} has no module simgrid")
    return found


@pytest.mark.parametrize("result", SIMULATED, ids=lambda result: str(result.problem))
def test_simgrid_finds_no_conflict(result: Result, tmp_path: Path) -> None:
    """In SimGrid, which shares bandwidth, every step takes the time of its largest transfer and no more."""
    python = system_python()
    for name, text in simgrid(result).items():
        (tmp_path / name).write_text(text)
    done = subprocess.run([python, tmp_path / "it.replay.py"], capture_output=True, text=True, timeout=60, check=True)
    lines = done.stdout.splitlines()
    assert len(lines) == (result.num_steps or 0) + 1
    assert lines[-1] == "0 steps are slower than without conflicts"
    assert all("1.000000 of the time" in line for line in lines[:-1])


def test_simgrid_notices_a_conflict(tmp_path: Path) -> None:
    """Where transfers of two steps run at once, some channel is shared, and SimGrid needs longer."""
    python = system_python()
    for name, text in simgrid(SIMULATED[0]).items():
        (tmp_path / name).write_text(text.replace("\n2,", "\n1,"))
    done = subprocess.run([python, tmp_path / "it.replay.py"], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.splitlines()[-1] == "1 steps are slower than without conflicts"


# -- BookSim


def test_booksim_gets_the_network() -> None:
    """The anynet file, read as BookSim reads it, joins the same routers and processors."""
    result = around_a_switch("wormhole")
    text = written("booksim", result)
    links: set[tuple[int, int]] = set()
    homes: dict[int, int] = {}
    for line in text.splitlines():
        words = line.split(" ")
        pairs = list(zip(words[::2], map(int, words[1::2]), strict=True))
        (kind, here), *rest = pairs
        assert kind == "router"
        for what, number in rest:
            if what == "node":
                assert number not in homes
                homes[number] = here
            else:
                assert what == "router"
                links |= {(here, number), (number, here)}
    network = result.problem.network
    assert links == {tuple(ends) for ends in network.channels.tolist()}
    assert homes == dict(enumerate(network.router_of.tolist()))


def test_booksim_refuses_what_anynet_lacks() -> None:
    """One-way and parallel channels are named."""
    assert "is one-way" in refused("booksim", solved("kautz:2,2", "aas"))
    network = around_a_switch("wormhole").problem.network
    doubled = type(network)("twice", network.routers, [*network.channels.tolist()] * 2, network.router_of)
    result = around_a_switch("wormhole")
    problem = type(result.problem)(doubled, result.problem.collective, result.problem.rules)
    assert "parallel channels" in refused("booksim", Result(problem, result.schedule))
    assert "cannot be carried" in EXPORTS["booksim"].about
