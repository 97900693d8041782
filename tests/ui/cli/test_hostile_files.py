"""Files with values that no network, problem or schedule has: one line that says what, where and how to mend it.

For every format that is read: numbers that are huge, negative, not whole or no numbers, wrong types, names that are
missing or there twice, ends that lead nowhere, nothing at all, and nesting without end.
"""

from __future__ import annotations

import copy
import json
import re
from pathlib import Path
from typing import Any

import pytest

from pavane.io.registry import JSON_FORMATS, TEXT_FORMATS
from tests.io.formats.samples import (
    DOT,
    GEXF,
    GML,
    IBNETDISCOVER,
    NCCL,
    NVIDIA_SMI,
    PAJEK,
)
from tests.ui.cli.calls import Call

HUGE = 10**30
DEEP = "[" * 5000 + "]" * 5000

NETWORK: dict[str, Any] = {
    "format": "pavane/network/1",
    "name": "pair",
    "routers": ["0", "1"],
    "channels": [[0, 1], [1, 0]],
    "processors": [0, 1],
}
PROBLEM: dict[str, Any] = {
    "network": {key: value for key, value in NETWORK.items() if key != "format"},
    "collective": {"kind": "AAS", "senders": [0, 1], "receivers": [0, 1]},
    "rules": {},
}
TRANSFER = {"from": 0, "to": 1, "route": [0], "carries": [[0, 1]]}
SCHEDULE: dict[str, Any] = {"format": "pavane/schedule/1", "problem": PROBLEM, "steps": [[TRANSFER]]}
PAIR: dict[str, Any] = {"nodes": [{"id": 0}, {"id": 1}], "links": [{"source": 0, "target": 1}]}
GRAPHML = '<graphml><graph edgedefault="undirected">{}</graph></graphml>'


def with_(content: Any, path: str, value: Any) -> str:
    """Return JSON with another value at a path like `rules.ports` or `steps.0.0.from`."""
    made = copy.deepcopy(content)
    at, keys = made, path.split(".")
    for key in keys[:-1]:
        at = at[int(key) if isinstance(at, list) else key]
    at[int(keys[-1]) if isinstance(at, list) else keys[-1]] = value
    return json.dumps(made)


def but(text: str, old: str, new: str) -> str:
    """Return a text with one change."""
    assert old in text
    return text.replace(old, new, 1)


def edge(**attributes: Any) -> str:
    """Return node-link JSON of one edge."""
    return json.dumps({**PAIR, "links": [{"source": 0, "target": 1, **attributes}]})


TABLE: dict[str, Any] = {
    "format": "pavane/table/1",
    "problem": {"network": "hypercube:2", "collective": {"kind": "AAS"}, "rules": {}},
    "steps": 2,
    "translations": {"sizes": [2, 2]},
    "rows": {
        "steps": [1, 0, -1],
        "messages": [1, 1, 1],
        "runs": [1, 1, 2],
        "kinds": [1, 0, 0, 1],
        "lengths": [1, 1, 1, 1],
    },
}

HOSTILE: dict[str, list[tuple[str | bytes, str]]] = {
    "pavane/network/1": [
        (with_(NETWORK, "capacities", [0, 1]), "channel 0 has capacity 0; give whole numbers from 1 to 1,000,000"),
        (with_(NETWORK, "capacities", [1, -2]), "channel 1 has capacity -2; give whole numbers"),
        (with_(NETWORK, "capacities", [1, HUGE]), "channel 1 has capacity 1e+30; give whole numbers from 1 to"),
        (with_(NETWORK, "capacities", [0.0005, 1]), "the capacities are multiples of no fraction down to 1/1000"),
        (with_(NETWORK, "capacities", ["wide", 1]), "channel 0 has capacity 'wide'; give a number like 2, 0.5"),
        (but(with_(NETWORK, "capacities", [1, 2]), "2]", "NaN]"), "JSON is malformed: invalid character"),
        (with_(NETWORK, "channels", [[0, HUGE]]), "channels must be numbers below 2,147,483,648"),
        (with_(NETWORK, "channels", [[0, 0]]), "channel 0 runs from router 0 to itself; leave it out"),
        (with_(NETWORK, "processors", [HUGE]), "processors must be numbers below 2,147,483,648"),
        (with_(NETWORK, "processors", [-1]), "processor 0 is on router -1, but routers are numbered 0 to 1"),
        (with_(NETWORK, "routers", ["0", "0"]), "two routers are named '0'; give each its own name"),
        (with_(NETWORK, "routers", []), "it has no routers; give at least one"),
        (with_(NETWORK, "nested", []).replace("[]", DEEP), "the JSON is nested too deeply"),
    ],
    "pavane/problem": [
        (with_(PROBLEM, "collective.kind", "XXX"), "collective kind 'XXX' is not known; choose one of OAB"),
        (with_(PROBLEM, "collective.senders", [HUGE]), f"sender {HUGE} is out of range; pair has processors 0 to 1"),
        (with_(PROBLEM, "collective.senders", [0, 0]), "sender 0 is listed twice; list it once"),
        (with_(PROBLEM, "collective.pieces", 0), "pieces 0: every message is cut into 1 to 50,000,000 pieces"),
        (with_(PROBLEM, "collective.pieces", HUGE), "every message is cut into 1 to 50,000,000 pieces; give a number"),
        (with_(PROBLEM, "collective.pieces", 1.5), "expected `int`, got `float` - at `$.collective.pieces`"),
        (with_(PROBLEM, "collective.sizes", [[0, 1, -1]]), "message 0>1 has size -1; give its units, 0 to 50,000,000"),
        (with_(PROBLEM, "collective.sizes", [[0, 1, HUGE]]), "give its units, 0 to 50,000,000"),
        (with_(PROBLEM, "collective.sizes", [[0, 5, 1]]), "for message 0>5, which it does not have; leave it out"),
        (with_(PROBLEM, "collective.sizes", [[0, 1, 2], [0, 1, 3]]), "the size of message 0>1 is given twice; give it"),
        (with_(PROBLEM, "collective.sizes", [[0, 1, 0], [1, 0, 0]]), "has nothing to send; name at least one sender"),
        (with_(PROBLEM, "rules.ports", -1), "ports -1: a processor needs at least one port; give all, or 1 or more"),
        (with_(PROBLEM, "rules.ports", HUGE), "expected `int` <= 2147483647 - at `$.rules.ports`"),
        (with_(PROBLEM, "rules.switches", "open"), "switches 'open' is not known; choose hold or pass"),
        (
            with_(PROBLEM, "rules.switches", "pass"),
            "under wormhole switching messages pass every router anyway; choose",
        ),
        (with_(PROBLEM, "rules.combining", 1), "expected `bool`, got `int` - at `$.rules.combining`"),
    ],
    "pavane/table/1": [
        (with_(TABLE, "steps", HUGE), "expected `int`"),
        (with_(TABLE, "translations.sizes", [2, 3]), "4 routers"),
        (with_(TABLE, "rows.steps", [1]), "another column is not as long"),
        (with_(TABLE, "rows.kinds", [1, 0, 0, 2**40]), "too large"),
        (with_(TABLE, "problem.network", "hypercube:99"), "hypercube:99"),
        (with_(TABLE, "rows", []).replace("[]", DEEP), "the JSON is nested too deeply"),
    ],
    "pavane/schedule/1": [
        (
            with_(SCHEDULE, "steps.0.0.from", "r99999999999999"),
            "step 1: 'r99999999999999' is neither a processor, like",
        ),
        (with_(SCHEDULE, "steps.0.0.from", HUGE), "step 1: a number is too large to be a processor or a channel"),
        (with_(SCHEDULE, "steps.0.0.to", -1), "step 1: there is no processor -1; processors count from 0"),
        (with_(SCHEDULE, "steps.0.0.route", [0.5]), "step 1: not what was expected there: expected `int`, got `float`"),
        (with_(SCHEDULE, "steps.0.0.carries", [[0]]), "step 1: AAS carries messages as [origin, target], found [0]"),
        (with_(SCHEDULE, "steps", 5).replace("5", f"[{DEEP}]"), "the JSON is nested too deeply"),
        (with_(SCHEDULE, "bounds", [{"steps": 1, "argument": "cut", "exact": "1/0"}]), "`exact` is '1/0', where a"),
        (with_(SCHEDULE, "problem.rules.switches", "x"), "switches 'x' is not known; choose hold or pass"),
    ],
    "node-link": [
        (edge(capacity=-1), "an edge has `capacity` -1; give numbers above 0, and leave edges out that carry nothing"),
        (edge(capacity=0), "an edge has `capacity` 0; give numbers above 0"),
        (edge(capacity="nan"), "an edge has `capacity` 'nan'; give numbers above 0"),
        (edge(bandwidth="-inf"), "an edge has `bandwidth` '-inf'; give numbers above 0"),
        (but(edge(capacity=7), "7", "NaN"), "JSON is malformed"),
        (json.dumps({**PAIR, "nodes": [{"id": 0}, {"id": 0}]}), "two nodes have the same `id`; give each its own"),
        (json.dumps({**PAIR, "nodes": [{"id": None}]}), "nodes[0] has no usable `id`; give each node a name or number"),
        (
            json.dumps({**PAIR, "nodes": [{"id": 0, "processors": HUGE}, {"id": 1}]}),
            "; give a whole number, 0 for a pure switch",
        ),
        (json.dumps({**PAIR, "links": [{"source": 0}]}), "edges[0] needs `source` and `target`"),
        (
            json.dumps({**PAIR, "links": [{"source": 0, "target": 7}]}),
            "edge[0] joins '7', which is not a node of the file",
        ),
        (json.dumps({"nodes": 5}).replace("5", DEEP), "the JSON is nested too deeply"),
    ],
    "graphml": [
        (GRAPHML.format(""), "it has no routers; give at least one"),
        (GRAPHML.format("<node/>"), "NetworkX reads other nodes than the <node> of this file"),
        (GRAPHML.format('<node id="a"/><node id="a"/>'), "NetworkX reads other nodes than"),
        (GRAPHML.format('<node id="a"/><edge source="a" target="b"/>'), "NetworkX reads other nodes than"),
        (
            GRAPHML.format('<node id="a"/><edge source="a"/>'),
            "NetworkX reads other nodes than",
        ),
        (but(GRAPHML, "undirected", "both").format(""), "`edgedefault` is 'both'; write undirected or directed"),
        ("<graphml><graph/><graph/></graphml>", "2 graphs are in this file, where one was expected; leave one <graph>"),
    ],
    "edge-list": [
        ("0 1 x0\n", "line 1: 'x0' is not a capacity, a number above 0 up to 1,000,000"),
        ("0 1 x-1\n", "line 1: 'x-1' is not a capacity, a number above 0 up to 1,000,000"),
        ("0 1\n1 2 x1/\n", "line 2: 'x1/' is not a capacity, a number above 0 up to 1,000,000"),
        ("0 1 x99999999999\n", "is not a capacity, a number above 0 up to 1,000,000, in '0 1 x99999999999'; write"),
        ("0 1 x2 x3\n", "line 1: expected a link such as `0 1` or `0 > 1`, found '0 1 x2 x3'"),
        ("0 0\n", "line 1: '0 0' links a router with itself; leave that link out"),
        ("0 1 {'capacity': nan}\n1 2 {'capacity': 1}\n", "an edge has `capacity` 'nan'; give numbers above 0"),
        ("0 1 {'capacity': -1}\n1 2 {'capacity': 1}\n", "an edge has `capacity` '-1'; give numbers above 0"),
        ("# nothing\n", "no channels in it; an edge list has a line `0 1` for each link"),
        (b"0 1\x00\n", "line 1: this is not text, so not a network file that can be read"),
    ],
    "neighbour-list": [
        ("a: bx0\nb: a\n", "line 1: 'x0' is not a capacity, a number above 0 up to 1,000,000, in 'a: bx0'; leave"),
        ("a: bx99999999999\nb: a\n", "is not a capacity, a number above 0 up to 1,000,000"),
        ("a: b c d: e\n", "line 1: expected `router: neighbours` with one `:` alone"),
        (": b\n", "line 1: expected `router: neighbours`, found ': b'"),
        ("a: a\n", "line 1: 'a: a' links a router with itself; leave that link out"),
    ],
    "dot": [
        (
            but(DOT, "processors=0", "processors=-1"),
            "node 'hub' has processors '-1'; give a whole number, 0 for a pure",
        ),
        (but(DOT, "[color=red]", "[capacity=-3]"), "an edge has `capacity` '-3'; give numbers above 0"),
        (but(DOT, "[color=red]", "[capacity=nan]"), "an edge has `capacity` 'nan'; give numbers above 0"),
        (but(DOT, "hub --", "hub ->"), "`->` does not go with `graph`"),
        (DOT.rstrip()[:-1], "not DOT that can be read: "),
    ],
    "ibnetdiscover": [
        (but(IBNETDISCOVER, "Switch\t36", "Switch\t-1"), "a port stands before the first Switch or Ca; the file may"),
        (but(IBNETDISCOVER, "[1]\t", "[0]\t"), "has two cables; the lists disagree"),
        (but(IBNETDISCOVER, "Ca\t1", "Ca\tx"), "not listed here; the file may be cut off"),
    ],
    "nvidia-smi": [
        (but(NVIDIA_SMI, "NV2", "NV-1"), "line 2: GPU0 has 'NV-1', where 4 like NV4 or SYS were expected"),
        (but(NVIDIA_SMI, "NV2", "NV99999999999"), "where 4 like NV4 or SYS were expected"),
        (but(NVIDIA_SMI, " X ", "NV1"), "GPU0 has NV1 for itself, where X was expected; a column is missing"),
        (but(NVIDIA_SMI, "GPU1\tNV2", "GPU0\tNV2"), "line 3: GPU0 has a second row; keep one of the two"),
    ],
    "nccl": [
        (but(NCCL, 'count="2"', 'count="-2"'), "the count of an nvlink of GPU0 is -2; it must lie between 1 and"),
        (but(NCCL, 'count="2"', 'count="nan"'), "the count of an nvlink of GPU0 is 'nan', where a whole number"),
        (
            but(NCCL, 'link_width="16"', 'link_width="-1"'),
            "the link_width of '0000:1a:00.0' is -1; it must lie between",
        ),
        (but(NCCL, 'busid="0000:1b', 'busid="0000:1a'), "two <pci> have the busid '0000:1a:00.0'; give each its own"),
    ],
    "gml": [
        (but(GML, "processors 0", "processors -1"), "node 'hub & all' has processors -1; give a whole number, 0 for"),
        (but(GML, "x 1.5", "x nan"), "not GML that can be read: "),
        (but(GML, "id 20", "id 99999999999999999999"), "edge #0 has undefined target 20"),
    ],
    "gexf": [
        (
            but(GEXF, 'value="0"', 'value="99999999999"'),
            "node 'switch' has processors 99999999999; give a whole number",
        ),
        (but(GEXF, 'id="7"', 'id=""'), "NetworkX reads other nodes than the <node> of this file"),
    ],
    "pajek": [
        (but(PAJEK, "*Vertices 4", "*Vertices -4"), "4 vertices are named, which is not the number in *Vertices"),
        (but(PAJEK, "*Vertices 4", "*Vertices 999999999"), "not Pajek that can be read: "),
    ],
    "graph6": [
        (">>graph6<<", "0 graphs are in this file, where one was expected; leave one line"),
        (">>graph6<<D", "not graph6 or sparse6 that can be read: "),
    ],
    "adjacency-list": [("0 {}\n", "has no attributes in braces")],
    "directed-edge-list": [("0 1 {'capacity': inf}\n1 0 {'capacity': 1}\n", "give numbers above 0")],
    "directed-adjacency-list": [("0 1 {}\n", "has no attributes in braces")],
}
"""What is wrong, by the format that it is wrong in, and what is said of it."""

UNRECOGNIZED = ("adjacency-list", "directed-edge-list", "directed-adjacency-list")
"""Formats whose files may be taken for others, so that they are named."""


def test_every_format_has_hostile_examples() -> None:
    """What is read is tried with values that nobody means."""
    read = {form.name for form in (*JSON_FORMATS, *TEXT_FORMATS)}
    assert read == set(HOSTILE)


@pytest.mark.parametrize(
    ("form", "content", "said"),
    [(form, content, said) for form, some in HOSTILE.items() for content, said in some],
    ids=lambda value: re.sub(r"\W+", "-", value[:40]) if isinstance(value, str) else "bytes",
)
def test_hostile_values_are_refused(form: str, content: str | bytes, said: str, call: Call, tmp_path: Path) -> None:
    """One line, exit code 2 and no traceback; what was there stays as it was."""
    path = tmp_path / "input.dat"
    raw = content.encode() if isinstance(content, str) else content
    path.write_bytes(raw)
    holds_schedule = form in ("pavane/schedule/1", "pavane/table/1")
    command = ["verify", "input.dat"] if holds_schedule else ["bounds", "input.dat"]
    if not holds_schedule and form != "pavane/problem":
        command.append("aab")
    if form in UNRECOGNIZED:
        command += ["--from", form]
    answer = call(*command)
    told = answer._replace(err="".join(line for line in answer.err.splitlines(True) if ": note: " not in line))
    assert told.is_refusal("input.dat", said)
    assert told.err.rstrip("\n").isprintable()
    assert path.read_bytes() == raw
    assert list(tmp_path.iterdir()) == [path]
