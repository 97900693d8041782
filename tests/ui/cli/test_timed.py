"""`pavane solve --timed` and `pavane verify` of its files, as a user calls them."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from tests.ui.cli.calls import Call

TIMED = "--switching store-and-forward --timed --bytes 1MB --latency 0.7us --bandwidth 25GB/s"


@pytest.fixture
def timed_file(call: Call, tmp_path: Path) -> Path:
    """Return a timed schedule file of an allgather on a ring of 4."""
    path = tmp_path / "timed.json"
    call.good(*shlex.split(f"solve ring:4 allgather {TIMED} -o {path}"))
    return path


def test_a_timed_schedule_is_written_and_judged(call: Call, tmp_path: Path) -> None:
    """The report has the links, the bound and the end, and the file is judged valid with the same end."""
    out = call.good(*shlex.split(f"solve ring:4 allgather {TIMED} -o timed.json"))
    assert "reached     81.4 us" in out
    assert "status      optimal" in out
    assert "verdict     valid, optimal" in call.good("verify", tmp_path / "timed.json")


def test_several_numbers_of_pieces_are_tried_and_the_fastest_is_kept(call: Call) -> None:
    """`--pieces` with several numbers reports each end, and the best has the fewest picoseconds."""
    result = call(*shlex.split(f"solve octagon allgather {TIMED} --pieces 1,2 --json"))
    figures = json.loads(result.out)
    assert [one["pieces"] for one in figures["tried"]] == [1, 2]
    assert figures["finish_ps"] == min(one["finish_ps"] for one in figures["tried"])
    assert figures["bus_bandwidth"] < figures["algorithmic_bandwidth"]


def test_a_changed_file_is_invalid(call: Call, timed_file: Path) -> None:
    """Judging prints what is wrong and ends with code 1."""
    content = json.loads(timed_file.read_text())
    content["transfers"].pop()
    timed_file.write_text(json.dumps(content))
    result = call("verify", timed_file)
    assert result.code == 1
    assert "never-delivered" in result.out
    assert "verdict     invalid" in result.out


@pytest.mark.parametrize(
    ("command", "text"),
    [
        ("solve ring:4 aab --timed --bandwidth 1GB/s", "add --bytes"),
        ("solve ring:4 aab --timed --bytes 1MB", "add --bandwidth"),
        ("solve ring:4 aab --latency 1us", "--latency goes with --timed"),
        (f"solve ring:4 aab {TIMED} --steps 3", "--steps does not go with --timed"),
        (f"solve ring:4 aab {TIMED} --method greedy", "--method greedy does not go with --timed"),
        (f"solve ring:4 aab {TIMED} -o x.html", "written as .json"),
        ("solve ring:4 aas --switching tdm --timed --bytes 1MB --bandwidth 1GB/s", "do not go with tdm"),
        (f"solve ring:4 aab {TIMED} --pieces 2000000", "do not make"),
        ("export timed.json --to csv", "timed.json: csv carries steps, and this schedule has start times; choose "),
        ("export timed.json --to goal --bytes 5", "--bytes 5: its messages have 1,000,000 bytes; leave it out"),
        ("export timed.json --to chakra", "chakra makes a file for each processor; name a folder for them"),
    ],
)
def test_what_does_not_go_with_times_is_refused(call: Call, timed_file: Path, command: str, text: str) -> None:
    """One line says what is missing or does not fit, with exit code 2."""
    assert timed_file.name == "timed.json"
    assert call(*shlex.split(command)).is_refusal(text)


def test_the_problem_of_a_file_has_its_links_and_sizes(call: Call, timed_file: Path) -> None:
    """Its schedule is searched for again, and its bounds are those on the end."""
    assert "reached     81.4 us" in call.good("solve", timed_file)
    assert "bound       81.400 us (timed-cut): what must enter" in call.good("bounds", timed_file)


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("solve ring:4 aab --start timed.json", "it has start times, where a schedule of steps"),
        ("solve timed.json --latency 1us", "--latency goes with --timed"),
        ("solve timed.json --steps 3", "--steps does not go with"),
        ("study timed.json --method greedy", "a study goes with steps, and the problem has start times"),
        (
            "time timed.json --startup 1us --per-byte 1ns --bytes 4",
            "it has start times, where a schedule of steps was expected",
        ),
        ("verify timed.json --prove", "--prove counts steps, and timed.json has start times"),
    ],
)
def test_what_counts_steps_refuses_start_times(call: Call, timed_file: Path, words: str, text: str) -> None:
    """A command that takes schedules of steps says in one line what the file has."""
    assert timed_file.name == "timed.json"
    assert call(*shlex.split(words)).is_refusal(text)


def test_a_timed_schedule_is_exported(call: Call, timed_file: Path, tmp_path: Path) -> None:
    """Programs go to stdout or a file, and traces into a folder, one for each processor."""
    assert json.loads(call.good("export", timed_file, "--to", "mscclpp"))["collective"] == "allgather"
    assert "requires" in call.good("export", timed_file, "--to", "goal")
    assert call.good("export", timed_file, "--to", "msccl-xml", "-o", "program.xml") == ""
    assert 'coll="allgather"' in (tmp_path / "program.xml").read_text()
    call.good("export", timed_file, "--to", "chakra", "-o", "traces")
    assert {file.name for file in (tmp_path / "traces").iterdir()} == {f"timed.{rank}.et" for rank in range(4)}


@pytest.mark.parametrize("command", ["export timed.json --to goal"])
def test_only_valid_files_run(call: Call, timed_file: Path, command: str) -> None:
    """A file is judged first: a broken rule is exit code 1, and a wrong end or a strange number exit code 2."""
    content = json.loads(timed_file.read_text())
    content["transfers"][-1]["start"] = 0
    timed_file.write_text(json.dumps(content))
    answer = call(*shlex.split(command))
    answer.is_one_line(1)
    assert "timed.json: the schedule breaks a rule (channel-capacity)" in answer.err
    content["transfers"][-1]["start"] = 10**30
    timed_file.write_text(json.dumps(content))
    assert call(*shlex.split(command)).is_refusal("timed.json: ")
    timed_file.write_text(timed_file.read_text()[:400])
    assert call(*shlex.split(command)).is_refusal("timed.json: ")
