"""JSON schemas of the files, written from the contracts and not from the code.

A schema cannot say what numbers mean, so `replay` reads a schedule file with the json module alone and checks the rest:
every route joins up, ends sit where it starts and stops, and everything that is carried is a message of the collective.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

NUMBER = {"type": "integer", "minimum": 0}
PAIR = {"type": "array", "items": NUMBER, "minItems": 2, "maxItems": 2}
POSITION = {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2}


def closed(required: dict[str, Any], optional: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return the schema of an object without unknown keys."""
    properties = {**required, **(optional or {})}
    return {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}


NETWORK_PARTS: dict[str, Any] = {
    "name": {"type": "string"},
    "routers": {"type": "array", "items": {"type": "string"}, "minItems": 1, "uniqueItems": True},
    "channels": {"type": "array", "items": PAIR},
    "processors": {"type": "array", "items": NUMBER},
}
MORE_OF_NETWORK = {
    "positions": {"type": "array", "items": POSITION},
    "capacities": {"type": "array", "items": {"type": "integer", "minimum": 1}},
    "gpus": {"const": True},
    "boxes": {"type": "array", "items": {"type": "integer", "minimum": -1}},
}
NETWORK_FILE = closed({"format": {"const": "pavane/network/1"}, **NETWORK_PARTS}, MORE_OF_NETWORK)
MEMBERS = {"type": "array", "items": NUMBER, "uniqueItems": True}
MORE_OF_COLLECTIVE = {
    "pieces": {"type": "integer", "minimum": 2},
    "sizes": {"type": "array", "items": {"type": "array", "items": NUMBER, "minItems": 2, "maxItems": 3}},
}
COLLECTIVE = {
    "oneOf": [
        closed(
            {
                "kind": {"enum": ["OAB", "OAS", "AAB", "AAS", "MNB", "MNS", "AOG", "AOR", "AAR", "ALLREDUCE"]},
                "senders": MEMBERS,
                "receivers": MEMBERS,
            },
            MORE_OF_COLLECTIVE,
        ),
        closed({"kind": {"const": "PAIRS"}, "pairs": {"type": "array", "items": PAIR}}, MORE_OF_COLLECTIVE),
    ]
}
RULES = closed(
    {
        "switching": {"enum": ["wormhole", "store-and-forward", "tdm"]},
        "ports": {"oneOf": [{"const": "all"}, {"type": "integer", "minimum": 1}]},
        "duplex": {"enum": ["full", "half"]},
        "routing": {"enum": ["minimal", "any", "dimension-order", "west-first", "north-last"]},
        "combining": {"type": "boolean"},
    },
    {
        "switches": {"enum": ["pass", "copy"]},
        "multicast": {"const": True},
        "router_delay": {"type": "integer", "minimum": 2},
        "link_delay": {"type": "integer", "minimum": 1},
        "packet_slots": {"type": "integer", "minimum": 2},
        "wrap": {"const": False},
    },
)
PROBLEM_FILE = closed({"network": closed(NETWORK_PARTS, MORE_OF_NETWORK), "collective": COLLECTIVE, "rules": RULES})
JOINT_PROBLEM_FILE = closed(
    {
        "network": closed(NETWORK_PARTS, MORE_OF_NETWORK),
        "collectives": {"type": "array", "items": COLLECTIVE, "minItems": 1},
        "rules": RULES,
    }
)
END = {"oneOf": [NUMBER, {"type": "string", "pattern": "^r(0|[1-9][0-9]*)$"}]}
LABEL = {"type": "array", "items": NUMBER, "minItems": 1, "maxItems": 4}
TRANSFER = closed(
    {
        "from": END,
        "to": END,
        "route": {"type": "array", "items": NUMBER},
        "carries": {"type": "array", "items": LABEL, "minItems": 1},
    }
)
BOUND = closed(
    {"steps": NUMBER, "argument": {"type": "string"}, "certificate": {"type": "object"}},
    {"exact": {"type": "string", "pattern": "^[0-9]+(/[1-9][0-9]*)?$"}},
)
PROVENANCE = closed(
    {
        "solver": {"type": "string"},
        "seed": {"type": "integer"},
        "seconds": {"type": "number", "minimum": 0},
        "version": {"type": "string"},
    }
)
SCHEDULE_FILE = closed(
    {
        "format": {"const": "pavane/schedule/1"},
        "problem": PROBLEM_FILE,
        "steps": {"type": "array", "items": {"type": "array", "items": TRANSFER}},
        "bounds": {"type": "array", "items": BOUND},
        "provenance": PROVENANCE,
    }
)

JOINT_SCHEDULE_FILE = {**SCHEDULE_FILE, "properties": {**SCHEDULE_FILE["properties"], "problem": JOINT_PROBLEM_FILE}}


def check(content: Any, schema: dict[str, Any]) -> None:
    """Fail where JSON is not as a schema says."""
    errors = Draft202012Validator(schema).iter_errors(content)
    assert [f"{error.json_path}: {error.message}" for error in errors] == []


def labels_of(collective: dict[str, Any]) -> set[tuple[int, ...]]:
    """List the messages of a collective as `carries` writes them, piece by piece where one has several."""
    units = {tuple(size[:-1]): size[-1] for size in collective.get("sizes", [])}
    counts = {ends: units.get(ends, 1) * collective.get("pieces", 1) for ends in _ends_of(collective)}
    if max(counts.values(), default=0) <= 1:
        return {ends for ends, count in counts.items() if count}
    return {(*ends, piece) for ends, count in counts.items() for piece in range(count)}


def _ends_of(collective: dict[str, Any]) -> set[tuple[int, ...]]:
    kind = collective["kind"]
    if kind == "PAIRS":
        return {(origin, target) for origin, target in collective["pairs"]}
    senders, receivers = collective["senders"], collective["receivers"]
    ways = [(s, r) for s in senders for r in receivers if s != r]
    if kind in ("OAS", "AAS", "MNS", "AOG"):
        return set(ways)
    if kind == "ALLREDUCE":
        return {(part,) for part in receivers if len(senders) > 1}
    return {(s,) for s, _ in ways} if kind in ("OAB", "AAB", "MNB") else {(r,) for _, r in ways}


def replay(path: Path) -> dict[str, Any]:
    """Read a schedule file by its contract alone, check it, and return it."""
    content: dict[str, Any] = json.loads(path.read_bytes())
    check(content, SCHEDULE_FILE)
    problem = content["problem"]
    network, rules, known = problem["network"], problem["rules"], labels_of(problem["collective"])
    homes: list[int] = network["processors"]
    holds = rules["switching"] == "store-and-forward" and rules.get("switches", "hold") == "hold"
    seen = set()
    for entry in (entry for step in content["steps"] for entry in step):
        seen |= set(map(tuple, entry["carries"]))
        reached, end = (_router(homes, end, holds) for end in (entry["from"], entry["to"]))
        for tail, head in (network["channels"][channel] for channel in entry["route"]):
            assert reached == tail, f"the route of {entry} does not join up"
            reached = head
        assert reached == end, f"the route of {entry} does not lead to its end"
    assert seen == known, "some messages are never carried, or others are"
    return content


def _router(homes: list[int], end: int | str, holds: bool) -> int:
    if isinstance(end, int):
        return homes[end]
    assert holds, "pure switches hold messages under store-and-forward only"
    switch = int(end[1:])
    assert switch not in homes, f"router {switch} is no pure switch"
    return switch
