"""Schedules played in a notebook and in a browser."""

from __future__ import annotations

import sys
import webbrowser
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import unquote, urlparse

import pytest

from pavane.errors import InputError
from pavane.ui.notebook.playing import framed
from tests.ui.notebook.test_saving import octagon


def opening(monkeypatch: pytest.MonkeyPatch, *, is_there: bool) -> list[str]:
    """Return the addresses that a browser is asked to open, whether it is there or not."""
    opened: list[str] = []

    def open_address(address: str) -> bool:
        opened.append(address)
        return is_there

    monkeypatch.setattr(webbrowser, "open", open_address)
    return opened


def test_elsewhere_the_browser_plays_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a notebook the page is opened from a file of its own."""
    opened = opening(monkeypatch, is_there=True)
    octagon().show()
    page = Path(unquote(urlparse(opened[0]).path))
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    page.unlink()


def test_without_a_browser_it_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is left behind."""
    opened = opening(monkeypatch, is_there=False)
    with pytest.raises(InputError, match=r"write the page with `Result.save\('schedule.html'\)`"):
        octagon().show()
    assert not Path(unquote(urlparse(opened[0]).path)).exists()


def test_in_a_notebook_the_player_stands_below_the_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    """The page is displayed in a frame, whose styles and scripts stay in it."""
    shown: list[Any] = []
    display = SimpleNamespace(display=lambda told, raw: shown.append(told["text/html"]))
    shell = SimpleNamespace(kernel=True)
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    octagon().show()
    assert shown[0].startswith('<iframe srcdoc="&lt;!doctype html&gt;')
    assert 'sandbox="allow-scripts"' in shown[0]


def test_a_page_cannot_leave_its_frame() -> None:
    """Quotes of the page do not end the attribute that it stands in."""
    assert '"' not in framed('<p title="x">').split('srcdoc="')[1].split('" width=')[0]
