"""`pavane compare`: networks side by side, to choose which one to build."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from pavane.errors import InputError
from pavane.io.files import refuse_unwritable
from pavane.io.request import Request, network_from
from pavane.model.messages import kind_title
from pavane.model.network import Network
from pavane.model.problem import Problem
from pavane.text import counted
from pavane.timing import Costs, read_size
from pavane.ui.cli import options
from pavane.ui.cli.inputs import costs_of
from pavane.ui.cli.nccl_tables import EXPLANATION, library_table
from pavane.ui.cli.notes import note
from pavane.ui.cli.options import argument, option, seconds_option
from pavane.ui.cli.outputs import beside, is_stdout, refuse_two_on_stdout, write_text
from pavane.ui.cli.pool_options import PoolOptions
from pavane.ui.cli.progress import show_progress, waited_for
from pavane.ui.cli.report import print_json, print_lines, table_lines
from pavane.ui.cli.signals import ended_by

if TYPE_CHECKING:
    from pavane.campaign.network_comparison import Comparison
    from pavane.model.problem import Rules

    RulesOf = Callable[[Network], Rules]

ENDINGS = (".csv", ".json")

SECONDS = 60.0
"""Default time limit of all searches together."""


@dataclass(frozen=True)
class RulesRequest(Request):
    """How transfers may use the networks; see solve."""

    LEFT_OUT = (
        *("network", "collective", "root", "senders", "receivers", "pairs"),
        *("pieces", "sizes", "form", "nodes", "nic"),
    )


@dataclass(frozen=True)
class WorkOptions:
    """What is communicated, and how long it is searched for."""

    collectives: Annotated[
        str, option("--collectives LIST", "Collectives, with commas between; all of them take their time.")
    ] = "aab,aas"
    seed: options.SeedOption = 0
    seconds: Annotated[
        float,
        seconds_option(
            "--time", "Time for all searches together; each has a share, and what one leaves goes to the others."
        ),
    ] = SECONDS

    def named(self) -> list[str]:
        """Return the names of the collectives."""
        return [name.strip() for name in self.collectives.split(",") if name.strip()]


@dataclass(frozen=True)
class ComparisonCosts:
    """What start-ups and bytes cost, to predict times; without them steps are counted."""

    startup: Annotated[str | None, option("--startup TIME", "Time of a start-up (ts, alpha), as 10ns or 1us.")] = None
    per_byte: Annotated[
        str | None, option("--per-byte TIME|BANDWIDTH", "Per byte (t1, beta), as 1ns or 1GB/s or 100Gb/s.")
    ] = None
    per_hop: Annotated[str | None, option("--per-hop TIME", "Time that each channel of a path adds.")] = None
    size: Annotated[str | None, option("--bytes LIST", "Sizes of one message, as 4KiB, or several: 64,4KiB,1MiB.")] = (
        None
    )
    nccl: options.NcclOption = None

    def costs(self) -> tuple[Costs | None, tuple[int, ...]]:
        """Return what start-ups and bytes cost, and the sizes; nothing where steps are to be counted."""
        given = {"--startup": self.startup, "--per-byte": self.per_byte, "--bytes": self.size}
        missing = [flag for flag, value in given.items() if value is None]
        if len(missing) == 3 and self.per_hop is None and not self.nccl:
            return None, ()
        if missing:
            raise InputError(f"to predict times {', '.join(given)} are needed; add {' and '.join(missing)}")
        assert self.startup is not None
        assert self.per_byte is not None
        assert self.size is not None
        costs = costs_of(self.startup, self.per_byte, self.per_hop)
        return costs, tuple(read_size(each, "--bytes") for each in self.size.split(","))


@dataclass(frozen=True)
class ComparisonOutput:
    """The output."""

    output: Annotated[
        Path | None, option("-o --output FILE", "Write all figures as a table (.csv) or as .json; -: CSV to stdout.")
    ] = None
    only_best: Annotated[bool, option("--pareto", "Print the networks of the Pareto set alone.")] = False
    as_json: options.JsonOption = False
    quiet: options.QuietOption = False

    def refuse(self) -> None:
        """Refuse what cannot be printed or written, before the work that fills it."""
        refuse_two_on_stdout("-o", self.output, self.as_json)
        if self.output is not None and not is_stdout(self.output):
            if self.output.suffix.lower() not in ENDINGS:
                raise InputError(f"{self.output}: a comparison is written as {' or '.join(ENDINGS)}")
            refuse_unwritable(self.output)

    def write(self, found: Comparison) -> None:
        """Write the file, if one is requested."""
        from pavane.campaign.network_comparison.tables import as_object, figures_table

        if self.output is not None:
            is_json = self.output.suffix.lower() == ".json"
            table = json.dumps(as_object(found), indent=1) + "\n" if is_json else figures_table(found).csv()
            write_text(self.output, table)


def command(
    *,
    named: Annotated[list[str] | None, argument("NETWORK...", "Networks: family:parameters, or files.")] = None,
    work: WorkOptions,
    rules: RulesRequest,
    times: ComparisonCosts,
    pool: PoolOptions,
    table: ComparisonOutput,
) -> None:
    """Compare networks: what they cost and survive, and how long collectives take on them."""
    table.refuse()
    costs, sizes = times.costs()
    networks = _networks(named or [])
    found = _compare(networks, work, rules.rules, (costs, sizes), pool)
    if costs is not None and costs.per_byte and times.nccl is not False and not found.interrupted:
        from pavane.campaign.library_times import with_library_times

        with waited_for("timing NCCL's algorithms"):
            found = with_library_times(found, on_request=bool(times.nccl))
    for text in found.notes:
        note(text)
    table.write(found)
    if table.as_json:
        from pavane.campaign.network_comparison.tables import as_object

        print_json(as_object(found))
    elif not table.quiet:
        with beside(table.output):
            _print(found, table)
    for row in found.rows:
        for kind, cell in zip(found.collectives, row.cells, strict=True):
            if cell.why:
                note(f"{kind_title(kind)} on {row.name}: {cell.why}")
    if found.interrupted:
        missing = sum(cell.outcome == "not searched" for row in found.rows for cell in row.cells)
        note(f"{ended_by()}: {counted(missing, 'figure')} of the table could not be searched for any more")
        options.stop(1)


def _networks(named: Sequence[str]) -> list[Network]:
    """Return the networks that are named."""
    found = []
    for text in named:
        network = network_from(text)
        if not isinstance(network, Network):
            raise InputError(f"{text}: this is a problem or schedule, where a network was expected")
        found.append(network)
    if not found:
        raise InputError("no network was named; name some, as octagon ring:8 mynet.txt")
    return found


def _compare(
    networks: Sequence[Network],
    work: WorkOptions,
    rules: RulesOf,
    costs: tuple[Costs | None, tuple[int, ...]],
    pool: PoolOptions,
) -> Comparison:
    from pavane.campaign.network_comparison import compare
    from pavane.search.options import SearchOptions

    names = work.named()
    largest = max(networks, key=lambda network: network.num_processors)
    problem = Problem(largest, "AAS", rules(largest)) if largest.num_processors > 1 else None
    with pool.open(problem, len(names) * len(networks)) as workers, show_progress() as on_progress:
        return compare(
            networks,
            names,
            rules,
            SearchOptions(work.seed, work.seconds, workers=workers, on_progress=on_progress),
            costs=costs[0],
            message_bytes=costs[1],
        )


def _print(found: Comparison, table: ComparisonOutput) -> None:
    """Print the table, and what its columns mean."""
    from pavane.campaign.network_comparison.tables import comparison_table, legend

    compared = comparison_table(found, only_best=table.only_best)
    print_lines([*headline(found), "", *table_lines(compared), "", *legend(found)])
    libraries = library_table(found)
    if libraries is not None:
        print_lines(["", *table_lines(libraries), f"nccl        {EXPLANATION}"])
    if table.output is not None and not is_stdout(table.output):
        print(f"file        {table.output}")


def headline(found: Comparison) -> list[str]:
    """Return the lines that say what was compared."""
    from pavane.campaign.network_comparison.tables import rules_texts

    names = sum(len(row.names) for row in found.rows)
    known_as = "" if names == len(found.rows) else f", under {names} names"
    return [
        f"networks    {len(found.rows)}{known_as}",
        f"collectives {', '.join(map(kind_title, found.collectives))}",
        *(f"rules       {text}" for text in rules_texts(found)),
    ]
