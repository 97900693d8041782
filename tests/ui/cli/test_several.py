"""Several collectives at once on the command line: solve, verify, show, bounds and time."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.ui.cli.calls import Call

ROWS = ["mesh:2x3", "--collective", "allgather:rows", "--collective", "broadcast:columns"]


@pytest.fixture(scope="module")
def schedule(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a schedule file of rows and columns."""
    from pavane.ui.cli import run

    file = tmp_path_factory.mktemp("joint") / "schedule.json"
    assert run(["solve", *ROWS, "-q", "-o", str(file)]) == 0
    return file


def test_solve_reports_the_whole_and_each(call: Call) -> None:
    """The report has the bound and the steps of the whole, and a row for collectives that are alike."""
    answer = call("solve", *ROWS)
    assert answer.code == 0
    assert "5 collectives (2 AAB, 3 OAB): 9 messages" in answer.out
    assert "bound alone" in answer.out
    figures = json.loads(call("solve", *ROWS, "--json").out)
    assert figures["steps"] == max(each["steps"] for each in figures["collectives"])
    assert figures["bound"] <= figures["steps"]
    assert len(figures["steps_alone"]) == 5


def test_groups_and_goal(call: Call) -> None:
    """One kind in all groups; the goal may be the sum."""
    figures = json.loads(call("solve", "line:6", "allgather", "--groups", "0-2,3-5", "--goal", "sum", "--json").out)
    assert [each["kind"] for each in figures["collectives"]] == ["AAB", "AAB"]
    assert figures["sum"] == sum(each["steps"] for each in figures["collectives"])


def test_verify(call: Call, schedule: Path, tmp_path: Path) -> None:
    """A schedule is valid; a spoiled one is not, and a bound that is not proven is named."""
    assert call("verify", str(schedule)).out.splitlines()[-1].startswith("verdict     valid")
    content = json.loads(schedule.read_text())
    spoiled = tmp_path / "spoiled.json"
    spoiled.write_text(json.dumps({**content, "steps": content["steps"][:1]}))
    answer = call("verify", str(spoiled))
    assert answer.code == 1
    assert "never-delivered: collective" in answer.out
    content["bounds"][0] |= {"steps": 99}
    content["bounds"][0].pop("exact", None)
    spoiled.write_text(json.dumps(content))
    answer = call("verify", str(spoiled), "--json")
    assert answer.code == 1
    assert json.loads(answer.out)["bounds"][0]["proven"] is False


def test_show_and_time(call: Call, schedule: Path) -> None:
    """Steps are printed collective by collective, and timed."""
    shown = call("show", str(schedule)).out
    assert "step 1\n  0 allgather (AAB): " in shown
    assert "step 2" not in call("show", str(schedule), "--step", "1").out
    answer = call("time", str(schedule), "--startup", "1us", "--per-byte", "1ns", "--bytes", "1kB", "--json")
    (row,) = json.loads(answer.out)
    assert row["seconds"] == pytest.approx(row["steps"] * 2e-6)


def test_show_draws_and_export_writes(call: Call, schedule: Path, tmp_path: Path) -> None:
    """-o makes a picture of all steps or of one, and a page that plays them; programs of MPI are exported."""
    whole, one, page = tmp_path / "whole.svg", tmp_path / "one.svg", tmp_path / "page.html"
    assert call("show", str(schedule), "-o", str(whole)).code == 0
    assert call("show", str(schedule), "-o", str(one), "--step", "1").code == 0
    assert call("show", str(schedule), "-o", str(page)).code == 0
    assert one.stat().st_size < whole.stat().st_size
    assert "0: allgather (AAB) of 0-" in page.read_text()
    assert "MPI_Comm_split" in call("export", str(schedule), "--to", "mpi-c", "--bytes", "64").out


def test_bounds(call: Call, schedule: Path) -> None:
    """Bounds of the whole and of each, from options and from a file."""
    for arguments in (ROWS, [str(schedule)]):
        rows = json.loads(call("bounds", *arguments, "--json").out)["bounds"]
        assert {"alone", "joint-cut"} <= {row["argument"] for row in rows}


@pytest.mark.parametrize(("ending", "content"), [("svg", "<svg"), ("html", "<html"), ("json", '"collectives"')])
def test_the_ending_says_what_is_written(call: Call, tmp_path: Path, ending: str, content: str) -> None:
    """As a picture, as a page that plays it, or as a schedule file."""
    file = tmp_path / f"rows.{ending}"
    assert call("solve", *ROWS, "-o", str(file)).code == 0
    assert content in file.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["solve", *ROWS, "--steps", "0"], "at least one step"),
        (["solve", *ROWS, "--method", "umda"], "--method goes with one collective"),
        (["solve", *ROWS, "--timed"], "--timed goes with one collective"),
        (["solve", *ROWS, "-o", "x.foo"], "nothing here writes .foo"),
        (["solve", *ROWS, "--goal", "fair"], "choose makespan or sum"),
        (["solve", "ring:6", "aas", "--goal", "sum"], "--goal goes with several"),
        (["show", "FILE", "-o", "x.html", "--step", "1"], "a page plays the whole schedule"),
        (["show", "FILE", "-o", "x.svg", "--step", "99"], "the schedule has steps 1 to"),
        (["show", "FILE", "--as", "table"], "--as table"),
        (["export", "FILE", "--to", "csv"], "several collectives at once; choose mpi-c, mpi-python, mscclpp or pavane"),
        (["time", "FILE", "--startup", "1us", "--per-byte", "1ns", "--bytes", "1B:1kB"], "with --bytes"),
    ],
)
def test_one_line_errors(call: Call, schedule: Path, arguments: list[str], said: str) -> None:
    """What does not go with several collectives is refused in one line, with exit code 2."""
    assert call(*(str(schedule) if each == "FILE" else each for each in arguments)).is_refusal(said)


def test_notes_are_printed(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    """What failed is a note on stderr; the schedule is printed all the same."""
    from pavane.search import several

    def broken(*_: object) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr(several, "own_network", broken)
    answer = call("solve", *ROWS)
    assert answer.code == 0
    assert "pavane: note: collective 0 failed: RuntimeError: broken" in answer.err


def test_steps(call: Call) -> None:
    """A number of steps below the bound has no schedule: exit code 1."""
    answer = call("solve", *ROWS, "--steps", "1")
    assert answer.code == 1
    assert answer.out.splitlines()[-3:-1] == ["reached     no schedule in 1 step", "status      impossible"]
