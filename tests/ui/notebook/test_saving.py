"""Results in files, as the file's name says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import pavane
from pavane.errors import InputError


def octagon() -> pavane.Result:
    """Return the all-to-all scatter of the octagon."""
    return pavane.solve(pavane.Problem(pavane.network("octagon"), "alltoall"))


def test_the_ending_says_what_is_written(tmp_path: Path) -> None:
    """A schedule file, packed or not, the page, a picture: `save` writes what the name says."""
    result = octagon()
    for name, beginning in (
        ("schedule.json", b'{"format": "pavane/schedule/1"'),
        ("schedule.json.gz", b"\x1f\x8b"),
        ("schedule.html", b"<!doctype html>"),
        ("schedule.svg", b"<?xml"),
    ):
        result.save(tmp_path / name)
        assert (tmp_path / name).read_bytes().startswith(beginning)
    assert (
        pavane.read_schedule(tmp_path / "schedule.json.gz").result()
        == pavane.read_schedule(str(tmp_path / "schedule.json")).result()
    )


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("schedule.csv", "and `Result.export` makes .csv of it"),
        ("schedule.zip", "nothing here writes .zip"),
        (5, "`path` is 5; name a file, like 'schedule.json'"),
        ("", "`path` is ''; name a file"),
    ],
)
def test_what_cannot_be_written_is_refused(
    path: Any, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name that promises something else, or none, is refused in one line."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=text):
        octagon().save(path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("use", "text"),
    [
        (lambda result: result.save("schedule.json"), "there is no schedule to write"),
        (lambda result: result.export("csv"), "there is no schedule to write as csv"),
        (lambda result: result.show(), "there is no schedule to play"),
        (lambda result: result.plot(), "there is no schedule to draw"),
    ],
)
def test_nothing_is_made_where_there_is_no_schedule(use: Callable[[pavane.Result], object], text: str) -> None:
    """A result without a schedule says so; its network can be drawn all the same."""
    nothing = pavane.solve(pavane.Problem(pavane.network("octagon"), "alltoall"), num_steps=3)
    with pytest.raises(InputError, match=text):
        use(nothing)
    assert nothing.plot("network").axes
