"""A schedule, played: below the cell of a notebook, or in the browser."""

from __future__ import annotations

import os
import sys
import tempfile
import webbrowser
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pavane.errors import InputError

if TYPE_CHECKING:
    from pavane.judge.result import Result

HEIGHT = 720
"""Pixels of the player below a cell."""


def show(result: Result) -> None:
    """Play a schedule; `Result.show` is this."""
    if result.figure is None:
        raise InputError("there is no schedule to play; the search found none")
    from pavane.ui.player import player_page

    page = player_page(result)
    shell = _notebook()
    if shell is not None:
        from IPython.display import display

        # IPython's own class for HTML warns of frames.
        display({"text/html": framed(page), "text/plain": repr(result)}, raw=True)
        return
    handle, name = tempfile.mkstemp(prefix="pavane-", suffix=".html")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(page)
    if not webbrowser.open(Path(name).as_uri()):
        os.unlink(name)
        raise InputError("no browser can be opened here; write the page with `Result.save('schedule.html')`")


def framed(page: str) -> str:
    """Return a page in a frame of its own, so that its styles and scripts stay with it."""
    return (
        f'<iframe srcdoc="{escape(page)}" width="100%" height="{HEIGHT}" style="border: 0" '
        'sandbox="allow-scripts" title="the schedule, played"></iframe>'
    )


def _notebook() -> Any | None:
    """Return the shell of a notebook; None in a plain Python, or in a terminal."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return shell if hasattr(shell, "kernel") else None
