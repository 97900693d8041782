"""A result in a file, as the file's name says: a schedule file, packed or not, a page that plays it, or a picture."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pavane.errors import InputError
from pavane.io.files import path_of

if TYPE_CHECKING:
    from pavane.judge.result import Result

PAGES = (".html", ".htm")
PICTURES = (".svg", ".png", ".pdf")

OF_OTHERS = (".anynet", ".c", ".csv", ".dot", ".goal", ".jsonl", ".py", ".xml")
"""What exports write."""

NOT_WRITTEN = (".bz2", ".eps", ".gif", ".jpeg", ".jpg", ".tgz", ".webp", ".xz", ".zip", ".zst")
"""Endings that promise what nothing here can write."""


def save(result: Result, path: str | Path) -> None:
    """Write a result that has a schedule as the file's name says; `Result.save` is this."""
    from pavane.io import write_schedule

    target = path_of(path)
    refuse_unsavable(target)
    if result.schedule is None:
        raise InputError(f"{path}: there is no schedule to write; the search found none")
    if target.suffix.lower() in PAGES:
        write_page(target, result)
    elif target.suffix.lower() in PICTURES:
        from pavane.ui.plot.figures import write_figure
        from pavane.ui.plot.networks import plot_schedule

        write_figure(target, plot_schedule(result))
    else:
        write_schedule(target, result)


def refuse_unsavable(path: Path) -> None:
    """Refuse a file that a result could not be written to as its name says, before the work that fills it."""
    from pavane.io.files import refuse_unwritable

    ending = path.suffix.lower()
    if ending in OF_OTHERS:
        raise InputError(f"{path}: write a schedule file (.json, .json.gz), and `Result.export` makes {ending} of it")
    if ending in NOT_WRITTEN:
        raise InputError(
            f"{path}: nothing here writes {ending}; write a schedule file (.json, .json.gz), a page (.html) "
            f"or a picture ({', '.join(PICTURES)})"
        )
    if ending in PICTURES:
        from pavane.ui.plot.figures import refuse_undrawable

        refuse_undrawable(path)
    refuse_unwritable(path)


def write_page(path: Path, result: Result) -> None:
    """Write the page that plays a schedule."""
    from pavane.io.files import refuse_unwritable, replacing
    from pavane.ui.player import player_page

    refuse_unwritable(path)
    page = player_page(result).encode()
    with replacing(path) as file:
        file.write(page)
