"""DMA programs, carried out by an interpreter on the network they describe."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

from pavane.judge.result import Result
from tests.io.formats.allreduces import replaced
from tests.io.formats.pieced import cut, pieced
from tests.io.formats.schedules import along_a_line, around_a_switch, exchange, solved, written

RESULTS = [
    solved("kautz:2,2", "aas"),
    solved("ring:4", "aab"),
    solved("ring:4*2", "aas", ports=1),
    solved("ring:4*2", "aab"),
    solved("ring:4", "mnb"),
    solved("ring:4", "aar"),
    exchange(),
    along_a_line(),
    around_a_switch("store-and-forward"),
    around_a_switch("wormhole"),
    *pieced().values(),
]


def carry_out(told: dict[str, Any]) -> tuple[list[set[tuple[Any, ...]]], set[tuple[Any, ...]]]:
    """Send every payload along its source route; return what arrives in each step, and channels used twice in one."""
    outputs = {router["router"]: router["outputs"] for router in told["routers"]}
    home = {program["at"]: program["router"] for program in told["programs"]}
    arrived: list[set[tuple[Any, ...]]] = []
    clashes: set[tuple[Any, ...]] = set()
    for step in range(1, told["steps"] + 1):
        busy: Counter[int] = Counter()
        came: Counter[tuple[Any, ...]] = Counter()
        expected: Counter[tuple[Any, ...]] = Counter()
        for program in told["programs"]:
            for entry in (entry for entry in program["program"] if entry["step"] == step):
                ports = [sent["port"] for sent in entry["send"]]
                assert len(set(ports)) == len(ports)
                ports = [received["port"] for received in entry["receive"]]
                assert len(set(ports)) == len(ports)
                for received in entry["receive"]:
                    expected[received["from"], program["at"], str(received["carries"])] += 1
                for sent in entry["send"]:
                    here = home[program["at"]]
                    *ways, last = sent["route"]
                    for port in ways:
                        out = outputs[here][port]
                        busy[out["channel"]] += 1
                        if busy[out["channel"]] > out.get("capacity", 1):
                            clashes.add((step, out["channel"]))
                        here = out["router"]
                    behind = last - len([out for out in outputs[here] if "channel" in out])
                    on = [out["processor"] for out in outputs[here] if "processor" in out]
                    there = on[behind] if on else f"r{here}"
                    assert there == sent["to"]
                    came[program["at"], there, str(sent["carries"])] += 1
        assert came == expected
        arrived.append(set(came))
    return arrived, clashes


@pytest.mark.parametrize("result", RESULTS, ids=lambda result: str(result.problem))
def test_the_programs_deliver_what_the_schedule_delivers(result: Result) -> None:
    """Source routes lead every payload to its receiver, which expects it, and no channel is used twice in a step."""
    told = json.loads(written("dma", result))
    assert told["format"] == "pavane/dma/1"
    arrived, clashes = carry_out(told)
    assert not clashes
    assert result.schedule is not None
    labels = result.problem.labels.tolist()

    def name(end: int) -> int | str:
        return end if end >= 0 else f"r{~end}"

    wanted: list[set[tuple[Any, ...]]] = [set() for _ in range(result.schedule.num_steps)]
    for transfer in result.schedule:
        what = str([labels[message] for message in transfer.messages])
        wanted[transfer.step].add((name(transfer.sender), name(transfer.receiver), what))
    assert arrived == wanted


@pytest.mark.parametrize("result", RESULTS, ids=lambda result: str(result.problem))
def test_no_processor_has_more_ports_than_the_rules_say(result: Result) -> None:
    """Ports count from 0, and there are as many as the router has channels, or as many as were asked for."""
    problem = result.problem
    for program in json.loads(written("dma", result))["programs"]:
        if isinstance(program["at"], str):
            continue
        for entry in program["program"]:
            assert all(sent["port"] < problem.injection[program["at"]] for sent in entry["send"])
            assert all(received["port"] < problem.ejection[program["at"]] for received in entry["receive"])
            if problem.rules.ports == "all" and problem.network.capacities is None:
                # An all-port processor has an engine for each channel of its router.
                assert all(sent["port"] == sent["route"][0] for sent in entry["send"] if len(sent["route"]) > 1)


def test_a_wide_channel_has_several_ports() -> None:
    """Each transfer on a channel of capacity c has one of its c ports; programs tell capacities and pieces."""
    told = json.loads(written("dma", cut("ring:4", "aab", 4, wide=True)))
    assert told["pieces"] == 4
    assert told["routers"][2]["outputs"][1] == {"channel": 4, "router": 3, "capacity": 3}
    ports = {sent["port"]: sent["route"][0] for entry in told["programs"][2]["program"] for sent in entry["send"]}
    assert ports == {0: 0, 1: 1, 2: 1, 3: 1}
    assert "pieces" not in json.loads(written("dma", solved("ring:4", "aab")))


def test_the_interpreter_notices_a_wrong_route() -> None:
    """A port that is changed sends a payload elsewhere, and that is seen."""
    told = json.loads(written("dma", solved("ring:4", "aab")))
    entry = told["programs"][0]["program"][0]["send"][0]
    entry["route"][0] = 1 - entry["route"][0]
    with pytest.raises(AssertionError):
        carry_out(told)


def test_an_allreduce_says_what_is_added() -> None:
    """Each receive tells for what it carries whether it is added or takes the place of what is there."""
    told = json.loads(written("dma", replaced()))
    received = {
        (program["at"], entry["step"]): [receive["adds"] for receive in entry["receive"]]
        for program in told["programs"]
        for entry in program["program"]
    }
    assert (received[1, 1], received[2, 1], received[2, 3]) == ([[True], [True]], [[True]], [[False]])
    assert "adds" not in written("dma", along_a_line())
