"""`pavane verify`: the judge, at the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from tests.ui.cli.calls import Call

Spoiler = Callable[[dict[str, Any]], object]


def spoiled(path: Path, spoil: Spoiler) -> Path:
    """Change a schedule file."""
    content = json.loads(path.read_text())
    spoil(content)
    path.write_text(json.dumps(content))
    return path


def test_a_valid_file(call: Call, solved: Path) -> None:
    """A valid schedule whose bounds are proven: exit 0 and a status that follows from the bounds."""
    lines = call.good("verify", solved).splitlines()
    assert lines[0] == "network     ring:4: 4 routers, 8 channels, 4 processors"
    assert "schedule    2 steps, 12 transfers" in lines
    assert all(line.endswith(": proven") for line in lines if line.startswith("bound "))
    assert lines[-1] == "verdict     valid, optimal"


def test_the_verdict_as_json(call: Call, solved: Path) -> None:
    """`--json` has the verdict, the violations and what each bound is worth."""
    found = json.loads(call.good("verify", solved, "--json"))
    bounds = found.pop("bounds")
    about = {"valid": True, "status": "optimal", "optimal": ["steps"]}
    assert found == {**about, "steps": 2, "transfers": 12, "violations": []}
    assert all(bound["proven"] and bound["text"] is None and bound["steps"] == 2 for bound in bounds)


def test_a_file_without_bounds_is_feasible(call: Call, solved: Path) -> None:
    """Optimal is derived from bounds, never believed."""
    spoiled(solved, lambda content: content["bounds"].clear())
    assert call.good("verify", solved).endswith("verdict     valid, feasible\n")


@pytest.mark.parametrize(
    ("spoil", "violation"),
    [
        (lambda c: c["steps"][1].pop(), "never"),
        (lambda c: c["steps"][1].append(c["steps"][1][0]), "twice"),
        (lambda c: c["steps"][0][0].update(route=[0]), "violation"),
        (lambda c: c["steps"][0][0].update(route=[7, 5]), "channel"),
        (lambda c: c["steps"].append([]), "empty"),
        (lambda c: c["steps"][0][0].update(to=3), "violation"),
        (lambda c: c["steps"][0][0].update(carries=[[1, 0]]), "violation"),
        (lambda c: c["problem"]["rules"].update(ports=1), "port"),
        (lambda c: c["problem"]["rules"].update(duplex="half"), "half"),
    ],
)
def test_a_spoiled_file(spoil: Spoiler, violation: str, call: Call, solved: Path) -> None:
    """An invalid schedule: exit 1, the violations on stdout, nothing on stderr."""
    spoiled(solved, spoil)
    answer = call("verify", solved)
    assert (answer.code, answer.err) == (1, "")
    lines = [line for line in answer.out.splitlines() if line.startswith("violation   ")]
    assert lines
    assert violation in answer.out
    assert answer.out.endswith("verdict     invalid\n")
    found = call("verify", solved, "--json")
    content = json.loads(found.out)
    assert found.code == 1
    assert (content["valid"], content["status"]) == (False, "invalid")
    assert [f"violation   {v['rule']}: {v['text']}" for v in content["violations"]] == lines


def test_the_number_of_violations_is_limited(call: Call, solved: Path) -> None:
    """`--most` says how many violations of a rule to list."""
    spoiled(solved, lambda content: content["steps"][1].clear())
    few = json.loads(call("verify", solved, "--json", "--most", "1").out)["violations"]
    many = json.loads(call("verify", solved, "--json").out)["violations"]
    assert len(few) < len(many)
    assert {v["rule"] for v in few} == {v["rule"] for v in many}


def test_a_bound_that_claims_more_than_its_certificate_proves(call: Call, solved: Path) -> None:
    """A schedule may be valid and its bound a lie: exit 1."""
    spoiled(solved, lambda content: content["bounds"][0].update(steps=3))
    answer = call("verify", solved)
    assert (answer.code, answer.err) == (1, "")
    assert "bound       3 steps (injection): claimed, not proven: its certificate proves 2 steps only" in answer.out
    assert answer.out.endswith("verdict     invalid\n")
    content = json.loads(call("verify", solved, "--json").out)
    assert content["violations"] == []
    assert [bound["proven"] for bound in content["bounds"]].count(False) == 1


@pytest.mark.parametrize(
    ("bound", "text"),
    [
        ({"steps": 1, "argument": "magic", "certificate": {}}, "'magic' is of no known kind, so it cannot be checked"),
        ({"steps": 1, "argument": "x", "certificate": {"channels": 5}}, "certificate of bound 'x' cannot be read"),
        ({"steps": 1, "argument": "x", "certificate": {"channels": [[1, 99]]}}, "cannot be read"),
        ({"steps": 1, "argument": "x", "certificate": {"channels": [[-1, 0]]}}, "cannot be read"),
        ({"steps": 1, "argument": "x", "certificate": {"channels": [[10**30, 0]]}}, "cannot be read"),
        ({"steps": 1, "argument": "x", "certificate": {"routers": [10**30]}}, "cuts bound broadcasts"),
        ({"steps": 1, "argument": "growth", "certificate": {"origin": [0]}}, "cannot be read"),
        ({"steps": 1, "argument": "distance", "certificate": {"from": 0, "to": 2}}, "store-and-forward only"),
        ({"steps": 10**30, "argument": "volume", "certificate": {}}, "cuts bound broadcasts"),
    ],
)
def test_a_bound_that_proves_nothing(bound: dict[str, Any], text: str, call: Call, solved: Path) -> None:
    """A certificate that makes no sense is said to make none: exit 1, no traceback."""
    spoiled(solved, lambda content: content.update(bounds=[bound]))
    answer = call("verify", solved)
    assert (answer.code, answer.err) == (1, "")
    assert text in answer.out


def test_what_is_no_schedule_file(call: Call, tmp_path: Path) -> None:
    """A network has nothing to verify: exit 2."""
    (tmp_path / "n.txt").write_text("0 1\n")
    assert call("verify", "n.txt").is_refusal("n.txt: this file is not a JSON object, where a schedule file")
    assert call("verify", "ring:4").is_refusal("ring:4: cannot be read: no such file or directory")


def test_pieces_are_judged(call: Call, wide: Path, tmp_path: Path) -> None:
    """Message times stand beside steps; a piece too many on a channel is named."""
    made = tmp_path / "made.json"
    call.good("solve", str(wide), "aab", "--pieces", "3", "-o", str(made))
    out = call.good("verify", str(made))
    assert "4 messages in 12 pieces" in out
    assert "pieces      3 a message: " in out
    told = json.loads(call.good("verify", str(made), "--json"))
    assert (told["pieces"], told["message_times"]) == (3, str(Fraction(told["steps"], 3)))
    content = json.loads(made.read_text())
    content["problem"]["network"]["capacities"] = [1] * 8
    made.write_text(json.dumps(content))
    answer = call("verify", str(made))
    assert (answer.code, "channel-capacity" in answer.out) == (1, True)


def test_pieces_are_told_with_what_is_proven_of_them(call: Call) -> None:
    """A file proves that no number of pieces does better; a claim of more is refused and tells nothing."""
    call.good("solve", "ring:8", "aab", "--pieces", "2", "-o", "s.json")
    line = "pieces      2 a message: 7/2 message times, bound 7/2 (fractional): no number of pieces does better\n"
    assert line in call.good("verify", "s.json")
    told = json.loads(call.good("verify", "s.json", "--json"))
    assert (told["pieces"], told["message_times"], told["fractional"]) == (2, "7/2", "7/2")
    content = json.loads(Path("s.json").read_text())
    for bound in content["bounds"]:
        bound.update(steps=8, exact="8")
    Path("s.json").write_text(json.dumps(content))
    answer = call("verify", "s.json")
    assert answer.code == 1
    assert "pieces      2 a message: 7/2 message times\n" in answer.out
