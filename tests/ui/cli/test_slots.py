"""Slots on the command line: flags, files with empty slots, and commands for which tdm has no meaning."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from pavane.io import read_schedule
from tests.io.schema import replay
from tests.ui.cli.calls import Call

TABLE = ["--switching", "tdm", "--ports", "1", "--method", "greedy"]


@pytest.fixture
def table(call: Call, tmp_path: Path) -> Path:
    """Return the file of a table with slots in which nothing is injected."""
    path = tmp_path / "table.json"
    call.good("solve", "ring:4", "aas", *TABLE, "-o", path)
    return path


def test_flags_become_rules(call: Call, tmp_path: Path) -> None:
    """Every flag of slots is a rule of the file, where it is not the default."""
    path = tmp_path / "s.json"
    flags = shlex.split("--router-delay 3 --link-delay 2 --packet-slots 2 --no-wrap")
    call.good("solve", "line:3", "aab", *TABLE, *flags, "-o", path)
    rules = replay(path)["problem"]["rules"]
    expected = {"router_delay": 3, "link_delay": 2, "packet_slots": 2, "wrap": False}
    assert (
        rules == {"switching": "tdm", "ports": 1, "duplex": "full", "routing": "minimal", "combining": False} | expected
    )
    call.good("verify", path)


def test_a_file_keeps_its_empty_slots(call: Call, table: Path) -> None:
    """The file has a list for every slot of the period, also where nothing is injected."""
    content = replay(table)
    assert [] in content["steps"]
    claim = read_schedule(table)
    assert claim.schedule.num_steps == len(content["steps"])
    assert json.loads(call.good("verify", table, "--json"))["steps"] == len(content["steps"])


def test_one_slot_less_is_a_conflict(call: Call, table: Path) -> None:
    """A table whose last slot is taken away is judged with the shorter period, in which packets meet."""
    content: dict[str, Any] = json.loads(table.read_bytes())
    content["steps"] = [step for step in content["steps"] if step]
    table.write_text(json.dumps(content), encoding="utf-8")
    answer = call("verify", table)
    assert answer.code == 1
    assert "slot" in answer.out + answer.err


@pytest.mark.parametrize(
    ("rules", "text"),
    [
        ({"router_delay": 0}, "router delay 0: expected 1 to 1,000,000 slots"),
        ({"link_delay": -1}, "link delay -1: expected 0 to"),
        ({"packet_slots": 10**9}, "expected 1 to 1,000,000"),
        ({"switches": "pass"}, "switches pass does not go with tdm"),
        ({"router_delay": True}, "router_delay"),
        ({"wrap": 0}, "wrap"),
        ({"slots": 4}, "slots"),
        ({"combining": True}, "combining does not go with tdm"),
        ({"switching": "wormhole", "packet_slots": 2}, "goes with tdm, not with wormhole"),
        ({"switching": "store-and-forward", "wrap": False}, "goes with tdm, not with store-and-forward"),
    ],
    ids=str,
)
def test_wrong_rules_in_a_file_are_refused(call: Call, table: Path, rules: dict[str, Any], text: str) -> None:
    """A wrong value of a rule of slots is refused in one line that names it."""
    content: dict[str, Any] = json.loads(table.read_bytes())
    content["problem"]["rules"].update(rules)
    table.write_text(json.dumps(content), encoding="utf-8")
    assert call("verify", table).is_refusal(str(table), text)


@pytest.mark.parametrize(
    ("command", "text"),
    [
        (
            "solve ring:4 aas --router-delay 2",
            "--router-delay goes with tdm, not with wormhole; choose --switching tdm",
        ),
        ("solve ring:4 aas --switching tdm --packet-slots few", "--packet-slots 'few'"),
        ("solve ring:4 aas --switching tdm --combining", "combining does not go with tdm"),
        ("solve ring:4 allreduce --switching tdm", "tdm has no ALLREDUCE"),
        ("solve ring:4 aab --switching tdm", "choose a table without wrap (--no-wrap)"),
        ("bounds ring:4 aor --switching tdm", "choose a table without wrap (--no-wrap)"),
        (
            "compare ring:4 line:4 --collectives aas --switching tdm --startup 1us --per-byte 1GB/s --bytes 1kB",
            "do not apply to tdm",
        ),
    ],
)
def test_what_slots_do_not_have_is_refused(call: Call, command: str, text: str) -> None:
    """Rules and commands that make no sense with slots are refused in one line."""
    assert call(*shlex.split(command)).is_refusal(text)


def test_campaigns_take_slots(call: Call) -> None:
    """Networks are compared, and faults and methods studied, in slots as in steps."""
    slots = ["--switching", "tdm"]
    rows = json.loads(call.good("compare", "ring:3", "line:3", "--collectives", "aas", *slots, "--json"))
    assert rows
    assert "no fault" in call.good("faults", "ring:3", "aas", *slots, "--time", "1")
    assert "greedy" in call.good("study", "ring:3", "aas", *slots, "--method", "greedy", "--seeds", "2")


# -- a table that is let repeat


def test_a_table_that_ends_repeats_in_its_shortest_period(call: Call, tmp_path: Path) -> None:
    """`verify --wrap` judges the table as one that repeats, with the bounds of such tables."""
    path = tmp_path / "table.json"
    call.good("solve", "torus:3x3", "aas", *TABLE, "--no-wrap", "-o", path)
    linear, repeating = (json.loads(call("verify", path, "--json", *more).out) for more in ((), ("--wrap",)))
    assert repeating["steps"] < linear["steps"]
    assert linear["valid"]
    assert repeating["valid"]
    assert repeating["cost"]["steps"] == {"reached": repeating["steps"], "bound": 9}
    assert "cost        " in call.good("verify", path, "--wrap")


def test_what_does_not_go_with_a_table_is_refused(call: Call, table: Path) -> None:
    """What repeats already is not wrapped, and no start-ups are predicted: one line says so."""
    assert call("verify", table, "--wrap").is_refusal("--wrap is for private messages in slots")
    costs = ("--startup", "1us", "--per-byte", "1GB/s", "--bytes", "1kB")
    assert call("time", table, *costs).is_refusal("do not apply to tdm")
