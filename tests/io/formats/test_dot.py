"""DOT, the language of Graphviz, compared with another parser."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import networkx
import pydot
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pavane.errors import InputError
from pavane.io import read_network
from pavane.judge.result import Result
from pavane.model.network import Network
from tests.io.formats.listings import RESULTS
from tests.io.formats.schedules import around_a_switch, written


def read(path: Path, text: str) -> Network:
    """Read a network from DOT."""
    path.write_text(text)
    return read_network(path, "dot")


def joined(network: Network) -> Counter[tuple[str, str]]:
    """Return the channels by the names of their ends."""
    return Counter((network.routers[a], network.routers[b]) for a, b in network.channels.tolist())


@pytest.mark.parametrize(
    ("text", "channels"),
    [
        ("graph { a -- b }", "ab ba"),
        ("digraph { a -> b; b -> c -> a }", "ab bc ca"),
        ("DiGraph G { a -> b [dir=both] }", "ab ba"),
        ("digraph { edge [dir=both]; a -> b; { edge [dir=forward] b -> c } }", "ab ba bc"),
        ("graph { a -- b a -- b, b -- a }", "ab ab ab ba ba ba"),
        ("strict graph { a -- b; a -- b; b -- a }", "ab ba"),
        ("strict digraph { a -> b; a -> b; b -> a }", "ab ba"),
        ("graph { a -- {b c} -- d }", "ab ba ac ca bd db cd dc"),
        ("graph { subgraph s { a b } -- subgraph { c } }", "ac ca bc cb"),
        ('graph "with a name" { "a" -- b:port:sw [label="x -- y"] }', "ab ba"),
        ('graph { "a" + "" -- b } // done\n# a preprocessor line\n', "ab ba"),
        ("graph{a--b;graph[x=1]y=2;node[z=3];edge[w=4]}", "ab ba"),
        ('graph { a -- b [label=<<b>bold</b> &lt;>; color="red"][penwidth=2] }', "ab ba"),
    ],
)
def test_edges_become_channels(text: str, channels: str, tmp_path: Path) -> None:
    """An edge of a graph is a link, of a digraph a channel; repetitions are parallel, unless the graph is strict."""
    assert joined(read(tmp_path / "g", text)) == Counter((way[0], way[1]) for way in channels.split())


def test_processors_and_positions_are_attributes(tmp_path: Path) -> None:
    """`processors` counts, also as a default, and `pos` places where every node has one."""
    found = read(
        tmp_path / "g", 'graph { node [processors=0] s [pos="1,2!"]; node [processors=2] a [pos="3,4"]; s -- a }'
    )
    assert found.routers == ("s", "a")
    assert found.router_of.tolist() == [1, 1]
    assert found.positions is not None
    assert found.positions.tolist() == [[1, 2], [3, 4]]
    assert read(tmp_path / "g", 'graph { s [pos="1,2"]; a [pos="e,1,2"]; s -- a }').positions is None


def test_numbers_are_in_order(tmp_path: Path) -> None:
    """Routers whose names are all numbers are ordered by them."""
    assert read(tmp_path / "g", "graph { 10 -- 9 -- 2 }").routers == ("2", "9", "10")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("graph { a -- ", ": the file ends where a node was expected; it may be cut off"),
        ("graph {\n a -> b }", ", line 2: '->', where -- was expected"),
        ("digraph { a -- b }", ", line 1: '--', where -> was expected"),
        ("graph { a -- b } graph { c }", ", line 1: 'graph', where the end of the file (one file is one network) was"),
        ("graph { a -- b", ": the file ends where } was expected"),
        ("graph {\n\n a ! b }", ", line 3: '! b }' is not DOT"),
        ("graph { a [processors=many] }", ": `processors` of node 'a' is 'many', where a whole number was expected"),
        ("graph { a [label=<<b>] }", ", line 1: the HTML label that begins there has no end"),
        ('graph { "a" + -- b }', ", line 1: '--', where more of the text in quotes was expected"),
        ("graph { subgraph s -- b }", ", line 1: '--', where { was expected"),
        ("tree { }", ", line 1: 'tree', where `graph` or `digraph` was expected"),
        ("graph { a -- a }", "from router a to itself"),
        ("graph { }", "it has no routers"),
    ],
)
def test_what_is_no_dot_is_refused(text: str, said: str, tmp_path: Path) -> None:
    """The text says what was expected, and where."""
    with pytest.raises(InputError, match=re.escape(said)) as caught:
        read(tmp_path / "g", text)
    assert str(caught.value).startswith(str(tmp_path / "g"))


NAMES = st.sampled_from(["a", "b1", "_c", "7", '"d e"', '"f;{"', "graphic"])


@pytest.mark.filterwarnings("ignore")  # pydot uses old names of its own parser
@given(st.booleans(), st.lists(st.lists(NAMES, min_size=2, max_size=4, unique=True), min_size=1, max_size=6))
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_chains_are_read_as_pydot_reads_them(tmp_path: Path, directed: bool, chains: list[list[str]]) -> None:
    """A parser that nobody here wrote finds the same edges."""
    mark = " -> " if directed else " -- "
    text = f"{'digraph' if directed else 'graph'} {{ {'; '.join(mark.join(chain) for chain in chains)} }}"
    graphs = pydot.graph_from_dot_data(text)
    assert graphs is not None
    edges = [
        (str(edge.get_source()).strip('"'), str(edge.get_destination()).strip('"')) for edge in graphs[0].get_edges()
    ]
    wanted = Counter(edges) if directed else Counter(edges) + Counter((b, a) for a, b in edges)
    assert joined(read(tmp_path / "g", text)) == wanted


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
