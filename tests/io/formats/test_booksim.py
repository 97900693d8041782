"""Networks for BookSim."""

from __future__ import annotations

from pavane.io.exports import EXPORTS
from pavane.judge.result import Result
from tests.io.formats.pieced import cut
from tests.io.formats.schedules import around_a_switch, refused, solved


def read_anynet(text: str) -> tuple[set[tuple[int, int]], dict[int, int]]:
    """Read a network as BookSim reads it; return the channels, and the router of each processor."""
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
    return links, homes


def test_booksim_refuses_what_anynet_lacks() -> None:
    """One-way and parallel channels and capacities are named."""
    assert "is one-way" in refused("booksim", solved("kautz:2,2", "aas"))
    network = around_a_switch("wormhole").problem.network
    doubled = type(network)("twice", network.routers, [*network.channels.tolist()] * 2, network.router_of)
    result = around_a_switch("wormhole")
    problem = type(result.problem)(doubled, result.problem.collective, result.problem.rules)
    assert "parallel channels" in refused("booksim", Result(problem, result.schedule))
    assert "from router 2 to 3 has capacity 3" in refused("booksim", cut("ring:4", "aab", wide=True))
    assert "cannot be carried" in EXPORTS["booksim"].about
