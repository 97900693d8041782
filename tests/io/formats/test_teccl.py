"""Schedules of TE-CCL, judged by the same judge."""

from __future__ import annotations

import copy
import json
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from pavane.errors import InputError
from pavane.io import Claim, Note, read_problem, read_schedule
from pavane.io.files import File, collect_notes
from pavane.io.formats import teccl as teccl_module
from pavane.io.formats.teccl import Chunk, Content, TecclHop, TecclPath, content_of
from pavane.model.network import Network
from pavane.networks import network
from tests.io.formats.claims import broken, claim_of
from tests.io.formats.samples import TECCL_ALLGATHER, TECCL_ALLTOALL, teccl

STAR = Network("star", 4, [(a, 3) for a in range(3)] + [(3, a) for a in range(3)], [0, 1, 2])
"""Three GPUs at a switch."""


def flow(source: int, tail: int, head: int, epoch: int, via: str = "") -> str:
    """Return the sentence of a hop of a whole chunk."""
    return f"Chunk 0 from {source} traveled over {tail}->{head} in epoch {epoch}{via and f' via switches {via}'}"


def wanted(count: int, but: tuple[int, ...] = ()) -> dict[str, Any]:
    """Return the demands of an allgather; by which ways they are met is not looked at."""
    members = [node for node in range(count) if node not in but]
    return {f"Demand at {b} for chunk 0 from {a} met by epoch 0": [] for a in members for b in members if a != b}


def told(path: Path, on: Network | None = None) -> tuple[Claim, list[str]]:
    """Read a schedule, and return it with the notes."""
    with collect_notes() as notes:
        return read_schedule(path, on), notes


def test_an_allgather_is_read(tmp_path: Path) -> None:
    """Chunks are messages, epochs steps, and links channels."""
    claim = claim_of(tmp_path / "a.json", TECCL_ALLGATHER)
    assert (claim.problem.collective.kind, claim.problem.collective.pieces) == ("AAB", 1)
    assert (claim.problem.network.num_channels, claim.schedule.num_steps, len(claim.schedule)) == (8, 2, 12)
    assert claim.problem.rules.switches == "hold"
    assert broken(claim) == set()
    with pytest.warns(Note):
        assert read_problem(tmp_path / "a.json") == claim.problem
    assert claim.is_foreign
    on_ring = claim_of(tmp_path / "a.json", TECCL_ALLGATHER, network("ring:4"))
    assert on_ring.problem.network == network("ring:4")
    assert broken(on_ring) == set()


def test_an_alltoall_is_read_in_parts(tmp_path: Path) -> None:
    """Parts of chunks are pieces, numbered way by way, and switches pass."""
    claim = claim_of(tmp_path / "a.json", TECCL_ALLTOALL)
    assert (claim.problem.collective.kind, claim.problem.collective.pieces) == ("AAS", 2)
    assert claim.problem.rules.switches == "pass"
    assert (claim.problem.network.num_routers, claim.problem.network.num_processors) == (4, 3)
    assert claim.problem.network.capacity.tolist() == [2] * 6
    assert (claim.schedule.num_steps, broken(claim)) == (2, set())
    # On links of capacity 1 an epoch takes two steps; the nodes that are no switches are numbered in order.
    narrow = claim_of(tmp_path / "a.json", TECCL_ALLTOALL, STAR)
    assert (narrow.schedule.num_steps, narrow.problem.collective.pieces, broken(narrow)) == (4, 2, set())


def test_slow_links_take_several_epochs(tmp_path: Path) -> None:
    """A chunk that is sent on two epochs later is cut in two, so that the slow link takes both."""
    line = Network("line", 3, [(0, 1), (1, 0), (1, 2), (2, 1)], capacities=[1, 1, 2, 2])
    flows = [flow(0, 0, 1, 0), flow(0, 1, 2, 2), flow(2, 2, 1, 0), flow(2, 1, 0, 1), flow(1, 1, 2, 0), flow(1, 1, 0, 3)]
    claim = claim_of(tmp_path / "a.json", teccl(flows, wanted(3), 5), line)
    assert claim.problem.collective.pieces == 2
    assert broken(claim) == set()
    assert Fraction(claim.schedule.num_steps, 2) == Fraction(5, 2)
    # Where it is sent on at once there is no time for that: an epoch is as long as the slow link needs.
    hasty = claim_of(tmp_path / "a.json", teccl([*flows[:1], flow(0, 1, 2, 1), *flows[2:]], wanted(3), 5), line)
    assert (hasty.problem.collective.pieces, broken(hasty)) == (1, set())


def test_who_is_left_out_is_named(tmp_path: Path) -> None:
    """A schedule that takes a processor for a switch never delivers what it sends, nor what is for it."""
    way = [[0, "1->2 with volume 1.0 in epoch 0 via switches 0"]]
    back = [[0, "2->1 with volume 1.0 in epoch 0 via switches 0"]]
    paths = {
        "Demand at 2 for chunk 1 from 1 met by epoch 1": [way],
        "Demand at 1 for chunk 0 from 2 met by epoch 1": [back],
    }
    path = tmp_path / "a.json"
    path.write_text(json.dumps(teccl([], paths)))
    claim, notes = told(path, network("ring:3"))
    assert f"{path}: messages go via 0 as via a switch, which is a processor of ring:3; they rest there" in notes
    missing = "it requests 2 of the 6 deliveries of the alltoall of all: none from or to processor 0"
    assert f"{path}: {missing}" in notes
    assert broken(claim) == {"never-delivered"}
    assert claim.schedule.num_steps == 2


def test_switches_that_copy_are_told_and_judged(tmp_path: Path) -> None:
    """TE-CCL lets a switch make several of what it got once; a switch that passes does not."""
    flows = [flow(a, a, b, a - 1, "0") for a in (1, 2, 3) for b in (1, 2, 3) if a != b]
    path = tmp_path / "a.json"
    path.write_text(json.dumps(teccl(flows, wanted(4, (0,)), 3)))
    claim, notes = told(path, STAR)
    assert any("switches copy what they get 3 times; those that pass do not" in note for note in notes)
    assert broken(claim) == {"channel-capacity", "port-capacity"}


def test_a_network_the_other_way_round_is_told(tmp_path: Path) -> None:
    """Where all links are there, but turned round, the mirror image is judged."""
    flows = [flow(a, (a + at) % 3, (a + at + 1) % 3, at) for a in range(3) for at in range(2)]
    path = tmp_path / "a.json"
    path.write_text(json.dumps(teccl(flows, wanted(3))))
    turned = network("ring:3,oneway").reversed()
    claim, notes = told(path, turned)
    assert any("its links are those of ring:3,oneway reversed the other way round" in note for note in notes)
    assert broken(claim) == set()
    claim, notes = told(path, network("line:3"))
    assert any("line:3 has no link for 1 pair that it sends over: 2->0" in note for note in notes)
    assert "wrong-ends" in broken(claim)


def test_the_time_is_told(tmp_path: Path) -> None:
    """By the figures of the file, and on a network with the speed of a channel of capacity 1."""
    path = tmp_path / "a.json"
    path.write_text(json.dumps(TECCL_ALLGATHER))
    _, notes = told(path, network("ring:4"))
    time = "by its own figures it takes 2 epochs of 0.5 s, 1 s"
    assert notes == [f"{path}: {time}, where a channel of capacity 1 carries 6 GB/s"]
    _, notes = told(path)
    assert notes[-1] == f"{path}: {time}"


@pytest.mark.parametrize(
    ("spoil", "rule"),
    [
        (lambda file: file["7-Flows"].pop(), "never-delivered"),
        (lambda file: file["7-Flows"].append(flow(0, 2, 3, 0)), "not-held"),
        (lambda file: file["7-Flows"].append(flow(0, 2, 3, 1)), "delivered-twice"),
    ],
)
def test_what_is_wrong_is_left_for_the_judge(spoil: Any, rule: str, tmp_path: Path) -> None:
    """A schedule is read as it is, not mended."""
    file = copy.deepcopy(TECCL_ALLGATHER)
    spoil(file)
    assert rule in broken(claim_of(tmp_path / "a.json", file))


def test_processors_of_one_router_need_no_channel(tmp_path: Path) -> None:
    """What goes between them goes at once; a network without any channel has no ports for it."""
    together = Network("pair", 2, [(0, 1), (1, 0)], [0, 0, 1, 1])
    claim = claim_of(tmp_path / "a.json", TECCL_ALLGATHER, together)
    assert sorted(set(claim.schedule.path_lengths.tolist())) == [0, 1]
    assert broken(claim) == {"port-capacity"}  # two at once from a processor whose router has one channel
    with pytest.raises(InputError, match="processor 0 has no port"):
        claim_of(tmp_path / "a.json", TECCL_ALLGATHER, Network("one", 1, [], [0, 0, 0, 0]))


def test_older_files_are_read(tmp_path: Path) -> None:
    """Earlier versions number and write their keys in another way."""
    older = {
        "7-chunk paths" if key == "8-Chunk paths" else "6-Flows" if key == "7-Flows" else key: value
        for key, value in TECCL_ALLTOALL.items()
    }
    assert claim_of(tmp_path / "a.json", older).schedule == claim_of(tmp_path / "b.json", TECCL_ALLTOALL).schedule


def part(*volumes: str) -> dict[str, Any]:
    """Return the ways of a chunk from 1 to 2, in parts as large as that."""
    return {
        "Demand at 2 for chunk 1 from 1 met by epoch 0": [[[0, f"1->2 with volume {v} in epoch 0"]] for v in volumes]
    }


@pytest.mark.parametrize(
    ("content", "on", "said"),
    [
        (teccl([], {}), None, "no flows in it, so nothing is sent; the file may be cut off"),
        (teccl([flow(0, 0, 1, 0), flow(0, 0, 9, 0)], {}), "ring:4", "it has 3 GPUs, and ring:4 has 4 processors; name"),
        (teccl([flow(0, 0, 1, 0)], {}), None, "cannot carry the collective: processor 0 (router 0) cannot be reached"),
        (
            teccl([flow(0, 0, 1, 0).replace("0 from", "99999999 from")], wanted(2)),
            "ring:2",
            "numbered up to 99,999,999, and",
        ),
        (teccl([], part("0.0123456", "0.77711")), None, "are not whole numbers of any part of a chunk"),
        (teccl([f"{flow(0, 0, 1, 0)}x"], {}), None, "flow 1: '0->1 in epoch 0x' is not a hop; write"),
        (teccl([flow(0, 0, 1, 0)], {"nobody": []}), None, "'nobody' is not a demand, like `Demand at 1"),
        ({"1-Epoch_Duration": "long"}, None, "expected `float`, got `str` - at `$.1-Epoch_Duration`"),
    ],
)
def test_what_cannot_be_read_is_refused(content: object, on: str | None, said: str, tmp_path: Path) -> None:
    """One line that begins with the file and says how to mend it."""
    path = tmp_path / "a.json"
    with pytest.raises(InputError, match=re.escape(said)) as caught:
        claim_of(path, content, None if on is None else network(on))
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)


def test_too_much_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A few sentences cannot ask for more pieces than fit."""
    monkeypatch.setattr(teccl_module, "MOST_LAID", 8)
    with pytest.raises(InputError, match="12 pieces go over links, more than 8; that is too large"):
        claim_of(tmp_path / "a.json", TECCL_ALLGATHER)


def test_epochs_that_fit_at_no_length_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In one line, after all lengths were tried; none fits here by decree."""
    monkeypatch.setattr(teccl_module, "place_in_time", lambda *_, **__: None)
    with pytest.raises(InputError, match=r"its epochs cannot be laid on ring:2; name the network that it is for"):
        claim_of(tmp_path / "a.json", teccl([flow(0, 0, 1, 0), flow(1, 1, 0, 0)], wanted(2)), network("ring:2"))


def test_other_schedules_say_their_network(tmp_path: Path) -> None:
    """Who names a network for a file that has one is told so."""
    (tmp_path / "a.json").write_text(json.dumps({"format": "pavane/schedule/1"}))
    with pytest.raises(InputError, match=r"says itself which network it is for, so it does not go with `on=ring:4`"):
        read_schedule(tmp_path / "a.json", network("ring:4"))


DEMAND = "Demand at 2 for chunk 1 from 1 met by epoch 0"


def read(content: object) -> Content:
    """Read what a file says."""
    return content_of(File.of(json.dumps(content).encode(), "f.json"))


def test_sentences_are_understood() -> None:
    """Hops have ends, an epoch, switches and a volume, which is all of a chunk unless said."""
    found = read(teccl(["Chunk 3 from 9 traveled over 9->4 in epoch 7 via switches 0 -> 17"], {}))
    assert found.ways == (TecclPath(Chunk(3, 9, None), (TecclHop(9, 4, 1.0, 7, (0, 17)),)),)
    assert not found.is_private
    assert len(read(TECCL_ALLGATHER).ways) == len(read(TECCL_ALLGATHER).demands) == 12
    assert read(TECCL_ALLTOALL).is_private
    assert read(teccl([], {DEMAND: [[[0, "1->2 with volume 2.5e-1 in epoch 0"]]]})).ways[0].hops[0].volume == 0.25


@pytest.mark.parametrize(
    ("flow", "said"),
    [
        ("", "flow 1: '' is not a flow; write `Chunk 0 from 2 traveled over 2->1 in epoch 3`"),
        ("Chunk -1 from 2 traveled over 2->1 in epoch 3", "is not a flow"),
        ("Chunk 0 from 2 traveled over 2->1", "flow 1: '2->1' is not a hop; write `2->1 with volume 0.5 in epoch 3`"),
        ("Chunk 0 from 2 traveled over 2->2 in epoch 3", "goes to where it comes from; name another node"),
        ("Chunk 0 from 2 traveled over 2->1 in epoch 3 via switches 1", "goes to where it comes from"),
        ("Chunk 0 from 2 traveled over 2->1 in epoch 99999999", "epoch 99,999,999 is too late; at most 10,000,000"),
        ("Chunk 0 from 2 traveled over 2->1 in epoch 9999999999", "is not a hop"),
        ("Chunk 0 from 2 traveled over 2->1 with volume 0.5 in epoch 3", "and which way it goes on is not said; keep"),
        ("Chunk 0 from 2 traveled over 2->1 with volume nan in epoch 3", "is not a hop"),
        ("Chunk 0 from 2 traveled over 2->1 in epoch 3\x1b[8m", "is not a hop"),
        ("Chunk ٣ from 2 traveled over 2->1 in epoch 3", "is not a flow"),
    ],
)
def test_sentences_that_say_nothing_are_refused(flow: str, said: str) -> None:
    """The refusal names the sentence and shows one that would do."""
    with pytest.raises(InputError, match=re.escape(said)) as caught:
        read(teccl([flow], {}))
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    ("paths", "said"),
    [
        ({"x": []}, "'x' is not a demand, like `Demand at 1 for chunk 0 from 2 met by epoch 3`"),
        ({DEMAND: [[], "1->2 in epoch 0"]}, "'1->2 in epoch 0' stands where a list of hops was expected"),
        ({DEMAND: [["1->2 in epoch 0"]]}, "'1->2 in epoch 0' is not a hop; write [3, '2->1 with volume 0.5 in ep"),
        ({DEMAND: [[[0, 5]]]}, "[0, 5] is not a hop"),
        ({DEMAND: [[[0, "1->2 with volume 0 in epoch 0"]]]}, "a volume of 0 is not a part of a chunk; give more"),
        ({DEMAND: [[[0, "1->2 with volume 7 in epoch 0"]]]}, "a volume of 7 is not a part of a chunk"),
        ({DEMAND: [[[0, "1->2 with volume 1e999 in epoch 0"]]]}, "'1->2 with volume 1e999 in epoch 0' is not a hop"),
        ({DEMAND: [[[0, "1->2 with volume 1e99 in epoch 0"]]]}, "a volume of 1e+99 is not a part of a chunk"),
        ({DEMAND: {}}, "expected `array`, got `object`"),
        ([], "expected `object`, got `array`"),
    ],
)
def test_ways_that_are_none_are_refused(paths: Any, said: str) -> None:
    """The refusal names the chunk."""
    with pytest.raises(InputError, match=re.escape(said)):
        read(teccl([], paths))
