"""`pavane compare`."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from pavane.parallel.tasks import WorkerLost
from tests.ui.cli.calls import Call

TIMES = ("--startup", "1us", "--per-byte", "1GB/s")


def test_the_table(call: Call) -> None:
    """What was compared, a line a network with the Pareto set marked, and what the columns mean."""
    out = call.good("compare", "octagon", "ring:8", "hypercube:3", "torus:2x4")
    lines = [line.split() for line in out.splitlines()]
    assert ["networks", "3,", "under", "4", "names"] in lines
    assert ["ring:8", "8", "8", "2", "16", "4", "2.29", "4", "1", "1", "4", "8", "12", "*"] in lines
    assert [line[0] for line in lines[5:8]] == ["ring:8", "octagon", "torus:2x4"]
    assert "torus:2x4 = hypercube:3" in out
    assert "links       that may fail" in out


def test_predicted_times(call: Call) -> None:
    """With costs and a size there is a time for each collective, and for all together."""
    words = ("compare", "octagon", "ring:8", "--collectives", "aas,oab", *TIMES, "--bytes", "1kB")
    head = next(line for line in call.good(*words).splitlines() if line.startswith("network "))
    assert [title.strip() for title in head.split("  ") if title][-6:] == [
        *("AAS", "AAS 1,000 B", "OAB", "OAB 1,000 B", "all 1,000 B", "best")
    ]
    ring = json.loads(call.good(*words, "--json"))["rows"][0]
    assert (ring["network"], ring["AAS 1,000 B"], ring["best"]) == ("ring:8", pytest.approx(16e-6), True)


def test_files(call: Call, tmp_path: Path) -> None:
    """The name's ending says what is written; runs that are stored are not made again."""
    call.good("compare", "ring:4", "mesh:2x3", "-o", "c.csv", "-o", "c.jsonl")
    with open(tmp_path / "c.csv", encoding="utf-8") as file:
        assert [line["network"] for line in csv.DictReader(file)] == ["ring:4", "mesh:2x3"]
    figures = json.loads(call.good("compare", "ring:4", "-o", "c.jsonl", "--json"))
    assert [json.loads(line) for line in (tmp_path / "c.jsonl").read_text().splitlines()][:2] == figures["runs"]
    both = call("compare", "ring:4", "-o", "-")
    assert both.out.startswith("network,processors,routers")
    assert "collectives allgather (AAB), alltoall (AAS)" in both.err


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ("", "no network was named; name some, as octagon ring:8 mynet.txt"),
        ("octagon --collectives ,", "no collective was named"),
        ("octagon --collectives aas,alltoall", "--collectives: AAS is named twice"),
        ("octagon --per-hop 1us", "add --startup and --per-byte and --bytes"),
        ("octagon --json -o -", "both write to stdout"),
        ("octagon -o c.txt", "runs are stored as .jsonl, written as .csv or .md"),
    ],
)
def test_bad_input(arguments: str, text: str, call: Call) -> None:
    """One line, exit 2."""
    assert call("compare", *arguments.split()).is_refusal(text)


def test_what_went_wrong_is_noted(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that failed costs its figure, one line says how, and the exit code is 1."""
    monkeypatch.setattr("pavane.campaign.runs._search", lambda *_: WorkerLost("the worker was lost"))
    answer = call("compare", "ring:4", "--collectives", "aas")
    assert answer.code == 1
    assert "failed" in answer.out
    assert answer.err.endswith(
        "(wormhole, all-port, full duplex, minimal routing, no combining): the worker was lost\n"
    )
