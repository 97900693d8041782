"""The command line: data to stdout, progress and errors to stderr.

Exit code 0: a verified answer; 1: no answer, or an invalid schedule; 2: bad usage or bad input, with one line that says
what, where and how to fix it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache, wraps
from importlib import import_module
from typing import Annotated, Any

import typer

from pavane.errors import InputError, PavaneError, is_interrupt, printable
from pavane.text import VERSION
from pavane.ui.cli.signals import ended_by, exit_at_signals, heed_signals
from pavane.ui.cli.typer_commands import SUMMARIES, GroupedCommands, GroupedOptions

# typer brings its own copy of click and does not export the base class of usage errors.
UsageProblem: type[Exception] = next(c for c in typer.BadParameter.__mro__ if c.__name__ == "ClickException")


def _print_version(is_requested: bool) -> None:
    if is_requested:
        print(f"pavane {VERSION}")
        raise typer.Exit()


def _root(
    version: Annotated[
        bool,
        typer.Option("-V", "--version", callback=_print_version, is_eager=True, help="Print the version and exit."),
    ] = False,
) -> None:
    pass


class _ReaderGone(Exception):
    """The reader of our output has closed it."""


def _guard(command: Callable[..., Any]) -> Callable[..., Any]:
    """Return a command that typer does not end itself at interrupts and broken pipes."""

    @wraps(command)
    def run_guarded(**values: Any) -> Any:
        from pavane.ui.cli.notes import shown_notes

        try:
            with shown_notes():
                return command(**values)
        except BrokenPipeError:
            raise _ReaderGone from None
        except BaseException as error:
            if is_interrupt(error):
                raise PavaneError(f"{ended_by()} before there was an answer") from None
            raise

    return run_guarded


COMMANDS = {name: f"pavane.ui.cli.{name.replace('-', '_')}" for name in SUMMARIES}
"""The module of each command, in the order of the help."""

COMMANDS |= {"run": "pavane.ui.cli.run_schedule"}

CODE_OF_INTERRUPT = 130
"""The exit code that typer makes of an interrupt outside of commands."""

ABOUT_ALL: tuple[list[str], ...] = ([], ["-h"], ["--help"], ["-V"], ["--version"])
"""Arguments that need no command, but at most the summaries of all."""


def app(commands: Iterable[str] = COMMANDS) -> typer.Typer:
    """Return the command line with some of its commands, whose modules are imported.

    A command returns its exit code, or None for 0.
    """
    from pavane.ui.cli.options import flatten

    program = _empty_app()
    for name in commands:
        module = import_module(COMMANDS[name])
        program.command(name, cls=GroupedOptions)(_guard(flatten(module.command)))
    return program


def summary_app() -> typer.Typer:
    """Return the command line with summaries in place of its commands, for its help and its version."""
    program = _empty_app()
    for name, summary in SUMMARIES.items():
        program.command(name, cls=GroupedOptions, help=summary)(lambda: None)
    return program


def _empty_app() -> typer.Typer:
    program = typer.Typer(
        name="pavane",
        cls=GroupedCommands,
        help="Synthesize conflict-free schedules of collective communications, prove how good they are, show them.",
        no_args_is_help=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    program.callback()(_root)
    return program


def main() -> None:
    """Run the command line and exit."""
    _open_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    heed_signals()
    code = run(sys.argv[1:])
    exit_at_signals(code)
    sys.exit(code)


def _open_closed_streams() -> None:
    """Discard output to streams that the caller has closed; a file opened later would get their numbers."""
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        if getattr(sys, name) is None:
            null = os.open(os.devnull, os.O_RDWR)
            if null != number:
                os.dup2(null, number)
                os.close(null)
            setattr(sys, name, os.fdopen(number, mode, encoding="utf-8"))


def _program_for(arguments: list[str]) -> Any:
    """Return the command line with as few imported commands as the arguments need."""
    if "_PAVANE_COMPLETE" in os.environ:
        return _program(tuple(COMMANDS))  # a shell completes options of any command, and passes no arguments
    if arguments in ABOUT_ALL:
        return typer.main.get_command(summary_app())
    # One command needs the module of no other; misspelt commands need all.
    return _program((arguments[0],) if arguments[0] in COMMANDS else tuple(COMMANDS))


@cache
def _program(commands: tuple[str, ...]) -> Any:
    """Return the command line with some of its commands; to make it takes as long as a short command."""
    return typer.main.get_command(app(commands))


def run(arguments: list[str]) -> int:
    """Run the command line on some arguments and return the exit code."""
    try:
        code = _program_for(arguments).main(args=arguments, prog_name="pavane", standalone_mode=False)
        sys.stdout.flush()
        # An interrupt between reading the arguments and the command.
        return _fail(ended_by(), 1) if code == CODE_OF_INTERRUPT else int(code or 0)
    except UsageProblem as error:
        message = _with_meaning(error, error.format_message())  # type: ignore[attr-defined]
        if message.startswith("Usage: "):  # no command was named, and typer shows the whole help
            print(message, file=sys.stderr)
            return 2
        context = getattr(error, "ctx", None)
        command = context.command_path if context else "pavane"
        return _fail(f"{_one_line(message)} (see `{command} --help`)", 2)
    except InputError as error:
        return _fail(_with_flags(error), 2)
    except PavaneError as error:
        return _fail(_with_flags(error), 1)
    except (_ReaderGone, BrokenPipeError):
        _leave_stdout()
        return 0
    except OSError as error:
        _leave_stdout()
        return _fail(f"I/O error: {(error.strerror or str(error)).lower()}", 1)
    except BaseException as error:
        if is_interrupt(error):
            return _fail(ended_by(), 1)
        raise


def _leave_stdout() -> None:
    """Discard what is still to be written, or Python would complain about it at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _fail(text: str, code: int) -> int:
    with suppress(OSError):  # the exit code says it as well
        print(f"pavane: error: {printable(text)}", file=sys.stderr)
    return code


def _with_flags(error: Exception) -> str:
    from pavane.ui.cli.flags import with_flags

    return with_flags(_one_line(str(error)))


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _with_meaning(error: object, message: str) -> str:
    """Return the message of a missing option or argument with what it is, which has an example."""
    meaning = getattr(getattr(error, "param", None), "help", None)
    return f"{message} {meaning}" if message.startswith("Missing ") and meaning else message
