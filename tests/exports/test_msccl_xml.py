"""Programs of MSCCL, carried out by an interpreter on symbolic data."""

from __future__ import annotations

from collections import Counter
from xml.etree.ElementTree import Element

import defusedxml.ElementTree
import pytest

from pavane.judge.result import Result
from tests.exports.memories import IN_PIECES, RUN, Data, Memory, inputs, only_outputs, outputs
from tests.exports.pieced import cut, pieced, together
from tests.exports.schedules import around_a_switch, refused, solved, written


class Blocks:
    """The thread blocks of an MSCCL program and what they have done."""

    def __init__(self, algo: Element, memory: Memory) -> None:
        self.memory = memory
        self.blocks = {
            (int(gpu.attrib["id"]), int(tb.attrib["id"])): (tb, list(tb))
            for gpu in algo.iter("gpu")
            for tb in gpu.iter("tb")
        }
        self.sizes = {
            (int(gpu.attrib["id"]), buffer): int(gpu.attrib[f"{buffer}_chunks"])
            for gpu in algo.iter("gpu")
            for buffer in "ios"
        }
        self.done = dict.fromkeys(self.blocks, 0)
        self.wires: dict[tuple[int, int, str], list[list[Data]]] = {}

    def can(self, key: tuple[int, int]) -> bool:
        """Carry out the next step of a thread block, if it is ready."""
        gpu, _ = key
        tb, steps = self.blocks[key]
        if self.done[key] == len(steps):
            return False
        step = steps[self.done[key]]
        assert int(step.attrib["s"]) == self.done[key]
        awaited = int(step.attrib["depid"])
        if awaited >= 0:
            _, there = self.blocks[gpu, awaited]
            assert there[int(step.attrib["deps"])].attrib["hasdep"] == "1"
            if self.done[gpu, awaited] <= int(step.attrib["deps"]):
                return False
        kind = step.attrib["type"]
        count = int(step.attrib["cnt"])
        assert 0 < count < 72
        sources, sinks = (
            [(gpu, step.attrib[f"{end}buf"], int(step.attrib[f"{end}off"]) + i) for i in range(count)]
            for end in ("src", "dst")
        )
        if kind == "s":
            wire = (gpu, int(tb.attrib["send"]), tb.attrib["chan"])
            self.wires.setdefault(wire, []).append([self.read(source) for source in sources])
        elif kind == "cpy":
            for source, sink in zip(sources, sinks, strict=True):
                self.write(sink, self.read(source))
        else:
            waiting = self.wires.get((int(tb.attrib["recv"]), gpu, tb.attrib["chan"]), [])
            if not waiting:
                return False
            for came, source, sink in zip(waiting.pop(0), sources, sinks, strict=True):
                self.write(sink, came if kind == "r" else came + self.read(source), source == sink)
        self.done[key] += 1
        return True

    def read(self, place: tuple[int, str, int]) -> Data:
        """Return what is in a place, where something must be."""
        assert 0 <= place[2] < self.sizes[place[0], place[1]]
        return Counter(self.memory[place])

    def write(self, place: tuple[int, str, int], data: Data, again: bool = False) -> None:
        """Put data where nothing was, or where it was combined with what was."""
        assert 0 <= place[2] < self.sizes[place[0], place[1]]
        assert again or place not in self.memory
        self.memory[place] = data


def run_msccl(text: str, memory: Memory, order: int) -> Memory:
    """Carry out an MSCCL program, one thread block as far as it gets before the next."""
    algo = defusedxml.ElementTree.fromstring(text)
    assert algo.tag == "algo"
    state = Blocks(algo, memory)
    keys = sorted(state.blocks, reverse=bool(order))
    while sum(state.can(key) for key in keys for _ in range(300 if order < 2 else 1)):
        pass
    assert all(state.done[key] == len(steps) for key, (_, steps) in state.blocks.items())
    assert not any(state.wires.values())
    return only_outputs(state.memory)


@pytest.mark.parametrize("order", [0, 1, 2])
@pytest.mark.parametrize(
    "result",
    [*RUN, *IN_PIECES, solved("ring:3", "oab"), cut("ring:4", "oab", 4)],
    ids=lambda result: str(result.problem),
)
def test_msccl_fills_the_outputs_in_whatever_order_its_blocks_run(result: Result, order: int) -> None:
    """However fast thread blocks run, dependencies see to it that the outputs are those of the collective."""
    assert run_msccl(written("msccl-xml", result), inputs(result), order) == outputs(result)


@pytest.mark.parametrize("result", RUN, ids=lambda result: str(result.problem))
def test_msccl_has_what_its_reader_asks_for(result: Result) -> None:
    """Every attribute is there, blocks of buffers agree with the loop, and a pair has one block at either end."""
    algo = defusedxml.ElementTree.fromstring(written("msccl-xml", result))
    count = result.problem.network.num_processors
    assert {"name", "proto", "nchannels", "nchunksperloop", "ngpus", "coll", "inplace"} == set(algo.attrib)
    kind = result.problem.collective.kind
    assert algo.attrib["coll"] == {"AAB": "allgather", "AAS": "alltoall", "AAR": "reduce_scatter"}[kind]
    loop = int(algo.attrib["nchunksperloop"])
    for gpu in algo:
        assert int(gpu.attrib["i_chunks"]) * (count if kind == "AAB" else 1) == loop
        assert int(gpu.attrib["o_chunks"]) * (count if kind == "AAR" else 1) == loop
        for way in ("send", "recv"):
            peers = [tb.attrib[way] for tb in gpu if tb.attrib[way] != "-1"]
            assert len(set(peers)) == len(peers)
            assert gpu.attrib["id"] not in peers
    steps = list(algo.iter("step"))
    assert {key for step in steps for key in step.attrib} == {
        *("s", "type", "srcbuf", "srcoff", "dstbuf", "dstoff", "cnt", "depid", "deps", "hasdep")
    }


@pytest.mark.parametrize("result", IN_PIECES, ids=lambda result: str(result.problem))
def test_pieces_are_msccl_chunks(result: Result) -> None:
    """A message is as many chunks as it has pieces, each pair has one block a channel, and at most one each."""
    algo = defusedxml.ElementTree.fromstring(written("msccl-xml", result))
    count, kind, k = (
        result.problem.network.num_processors,
        result.problem.collective.kind,
        result.problem.collective.pieces,
    )
    assert int(algo.attrib["nchunksperloop"]) == count * k
    for gpu in algo:
        assert int(gpu.attrib["i_chunks"]) == (1 if kind == "AAB" else count) * k
        assert int(gpu.attrib["o_chunks"]) == (1 if kind == "AAR" else count) * k
        for way in ("send", "recv"):
            served = [(tb.attrib[way], tb.attrib["chan"]) for tb in gpu if tb.attrib[way] != "-1"]
            assert len(set(served)) == len(served)
            assert all(int(channel) < int(algo.attrib["nchannels"]) for _, channel in served)


def test_neighbouring_pieces_go_together() -> None:
    """What one transfer carries of a message is one step; several transfers at once take several channels."""
    packed = defusedxml.ElementTree.fromstring(written("msccl-xml", together(solved("ring:4", "aab"), 3)))
    assert {step.attrib["cnt"] for step in packed.iter("step")} == {"3"}
    assert packed.attrib["nchannels"] == "1"
    wide = defusedxml.ElementTree.fromstring(written("msccl-xml", pieced()["aas in 2 on wide channels"]))
    assert int(wide.attrib["nchannels"]) > 1
    long = defusedxml.ElementTree.fromstring(written("msccl-xml", together(solved("ring:3", "aab"), 100)))
    assert {step.attrib["cnt"] for step in long.iter("step")} == {"71", "29"}


def test_msccl_refuses_what_it_cannot_say() -> None:
    """Other collectives, sizes, paths through GPUs and messages at switches are named."""
    assert "all have one size" in refused("msccl-xml", pieced()["aab of sizes"])
    assert "has room for 256" in refused("msccl-xml", cut("ring:3", "aab", 300))
    assert "is none" in refused("msccl-xml", solved("ring:4", "mns"))
    assert "runs through router" in refused("msccl-xml", solved("kautz:2,2", "aas"))
    assert "rest at the pure switch" in refused("msccl-xml", around_a_switch("store-and-forward"))
