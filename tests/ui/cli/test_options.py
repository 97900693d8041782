"""Options in groups: a field each, and one value for the command."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from pavane.io.request import Request
from pavane.ui.cli import app, options

ASKING = ("solve", "bounds", "study", "faults")


@dataclass(frozen=True)
class Pace:
    """A group of two options, one of which must be given."""

    step: Annotated[int, typer.Option("--step")]
    words: Annotated[list[str] | None, typer.Option("--word")] = None


def test_a_command_gets_its_groups_as_values() -> None:
    """NETWORK comes first whatever the order of parameters."""
    got: list[object] = []

    def dance(pace: Pace, request: Request, loud: Annotated[bool, typer.Option("--loud")] = False) -> None:
        got.extend([pace, request, loud])

    program = typer.Typer()
    program.command()(options.flatten(dance))
    words = [*("ring:4", "aas", "--step", "3"), *("--combining", "--loud", "--senders", "0-1")]
    call = CliRunner().invoke(program, words)
    assert call.exit_code == 0, call.output
    request = Request("ring:4", "aas", combining=True, senders="0-1")
    assert got == [Pace(3), request, True]
    assert CliRunner().invoke(program, ["ring:4", "aas"]).exit_code == 2


@pytest.mark.parametrize("command", ASKING)
def test_every_command_that_asks_for_a_problem_takes_all_of_it(command: str) -> None:
    """The same options in the same order."""
    commands = typer.main.get_command(app()).commands  # type: ignore[attr-defined]
    flags = [option.opts[-1] for option in commands[command].params]
    expected = [*("--switching", "--ports", "--duplex", "--routing", "--combining", "--root", "--senders")]
    expected += ["--receivers", "--pairs", "--from"]
    assert [flag for flag in flags if flag in expected] == expected
    assert flags[0] == "network"
