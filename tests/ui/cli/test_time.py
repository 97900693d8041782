"""`pavane time`: predicted times of schedules, side by side and over message sizes."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from pavane.io import write_network, write_schedule
from pavane.judge.result import Result
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule, Transfer
from pavane.networks import network
from tests.allreduces import AROUND_SQUARE, CUBE, DOUBLING, SQUARE, hops
from tests.problems import problem_of
from tests.ui.cli.calls import Call

COSTS = ("--startup", "10ns", "--per-byte", "1ns")


def problem(combining: bool) -> Problem:
    """Return the all-to-all of a 3-dimensional hypercube with one port."""
    return problem_of("hypercube:3", "AAS", ports=1, combining=combining)


def path(asked: Problem, start: int, end: int) -> tuple[int, ...]:
    """Return the channels between two processors, the lowest dimension first."""
    ends = [tuple(channel) for channel in asked.network.channels.tolist()]
    channels, here = [], start
    for bit in (1, 2, 4):
        if (here ^ end) & bit:
            channels.append(ends.index((here, here ^ bit)))
            here ^= bit
    return tuple(channels)


@pytest.fixture
def direct(tmp_path: Path) -> Path:
    """Return a schedule file of 7 steps: in step s everyone p sends to p xor s."""
    asked = problem(combining=False)
    numbers = {(o, t): number for number, (o, t) in enumerate(asked.labels.tolist())}
    transfers = [
        Transfer(s - 1, p, p ^ s, path(asked, p, p ^ s), (numbers[p, p ^ s],)) for s in range(1, 8) for p in range(8)
    ]
    file = tmp_path / "direct.json"
    write_schedule(file, Result(asked, Schedule.from_transfers(transfers)))
    return file


@pytest.fixture
def exchange(tmp_path: Path) -> Path:
    """Return a schedule file of 3 steps with 4 messages each: along each dimension all that belongs to the far side."""
    asked = problem(combining=True)
    held = {p: {number for number, (o, _) in enumerate(asked.labels.tolist()) if o == p} for p in range(8)}
    transfers = []
    for step, bit in enumerate((1, 2, 4)):
        sent = {p: {m for m in held[p] if (int(asked.labels[m, 1]) ^ p) & bit} for p in range(8)}
        for p in range(8):
            transfers.append(Transfer(step, p, p ^ bit, path(asked, p, p ^ bit), tuple(sorted(sent[p]))))
            held[p] = held[p] - sent[p] | sent[p ^ bit]
    file = tmp_path / "exchange.json"
    write_schedule(file, Result(asked, Schedule.from_transfers(transfers)))
    return file


SWEEP = """\
costs       10 ns start-up, 1 ns per byte, 2 ns per hop, with a barrier after each step
remark      the schedules obey different rules
   file           schedule
1  direct.json    alltoall (AAS) on hypercube:3: 7 start-ups, TCO 7
2  exchange.json  alltoall (AAS) on hypercube:3: 3 start-ups, TCO 12

size       1       2  fastest
 1 B  101 ns   48 ns        2
 4 B  122 ns   84 ns        2
16 B  206 ns  228 ns        1
fastest     below 11.6 B: 2 (alltoall (AAS) on hypercube:3: 3 start-ups, TCO 12)
fastest     from 11.6 B: 1 (alltoall (AAS) on hypercube:3: 7 start-ups, TCO 7)
"""


def test_the_table_names_the_fastest_at_each_size(
    call: Call, direct: Path, exchange: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Times over sizes, the fastest of each, and the size where it changes; of many schedules some have a column."""
    assert call.good("time", "direct.json", "exchange.json", *COSTS, "--per-hop", "2ns", "--bytes", "1B:16B") == SWEEP
    one = call.good("time", exchange, *COSTS, "--bytes", "4").splitlines()
    assert [line.split() for line in one[-2:]] == [["size", "1"], ["4", "B", "78", "ns"]]
    monkeypatch.setattr("pavane.ui.cli.time.MOST_COLUMNS", 2)
    out = call.good("time", direct, direct, exchange, *COSTS, "--bytes", "1B:16B")
    assert "\nsize       1       3  fastest\n" in out


def test_times_for_programs_and_as_a_picture(call: Call, direct: Path, exchange: Path, tmp_path: Path) -> None:
    """`--json` has sizes, seconds, the fastest by place, and crossovers; `-o` writes the same picture each time."""
    words = ("time", direct, exchange, *COSTS, "--bytes", "1:16:2")
    figures = json.loads(call.good(*words, "--json"))
    assert figures["costs"] == {"startup": 1e-8, "per_byte": 1e-9, "per_hop": 0.0}
    assert figures["sizes"] == [1, 2, 4, 8, 16]
    assert figures["schedules"][0]["seconds"] == pytest.approx([77e-9, 84e-9, 98e-9, 126e-9, 182e-9])
    row = figures["schedules"][1]
    assert (row["network"], row["collective"], row["start_ups"], row["tco"]) == ("hypercube:3", "AAS", 3, 12)
    assert figures["fastest"] == [1, 1, 1, 0, 0]
    assert [(c["bytes"], c["fastest"]) for c in figures["crossovers"]] == [(pytest.approx(8), 0)]
    for name in ("a.svg", "b.svg"):
        call.good(*words, "-o", name)
    assert "2: 3 start-ups, TCO 12" in (tmp_path / "a.svg").read_text()
    assert (tmp_path / "a.svg").read_text() == (tmp_path / "b.svg").read_text()


def test_without_barriers_a_transfer_starts_as_soon_as_it_can(call: Call, tmp_path: Path) -> None:
    """Times are at most those with barriers."""
    call.good("solve", "mesh:2x3", "broadcast", "-o", "s.json")
    words = ("time", "s.json", *COSTS, "--per-hop", "100ns", "--bytes", "64", "--json")
    barriers, free = (json.loads(call.good(*words, *more)) for more in ((), ("--asynchronous",)))
    assert (barriers["barriers"], free["barriers"], free["crossovers"]) == (True, False, [])
    assert free["schedules"][0]["seconds"][0] <= barriers["schedules"][0]["seconds"][0]
    assert "without barriers" in call.good("time", "s.json", *COSTS, "--bytes", "64", "--asynchronous")


def test_a_folder_stands_for_its_schedules(call: Call, direct: Path, exchange: Path, tmp_path: Path) -> None:
    """All schedule files of a folder, by the numbers in their names; other files are passed over."""
    front = tmp_path / "front"
    front.mkdir()
    direct.rename(front / "s10.json")
    exchange.rename(front / "s9.json")
    write_network(front / "net.json", network("ring:3"))
    (front / "notes.txt").write_text("pavane/schedule/1")
    said = json.loads(call.good("time", "front", *COSTS, "--bytes", "4", "--json"))
    assert [row["file"] for row in said["schedules"]] == ["front/s9.json", "front/s10.json"]


def test_without_matplotlib_one_line_says_what_to_install(
    call: Call, direct: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The line names the extra `plot`, before anything is printed."""
    for name in [name for name in sys.modules if name.split(".")[0] == "matplotlib"]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    answer = call("time", direct, *COSTS, "--bytes", "1B:16B", "-o", "a.svg")
    assert answer.is_refusal("pip install '.[plot]'")


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (
            ["--bytes", "4"],
            "Missing option '--startup'. Time of a start-up (ts, alpha), as 10ns or 1us. (see `pavane time --help`)",
        ),
        ([*COSTS], "give the size of a message, as in --bytes 4, or a range"),
        ([*COSTS, "--bytes", "4", "-o", "a.svg"], "-o draws times with barriers over several sizes"),
        ([*COSTS, "--bytes", "4Kb"], "--bytes '4Kb' is not a size: write a number and B"),
        ([*COSTS, "--bytes", "4", "--per-hop", "2"], "--per-hop '2' is not a time: it has no unit"),
        (["--startup", "1us", "--per-byte", "fast", "--bytes", "4"], "--per-byte 'fast' is neither a time nor"),
    ],
)
def test_bad_options_are_one_line(arguments: list[str], text: str, call: Call, direct: Path) -> None:
    """The text says which option and how to write it."""
    assert call("time", direct, *arguments).is_refusal(text)


def test_bad_files_are_one_line(call: Call, direct: Path, tmp_path: Path) -> None:
    """A missing file, a folder without schedules and a spoilt schedule each get a line that names them."""
    assert call("time", "nowhere.json", *COSTS, "--bytes", "4").is_refusal("nowhere.json: ")
    (tmp_path / "empty").mkdir()
    assert call("time", "empty", *COSTS, "--bytes", "4").is_refusal("empty: there is no schedule file in this folder")
    content = json.loads(direct.read_text())
    content["steps"].pop()
    direct.write_text(json.dumps(content))
    answer = call("time", direct, *COSTS, "--bytes", "4")
    answer.is_one_line(1)
    assert "direct.json: the schedule breaks a rule (never-delivered)" in answer.err


def test_pieces_are_compared_by_message_times(call: Call) -> None:
    """Each number of pieces has its TCO in whole messages, and the size of messages picks one."""
    call.good("solve", "dgx-1", "aab", "--switching", "wormhole", "--pieces", "1,2,6", "--front", "all")
    costs = ("--startup", "1us", "--per-byte", "1GB/s")
    rows = json.loads(call.good("time", "all", *costs, "--bytes", "4KiB", "--json"))["schedules"]
    assert [row.get("message_times") for row in rows] == [None, "3/2", "7/6"]
    assert rows[1]["seconds"] == pytest.approx([3 * (1e-6 + 2.048e-6)])
    swept = call.good("time", "all", *costs, "--bytes", "1KiB:1MiB")
    assert "fastest     below 2,000 B: 1 (allgather (AAB) on dgx-1: 2 start-ups, TCO 2)\n" in swept
    assert "(allgather (AAB) on dgx-1: 7 start-ups, TCO 7 in 6 pieces, 7/6 a message)\n" in swept


def test_sizes_are_counted_in_units(call: Call) -> None:
    """`--bytes` is one unit then; schedules of other sizes or collectives are compared with a remark."""
    call.good("solve", "ring:4", "scatter", "--sizes", "0>1:3", "-o", "a.json")
    call.good("solve", "ring:4", "scatter", "-o", "b.json")
    out = call.good("time", "a.json", "b.json", *COSTS, "--bytes", "100")
    assert "remark      the schedules are of messages of different sizes\n" in out
    call.good("solve", "ring:4", "aab", "-o", "aab.json")
    out = call.good("time", "b.json", "aab.json", *COSTS, "--bytes", "1kB")
    assert "remark      the schedules are of different collectives: allgather (AAB), scatter (OAS)\n" in out


@pytest.fixture
def sums(tmp_path: Path) -> list[str]:
    """Return files of two allreduces on four processors: in four parts around a ring, in one by recursive doubling."""
    files = [tmp_path / "parts.json", tmp_path / "one-part.json"]
    for file, asked, listed in zip(files, (SQUARE, CUBE), (AROUND_SQUARE, DOUBLING), strict=True):
        write_schedule(file, Result(asked, hops(asked, listed)))
    return [str(file) for file in files]


def test_allreduces_are_compared_by_the_vector(call: Call, sums: list[str]) -> None:
    """Six steps of a part, or two of the whole vector: 60 + 6 m and 20 + 2 * 4 m are equal at 20 bytes a part."""
    out = call.good("time", *sums, *COSTS, "--bytes", "1B:64B")
    assert "remark      all add up the same vector: a size is that of one of 4 parts, and fewer parts are larger" in out
    assert "size  vector       1       2  fastest" in out
    assert "16 B    64 B  156 ns  148 ns        2" in out
    assert "fastest     below 20 B (vector 80 B): 2 (ALLREDUCE on hypercube:2 in 1 part: 2 start-ups, TCO 2)" in out
    figures = json.loads(call.good("time", *sums, *COSTS, "--bytes", "1B:4B:2", "--json"))
    assert figures["vector_bytes"] == [4, 8, 16]
    assert [one["parts"] for one in figures["schedules"]] == [4, 1]


def test_a_folder_that_cannot_be_read(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One line names it, and what the system says."""

    def listed(_: object) -> list[str]:
        raise PermissionError(13, "Permission denied")

    (tmp_path / "mine").mkdir()
    monkeypatch.setattr(os, "listdir", listed)
    assert call("time", "mine", *COSTS, "--bytes", "4").is_refusal("mine: cannot be read: permission denied")
