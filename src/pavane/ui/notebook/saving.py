"""A result in a file, as the file's name says: a schedule file, packed or not, a page that plays it, or a picture."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pavane.errors import InputError
from pavane.io.files import path_of, refuse_unwritable

if TYPE_CHECKING:
    from pavane.judge.result import Result

PAGES = (".html", ".htm")
PICTURES = (".svg", ".png", ".pdf")

OF_OTHERS = (".anynet", ".c", ".csv", ".dot", ".goal", ".jsonl", ".py", ".xml")
"""Endings of the files that exports write."""

NOT_WRITTEN = (".bz2", ".eps", ".gif", ".jpeg", ".jpg", ".tgz", ".webp", ".xz", ".zip", ".zst")
"""Endings of pictures and packed files that nothing here writes."""


def save(result: Result, path: str | Path) -> None:
    """Write a result that has a schedule as the file's name says; the function behind `Result.save`."""
    target = path_of(path)
    refuse_unsavable(target)
    if result.figure is None:
        raise InputError(f"{path}: there is no schedule to write; the search found none")
    write_result(target, result)


def refuse_unsavable(path: Path) -> None:
    """Refuse a file that a result could not be written to as its name says, before the work that fills it."""
    ending = path.suffix.lower()
    if ending in OF_OTHERS:
        raise InputError(f"{path}: write a schedule file (.json, .json.gz), and `Result.export` makes {ending} of it")
    if Path(path.name.lower().removesuffix(".gz")).suffix not in ("", ".json", *PAGES, *PICTURES):
        raise InputError(
            f"{path}: nothing here writes {ending}; write a schedule file (.json, .json.gz), a page (.html) "
            f"or a picture ({', '.join(PICTURES)})"
        )
    if ending in PICTURES:
        from pavane.ui.plot.figures import refuse_undrawable

        refuse_undrawable(path)
    refuse_unwritable(path)


def result_bytes(result: Result) -> bytes:
    """Return the content of a schedule file."""
    from pavane.io import schedule_bytes

    return schedule_bytes(result)


def write_result(path: Path, result: Result, steps: range | None = None) -> None:
    """Write a schedule as the file's name says; a picture may show some of its steps only."""

    ending = path.suffix.lower()
    if ending in PAGES:
        from pavane.io.files import refuse_unwritable, replacing
        from pavane.ui.player import player_page

        refuse_unwritable(path)
        page = player_page(result).encode()
        with replacing(path) as file:
            file.write(page)
    elif ending in PICTURES:
        from pavane.ui.notebook.pictures import plot
        from pavane.ui.plot.figures import write_figure

        write_figure(path, plot(result, steps=steps))
    else:
        from pavane.io import write_schedule

        write_schedule(path, result)
