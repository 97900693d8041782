"""`pavane compare`."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pavane.campaign.network_comparison import Comparison, compare
from pavane.campaign.network_comparison.compared import Cell
from tests.ui.cli.calls import Call, exit_code, on_a_terminal

TIMES = ("--startup", "1us", "--per-byte", "1GB/s")


def test_the_table(call: Call) -> None:
    """What was compared, a line a network with the Pareto set marked, and what the columns mean."""
    out = call.good("compare", "octagon", "ring:8", "hypercube:3", "torus:2x4")
    lines = [line.split() for line in out.splitlines()]
    assert ["networks", "3,", "under", "4", "names"] in lines
    assert ["ring:8", "8", "8", "2", "16", "4", "2.29", "4", "1,", "1", "4", "8", "12*"] in lines
    assert [line[0] for line in lines[5:8]] == ["ring:8", "octagon", "torus:2x4"]
    assert "torus:2x4 = hypercube:3" in out
    assert "links, and routers, that may fail" in out
    best = call.good("compare", "ring:8", "mesh:2x4", "octagon", "--pareto").splitlines()
    assert [line.split()[0] for line in best if line.startswith(("ring", "mesh", "octagon"))] == ["ring:8", "octagon"]


def test_predicted_times(call: Call) -> None:
    """With costs and sizes there is a time for each collective and size, and for all together."""
    out = call.good("compare", "octagon", "ring:8", "--collectives", "aas,oab", *TIMES, "--bytes", "1kB,1MB")
    head = next(line for line in out.splitlines() if line.startswith("network "))
    assert "AAS 1,000 B  OAB 1,000 B" in head
    assert head.split("  ")[-1].strip() == "all 1,000,000 B"
    told = json.loads(call.good("compare", "ring:8", "--collectives", "alltoall", *TIMES, "--bytes", "1kB", "--json"))
    assert told["networks"][0]["collectives"]["AAS"]["times"] == {"1000": pytest.approx(16e-6)}
    assert told["networks"][0]["pareto"] == ["1000"]


def test_files(call: Call, tmp_path: Path) -> None:
    """The name's ending says what is written."""
    out = call.good("compare", "ring:4", "mesh:2x3", "-o", "c.csv")
    assert "file        c.csv\n" in out
    with open(tmp_path / "c.csv", encoding="utf-8") as file:
        assert [row["network"] for row in csv.DictReader(file)] == ["ring:4", "mesh:2x3"]
    call.good("compare", "ring:4", "-o", "c.json", "-q")
    printed = call.good("compare", "ring:4", "--json")
    kept = json.loads((tmp_path / "c.json").read_text(encoding="utf-8"))
    for told in (kept, json.loads(printed)):
        told["networks"][0]["collectives"] = None  # seconds differ
        assert told == {**kept, "networks": kept["networks"]}
    both = call("compare", "ring:4", "-o", "-")
    assert both.out.startswith("network,names,processors")
    assert "collectives allgather (AAB), alltoall (AAS)" in both.err


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ("", "no network was named; name some, as octagon ring:8 mynet.txt"),
        ("octagon --collectives ,", "no collective was named"),
        ("octagon --collectives aas,alltoall", "--collectives: AAS is named twice"),
        ("octagon --per-hop 1us", "add --startup and --per-byte and --bytes"),
        ("octagon --startup 1us --per-byte 1ns --bytes 4,4", "--bytes: one is given twice"),
        ("octagon --json -o -", "both write to stdout"),
        ("octagon -o c.txt", "a comparison is written as .csv or .json"),
    ],
)
def test_bad_input(arguments: str, text: str, call: Call) -> None:
    """One line, exit 2."""
    assert call("compare", *arguments.split()).is_refusal(text)


def test_the_terminal_may_interrupt(tmp_path: Path) -> None:
    """Ctrl-C gives the table of what there is: the rest is marked, one line says so, exit 1."""
    words = ["compare", "ring:4", "ring:5", "ring:6", "ring:8", "random-regular:200,4,1", "--collectives", "aas"]
    words += ["--time", "500", "--workers", "2", "--json"]
    child = on_a_terminal(tmp_path / "out", *words)
    child.expect("4 proven, alltoall \\(AAS\\) on .* 4/5")
    child.sendintr()
    child.expect("pavane: note: interrupted: 1 figure of the table could not be searched for any more")
    assert exit_code(child) == 1
    told = json.loads((tmp_path / "out").read_text())
    assert told["interrupted"]
    outcomes = [row["collectives"]["AAS"]["outcome"] for row in told["networks"]]
    assert outcomes == ["optimal"] * 4 + ["not searched"]


def test_what_went_wrong_is_told(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that broke costs its figure, and one line says how."""

    def broken(*given: Any, **named: Any) -> Comparison:
        found = compare(*given, **named)
        (row,) = found.rows
        return replace(found, rows=(replace(row, cells=(Cell("failed", why="the worker was lost"),)),))

    monkeypatch.setattr("pavane.campaign.network_comparison.compare", broken)
    answer = call("compare", "ring:4", "--collectives", "aas")
    assert answer.code == 0
    assert answer.err == "pavane: note: alltoall (AAS) on ring:4: the worker was lost\n"
