"""`pavane study`: tables, files, pictures, going on, and refusals."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest

from pavane.solvers import SOLVERS
from tests.campaign.fakes import Fake
from tests.ui.cli.calls import Call, exit_code, on_a_terminal

RING = ["study", "ring:4", "aas", "--evaluations", "200", "--method", "ejection"]


def row(out: str, number: int = 1) -> dict[str, str]:
    """Return a row of the table, by its titles."""
    head, *rows = (re.split(r"  +", line.strip()) for line in out.splitlines()[6:])
    return dict(zip(head, rows[number - 1], strict=True))


def test_methods_are_rows(call: Call) -> None:
    """The request, then a row per method; the bound is the target where no steps are named."""
    out = call.good(*RING, "--method", "ejection:most_paths=1,detour=0", "--seeds", "3")
    lines = out.splitlines()
    assert lines[0].startswith("network     ring:4: ")
    assert lines[3:5] == ["target      2 steps, 3 seeds", "budget      200 evaluations a run"]
    assert [line.split()[0] for line in lines[7:]] == ["ejection", "ejection:most_paths=1,detour=0"]
    first = row(out)
    assert (first["runs"], first["successes"], first["rate"]) == ("3", "3", "100%")
    assert first["95 %"] == "44 to 100 %"
    assert "ERT" not in first


def test_the_files_of_a_study(call: Call, tmp_path: Path) -> None:
    """Rows and figures say the same; the file of runs has a line each, and `show` prints it."""
    files = ["-o", "t.csv", "-o", "t.md", "-o", "kept.jsonl", "-o", "lengths.svg"]
    figures = json.loads(call.good(*RING, "--seeds", "2", *files, "--json", "--time", "50"))
    with open(tmp_path / "t.csv", newline="", encoding="utf-8") as file:
        assert [(line["method"], line["successes"]) for line in csv.DictReader(file)] == [("ejection", "2")]
    assert (tmp_path / "t.md").read_text().startswith("| method | runs | successes |")
    assert (figures["steps"], figures["missing"], figures["rows"][0]["successes"]) == (2, 0, 2)
    kept = [json.loads(line) for line in (tmp_path / "kept.jsonl").read_text().splitlines()]
    assert kept == figures["runs"] == json.loads(call.good("show", "kept.jsonl", "--json"))
    assert [(line["seed"], line["most_seconds"]) for line in kept] == [(0, 50), (1, 50)]
    lines = call.good("show", "kept.jsonl").splitlines()
    assert lines[0].startswith("problem 1   alltoall (AAS) from 4 senders to 4 receivers on ring:4")
    assert lines[1].split()[:6] == ["problem", "method", "seed", "target", "status", "figure"]
    assert len(lines) == 4
    assert {path.name for path in tmp_path.iterdir()} == {"t.csv", "t.md", "kept.jsonl", "lengths.svg"}


def test_errors_of_runs_are_told(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The table counts them, a note tells each, and the exit code is 1."""
    (tmp_path / "raise-1").touch()
    monkeypatch.setitem(SOLVERS, "umda", Fake(str(tmp_path), "umda"))
    answer = call("study", "ring:4", "aas", "--method", "umda", "--seeds", "2", "--steps", "9")
    assert answer.code == 1
    assert (row(answer.out)["runs"], row(answer.out)["errors"]) == ("1", "1")
    assert ", seed 1: ZeroDivisionError: nothing to divide by (fakes.py, line " in answer.err
    assert "Traceback" not in answer.err


def test_a_torn_line_is_noted(call: Call, tmp_path: Path) -> None:
    """On stderr; the study goes on."""
    call.good(*RING, "--seeds", "2", "-o", "kept.jsonl")
    path = tmp_path / "kept.jsonl"
    path.write_bytes(path.read_bytes()[:-9])
    answer = call(*RING, "--seeds", "2", "-o", "kept.jsonl")
    assert (answer.code, row(answer.out)["runs"]) == (0, "2")
    note = "its last line was cut off and is ignored; that run is made again"
    assert answer.err == f"pavane: note: kept.jsonl: {note}\n"


def test_an_impossible_number_of_steps_is_noted(call: Call) -> None:
    """Every run fails, and one is told why beforehand."""
    answer = call(*RING, "--steps", "1", "--seeds", "2")
    assert answer.code == 0
    assert answer.err == "pavane: note: no schedule has fewer than 2 steps here, so every run will fail\n"
    assert row(answer.out)["rate"] == "0%"
    assert "time" not in row(answer.out)


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("ring:4 aas", "no method was named; add --method NAME, as `pavane solvers` lists them"),
        ("ring:4 aas --method ejection:detur=1", "unknown setting 'detur' of ejection; did you mean detour?"),
        ("ring:4 aas --method umda,ga", "name one, or in a study several: --method umda --method ga"),
        ("ring:4 aab --method ejection", "method ejection cannot work on allgather (AAB)"),
        ("ring:4 aas --method greedy --evaluations 0", "Invalid value for '--evaluations'"),
        ("ring:4 aas --method greedy -o no/p.csv", "no/p.csv: cannot be written: there is no directory no"),
        ("ring:4 aas --method greedy -o file/r.jsonl", "file/r.jsonl: runs cannot be stored there"),
    ],
)
def test_what_cannot_be_studied_is_refused(words: str, text: str, call: Call, tmp_path: Path) -> None:
    """One line, exit 2, and no file is written."""
    pytest.importorskip("matplotlib")
    (tmp_path / "file").touch()
    assert call("study", *words.split()).is_refusal(text)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_the_terminal_may_interrupt(tmp_path: Path) -> None:
    """Ctrl-C ends running processes at once, keeps what is finished, and shows progress before."""
    words = ["study", "torus:4x4", "aas", "--method", "greedy", "--steps", "30", "--seeds", "1000"]
    words += ["--workers", "2", "-o", str(tmp_path / "kept.jsonl")]
    child = on_a_terminal(tmp_path / "out", *words)
    child.expect(r"\d+ succeeded, greedy, seed \d+")
    child.expect(r"[1-9]\d*/1000, \d+ s left")
    child.sendintr()
    child.expect(r"pavane: note: interrupted: (\d+) of 1000 runs are finished; the same command makes the others")
    finished = int(child.match[1])
    assert exit_code(child) == 1
    assert len((tmp_path / "kept.jsonl").read_text().splitlines()) == finished
    out = (tmp_path / "out").read_text()
    assert row(out)["runs"] == str(finished)
    assert "budget      as the solvers are set" in out


def test_evaluations_limit_what_counts(call: Call) -> None:
    """A number of evaluations is refused where no method heeds it."""
    words = ["study", "ring:4", "aas", "--evaluations", "5", "--seeds", "1", "--method", "greedy"]
    assert call(*words).is_refusal("greedy counts nothing")
    call.good(*words, "--method", "ejection")
