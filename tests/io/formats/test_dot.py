"""Drawings in DOT, read by the parser of pydot."""

from __future__ import annotations

import warnings
from collections import Counter
from typing import Any

import pydot
import pytest

from pavane.io import parse_network
from pavane.io.formats.dot import _network_lines
from pavane.judge.result import Result
from pavane.networks import network
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
