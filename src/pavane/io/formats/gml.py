"""Networks from GML, the Graph Modelling Language.

A file is keys with values: numbers, texts in quotes, or lists of keys with values in brackets. In `graph` each `node`
is a router, called by its `label` if all labels differ and otherwise by its `id`, and each `edge` a link, or a channel
where `directed` is 1.
"""

from __future__ import annotations

import re
from html.entities import html5
from typing import Any

from pavane.errors import InputError
from pavane.io.files import File
from pavane.io.format import Format
from pavane.io.graphs import GraphEdge, network_of
from pavane.io.parsing import begins_with, shown, text_of
from pavane.model.network import Network

TOKEN = re.compile(
    r"""(?P<space>\s+ | ^\#[^\n]*)
    | (?P<key>[A-Za-z][0-9A-Za-z_]*)
    | (?P<real>[+-]?(?:\d+\.\d*|\.\d+|\d+(?=[eE]))(?:[eE][+-]?\d+)? | [+-](?:INF|NAN)\b)
    | (?P<whole>[+-]?\d+)
    | (?P<text>"[^"]*")
    | (?P<mark>[\[\]])""",
    re.VERBOSE | re.MULTILINE,
)
START = re.compile(r'(?>\s+|#[^\n]*\n|(?!graph\b)[A-Za-z]\w*[ \t]+(?>"[^"]*"|[-+\d.]+))*+graph\s*\[')

ENTITY = re.compile(r"&(?:#(?P<decimal>\d{1,7})|#x(?P<hexadecimal>[0-9A-Fa-f]{1,6})|(?P<name>\w{1,40}));", re.ASCII)

MOST_DEPTH = 50
MOST_DIGITS = 18

Items = dict[str, list[Any]]
"""What stands in brackets: for each key its values, in order."""


def _items(file: File, text: str) -> Items:
    """Read a file into lists in lists."""
    whole: Items = {}
    open_lists = [whole]
    key: str | None = None
    offset = 0
    while offset < len(text):
        found = TOKEN.match(text, offset)
        if found is None:
            raise _refusal(file, text, offset, "is not GML")
        kind, word = found.lastgroup, found[0]
        if kind == "space":
            pass
        elif word == "]" and key is None and len(open_lists) > 1:
            open_lists.pop()
        elif key is None:
            if kind != "key":
                raise _refusal(file, text, offset, "stands where a key was expected")
            key = word
        elif kind == "key" or word == "]":
            raise _refusal(file, text, offset, f"stands where a value of `{key}` was expected")
        else:
            value: Any = {} if word == "[" else _value(kind, word)
            open_lists[-1].setdefault(key, []).append(value)
            key = None
            if word == "[":
                open_lists.append(value)
                if len(open_lists) > MOST_DEPTH:
                    raise InputError(f"{file}: lists are nested more than {MOST_DEPTH} deep; flatten them")
        offset = found.end()
    if key is not None or len(open_lists) > 1:
        raise InputError(f"{file}: the file ends inside a list or behind a key; it may be cut off")
    return whole


def _refusal(file: File, text: str, offset: int, words: str) -> InputError:
    where = f"{file}, line {text.count(chr(10), 0, offset) + 1}"
    return InputError(f"{where}: {shown(text[offset : offset + 20].split(chr(10))[0])} {words}")


def _value(kind: str | None, word: str) -> int | float | str:
    if kind == "text":
        return ENTITY.sub(_character, word[1:-1])
    if kind == "whole":
        return int(word) if len(word) <= MOST_DIGITS else word
    return float(word)


def _character(entity: re.Match[str]) -> str:
    """Return what an entity stands for, control characters too: names are checked later."""
    if entity["name"]:
        return html5.get(f"{entity['name']};", entity[0])
    code = int(entity["decimal"]) if entity["decimal"] else int(entity["hexadecimal"], 16)
    return chr(code) if code <= 0x10FFFF else entity[0]


def read(file: File) -> Network:
    """Read a network from GML."""
    graphs = [graph for graph in _items(file, text_of(file)).get("graph", []) if isinstance(graph, dict)]
    if len(graphs) != 1:
        raise InputError(f"{file}: {len(graphs)} graphs are in this file, where one `graph [ ... ]` was expected")
    graph = graphs[0]
    nodes = _lists(file, graph, "node")
    identifiers = [_one(file, node, "id", f"node[{index}]") for index, node in enumerate(nodes)]
    is_link = not _is_directed(file, graph)
    edges = []
    for index, edge in enumerate(_lists(file, graph, "edge")):
        tail, head = (_one(file, edge, end, f"edge[{index}]") for end in ("source", "target"))
        edges.append(GraphEdge(tail, head, is_link, _single(edge)))
    labels = [str(node["label"][0]) if "label" in node else "" for node in nodes]
    return network_of(file, list(zip(identifiers, map(_node, nodes), strict=True)), edges, labels)


def _is_directed(file: File, graph: Items) -> bool:
    value = graph.get("directed", [0])[-1]
    if value not in (0, 1):
        raise InputError(f"{file}: `directed` is {shown(value)}; write 0 or 1")
    return bool(value == 1)


def _lists(file: File, graph: Items, key: str) -> list[Items]:
    """Return the nodes, or the edges."""
    found = graph.get(key, [])
    for index, value in enumerate(found):
        if not isinstance(value, dict):
            raise InputError(f"{file}: {key}[{index}] is {shown(value)}, where a list in brackets was expected")
    return found


def _one(file: File, items: Items, key: str, what: str) -> str:
    """Return the value of a key that must be there."""
    if key not in items or isinstance(items[key][0], dict):
        raise InputError(f"{file}: {what} has no `{key}`; give it one")
    return str(items[key][0])


def _single(items: Items) -> dict[str, Any]:
    """Return each key with its last value."""
    return {key: values[-1] for key, values in items.items()}


def _node(items: Items) -> dict[str, Any]:
    """Return the attributes of a node, with the position of its drawing where it has one."""
    node = _single(items)
    graphics = node.get("graphics")
    return {**_single(graphics), **node} if isinstance(graphics, dict) else node


GML = Format("gml", "GML: an edge is a link, or a channel if the graph is directed", begins_with(START), read)
