"""Programs of MSCCL, run by an independent interpreter."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable
from functools import partial
from xml.etree.ElementTree import Element, tostring

import defusedxml.ElementTree
import pytest

from pavane.judge.result import Result
from pavane.model.network import Network
from tests.io.formats.allreduces import ALLREDUCES, of_some
from tests.io.formats.gpu_schedules import MACHINES, at_first_fit
from tests.io.formats.msccl_interpreter import MscclProgram, run_msccl
from tests.io.formats.pieced import PIECED, cut, together
from tests.io.formats.schedules import refused, solved, written
from tests.io.formats.watched_memory import FaultError


def test_msccl_broadcasts_from_any_root() -> None:
    """The root of a broadcast has the input, and its own copy."""
    ring = solved("ring:5", "oab").problem.network
    result = at_first_fit(ring, "oab", 2, root=3)
    run_msccl(written("msccl-xml", result), "OAB", 2, root=3)


def _sends_swapped(text: str) -> str:
    lines = text.split("\n")
    first = next(i for i, line in enumerate(lines) if 's="0" type="s"' in line and 's="1"' in lines[i + 1])
    swapped = [lines[first + 1].replace('s="1"', 's="0"'), lines[first].replace('s="0"', 's="1"')]
    return "\n".join([*lines[:first], *swapped, *lines[first + 2 :]])


NO_WAITS = partial(re.sub, r'depid="\d+" deps="\d+"', 'depid="-1" deps="-1"')


@pytest.mark.parametrize(
    ("kind", "spoil", "fault"),
    [
        ("aas", NO_WAITS, "before it is written|reads what|both write"),
        # Two thread blocks add to the same chunk without an order.
        ("aar", NO_WAITS, "both write|reads what|writes what|before it is written"),
        ("aas", partial(re.sub, 'hasdep="1"', 'hasdep="0"'), "deadlock"),
        (
            "aas",
            partial(re.sub, r'(<step s="\d+" type=)"r"(.*hasdep="0")', r'\1"nop"\2', count=1),
            "deadlock|never received|is wrong|before it is written",
        ),
        ("aas", _sends_swapped, "is wrong|deadlock|before it is written|reads what"),
        ("aas", partial(re.sub, r'dstbuf="o" dstoff="\d+"', 'dstbuf="o" dstoff="4000"', count=1), r"o\[4000\]"),
    ],
)
def test_the_interpreter_finds_what_is_wrong(kind: str, spoil: Callable[..., str], fault: str) -> None:
    """Races, deadlocks, unmatched and wrong steps, and offsets out of range are found in spoilt programs."""
    text = written("msccl-xml", cut("ring:4", kind, 2))
    spoiled = spoil(string=text) if isinstance(spoil, partial) else spoil(text)
    assert spoiled != text
    with pytest.raises(FaultError, match=fault):
        run_msccl(spoiled, kind.upper(), 2)


def test_msccl_has_a_name_that_its_reader_takes() -> None:
    """MSCCL's reader knows double quotes only, no entities, and short names."""
    ring = solved("ring:4", "aab").problem.network
    odd = Network('"a" & <b>' + "é" * 300, ring.routers, ring.channels, ring.router_of)
    text = written("msccl-xml", at_first_fit(odd, "aab"))
    name = defusedxml.ElementTree.fromstring(text).attrib["name"]
    assert re.fullmatch(r"_a_ _ _b__+ allgather in 2 steps", name)
    assert len(name) == 63
    run_msccl(text, "AAB", 1)


def test_neighbouring_pieces_go_together() -> None:
    """What one transfer carries of a message is one step; several transfers at once take several channels."""
    packed = defusedxml.ElementTree.fromstring(written("msccl-xml", together(solved("ring:4", "aab"), 3)))
    assert {step.attrib["cnt"] for step in packed.iter("step")} == {"3"}
    assert packed.attrib["nchannels"] == "1"
    wide = defusedxml.ElementTree.fromstring(written("msccl-xml", PIECED["aas in 2 on wide channels"]()))
    assert int(wide.attrib["nchannels"]) > 1
    long = defusedxml.ElementTree.fromstring(written("msccl-xml", together(solved("ring:3", "aab"), 100)))
    assert {step.attrib["cnt"] for step in long.iter("step")} == {"71", "29"}


def test_long_pairs_and_many_peers_take_more_channels() -> None:
    """A pair with more than 64 steps has several thread blocks, and so has a GPU with more than 32 peers channels."""
    long = MscclProgram(written("msccl-xml", MACHINES["more steps than a block has room for"]()))
    assert {len(block.steps) for block in long.blocks if block.send >= 0} == {64, 16}
    many = MscclProgram(written("msccl-xml", MACHINES["more peers than a channel has room for"]()))
    assert many.num_channels == 2
    assert max(block.number for block in many.blocks) == 68


WIDE = PIECED["aas in 2 on wide channels"]


@pytest.mark.parametrize(
    ("make", "limit", "most", "what"),
    [
        (WIDE, "ELEMENTS", 20, "31 XML elements"),
        (WIDE, "BLOCKS_OF_A_GPU", 6, "7 thread blocks"),
        (WIDE, "BLOCKS_AWAITED", 3, "4 thread blocks that receive"),
        (WIDE, "CHUNKS", 7, "8 chunks in a buffer"),
        # Without pieces every message is a step, and too many of them are refused at once.
        (partial(solved, "ring:4", "aab"), "ELEMENTS", 5, "7 steps"),
        (MACHINES["more steps than a block has room for"], "CHANNELS", 1, "2 channels"),
    ],
)
def test_msccl_refuses_what_no_loader_has_room_for(
    make: Callable[[], Result], limit: str, most: int, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Too many channels, thread blocks, steps or chunks are counted in one line."""
    monkeypatch.setattr(f"pavane.io.formats.msccl_xml.MOST_{limit}", most)
    assert refused("msccl-xml", make()) == f"processor 0 needs {what}, and MSCCL has room for {most}"


def _dropped(steps: list[Element], number: int) -> None:
    del steps[number]


def _doubled(steps: list[Element], number: int) -> None:
    steps.insert(number, copy.deepcopy(steps[number]))


def _turned(steps: list[Element], number: int) -> None:
    """Turn an addition to a copy, or a copy to an addition to what is there."""
    step = steps[number]
    if step.attrib["type"] == "rrc":
        step.attrib["type"] = "r"
    else:
        step.attrib |= {"type": "rrc", "srcbuf": "i", "srcoff": "0"}


@pytest.mark.parametrize("spoil", [_dropped, _doubled, _turned])
@pytest.mark.parametrize("name", ["allreduce on a ring", "recursive doubling in 2", "reduce-broadcast in 4"])
def test_every_step_of_an_allreduce_matters(name: str, spoil: Callable[[list[Element], int], None]) -> None:
    """A program with one step dropped, doubled, or turned from adding to copying or back, is found out."""
    result = ALLREDUCES[name]()
    text = written("msccl-xml", result)
    kinds = ("r", "rrc") if spoil is _turned else ("s", "r", "rrc")
    count = sum(step.attrib["type"] in kinds for step in defusedxml.ElementTree.fromstring(text).iter("step"))
    for number in range(count):
        algo = defusedxml.ElementTree.fromstring(text)
        blocks = [(tb, i) for tb in algo.iter("tb") for i, step in enumerate(tb) if step.attrib["type"] in kinds]
        tb, index = blocks[number]
        steps = list(tb)
        spoil(steps, index)
        tb[:] = steps
        for i, step in enumerate(tb):
            step.attrib["s"] = str(i)
        with pytest.raises(FaultError):
            run_msccl(tostring(algo, encoding="unicode"), "ALLREDUCE", result.problem.collective.pieces)


def test_an_allreduce_may_be_in_place() -> None:
    """One buffer of all parts on every GPU, and a sum that would come too early waits in scratch for its copy."""
    for name, num_chunks in (("allreduce on a ring", 4), ("recursive doubling in 2", 8), ("allreduce of sizes", 5)):
        text = written("msccl-xml", ALLREDUCES[name]())
        algo = defusedxml.ElementTree.fromstring(text)
        assert [algo.attrib[key] for key in ("coll", "inplace", "outofplace")] == ["allreduce", "1", "1"]
        assert int(algo.attrib["nchunksperloop"]) == num_chunks
        assert {(gpu.attrib["i_chunks"], gpu.attrib["o_chunks"]) for gpu in algo} == {(str(num_chunks),) * 2}
        assert ('type="cpy"' in text) == ("doubling" in name)


def test_a_copy_that_does_not_wait_is_found() -> None:
    """In place, a sum that is copied before its input has been sent is a race."""
    text = written("msccl-xml", ALLREDUCES["recursive doubling in 2"]())
    early = re.sub(r'(type="nop".*)depid="\d+" deps="\d+"', r'\1depid="-1" deps="-1"', text)
    assert early != text
    with pytest.raises(FaultError, match="writes what"):
        run_msccl(early, "ALLREDUCE", 2)


@pytest.mark.parametrize(
    ("kind", "name"), [("ALLREDUCE", "allreduce"), ("AAB", "allgather"), ("AAS", "alltoall"), ("AAR", "reduce_scatter")]
)
def test_a_collective_of_some_is_refused(kind: str, name: str) -> None:
    """All GPUs take part in the collectives of the libraries, and all of them get the results."""
    text = f"{name} is that of all GPUs, and this {kind} of some"
    assert refused("msccl-xml", of_some(kind)) == f"MSCCL's {text}"
    assert refused("mscclpp", of_some(kind)) == f"MSCCL++'s {text.replace('_', '')}"
    to_one = of_some(kind, (0,)) if kind != "ALLREDUCE" else of_some()
    assert refused("msccl-xml", to_one) == f"MSCCL's {text}"
