"""`pavane verify`: the judge, at the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.ui.cli.calls import Call
from tests.ui.cli.forgeries import in_three_steps

Spoiler = Callable[[dict[str, Any]], object]


def spoiled(path: Path, spoil: Spoiler) -> Path:
    """Change a schedule file."""
    content = json.loads(path.read_text())
    spoil(content)
    path.write_text(json.dumps(content))
    return path


def test_a_valid_file(call: Call, solved: Path) -> None:
    """A valid schedule: exit 0 and a status that follows from proven bounds, never from a claim; JSON says the same."""
    lines = call.good("verify", solved).splitlines()
    assert lines[0] == "network     ring:4: 4 routers, 8 channels, 4 processors"
    assert "reached     2 steps" in lines
    assert all(line.endswith(": proven") for line in lines if line.startswith("bound "))
    assert lines[-1] == "verdict     valid, optimal (certificate)"
    found = json.loads(call.good("verify", solved, "--json"))
    bounds = found.pop("bounds")
    about = {"valid": True, "status": "optimal", "status_text": "optimal (certificate)", "optimal": ["steps"]}
    assert found.items() >= {**about, "steps": 2, "transfers": 12, "violations": []}.items()
    assert all(bound["proven"] and bound["text"] is None and bound["steps"] == 2 for bound in bounds)
    spoiled(solved, lambda content: content["bounds"].clear())
    assert call.good("verify", solved).endswith("verdict     valid, feasible\n")


@pytest.mark.parametrize(
    ("spoil", "violation"),
    [
        (lambda c: c["steps"][1].pop(), "never"),
        (lambda c: c["steps"][1].append(c["steps"][1][0]), "twice"),
        (lambda c: c["problem"]["rules"].update(ports=1), "port"),
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
    assert len(lines) <= 5
    lines = [line for line in call("verify", solved, "--all").out.splitlines() if line.startswith("violation   ")]
    found = call("verify", solved, "--all", "--json")
    content = json.loads(found.out)
    assert found.code == 1
    assert (content["valid"], content["status"]) == (False, "invalid")
    assert [f"violation   {v['rule']}: {v['text']}" for v in content["violations"]] == lines


def test_causes_come_before_consequences(call: Call, solved: Path) -> None:
    """Violations are listed by step, missing deliveries last; five at most unless `--all` is given."""
    spoiled(
        solved,
        lambda content: (
            content["steps"][0].reverse()
            or content["steps"].append(content["steps"].pop(0))
            or content["steps"][0].extend(content["steps"][1])
        ),
    )
    lines = call("verify", solved).out.splitlines()
    violations = [line for line in lines if line.startswith("violation")]
    assert len(violations) == 5
    assert lines[-2] == "            more follow; `pavane verify --all` lists them"
    found = json.loads(call("verify", solved, "--json", "--all").out)["violations"]
    assert [v["rule"] == "never-delivered" for v in found] == sorted(v["rule"] == "never-delivered" for v in found)
    steps = [v["step"] for v in found if v["rule"] != "never-delivered"]
    assert steps == sorted(steps)
    assert len(found) > 5


def test_a_search_can_be_repeated(call: Call, tmp_path: Path) -> None:
    """An optimum by search is called so where the search ran, and `verify --prove` repeats it."""
    call.good("solve", "star:4", "allreduce", "--switching", "store-and-forward", "-o", "s.json")
    content = json.loads((tmp_path / "s.json").read_text())
    searched = [bound for bound in content["bounds"] if bound["argument"] == "exhaustive"]
    content["bounds"] = searched or [{"steps": len(content["steps"]), "argument": "exhaustive", "certificate": {}}]
    (tmp_path / "s.json").write_text(json.dumps(content))
    assert call.good("verify", "s.json").endswith("verdict     valid, optimal (by search, not repeated here)\n")
    lines = call.good("verify", "s.json", "--prove").splitlines()
    assert lines[-2].startswith("search      no schedule of ")
    assert lines[-1] in ("verdict     valid, optimal (by search)", "verdict     valid, optimal (certificate)")


def test_a_search_refutes_a_claim(call: Call, solved: Path) -> None:
    """A schedule of fewer steps that `--prove` finds makes a claimed optimum invalid."""
    claim = {"steps": 3, "argument": "exhaustive", "certificate": {}}
    answer = call("verify", in_three_steps(solved, bounds=[claim]), "--prove")
    assert answer.code == 1
    assert "search      a schedule of 2 steps exists" in answer.out
    assert call("verify", solved, "--time", "3").is_refusal("--time limits the search of --prove")


@pytest.mark.parametrize(
    ("bound", "text"),
    [
        ({"steps": 1, "argument": "magic", "certificate": {}}, "'magic' is of no known kind, so it cannot be checked"),
        ({"steps": 1, "argument": "x", "certificate": {"channels": [[10**30, 0]]}}, "cannot be read"),
        ({"steps": 1, "argument": "growth", "certificate": {"origin": [0]}}, "cannot be read"),
        (
            {"steps": 10**30, "argument": "volume", "certificate": {}},
            "volumes bound steps or slots or TCO of broadcasts",
        ),
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
    assert call("verify", "n.txt").is_refusal("n.txt, line 1: steps are numbered from 1")
    (tmp_path / "n.xml").write_text("<a/>")
    assert call("verify", "n.xml").is_refusal("n.xml: this file is not a JSON object, where a schedule file")
    assert call("verify", "ring:4").is_refusal("ring:4: cannot be read: no such file or directory")


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


def test_an_invalid_schedule_by_hand_is_not_rated(call: Call, tmp_path: Path) -> None:
    """It has violations and a verdict; its steps are held against no bound, however few they are."""
    path = tmp_path / "hand.txt"
    path.write_text("collective broadcast\nports 1\n1 01\n2 04, 12\n3 34\n")
    answer = call("verify", path, "--on", "ring:5")
    assert answer.code == 1
    assert "violation   not-held: " in answer.out
    assert "cost" not in answer.out
    assert "cost" not in json.loads(call("verify", path, "--on", "ring:5", "--json").out)
    path.write_text(path.read_text().replace("34", "23"))
    assert "cost        3 steps, which is the bound" in call.good("verify", path, "--on", "ring:5")
