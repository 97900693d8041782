"""`pavane study`: tables, files, pictures, going on, and refusals."""

from __future__ import annotations

import csv
import json
import shlex
from pathlib import Path

import pexpect
import pytest

from pavane.judge.result import Result
from pavane.model.problem import Problem
from pavane.parallel.budget import Budget
from pavane.solvers import SOLVERS, Solver
from tests.ui.cli.calls import PROGRAM, Call
from tests.ui.cli.test_interrupt import Interrupted

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


def test_the_options_of_a_problem_are_those_of_solve(call: Call) -> None:
    """Faults, ports, roots and so on."""
    words = ["study", "ring:5 less 0-1", "mns", "--senders", "0-2", "--receivers", "3,4", "--ports", "1"]
    out = call.good(*words, "--method", "greedy", "--seeds", "1", "--steps", "9")
    assert "ring:5 less 0-1" in out
    assert "MNS from 3 senders to 2 receivers" in out
    assert "1-port" in out
    assert "budget      as the solvers are set" in out


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


def test_an_interrupted_study_prints_what_it_has(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exit 1, the table so far, and a note; the same command makes the rest, and a third makes nothing."""
    wrapped = InterruptedByName(SOLVERS["greedy"], 5)  # the warm-up is the first call
    monkeypatch.setitem(SOLVERS, "greedy", wrapped)
    words = ["study", "ring:4", "aas", "--method", "greedy", "--seeds", "6", "--steps", "9", "-o", "kept"]
    answer = call(*words)
    assert answer.code == 1
    assert column(answer.out)["runs"] == "3"
    assert answer.err == "pavane: note: interrupted: 3 of 6 runs are finished; the same command makes the others\n"
    assert column(call.good(*words))["runs"] == "6"
    told = wrapped.calls
    assert column(call.good(*words))["runs"] == "6"
    assert wrapped.calls == told


class InterruptedByName(Interrupted):
    """Prints itself alike every time, as solvers do."""

    def __repr__(self) -> str:
        return "InterruptedByName()"


def test_an_interrupt_before_the_first_run(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    """One line, exit 1."""
    monkeypatch.setitem(SOLVERS, "greedy", Interrupted(SOLVERS["greedy"], 1))
    call("study", "ring:4", "aas", "--method", "greedy").is_one_line(1)


def test_errors_of_runs_are_told(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    """The table counts them, a note tells each, and the exit code is 1."""
    monkeypatch.setitem(SOLVERS, "greedy", Broken(SOLVERS["greedy"]))
    answer = call("study", "ring:4", "aas", "--method", "greedy", "--seeds", "2", "--steps", "9")
    assert answer.code == 1
    assert (column(answer.out)["runs"], column(answer.out)["errors"]) == ("1", "1")
    assert answer.err.startswith("pavane: note: greedy, seed 1: ValueError: broken (test_study.py, line ")
    assert "Traceback" not in answer.err


class Broken:
    """A solver that raises with odd seeds."""

    name = "greedy"

    def __init__(self, inner: Solver) -> None:
        self.inner = inner

    def supports(self, problem: Problem) -> bool:
        """Return what the solver inside says."""
        return self.inner.supports(problem)

    def __call__(self, problem: Problem, num_steps: int | None, seed: int, budget: Budget) -> Result:
        """Answer or break."""
        if seed % 2:
            raise ValueError("broken")
        return self.inner(problem, num_steps, seed, budget)


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
        ("ring:4 aas --method ejektion", "unknown method 'ejektion'; did you mean ejection or time-ejection?"),
        ("ring:4 aas --method auto", "auto is a choice among them"),
        ("ring:4 aas --method ejection:detur=1", "unknown setting 'detur' of ejection; did you mean detour?"),
        ("ring:4 aas --method ejection --set polish=1", "unknown setting 'polish' of ejection; it has paths, "),
        ("ring:4 aas --method ejection --method ejection", "ejection is given twice with the same settings"),
        ("ring:4 aas --method umda,ga", "name one, or in a study several: --method umda --method ga"),
        ("ring:4 aas --method umda --routing xy", "routing 'xy' is not known; did you mean dimension-order? choose "),
        (
            "ring:4 aas --method umda --ports one",
            "--ports 'one' is not a whole number that can be used; give all, or a ",
        ),
        ("ring:4 aab --method ejection", "method ejection cannot work on allgather (AAB)"),
        ("ring:4 aas --method greedy --seeds 0", "Invalid value for '--seeds'"),
        ("ring:4 aas --method greedy --steps 0", "steps 0: a schedule has at least one step"),
        ("ring:4 aas --method greedy --workers 0", "workers 0: a search needs at least one"),
        ("ring:4 aas --method greedy --time 0", "time 0.0: expected more than 0 seconds"),
        ("ring:4 aas --method greedy --evaluations 0", "Invalid value for '--evaluations'"),
        ("ring:4 aas --method greedy --csv no/p.csv", "no/p.csv: cannot be written: there is no directory no"),
        ("ring:4 aas --method greedy -o file", "file/runs.jsonl: runs cannot be stored there"),
        ("rnig:4 aas --method greedy", "did you mean ring?"),
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
    words = [*PROGRAM, "study", "torus:4x4", "aas", "--method", "greedy", "--steps", "30", "--seeds", "1000"]
    words += ["--workers", "2", "-o", str(tmp_path / "kept")]
    script = f"exec {shlex.join(words)} >{shlex.quote(str(tmp_path / 'out'))}"
    child = pexpect.spawn(
        "/bin/sh", ["-c", script], encoding="utf-8", codec_errors="replace", timeout=300, dimensions=(24, 140)
    )
    child.expect(r"\d+ succeeded, greedy, seed \d+")
    child.expect(r"[1-9]\d*/1000, \d+ s left")
    child.sendintr()
    child.expect(r"pavane: note: interrupted: (\d+) of 1000 runs are finished; the same command makes the others")
    finished = int(child.match[1])
    child.expect(pexpect.EOF)
    child.close()
    assert "Traceback" not in child.before
    assert child.exitstatus == 1
    assert len((tmp_path / "kept" / "runs.jsonl").read_text().splitlines()) == finished
    assert column((tmp_path / "out").read_text())["runs"] == str(finished)


def test_evaluations_limit_what_counts(call: Call) -> None:
    """A number of evaluations is refused where no method heeds it."""
    words = ["study", "ring:4", "aas", "--evaluations", "5", "--seeds", "1", "--method", "greedy"]
    assert call(*words).is_refusal("greedy counts nothing")
    call.good(*words, "--method", "ejection")
