"""Exports for GPU libraries, carried out by interpreters of the formats on symbolic data."""

from __future__ import annotations

import json
from collections import Counter
from itertools import pairwise
from typing import Any
from xml.etree.ElementTree import Element

import defusedxml.ElementTree
import pytest

from pavane.judge.result import Result
from tests.exports.schedules import around_a_switch, exchange, refused, solved, there_and_back, written

Data = Counter[tuple[int, int]]
"""Contributions by the processor and the block of its input that they come from."""
Memory = dict[tuple[int, str, int], Data]

RUN = [
    solved("ring:4", "aab"),
    solved("ring:4", "aar"),
    solved("ring:4", "aas", "store-and-forward"),
    solved("ring:5", "aar", "store-and-forward"),
    solved("ring:4", "aas", "store-and-forward", ports=1),
    exchange(),
    around_a_switch("wormhole"),
]


def inputs(result: Result) -> Memory:
    """Fill the input of every processor: each block holds itself."""
    count = result.problem.network.num_processors
    blocks = 1 if result.problem.collective.kind in ("AAB", "OAB") else count
    return {(p, "i", block): Counter({(p, block): 1}) for p in range(count) for block in range(blocks)}


def outputs(result: Result) -> Memory:
    """Say what MPI's collectives leave in the outputs."""
    everyone = range(result.problem.network.num_processors)
    kind = result.problem.collective.kind
    if kind == "AAB":
        return {(p, "o", o): Counter({(o, 0): 1}) for p in everyone for o in everyone}
    if kind == "AAS":
        return {(p, "o", o): Counter({(o, p): 1}) for p in everyone for o in everyone}
    if kind == "OAB":
        return {(p, "o", 0): Counter({(0, 0): 1}) for p in everyone}
    return {(p, "o", 0): Counter({(o, p): 1 for o in everyone}) for p in everyone}


def only_outputs(memory: Memory) -> Memory:
    """Return what stands in outputs."""
    return {place: data for place, data in memory.items() if place[1] == "o"}


# -- SCCL


def check_sccl(told: dict[str, Any]) -> None:
    """Follow the sends as msccl-tools does, and check its bandwidth limits and its postcondition."""
    links, switches = told["topology"]["links"], told["topology"]["switches"]
    pieces = told["collective"]["chunks"]
    held = {(processor, number) for number, piece in enumerate(pieces) for processor in piece["pre"]}
    assert len(links) == told["collective"]["nodes"]
    for step in told["steps"]:
        loads = Counter((source, sink) for _, source, sink in step["sends"])
        for (source, sink), load in loads.items():
            assert 0 < load <= links[sink][source] * step["rounds"]
        for sources, sinks, width, _ in switches:
            load = sum(loads[source, sink] for source in sources for sink in sinks)
            assert load <= width * step["rounds"]
        before = set(held)
        for address, source, sink in step["sends"]:
            moved = [n for n, piece in enumerate(pieces) if piece["addr"] == address and (source, n) in before]
            assert moved
            held |= {(sink, number) for number in moved}
    assert {(processor, n) for n, piece in enumerate(pieces) for processor in piece["post"]} <= held


@pytest.mark.parametrize(
    "result",
    [*RUN[:-1], solved("ring:4", "aas", "store-and-forward", duplex="half"), there_and_back(), solved("ring:3", "oab")],
    ids=lambda result: str(result.problem),
)
def test_sccl_carries_the_collective_out_within_its_bandwidth(result: Result) -> None:
    """By SCCL's own rules the sends reach the postcondition and fit the links, in so many steps and rounds."""
    told = json.loads(written("sccl", result))
    check_sccl(told)
    assert result.schedule is not None
    assert told["instance"]["steps"] == len(told["steps"]) == result.num_steps
    assert sum(step["rounds"] for step in told["steps"]) == result.schedule.tco
    assert told["instance"]["extra_rounds"] == result.schedule.tco - result.schedule.num_steps


def test_sccl_has_the_names_and_numbers_of_msccl_tools() -> None:
    """An alltoall has its parts by target and origin, its own included, and the types that msccl-tools reads."""
    told = json.loads(written("sccl", RUN[2]))
    assert told["collective"]["name"] == "Alltoall(n=4)"
    assert told["collective"]["runtime_name"] == "alltoall"
    piece = {"msccl_type": "chunk", "pre": [3], "post": [1], "addr": 7}
    assert told["collective"]["chunks"][7] == piece
    assert told["input_map"]["2"] == [2, 6, 10, 14]
    assert told["output_map"]["2"] == [8, 9, 10, 11]
    kinds = [told[key]["msccl_type"] for key in ("instance", "collective", "topology")]
    assert kinds == ["instance", "collective", "topology"]
    assert {step["msccl_type"] for step in told["steps"]} == {"step"}


def test_sccl_says_ports_and_half_duplex_as_switches() -> None:
    """One port out of and into each processor, or one message at a time on each link."""
    ports = json.loads(written("sccl", RUN[4]))["topology"]["switches"]
    assert [[0], [1, 2, 3], 1, "ports out of 0"] in ports
    assert [[0, 1, 2], [3], 1, "ports into 3"] in ports
    half = json.loads(written("sccl", solved("ring:4", "aas", "store-and-forward", duplex="half")))
    assert [[0, 1], [0, 1], 1, "link 0-1"] in half["topology"]["switches"]
    assert len(half["topology"]["switches"]) == 4


def test_sccl_refuses_what_its_model_lacks() -> None:
    """Longer paths, several processors on a router and messages at switches are named."""
    assert "covers 2 channels, and SCCL covers one" in refused("sccl", solved("kautz:2,2", "aas"))
    assert "carries 2 processors" in refused("sccl", solved("ring:4*2", "aas", ports=1))
    assert "rest at the pure switch r3 (router hub)" in refused("sccl", around_a_switch("store-and-forward"))


# -- MSCCL


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
        self.wires: dict[tuple[int, int, str], list[Data]] = {}

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
        source, sink = ((gpu, step.attrib[f"{end}buf"], int(step.attrib[f"{end}off"])) for end in ("src", "dst"))
        if kind == "s":
            wire = (gpu, int(tb.attrib["send"]), tb.attrib["chan"])
            self.wires.setdefault(wire, []).append(self.read(source))
        elif kind == "cpy":
            self.write(sink, self.read(source))
        else:
            waiting = self.wires.get((int(tb.attrib["recv"]), gpu, tb.attrib["chan"]), [])
            if not waiting:
                return False
            came = waiting.pop(0)
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
@pytest.mark.parametrize("result", [*RUN, solved("ring:3", "oab")], ids=lambda result: str(result.problem))
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


def test_msccl_refuses_what_it_cannot_say() -> None:
    """Other collectives, paths through GPUs and messages at switches are named."""
    assert "is none" in refused("msccl-xml", solved("ring:4", "mns"))
    assert "runs through router" in refused("msccl-xml", solved("kautz:2,2", "aas"))
    assert "rest at the pure switch" in refused("msccl-xml", around_a_switch("store-and-forward"))


# -- MSCCL++


def run_plan(plan: dict[str, Any], memory: Memory, order: int) -> Memory:
    """Carry out an MSCCL++ plan, one GPU as far as it gets before the next; every place is written once."""
    gpus = sorted(plan["gpus"], key=lambda gpu: gpu["id"], reverse=bool(order))
    at = {gpu["id"]: 0 for gpu in gpus}
    signals: Counter[tuple[str, int, int]] = Counter()

    def local(gpu: dict[str, Any], buffer: dict[str, Any]) -> tuple[int, str, int]:
        sizes = {"i": "input_chunks", "o": "output_chunks", "s": "scratch_chunks"}
        assert buffer["size"] == 1
        assert buffer["index"] < gpu[sizes[buffer["type"]]]
        return gpu["id"], buffer["type"], buffer["index"]

    def can(gpu: dict[str, Any]) -> bool:
        (block,) = gpu["threadblocks"]
        if at[gpu["id"]] == len(block["ops"]):
            return False
        op = block["ops"][at[gpu["id"]]]
        ids = [block["channels"][0]["channel_ids"][i] for i in op.get("channel_ids", [])]
        peers = [gpu["channels"][0]["connected_to"][i] for i in ids]
        assert len(peers) <= 8
        name = op["name"]
        if name.endswith("wait"):
            keys = [(name[:-4], peer, gpu["id"]) for peer in peers]
            if not all(signals[key] for key in keys):
                return False
            signals.subtract(keys)
        elif name.endswith("signal"):
            signals.update((name[:-6], gpu["id"], peer) for peer in peers)
        elif name == "put":
            (there,) = op["dst_buff"]
            number = block["remote_buffer_refs"][0]["remote_buffer_ids"][there["buffer_id"]]
            remote = gpu["remote_buffers"][number]
            other = next(g for g in plan["gpus"] if g["id"] == remote["rank"])
            place = local(other, {"type": remote["type"], "index": there["index"], "size": there["size"]})
            assert place not in memory
            memory[place] = Counter(memory[local(gpu, op["src_buff"][0])])
        elif name in ("copy", "re"):
            sources, (sink,) = [local(gpu, buffer) for buffer in op["src_buff"]], op["dst_buff"]
            place = local(gpu, sink)
            assert place not in memory or place == sources[0]
            memory[place] = sum((memory[source] for source in sources), Counter())
        else:
            assert name == "nop"
        at[gpu["id"]] += 1
        return True

    while sum(can(gpu) for gpu in gpus for _ in range(100 if order < 2 else 1)):
        pass
    assert all(at[gpu["id"]] == len(gpu["threadblocks"][0]["ops"]) for gpu in gpus)
    assert not +signals
    return only_outputs(memory)


@pytest.mark.parametrize("order", [0, 1, 2])
@pytest.mark.parametrize("result", RUN, ids=lambda result: str(result.problem))
def test_a_plan_fills_the_outputs_in_whatever_order_gpus_run(result: Result, order: int) -> None:
    """However fast GPUs run, signals see to it that the outputs are those of the collective."""
    plan = json.loads(written("mscclpp", result))
    assert run_plan(plan, inputs(result), order) == outputs(result)


def test_a_plan_has_what_its_reader_asks_for() -> None:
    """The keys that MSCCL++ loads are there, and the channels of two GPUs are mutual."""
    plan = json.loads(written("mscclpp", RUN[1]))
    assert (plan["collective"], plan["protocol"], plan["inplace"]) == ("reducescatter", "Simple", False)
    peers = {gpu["id"]: gpu["channels"][0]["connected_to"] for gpu in plan["gpus"]}
    assert all(a in peers[b] for a in peers for b in peers[a])
    assert [gpu["id"] for gpu in plan["gpus"]] == [0, 1, 2, 3]
    for gpu in plan["gpus"]:
        assert (gpu["input_chunks"], gpu["output_chunks"]) == (4, 1)
        names = [op["name"] for op in gpu["threadblocks"][0]["ops"]]
        # Threads wait for each other between a put and its signal, and between a signal's arrival and what follows.
        assert all(after == "nop" for op, after in pairwise(names) if op == "wait" and after != "wait")
        before = [names[i - 1] for i, op in enumerate(names) if op == "signal"]
        assert set(before) <= {"nop", "signal"}


def test_a_plan_refuses_what_it_cannot_say() -> None:
    """Other collectives, paths through GPUs, messages at switches and long programs are named."""
    assert "this is MNS" in refused("mscclpp", solved("ring:4", "mns"))
    assert "runs through router" in refused("mscclpp", solved("kautz:2,2", "aas"))
    assert "rest at the pure switch" in refused("mscclpp", around_a_switch("store-and-forward"))
    assert "has room for 64" in refused("mscclpp", solved("ring:24", "aab"))
