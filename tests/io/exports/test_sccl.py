"""Algorithms of SCCL, carried out within their bandwidth."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

from pavane.io.exports import EXPORTS
from pavane.judge.result import Result
from tests.io.exports.allreduces import PASSING, summed
from tests.io.exports.gpu_schedules import RUN
from tests.io.exports.pieced import cut, pieced, together
from tests.io.exports.schedules import around_a_switch, refused, solved, there_and_back, written

STORED = [result for result in pieced().values() if EXPORTS["sccl"].refusal(result) is None]
"""Schedules of pieces, of sizes and on wide channels, over one channel in each transfer."""


def check_sccl(told: dict[str, Any]) -> None:
    """Follow the sends as msccl-tools does, and check its bandwidth limits and its postcondition."""
    links, switches = told["topology"]["links"], told["topology"]["switches"]
    cut_into = told["instance"]["chunks"]
    pieces = [
        {**chunk, "addr": chunk["addr"] * cut_into + i}
        for chunk in told["collective"]["chunks"]
        for i in range(cut_into)
    ]
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
    [
        *RUN[:-1],
        *STORED,
        solved("ring:4", "aas", "store-and-forward", duplex="half"),
        there_and_back(),
        solved("ring:3", "oab"),
    ],
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


def test_sccl_counts_chunks_and_rounds() -> None:
    """Pieces are what its chunks are cut into, capacities its links, and the payload of a step its rounds."""
    wide = json.loads(written("sccl", cut("ring:4", "aab", 4, wide=True)))
    assert wide["instance"]["chunks"] == 4
    assert wide["collective"]["name"] == "Allgather(n=4)"
    assert len(wide["collective"]["chunks"]) == 4
    assert wide["topology"]["links"][1][0] == 2
    assert wide["topology"]["links"][3][2] == 3
    assert wide["input_map"]["2"] == [8, 9, 10, 11]
    packed = json.loads(written("sccl", together(cut("ring:4", "aab"), 3)))
    assert {step["rounds"] for step in packed["steps"]} == {3}
    sized = json.loads(written("sccl", cut("ring:4", "aab", 1, ((0, 2), (1, 0)))))
    assert [chunk["addr"] for chunk in sized["collective"]["chunks"]] == [0, 1, 2, 3]
    assert [chunk["pre"] for chunk in sized["collective"]["chunks"]] == [[0], [0], [2], [3]]
    assert sized["collective"]["runtime_name"] == "custom"


def test_sccl_says_ports_and_half_duplex_as_switches() -> None:
    """One port out of and into each processor, or one message at a time on each link."""
    ports = json.loads(written("sccl", RUN[4]))["topology"]["switches"]
    assert [[0], [1, 2, 3], 1, "ports out of 0"] in ports
    assert [[0, 1, 2], [3], 1, "ports into 3"] in ports
    half = json.loads(written("sccl", solved("ring:4", "aas", "store-and-forward", duplex="half")))
    assert [[0, 1], [0, 1], 1, "link 0-1"] in half["topology"]["switches"]
    assert len(half["topology"]["switches"]) == 4


def test_sccl_refuses_what_its_model_lacks() -> None:
    """Longer paths, several processors on a router, switches, messages that rest there and allreduces are named."""
    assert "covers 2 channels, and SCCL covers one" in refused("sccl", solved("kautz:2,2", "aas"))
    assert "carries 2 processors" in refused("sccl", solved("ring:4*2", "aas", ports=1))
    assert "rest at the pure switch r3 (router hub)" in refused("sccl", around_a_switch("store-and-forward"))
    assert refused("sccl", summed("rails:2,4", "aab", rules=PASSING)) == (
        "the transfer from processor 0 to 3 in step 1 runs through the pure switch r8 (router 0.S), and SCCL knows "
        "links between processors only"
    )
    assert "does not say whether what arrives is added" in refused("sccl", summed("ring:4"))
