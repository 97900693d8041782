"""Options that need no conversion are passed unchanged; typer converts, and refuses, the others."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import pytest
import typer

from pavane.ui.cli import UsageProblem
from pavane.ui.cli.typer_commands import GroupedCommands, GroupedOptions


def run(words: list[str], *, is_quick: bool = True) -> list[object]:
    """Return the values that a command with options of all kinds gets."""
    given: list[object] = []
    program = typer.Typer(cls=GroupedCommands if is_quick else None)
    program.callback()(lambda: None)

    @program.command(cls=GroupedOptions if is_quick else None)
    def dance(
        where: Annotated[str, typer.Argument()],
        times: Annotated[int, typer.Option("--times", min=1)] = 2,
        pace: Annotated[float | None, typer.Option("--pace")] = None,
        shoes: Annotated[list[str] | None, typer.Option("--shoe")] = None,
        song: Annotated[Path | None, typer.Option("--song")] = None,
        loud: Annotated[bool, typer.Option("--loud")] = False,
    ) -> None:
        given.extend([where, times, pace, shoes, song, loud])

    typer.main.get_command(program).main(args=["dance", *words], standalone_mode=False)
    return given


def test_options_have_their_types() -> None:
    """What is left out has its default, and what is given the type that the command asks for."""
    assert run(["hall"]) == run(["hall"], is_quick=False) == ["hall", 2, None, None, None, False]
    words = ["7", "--times", "3", "--pace", "1.5", "--shoe", "left", "--shoe", "right", "--song", "a.b", "--loud"]
    assert run(words) == run(words, is_quick=False) == ["7", 3, 1.5, ["left", "right"], Path("a.b"), True]


@pytest.mark.parametrize("words", [["hall", "--times", "0"], ["hall", "--times", "many"], ["hall", "--pace", "x"], []])
def test_wrong_options_are_refused(words: list[str]) -> None:
    """A number that is none, one out of range and an argument that is missing."""
    for is_quick in (True, False):
        with pytest.raises(UsageProblem):
            run(words, is_quick=is_quick)


def test_text_is_not_converted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where all is text or left out, what converts is not even imported."""
    for name in [name for name in sys.modules if name.split(".")[0] == "pydantic"]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setitem(sys.modules, "typer._adapters", None)
    assert run(["hall"])[0] == "hall"
