"""`pavane study`: tables, files, pictures, going on, and refusals."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from pavane.solvers import SOLVERS
from tests.campaign.benchmark.fakes import Fake
from tests.ui.cli.calls import Call, exit_code, on_a_terminal

RING = ["study", "ring:4", "aas", "--evaluations", "200", "--method", "ejection"]


def column(out: str, number: int = 1) -> dict[str, str]:
    """Return a column of the table by the names of its rows; of rows of one name, the first."""
    lines = out.splitlines()[5:]
    starts = [lines[0].index(word) for word in lines[0].split()] + [None]
    cells = [(line[: starts[1]].strip(), line[starts[number] : starts[number + 1]].strip()) for line in lines]
    return dict(reversed(cells))


def test_methods_stand_side_by_side(call: Call) -> None:
    """What was asked, then a column per method; the bound is what is asked for where no steps are named."""
    out = call.good(*RING, "--method", "ejection:most_paths=1,detour=0", "--seeds", "3")
    lines = out.splitlines()
    assert lines[0].startswith("network     ring:4: ")
    assert lines[3:5] == ["target      2 steps, 3 seeds", "budget      200 evaluations a run"]
    assert lines[5].split() == ["method", "ejection", "ejection:most_paths=1,detour=0"]
    first = column(out)
    assert (first["runs"], first["successes"], first["success rate"]) == ("3", "3", "100 %")
    assert first["95 % interval"] == "44 to 100 %"
    assert (first["evaluations to success"], first["ERT in evaluations"]) == ("-", "-")
    assert first["time to success"].endswith(" s")
    assert column(out, 2)["runs"] == "3"


def test_the_files_of_a_study(call: Call, tmp_path: Path) -> None:
    """Rows and figures say the same; the folder keeps the runs."""
    words = ["--seeds", "2", "--csv", "runs.csv", "-o", "kept", "--json", "--time", "50"]
    told = json.loads(call.good(*RING, *words))
    with open(tmp_path / "runs.csv", newline="", encoding="utf-8") as file:
        table = list(csv.DictReader(file))
    assert [(row["method"], int(row["seed"]), float(row["seconds"])) for row in table] == [
        (run["method"], run["seed"], run["seconds"]) for run in told["runs"]
    ]
    assert told["budget"] == {"evaluations": 200, "seconds": 50.0}
    assert told["methods"][0]["successes"] == 2
    kept = [json.loads(line) for line in (tmp_path / "kept" / "runs.jsonl").read_text().splitlines()]
    assert [line["seed"] for line in kept] == [0, 1]
    assert {path.name for path in tmp_path.iterdir()} == {"runs.csv", "kept"}


def test_settings_reach_their_methods(call: Call) -> None:
    """`--set` for all that have it, `--set NAME.SETTING` for one."""
    words = [*RING, "--method", "packing", "--seeds", "1", "--set", "most_trials=90", "--set", "ejection.detour=0"]
    told = json.loads(call.good(*words, "--json"))
    assert [row["method"] for row in told["methods"]] == ["ejection:detour=0,most_trials=90", "packing"]


def test_errors_of_runs_are_told(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The table counts them, a note tells each, and the exit code is 1."""
    (tmp_path / "raise-1").touch()
    monkeypatch.setitem(SOLVERS, "umda", Fake(str(tmp_path), "umda"))
    answer = call("study", "ring:4", "aas", "--method", "umda", "--seeds", "2", "--steps", "9")
    assert answer.code == 1
    assert (column(answer.out)["runs"], column(answer.out)["errors"]) == ("1", "1")
    assert ", seed 1: ZeroDivisionError: nothing to divide by (fakes.py, line " in answer.err
    assert "Traceback" not in answer.err


def test_a_torn_line_is_noted(call: Call, tmp_path: Path) -> None:
    """On stderr; the study goes on."""
    call.good(*RING, "--seeds", "2", "-o", "kept")
    path = tmp_path / "kept" / "runs.jsonl"
    path.write_bytes(path.read_bytes()[:-9])
    answer = call(*RING, "--seeds", "2", "-o", "kept")
    assert (answer.code, column(answer.out)["runs"]) == (0, "2")
    note = "its last line was cut off and is ignored; that run is made again"
    assert answer.err == f"pavane: note: kept/runs.jsonl: {note}\n"


def test_an_impossible_number_of_steps_is_noted(call: Call) -> None:
    """Every run fails, and one is told why beforehand."""
    answer = call(*RING, "--steps", "1", "--seeds", "2")
    assert answer.code == 0
    assert answer.err == "pavane: note: no schedule has fewer than 2 steps here, so every run will fail\n"
    assert column(answer.out)["success rate"] == "0 %"
    assert column(answer.out)["time to success"] == "-"


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("ring:4 aas", "no method was named; add --method NAME, as `pavane solvers` lists them"),
        ("ring:4 aas --method ejection:detur=1", "unknown setting 'detur' of ejection; did you mean detour?"),
        ("ring:4 aas --method umda,ga", "name one, or in a study several: --method umda --method ga"),
        ("ring:4 aab --method ejection", "method ejection cannot work on allgather (AAB)"),
        ("ring:4 aas --method greedy --evaluations 0", "Invalid value for '--evaluations'"),
        ("ring:4 aas --method greedy --csv no/p.csv", "no/p.csv: cannot be written: there is no directory no"),
        ("ring:4 aas --method greedy -o file", "file/runs.jsonl: runs cannot be stored there"),
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
    words += ["--workers", "2", "-o", str(tmp_path / "kept")]
    child = on_a_terminal(tmp_path / "out", *words)
    child.expect(r"\d+ succeeded, greedy, seed \d+")
    child.expect(r"[1-9]\d*/1000, \d+ s left")
    child.sendintr()
    child.expect(r"pavane: note: interrupted: (\d+) of 1000 runs are finished; the same command makes the others")
    finished = int(child.match[1])
    assert exit_code(child) == 1
    assert len((tmp_path / "kept" / "runs.jsonl").read_text().splitlines()) == finished
    out = (tmp_path / "out").read_text()
    assert column(out)["runs"] == str(finished)
    assert "budget      as the solvers are set" in out


def test_evaluations_limit_what_counts(call: Call) -> None:
    """A number of evaluations is refused where no method heeds it."""
    words = ["study", "ring:4", "aas", "--evaluations", "5", "--seeds", "1", "--method", "greedy"]
    assert call(*words).is_refusal("greedy counts nothing")
    call.good(*words, "--method", "ejection")
