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


def test_one_schedule(call: Call, exchange: Path) -> None:
    """The problem and the costs, a line a step, then the total by each of the papers' equations."""
    out = call.good("time", exchange, *COSTS, "--bytes", "4", "--per-hop", "2ns")
    assert out.startswith("network     hypercube:3: 8 routers, 24 channels, 8 processors\ncollective  alltoall (AAS) ")
    assert out.endswith(
        """\
schedule    3 start-ups, TCO 12
costs       10 ns start-up, 1 ns per byte, 2 ns per hop, 4 B a message
step  messages  channels   time
   1         4         1  28 ns
   2         4         1  28 ns
   3         4         1  28 ns

model        formula                       time
noc (1)      sum of ts + ki m t1 + hi tr  84 ns  step by step, hops included
noc (2)      sum of ts + mi t1            78 ns  step by step, mi = ki m bytes, hops neglected
noc (3)      start-ups ts + m t1 TCO      78 ns  the same, summed up
gecco07 (3)  steps ts + m t1              34 ns  as printed: m t1 once, however many steps
gecco08 (4)  (t0 + m t1) steps            42 ns  one message in every transfer
"""
    )


def test_many_steps_are_summed_up(call: Call, direct: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Above a limit steps that are alike share a line."""
    monkeypatch.setattr("pavane.ui.cli.time_tables.MOST_STEPS_LISTED", 6)
    out = call.good("time", direct, *COSTS, "--bytes", "4", "--per-hop", "2ns")
    assert (
        """\
steps  messages  channels  time of each
    3         1         1         16 ns
    3         1         2         18 ns
    1         1         3         20 ns
"""
        in out
    )


def test_the_fastest_is_marked(call: Call, direct: Path, exchange: Path) -> None:
    """Several schedules stand side by side, with every model, and a star marks the fastest."""
    lines = call.good("time", "direct.json", "exchange.json", *COSTS, "--bytes", "4").splitlines()
    assert lines[0] == "costs       10 ns start-up, 1 ns per byte, 4 B a message"
    assert lines[1] == "remark      the schedules obey different rules"
    assert lines[2].split("  ")[-5:] == ["noc (1)", "noc (2)", "noc (3)", "gecco07 (3)", "gecco08 (4)"]
    row = "direct.json hypercube:3 alltoall (AAS) 7 7 98 ns 98 ns 98 ns 74 ns 98 ns"
    assert " ".join(lines[3].split()) == row
    assert lines[4].startswith("*  exchange.json")
    assert lines[5:] == ["* the fastest by noc (1)"]
    assert call.good("time", direct, exchange, *COSTS, "--bytes", "9").splitlines()[3].startswith("* ")
    tied = call.good("time", direct, exchange, *COSTS, "--bytes", "8")
    assert [line[0] for line in tied.splitlines()[3:5]] == ["*", "*"]


def test_times_as_json(call: Call, direct: Path, exchange: Path) -> None:
    """`--json` has the seconds of every step and model."""
    said = json.loads(call.good("time", direct, exchange, *COSTS, "--bytes", "4", "--json"))
    assert said["costs"] == {"startup": 1e-8, "per_byte": 1e-9, "per_hop": 0.0}
    assert said["bytes"] == 4
    assert [row["fastest"] for row in said["schedules"]] == [False, True]
    row = said["schedules"][1]
    assert (row["network"], row["collective"], row["start_ups"], row["tco"]) == ("hypercube:3", "AAS", 3, 12)
    assert [(step["messages"], step["channels"]) for step in row["steps"]] == [(4, 1)] * 3
    assert row["seconds"]["noc (3)"] == pytest.approx(78e-9)
    assert set(row["seconds"]) == {"noc (1)", "noc (2)", "noc (3)", "gecco07 (3)", "gecco08 (4)"}


SWEEP = """\
costs       10 ns start-up, 1 ns per byte, by noc (1)
remark      the schedules obey different rules
   file           schedule
1  direct.json    alltoall (AAS) on hypercube:3: 7 start-ups, TCO 7
2  exchange.json  alltoall (AAS) on hypercube:3: 3 start-ups, TCO 12

size       1       2  fastest
 1 B   77 ns   42 ns        2
 2 B   84 ns   54 ns        2
 4 B   98 ns   78 ns        2
 8 B  126 ns  126 ns        1
16 B  182 ns  222 ns        1

fastest     below 8 B: 2 (alltoall (AAS) on hypercube:3: 3 start-ups, TCO 12)
fastest     from 8 B: 1 (alltoall (AAS) on hypercube:3: 7 start-ups, TCO 7)
"""


def test_a_sweep_names_the_fastest_at_each_size(
    call: Call, direct: Path, exchange: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Times over sizes, the fastest of each, and the size where it changes; of many schedules some have a column."""
    assert call.good("time", "direct.json", "exchange.json", *COSTS, "--sweep", "1B:16B") == SWEEP
    out = call.good("time", direct, exchange, *COSTS, "--sweep", "16B:1KiB", "--points", "3")
    assert [line.split()[0] for line in out.splitlines()[7:10]] == ["16", "128", "1"]
    assert out.endswith("fastest     at every size: 1 (alltoall (AAS) on hypercube:3: 7 start-ups, TCO 7)\n")
    monkeypatch.setattr("pavane.ui.cli.time_tables.MOST_COLUMNS", 2)
    out = call.good("time", direct, direct, exchange, *COSTS, "--sweep", "1B:16B")
    assert "\nsize       1       3  fastest\n" in out


def test_a_sweep_for_programs_and_as_a_picture(call: Call, direct: Path, exchange: Path, tmp_path: Path) -> None:
    """`--json` has sizes, seconds, the fastest by place, and crossovers; `-o` writes the same picture each time."""
    words = ("time", direct, exchange, *COSTS, "--sweep", "1:16")
    said = json.loads(call.good(*words, "--json"))
    assert said["sizes"] == [1, 2, 4, 8, 16]
    assert said["schedules"][0]["seconds"] == pytest.approx([77e-9, 84e-9, 98e-9, 126e-9, 182e-9])
    assert said["fastest"] == [1, 1, 1, 0, 0]
    assert [(c["bytes"], c["fastest"]) for c in said["crossovers"]] == [(pytest.approx(8), 0)]
    for name in ("a.svg", "b.svg"):
        call.good(*words, "-o", name)
    drawn = (tmp_path / "a.svg").read_text()
    assert "alltoall (AAS) on hypercube:3" in drawn
    assert "3 start-ups, TCO 12" in drawn
    assert drawn == (tmp_path / "b.svg").read_text()


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
    answer = call("time", direct, *COSTS, "--sweep", "1B:16B", "-o", "a.svg")
    assert answer.is_refusal("pip install '.[plot]'")


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (
            ["--bytes", "4"],
            "Missing option '--startup'. Time of a start-up (ts, alpha), as 10ns or 1us. (see `pavane time --help`)",
        ),
        ([*COSTS, "--bytes", "4", "--sweep", "1:4"], "give the size of a message, as in --bytes 4, or a range"),
        ([*COSTS, "--bytes", "4", "-o", "a.svg"], "-o belongs to --sweep"),
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


def test_pieces_are_compared_by_message_times(call: Call, tmp_path: Path) -> None:
    """Side by side each number of pieces has its TCO in whole messages, and the size of messages picks one."""
    call.good("solve", "dgx-1", "aab", "--switching", "wormhole", "--pieces", "1,2,6", "--front", "all")
    costs = ("--startup", "1us", "--per-byte", "1GB/s")
    lines = call.good("time", "all", *costs, "--bytes", "4KiB").splitlines()
    titles = "file network collective start-ups TCO pieces TCO/pieces with barriers"
    assert " ".join(lines[1].split()) == titles
    told = [line.split()[-6:-2] for line in lines[2:5]]
    assert told == [["2", "2", "1", "2"], ["3", "3", "2", "3/2"], ["7", "7", "6", "7/6"]]
    assert [line[0] for line in lines[2:5]] == [" ", "*", " "]
    rows = json.loads(call.good("time", "all", *costs, "--bytes", "4KiB", "--json"))["schedules"]
    assert [row.get("message_times") for row in rows] == [None, "3/2", "7/6"]
    assert rows[1]["seconds"]["noc (1)"] == pytest.approx(3 * (1e-6 + 2.048e-6))
    swept = call.good("time", "all", *costs, "--sweep", "1KiB:1MiB", "-o", "t.svg")
    assert "fastest     below 2,000 B: 1 (allgather (AAB) on dgx-1: 2 start-ups, TCO 2)\n" in swept
    assert "(allgather (AAB) on dgx-1: 7 start-ups, TCO 7 in 6 pieces, 7/6 a message)\n" in swept
    assert "7 steps, 6 pieces" in (tmp_path / "t.svg").read_text()


def test_one_schedule_in_pieces(call: Call) -> None:
    """The bytes of a piece stand beside those of a message."""
    call.good("solve", "dgx-1", "aab", "--switching", "wormhole", "--pieces", "2", "-o", "s.json")
    lines = call.good("time", "s.json", *COSTS, "--bytes", "100").splitlines()
    assert lines[3] == "schedule    3 start-ups, TCO 3 in 2 pieces a message: 3/2 message times"
    assert lines[4] == "costs       10 ns start-up, 1 ns per byte, 100 B a message, 50 B a piece"
    assert lines[5].split() == ["step", "pieces", "channels", "time"]
    assert lines[6].split() == ["1", "1", "1", "60", "ns"]


def test_sizes_are_counted_in_units(call: Call) -> None:
    """`--bytes` is one unit then; schedules of other sizes or collectives are compared with a remark."""
    call.good("solve", "ring:4", "scatter", "--sizes", "0>1:3", "-o", "a.json")
    call.good("solve", "ring:4", "scatter", "-o", "b.json")
    assert ", 100 B a unit\n" in call.good("time", "a.json", *COSTS, "--bytes", "100")
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
    out = call.good("time", *sums, *COSTS, "--sweep", "1B:64B")
    assert "remark      all add up the same vector: a size is that of one of 4 parts, and fewer parts are larger" in out
    assert "size  vector       1       2  fastest" in out
    assert "16 B    64 B  156 ns  148 ns        2" in out
    assert "fastest     below 20 B (vector 80 B): 2 (ALLREDUCE on hypercube:2 in 1 part: 2 start-ups, TCO 2)" in out
    assert "fastest     from 20 B (vector 80 B): 1 (ALLREDUCE on hypercube:2 in 4 parts: 6 start-ups, TCO 6)" in out
    told = json.loads(call.good("time", *sums, *COSTS, "--sweep", "1B:4B", "--json"))
    assert told["vector_bytes"] == [4, 8, 16]
    assert [one["parts"] for one in told["schedules"]] == [4, 1]
    assert "16 B a message, 64 B the vector" in call.good("time", *sums, *COSTS, "--bytes", "16")
    told = json.loads(call.good("time", *sums, *COSTS, "--bytes", "16", "--json"))
    assert [one["seconds"]["noc (1)"] for one in told["schedules"]] == pytest.approx([156e-9, 148e-9])


def test_a_folder_that_cannot_be_read(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One line names it, and what the system says."""

    def listed(_: object) -> list[str]:
        raise PermissionError(13, "Permission denied")

    (tmp_path / "mine").mkdir()
    monkeypatch.setattr(os, "listdir", listed)
    assert call("time", "mine", *COSTS, "--bytes", "4").is_refusal("mine: cannot be read: permission denied")


def test_one_part_may_be_faster_everywhere_or_nowhere(call: Call, sums: list[str]) -> None:
    """Where only start-ups cost, fewer steps are always faster; where only bytes do, fewer bytes are."""
    swept = ("--sweep", "1B:64B")
    told = "one part    reduce-broadcast takes 2 steps at least, the whole vector in each: it "
    for sizes in (swept, ("--bytes", "16")):
        assert f"{told}can be faster below 20 B (vector 80 B) only\n" in call.good("time", sums[0], *COSTS, *sizes)
    figures = json.loads(call.good("time", sums[0], *COSTS, "--bytes", "16", "--json"))
    assert figures["one_part"] == {"fewest_steps": 2, "faster_below_bytes": 20}
    assert "one part" not in call.good("time", sums[1], *COSTS, "--bytes", "16")
    nowhere = call.good("time", sums[0], "--startup", "0", "--per-byte", "1ns", *swept)
    assert f"{told}is faster at no size\n" in nowhere
    everywhere = call.good("time", sums[0], "--startup", "1us", "--per-byte", "0", *swept)
    assert f"{told}may be faster at every size\n" in everywhere
