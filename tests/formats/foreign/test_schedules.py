"""Schedules of others: SCCL's algorithms and MSCCL's programs, judged by the same judge."""

from __future__ import annotations

import copy
import json
import re
import warnings
from pathlib import Path
from typing import Any

import pytest

from pavane.errors import InputError
from pavane.formats import Claim, read_problem, read_schedule
from pavane.judge.rules import verify
from tests.formats.foreign.samples import ALLGATHER, RING_LINKS, algorithm, allgather_xml

COMPLETE = [[int(a != b) for a in range(3)] for b in range(3)]
PAIRS3 = [(a, b) for a in range(3) for b in range(3) if a != b]


def claim_of(path: Path, content: object) -> Claim:
    """Write a file and read the claim in it."""
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return read_schedule(path)


def broken(claim: Claim) -> set[str]:
    """Return the rules that a claim breaks."""
    return {violation.rule for violation in verify(claim.problem, claim.schedule)}


# -- SCCL


@pytest.mark.parametrize(
    ("kind", "links", "chunks", "steps"),
    [
        ("AAB", COMPLETE, [(p, [0, 1, 2], p) for p in range(3)], [(1, [(a, a, b) for a, b in PAIRS3])]),
        ("OAB", COMPLETE, [(1, [0, 1, 2], 0)], [(1, [(0, 1, 0), (0, 1, 2)])]),
        ("OAS", COMPLETE, [(0, [p], p) for p in range(3)], [(1, [(1, 0, 1), (2, 0, 2)])]),
        ("AOG", COMPLETE, [(p, [0], p) for p in range(3)], [(1, [(1, 1, 0), (2, 2, 0)])]),
        (
            "AAS",
            COMPLETE,
            [(a, [b], 3 * b + a) for b in range(3) for a in range(3)],
            [(1, [(3 * b + a, a, b) for a, b in PAIRS3])],
        ),
        ("AOR", COMPLETE, [(p, [2], 0) for p in range(3)], [(1, [(0, 0, 2), (0, 1, 2)])]),
        ("AAR", COMPLETE, [(a, [b], b) for b in range(3) for a in range(3)], [(1, [(b, a, b) for a, b in PAIRS3])]),
        ("MNB", COMPLETE, [(0, [0, 1, 2], 0), (1, [0, 1, 2], 1)], [(1, [(0, 0, 1), (0, 0, 2), (1, 1, 0), (1, 1, 2)])]),
        ("MNS", COMPLETE, [(0, [1], 0), (0, [2], 1), (1, [2], 2)], [(1, [(0, 0, 1), (1, 0, 2), (2, 1, 2)])]),
        ("PAIRS", RING_LINKS, [(0, [1], 5), (2, [3], 6)], [(1, [(5, 0, 1), (6, 2, 3)])]),
    ],
)
def test_collectives_are_known_by_what_is_wanted(
    kind: str, links: list[list[int]], chunks: list[Any], steps: list[Any], tmp_path: Path
) -> None:
    """Who has what before and after tells the collective, and the schedule is valid."""
    claim = claim_of(tmp_path / "a.json", algorithm(links, chunks, steps))
    assert claim.problem.collective.kind == kind
    assert claim.problem.rules.switching == "store-and-forward"
    assert broken(claim) == set()
    assert read_problem(tmp_path / "a.json") == claim.problem


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        (lambda steps: steps[1]["sends"].pop(), "never-delivered"),
        (lambda steps: steps[0]["sends"].append([0, 0, 1]), "channel-capacity"),
        (lambda steps: steps[1]["sends"].__setitem__(0, [0, 0, 2]), "broken-path"),
        (lambda steps: steps[0]["sends"].append([1, 2, 3]), "not-held"),
        (lambda steps: steps[1]["sends"].append([0, 2, 1]), "delivered-twice"),
        (lambda steps: steps[1]["sends"].append([9, 2, 1]), "unknown-message"),
        (lambda steps: steps.append({"rounds": 1, "sends": []}), "empty-step"),
        (lambda steps: steps[1]["sends"].append([0, 9, 1]), "wrong-ends"),
    ],
)
def test_what_a_schedule_of_sccl_breaks_is_named(change: Any, rule: str, tmp_path: Path) -> None:
    """A foreign schedule that breaks a rule is read, and judged."""
    content = copy.deepcopy(ALLGATHER)
    change(content["steps"])
    found = broken(claim_of(tmp_path / "a.json", content))
    assert rule in found or (rule == "wrong-ends" and "broken-path" in found)


def test_rounds_are_steps(tmp_path: Path) -> None:
    """Three messages over two channels in a step of two rounds are two steps; in one round they are too many."""
    chunks = [(0, [0, 1], 0), (2, [2, 1], 1), (3, [3, 1], 2)]
    links = [[0, 0, 0, 0], [2, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]
    links[0][2] = links[0][3] = 1
    wanted = [(c[0], [1], c[2]) for c in chunks]
    for rounds, rules in ((2, set()), (1, {"channel-capacity"})):
        steps = [(1, [(1, 2, 0), (2, 3, 0)]), (rounds, [(0, 0, 1), (1, 0, 1), (2, 0, 1)])]
        claim = claim_of(tmp_path / "a.json", algorithm(links, wanted, steps))
        assert claim.schedule.num_steps == 1 + rounds
        assert broken(claim) - {"port-capacity"} == rules


def test_limits_of_switches_are_judged_as_ports(tmp_path: Path) -> None:
    """One at a time out of each processor: two sends in a step of one round are too many, in two rounds they fit."""
    chunks = [(0, [0, 1, 2], 0)]
    limits = [[[p], [q for q in range(3) if q != p], 1, "out"] for p in range(3)]
    limits += [[[q for q in range(3) if q != p], [p], 1, "in"] for p in range(3)]
    for rounds, rules in ((1, {"port-capacity"}), (2, set())):
        content = algorithm(COMPLETE, chunks, [(rounds, [(0, 0, 1), (0, 0, 2)])])
        content["topology"]["switches"] = limits
        claim = claim_of(tmp_path / "a.json", content)
        assert claim.problem.rules.ports == 1
        assert broken(claim) == rules


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (ALLGATHER | {"instance": {"chunks": 2}}, "it cuts every message into 2 parts"),
        (ALLGATHER | {"instance": {"chunks": 1, "pipeline": 3}}, "its steps overlap (pipeline)"),
        (algorithm(COMPLETE, [(p, [0, 1, 2], 0) for p in range(3)], []), "(allreduce), which is two collectives here"),
        (algorithm(COMPLETE, [(0, [1], 0), (0, [1], 1)], []), "two messages go from 0 to 1, and here one does"),
        (algorithm(COMPLETE, [(0, [0, 1, 2], 0), (0, [0, 1, 2], 1)], []), "processor 0 broadcasts several messages"),
        (algorithm(COMPLETE, [(0, [7], 0)], []), "chunks[0] names a processor beyond 2"),
        (algorithm(COMPLETE, [(0, [0], 0)], []), "its collective asks for nothing to be sent"),
        (algorithm(COMPLETE, [(0, [0, 1, 2], 0)], [(0, [])]), "steps[0]: 0 rounds; give 1 to"),
        (algorithm(COMPLETE, [(0, [0, 1, 2], 0)], [(1, [(0, -1, 2)])]), "steps[0]: [0, -1, 2] names no processors"),
        (
            ALLGATHER | {"topology": None},
            "not what was expected there: expected `object`, got `null` - at `$.topology`",
        ),
    ],
)
def test_what_cannot_be_said_here_is_refused(content: dict[str, Any], said: str, tmp_path: Path) -> None:
    """One line that names the file and says what to do."""
    with pytest.raises(InputError, match=re.escape(said)) as caught:
        claim_of(tmp_path / "a.json", content)
    assert str(caught.value).startswith(str(tmp_path / "a.json"))


# -- MSCCL


def program(collective: str, gpus: list[tuple[int, str]], more: str = "") -> str:
    """Return a program: for each GPU how many input chunks it has, and its blocks."""
    bodies = [
        f'<gpu id="{number}" i_chunks="{inputs}" o_chunks="2" s_chunks="0">{blocks}</gpu>'
        for number, (inputs, blocks) in enumerate(gpus)
    ]
    return f'<algo name="n" coll="{collective}" ngpus="{len(gpus)}" {more}>{"".join(bodies)}</algo>'


def block(number: int, send: int, recv: int, *steps: str) -> str:
    """Return a thread block; a step reads `s i0 o1`: type, source and sink, and perhaps what it waits for and `x2`."""
    made = []
    for at, step in enumerate(steps):
        kind, source, sink, *rest = step.split()
        wait = next((word[1:].split(".") for word in rest if word[0] == "@"), ["-1", "-1"])
        count = next((word[1:] for word in rest if word[0] == "x"), "1")
        made.append(
            f'<step s="{at}" type="{kind}" srcbuf="{source[0]}" srcoff="{source[1:]}" dstbuf="{sink[0]}" '
            f'dstoff="{sink[1:]}" cnt="{count}" depid="{wait[0]}" deps="{wait[1]}" hasdep="0"/>'
        )
    return f'<tb id="{number}" send="{send}" recv="{recv}" chan="0">{"".join(made)}</tb>'


def test_a_program_gets_steps_and_a_network(tmp_path: Path) -> None:
    """Connections are channels, and what was received goes on in the next step."""
    claim = claim_of(tmp_path / "a.xml", allgather_xml())
    assert claim.problem.collective.kind == "AAB"
    assert claim.problem.network.channels.tolist() == [[0, 1], [1, 2], [2, 0]]
    assert claim.schedule.num_steps == 2
    assert broken(claim) == set()


def test_sends_that_do_not_wait_are_told(tmp_path: Path) -> None:
    """In lock step the data are there; on GPUs they may not be."""
    (tmp_path / "a.xml").write_text(allgather_xml(wait=False))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        read_schedule(tmp_path / "a.xml")
    assert "3 sends not told to wait for what is sent, as on GPU 0 step 1 of tb 0" in str(caught[0].message)


@pytest.mark.parametrize(
    ("kind", "text", "num_steps"),
    [
        (
            "AAS",
            program("alltoall", [(2, block(0, 1, 1, "s i1 o0", "r i0 o1")), (2, block(0, 0, 0, "s i0 o1", "r i0 o0"))]),
            1,
        ),
        (
            "AAR",
            program(
                "reduce_scatter",
                [(2, block(0, 1, 1, "s i1 o0", "rrc i0 o0")), (2, block(0, 0, 0, "s i0 o0", "rrc i1 o0"))],
            ),
            1,
        ),
        (
            "OAB",
            program(
                "broadcast",
                [(0, block(0, -1, 1, "r i0 o0")), (0, block(0, 0, 2, "rcs i0 o0")), (1, block(0, 1, -1, "s i0 o0"))],
            ),
            2,
        ),
    ],
)
def test_collectives_of_msccl(kind: str, text: str, num_steps: int, tmp_path: Path) -> None:
    """Alltoall, reduce-scatter and broadcast are read, too; who has an input is the root."""
    claim = claim_of(tmp_path / "a.xml", text)
    assert claim.problem.collective.kind == kind
    assert claim.schedule.num_steps == num_steps
    assert broken(claim) == set()


def test_several_parts_at_once_are_combined(tmp_path: Path) -> None:
    """A send of two parts carries two messages, which is combining."""
    text = program(
        "alltoall",
        [
            (3, block(0, 1, -1, "s i1 s0 x2") + block(1, -1, 2, "r i0 o2")),
            (3, block(0, -1, 0, "r i0 s0 x2") + block(1, 2, -1, "s s1 o0 @0.0")),
            (3, block(0, -1, 1, "r i0 o0") + block(1, 0, -1, "s i0 o2")),
        ],
    )
    claim = claim_of(tmp_path / "a.xml", text)
    assert claim.problem.rules.combining
    carried = [claim.problem.labels[list(t.messages)].tolist() for t in claim.schedule]
    assert carried == [[[0, 1], [0, 2]], [[2, 0]], [[0, 2]]]
    assert broken(claim) == {"never-delivered"}


def test_what_a_program_breaks_is_named(tmp_path: Path) -> None:
    """What is sent before it came is not held; what is never sent is never delivered."""
    early = allgather_xml().replace(
        'srcbuf="i" srcoff="0" dstbuf="o" dstoff="0"', 'srcbuf="o" srcoff="1" dstbuf="o" dstoff="0"'
    )
    assert {"not-held", "never-delivered"} <= broken(claim_of(tmp_path / "a.xml", early))
    nothing = allgather_xml().replace(
        'srcbuf="i" srcoff="0" dstbuf="o" dstoff="0"', 'srcbuf="s" srcoff="8" dstbuf="o" dstoff="0"'
    )
    assert {"unknown-message", "never-delivered"} <= broken(claim_of(tmp_path / "a.xml", nothing))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (allgather_xml().replace("allgather", "allreduce"), "an allreduce is two collectives here"),
        (allgather_xml().replace("allgather", "custom"), "coll is 'custom'; read are allgather, alltoall"),
        (allgather_xml().replace('i_chunks="1"', 'i_chunks="4"'), "it cuts every message into 4 parts"),
        (allgather_xml().replace('<gpu id="2"', '<gpu id="7"'), "the ids of its 3 GPUs must be 0 to 2"),
        (allgather_xml().replace('ngpus="3"', 'ngpus="4"'), "ngpus is 4, but there are 3 GPUs"),
        (allgather_xml().replace('type="s"', 'type="r"', 1), "recv` is -1, which is no other GPU"),
        (allgather_xml().replace('deps="0"', 'deps="8"', 1), "waits for step 8 of tb 1, which there is none"),
        (allgather_xml().replace('type="s"', 'type="teleport"', 1), "type 'teleport' is not known"),
        (
            program("alltoall", [(2, block(0, 1, -1, "s i1 o0")), (2, "")]),
            "GPU 0 sends 1 times to GPU 1 over channel 0, which receives 0 times; the program would wait for ever",
        ),
        (
            program("alltoall", [(2, block(0, 1, 1, "r i0 o1", "s i1 o0")), (2, block(0, 0, 0, "r i0 o0", "s i0 o1"))]),
            "wait for each other in a circle",
        ),
        (
            program("alltoall", [(2, block(0, 1, -1, "s i1 o0")), (2, block(0, -1, 0, "r i0 o0"))]),
            "its connections cannot carry the collective: processor",
        ),
        (program("broadcast", [(0, ""), (0, "")]), "which GPU broadcasts is not said: 2 receive nothing"),
    ],
)
def test_programs_that_cannot_be_read_are_refused(text: str, said: str, tmp_path: Path) -> None:
    """One line that names the file and says what is wrong."""
    with pytest.raises(InputError, match=re.escape(said)) as caught:
        claim_of(tmp_path / "a.xml", text)
    assert str(caught.value).startswith(str(tmp_path / "a.xml"))
