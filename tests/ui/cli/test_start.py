"""`pavane solve ... --start` with a schedule of the network before its faults, or of another problem."""

from __future__ import annotations

import json
from pathlib import Path

from tests.ui.cli.calls import Call

LESS = ("solve", "ring:4 less 0-1", "aas", "--start")


def test_a_repaired_file_is_valid(call: Call, solved: Path, tmp_path: Path) -> None:
    """The output is a schedule file like any other, and the report counts what was kept."""
    out = call.good(*LESS, solved, "-o", "repaired.json")
    assert "start       2 steps, 12 transfers: " in out
    assert " kept, " in out
    assert call.good(*LESS, solved, "-q") == ""
    assert "verdict     valid" in call.good("verify", tmp_path / "repaired.json")


def test_json(call: Call, solved: Path) -> None:
    """Figures before and after."""
    figures = json.loads(call.good("solve", "ring:4 less 0>1", "aas", "--start", solved, "--json"))
    start = figures["start"]
    assert (start["steps"], start["transfers"]) == (2, 12)
    assert start["kept"] + start["moved"] == 12
    assert (start["new"], start["removed"]) == (0, 0)
    assert figures["steps"] >= figures["bound"]


def test_a_fault_that_disconnects(call: Call, solved: Path) -> None:
    """One line, and no file is written."""
    answer = call("solve", "ring:4 less 0-1, 1-2", "aas", "--start", solved, "-o", "repaired.json")
    assert answer.is_refusal(
        "processor 1 (router 1) cannot be reached from processor 0 (router 0) on ring:4 less 0-1, 1-2"
    )
    assert not Path("repaired.json").exists()


def test_bad_input(call: Call, solved: Path) -> None:
    """A missing file and options that do not go with a start are refused in one line."""
    assert call(*LESS, "none.json").is_refusal("none.json")
    assert call(*LESS, solved, "--steps", "4").is_refusal("--steps")
    assert call(*LESS, solved, "--timed").is_refusal("--start")
    assert call("solve", "ring:4", "aas", "--pieces", "1,2", "--start", solved).is_refusal("--start")


def test_the_same_problem_goes_on(call: Call, solved: Path) -> None:
    """A schedule of the same problem is where the search starts, so the answer is no worse."""
    assert "reached     2 steps" in call.good("solve", "ring:4", "aas", "--start", solved)


def test_a_mode_change(call: Call, tmp_path: Path) -> None:
    """The table of another communication graph keeps the circuits that persist; one line counts them."""
    slots = ("--switching", "tdm", "--ports", "1")
    call.good("solve", "ring:4", "pairs", "--pairs", "0>1,1>2,2>0", *slots, "-o", "first.json")
    second = ("solve", "ring:4", "pairs", "--pairs", "0>1,2>0,3>0", *slots, "--start", tmp_path / "first.json")
    out = call.good(*second, "-o", "next.json")
    assert "transfers: 2 kept, 0 moved, 1 new, 1 removed" in out
    assert "verdict     valid" in call.good("verify", tmp_path / "next.json")
    start = json.loads(call.good(*second, "--json"))["start"]
    assert [start[key] for key in ("kept", "moved", "new", "removed")] == [2, 0, 1, 1]
