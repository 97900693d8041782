"""The command line: data to stdout, progress and errors to stderr.

Exit code 0: a verified answer; 1: no answer, or an invalid schedule; 2: bad usage or bad input, with one line that says
what, where and how to mend it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import wraps
from importlib import import_module
from typing import Annotated, ParamSpec

import typer

from pavane.errors import InputError, PavaneError, is_interrupt, printable
from pavane.text import VERSION
from pavane.ui.cli.conversions import spare_conversions
from pavane.ui.cli.help_texts import SUMMARIES, GroupedCommands, GroupedOptions
from pavane.ui.cli.signals import ended_by, exit_at_signals, heed_signals

# typer brings its own copy of click and does not export the base class of usage errors.
UsageProblem: type[Exception] = next(c for c in typer.BadParameter.__mro__ if c.__name__ == "ClickException")


def _print_version(asked: bool) -> None:
    if asked:
        print(f"pavane {VERSION}")
        raise typer.Exit()


def _root(
    version: Annotated[
        bool,
        typer.Option("-V", "--version", callback=_print_version, is_eager=True, help="Print the version and exit."),
    ] = False,
) -> None:
    pass


P = ParamSpec("P")


class _ReaderGone(Exception):
    """Who read our output went away."""


def _ours(command: Callable[P, None]) -> Callable[P, None]:
    """Keep typer from making exits of its own of interrupts and broken pipes."""

    @wraps(command)
    def run_it(*args: P.args, **kwargs: P.kwargs) -> None:
        from pavane.ui.cli.notes import shown_notes
        from pavane.ui.cli.progress import offered_warm_up

        try:
            with shown_notes(), offered_warm_up():
                command(*args, **kwargs)
        except BrokenPipeError:
            raise _ReaderGone from None
        except BaseException as error:
            if is_interrupt(error):
                raise PavaneError(f"{ended_by()} before there was an answer") from None
            raise

    return run_it


COMMANDS = {
    "solve": "pavane.ui.cli.solve",
    "bounds": "pavane.ui.cli.bounds",
    "verify": "pavane.ui.cli.verify",
    "show": "pavane.ui.cli.show",
    "export": "pavane.ui.cli.export",
    "faults": "pavane.ui.cli.faults",
    "repair": "pavane.ui.cli.repair",
    "time": "pavane.ui.cli.time",
    "predict": "pavane.ui.cli.predict",
    "run": "pavane.ui.cli.run_schedule",
    "simulate": "pavane.ui.cli.simulate",
    "serve": "pavane.ui.cli.serve",
    "paper": "pavane.papers.paper_command",
    "networks": "pavane.ui.cli.networks",
    "solvers": "pavane.ui.cli.solvers",
    "compare": "pavane.ui.cli.compare",
    "study": "pavane.ui.cli.study",
    "atlas": "pavane.ui.cli.atlas",
    "worker": "pavane.ui.cli.worker",
    "warm-up": "pavane.ui.cli.warm_up",
}
"""The module of each command, in the order of the help."""


ABOUT_ALL: tuple[list[str], ...] = ([], ["-h"], ["--help"], ["-V"], ["--version"])
"""Arguments that need no command, but at most the summaries of all."""


def app(commands: Iterable[str] = COMMANDS) -> typer.Typer:
    """Return the command line with some of its commands, whose modules are imported."""
    from pavane.ui.cli.options import with_quiet

    made = _empty_app()
    for name in commands:
        module = import_module(COMMANDS[name])
        if hasattr(module, "SUBCOMMANDS"):
            made.add_typer(_group(module.SUBCOMMANDS, module.ABOUT), name=name)
        else:
            made.command(name, cls=GroupedOptions)(_ours(with_quiet(module.command)))
    return made


def summary_app() -> typer.Typer:
    """Return the command line with summaries in place of its commands, for its help and its version."""
    made = _empty_app()
    for name, summary in SUMMARIES.items():
        made.command(name, cls=GroupedOptions, help=summary)(lambda: None)
    return made


def _empty_app() -> typer.Typer:
    made = typer.Typer(
        name="pavane",
        cls=GroupedCommands,
        help="Synthesize conflict-free schedules of collective communications, prove how good they are, show them.",
        no_args_is_help=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    made.callback()(_root)
    return made


def _group(commands: dict[str, Callable[..., None]], about: str) -> typer.Typer:
    """Return commands that have one name in common."""
    from pavane.ui.cli.options import with_quiet

    made = typer.Typer(help=about, cls=GroupedCommands, no_args_is_help=True, rich_markup_mode=None)
    for name, command in commands.items():
        made.command(name, cls=GroupedOptions)(_ours(with_quiet(command)))
    return made


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
    """Let what goes to a stream that the caller has closed vanish; a file opened later would get its number."""
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        if getattr(sys, name) is None:
            opened = os.open(os.devnull, os.O_RDWR)
            if opened != number:
                os.dup2(opened, number)
                os.close(opened)
            setattr(sys, name, os.fdopen(number, mode, encoding="utf-8"))


def _app_for(arguments: list[str]) -> typer.Typer:
    """Return the command line with as few imported commands as the arguments need."""
    if "_PAVANE_COMPLETE" in os.environ:
        return app()  # a shell completes options of any command, and passes no arguments
    if arguments in ABOUT_ALL:
        return summary_app()
    # One command needs the module of no other; misspelt commands need all.
    return app(arguments[:1]) if arguments[0] in COMMANDS else app()


def run(arguments: list[str]) -> int:
    """Run the command line on some arguments and return the exit code."""
    try:
        programme = typer.main.get_command(_app_for(arguments))
        spare_conversions(programme)
        code = programme.main(args=arguments, prog_name="pavane", standalone_mode=False)
        sys.stdout.flush()
        return int(code or 0)
    except UsageProblem as error:
        message = error.format_message()  # type: ignore[attr-defined]
        if message.startswith("Usage: "):  # no command was named, and typer shows the whole help
            print(message, file=sys.stderr)
            return 2
        where = getattr(error, "ctx", None)
        command = where.command_path if where else "pavane"
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
    """Let what is still to be written vanish, or Python would complain about it at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _fail(text: str, code: int) -> int:
    with suppress(OSError):  # the code says it, too
        print(f"pavane: error: {printable(text)}", file=sys.stderr)
    return code


def _with_flags(error: Exception) -> str:
    from pavane.ui.cli.flags import with_flags

    return with_flags(_one_line(str(error)))


def _one_line(text: str) -> str:
    return " ".join(text.split())
