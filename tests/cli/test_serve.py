"""`pavane serve` refuses what it cannot serve; `tests/web` tests the server."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.calls import Call


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--store", "text.sqlite"], "--store text.sqlite: results cannot be kept there: file is not a database"),
        (["--store", "folder"], "--store folder: results cannot be kept there: unable to open"),
        (["--store", "no/where.sqlite"], "there is no directory no; make it first"),
        (["--most-seconds", "0"], "a search needs some time"),
        (["--most-seconds", "nan"], "a search needs some time"),
    ],
)
def test_what_cannot_be_served_is_refused(call: Call, tmp_path: Path, arguments: list[str], text: str) -> None:
    """One line, before any address is told."""
    (tmp_path / "text.sqlite").write_text("this is no database, but some text that is long enough to be looked at " * 9)
    (tmp_path / "folder").mkdir()
    assert call("serve", "--port", "0", *arguments).is_refusal(text)
