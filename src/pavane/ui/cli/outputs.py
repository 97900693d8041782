"""Output files of commands: a schedule file, packed or not, a page that plays it, or a picture; `-` is stdout."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING

from pavane.errors import InputError
from pavane.io.files import replacing
from pavane.ui.cli.notes import note
from pavane.ui.notebook import saving
from pavane.ui.notebook.saving import NOT_WRITTEN, PAGES, PICTURES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from pavane.judge.refusal import Refusal
    from pavane.judge.result import Result


def is_stdout(path: Path | None) -> bool:
    """Return whether a path stands for stdout."""
    return path is not None and str(path) == "-"


def refuse_output(path: Path | None, as_json: bool) -> None:
    """Refuse a file that a result could not be written to as its name says, before the search that fills it."""
    refuse_two_on_stdout("-o", path, as_json)
    if path is not None and not is_stdout(path):
        saving.refuse_unsavable(path)


def refuse_packed(path: Path) -> None:
    """Refuse to write a text under a name that says it is packed."""
    if path.suffix.lower() in (".gz", *NOT_WRITTEN):
        raise InputError(f"{path}: this is written as it is, not as {path.suffix}; leave {path.suffix} out")


def refuse_two_on_stdout(flag: str, path: Path | None, as_json: bool) -> None:
    """Refuse figures and a file on the same stdout."""
    if is_stdout(path) and as_json:
        raise InputError(f"{flag} - and --json both write to stdout; leave one of them out")


def write_result(path: Path, result: Result, steps: range | None = None) -> None:
    """Write a result that has a schedule as the file's name says; a note says if a picture leaves steps out."""
    if is_stdout(path):
        write_bytes(saving.result_bytes(result))
        return
    saving.write_result(path, result, steps)
    if path.suffix.lower() in PICTURES:
        from pavane.ui.plot.networks import MOST_STEPS_DRAWN

        num_steps = (result.num_steps or 0) if steps is None else len(steps)
        if num_steps > MOST_STEPS_DRAWN:
            step = result.problem.rules.step_word
            note(f"{step}s 1 to {MOST_STEPS_DRAWN} of {num_steps} are drawn; `pavane show` draws any one with --step N")


def writes_soon(path: Path | None) -> bool:
    """Return whether a result can be written during the search: a schedule file; others are made at the end."""
    return path is not None and not is_stdout(path) and path.suffix.lower() not in (*PAGES, *PICTURES)


def write_bytes(content: bytes) -> None:
    """Write a file to stdout unchanged, whatever encoding a terminal has."""
    sys.stdout.flush()
    binary = getattr(sys.stdout, "buffer", None)  # an object in place of stdout may have none
    if binary is None:
        sys.stdout.write(content.decode())
    else:
        binary.write(content)
        binary.flush()


@contextmanager
def beside(output: Path | None) -> Iterator[None]:
    """Print to stderr in a block if a file goes to stdout."""
    if is_stdout(output):
        with redirect_stdout(sys.stderr):
            yield
    else:
        yield


def write_text(path: Path, text: str) -> None:
    """Write a text to a file, or to stdout."""
    if is_stdout(path):
        write_bytes(text.encode())
        return
    with replacing(path) as file:
        file.write(text.encode())


def write_page(path: Path, result: Result | Refusal) -> None:
    """Write the page that plays a result, or shows a table."""
    from pavane.ui.player import player_page

    write_text(path, player_page(result))


def refuse_plot(path: Path | str | None) -> None:
    """Refuse a picture that cannot be drawn, before the work that fills it."""
    if path is not None:
        from pavane.ui.plot.figures import refuse_undrawable

        refuse_undrawable(path)


def write_plot(path: Path | str | None, draw: Callable[[], Axes | Figure]) -> None:
    """Draw a picture, if a file is named."""
    if path is not None:
        from pavane.ui.plot.figures import write_figure

        write_figure(path, draw())
