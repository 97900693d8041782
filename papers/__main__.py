"""`python -m papers`: redoes tables of the papers, or answers their open questions."""

from __future__ import annotations

import sys

import typer

from papers.command import command
from pavane.errors import InputError, PavaneError
from pavane.ui.cli import UsageProblem
from pavane.ui.cli.flags import with_flags
from pavane.ui.cli.notes import shown_notes
from pavane.ui.cli.options import flatten
from pavane.ui.cli.typer_commands import GroupedOptions


def run(arguments: list[str]) -> int:
    """Run the command line on some arguments and return the exit code."""
    settings = {"help_option_names": ["-h", "--help"]}
    program = typer.Typer(rich_markup_mode=None, add_completion=False, context_settings=settings)
    program.command(cls=GroupedOptions)(flatten(command))
    try:
        with shown_notes():
            said = typer.main.get_command(program).main(args=arguments, prog_name="papers", standalone_mode=False)
        return int(said or 0)
    except UsageProblem as error:
        return _fail(error.format_message(), 2)  # type: ignore[attr-defined]
    except PavaneError as error:
        return _fail(with_flags(str(error)), 2 if isinstance(error, InputError) else 1)


def _fail(text: str, code: int) -> int:
    print(f"papers: error: {' '.join(text.split())}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
