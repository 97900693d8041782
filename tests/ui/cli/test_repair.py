"""`pavane repair`."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

from tests.ui.cli.calls import Call


def test_a_mended_file_is_valid(call: Call, solved: Path, tmp_path: Path) -> None:
    """The output is a schedule file like any other, and the report counts what was kept."""
    out = call.good("repair", solved, "--fault", "0-1", "-o", "mended.json")
    assert "before      2 steps, 12 transfers" in out
    assert "kept        " in out
    assert call.good("repair", solved, "--fault", "0-1", "-q") == ""
    assert "verdict     valid" in call.good("verify", tmp_path / "mended.json")


def test_json(call: Call, solved: Path) -> None:
    """Figures before and after."""
    told = json.loads(call.good("repair", solved, "--fault", "0>1", "--json"))
    assert (told["steps_before"], told["transfers_before"]) == (2, 12)
    assert told["kept"] + told["changed"] == 12
    assert told["steps"] >= told["bound"]


def test_several_faults(call: Call, solved: Path) -> None:
    """Faults may be repeated; channels are counted anew after each."""
    out = call.good("repair", solved, "--fault", "0>1", "--fault", "2>3")
    assert "less 0>1, 2>3: 4 routers, 6 channels" in out


def test_a_fault_that_disconnects(call: Call, solved: Path) -> None:
    """One line, exit 1, and no file is written."""
    answer = call("repair", solved, "--fault", "0-1", "--fault", "1-2", "-o", "mended.json")
    answer.is_one_line(1)
    assert "disconnects AAS" in answer.err
    assert not Path("mended.json").exists()


def test_bad_input(call: Call, solved: Path) -> None:
    """No fault, an unknown router and a missing file are refused in one line."""
    assert call("repair", solved).is_refusal("no fault was named")
    assert call("repair", solved, "--fault", "0-9").is_refusal("names no two routers")
    assert call("repair", "none.json", "--fault", "0-1").is_refusal("none.json")
    assert call("repair", solved, "--fault", "0-1", "--time", "0").is_refusal("time 0")


def test_pieces_and_capacities(call: Call, wide: Path, tmp_path: Path) -> None:
    """A schedule in pieces on channels with capacities is mended, and message times stand beside steps."""
    made, mended = tmp_path / "made.json", tmp_path / "mended.json"
    call.good("solve", str(wide), "aab", "--pieces", "3", "-o", str(made))
    out = call.good("repair", str(made), "--fault", "0-1", "-o", str(mended))
    assert "4 messages in 12 pieces" in out
    assert "pieces      3 a message: " in out
    assert "verdict     valid" in call.good("verify", str(mended))
    told = json.loads(call.good("repair", str(made), "--fault", "0-1", "--json"))
    assert told["message_times"] == str(Fraction(told["steps"], 3))


def test_a_mode_change(call: Call, tmp_path: Path) -> None:
    """The table of another communication graph keeps the period and the circuits that persist; one line counts them."""
    slots = ("--switching", "tdm", "--ports", "1")
    call.good("solve", "ring:4", "pairs", "--pairs", "0>1,1>2,2>0", *slots, "-o", "first.json")
    call.good("solve", "ring:4", "pairs", "--pairs", "0>1,2>0,3>0", *slots, "-o", "second.json")
    first, second = tmp_path / "first.json", tmp_path / "second.json"
    out = call.good("repair", first, "--to", second, "--steps", "4", "-o", "next.json")
    assert "kept        2 transfers, 0 moved, 1 new, 1 removed" in out
    assert "reached     4 slots" in out
    assert "verdict     valid" in call.good("verify", tmp_path / "next.json")
    told = json.loads(call.good("repair", first, "--to", second, "--steps", "4", "--json"))
    assert [told[key] for key in ("kept", "moved", "new", "removed")] == [2, 0, 1, 1]


def test_a_mode_change_needs_the_same_network_and_rules(call: Call, solved: Path, tmp_path: Path) -> None:
    """What cannot keep anything is refused in one line."""
    call.good("solve", "ring:5", "aas", "-o", "other.json")
    assert call("repair", solved, "--to", tmp_path / "other.json").is_refusal("only a problem on the same network")
    assert call("repair", solved, "--to", solved, "--steps", "0").is_refusal("steps 0")
