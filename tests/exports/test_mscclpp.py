"""Plans of MSCCL++, carried out by an interpreter on symbolic data."""

from __future__ import annotations

import json
from collections import Counter
from itertools import pairwise
from typing import Any

import pytest

from pavane.exports import EXPORTS
from pavane.judge.result import Result
from tests.exports.memories import IN_PIECES, RUN, Memory, inputs, only_outputs, outputs
from tests.exports.pieced import pieced, together
from tests.exports.schedules import around_a_switch, refused, solved, written


def run_plan(plan: dict[str, Any], memory: Memory, order: int) -> Memory:
    """Carry out an MSCCL++ plan, one GPU as far as it gets before the next; every place is written once."""
    gpus = sorted(plan["gpus"], key=lambda gpu: gpu["id"], reverse=bool(order))
    at = {gpu["id"]: 0 for gpu in gpus}
    signals: Counter[tuple[str, int, int]] = Counter()

    def local(gpu: dict[str, Any], buffer: dict[str, Any]) -> list[tuple[int, str, int]]:
        sizes = {"i": "input_chunks", "o": "output_chunks", "s": "scratch_chunks"}
        numbers = range(buffer["index"], buffer["index"] + buffer["size"])
        assert numbers[-1] < gpu[sizes[buffer["type"]]]
        return [(gpu["id"], buffer["type"], number) for number in numbers]

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
            places = local(other, {"type": remote["type"], "index": there["index"], "size": there["size"]})
            for place, source in zip(places, local(gpu, op["src_buff"][0]), strict=True):
                assert place not in memory
                memory[place] = Counter(memory[source])
        elif name in ("copy", "re"):
            rows, (sink,) = [local(gpu, buffer) for buffer in op["src_buff"]], op["dst_buff"]
            for place, *sources in zip(local(gpu, sink), *rows, strict=True):
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
@pytest.mark.parametrize(
    "result",
    [*RUN, *(result for result in IN_PIECES if EXPORTS["mscclpp"].refusal(result) is None)],
    ids=lambda result: str(result.problem),
)
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


def test_neighbouring_pieces_are_put_together() -> None:
    """A message in pieces is as many chunks, and what goes together is one put of that size."""
    plan = json.loads(written("mscclpp", together(solved("ring:4", "aar"), 3)))
    for gpu in plan["gpus"]:
        assert (gpu["input_chunks"], gpu["output_chunks"]) == (12, 3)
        sizes = {op["src_buff"][0]["size"] for op in gpu["threadblocks"][0]["ops"] if op["name"] in ("put", "re")}
        assert sizes == {3}


def test_a_plan_refuses_what_it_cannot_say() -> None:
    """Other collectives, sizes, paths through GPUs, messages at switches and long programs are named."""
    assert "all have one size" in refused("mscclpp", pieced()["aas of sizes"])
    assert "this is MNS" in refused("mscclpp", solved("ring:4", "mns"))
    assert "runs through router" in refused("mscclpp", solved("kautz:2,2", "aas"))
    assert "rest at the pure switch" in refused("mscclpp", around_a_switch("store-and-forward"))
    assert "has room for 64" in refused("mscclpp", solved("ring:24", "aab"))
