"""`pavane compare`."""

from __future__ import annotations

import csv
import json
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import pexpect
import pytest

from pavane.campaign.network_comparison import Comparison, compare
from pavane.campaign.network_comparison.compared import Cell
from tests.ui.cli.calls import PROGRAM, Call

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


def test_predicted_times(call: Call) -> None:
    """With costs and sizes there is a time for each collective and size, and for all together."""
    out = call.good("compare", "octagon", "ring:8", "--collectives", "aas,oab", *TIMES, "--bytes", "1kB,1MB")
    head = next(line for line in out.splitlines() if line.startswith("network "))
    assert "AAS 1,000 B  OAB 1,000 B" in head
    assert head.split("  ")[-1].strip() == "all 1,000,000 B"
    told = json.loads(call.good("compare", "ring:8", "--collectives", "alltoall", *TIMES, "--bytes", "1kB", "--json"))
    assert told["networks"][0]["collectives"]["AAS"]["times"] == {"1000": pytest.approx(16e-6)}
    assert told["networks"][0]["pareto"] == ["1000"]


def test_only_the_pareto_set(call: Call) -> None:
    """`--pareto` leaves out what another network beats."""
    out = call.good("compare", "ring:8", "mesh:2x4", "octagon", "--pareto")
    rows = [line.split()[0] for line in out.splitlines() if line.startswith(("ring", "mesh", "octagon"))]
    assert rows == ["ring:8", "octagon"]


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


def test_a_file_of_ones_own(call: Call, tmp_path: Path) -> None:
    """An edge list is a network like any other."""
    (tmp_path / "mine.edges").write_text("a b\nb c\nc d\nd a\n", encoding="utf-8")
    out = call.good("compare", "mine.edges", "ring:4", "--collectives", "aas")
    assert "ring:4 = mine" in out or "mine = ring:4" in out


def test_same_seed_same_answer(call: Call) -> None:
    """One worker and two print the same table."""
    words = ("compare", "ring:8", "octagon", "mesh:2x4", "torus:2x4", "--time", "100", "--seed", "2")
    assert call.good(*words, "--workers", "1") == call.good(*words, "--workers", "2")


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ("", "no network was named; name some, as octagon ring:8 mynet.txt"),
        ("octogon", "did you mean octagon"),
        ("octagon --collectives ,", "no collective was named"),
        ("octagon --collectives aas,alltoall", "--collectives: AAS is named twice"),
        ("octagon --collectives shout", "unknown collective 'shout'"),
        ("octagon --collectives pairs", "PAIRS"),
        ("octagon --bytes 4", "add --startup and --per-byte"),
        ("octagon --startup 1us", "add --per-byte and --bytes"),
        ("octagon --per-hop 1us", "add --startup and --per-byte and --bytes"),
        ("octagon --startup 1us --per-byte 1ns --bytes 4,,5", "--bytes '' is not a size"),
        ("octagon --startup 1us --per-byte 1ns --bytes 4,4", "--bytes: one is given twice"),
        ("octagon --json -o -", "both write to stdout"),
        ("octagon -o c.txt", "a comparison is written as .csv or .json"),
        ("octagon -o nowhere/c.csv", "nowhere"),
        ("octagon --workers 0", "workers 0"),
        ("octagon --time 0", "time 0"),
        ("octagon --ports none", "--ports 'none' is not a whole number"),
        ("octagon --routing dimension-order", "dimension-order"),
    ],
)
def test_bad_input(arguments: str, text: str, call: Call) -> None:
    """One line, exit 2."""
    assert call("compare", *arguments.split()).is_refusal(text)


def test_networks_without_processors(call: Call, tmp_path: Path) -> None:
    """One line names the network."""
    about = {"format": "pavane/network/1", "name": "hubs", "routers": ["0", "1"], "channels": [[0, 1], [1, 0]]}
    (tmp_path / "hubs.json").write_text(json.dumps({**about, "processors": []}), encoding="utf-8")
    assert call("compare", "hubs.json").is_refusal("network hubs has no processors")
    (tmp_path / "one.json").write_text(json.dumps({**about, "processors": [0]}), encoding="utf-8")
    assert call("compare", "ring:4", "one.json").is_refusal("network hubs has 1 processor")


def test_the_terminal_may_interrupt(tmp_path: Path) -> None:
    """Ctrl-C gives the table of what there is: the rest is marked, one line says so, exit 1."""
    words = [
        *PROGRAM,
        "compare",
        "ring:4",
        "ring:5",
        "ring:6",
        "ring:8",
        "random-regular:200,4,1",
        "--collectives",
        "aas",
    ]
    words += ["--time", "500", "--workers", "2", "--json"]
    script = f"exec {shlex.join(words)} >{shlex.quote(str(tmp_path / 'out'))}"
    child = pexpect.spawn(
        "/bin/sh", ["-c", script], encoding="utf-8", codec_errors="replace", timeout=300, dimensions=(24, 140)
    )
    child.expect("4 proven, alltoall \\(AAS\\) on .* 4/5")
    child.sendintr()
    child.expect("pavane: note: interrupted: 1 figure of the table could not be searched for any more")
    child.expect(pexpect.EOF)
    child.close()
    assert "Traceback" not in child.before
    assert child.exitstatus == 1
    told = json.loads((tmp_path / "out").read_text())
    assert told["interrupted"]
    outcomes = [row["collectives"]["AAS"]["outcome"] for row in told["networks"]]
    assert outcomes == ["optimal"] * 4 + ["not searched"]


def test_a_problem_is_no_network(call: Call, solved: Path) -> None:
    """Networks are compared, so a file says nothing else."""
    assert call("compare", "ring:4", solved).is_refusal("ring.json: this is a problem or schedule, where a network")


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
