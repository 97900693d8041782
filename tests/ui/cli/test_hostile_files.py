"""Files with values that no network, problem or schedule has: one line that says what, where and how to mend it.

Some for every format that is read; the readers' own tests have all refusals.
"""

from __future__ import annotations

import copy
import json
import re
from pathlib import Path
from typing import Any

import pytest

from pavane.io.registry import JSON_FORMATS, TEXT_FORMATS
from tests.io.formats.samples import DOT, GEXF, GML, IBNETDISCOVER, NCCL, NVIDIA_SMI, PAJEK
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
        (with_(NETWORK, "capacities", [1, HUGE]), "channel 1 has capacity 1e+30; give whole numbers from 1 to"),
        (but(with_(NETWORK, "capacities", [1, 2]), "2]", "NaN]"), "JSON is malformed: invalid character"),
        (with_(NETWORK, "channels", [[0, HUGE]]), "channels must be numbers below 2,147,483,648"),
        (with_(NETWORK, "nested", []).replace("[]", DEEP), "the JSON is nested too deeply"),
    ],
    "pavane/problem": [
        (with_(PROBLEM, "collective.kind", "XXX"), "collective kind 'XXX' is not known; choose one of OAB"),
        (with_(PROBLEM, "collective.senders", [HUGE]), f"sender {HUGE} is out of range; pair has processors 0 to 1"),
        (with_(PROBLEM, "collective.pieces", HUGE), "every message is cut into 1 to 50,000,000 pieces; give a number"),
        (with_(PROBLEM, "rules.ports", HUGE), "expected `int` <= 2147483647 - at `$.rules.ports`"),
        (with_(PROBLEM, "rules.combining", 1), "expected `bool`, got `int` - at `$.rules.combining`"),
    ],
    "pavane/table/1": [
        (with_(TABLE, "steps", HUGE), "expected `int`"),
        (with_(TABLE, "rows.kinds", [1, 0, 0, 2**40]), "too large"),
        (with_(TABLE, "problem.network", "hypercube:99"), "hypercube:99"),
    ],
    "pavane/schedule/1": [
        (with_(SCHEDULE, "steps.0.0.from", HUGE), "step 1: a number is too large to be a processor or a channel"),
        (with_(SCHEDULE, "steps", 5).replace("5", f"[{DEEP}]"), "the JSON is nested too deeply"),
        (with_(SCHEDULE, "bounds", [{"steps": 1, "argument": "cut", "exact": "1/0"}]), "`exact` is '1/0', where a"),
    ],
    "node-link": [
        (edge(bandwidth="-inf"), "an edge has `bandwidth` '-inf'; give numbers above 0"),
        (json.dumps({"nodes": 5}).replace("5", DEEP), "the JSON is nested too deeply"),
    ],
    "graphml": [(but(GRAPHML, "undirected", "both").format(""), "`edgedefault` is 'both'; write undirected")],
    "edge-list": [(b"0 1\x00\n", "line 1: this is not text, so not a network file that can be read")],
    "neighbour-list": [(": b\n", "line 1: expected `router: neighbours`, found ': b'")],
    "dot": [(but(DOT, "[color=red]", "[capacity=nan]"), "an edge has `capacity` 'nan'; give numbers above 0")],
    "ibnetdiscover": [
        (but(IBNETDISCOVER, "Switch\t36", "Switch\t-1"), "a port stands before the first Switch or Ca; the file may"),
    ],
    "nvidia-smi": [
        (but(NVIDIA_SMI, "NV2", "NV-1"), "line 2: GPU0 has 'NV-1', where 4 like NV4 or SYS were expected"),
        (but(NVIDIA_SMI, " X ", "NV1"), "GPU0 has NV1 for itself, where X was expected; a column is missing"),
        (but(NVIDIA_SMI, "GPU1\tNV2", "GPU0\tNV2"), "line 3: GPU0 has a second row; keep one of the two"),
    ],
    "nccl": [
        (but(NCCL, 'count="2"', 'count="-2"'), "the count of an nvlink of GPU0 is -2; it must lie between 1 and"),
        (but(NCCL, 'count="2"', 'count="nan"'), "the count of an nvlink of GPU0 is 'nan', where a whole number"),
        (but(NCCL, 'busid="0000:1b', 'busid="0000:1a'), "two <pci> have the busid '0000:1a:00.0'; give each its own"),
    ],
    "gml": [(but(GML, "processors 0", "processors -1"), "node 'hub & all' has processors -1; give a whole number")],
    "gexf": [(but(GEXF, 'id="7"', 'id=""'), "NetworkX reads other nodes than the <node> of this file")],
    "pajek": [(but(PAJEK, "*Vertices 4", "*Vertices 999999999"), "not Pajek that can be read: ")],
    "graph6": [(">>graph6<<D", "not graph6 or sparse6 that can be read: ")],
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
    assert path.read_bytes() == raw
    assert list(tmp_path.iterdir()) == [path]
