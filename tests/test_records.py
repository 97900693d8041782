"""Records: every schedule is judged, rows say what their files hold, and only what is better is added."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks import records
from benchmarks.records import COLUMNS, FOLDER, add, main, read_rows, row_of, wrong_folder, wrong_rows

from pavane.io import write_schedule
from pavane.judge.result import Result
from pavane.model.schedule import Schedule, Transfer
from pavane.search.synthesis import solve
from tests.problems import problem_of


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Make an empty folder of records."""
    made = tmp_path / "records"
    made.mkdir()
    (made / "records.csv").write_text(f"{','.join(COLUMNS)}\n")
    return made


def one_by_one(tmp_path: Path) -> Path:
    """Write a schedule of a step for each message."""
    problem = problem_of("complete:3", "AAS")
    ends = [tuple(channel) for channel in problem.network.channels.tolist()]
    transfers = [
        Transfer(number, source, target, (ends.index((source, target)),), (number,))
        for number, (source, target) in enumerate(problem.ends.tolist())
    ]
    write_schedule(tmp_path / "long.json", Result(problem, Schedule.from_transfers(transfers)))
    return tmp_path / "long.json"


def test_small_records_are_as_their_rows_say() -> None:
    """The smallest files are judged; every file has a row, and all together are small."""
    rows = sorted(read_rows(), key=lambda row: (FOLDER / row["file"]).stat().st_size)
    assert len(rows) > 100
    assert list(wrong_rows(rows[:12])) == []
    assert list(wrong_folder(rows)) == []


def test_better_schedules_are_added(folder: Path, tmp_path: Path) -> None:
    """The first of a problem is kept, one of fewer steps takes its place, and one of more does not."""
    long = one_by_one(tmp_path)
    write_schedule(tmp_path / "short.json", solve(problem_of("complete:3", "AAS")))
    assert ": added: complete-3-AAS-" in add(long, folder)
    assert [row["steps"] for row in read_rows(folder)] == ["6"]
    assert ": replaced: complete-3-AAS-" in add(tmp_path / "short.json", folder)
    assert [(row["steps"], row["status"]) for row in read_rows(folder)] == [("1", "optimal")]
    assert "not better than complete-3-AAS-" in add(long, folder)
    assert list(wrong_rows(read_rows(folder), folder)) == []


def test_what_is_wrong_has_a_line(folder: Path, tmp_path: Path) -> None:
    """A row that claims too much, a file that breaks a rule, a file without a row, and too many bytes."""
    long = one_by_one(tmp_path)
    add(long, folder)
    (row,) = read_rows(folder)
    assert list(wrong_rows([{**row, "steps": "5"}], folder)) == [f"{row['file']}: steps is 6, not 5"]
    assert list(wrong_folder([], folder)) == [f"{row['file']}: it has no row"]
    broken = long.read_text().replace('"route":[0]', '"route":[1]')
    (folder / "broken.json.gz").write_text(broken)
    assert "broken.json.gz" in next(wrong_rows([{**row, "file": "broken.json.gz"}], folder))
    (tmp_path / "broken.json").write_text(broken)
    assert ": refused: " in add(tmp_path / "broken.json", folder)


def test_fronts_are_not_records(folder: Path, tmp_path: Path) -> None:
    """Under combining the fewest steps alone are no record."""
    write_schedule(tmp_path / "front.json", solve(problem_of("ring:4", "AAS", combining=True)))
    assert "not kept" in add(tmp_path / "front.json", folder)


def test_the_command_checks(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 1 where anything is wrong, here a row without a file."""
    row = row_of(solve(problem_of("ring:4", "AAS")), "here")
    monkeypatch.setattr(records, "read_rows", lambda: [row])
    monkeypatch.setattr(records, "wrong_folder", lambda rows: [])
    assert main(["--check"]) == 1
    assert capsys.readouterr().out.splitlines()[-1] == "1 record, 1 wrong"
