"""Files of poseidon: platforms as problems, schedules read, judged and written."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pavane.errors import InputError
from pavane.io.files import File
from pavane.io.formats.poseidon import POSEIDON, POSEIDON_SCHEDULE, read_problem, read_schedule
from pavane.io.registry import recognize
from pavane.judge.result import Result
from pavane.judge.rules import verify
from pavane.model.collectives import alltoall, in_pieces, named, pairs
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from tests.io.formats.schedules import refused, solved, written
from tests.io.formats.slotted import greedy, slotted

PLATFORM = """\
<?xmlversion="1.0" encoding="UTF-8"?>
  <platform width="4" height="3">
    <topology type="{form}" routerDepth="3" linkDepth="1"></topology>
  </platform>
  <communication type="all2all" phits="2" bandwidth="{bandwidth}">
  </communication>
"""

CUSTOM = """\
<?xml version="1.0"?>
<platform width="2" height="2">
  <topology type="custom">
    <link source="(0,0)" sink="(1,0)"/> <link source="(1,0)" sink="(1,1)"/>
    <link source="(1,1)" sink="(0,1)"/> <link source="(0,1)" sink="(0,0)"/>
  </topology>
</platform>
<communication type="custom">
  <channel from="(0,0)" to="(1,1)" bandwidth="3"/>
  <channel from="(0,1)" to="(1,0)"/>
</communication>
"""

GRIDS = ("torus:3x3", "mesh:2x3", "torus:4x3", "mesh:3x2")


def file_of(text: str) -> File:
    """Return a file."""
    return File.of(text.encode(), "noc.xml")


@pytest.mark.parametrize(("form", "name"), [("bitorus", "torus:3x4"), ("mesh", "mesh:3x4")])
def test_a_platform_is_a_problem(form: str, name: str) -> None:
    """Depths are delays, phits slots, bandwidth packets; width counts columns, height rows."""
    text = PLATFORM.format(form=form, bandwidth=1)
    assert recognize(file_of(text)) is POSEIDON
    made = network(name)
    rules = Rules("tdm", ports=1, router_delay=3, link_delay=1, packet_slots=2)
    assert read_problem(file_of(text)) == Problem(made, alltoall(made), rules)
    twice = read_problem(file_of(PLATFORM.format(form=form, bandwidth=2)))
    assert twice.collective == in_pieces(alltoall(made), 2)


def test_custom_links_and_channels() -> None:
    """Links are one-way channels between places (x,y), and bandwidths are sizes of pairs."""
    problem = read_problem(file_of(CUSTOM))
    assert problem.network.routers == ("(0,0)", "(1,0)", "(0,1)", "(1,1)")
    assert sorted(problem.network.channels.tolist()) == [[0, 1], [1, 3], [2, 0], [3, 2]]
    assert problem.collective == in_pieces(pairs([(0, 3), (2, 1)]), sizes=[(0, 3, 3)])
    assert problem.num_messages == 4


def test_older_files_have_other_names() -> None:
    """<topology> with a <graph>, and <channels>, mean the same."""
    text = CUSTOM.replace('<topology type="custom">', '<graph type="custom">').replace("</topology>", "</graph>")
    text = text.replace("platform", "topology").replace('communication type="custom"', 'channels type="arbitrary"')
    text = text.replace("communication", "channels")
    assert read_problem(file_of(text)) == read_problem(file_of(CUSTOM))


def test_a_torus_of_two_columns_has_two_links_to_a_neighbour() -> None:
    """In a bitorus of 2 x 2 every router has four channels out."""
    problem = read_problem(file_of('<platform width="2" height="2"><topology type="bitorus"/></platform>'))
    assert problem.network.num_channels == 16
    result = greedy(problem)
    claim = read_schedule(file_of(written("poseidon", result)), problem.network)
    assert (claim.problem, claim.schedule) == (result.problem, result.schedule)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('type="custom">\n    <link', 'type="star">\n    <link', "known are bitorus, mesh and custom"),
        ('type="custom">\n  <channel', 'type="some">\n  <channel', "known are all2all and custom"),
        ('sink="(1,0)"', 'sink="(2,0)"', "leaves the platform of 2 x 2"),
        ('sink="(1,0)"', 'sink="1,0"', "a place like (0,1) was expected"),
        ('sink="(1,0)"', 'sink="(1,0)" depth="4"', "links have depths of their own"),
        ('to="(1,0)"', 'to="(5,0)"', "names router (5,0), which the platform does not have"),
        ('to="(1,0)"', 'to="(1,0)" phits="4"', "packets have 1 to 4 phits"),
        ('<communication type="custom"', '<communication type="custom" reconfig="(0,0)"', "reconfiguration master"),
        ('width="2"', 'width="0"', "width is 0; it must lie between 1"),
        ('width="2"', 'width="99999999"', "too large a network"),
        ("</platform>", "", "not XML of poseidon that can be read"),
        ('<?xml version="1.0"?>', '<!DOCTYPE a [<!ENTITY b "c">]>', "not XML of poseidon that can be read"),
    ],
)
def test_what_a_problem_cannot_say_is_refused(old: str, new: str, words: str) -> None:
    """One line says what is wrong."""
    assert old in CUSTOM
    with pytest.raises(InputError, match=re.escape(words)) as caught:
        read_problem(file_of(CUSTOM.replace(old, new, 1)))
    assert "\n" not in str(caught.value)


# -- schedules


def walked(text: str, router_delay: int, link_delay: int) -> set[tuple[str, int, str, str]]:
    """Follow every packet by the rows of routers alone: sender, slot, receiver, letters; written apart."""
    root = ElementTree.fromstring(text)
    length, width, height = (int(root.attrib[name]) for name in ("length", "width", "height"))
    rows = {(tile.attrib["id"], int(slot.attrib["value"])): slot for tile in root for slot in tile.iter("timeslot")}
    found = set()
    for (sender, start), row in rows.items():
        adapter = row.find("na")
        assert adapter is not None
        before = rows[sender, (start - 1) % length].find("na")
        assert before is not None
        names = ("tx", "chan-id", "pkt-id")
        if adapter.attrib["tx"] == sender or all(adapter.get(name) == before.get(name) for name in names):
            continue
        at, slot, entered, letters = sender, start, "L", ""
        while True:
            outputs = {each.attrib["input"]: each.attrib["id"] for each in rows[at, slot % length].iter("output")}
            letters += outputs[entered]
            if letters[-1] == "L":
                break
            x, y = map(int, at.strip("()").split(","))
            right, down = {"N": (0, -1), "E": (1, 0), "S": (0, 1), "W": (-1, 0)}[letters[-1]]
            at = f"({(x + right) % width},{(y + down) % height})"
            entered = {"N": "S", "S": "N", "E": "W", "W": "E"}[letters[-1]]
            slot += router_delay + link_delay
        assert at == adapter.attrib["tx"]
        receiver = rows[at, (slot + router_delay) % length].find("na")
        assert receiver is not None
        assert receiver.attrib["rx"] == sender
        found.add((sender, start, at, letters))
    return found


@st.composite
def on_grids(draw: st.DrawFn) -> Result:
    """Draw a schedule of slots on a grid."""
    made = network(draw(st.sampled_from(GRIDS)))
    rules = Rules(
        "tdm",
        ports=1,
        router_delay=draw(st.integers(1, 3)),
        link_delay=draw(st.integers(0, 2)),
        packet_slots=draw(st.integers(1, 3)),
    )
    return greedy(Problem(made, named("aas", made), rules), draw(st.integers(0, 99)))


@settings(max_examples=15)
@given(result=on_grids())
def test_what_is_written_is_read_back(result: Result) -> None:
    """A schedule comes back with its problem; the rows of routers lead every packet to its receiver in time."""
    assert result.schedule is not None
    text = written("poseidon", result)
    assert recognize(file_of(text)) is POSEIDON_SCHEDULE
    claim = read_schedule(file_of(text), result.problem.network)
    assert (claim.problem, claim.schedule) == (result.problem, result.schedule)
    rules = result.problem.rules
    assert len(walked(text, rules.router_delay, rules.link_delay)) == len(result.schedule)
    without = re.sub(r' route="\w+"', "", text)
    assert read_schedule(file_of(without), result.problem.network).schedule == result.schedule


@pytest.mark.parametrize(
    ("router_delay", "link_delay", "phits"), [(1, 0, 1), (1, 1, 1), (2, 0, 1), (3, 0, 3), (2, 1, 2)]
)
def test_depths_are_found_where_a_file_does_not_say_them(router_delay: int, link_delay: int, phits: int) -> None:
    """poseidon's own files say no depths: those with which packets arrive when receivers expect them are taken."""
    result = slotted("torus:4x3", "aas", router_delay=router_delay, link_delay=link_delay, packet_slots=phits)
    text = re.sub(r' routerDepth="\d+" linkDepth="\d+"', "", written("poseidon", result))
    assert "Depth" not in text
    for each in (text, re.sub(r' route="\w+"', "", text)):
        claim = read_schedule(file_of(each), result.problem.network)
        assert (claim.problem, claim.schedule) == (result.problem, result.schedule)


def test_the_network_of_a_schedule() -> None:
    """Without a network named it is a mesh, or a torus where a packet crosses the border; pairs may have sizes."""
    for spec in ("mesh:2x3", "torus:3x3"):
        claim = read_schedule(file_of(written("poseidon", slotted(spec, "aas"))))
        assert claim.problem.network == network(spec)
    made = network("mesh:2x3")
    problem = Problem(made, in_pieces(pairs([(0, 5), (1, 4)]), sizes=[(0, 5, 3)]), Rules("tdm", ports=1))
    claim = read_schedule(file_of(written("poseidon", greedy(problem))))
    assert claim.problem.collective == problem.collective
    assert verify(claim.problem, claim.schedule) == []
    with pytest.raises(InputError, match=r"it is for a grid of 3 x 2, not for torus:3x3"):
        read_schedule(file_of(written("poseidon", greedy(problem))), network("torus:3x3"))


def test_packets_that_get_lost() -> None:
    """Tables that lead a packet elsewhere than its adapter says are refused."""
    text = re.sub(r' route="\w+"', "", written("poseidon", slotted("mesh:2x3", "aas")))
    with pytest.raises(InputError, match=r"packets do not arrive where and when the tables say"):
        read_schedule(file_of(text.replace('<output id="E" input="L"/>', '<output id="E" input="D"/>', 1)))


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (r'length="\d+"', 'length="999999999"', "the length is 999,999,999, and no tile has as many timeslots"),
        (r'length="\d+"', 'length="2"', "lies behind the length, 2"),
        (r'tile id="\(2,1\)"', 'tile id="(99999,99999)"', "too large a network"),
        (r'route="E', 'route="X', "has other letters than N, E, S, W and L"),
        (r'tx="\(0,0\)"', 'tx="here"', "tx is 'here', where a place like (0,1) was expected"),
        (r'pkt-len="1"', 'pkt-len="2"', "packets have different lengths"),
        (r"</schedule>", "", "not XML of poseidon that can be read"),
    ],
)
def test_schedules_that_cannot_be_read(old: str, new: str, words: str) -> None:
    """One line says what is wrong."""
    text = re.sub(old, new, written("poseidon", slotted("mesh:2x3", "aas")), count=1)
    with pytest.raises(InputError, match=re.escape(words)) as caught:
        read_schedule(file_of(text))
    assert "\n" not in str(caught.value)


def test_what_poseidon_cannot_carry() -> None:
    """Other rules, broadcasts and networks without a grid are refused in one line."""
    assert "solve with `switching='tdm'` and `ports=1`" in refused("poseidon", solved("ring:4", "aas"))
    assert "and this is AAB" in refused("poseidon", slotted("mesh:2x3", "aab", wrap=False))
    assert "kautz:2,2 is none" in refused("poseidon", slotted("kautz:2,2", "aas"))
