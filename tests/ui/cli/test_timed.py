"""`pavane solve --timed` and `pavane verify` of its files, as a user calls them."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from tests.ui.cli.calls import Call

TIMED = "--switching store-and-forward --timed --bytes 1MB --latency 0.7us --bandwidth 25GB/s"


def test_a_timed_schedule_is_written_and_judged(call: Call, tmp_path: Path) -> None:
    """The report has the links, the bound and the end, and the file is judged valid with the same end."""
    path = tmp_path / "timed.json"
    result = call(*shlex.split(f"solve ring:4 allgather {TIMED} -o {path}"))
    assert result.code == 0
    assert "ends        81.4 us" in result.out
    assert "status      optimal" in result.out
    again = call(*shlex.split(f"verify {path}"))
    assert again.code == 0
    assert "verdict     valid, optimal" in again.out


def test_several_numbers_of_pieces_are_tried_and_the_fastest_is_kept(call: Call) -> None:
    """`--pieces` with several numbers reports each end, and the best has the fewest picoseconds."""
    result = call(*shlex.split(f"solve octagon allgather {TIMED} --pieces 1,2 --json"))
    figures = json.loads(result.out)
    assert [one["pieces"] for one in figures["tried"]] == [1, 2]
    assert figures["finish_ps"] == min(one["finish_ps"] for one in figures["tried"])
    assert figures["bus_bandwidth"] < figures["algorithmic_bandwidth"]


def test_a_changed_file_is_invalid(call: Call, tmp_path: Path) -> None:
    """Judging prints what is wrong and ends with code 1."""
    path = tmp_path / "timed.json"
    call(*shlex.split(f"solve ring:4 allgather {TIMED} -o {path}"))
    content = json.loads(path.read_text())
    content["transfers"].pop()
    path.write_text(json.dumps(content))
    result = call(*shlex.split(f"verify {path}"))
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
    ],
)
def test_what_does_not_go_with_times_is_refused(call: Call, command: str, text: str) -> None:
    """One line says what is missing or does not fit, with exit code 2."""
    result = call(*shlex.split(command))
    assert result.code == 2
    assert text in result.err
    assert len(result.err.strip().splitlines()) == 1


@pytest.mark.parametrize("command", ["export --to csv", "simulate", "solve"])
def test_commands_of_steps_name_a_timed_file(call: Call, tmp_path: Path, command: str) -> None:
    """A command that takes schedules of steps says what the file is, in one line."""
    path = tmp_path / "timed.json"
    call(*shlex.split(f"solve ring:4 allgather {TIMED} -o {path}"))
    name, *options = command.split()
    assert call(name, path, *options).is_refusal("timed schedule, which `pavane verify` alone reads")
