"""Notes on stderr."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

from pavane.io.files import Note
from pavane.ui.cli.notes import shown_notes


def test_other_warnings_go_their_way(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """What a file leaves to say is a note; what Python or a library warns of is shown as ever."""
    told: list[str] = []

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        told.append(str(message))

    with warnings.catch_warnings():
        warnings.simplefilter("always")
        monkeypatch.setattr(warnings, "showwarning", show)
        with shown_notes():
            warnings.warn("an old function", DeprecationWarning, stacklevel=1)
            warnings.warn("some lines are left out", Note, stacklevel=1)
    assert told == ["an old function"]
    assert capsys.readouterr().err == "pavane: note: some lines are left out\n"
