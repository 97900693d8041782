"""Options in groups: what belongs together is declared once, in a dataclass, and reaches a command as one value.

The options of a problem are the fields of `Request`; other groups say in their annotations how an option is written.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable
from copy import copy
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import wraps
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
"""What a shell completes, by the fields of a request."""


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """Let a command take groups: an option stands for each field of a parameter that is a dataclass.

    An atlas comes first, then NETWORK, then other arguments, then options in the order of the command's parameters.
    """
    groups: dict[str, type[Any]] = {}
    parameters: list[inspect.Parameter] = []
    hints = get_type_hints(command, include_extras=True)
    for own in inspect.signature(command).parameters.values():
        hint = hints[own.name]
        if is_dataclass(hint) and isinstance(hint, type):
            groups[own.name] = hint
            parameters += _options_of(hint)
        else:
            parameters.append(own.replace(annotation=hint, kind=inspect.Parameter.KEYWORD_ONLY))
    parameters.sort(key=_order)

    @wraps(command)
    def run_it(**given: Any) -> None:
        for name, group in groups.items():
            values = {option.name: given.pop(option.name) for option in _options_of(group)}
            # typer gives lists, and None for no list; groups are frozen.
            listed = {one.name for one in fields(group) if one.default == ()}
            given[name] = group(**{key: tuple(v or ()) if key in listed else v for key, v in values.items()})
        command(**given)

    run_it.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run_it.__annotations__ = {}
    return run_it


def _order(parameter: inspect.Parameter) -> tuple[bool, bool, bool]:
    """Return by what parameters are ordered: arguments come first, of these an atlas, then a network."""
    if not _is_argument(parameter):
        return True, False, False
    return False, parameter.name != "atlas", parameter.name != "network"


def _is_argument(parameter: inspect.Parameter) -> bool:
    return isinstance(parameter.annotation.__metadata__[0], typer.models.ArgumentInfo)


def _options_of(group: type[Any]) -> list[inspect.Parameter]:
    """Return a parameter for each field of a group that is not left out."""
    hints = get_type_hints(group, include_extras=True)
    return [
        inspect.Parameter(
            one.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=_default(one),
            annotation=_titled(hint if get_origin(hint) is Annotated else _described(one, hint), _title(group)),
        )
        for one in fields(group)
        if not one.metadata.get("left_out")
        for hint in (hints[one.name],)
    ]


def _title(group: type[Any]) -> str:
    """Return what the options of a group are about: the beginning of its description."""
    return re.split("[;:.]", group.__doc__ or "", maxsplit=1)[0].strip()


def _titled(hint: Any, title: str) -> Any:
    """Return the annotation of an option with the title under which the help lists it."""
    about, *rest = hint.__metadata__
    if not isinstance(about, typer.models.OptionInfo):
        return hint
    about = copy(about)  # several groups may have the same option
    about.rich_help_panel = title
    return Annotated[hint.__origin__, about, *rest]


def _default(one: Field[Any]) -> Any:
    """Return what an option is if it is left out; a network must be named."""
    if one.default is MISSING or one.name == "network":
        return inspect.Parameter.empty
    return None if one.default == () else one.default


def _described(one: Field[Any], hint: Any) -> Any:
    """Return the annotation that a field of a request has as an option or argument."""
    about: dict[str, Any] = {"help": with_commands(one.metadata["description"]), "metavar": one.metadata.get("metavar")}
    if one.name in COMPLETED:
        about["autocompletion"] = _starting(COMPLETED[one.name])
    if one.name in ARGUMENTS:
        return Annotated[hint, typer.Argument(**about, show_default=False)]
    kind = list[str] | None if hint == tuple[str, ...] else hint
    return Annotated[kind, typer.Option(FLAGS[one.name], **about)]


def _starting(words: Iterable[str]) -> Callable[[str], list[str]]:
    return lambda incomplete: [word for word in words if word.startswith(incomplete.lower())]


def _as_in_a_request(name: str) -> Any:
    """Return one option of a request, for commands that take this one alone."""
    return next(option.annotation.__metadata__[0] for option in _options_of(Request) if option.name == name)


def seconds_option(flag: str, help_text: str) -> Any:
    """Return an option that takes a time as people say how long something may take."""
    return typer.Option(flag, metavar="SECONDS", help=f"{help_text} As 90, 90s, 2m or 1h.", parser=_seconds)


def _seconds(given: str | float) -> float:
    try:
        return float(given)
    except ValueError:
        pass
    from pavane.timing import read_duration

    try:
        return read_duration(str(given), "")
    except InputError as error:
        raise typer.BadParameter(str(error).strip()) from None


ClusterOption = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        metavar="ADDRESS|mpi",
        help="Who works: a dask scheduler's workers (tcp://host:8786, tls://host:8786), or this MPI job.",
    ),
]
FaultOption = Annotated[list[str] | None, _as_in_a_request("faults")]
FromOption = Annotated[str | None, _as_in_a_request("form")]
NodesOption = Annotated[str | None, _as_in_a_request("nodes")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print figures as JSON.")]
OutputOption = Annotated[
    Path | None,
    typer.Option(
        "-o",
        "--output",
        metavar="FILE",
        help="Write a schedule file (.json, .json.gz), the page that plays it (.html), or a picture (.svg, .png, "
        ".pdf). -: a schedule file to stdout, and the report to stderr.",
    ),
]
DeviceOption = Annotated[
    str, typer.Option("--device", metavar="cpu|gpu", help="Where umda and ga run; gpu: many runs at once.")
]
PrintOption = Annotated[
    bool,
    typer.Option("--print", help="Print the schedule even if a file has it or it has more than 200 transfers."),
]
QuietOption = Annotated[
    bool,
    typer.Option(
        "-q",
        "--quiet",
        help="Print no report, progress or notes: only errors, and what another option asks for.",
    ),
]
EvaluationsOption = Annotated[
    int | None,
    typer.Option(
        "--evaluations",
        metavar="N",
        min=1,
        help="Maximum number of evaluations in each call of a solver.",
    ),
]
SeedOption = Annotated[int, typer.Option("--seed", metavar="N", min=0, help="Same seed, same answer.")]


def with_quiet(command: Callable[..., None]) -> Callable[..., None]:
    """Let a command that does not take -q itself take it: what it says by `tell` is left out then."""
    parameters = inspect.signature(command).parameters
    if "quiet" in parameters:
        return command
    hints = get_type_hints(command, include_extras=True)

    @wraps(command)
    def run_it(*, quiet: bool, **given: Any) -> None:
        heed_quiet(quiet)
        command(**given)

    own = [
        one.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=hints.get(one.name, one.annotation))
        for one in parameters.values()
    ]
    asked = inspect.Parameter("quiet", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=QuietOption)
    run_it.__signature__ = inspect.Signature([*own, asked])  # type: ignore[attr-defined]
    run_it.__annotations__ = {}
    return run_it


def stop(code: int) -> NoReturn:
    """End the command with an exit code."""
    raise typer.Exit(code)
