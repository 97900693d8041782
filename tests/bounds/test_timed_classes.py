"""Classes of routers in a timed allreduce: every piece enters them twice, less one class."""

from __future__ import annotations

from typing import Literal

import pytest

from pavane.bounds.timed_classes import best_classes
from pavane.judge.certificates import proven
from pavane.model.collectives import named
from pavane.model.links import Links
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import network


@pytest.mark.parametrize(
    ("spec", "rules", "finish"),
    [
        ("torus:4x4", Rules(switching="store-and-forward"), 8 * 100),
        ("torus:4x4", Rules(switching="store-and-forward", duplex="half"), 15 * 100),
        ("ring:8", Rules(), 7 * 100),
        ("star:5", Rules(switching="store-and-forward"), 5 * 100),
    ],
)
def test_twice_what_an_allgather_needs(spec: str, rules: Rules, finish: int) -> None:
    """Each of n parts goes between n classes 2 (n - 1) times, over all channels, or links, together."""
    where = network(spec)
    links = Links.uniform(where, bytes_per_second=10**12)
    problem = Problem(where, named("allreduce", where), rules, links=links, num_bytes=100)
    bound = best_classes(problem)
    assert bound is not None
    assert proven(problem, bound) == bound.figure == finish


@pytest.mark.parametrize(("switches", "finish"), [("pass", 6 * 100), ("hold", 5 * 100)])
def test_a_switch_that_passes_is_in_no_class(switches: Literal["pass", "hold"], finish: int) -> None:
    """Over it transfers end at a processor, over one of four channels; where sums rest, each waits for another hop."""
    channels = [pair for leaf in range(4) for pair in ((leaf, 4), (4, leaf))]
    hub = Network("hub", 5, channels, router_of=[0, 1, 2, 3])
    links = Links.uniform(hub, bytes_per_second=10**12)
    rules = Rules(switching="store-and-forward", switches=switches)
    problem = Problem(hub, named("allreduce", hub), rules, links=links, num_bytes=100)
    bound = best_classes(problem)
    assert bound is not None
    assert proven(problem, bound) == bound.figure == finish


def test_boxes_of_fast_links_are_classes() -> None:
    """Between two boxes joined by one slow link every part passes that link both ways."""
    line = network("line:4")
    links = Links.uniform(line, bytes_per_second=10**12)
    rates = links.bandwidths.copy()
    middle = (line.tails + line.heads) == 3
    rates[middle] = 10**11
    problem = Problem(
        line,
        named("allreduce", line),
        Rules(switching="store-and-forward"),
        links=Links(links.latencies, links.overheads, rates),
        num_bytes=100,
    )
    bound = best_classes(problem)
    assert bound is not None
    assert bound.certificate == {"classes": [[0, 1], [2, 3]]}
    assert proven(problem, bound) == bound.figure == 4 * 1000
