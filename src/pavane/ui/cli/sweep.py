"""`pavane atlas sweep`: search for many problems, one after the other, and keep what is found in an atlas."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Annotated

from pavane.errors import InputError
from pavane.io.request import network_from
from pavane.model.collectives import kind_of
from pavane.model.problem import Problem, Rules
from pavane.text import counted
from pavane.ui.cli import options
from pavane.ui.cli.notes import note
from pavane.ui.cli.options import argument, option, seconds_option
from pavane.ui.cli.pool_options import PoolOptions
from pavane.ui.cli.progress import show_progress
from pavane.ui.cli.report import print_json, print_report
from pavane.ui.cli.signals import ended_by

if TYPE_CHECKING:
    from pavane.atlas.sweeps import Sweep
    from pavane.model.network import Network


@dataclass(frozen=True)
class ListOptions:
    """Which problems: every network with every collective under all rules that are named."""

    listed: Annotated[
        list[str] | None,
        option(
            "--list NAME",
            "A list of networks: catalogue, papers, members, cubic, cayley, petersen, or shipped: all of them. "
            "May be repeated.",
        ),
    ] = None
    where: Annotated[
        list[str] | None, option("--network NETWORK", "A network, like torus:4x4, or a file. May be repeated.")
    ] = None
    collective: Annotated[
        list[str] | None, option("--collective COLLECTIVE", "May be repeated. [default: oab, oas, aab and aas]")
    ] = None
    switching: Annotated[
        list[str] | None, option("--switching wormhole|store-and-forward|tdm", "May be repeated. [default: wormhole]")
    ] = None
    ports: Annotated[list[str] | None, option("--ports all|K", "May be repeated. [default: all and 1]")] = None
    duplex: Annotated[list[str] | None, option("--duplex full|half", "May be repeated. [default: full]")] = None
    routing: Annotated[
        list[str] | None, option("--routing minimal|any|ORDER", "May be repeated. [default: minimal]")
    ] = None

    def networks(self) -> Iterator[Network]:
        """Yield the networks, as they are named."""
        from pavane.atlas.lists import networks_of

        for name in self.listed or ():
            yield from networks_of(name)
        for text in self.where or ():
            found = network_from(text)
            if isinstance(found, Problem):
                raise InputError(f"{text} is a whole problem, where a sweep takes networks; name a network")
            yield found

    def rules(self) -> list[Rules]:
        """Return all rules that are named."""
        ports = [_ports(text) for text in self.ports or ("all", "1")]
        ways = product(self.switching or ("wormhole",), ports, self.duplex or ("full",), self.routing or ("minimal",))
        return [Rules(*way) for way in ways]  # type: ignore[arg-type]

    def problems(self) -> Iterator[Problem]:
        """Yield the problems; those that cannot be carried out are left out, with a note."""
        from pavane.atlas.lists import COLLECTIVES, problems_on

        kinds = [kind_of(name) for name in self.collective or COLLECTIVES]
        return problems_on(self.networks(), kinds, self.rules(), note)


def _ports(text: str) -> int | str:
    if text == "all":
        return text
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise InputError(f"--ports {text!r} is neither all nor a number; give all, or 1 or more")
    return int(text)


@dataclass(frozen=True)
class EffortOptions:
    """What the search for one problem may take."""

    seconds: Annotated[float | None, seconds_option("--time", "Stop the search for a problem after this time.")] = None
    evaluations: options.EvaluationsOption = None
    seed: options.SeedOption = 0
    again: Annotated[bool, option("--again", "Search for all that is not proven, whatever was tried before.")] = False


def command(
    atlas: Annotated[str, argument("FILE", "The atlas; a new one is made.")],
    networks: ListOptions,
    effort: EffortOptions,
    pool: PoolOptions,
    as_json: options.JsonOption = False,
) -> None:
    """Search for many problems and keep what is found; what had as much effort before is not searched again."""
    from pavane.atlas.atlas_file import SHIPPED, AtlasFile
    from pavane.atlas.sweeps import sweep
    from pavane.search.options import SearchOptions

    if atlas == SHIPPED:
        raise InputError(f"{atlas}: the atlas of the package is only read; name a file")
    if not networks.listed and not networks.where:
        raise InputError("no network was named; add --network NETWORK, or --list shipped")
    if effort.seconds is None and effort.evaluations is None:
        raise InputError("a sweep needs `seconds` or `evaluations`: what the search for one problem may take")
    problems = networks.problems()
    with pool.open() as workers, AtlasFile(atlas, is_written=True) as opened, show_progress() as on_progress:
        limits = SearchOptions(effort.seed, effort.seconds, effort.evaluations, workers, on_progress)
        swept = sweep(opened, problems, limits, again=effort.again, note=note)
    for text in swept.failures:
        note(text)
    if swept.interrupted:
        note(f"{ended_by()}: finished problems are stored, and the same command resumes")
    _tell(swept, as_json)
    options.stop(1 if swept.failures or swept.interrupted else 0)


def _tell(swept: Sweep, as_json: bool) -> None:
    counts = {
        "problems": swept.problems,
        "proven": swept.proven,
        "searched": swept.searched,
        "bettered": swept.bettered,
        "failures": len(swept.failures),
    }
    if as_json:
        print_json(counts)
    else:
        print_report(
            [
                f"problems    {swept.problems:,}, {swept.proven:,} proven",
                f"searched    {swept.searched:,}, of which more is known now of {swept.bettered:,}",
                f"failures    {counted(len(swept.failures), 'problem')}",
            ]
        )
