"""Schedules in formats of others, from Python."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import pavane
from pavane.errors import InputError
from pavane.ui.cli import run
from tests.ui.notebook.test_saving import octagon


def test_an_export_is_what_the_command_line_writes(tmp_path: Path) -> None:
    """As a text, as a file, and by `pavane export` it is the same."""
    result = octagon()
    result.save(tmp_path / "schedule.json")
    assert run(["export", str(tmp_path / "schedule.json"), "--to", "csv", "-o", str(tmp_path / "one.csv")]) == 0
    assert result.export("csv", tmp_path / "two.csv") == (tmp_path / "two.csv",)
    assert (tmp_path / "one.csv").read_text() == (tmp_path / "two.csv").read_text() == result.export("CSV")


def test_several_files_go_into_a_folder(tmp_path: Path) -> None:
    """A format that makes several files asks for a folder, and tells what it wrote."""
    result = octagon()
    with pytest.raises(InputError, match="name a folder for them: `path=FOLDER`"):
        result.export("simgrid")
    files = result.export("simgrid", tmp_path / "replay", size="1KiB")
    assert len(files) > 1
    assert all(file.is_file() for file in files)
    (tmp_path / "taken").write_text("")
    with pytest.raises(InputError, match="name a folder, not a file"):
        result.export("simgrid", tmp_path / "taken")


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"to": "cvs"}, "there is no format 'cvs'; did you mean csv"),
        ({"to": 5}, "`to` is 5; name a format: csv"),
        ({"to": "csv", "size": 4}, "csv says nothing about sizes; leave `size` out"),
        ({"to": "goal", "size": "much"}, "`size`"),
        ({"to": "csv", "path": 3}, "`path` is 3; name a file"),
    ],
)
def test_what_makes_no_sense_is_refused(settings: dict[str, Any], text: str) -> None:
    """Unknown formats and sizes are refused in one line."""
    with pytest.raises(InputError, match=text):
        octagon().export(**settings)


def test_an_export_says_why_it_cannot_carry_a_schedule() -> None:
    """The reason comes in words."""
    line = pavane.network("line:4")
    broadcast = pavane.solve(pavane.Problem(line, pavane.pairs([(0, 3)])))
    with pytest.raises(InputError, match="msccl-xml cannot carry this schedule: "):
        broadcast.export("msccl-xml")


def test_every_piece_has_a_byte() -> None:
    """A size below the number of pieces is refused; where none is given, messages are as large as they must be."""
    pair = pavane.network("ring:2")
    result = pavane.solve(pavane.Problem(pair, pavane.named("pairs", pair, pairs=[(0, 1)], pieces=1_500)))
    with pytest.raises(InputError, match="`size` 1KiB: a message in 1500 pieces needs at least 1500 bytes"):
        result.export("goal", size="1KiB")
    assert result.export("goal") == result.export("goal", size=1_500)
