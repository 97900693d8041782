"""Options that need no conversion are passed on as they are; the others are converted, and refused, as ever."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import pytest
import typer

from pavane.ui.cli import UsageProblem
from pavane.ui.cli.conversions import spare_conversions


def run(words: list[str], *, spares: bool = True) -> list[object]:
    """Return what a command with options of all kinds is given."""
    given: list[object] = []
    programme = typer.Typer()
    programme.callback()(lambda: None)

    @programme.command()
    def dance(
        where: Annotated[str, typer.Argument()],
        times: Annotated[int, typer.Option("--times", min=1)] = 2,
        pace: Annotated[float | None, typer.Option("--pace")] = None,
        shoes: Annotated[list[str] | None, typer.Option("--shoe")] = None,
        song: Annotated[Path | None, typer.Option("--song")] = None,
        loud: Annotated[bool, typer.Option("--loud")] = False,
    ) -> None:
        given.extend([where, times, pace, shoes, song, loud])

    made = typer.main.get_command(programme)
    if spares:
        spare_conversions(made)
    made.main(args=["dance", *words], standalone_mode=False)
    return given


def test_options_have_their_types() -> None:
    """What is left out has its default, and what is given the type that the command asks for."""
    assert run(["hall"]) == run(["hall"], spares=False) == ["hall", 2, None, None, None, False]
    words = ["7", "--times", "3", "--pace", "1.5", "--shoe", "left", "--shoe", "right", "--song", "a.b", "--loud"]
    assert run(words) == run(words, spares=False) == ["7", 3, 1.5, ["left", "right"], Path("a.b"), True]


@pytest.mark.parametrize("words", [["hall", "--times", "0"], ["hall", "--times", "many"], ["hall", "--pace", "x"], []])
def test_wrong_options_are_refused(words: list[str]) -> None:
    """A number that is none, one out of range and an argument that is missing."""
    for spares in (True, False):
        with pytest.raises(UsageProblem):
            run(words, spares=spares)


def test_text_is_not_converted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where all is text or left out, what converts is not even imported."""
    for name in [name for name in sys.modules if name.split(".")[0] == "pydantic"]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setitem(sys.modules, "typer._adapters", None)
    assert run(["hall"])[0] == "hall"
