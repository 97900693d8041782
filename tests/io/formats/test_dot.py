"""Drawings in DOT, read by the parser of pydot."""

from __future__ import annotations

import warnings
from collections import Counter
from typing import Any

import networkx
import pydot
import pytest

from pavane.io import parse_network
from pavane.io.formats.dot import _network_lines
from pavane.judge.result import Result
from pavane.networks import network
from tests.io.formats.listings import RESULTS
from tests.io.formats.schedules import around_a_switch, written


def drawing(text: str) -> Any:
    """Read a drawing by pydot."""
    with warnings.catch_warnings():
        # pydot itself uses old names of its parser.
        warnings.simplefilter("ignore", DeprecationWarning)
        found = pydot.graph_from_dot_data(text)
    assert found is not None
    (drawn,) = found
    return drawn


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


@pytest.mark.parametrize("spec", ["octagon", "star:5", "ring:4*2", "ndv2:2", "kautz:2,2"])
def test_a_drawing_of_a_network_is_read_as_that_network(spec: str) -> None:
    """Routers, processors, channels and capacities are the same, in the same order but for the channels'."""
    drawn = network(spec)
    text = "\n".join([*_network_lines(drawn), "}"])
    found = parse_network(text.encode(), "drawn.dot")
    assert found.router_of.tolist() == drawn.router_of.tolist()
    ends, wanted = (
        Counter(
            (tail, head, carried)
            for (tail, head), carried in zip(each.channels.tolist(), each.capacity.tolist(), strict=True)
        )
        for each in (found, drawn)
    )
    assert ends == wanted
