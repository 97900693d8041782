"""The options that describe a problem, and how they are read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

from pavane.formats.registry import NETWORK_FORMATS
from pavane.formats.request import network_from as network_from
from pavane.formats.request import problem_from as problem_from
from pavane.formats.request import processor_list as processor_list
from pavane.formats.request import without_faults as without_faults
from pavane.model.collectives import MPI_NAMES
from pavane.model.problem import PATTERN_OF
from pavane.networks import FAMILIES


def _starting(words: Callable[[], list[str]]) -> Callable[[str], list[str]]:
    return lambda incomplete: [word for word in words() if word.startswith(incomplete.lower())]


NetworkArgument = Annotated[
    str,
    typer.Argument(
        metavar="NETWORK",
        help="family:parameters, as `pavane networks` lists them, or a file. A problem file stands for both arguments.",
        autocompletion=_starting(lambda: list(FAMILIES)),
        show_default=False,
    ),
]
FromOption = Annotated[
    str | None,
    typer.Option(
        "--from",
        metavar="FORMAT",
        help="The format of a network file, if it is not recognized: " + ", ".join(NETWORK_FORMATS) + ".",
        autocompletion=_starting(lambda: list(NETWORK_FORMATS)),
    ),
]
CollectiveArgument = Annotated[
    str | None,
    typer.Argument(
        metavar="COLLECTIVE",
        help=f"{', '.join(kind.lower() for kind in PATTERN_OF)}; or MPI's names: {', '.join(MPI_NAMES)}, allreduce.",
        autocompletion=_starting(lambda: [*(kind.lower() for kind in PATTERN_OF), *MPI_NAMES, "allreduce"]),
        show_default=False,
    ),
]
SwitchingOption = Annotated[
    str | None,
    typer.Option(
        "--switching",
        metavar="wormhole|store-and-forward",
        help="Whole paths, or one channel, in a step. [default: wormhole]",
    ),
]
PortsOption = Annotated[
    str | None, typer.Option("--ports", metavar="all|K", help="Ports of a processor. [default: all]")
]
DuplexOption = Annotated[
    str | None,
    typer.Option("--duplex", metavar="full|half", help="Links carry both ways at once, or one. [default: full]"),
]
RoutingOption = Annotated[
    str | None,
    typer.Option(
        "--routing",
        metavar="minimal|any|ORDER",
        help="Shortest paths only, or any; on meshes and tori also dimension-order, west-first or north-last. "
        "[default: minimal]",
    ),
]
CombiningOption = Annotated[bool, typer.Option("--combining", help="Let one transfer carry several messages.")]
RootOption = Annotated[
    str | None, typer.Option("--root", metavar="P", help="The one sender, or receiver. [default: processor 0]")
]
SendersOption = Annotated[
    str | None, typer.Option("--senders", metavar="LIST", help="Processors, like 0-7,9 or all. [default: all]")
]
ReceiversOption = Annotated[
    str | None, typer.Option("--receivers", metavar="LIST", help="Processors, like 0-7,9 or all. [default: all]")
]
PairsOption = Annotated[
    str | None, typer.Option("--pairs", metavar="LIST", help="The messages of `pairs`, like '0>5,1>4' or 0:5,1:4.")
]
FaultOption = Annotated[
    list[str] | None,
    typer.Option("--fault", metavar="A-B", help="A faulty link between routers, or 'A>B' one way. May be repeated."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print figures as JSON.")]


def stop(code: int) -> None:
    """End the command with an exit code."""
    raise typer.Exit(code)
