"""Reads schedules of TE-CCL (Liu et al., SIGCOMM 2024) in JSON.

A file has sentences: which chunk goes over which link in which epoch, and which node needs it. An allgather has a
sentence for each hop of a whole chunk. An alltoall has parts of chunks, each on a path of its own; its list of hops
names equal ones once, so the complete paths are read instead.

The network is not in the file: the user may name it, otherwise it is the links that are used, each as wide as needed. A
node is a GPU, or a switch if messages go via it; switches pass. An allgather sends whole chunks, over slow links in
several epochs; an alltoall sends parts of chunks, each within an epoch. So chunks are cut into pieces: as few as
represent the parts, or as many as let links take the epochs that the schedule leaves them. Latencies are not judged,
and epochs without transfers are left out.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple

import msgspec
import numpy as np

from pavane.errors import InputError
from pavane.io.files import File, refuse_if_large
from pavane.io.format import Claim, Format
from pavane.io.formats.epochs import (
    PlacedSend,
    Send,
    build_schedule,
    busiest_steps,
    note_unjoined,
    place_in_time,
    problem_on,
    ways_of,
)
from pavane.io.network_builder import NetworkBuilder
from pavane.io.objects import decode
from pavane.io.parsing import shown
from pavane.judge.result import Provenance
from pavane.model.messages import Collective
from pavane.model.network import Network
from pavane.model.problem import Problem
from pavane.text import counted

MOST_EPOCH = 10_000_000

NUMBER = "([0-9]{1,9})"
VOLUME = r"([0-9]{1,9}(?:\.[0-9]{0,30})?(?:e[+-]?[0-9]{1,2})?)"
SWITCHES = "([0-9]{1,9}(?: ?-> ?[0-9]{1,9}){0,99})"
HOP = re.compile(rf"{NUMBER}->{NUMBER}(?: with volume {VOLUME})? in epoch {NUMBER}(?: via switches {SWITCHES})?")
FLOW = re.compile(rf"Chunk {NUMBER} from {NUMBER} traveled over (.*)")
DEMAND = re.compile(rf"Demand at {NUMBER} for chunk {NUMBER} from {NUMBER} met by epoch {NUMBER}")


class TecclFigures(msgspec.Struct):
    """What is used of a file; the numbers before the names have changed between versions."""

    duration: float = msgspec.field(name="1-Epoch_Duration")
    epochs: int = msgspec.field(name="3-Epochs_Required", default=0)
    bandwidth: float = msgspec.field(name="5-Algo_Bandwidth", default=0.0)
    flows: list[str] = msgspec.field(name="7-Flows", default_factory=list)
    older_flows: list[str] = msgspec.field(name="6-Flows", default_factory=list)
    paths: dict[str, list[Any]] = msgspec.field(name="8-Chunk paths", default_factory=dict)
    older_paths: dict[str, list[Any]] = msgspec.field(name="7-chunk paths", default_factory=dict)


class TecclHop(NamedTuple):
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


class TecclPath(NamedTuple):
    """The hops of a part of a chunk, one after the other; of a whole chunk each is a way of its own."""

    chunk: Chunk
    hops: tuple[TecclHop, ...]


class Content(NamedTuple):
    """What a file says."""

    figures: TecclFigures
    demands: frozenset[tuple[int, int, int]]
    """Chunk, source and target of all demands; empty if the file does not list them."""
    ways: tuple[TecclPath, ...]
    is_private: bool
    """Whether each chunk is for one node: an alltoall."""


def content_of(file: File) -> Content:
    """Read all that a file says."""
    figures = decode(file.data, TecclFigures, file)
    paths = figures.paths or figures.older_paths
    demands = {text: _demand(file, text) for text in paths}
    is_private = any(isinstance(each, list) for listed in paths.values() for each in listed)
    if is_private:
        ways = [way for text, listed in paths.items() for way in _private_ways(file, demands[text], listed)]
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
        raise InputError(f"{file}: {shown(text)} is not a demand, like `Demand at 1 for chunk 0 from 2 met by epoch 3`")
    target, number, source = (int(found[group]) for group in (1, 2, 3))
    return number, source, target


def _flow(file: File, index: int, text: str) -> TecclPath:
    where = f"{file}, flow {index + 1}"
    found = FLOW.fullmatch(text)
    if found is None:
        raise InputError(f"{where}: {shown(text)} is not a flow; write `Chunk 0 from 2 traveled over 2->1 in epoch 3`")
    hop = _hop(where, found[3])
    if hop.volume != 1:
        raise InputError(
            f"{where}: a part of a chunk ({hop.volume:g}) goes there, and which way it goes on is not said; keep the "
            "file's chunk paths"
        )
    return TecclPath(Chunk(int(found[1]), int(found[2]), None), (hop,))


def _private_ways(file: File, demand: tuple[int, int, int], paths: list[Any]) -> Iterator[TecclPath]:
    number, source, target = demand
    where = f"{file}, the paths of chunk {number} from {source}"
    for path in paths:
        if not isinstance(path, list):
            raise InputError(f"{where}: {shown(path)} stands where a list of hops was expected")
        found = []
        for each in path:
            if not (isinstance(each, list) and len(each) == 2 and isinstance(each[1], str)):
                raise InputError(f"{where}: {shown(each)} is not a hop; write [3, '2->1 with volume 0.5 in epoch 3']")
            found.append(_hop(where, each[1]))
        if found:
            yield TecclPath(Chunk(number, source, target), tuple(found))


def _hop(where: str, text: str) -> TecclHop:
    found = HOP.fullmatch(text)
    if found is None:
        raise InputError(f"{where}: {shown(text)} is not a hop; write `2->1 with volume 0.5 in epoch 3`")
    tail, head, epoch = (int(found[group]) for group in (1, 2, 4))
    switches = () if found[5] is None else tuple(int(each) for each in found[5].split("->"))
    volume = 1.0 if found[3] is None else float(found[3])
    stops = (tail, *switches, head)
    if any(a == b for a, b in pairwise(stops)):
        raise InputError(f"{where}: {shown(text)} goes to where it comes from; name another node")
    if epoch > MOST_EPOCH:
        raise InputError(f"{where}: epoch {epoch:,} is too late; at most {MOST_EPOCH:,} are read")
    if not 0 < volume <= 1.000001:
        raise InputError(f"{where}: a volume of {volume:g} is not a part of a chunk; give more than 0 and at most 1")
    return TecclHop(tail, head, volume, epoch, switches)


MOST_PARTS = 2000
"""The most parts that a chunk is cut into to say the volumes of a file."""

ROUNDED = 2e-6
"""How far volumes may be from what they stand for: they have six digits, and are differences of such."""

MOST_CUT = 32
"""The most pieces that a chunk is cut into so that a slow link takes several epochs for it."""

MOST_STEPS = 8
"""The most steps of an epoch that are tried together with cutting."""

MOST_PIECES = 1_000_000
"""The most chunks of all GPUs together."""

MOST_LAID = 20_000_000
"""The most pieces that go anywhere."""

Numbers = dict[int, int]
"""The processor of each node that is a GPU."""


def recognizes(file: File) -> bool:
    """Return whether a file has the figure that TE-CCL writes first."""
    if file.keys is not None:
        return file.keys.epoch_duration is not None
    return file.first == "{" and '"1-Epoch_Duration"' in file.head[:200]  # cut off, perhaps


def read_schedule(file: File, network: Network | None = None) -> Claim:
    """Read a schedule, on the network that it is for, or on that of the links that it uses."""
    refuse_if_large(file)
    content = content_of(file)
    parts = _parts(file, content)
    is_own = network is None
    if network is None:
        network, processor_of = _own_network(file, content, parts)
        file.note(
            "TE-CCL names no network: it is taken to be the links that are used, each as wide as it needs; to judge it "
            "on a machine, verify it with `on`",
        )
    else:
        processor_of = _numbers_on(file, content, network)
    problem = _problem(file, network, _collective(file, content, network.num_processors, parts), is_own)
    _note_missing(file, content, network.num_processors, processor_of)
    _note_copies(file, content, processor_of)
    sends_of = _of_parts if content.is_private else _of_chunks
    sends = _in_order(sends_of(content, processor_of, parts), content.is_private)
    problem = _joined(file, problem, sends)
    cut, per_epoch, laid = _place_sends(file, problem, sends, content.is_private)
    problem = replace(problem, collective=replace(problem.collective, pieces=problem.collective.pieces * cut))
    _note_time(file, content.figures, problem, None if is_own else Fraction(parts * cut, per_epoch))
    return Claim(problem, build_schedule(problem, laid), (), Provenance("TE-CCL"), is_foreign=True)


# -- the network and the collective


def _hops(content: Content) -> Iterator[TecclHop]:
    for way in content.ways:
        yield from way.hops


def _gpus(content: Content) -> list[int]:
    """Return the nodes that are GPUs, in order: those that have chunks at first, need, send or receive them."""
    ends = {end for _, source, target in content.demands for end in (source, target)}
    ends |= {way.chunk.source for way in content.ways}
    return sorted(ends | {end for hop in _hops(content) for end in (hop.tail, hop.head)})


def _own_network(file: File, content: Content, parts: int) -> tuple[Network, Numbers]:
    """Return the network of the links that are used, each as wide as it needs in its fullest epoch."""
    builder = NetworkBuilder(file)
    gpus = _gpus(content)
    for gpu in gpus:
        builder.router(str(gpu))
    loads: Counter[tuple[int, int, int]] = Counter()
    for hop in _hops(content):
        for switch in hop.switches:
            builder.router(str(switch), 0)
        for tail, head in pairwise((hop.tail, *hop.switches, hop.head)):
            loads[tail, head, hop.epoch] += round(hop.volume * parts)
    width: Counter[tuple[int, int]] = Counter()
    for (tail, head, _), load in loads.items():
        width[tail, head] = max(width[tail, head], load)
    for (tail, head), load in sorted(width.items()):
        builder.channel(builder.router(str(tail)), builder.router(str(head)), load)
    return builder.network(), {gpu: number for number, gpu in enumerate(gpus)}


def _numbers_on(file: File, content: Content, network: Network) -> Numbers:
    """Return which processor of a network each node is: the one of its number, else in order, without the switches."""
    gpus = _gpus(content)
    switches = {switch for hop in _hops(content) for switch in hop.switches}
    if max((*gpus, *switches)) < network.num_processors:
        if switches - set(gpus):
            listed = ", ".join(map(str, sorted(switches - set(gpus))[:4]))
            file.note(
                f"messages go via {listed} as via a switch, which is a processor of {network.name}; they rest there",
            )
        return {node: node for node in (*gpus, *switches)}
    if len(gpus) != network.num_processors:
        raise InputError(
            f"{file}: it has {counted(len(gpus), 'GPU')}, and {network.name} has "
            f"{counted(network.num_processors, 'processor')}; name the network that it is for"
        )
    return {gpu: number for number, gpu in enumerate(gpus)}


def _collective(file: File, content: Content, count: int, parts: int) -> Collective:
    """Return the collective of all processors, its messages in as many pieces as they have parts of chunks."""
    everyone = tuple(range(count))
    if content.is_private:
        chunks = max(Counter((source, target) for _, source, target in content.demands).values())
        return Collective("AAS", everyone, everyone, pieces=chunks * parts)
    chunks = 1 + max(way.chunk.number for way in content.ways)
    if chunks * count > MOST_PIECES:
        raise InputError(
            f"{file}: its chunks are numbered up to {chunks - 1:,}, and at most {MOST_PIECES:,} in all are read; "
            "number those of each GPU from 0"
        )
    return Collective("AAB", everyone, everyone, pieces=chunks * parts)


def _problem(file: File, network: Network, collective: Collective, is_own: bool) -> Problem:
    """Return the problem; where the links that are used do not do for it, say that another network might."""
    try:
        return problem_on(network, collective)
    except InputError as error:
        if not is_own:
            raise
        reason = str(error).partition(";")[0]
        raise InputError(
            f"{file}: the links that it uses cannot carry the collective: {reason}; name the network that it is for"
        ) from None


def _parts(file: File, content: Content) -> int:
    """Return the fewest parts of a chunk that say all volumes."""
    volumes = np.array(sorted({hop.volume for hop in _hops(content)}))
    for parts in range(1, MOST_PARTS + 1):
        scaled = volumes * parts
        if np.all(np.abs(scaled - np.round(scaled)) <= ROUNDED * parts) and np.round(scaled).min() >= 1:
            return parts
    raise InputError(
        f"{file}: its volumes, {volumes[0]:g} to {volumes[-1]:g}, are not whole numbers of any part of a chunk from "
        f"1/{MOST_PARTS:,} up; ask TE-CCL for another length of epochs"
    )


# -- what is sent


def _of_chunks(content: Content, processor_of: Numbers, parts: int) -> Iterator[Send]:
    """Yield the sends of whole chunks."""
    sent: dict[tuple[int, int, int], list[int]] = {}
    hops = [(way.chunk, hop) for way in content.ways for hop in way.hops]
    for chunk, hop in hops:
        sent.setdefault((chunk.number, chunk.source, hop.tail), []).append(hop.epoch)
    for chunk, hop in hops:
        later = [epoch for epoch in sent.get((chunk.number, chunk.source, hop.head), ()) if epoch > hop.epoch]
        ends = (processor_of[chunk.source],)
        yield from _segments(hop, processor_of, ends, chunk.number * parts, parts, min(later, default=None))


def _of_parts(content: Content, processor_of: Numbers, parts: int) -> Iterator[Send]:
    """Yield the sends of parts of chunks, numbered one way after the other."""
    numbered: Counter[tuple[int, int]] = Counter()
    first_of: dict[Chunk, int] = {}
    for number, source, target in sorted(content.demands):
        first_of[Chunk(number, source, target)] = numbered[source, target] * parts
        numbered[source, target] += 1
    begun: Counter[Chunk] = Counter()
    for chunk, hops in content.ways:
        ends = processor_of[chunk.source], processor_of[chunk.target or 0]
        # More than the whole chunk is sent twice, in part, for the judge to see.
        first = first_of[chunk] + begun[chunk] % parts
        begun[chunk] += round(hops[0].volume * parts)
        for at, hop in enumerate(hops):
            needed = hops[at + 1].epoch if at + 1 < len(hops) else None
            yield from _segments(hop, processor_of, ends, first, round(hop.volume * parts), needed)


def _in_order(sends: Iterator[Send], is_private: bool) -> list[Send]:
    """Return sends by epoch, those last that go when there is room.

    A whole chunk that a node gets twice in an epoch, to send it on to two others, comes once.
    """
    return sorted(sends if is_private else set(sends), key=lambda send: (send.follows, send[:6]))


def _segments(
    hop: TecclHop, processor_of: Numbers, ends: tuple[int, ...], first: int, count: int, needed: int | None
) -> Iterator[Send]:
    """Yield the sends of a hop: one, or several where what it takes for switches are processors."""
    stops = [hop.tail, *(switch for switch in hop.switches if switch in processor_of), hop.head]
    for at, (tail, head) in enumerate(pairwise(stops)):
        sent_on = needed if at + 2 == len(stops) else None
        yield Send(hop.epoch + at, processor_of[tail], processor_of[head], ends, first, count, sent_on, at > 0)


def _place_sends(
    file: File, problem: Problem, sends: list[Send], is_private: bool
) -> tuple[int, int, list[PlacedSend]]:
    """Return into how many pieces parts are cut, how many steps an epoch has, and what goes in which step.

    Epochs are as short as still let everything come in time. Whole chunks may be cut, so that a slow link takes several
    epochs for one; parts of chunks go within their epoch. Where messages are sent on before they are there whatever
    the length of an epoch, the judge will say so.
    """
    ways, capacity = ways_of(problem), problem.network.capacity.tolist()
    total = sum(send.num_parts for send in sends)
    if total > MOST_LAID:
        raise InputError(f"{file}: {total:,} pieces go over links, more than {MOST_LAID:,}; that is too large")
    least = busiest_steps(ways, capacity, sends)
    lengths = [(1, length) for length in range(least, 4 * least + 1, max(1, least // 32))]
    if not is_private:
        cuts = range(1, min(MOST_CUT, max(capacity, default=1), MOST_LAID // total) + 1)
        lengths = sorted(
            {*lengths, *itertools.product(cuts, range(1, MOST_STEPS + 1))}, key=lambda at: (at[1] / at[0], at)
        )
    # In which order sends get their steps matters where a way has several channels; an alltoall fits in turns.
    count = problem.network.num_processors
    in_turns = sorted(sends, key=lambda send: (send.follows, send.epoch, (send.receiver - send.sender) % count))
    for heeds_needs in (True, False):
        for (cut, per_epoch), ordered in itertools.product(lengths, (sends, in_turns)):
            laid = place_in_time(ways, capacity, ordered, cut=cut, per_epoch=per_epoch, heeds_needs=heeds_needs)
            if laid is not None:
                return cut, per_epoch, laid
    raise InputError(f"{file}: its epochs cannot be laid on {problem.network.name}; name the network that it is for")


def _joined(file: File, problem: Problem, sends: list[Send]) -> Problem:
    """Return the problem on the network, or on its mirror image if that has all the links; note the missing ones."""
    pairs = {(send.sender, send.receiver) for send in sends}
    ways = ways_of(problem)
    if pairs <= ways.keys():
        return problem
    mirrored = replace(problem, network=problem.network.reversed())
    if pairs <= ways_of(mirrored).keys():
        file.note(f"its links are those of {problem.network.name} the other way round; that is what is judged")
        return mirrored
    note_unjoined(file, problem, ways, pairs)
    return problem


# -- notes


def _note_missing(file: File, content: Content, count: int, processor_of: Numbers) -> None:
    """Note if there are fewer demands than the collective of all processors has, and which processors have none."""
    demanded = {(source, target) for _, source, target in content.demands}
    if not demanded or len(demanded) == count * (count - 1):
        return
    name = "alltoall" if content.is_private else "allgather"
    members = {processor_of[end] for pair in demanded for end in pair}
    left = [str(processor) for processor in range(count) if processor not in members]
    of_whom = f": none from or to processor {', '.join(left[:4])}" if left else ""
    file.note(f"it requests {len(demanded):,} of the {count * (count - 1):,} deliveries of the {name} of all{of_whom}")


def _note_copies(file: File, content: Content, processor_of: Numbers) -> None:
    """Note where a switch copies what it gets once; a switch that passes does not copy."""
    if content.is_private:
        return
    copied = Counter(
        (way.chunk, hop.tail, hop.epoch, hop.switches[0])
        for way in content.ways
        for hop in way.hops
        if hop.switches and hop.switches[0] not in processor_of
    )
    several = sum(1 for count in copied.values() if count > 1)
    if several:
        times = counted(several, "time")
        file.note(f"switches copy what they get {times}; those that pass do not, so each copy is counted on its way")


def _note_time(file: File, figures: TecclFigures, problem: Problem, pieces: Fraction | None) -> None:
    """Note the time by the figures of the file and, for a known network, how fast a channel of capacity 1 would be.

    A chunk is so many `pieces` of which such a channel carries one in an epoch.
    """
    time = figures.epochs * figures.duration
    if not (figures.epochs > 0 and 0 < time < 1e9):
        return
    text = f"by its own figures it takes {counted(figures.epochs, 'epoch')} of {figures.duration:.4g} s, {time:.4g} s"
    if pieces is not None and 0 < figures.bandwidth < 1e9:
        # TE-CCL's bandwidth is the size of one chunk of each GPU, in GB, over the time.
        chunk = figures.bandwidth * time / problem.network.num_processors
        text += f", where a channel of capacity 1 carries {chunk / figures.duration / float(pieces):.4g} GB/s"
    file.note(text)


TECCL = Format(
    "teccl",
    "schedule of TE-CCL in JSON: chunks are messages or their pieces, flows transfers",
    recognizes,
    lambda file: read_schedule(file).problem,
    read_schedule,
)
