"""What a command writes is what the name of the file says, or it is refused; `-` is stdout."""

from __future__ import annotations

import gzip
import json
import re
import shlex
import subprocess
from pathlib import Path

import pytest

from pavane.io import read_schedule
from tests.ui.cli.calls import PROGRAM, Call

STARTS = {"html": b"<!doctype html>", "svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF", "json.gz": b"\x1f\x8b"}


@pytest.mark.parametrize("ending", STARTS)
def test_solve_writes_what_the_ending_says(call: Call, solved: Path, tmp_path: Path, ending: str) -> None:
    """A page, a picture or a packed file, each said in the report."""
    name = f"x.{ending}"
    assert f"file        {name}\n" in call.good("solve", "ring:4", "aas", "-o", name)
    assert (tmp_path / name).read_bytes().startswith(STARTS[ending])
    call.good("solve", "ring:4", "aas", "--combining", "-o", f"front.{ending}")
    assert (tmp_path / f"front.{ending}").read_bytes().startswith(STARTS[ending])
    call.good("solve", "ring:4 less 0>1", "aas", "--start", solved, "-o", f"repaired.{ending}")
    assert (tmp_path / f"repaired.{ending}").read_bytes().startswith(STARTS[ending])


def test_a_packed_schedule_is_read_by_all_commands(call: Call, solved: Path, tmp_path: Path) -> None:
    """What was packed says the same as what was not, and the same schedule is the same file."""
    call.good("solve", "ring:4", "aas", "-o", "packed.json.gz")
    unpacked = json.loads(gzip.decompress((tmp_path / "packed.json.gz").read_bytes()))
    assert unpacked["steps"] == json.loads(solved.read_bytes())["steps"]
    costs = ["--startup", "1us", "--per-byte", "1ns", "--bytes", "4"]
    for words in (["show"], ["verify"], ["export", "--to", "csv"], ["bounds"], ["time", *costs], ["networks"]):
        plain, packed = (call(words[0], file, *words[1:]) for file in (solved.name, "packed.json.gz"))
        spaced = re.sub(" +", " ", packed.out.replace("packed.json.gz", solved.name))
        assert spaced == re.sub(" +", " ", plain.out)
        assert packed.code == plain.code
    (tmp_path / "folder").mkdir()
    (tmp_path / "packed.json.gz").rename(tmp_path / "folder" / "packed.json.gz")
    assert "4/" in call.good("time", "folder", *costs) or "start-up" in call.good("time", "folder", *costs)


@pytest.mark.parametrize(
    ("name", "text"),
    [("x.csv", "`pavane export` makes .csv of it"), ("x.gif", "nothing here writes .gif"), ("x.json.xz", ".xz")],
)
def test_other_endings_are_refused(call: Call, tmp_path: Path, solved: Path, name: str, text: str) -> None:
    """An ending that promises another format is refused before the search."""
    assert call("solve", "ring:4", "aas", "-o", name).is_refusal(name, text)
    assert call("solve", "ring:4 less 0>1", "aas", "--start", solved, "-o", name).is_refusal(name, text)
    assert not (tmp_path / name).exists()


def test_a_name_without_a_known_ending_is_a_schedule_file(call: Call, tmp_path: Path) -> None:
    """Whatever promises nothing is written as JSON."""
    call.good("solve", "ring:4", "aas", "-o", "schedule")
    assert read_schedule(tmp_path / "schedule").schedule.num_steps == 2


@pytest.mark.parametrize("more", [[], ["--combining"], ["--start", "ring.json"]])
def test_stdout_takes_the_schedule(call: Call, solved: Path, tmp_path: Path, more: list[str]) -> None:
    """`-o -` writes a schedule file to stdout, and nothing else there; the report goes to stderr."""
    assert solved.name == "ring.json"
    answer = call("solve", "ring:4", "aas", *more, "-o", "-")
    assert answer.code == 0
    (tmp_path / "piped.json").write_text(answer.out)
    assert "verdict     valid" in call.good("verify", "piped.json")
    assert answer.err.startswith("network     ring:4")
    assert not (tmp_path / "-").exists()


def test_without_a_schedule_stdout_stays_empty(call: Call) -> None:
    """What was not found is told on stderr, and by the exit code."""
    answer = call("solve", "ring:4", "aas", "--steps", "1", "-o", "-")
    assert (answer.code, answer.out) == (1, "")
    assert "no schedule in 1 step" in answer.err


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["solve", "ring:4", "aas", "-o", "-", "--json"], "both write to stdout"),
        (["solve", "ring:4", "aas", "--combining", "--front", "-"], "name a folder"),
        (["study", "ring:4", "aas", "--method", "greedy", "-o", "runs"], "runs are stored as .jsonl"),
        (["study", "ring:4", "aas", "--method", "greedy", "-o", "-", "--json"], "both write to stdout"),
        (["study", "ring:4", "aas", "--method", "greedy", "-o", "x.csv.gz"], "written as .csv or .md"),
        (["export", "ring.json", "--to", "csv", "-o", "x.csv.gz"], "leave .gz out"),
        (["export", "ring.json", "--to", "simgrid", "-o", "-"], "name a folder"),
        (["show", "ring.json", "-o", "-"], "a picture ends in"),
    ],
)
def test_what_stdout_cannot_take_is_refused(call: Call, solved: Path, arguments: list[str], text: str) -> None:
    """Two texts, several files and pictures need names."""
    assert call(*arguments).is_refusal(text)


def test_tables_go_to_stdout(call: Call, solved: Path) -> None:
    """`pavane study -o -` prints rows alone, and the report to stderr; `-o -` says what leaving it out says."""
    answer = call("study", "ring:4", "aas", "--method", "greedy", "--seeds", "2", "-o", "-")
    assert answer.out.startswith("method,")
    assert answer.out.count("\n") == 2
    assert answer.err.startswith("network     ring:4")
    table = ("export", solved, "--to", "csv")
    assert call.good(*table, "-o", "-") == call.good(*table)


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams_are_no_error(tmp_path: Path, closed: str) -> None:
    """Who closes stdout or stderr gets the file and the exit code, and nothing of what was closed in the file."""
    file = tmp_path / "s.json"
    for words, code in (["solve", "ring:4", "aas", "-o", str(file)], 0), (["solve", "ring:4", "aaz"], 2):
        command = f"{shlex.join([*PROGRAM, *words])} {closed}"
        done = subprocess.run(["/bin/sh", "-c", command], capture_output=True, text=True, check=False)
        assert done.returncode == code
        assert "Traceback" not in done.stderr
    assert read_schedule(file).schedule.num_steps == 2


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full device")
def test_a_stderr_that_cannot_be_written_to_changes_no_code() -> None:
    """The exit code says what the line would."""
    with open("/dev/full", "wb") as full:
        done = subprocess.run([*PROGRAM, "solve", "ring:4", "aaz"], stderr=full, check=False)
    assert done.returncode == 2


def test_a_closed_stream_whose_number_is_taken(tmp_path: Path) -> None:
    """A file that was opened before, under the number of stdout, gets nothing of what is printed."""
    taken = tmp_path / "taken.txt"
    program = f"import os; assert os.open({str(taken)!r}, os.O_CREAT | os.O_WRONLY) == 1; {PROGRAM[-1]}"
    command = f"{shlex.join([*PROGRAM[:-1], program, 'networks', 'ring:4'])} >&-"
    done = subprocess.run(["/bin/sh", "-c", command], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert taken.read_bytes() == b""
