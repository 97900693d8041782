"""What schedules of other programs cost, in one line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.io.formats.samples import CHUNKS, SCHEDULES, TECCL_ALLGATHER, TECCL_ALLTOALL
from tests.ui.cli.calls import Call


def lines(call: Call, *arguments: str) -> dict[str, str]:
    """Return the lines of a report by their first word."""
    return {line.partition(" ")[0]: line[12:] for line in call("verify", *arguments).out.splitlines()}


def test_the_cost_is_held_against_the_bound(call: Call, tmp_path: Path) -> None:
    """The best bound with its argument, and how far the steps are from it, in message times where there are pieces."""
    (tmp_path / "a.json").write_text(SCHEDULES["allgather.json"])
    told = lines(call, "a.json")
    assert told["bound"] == "2 steps (ejection): processor 0 must receive 3 messages, 2 a step"
    assert (told["cost"], told["verdict"]) == ("2 steps, which is the bound", "valid, optimal (certificate)")
    (tmp_path / "b.json").write_text(json.dumps(TECCL_ALLTOALL))
    told = lines(call, "b.json")
    assert told["cost"] == "2 steps (1 message time), which is the bound"
    slow = {**TECCL_ALLGATHER, "7-Flows": sorted(TECCL_ALLGATHER["7-Flows"])}
    slow["7-Flows"] = [flow.replace("epoch 1", f"epoch {1 + at}") for at, flow in enumerate(slow["7-Flows"])]
    (tmp_path / "c.json").write_text(json.dumps(slow))
    assert lines(call, "c.json")["cost"] == "5 steps, 2.50 times the bound of 2 steps"


def test_start_ups_and_tco_are_told_apart(call: Call, tmp_path: Path) -> None:
    """Under combining there are two bounds."""
    (tmp_path / "a.json").write_text(json.dumps(CHUNKS))
    told = lines(call, "a.json")
    assert told["cost"] == "1 start-up, which is the bound; TCO 2 (1 unit time), which is the bound"
    found = json.loads(call("verify", "a.json", "--json").out)
    assert found["cost"] == {"start_ups": {"reached": 1, "bound": 1}, "tco": {"reached": 2, "bound": 2}}


def test_less_than_the_bound_cannot_be(call: Call, tmp_path: Path) -> None:
    """A schedule below the bound leaves something out, and both are said."""
    less = {**TECCL_ALLGATHER, "7-Flows": TECCL_ALLGATHER["7-Flows"][:8]}
    (tmp_path / "a.json").write_text(json.dumps(less))
    told = lines(call, "a.json", "--on", "ring:4")
    assert told["cost"] == "1 step, below the bound of 2 steps: the schedule is incomplete"
    assert told["verdict"] == "invalid"
    found = json.loads(call("verify", "a.json", "--json", "--on", "ring:4").out)
    assert (found["valid"], found["cost"]) == (False, {"steps": {"reached": 1, "bound": 2}})


@pytest.mark.parametrize(
    ("on", "said"),
    [
        ("rnig:4", "unknown network family 'rnig'; did you mean ring?"),
        ("ring:3", "a.json: it has 4 GPUs, and ring:3 has 3 processors; name the network that it is for"),
        ("b.json", "b.json: expected a network, got a whole problem; name a family or a network file"),
        ("missing.txt", "missing.txt: cannot be read: no such file"),
    ],
)
def test_networks_that_it_cannot_be_for_are_refused(on: str, said: str, call: Call, tmp_path: Path) -> None:
    """One line and exit 2."""
    (tmp_path / "a.json").write_text(SCHEDULES["allgather.json"])
    (tmp_path / "b.json").write_text(SCHEDULES["sccl.json"])
    assert call("verify", "a.json", "--on", on).is_refusal(said)


def test_a_schedule_with_a_network_takes_no_other(call: Call, solved: Path) -> None:
    """A file of our own says all that there is to say, and has no cost line: its bounds are in it."""
    assert call("verify", solved, "--on", "ring:4").is_refusal(
        "says itself which network it is for, so it does not go with --on ring:4"
    )
    assert "cost" not in call.good("verify", solved)
