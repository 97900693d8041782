"""`pavane faults`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.ui.cli.calls import Call


def test_the_table(call: Call) -> None:
    """No fault first, each fault after it, equivalent ones named, then the worst, the proof and the time."""
    out = call.good("faults", "mesh:2x3", "oas", "aas")
    lines = [line.split() for line in out.splitlines()]
    assert ["fault", "OAS", "AAS"] in lines
    assert ["no", "fault", "3", "4"] in lines
    assert ["1-4", "3", "5*"] in lines
    assert sum(len(line) > 3 and line[0] == "worst" for line in lines) == 2
    assert "proven      every figure" in out
    assert "faults      7 single links" in out


def test_json_and_files(call: Call, tmp_path: Path) -> None:
    """Rows with numbers, and which faults stand for others; a table as CSV has every fault."""
    words = ("faults", "ring:16", "aas", "-o", "t.csv", "-o", "runs.jsonl")
    figures = json.loads(call.good(*words, "--json"))
    assert (figures["kind"], figures["proven"], len(figures["runs"])) == ("link", True, 2)
    assert [row["same as"] for row in figures["rows"]] == [None, None, *["0-1"] * 15]
    assert len((tmp_path / "t.csv").read_text().splitlines()) == 18
    assert "each of 16" in call.good(*words)
    parted = json.loads(call.good("faults", "mesh:3", "aas", "--json"))
    assert [row["AAS"] for row in parted["rows"]] == [2, "disconnects", "disconnects"]


def test_pieces_sizes_and_capacities(call: Call, wide: Path) -> None:
    """The same options as for solve."""
    out = call.good("faults", str(wide), "aab", "--pieces", "3")
    assert "messages    allgather (AAB) 4 messages in 12 pieces" in out
    assert "pieces      steps by 3 pieces are message times" in out
    assert "alltoall (AAS) 12 messages in 14 pieces" in call.good("faults", "ring:4", "aas", "--sizes", "0>2:3")


def test_options_go_to_those_that_take_them(call: Call) -> None:
    """A root goes to the one-to-all collective, and where none takes it, it is refused."""
    out = call.good("faults", "ring:4", "oab", "aab", "--root", "2")
    assert "broadcast (OAB) from processor 2" in out
    assert call("faults", "ring:4", "aas", "aab", "--root", "2").is_refusal("aas does not take --root")


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["ring:4"], "no collective was named"),
        (["ring:4", "aas", "--kind", "cable"], "--kind 'cable' is not known"),
        (["ring:4", "aas", "-o", "runs"], "runs: runs are stored as .jsonl, written as .csv or .md"),
    ],
)
def test_bad_input(arguments: list[str], text: str, call: Call) -> None:
    """One line, exit 2."""
    assert call("faults", *arguments).is_refusal(text)
