"""The sentences of TE-CCL's schedules: which chunk goes over which link in which epoch, and who wants it.

An allgather has a sentence for each hop of a whole chunk. An alltoall has parts of chunks, each on a way of its own;
its list of hops names equal ones once, so the ways are read, which are all there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import msgspec

from pavane.errors import InputError
from pavane.io.files import File
from pavane.io.objects import decoded
from pavane.io.parsing import shown

MOST_EPOCH = 10_000_000

NUMBER = "([0-9]{1,9})"
VOLUME = r"([0-9]{1,9}(?:\.[0-9]{0,30})?(?:e[+-]?[0-9]{1,2})?)"
SWITCHES = "([0-9]{1,9}(?: ?-> ?[0-9]{1,9}){0,99})"
HOP = re.compile(rf"{NUMBER}->{NUMBER}(?: with volume {VOLUME})? in epoch {NUMBER}(?: via switches {SWITCHES})?")
FLOW = re.compile(rf"Chunk {NUMBER} from {NUMBER} traveled over (.*)")
DEMAND = re.compile(rf"Demand at {NUMBER} for chunk {NUMBER} from {NUMBER} met by epoch {NUMBER}")


class Figures(msgspec.Struct):
    """What is used of a file; the numbers before the names have changed between versions."""

    duration: float = msgspec.field(name="1-Epoch_Duration")
    epochs: int = msgspec.field(name="3-Epochs_Required", default=0)
    bandwidth: float = msgspec.field(name="5-Algo_Bandwidth", default=0.0)
    flows: list[str] = msgspec.field(name="7-Flows", default_factory=list)
    older_flows: list[str] = msgspec.field(name="6-Flows", default_factory=list)
    paths: dict[str, list[Any]] = msgspec.field(name="8-Chunk paths", default_factory=dict)
    older_paths: dict[str, list[Any]] = msgspec.field(name="7-chunk paths", default_factory=dict)


class Hop(NamedTuple):
    """A chunk, or a part of one, goes from node to node, perhaps over switches."""

    tail: int
    head: int
    volume: float
    epoch: int
    switches: tuple[int, ...]


class Chunk(NamedTuple):
    """A chunk by its number and the node that has it at first; in an alltoall also by the node that it is for."""

    number: int
    source: int
    target: int | None


class Way(NamedTuple):
    """The hops of a part of a chunk, one after the other; of a whole chunk each is a way of its own."""

    chunk: Chunk
    hops: tuple[Hop, ...]


class Content(NamedTuple):
    """What a file says."""

    figures: Figures
    demands: frozenset[tuple[int, int, int]]
    """Chunk, source and target of all that is asked for; none where the file does not say."""
    ways: tuple[Way, ...]
    is_private: bool
    """Whether each chunk is for one node: an alltoall."""


def content_of(file: File) -> Content:
    """Read all that a file says."""
    figures = decoded(file.data, Figures, file)
    paths = figures.paths or figures.older_paths
    demands = {text: _demand(file, text) for text in paths}
    is_private = any(isinstance(each, list) for some in paths.values() for each in some)
    if is_private:
        ways = [way for text, some in paths.items() for way in _private_ways(file, demands[text], some)]
    else:
        ways = [_flow(file, index, text) for index, text in enumerate(figures.flows or figures.older_flows)]
    if not ways:
        raise InputError(f"{file}: no flows in it, so nothing is sent; the file may be cut off")
    return Content(
        figures, frozenset(demands.values()), tuple(dict.fromkeys(ways) if not is_private else ways), is_private
    )


def _demand(file: File, text: str) -> tuple[int, int, int]:
    found = DEMAND.fullmatch(text)
    if found is None:
        raise InputError(f"{file}: {shown(text)} is no demand; write `Demand at 1 for chunk 0 from 2 met by epoch 3`")
    target, number, source = (int(found[group]) for group in (1, 2, 3))
    return number, source, target


def _flow(file: File, index: int, text: str) -> Way:
    where = f"{file}, flow {index + 1}"
    found = FLOW.fullmatch(text)
    if found is None:
        raise InputError(f"{where}: {shown(text)} is no flow; write `Chunk 0 from 2 traveled over 2->1 in epoch 3`")
    hop = _hop(where, found[3])
    if hop.volume != 1:
        raise InputError(
            f"{where}: a part of a chunk ({hop.volume:g}) goes there, and which way it goes on is not said; keep the "
            "file's chunk paths"
        )
    return Way(Chunk(int(found[1]), int(found[2]), None), (hop,))


def _private_ways(file: File, demand: tuple[int, int, int], some: list[Any]) -> Iterator[Way]:
    number, source, target = demand
    where = f"{file}, the paths of chunk {number} from {source}"
    for path in some:
        if not isinstance(path, list):
            raise InputError(f"{where}: {shown(path)} stands where a list of hops was expected")
        found = []
        for each in path:
            if not (isinstance(each, list) and len(each) == 2 and isinstance(each[1], str)):
                raise InputError(f"{where}: {shown(each)} is no hop; write [3, '2->1 with volume 0.5 in epoch 3']")
            found.append(_hop(where, each[1]))
        if found:
            yield Way(Chunk(number, source, target), tuple(found))


def _hop(where: str, text: str) -> Hop:
    found = HOP.fullmatch(text)
    if found is None:
        raise InputError(f"{where}: {shown(text)} is no hop; write `2->1 with volume 0.5 in epoch 3`")
    tail, head, epoch = (int(found[group]) for group in (1, 2, 4))
    switches = () if found[5] is None else tuple(int(each) for each in found[5].split("->"))
    volume = 1.0 if found[3] is None else float(found[3])
    stops = (tail, *switches, head)
    if any(a == b for a, b in pairwise(stops)):
        raise InputError(f"{where}: {shown(text)} goes to where it comes from; name another node")
    if epoch > MOST_EPOCH:
        raise InputError(f"{where}: epoch {epoch:,} is too late; at most {MOST_EPOCH:,} are read")
    if not 0 < volume <= 1.000001:
        raise InputError(f"{where}: a volume of {volume:g} is no part of a chunk; give more than 0 and at most 1")
    return Hop(tail, head, volume, epoch, switches)
