"""tsn: gate lists and streams that carry every frame through without waiting, by a simulation apart from the export."""

from __future__ import annotations

import csv
import io
from ast import literal_eval
from collections import defaultdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pavane.errors import InputError
from pavane.io.exports import EXPORTS, Options
from pavane.judge.result import Result
from pavane.model.collectives import named
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from tests.io.formats.schedules import refused, solved
from tests.io.formats.slotted import greedy, slotted

Rows = list[dict[str, str]]


def tables(result: Result, slot_time: int = 1000) -> dict[str, Rows]:
    """Return the rows of every file, by the part of its name behind the stem."""
    assert EXPORTS["tsn"].refusal(result) is None
    files = EXPORTS["tsn"].write(result, Options("it", slot_time=slot_time))
    return {name: list(csv.DictReader(io.StringIO(content.decode()))) for name, content in files.items()}


@st.composite
def results(draw: st.DrawFn) -> Result:
    """Draw schedules that bridges can carry."""
    made = network(draw(st.sampled_from(("ring:4", "torus:3x3", "kautz:2,2", "ring:4*2", "star:4"))))
    phits, wrap = draw(st.integers(1, 2)), draw(st.booleans())
    rules = Rules(
        "tdm",
        ports=1,
        router_delay=draw(st.integers(phits, 3)),
        link_delay=draw(st.integers(0, 2)),
        packet_slots=phits,
        wrap=wrap,
    )
    kind = draw(st.sampled_from(("aas", "oas") if wrap else ("aas", "aab", "aor")))
    return greedy(Problem(made, named(kind, made), rules), draw(st.integers(0, 99)))


@settings(max_examples=20)
@given(result=results())
def test_frames_pass_without_waiting(result: Result) -> None:
    """Released at its offset, every frame finds each gate open as it comes, alone, and meets its deadline exactly."""
    files = tables(result)
    cycle = {int(row["cycle"]) for row in files["it-GCL.csv"]}.pop()
    is_open: defaultdict[str, set[int]] = defaultdict(set)
    for row in files["it-GCL.csv"]:
        window = set(range(int(row["start"]) // 1000, int(row["end"]) // 1000))
        assert not window & is_open[row["link"]]
        is_open[row["link"]] |= window
    links = {row["link"]: row for row in files["it-topo.csv"]}
    route: defaultdict[str, list[str]] = defaultdict(list)
    for row in files["it-ROUTE.csv"]:
        route[row["stream"]].append(row["link"])
    taken: defaultdict[str, set[int]] = defaultdict(set)
    offsets = {row["stream"]: int(row["offset"]) for row in files["it-OFFSET.csv"]}
    for task in files["it-task.csv"]:
        assert int(task["period"]) == cycle
        path = route[task["stream"]]
        assert literal_eval(path[0])[0] == int(task["src"])
        assert [literal_eval(path[-1])[1]] == literal_eval(task["dst"])
        time = released = offsets[task["stream"]]
        for link in path:
            lasts = int(task["size"]) * 8
            slots = {slot % (cycle // 1000) for slot in range(time // 1000, (time + lasts) // 1000)}
            assert slots <= is_open[link]
            assert not slots & taken[link]
            taken[link] |= slots
            sent = time + lasts
            time = sent + int(links[link]["t_prop"]) + int(links[link]["t_proc"])
        assert sent - released == int(task["deadline"])
    assert taken == is_open
    assert result.schedule is not None
    assert len(files["it-task.csv"]) == len(result.schedule)


def test_times_are_those_of_slots() -> None:
    """A cycle has as many slots as the schedule, each of the given length; all frames use queue 0."""
    result = slotted("ring:4", "aas")
    assert result.schedule is not None
    for slot_time in (1000, 12_336):
        files = tables(result, slot_time)
        assert {int(row["cycle"]) for row in files["it-GCL.csv"]} == {slot_time * result.schedule.num_steps}
        assert {int(row["size"]) for row in files["it-task.csv"]} == {slot_time // 8}
    assert {row["queue"] for row in (*files["it-QUEUE.csv"], *files["it-GCL.csv"])} == {"0"}


def test_what_bridges_cannot_carry() -> None:
    """Steps, several ports, packets that are longer than a router's delay, and parallel links are refused."""
    assert "solve with `switching='tdm'` and `ports=1`" in refused("tsn", solved("ring:4", "aas"))
    assert "solve with `router_delay=3` or more" in refused("tsn", slotted("ring:4", "aas", packet_slots=3))
    twice = Network("twice", ("a", "b"), [(0, 1), (1, 0), (0, 1), (1, 0)], (0, 1))
    doubled = greedy(Problem(twice, named("aas", twice), Rules("tdm", ports=1)))
    assert "parallel channels or capacities" in refused("tsn", doubled)


@pytest.mark.parametrize("slot_time", [0, 7, 10**10, True, 1.5])
def test_slots_that_are_none(slot_time: int) -> None:
    """The length of a slot is a number of nanoseconds."""
    with pytest.raises(InputError, match=r"`slot_time` .*: give 8 to 1,000,000,000 nanoseconds"):
        slotted("ring:4", "aas").export("tsn", "folder", slot_time=slot_time)
