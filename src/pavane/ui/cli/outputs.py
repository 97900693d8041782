"""Where a result goes, as the name says: a schedule file, packed or not, a page that plays it, a picture, or stdout."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING

from pavane.errors import InputError
from pavane.ui.cli.notes import note
from pavane.ui.notebook.saving import NOT_WRITTEN, PAGES, PICTURES, refuse_unsavable

if TYPE_CHECKING:
    from pavane.judge.result import Result


def is_stdout(path: Path | None) -> bool:
    """Tell whether a name stands for stdout."""
    return path is not None and str(path) == "-"


def refuse_output(path: Path) -> None:
    """Refuse a file that a result could not be written to as its name says, before the search that fills it."""
    if not is_stdout(path):
        refuse_unsavable(path)


def refuse_packed(path: Path) -> None:
    """Refuse to write a text under a name that says it is packed."""
    if path.suffix.lower() in (".gz", *NOT_WRITTEN):
        raise InputError(f"{path}: this is written as it is, not as {path.suffix}; leave {path.suffix} out")


def refuse_two_on_stdout(flag: str, path: Path | None, as_json: bool) -> None:
    """Refuse figures and a file on the same stdout."""
    if is_stdout(path) and as_json:
        raise InputError(f"{flag} - and --json both write to stdout; leave one of them out")


def write_result(path: Path, result: Result) -> None:
    """Write a result that has a schedule as the file's name says."""
    from pavane.io import schedule_bytes, write_schedule

    ending = path.suffix.lower()
    if is_stdout(path):
        write_bytes(schedule_bytes(result))
    elif ending in PAGES:
        write_page(path, result)
    elif ending in PICTURES:
        write_picture(path, result)
    else:
        write_schedule(path, result)


def writes_soon(path: Path | None) -> bool:
    """Say whether a result can be written while the search goes on: a schedule file; others are made at the end."""
    return path is not None and not is_stdout(path) and path.suffix.lower() not in (*PAGES, *PICTURES)


def write_page(path: Path, result: Result) -> None:
    """Write the page that plays a schedule."""
    from pavane.io.files import refuse_unwritable, replacing
    from pavane.ui.player import player_page

    refuse_unwritable(path)
    page = player_page(result).encode()
    with replacing(path) as file:
        file.write(page)


def write_picture(path: Path, result: Result, steps: range | None = None) -> None:
    """Draw the steps of a schedule, or some of them; a note says it where not all fit."""
    from pavane.ui.plot.figures import write_figure
    from pavane.ui.plot.networks import MOST_STEPS_DRAWN, plot_schedule

    write_figure(path, plot_schedule(result, steps))
    asked = (result.num_steps or 0) if steps is None else len(steps)
    if asked > MOST_STEPS_DRAWN:
        note(
            f"steps 1 to {MOST_STEPS_DRAWN} of {asked} are drawn; `pavane show` draws any one with --step N, "
            "and all with --plot load"
        )


def write_bytes(content: bytes) -> None:
    """Write a file to stdout as it is, whatever letters a terminal knows."""
    sys.stdout.flush()
    binary = getattr(sys.stdout, "buffer", None)  # what stands for stdout in a program may have none
    if binary is None:
        sys.stdout.write(content.decode())
    else:
        binary.write(content)
        binary.flush()


@contextmanager
def beside(output: Path | None) -> Iterator[None]:
    """Let what is printed in a block go to stderr where stdout is taken by a file."""
    if is_stdout(output):
        with redirect_stdout(sys.stderr):
            yield
    else:
        yield
