"""Options of commands: how an option is declared, groups of them, and those that several commands share.

A parameter of a command whose type is a dataclass is a group: its fields become options of the command. The options of
a problem are the fields of `Request`.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from copy import copy
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from functools import cache, wraps
from pathlib import Path
from typing import Annotated, Any, NoReturn, get_origin, get_type_hints

import typer

from pavane.errors import InputError
from pavane.io.request import COLLECTIVES, FORMS, Request
from pavane.networks import FAMILIES
from pavane.ui.cli.flags import ARGUMENTS, FLAGS, with_commands
from pavane.ui.cli.notes import heed_quiet

COMPLETED: dict[str, Iterable[str]] = {
    "network": FAMILIES,
    "collective": COLLECTIVES,
    "pieces": ("auto",),
    "form": FORMS,
}
"""The words that a shell completes, by the fields of a request."""


# -- declarations


def option(usage: str, help_text: str, **more: Any) -> Any:
    """Return an option; `usage` has its flags and its metavar, as in `-o --output FILE`."""
    *flags, last = usage.split()
    is_flag = last.startswith("-")
    return typer.Option(*flags, *[last] * is_flag, metavar=None if is_flag else last, help=help_text, **more)


def argument(metavar: str, help_text: str, **more: Any) -> Any:
    """Return an argument; help shows no default for it."""
    return typer.Argument(metavar=metavar, help=help_text, show_default=False, **more)


def seconds_option(flag: str, help_text: str) -> Any:
    """Return an option that takes a duration."""
    return option(f"{flag} SECONDS", f"{help_text} As 90, 90s, 2m or 1h.", parser=_seconds)


def _seconds(text: str | float) -> float:
    try:
        return float(text)
    except ValueError:
        pass
    from pavane.timing import read_duration

    try:
        return read_duration(str(text), "")
    except InputError as error:
        raise typer.BadParameter(str(error).strip()) from None


# -- groups


def flatten(command: Callable[..., Any]) -> Callable[..., Any]:
    """Return a command with an option for each field of its groups, and with -q.

    NETWORK comes first, then other arguments, then options in the order of the command's parameters.
    """
    groups: dict[str, tuple[type[Any], list[str]]] = {}
    parameters: list[inspect.Parameter] = []
    hints = get_type_hints(command, include_extras=True)
    for own in inspect.signature(command).parameters.values():
        hint = hints.get(own.name, own.annotation)
        if is_dataclass(hint) and isinstance(hint, type):
            groups[own.name] = hint, [parameter.name for parameter in _options_of(hint)]
            parameters += _options_of(hint)
        else:
            parameters.append(own.replace(annotation=hint, kind=inspect.Parameter.KEYWORD_ONLY))
    takes_quiet = any(parameter.name == "quiet" for parameter in parameters)
    if not takes_quiet:
        quiet = inspect.Parameter("quiet", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=QuietOption)
        parameters.append(quiet)
    parameters.sort(key=_order)

    @wraps(command)
    def run_flat(**values: Any) -> Any:
        heed_quiet(values["quiet"] if takes_quiet else values.pop("quiet"))
        for name, (group, options) in groups.items():
            given = {key: values.pop(key) for key in options}
            # typer passes lists, and None for no list; groups are frozen.
            lists = {each.name for each in fields(group) if each.default == ()}
            values[name] = group(**{key: tuple(v or ()) if key in lists else v for key, v in given.items()})
        return command(**values)

    run_flat.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run_flat.__annotations__ = {}
    return run_flat


def _order(parameter: inspect.Parameter) -> tuple[bool, bool]:
    """Return the sort key of a parameter: arguments come first, of these a network."""
    is_argument = isinstance(parameter.annotation.__metadata__[0], typer.models.ArgumentInfo)
    return not is_argument, is_argument and parameter.name != "network"


@cache
def _options_of(group: type[Any]) -> tuple[inspect.Parameter, ...]:
    """Return a parameter for each field of a group that its `LEFT_OUT` does not name."""
    hints = get_type_hints(group, include_extras=True)
    title = re.split("[;:.]", group.__doc__ or "", maxsplit=1)[0].strip()
    return tuple(
        inspect.Parameter(
            each.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=_default(each),
            annotation=_titled(hint if get_origin(hint) is Annotated else _described(each, hint), title),
        )
        for each in fields(group)
        if each.name not in getattr(group, "LEFT_OUT", ())
        for hint in (hints[each.name],)
    )


def _titled(hint: Any, title: str) -> Any:
    """Return the annotation of an option with the title under which the help lists it."""
    about, *rest = hint.__metadata__
    if not isinstance(about, typer.models.OptionInfo):
        return hint
    about = copy(about)  # several groups may have the same option
    about.rich_help_panel = title
    return Annotated[hint.__origin__, about, *rest]


def _default(each: Field[Any]) -> Any:
    """Return the default of an option; a network must be named."""
    if each.default is MISSING or each.name == "network":
        return inspect.Parameter.empty
    return None if each.default == () else each.default


def _described(each: Field[Any], hint: Any) -> Any:
    """Return the annotation of a field of a request as an option or argument."""
    metavar, help_text = each.metadata.get("metavar", ""), with_commands(each.metadata["description"])
    more = {"autocompletion": _starting(COMPLETED[each.name])} if each.name in COMPLETED else {}
    if each.name in ARGUMENTS:
        return Annotated[hint, argument(metavar, help_text, **more)]
    kind = list[str] | None if hint == tuple[str, ...] else hint
    return Annotated[kind, option(f"{FLAGS[each.name]} {metavar}", help_text, **more)]


def _starting(words: Iterable[str]) -> Callable[[str], list[str]]:
    return lambda incomplete: [word for word in words if word.startswith(incomplete.lower())]


def _request_option(name: str) -> Any:
    """Return one option of a request, for commands that take this one alone."""
    return next(parameter.annotation.__metadata__[0] for parameter in _options_of(Request) if parameter.name == name)


# -- options of several commands


ClusterOption = Annotated[
    str | None,
    option(
        "--cluster ADDRESS|mpi",
        "Where workers run: those of a dask scheduler (tcp://host:8786, tls://host:8786), or this MPI job.",
    ),
]
FromOption = Annotated[str | None, _request_option("form")]


@dataclass(frozen=True)
class NetworkFileOptions:
    """How a network file is read."""

    read_as: FromOption = None
    nodes: Annotated[str | None, _request_option("nodes")] = None
    nic: Annotated[str | None, _request_option("nic")] = None

    @property
    def is_given(self) -> bool:
        """Whether any of them is given, which a schedule file does not take."""
        return (self.read_as, self.nodes, self.nic) != (None, None, None)

    def refuse(self, reason: str) -> None:
        """Refuse them where no network file is read."""
        for flag, value in (("--from", self.read_as), ("--nodes", self.nodes), ("--nic", self.nic)):
            if value is not None:
                raise InputError(f"{flag} {value} {reason}")


JsonOption = Annotated[bool, option("--json", "Print figures as JSON.")]
OutputOption = Annotated[
    Path | None,
    option(
        "-o --output FILE",
        "Write a schedule file (.json, .json.gz), the page that plays it (.html), or a picture (.svg, .png, .pdf). "
        "-: a schedule file to stdout, and the report to stderr.",
    ),
]
PrintOption = Annotated[
    bool, option("--print", "Print the schedule even if a file has it or it has more than 200 transfers.")
]
QuietOption = Annotated[
    bool, option("-q --quiet", "Print no report, progress or notes: only errors, and what another option requests.")
]
EvaluationsOption = Annotated[
    int | None, option("--evaluations N", "Maximum number of evaluations in each call of a solver.", min=1)
]
SeedOption = Annotated[int, option("--seed N", "Same seed, same answer.", min=0)]
ScheduleArgument = Annotated[Path, argument("FILE", "A schedule file.")]
SizeOption = option("--bytes SIZE", "Size of one message, as 4, 4B, 1kB, 1KiB or 1K.")


def refuse_given(given: Mapping[str, object], reason: str) -> None:
    """Refuse the options of some flags that are given, for a reason."""
    for flag, value in given.items():
        if value is not None and value is not False:
            raise InputError(f"{flag} {reason}")


def stop(code: int) -> NoReturn:
    """End the command with an exit code."""
    raise typer.Exit(code)
