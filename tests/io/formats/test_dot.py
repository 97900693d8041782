"""Drawings in DOT, read by the parser of pydot."""

from __future__ import annotations

import warnings
from typing import Any

import pydot

from pavane.judge.result import Result
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
