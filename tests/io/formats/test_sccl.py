"""Algorithms of SCCL: read ones are judged by the same judge, written ones carried out within their bandwidth."""

from __future__ import annotations

import copy
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from pavane.errors import InputError
from pavane.io import Note, read_problem, read_schedule
from pavane.io.exports import EXPORTS
from pavane.io.formats import sccl
from pavane.judge.result import Result
from pavane.model.messages import Collective
from pavane.model.network import Network
from pavane.networks import network
from tests.io.formats.allreduces import PASSING, summed
from tests.io.formats.claims import broken, claim_of
from tests.io.formats.gpu_schedules import RUN
from tests.io.formats.pieced import cut, pieced, together
from tests.io.formats.samples import ALLGATHER, RING_LINKS, algorithm
from tests.io.formats.schedules import along_a_line, around_a_switch, refused, solved, written

COMPLETE = [[int(a != b) for a in range(3)] for b in range(3)]
PAIRS3 = [(a, b) for a in range(3) for b in range(3) if a != b]


COMPLETE4 = [[int(a != b) for a in range(4)] for b in range(4)]
CROSSED: list[Any] = [(0, [1], 0), (2, [0], 1), (2, [3], 2), (0, [3], 3)]


def limited(count: int, content: dict[str, Any]) -> dict[str, Any]:
    """Let switches limit every processor to one message out and one in at a time."""
    others = [[q for q in range(count) if q != p] for p in range(count)]
    content["topology"]["switches"] = [[[p], others[p], 1, "out"] for p in range(count)]
    content["topology"]["switches"] += [[others[p], [p], 1, "in"] for p in range(count)]
    return content


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


def test_rounds_are_what_a_transfer_carries(tmp_path: Path) -> None:
    """Three messages over a channel of capacity 2 are combined in a step of two rounds, and too many in one round."""
    chunks = [(0, [1], 0), (2, [1], 1), (3, [1], 2)]
    links = [[0, 0, 1, 1], [2, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]
    for rounds, rules in ((2, set()), (1, {"channel-capacity"})):
        steps = [(1, [(1, 2, 0), (2, 3, 0)]), (rounds, [(0, 0, 1), (1, 0, 1), (2, 0, 1)])]
        claim = claim_of(tmp_path / "a.json", algorithm(links, chunks, steps))
        assert claim.schedule.num_steps == 2
        assert claim.schedule.tco == 1 + rounds
        assert claim.problem.rules.combining == (rounds == 2)
        assert broken(claim) - {"port-capacity"} == rules
    steps = [(1, [(1, 2, 0), (2, 3, 0)]), (2, [(addr, 0, 1) for addr in (0, 1, 2, 0, 1)])]
    assert "channel-capacity" in broken(claim_of(tmp_path / "a.json", algorithm(links, chunks, steps)))


def test_chunks_are_pieces(tmp_path: Path) -> None:
    """An instance of two chunks cuts each message in two, which go their own ways round a ring."""
    whole = [(p, [0, 1, 2, 3], p) for p in range(4)]
    steps = [
        (1, [(2 * p, p, (p + 1) % 4) for p in range(4)] + [(2 * p + 1, p, (p - 1) % 4) for p in range(4)]),
        (
            1,
            [(2 * p, (p + 1) % 4, (p + 2) % 4) for p in range(4)]
            + [(2 * p + 1, (p - 1) % 4, (p - 2) % 4) for p in range(4)],
        ),
        (
            1,
            [(2 * p, (p + 2) % 4, (p + 3) % 4) for p in range(4)]
            + [(2 * p + 1, (p - 2) % 4, (p - 3) % 4) for p in range(4)],
        ),
    ]
    claim = claim_of(tmp_path / "a.json", algorithm(RING_LINKS, whole, steps) | {"instance": {"chunks": 2}})
    assert claim.problem.collective == Collective("AAB", (0, 1, 2, 3), (0, 1, 2, 3), pieces=2)
    assert broken(claim) == set()
    assert claim.result().num_steps == 3
    lost = copy.deepcopy(steps)
    lost[2][1].pop()
    spoiled = claim_of(tmp_path / "a.json", algorithm(RING_LINKS, whole, lost) | {"instance": {"chunks": 2}})
    assert broken(spoiled) == {"never-delivered"}


@pytest.mark.parametrize(
    ("collective", "chunks", "cut"),
    [
        (Collective("AAB", (0, 1, 2), (0, 1, 2), sizes=((0, 2),)), [(0, 0), (0, 1), (1, 2), (2, 3)], 1),
        (Collective("AAB", (0, 1, 2), (0, 1, 2), pieces=2, sizes=((0, 2),)), [(0, 0), (0, 1), (1, 2), (2, 3)], 2),
        (Collective("AAB", (0, 1, 2), (0, 1, 2), pieces=2), [(p // 2, p) for p in range(6)], 1),
        (Collective("OAB", (1,), (0, 2), pieces=6), [(1, 0), (1, 1)], 3),
    ],
)
def test_several_chunks_of_one_sender_are_units(
    collective: Collective, chunks: list[tuple[int, int]], cut: int, tmp_path: Path
) -> None:
    """Unequal numbers of chunks become sizes, equal ones pieces."""
    content = algorithm(COMPLETE, [(p, [0, 1, 2], addr) for p, addr in chunks], []) | {"instance": {"chunks": cut}}
    assert claim_of(tmp_path / "a.json", content).problem.collective == collective


def test_pieces_of_private_messages_and_sums(tmp_path: Path) -> None:
    """Two chunks from 0 to 1 are a message of two units, and two sums for one processor a reduction of two pieces."""
    content = algorithm(COMPLETE, [(0, [1], 0), (0, [1], 1), (0, [2], 2)], [(2, [(0, 0, 1), (1, 0, 1), (2, 0, 2)])])
    claim = claim_of(tmp_path / "a.json", content)
    assert claim.problem.collective == Collective("OAS", (0,), (1, 2), sizes=((0, 1, 2),))
    assert (broken(claim), claim.schedule.num_steps, claim.schedule.tco) == (set(), 1, 2)
    sums = [(a, [b], 2 * b + part) for b in range(3) for a in range(3) for part in range(2)]
    steps = [(2, [(2 * b + part, a, b) for a, b in PAIRS3 for part in range(2)])]
    claim = claim_of(tmp_path / "a.json", algorithm(COMPLETE, sums, steps))
    assert claim.problem.collective == Collective("AAR", (0, 1, 2), (0, 1, 2), pieces=2)
    assert broken(claim) == set()


def test_a_name_that_says_more_than_is_asked_for_is_told(tmp_path: Path) -> None:
    """An alltoall without one of its processors is a smaller problem, and its figures are of that problem."""
    content = algorithm(COMPLETE, [(0, [1], 0), (1, [0], 1)], [(1, [(0, 0, 1), (1, 1, 0)])])
    content["collective"]["name"] = "Alltoall(n=3)"
    (tmp_path / "a.json").write_text(json.dumps(content))
    with pytest.warns(Note, match=re.escape("it calls itself Alltoall(n=3), but requests MNS from 2 senders to 2")):
        read_schedule(tmp_path / "a.json")


def test_limits_of_switches_are_judged_as_ports(tmp_path: Path) -> None:
    """One at a time out of each processor: two sends in a step of one round are too many, in two rounds they fit."""
    chunks = [(0, [0, 1, 2], 0)]
    for rounds, rules in ((1, {"port-capacity"}), (2, set())):
        content = limited(3, algorithm(COMPLETE, chunks, [(rounds, [(0, 0, 1), (0, 0, 2)])]))
        claim = claim_of(tmp_path / "a.json", content)
        assert claim.problem.rules.ports == 1
        assert broken(claim) == rules


def test_sends_that_no_rounds_could_hold_are_left_to_the_judge(tmp_path: Path) -> None:
    """Three out of one processor, one at a time, do not fit into two rounds in any order."""
    chunks = [(0, [p], p) for p in range(1, 4)]
    content = limited(4, algorithm(COMPLETE4, chunks, [(2, [(p, 0, p) for p in range(1, 4)])]))
    assert broken(claim_of(tmp_path / "a.json", content)) == {"port-capacity"}


def test_limits_that_are_not_judged_are_told(tmp_path: Path) -> None:
    """What neither ports nor channels can say: one of three that goes out of one processor."""
    content = algorithm(COMPLETE, [(0, [0, 1, 2], 0)], [(1, [(0, 0, 1), (0, 0, 2)])])
    content["topology"]["switches"] = [[[0, 1], [1, 2], 1, "neither"]]
    (tmp_path / "a.json").write_text(json.dumps(content))
    with pytest.warns(Note, match="1 limits of its switches are not judged: channels and ports cannot say them"):
        assert broken(read_schedule(tmp_path / "a.json")) == set()


def test_too_many_sends_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are counted before anything is made of them; here with a small limit."""
    monkeypatch.setattr(sccl, "MOST_SENDS", 7)
    with pytest.raises(InputError, match=r"more than 7 sends; that is too large a schedule"):
        claim_of(tmp_path / "a.json", ALLGATHER)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (ALLGATHER | {"instance": {"chunks": 0}}, "it cuts 4 chunks into 0 pieces each; give 1 or more"),
        (ALLGATHER | {"instance": {"chunks": 10**9}}, "it cuts 4 chunks into 1,000,000,000 pieces each"),
        (ALLGATHER | {"instance": {"chunks": 1, "pipeline": 3}}, "its steps overlap (pipeline)"),
        (algorithm(COMPLETE, [(p, [0, 1], 0) for p in range(3)], []), "in an allreduce all that contribute get it"),
        (
            algorithm(COMPLETE, [(0, [1, 2], 0), (1, [0], 1)], []),
            "the message of processor 1 is for others than those of the rest, and broadcasts here have the same",
        ),
        (
            algorithm(COMPLETE, [(0, [1], 0), (1, [2], 0)], []),
            "what is added up at address 0 is for different processors, in part",
        ),
        (
            algorithm(COMPLETE, [(0, [], 0), (1, [], 0)], []),
            "what is added up at some address is for no processor; name one",
        ),
        (
            algorithm(COMPLETE, [(0, [0], 0), (1, [0], 0), (0, [1], 1), (2, [1], 1)], []),
            "it adds up different contributions, or one of them twice; give each address one of each processor",
        ),
        (
            limited(3, algorithm(COMPLETE, [(0, [1], 0)], [(sccl.MOST_LIMITED_ROUNDS + 1, [(0, 0, 1)])])),
            "rounds under limits of switches; write its rounds as steps",
        ),
        (
            # The first and the second go in round 1, the third in round 2, and the last has a port in neither.
            limited(4, algorithm(COMPLETE4, CROSSED, [(2, [(0, 0, 1), (1, 2, 0), (2, 2, 3), (3, 0, 3)])])),
            "steps[0]: its sends may fit into 2 rounds under the limits of its switches, but which go together is not",
        ),
        (algorithm(COMPLETE, [(0, [7], 0)], []), "chunks[0] names a processor beyond 2"),
        (algorithm(COMPLETE, [(0, [0], 0)], []), "its collective requests nothing to be sent"),
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


STAR = Network("star", 5, [(a, 4) for a in range(4)] + [(4, a) for a in range(4)], [0, 1, 2, 3])
"""Four GPUs at a switch."""


def test_an_algorithm_is_judged_on_a_network(tmp_path: Path) -> None:
    """Its sends run over switches that pass; a step is over when all of them have gone."""
    claim = claim_of(tmp_path / "a.json", ALLGATHER, STAR)
    assert (claim.problem.network, claim.problem.rules.switches) == (STAR, "pass")
    assert (claim.schedule.num_steps, broken(claim)) == (3, set())
    assert claim.problem.rules.combining is False
    wide = Network("wide", STAR.routers, STAR.channels, STAR.router_of, capacities=[2] * 8)
    assert claim_of(tmp_path / "a.json", ALLGATHER, wide).schedule.num_steps == 2


def test_what_is_wrong_on_a_network_is_told(tmp_path: Path) -> None:
    """Links that it does not have, and another number of processors."""
    (tmp_path / "a.json").write_text(json.dumps(ALLGATHER))
    with pytest.warns(Note, match="line:4 has no link for 2 pairs that it sends over: 0->3, 3->0"):
        claim = read_schedule(tmp_path / "a.json", network("line:4"))
    assert "wrong-ends" in broken(claim)
    said = r"its topology has 4 processors, and ring:3 has 3; name the network that it is for"
    with pytest.raises(InputError, match=said):
        read_schedule(tmp_path / "a.json", network("ring:3"))
    spoiled = copy.deepcopy(ALLGATHER)
    spoiled["steps"][1]["sends"].pop()
    assert broken(claim_of(tmp_path / "a.json", spoiled, STAR)) == {"never-delivered"}


def test_many_sends_over_one_channel_are_laid_at_once(tmp_path: Path) -> None:
    """Each goes in the next step that has room; full ones are not looked at again."""
    sends = [(addr, 0, 1) for addr in range(5_000)]
    pair = algorithm([[0, 1], [1, 0]], [(0, [1], addr) for addr in range(5_000)], [(1, sends)])
    claim = claim_of(tmp_path / "a.json", pair, network("ring:2"))
    assert (claim.schedule.num_steps, broken(claim)) == (5_000, set())


RING_OF_3 = [[int(a != b) for a in range(3)] for b in range(3)]


def allreduce(posts: list[int], steps: list[Any], addresses: int = 3) -> dict[str, Any]:
    """Return an allreduce of three processors: every one contributes to every address."""
    chunks = [(p, posts, addr) for addr in range(addresses) for p in range(3)]
    return algorithm(RING_OF_3, chunks, steps)


DIRECT = [
    (1, [(part, p, part) for part in range(3) for p in range(3) if p != part]),
    (1, [(part, part, p) for part in range(3) for p in range(3) if p != part]),
]
"""All to the processor of each part, and its sum to all."""


def test_an_allreduce_is_judged_as_a_whole(tmp_path: Path) -> None:
    """Sums at as many addresses as processors are parts; at another number they are pieces of one."""
    claim = claim_of(tmp_path / "a.json", allreduce([0, 1, 2], DIRECT))
    assert claim.problem.collective == Collective("ALLREDUCE", (0, 1, 2), (0, 1, 2))
    assert (claim.schedule.num_steps, broken(claim)) == (2, set())
    one = [(1, [(0, 1, 0), (0, 2, 0)]), (1, [(0, 0, 1), (0, 0, 2)])]
    claim = claim_of(tmp_path / "a.json", allreduce([0, 1, 2], one, 1))
    assert claim.problem.collective == Collective("ALLREDUCE", (0, 1, 2), (0,))
    assert broken(claim) == set()
    star = Network("star", 4, [(a, 3) for a in range(3)] + [(3, a) for a in range(3)], [0, 1, 2])
    assert broken(claim_of(tmp_path / "a.json", allreduce([0, 1, 2], DIRECT), star)) == set()


def test_allreduces_that_are_wrong(tmp_path: Path) -> None:
    """What lacks, what counts twice, and sums that are for some only."""
    short = [DIRECT[0], (1, DIRECT[1][1][1:])]
    assert broken(claim_of(tmp_path / "a.json", allreduce([0, 1, 2], short))) == {"never-delivered"}
    twice = [DIRECT[0], DIRECT[0], DIRECT[1]]
    assert "delivered-twice" in broken(claim_of(tmp_path / "a.json", allreduce([0, 1, 2], twice)))
    said = r"the sum at address 0 is for 2 processors, and 3 contribute to it; in an allreduce all that contribute"
    with pytest.raises(InputError, match=said):
        claim_of(tmp_path / "a.json", allreduce([0, 1], DIRECT))


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
        along_a_line(),
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
