"""A problem as people write it: fields of text, and the problem they mean."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

from pavane.errors import InputError
from pavane.io import write_problem
from pavane.io.files import collect_notes
from pavane.io.request import Request, network_from, without_faults
from pavane.model.collectives import (
    allreduce,
    alltoall,
    in_pieces,
    many_to_many_scatter,
    pairs,
    reduce_broadcast,
    scatter,
)
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import network, ring

RING = ring(4)


def test_every_field_is_read() -> None:
    """Rules, members and faults reach the problem."""
    said = Request(
        "ring:4 less 0>1",
        "scatter",
        switching="store-and-forward",
        ports="2",
        duplex="half",
        routing="any",
        combining=True,
        root="1",
        receivers="2-3,0",
    )
    cut = without_faults(RING, ["0>1"])
    rules = Rules("store-and-forward", 2, "half", "any", True)
    assert said.problem() == Problem(cut, scatter(cut, 1, (2, 3, 0)), rules)
    assert cut.num_channels == RING.num_channels - 1


@pytest.mark.parametrize(
    ("said", "collective"),
    [
        (Request("ring:4", "mns", senders="all", receivers="0"), many_to_many_scatter(range(4), [0])),
        (Request("ring:4", "mns", senders="0-1,3", receivers=" 2 "), many_to_many_scatter([0, 1, 3], [2])),
        (Request("ring:4", "pairs", pairs="0>2,1:3"), pairs([(0, 2), (1, 3)])),
        (Request("ring:4", "alltoallv", sizes="0>1:3"), in_pieces(alltoall(RING), sizes=[(0, 1, 3)])),
        (Request("ring:4", " Allreduce"), allreduce(RING)),
        (Request("ring:4", "reduce-broadcast", root="2"), reduce_broadcast(RING, 2)),
    ],
)
def test_lists_of_processors_and_pairs(said: Request, collective: object) -> None:
    """`0-7,9`, `all` and `0>5,1:4`."""
    assert said.problem().collective == collective


@pytest.mark.parametrize(
    ("said", "text"),
    [
        (Request("ring:4"), "no collective was named; put one behind ring:4"),
        (Request("ring:4", "pairs"), "pairs needs `pairs`, for example `pairs='0>5,1>4'`"),
        (Request("ring:4", "mns", senders="3-1"), "`senders` '3-1': the range 3-1 runs backwards; write 1-3"),
        (Request("ring:4", "aas", ports="many"), "`ports` 'many' is not a whole number"),
        (Request("ring:4", "oab", root="x"), "`root` 'x' names no single processor; processors are numbered 0 to 3"),
        (Request("ring:4 less 0-9", "aas"), "less '0-9': these are no two routers of ring:4"),
        (Request("ring:4", "aas", form="dot"), "`form=dot` goes with a file"),
        (
            Request("ring:4", "aas", nodes="2"),
            "`nodes=2` goes with a file, and ring:4 is of the catalogue; write ring:4@2",
        ),
        (Request("no.file", "aas", nodes="x"), "`nodes` 'x' is not a whole number"),
        (Request("no.file", "aas"), "no.file: cannot be read"),
    ],
)
def test_what_is_wrong_is_named_by_its_field(said: Request, text: str) -> None:
    """In backticks, so that the command line and the page can say their own words for it."""
    with pytest.raises(InputError) as refused:
        said.problem()
    assert text in str(refused.value)


def test_a_problem_file_says_all_but_its_faults(tmp_path: Path) -> None:
    """Anything else beside it is refused, field by field."""
    path = tmp_path / "p.json"
    write_problem(path, Problem(RING, alltoall(RING)))
    assert Request(str(path)).problem() == Problem(RING, alltoall(RING))
    assert Request(f"{path} less 0-1").problem().network.name == "ring:4 less 0-1"
    for field in fields(Request):
        if field.name in ("network", "form"):
            continue
        said: dict[str, Any] = {field.name: True if field.name == "combining" else "0"}
        with pytest.raises(InputError, match=f"is a whole problem, so it does not go with `{field.name}`"):
            replace(Request(str(path)), **said).problem()


def test_nodes_join_machines_of_any_file(tmp_path: Path) -> None:
    """They are joined as copies of a network of the catalogue are; one machine has nothing to be joined with."""
    path = tmp_path / "ring.edges"
    path.write_text("0 1\n1 2\n2 3\n3 0\n")
    made = Request(str(path), "aas", nodes="2").problem().network
    expected = network("ring:4@2")
    assert made.routers == expected.routers
    assert sorted(made.channels.tolist()) == sorted(expected.channels.tolist())
    for wrong in ("1", "0", "-3"):
        with pytest.raises(InputError, match=f"`nodes={wrong}` joins no machines; give 2 or more"):
            Request(str(path), "aas", nodes=wrong).problem()
    with pytest.raises(InputError, match="it would have 8,000,000 channels"):
        Request(str(path), "aas", nodes="500000").problem()


def test_routers_stand_for_their_processors(tmp_path: Path) -> None:
    """`root`, `senders` and `receivers` take names of routers; a root needs a router with one processor."""
    path = tmp_path / "chip.txt"
    path.write_text("cpu x2\nswitch hub\ncpu hub\nhub dsp\nhub ddr-west\n")
    assert Request(str(path), "broadcast", root="dsp").problem().collective.senders == (2,)
    many = Request(str(path), "mnb", senders="cpu, ddr-west", receivers="2").problem().collective
    assert (many.senders, many.receivers) == ((0, 1, 3), (2,))
    for root, why in (
        ("cpu", "router cpu carries processors 0, 1: give one of them"),
        ("hub", "router hub is a pure switch"),
    ):
        with pytest.raises(InputError, match=f"`root` '{root}' names no single processor; {why}"):
            Request(str(path), "broadcast", root=root).problem()
    with pytest.raises(InputError, match="'hub' is neither a processor nor a range nor a router with processors"):
        Request(str(path), "mnb", senders="hub", receivers="2").problem()


def test_the_width_of_nics_is_given(tmp_path: Path) -> None:
    """`nic` is the capacity of the links that join machines; without `nodes` there are none."""
    path = tmp_path / "pair.txt"
    path.write_text("0 1\n")
    joined = Request(str(path), "aas", nodes="2", nic="3").problem().network
    assert sorted(joined.capacity.tolist()) == [1] * 4 + [3] * 8
    wrong = "is not a capacity that can be used; give a number above 0, like 2, 0.5 or 1/2"
    for said, why in (
        ({"nic": "2"}, "add `nodes`"),
        *(({"nic": text, "nodes": "2"}, wrong) for text in ("0", "-1", "1/0", "wide", "1e3", "", "nan", "1/2/3")),
        ({"nic": "1/1001", "nodes": "2"}, "no fraction down to 1/1000"),
    ):
        with pytest.raises(InputError, match=why):
            Request(str(path), "aas", **said).problem()  # type: ignore[arg-type]
    with pytest.raises(InputError, match="`nic=2` goes with a file"):
        Request("rails:2,2", "aas", nic="2").problem()


@pytest.mark.parametrize(
    ("nic", "inside", "between", "told"),
    [
        ("0.5", 2, 1, "a step carries 2 messages over a link of the file, 1 over a NIC"),
        ("2/3", 3, 2, "a step carries 3 messages over a link of the file, 2 over a NIC"),
        ("2.5", 2, 5, "a step carries 2 messages over a link of the file, 5 over a NIC"),
        ("4/2", 1, 2, ""),
    ],
)
def test_a_nic_may_be_slower_than_a_link(nic: str, inside: int, between: int, told: str, tmp_path: Path) -> None:
    """Capacities are whole numbers, so that all others are multiplied; a note says the unit."""
    path = tmp_path / "pair.txt"
    path.write_text("0 1\n")
    with collect_notes() as notes:
        joined = Request(str(path), "aas", nodes="2", nic=nic).problem().network
    assert sorted(joined.capacity.tolist()) == sorted([inside] * 4 + [between] * 8)
    assert len(notes) == bool(told)
    assert all(told in note and f"capacity 1 is 1/{inside} of a link" in note for note in notes)


@pytest.mark.parametrize(
    ("name", "given", "rules"),
    [
        ("dgx-h100", {}, Rules("store-and-forward", switches="pass")),
        ("kary-tree:2,2", {}, Rules()),
        ("dgx-h100", {"ports": "1", "combining": True}, Rules("store-and-forward", 1, combining=True, switches="pass")),
        ("dgx-h100", {"switching": "wormhole"}, Rules()),
        ("dgx-h100", {"switches": "hold"}, Rules("store-and-forward")),
        ("dgx-h100", {"switches": "copy"}, Rules("store-and-forward", switches="copy")),
        ("dgx-h100", {"multicast": True}, Rules(multicast=True)),
    ],
)
def test_a_machine_of_gpus_has_its_own_default_rules(name: str, given: dict[str, Any], rules: Rules) -> None:
    """GPUs store and forward, and their switches pass, unless rules are given; a note says so where it is so."""
    with collect_notes() as notes:
        assert Request(name, "alltoall", **given).problem().rules == rules
    is_default = rules.switching == "store-and-forward" and rules.switches == "pass"
    assert [note for note in notes if "dgx-h100 is a machine of GPUs: store-and-forward, switches pass" in note] == (
        notes if is_default else []
    )


@pytest.mark.parametrize(
    ("name", "rules", "is_noted"),
    [
        ("dgx-2", {"switches": "copy"}, True),
        ("dgx-a100:2 less 0.0-0.S", {"switches": "copy"}, True),
        ("dgx-2", {"switches": "pass"}, False),
        ("dgx-h100", {"switches": "copy"}, False),
        ("kary-tree:2,2", {"switches": "copy"}, False),
    ],
)
def test_a_note_says_where_real_switches_do_not_copy(name: str, rules: dict[str, Any], is_noted: bool) -> None:
    """Rules that a machine is known not to have are accepted, with a note."""
    with collect_notes() as notes:
        assert Request(name, "aab", **rules).problem().rules.switches == rules["switches"]
    assert any("are known to pass messages on, without copying or adding" in note for note in notes) == is_noted


def test_what_was_read_already_is_not_read_again() -> None:
    """A page brings its network along, or a whole problem."""
    assert Request("no.file", "aas").problem(RING).network is RING
    whole = Problem(RING, alltoall(RING))
    assert Request().problem(whole) is whole


def test_a_text_names_a_family_or_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Families go first; a file that was almost named is pointed at."""
    monkeypatch.chdir(tmp_path)
    Path("mine.edges").write_text("0 1\n")
    found = network_from("mine.edges")
    assert isinstance(found, Network)
    assert found.num_routers == 2
    assert network_from("ring:4*2") == network("ring:4*2")
    with pytest.raises(InputError, match=r"there is no family or file 'mine', but a file mine.edges; name that"):
        network_from("mine")
