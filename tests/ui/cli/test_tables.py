"""Tables at the command line: made, judged, shown, written out, and refused where a schedule is needed."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from pavane.io import read_schedule
from tests.ui.cli.calls import Call


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the table file of a small torus."""
    from pavane.ui.cli import run

    path = tmp_path_factory.mktemp("tables") / "table.json"
    assert run(["solve", "torus:4x4", "alltoall", "--form", "table", "-q", "-o", str(path)]) == 0
    return path


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the table file of a torus whose schedule would be too large."""
    from pavane.ui.cli import run

    path = tmp_path_factory.mktemp("tables") / "large.json.gz"
    assert run(["solve", "torus:128x128", "alltoall", "-q", "-o", str(path)]) == 0
    return path


def test_what_is_too_large_is_solved_by_a_table(call: Call) -> None:
    """268 million messages: the bound, the table and in words what symmetry proves."""
    lines = call.good("solve", "torus:128x128", "alltoall").splitlines()
    assert "reached     262,144 steps" in lines
    assert "status      optimal (certificate)" in lines
    text = "16,383 rows of one processor; each of 16,384 does the same, translated: 268,419,072 transfers"
    assert f"table       {text}" in lines
    (proof,) = (line for line in lines if line.startswith("proof "))
    assert "by symmetry: 2 translations keep all 65,536 channels and take processor 0 to every processor" in proof


def test_a_table_is_made_where_it_is_requested(call: Call, table: Path) -> None:
    """`--form table` writes pavane/table/1, prints the rows of router 0 of a small one, and JSON says the form."""
    assert json.loads(table.read_text())["format"] == "pavane/table/1"
    lines = call.good("solve", "torus:4x4", "alltoall", "--form", "table").splitlines()
    rows = lines[lines.index("rows        of router 0") + 1 :]
    assert rows[0].split() == ["step", "from", "to", "message", "path"]
    assert len(rows) == 16
    found = json.loads(call.good("solve", "torus:4x4", "alltoall", "--form", "table", "--json"))
    about = {"form": "table", "rows": 15, "processors": 16, "translations": 2, "transfers_given": 240}
    assert about.items() <= found.items()
    assert (found["steps"], found["status"], found["transfers"]) == (8, "optimal", None)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("torus:4x4", "alltoall", "--form", "list"), "--form 'list' is not known"),
        (("torus:4x4", "alltoall", "--form", "table", "--method", "greedy"), "leave out --method"),
        (("torus:4x4", "alltoall", "--form", "table", "--steps", "3"), "no table is known for"),
    ],
)
def test_what_no_table_does_is_refused(call: Call, arguments: tuple[str, ...], text: str) -> None:
    """One line says what does not go with a table."""
    assert call("solve", *arguments).is_refusal(text)


# -- the judge


def test_the_table_itself_is_judged(call: Call, table: Path) -> None:
    """`verify` says that the proof is one by symmetry."""
    answer = call("verify", table)
    assert "proof       by symmetry" in answer.out
    assert "violation" not in answer.out


def test_a_spoiled_table_is_invalid(call: Call, table: Path, tmp_path: Path) -> None:
    """A row that meets another is found, and the exit code is 1."""
    content = json.loads(table.read_text())
    content["rows"]["phases"][0] = [0] * 15
    content["rows"]["phases"][1] = [0] * 15
    (tmp_path / "t.json").write_text(json.dumps(content))
    answer = call("verify", tmp_path / "t.json")
    assert answer.code == 1
    assert "violation   channel-capacity" in answer.out
    answer = call("show", tmp_path / "t.json")
    answer.is_one_line(1)


# -- show


def test_rows_of_a_router_are_translated(call: Call, table: Path) -> None:
    """`--router` prints what its messages do, as the written-out schedule has it."""
    found = json.loads(call.good("show", table, "--router", "6", "--json"))
    assert found["router"] == 6
    result = read_schedule(table).result().expanded()
    assert result.schedule is not None
    steps = {(t.sender, t.receiver): t.start + 1 for t in result.schedule}
    rows = found["rows_of_router"]
    assert len(rows) == 15
    assert {(row["sender"], row["receiver"]): row["step"] for row in rows} == {
        ends: step for ends, step in steps.items() if ends[0] == 6
    }
    assert all(row["message"] == f"6>{row['receiver']}" for row in rows)
    lines = call.good("show", table, "--router", "6", "--most", "2").splitlines()
    assert lines[-1] == "  and 13 more rows; --most prints more"
    assert "kinds       of channels from router 6: 0 to 10, 1 to 2, 2 to 7, 3 to 5" in lines


def test_one_step_is_written_out(call: Call, table: Path, large: Path) -> None:
    """`--step` prints what all routers do in it."""
    found = json.loads(call.good("show", table, "--step", "1", "--json"))
    assert len(found["transfers"]) == 32
    assert sum(len(each["path"]) - 1 for each in found["transfers"]) == 64
    lines = call.good("show", large, "--step", "7", "--most", "1").splitlines()
    assert "step        7: 1,024 transfers" in lines
    assert lines[-1] == "  and 1,023 more transfers; --most prints more"


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (("--router", "99"), "--router '99': torus:4x4 has no such router"),
        (("--step", "9"), "--step 9: the table has steps 1 to 8"),
        (("--step", "1", "--router", "1"), "leave one of them out"),
    ],
)
def test_what_a_table_does_not_have_is_refused(call: Call, table: Path, options: tuple[str, ...], text: str) -> None:
    """One line names the routers or steps that there are."""
    assert call("show", table, *options).is_refusal(text)


# -- schedules that are written out


def test_a_table_is_written_out(call: Call, table: Path, tmp_path: Path) -> None:
    """`export --to pavane` writes the schedule that the table gives, and the judge of schedules accepts it."""
    call.good("export", table, "--to", "pavane", "-o", tmp_path / "s.json")
    claim = read_schedule(tmp_path / "s.json")
    assert claim.result().num_steps == 8
    expected = read_schedule(table).schedule
    assert np.array_equal(claim.schedule.path_channels, expected.path_channels)


@pytest.mark.parametrize(
    "command",
    [
        ("export", "--to", "csv"),
        ("time", "--startup", "1us", "--per-byte", "1ns", "--bytes", "4"),
        ("run",),
        ("show", "-o", "picture.svg"),
        ("show", "--as", "paths"),
    ],
    ids=" ".join,
)
def test_what_needs_a_schedule_refuses_what_is_too_large(call: Call, large: Path, command: tuple[str, ...]) -> None:
    """One line says how many messages there are, and what to use instead."""
    answer = call(command[0], large, *command[1:])
    assert answer.is_refusal("has 268,419,072 messages", "use the table, or single steps of it")


@pytest.mark.parametrize(
    "command",
    [
        ("export", "--to", "csv"),
        ("time", "--startup", "1us", "--per-byte", "1ns", "--bytes", "4"),
        ("show", "--as", "paths"),
    ],
    ids=" ".join,
)
def test_what_needs_a_schedule_writes_out_what_fits(call: Call, table: Path, command: tuple[str, ...]) -> None:
    """A small table does wherever a schedule does."""
    assert call(command[0], table, *command[1:]).code == 0


def test_a_page_of_a_small_table_has_all_transfers(call: Call, large: Path, table: Path, tmp_path: Path) -> None:
    """A table is written out for the player; one that is too large is refused in one line."""
    call.good("show", table, "-o", "page.html")
    assert '"transfers":[[' in (tmp_path / "page.html").read_text()
    assert call("show", large, "-o", "page.html").is_refusal("steps are too many for the player")
    assert call("show", table, "--router", "3", "-o", "page.html").is_refusal(
        "--router 3: it applies to printed tables"
    )
