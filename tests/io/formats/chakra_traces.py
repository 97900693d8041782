"""Execution traces of Chakra, decoded and carried out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple


class Node(NamedTuple):
    """A node of a trace, with its attributes by name."""

    id: int
    kind: int
    order: tuple[int, ...]
    data: tuple[int, ...]
    attributes: dict[str, int]


def _number(content: bytes, at: int) -> tuple[int, int]:
    value, shift = 0, 0
    while True:
        value |= (content[at] & 127) << shift
        at, shift = at + 1, shift + 7
        if content[at - 1] < 128:
            return value, at


def fields(content: bytes) -> Iterator[tuple[int, Any]]:
    """Yield the fields of a protobuf message: whole numbers and bytes."""
    at = 0
    while at < len(content):
        key, at = _number(content, at)
        value, at = _number(content, at)
        if key & 7 == 2:
            content_of = content[at : at + value]
            assert len(content_of) == value
            at += value
            yield key >> 3, content_of
        else:
            assert key & 7 == 0
            yield key >> 3, value


def nodes(content: bytes) -> Iterator[Node]:
    """Yield the nodes of a trace behind its version."""
    at, messages = 0, []
    while at < len(content):
        length, at = _number(content, at)
        messages.append(content[at : at + length])
        at += length
    assert list(fields(messages[0])) == [(1, b"0.0.4")]
    for message in messages[1:]:
        found = list(fields(message))
        attributes = {}
        for attribute in (dict(fields(value)) for field, value in found if field == 10):
            (value,) = (value for field, value in attribute.items() if field != 1)
            attributes[attribute[1].decode()] = value
        single = dict(found)
        order, data = (tuple(value for field, value in found if field == wanted) for wanted in (4, 5))
        yield Node(single[1], single[3], order, data, attributes)


def carried_out(files: dict[str, bytes]) -> list[tuple[int, int, int, int]]:
    """Run all traces: a node when its dependences are done; return tag, source, target and size of each receive."""
    traces = {int(name.split(".")[-2]): list(nodes(content)) for name, content in files.items()}
    done: dict[int, set[int]] = {rank: set() for rank in traces}
    flying: dict[int, tuple[int, int, int]] = {}
    received = []
    progress = True
    while progress:
        progress = False
        for rank, trace in traces.items():
            for node in trace:
                if node.id in done[rank] or not done[rank].issuperset((*node.order, *node.data)):
                    continue
                about = node.attributes
                ends = about["comm_src"], about["comm_dst"], about["comm_size"]
                if node.kind == 5:
                    assert (ends[0], about["is_cpu_op"]) == (rank, 0)
                    flying[about["comm_tag"]] = ends
                elif about["comm_tag"] in flying:
                    assert node.kind == 6
                    assert ends[1] == rank
                    assert flying.pop(about["comm_tag"]) == ends
                    received.append((about["comm_tag"], *ends))
                else:
                    continue
                done[rank].add(node.id)
                progress = True
    assert not flying
    assert all(len(done[rank]) == len(trace) for rank, trace in traces.items())
    return sorted(received)
