"""What the player knows of a table."""

from __future__ import annotations

import base64
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from pavane.errors import InputError
from pavane.io.router_rows import rows_of_router
from pavane.judge.result import Result
from pavane.model.slots import channel_uses
from pavane.search.synthesis import solve
from pavane.ui.player import contents_of, table_contents
from tests.problems import problem_of


@cache
def table_of(spec: str, kind: str = "AAS", **rules: Any) -> Result:
    """Return the table of a catalogue network."""
    return solve(problem_of(spec, kind, **rules), form="table")


def busy_channels(contents: dict[str, Any]) -> np.ndarray:
    """Return which channels a summary has as busy, step by step."""
    rows = np.frombuffer(base64.b64decode(contents["busy"]), dtype=np.uint8).reshape(contents["numSteps"], -1)
    return np.unpackbits(rows, axis=1, bitorder="little")[:, : len(contents["channels"])]


def test_a_small_table_is_played_whole() -> None:
    """Every transfer is listed beside the rows of each router, which are its translates."""
    result = table_of("torus:4x4")
    contents = contents_of(result)
    assert len(contents["transfers"]) == 240
    assert "window" not in contents
    assert contents["proof"][0].startswith("Proven by symmetry: 2 translations keep all 64 channels")
    assert contents["table"]["about"].startswith("15 rows of one router; each of 16 routers does the same")
    assert result.table is not None
    for router in range(16):
        expected = sorted((t.step, str(t.receiver)) for t in result.table.transfers_of(result.problem, router))
        assert sorted((row[0], row[2]) for row in contents["table"]["rows"][router]) == expected


@pytest.mark.parametrize(
    ("spec", "kind", "rules", "router", "first"),
    [
        ("torus:20x20", "AAS", {}, 0, 0),
        ("torus:20x20", "AAS", {}, 217, 40),
        ("torus:6x6x6", "AAS", {"switching": "tdm"}, 5, 3),
        ("torus:20x20", "AAB", {"switching": "store-and-forward"}, 21, 2),
    ],
)
def test_a_window_has_what_its_channels_carry(
    spec: str, kind: str, rules: dict[str, Any], router: int, first: int
) -> None:
    """In each step shown a drawn channel is busy if and only if the schedule that is written out uses it then."""
    result = table_of(spec, kind, **rules)
    contents = contents_of(result, router=router, first_step=first)
    whole = result.expanded()
    network, schedule = result.problem.network, whole.schedule
    assert schedule is not None
    uses = channel_uses(result.problem, schedule)
    numbers = [network.routers.index(name) for name in contents["routers"]]
    assert numbers[0] == router
    busy = busy_channels(contents)
    expected: list[set[tuple[int, int]]] = [set() for _ in range(contents["numSteps"])]
    for step, channel in zip(uses.steps.tolist(), uses.channels.tolist(), strict=True):
        if first <= step < first + len(expected):
            expected[step - first].add(tuple(network.channels[channel].tolist()))
    for step, used in enumerate(expected):
        drawn = {(numbers[tail], numbers[head]) for tail, head in contents["channels"]}
        shown = [contents["channels"][channel] for channel in np.flatnonzero(busy[step]).tolist()]
        assert {(numbers[tail], numbers[head]) for tail, head in shown} == drawn & used
    starts = np.bincount(schedule.steps, minlength=schedule.num_steps)
    assert contents["perStep"] == starts[first : first + len(expected)].tolist()
    assert contents["allSteps"] == schedule.num_steps


def test_paths_are_drawn_inside_the_window() -> None:
    """A path that leaves the window is cut: what is left runs between drawn routers, and names its message in full."""
    result = table_of("torus:20x20")
    contents = contents_of(result, router=3)
    chosen, names = contents["chosen"], contents["processorNames"]
    assert names[0] == "3"
    cut = 0
    for _, sender, receiver, path, message in chosen["transfers"]:
        channels = [contents["channels"][channel] for channel in path]
        assert all(one[1] == other[0] for one, other in pairwise(channels))
        start, end = channels[0][0], channels[-1][1]
        origin, target = chosen["labels"][message]
        assert sender in (~start, start)
        assert receiver in (~end, end)
        assert names[origin] != names[target]
        cut += sender < 0 or receiver < 0
    assert cut > 0
    assert "the 113 routers nearest to 3, of 400, with" in contents["window"]


def test_rows_of_a_window_begin_at_its_first_step() -> None:
    """The rows of every drawn router are those that the command line prints, from the first step on."""
    result = table_of("torus:20x20")
    contents = contents_of(result, router=50, first_step=100)
    table, network = contents["table"], result.problem.network
    assert result.table is not None
    for number in (0, 7, len(contents["routers"]) - 1):
        router = network.routers.index(contents["routers"][number])
        expected = [row for row in rows_of_router(result.problem, result.table, router) if row.step >= 100]
        listed = table["rows"][number]
        assert len(listed) == min(len(expected), 53)
        assert [tuple(row) for row in listed] == [
            (row.step, str(row.sender), str(row.receiver), row.message, row.path) for row in expected[: len(listed)]
        ]
    assert table["numRows"] == 399


@pytest.mark.parametrize("spec", ["mesh:4x4", "rails:4,4"])
def test_tables_without_kinds_list_transfers(spec: str) -> None:
    """Where no row of kinds is translated, the transfers of each router's messages are listed."""
    switches = {"switches": "pass"} if spec.startswith("rails") else {}
    result = table_of(spec, switching="store-and-forward", **switches)
    contents = contents_of(result)
    assert sum(map(len, contents["table"]["rows"].values())) == len(contents["transfers"])
    assert "numRows" not in contents["table"]


def test_a_table_too_large_for_a_page_gets_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """The line has the limit, and what prints the table."""
    monkeypatch.setattr(table_contents, "MOST_CHANNELS", 50)
    with pytest.raises(InputError, match=r"^torus:4x4 has 64 channels, and a page shows tables of networks of at most"):
        contents_of(table_of("torus:4x4"))
