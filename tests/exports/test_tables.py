"""Tables, lines, words and drawings, read by parsers that are not ours."""

from __future__ import annotations

import csv
import io
import json
import warnings
from collections import Counter
from typing import Any

import networkx
import pydot
import pytest

from pavane.judge.result import Result
from pavane.model.schedule import Schedule, Transfer
from tests.exports.schedules import around_a_switch, exchange, solved, written

RESULTS = [solved("kautz:2,2", "aas"), exchange(), around_a_switch("store-and-forward"), solved("ring:4", "aar")]


def drawing(text: str) -> Any:
    """Read a drawing by pydot."""
    with warnings.catch_warnings():
        # pydot itself uses old names of its parser.
        warnings.simplefilter("ignore", DeprecationWarning)
        found = pydot.graph_from_dot_data(text)
    assert found is not None
    (drawn,) = found
    return drawn


def location(text: str) -> int:
    """Read a processor, or a pure switch like r3."""
    return ~int(text[1:]) if text.startswith("r") else int(text)


@pytest.mark.parametrize("result", RESULTS, ids=lambda result: str(result.problem))
def test_a_table_says_all(result: Result) -> None:
    """The csv table, read by Python's csv module, makes the same schedule again."""
    text = written("csv", result)
    assert text.startswith("step,")
    numbers = {tuple(label): number for number, label in enumerate(result.problem.labels.tolist())}
    transfers = [
        Transfer(
            int(row["step"]) - 1,
            location(row["from"]),
            location(row["to"]),
            tuple(map(int, row["route"].split())),
            tuple(numbers[tuple(map(int, label.split(">")))] for label in row["carries"].split()),
        )
        for row in csv.DictReader(io.StringIO(text))
    ]
    assert Schedule.from_transfers(transfers) == result.schedule


@pytest.mark.parametrize("result", RESULTS, ids=lambda result: str(result.problem))
def test_lines_say_all(result: Result) -> None:
    """Each line is a JSON object, and together they make the same schedule again."""
    numbers = {tuple(label): number for number, label in enumerate(result.problem.labels.tolist())}
    transfers = []
    for line in written("jsonl", result).splitlines():
        row = json.loads(line)
        assert list(row) == ["step", "from", "to", "route", "carries"]
        carried = tuple(numbers[tuple(label)] for label in row["carries"])
        ends = location(str(row["from"])), location(str(row["to"]))
        transfers.append(Transfer(row["step"] - 1, *ends, tuple(row["route"]), carried))
    assert Schedule.from_transfers(transfers) == result.schedule


def test_words_for_people() -> None:
    """The text has the paths, the destination table and the programs."""
    text = written("text", solved("ring:4", "aab"))
    head, paths, table, programs = text.split("\n\n")
    assert head.startswith("AAB from 4 senders to 4 receivers on ring:4 (wormhole, all-port, full duplex, ")
    assert head.endswith("no combining): 2 steps, 12 transfers, optimal")
    assert paths.splitlines()[0] == "paths"
    assert len(paths.splitlines()) == 3
    assert table.splitlines()[:2] == ["destinations", "src  1    2"]
    assert [line.strip() for line in programs.splitlines() if line.startswith("  p")] == ["p0", "p1", "p2", "p3"]


@pytest.mark.parametrize("result", RESULTS, ids=lambda result: str(result.problem))
def test_a_drawing_has_every_channel_and_every_use_of_it(result: Result) -> None:
    """Read by pydot and networkx, the drawing has the network's channels and those that each step uses."""
    graph = networkx.MultiDiGraph(networkx.nx_pydot.from_pydot(drawing(written("dot", result))))
    network, schedule = result.problem.network, result.schedule
    assert schedule is not None
    routers = [name for name in graph if name != "\\n"]
    assert sorted(routers) == sorted(f"r{router}" for router in range(network.num_routers))
    plain: Counter[tuple[int, ...]] = Counter()
    used: Counter[tuple[int, ...]] = Counter()
    colours: dict[int, set[str]] = {}
    for tail, head, about in graph.edges(data=True):
        channel = int(about["channel"])
        assert network.channels[channel].tolist() == [int(tail[1:]), int(head[1:])]
        if "step" in about:
            used[int(about["step"]) - 1, channel] += 1
            colours.setdefault(int(about["step"]), set()).add(about["color"])
        else:
            plain[(channel,)] += 1
    assert plain == Counter((channel,) for channel in range(network.num_channels))
    assert used == Counter((transfer.step, channel) for transfer in schedule for channel in transfer.path)
    assert all(len(found) == 1 for found in colours.values())
    assert len(set.union(*colours.values())) == schedule.num_steps


def test_names_with_quotes_are_drawn() -> None:
    """A network may have any name."""
    result = around_a_switch("wormhole")
    network = result.problem.network
    spoiled = type(network)('a "b" \\', ('"', "\\", "é", "3"), network.channels, network.router_of)
    problem = type(result.problem)(spoiled, result.problem.collective, result.problem.rules)
    drawn = drawing(written("dot", Result(problem, result.schedule)))
    assert [node.get("label") for node in drawn.get_nodes()[2:]] == [r'"\""', r'"\\"', '"é"', '"3"']
