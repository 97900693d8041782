"""`pavane compare`: networks side by side, to choose which one to build."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated

from pavane.errors import InputError
from pavane.io.request import Request, network_from
from pavane.model.messages import kind_title
from pavane.model.network import Network
from pavane.model.problem import Problem
from pavane.timing import Costs, read_size
from pavane.ui.cli import options
from pavane.ui.cli.inputs import costs_of
from pavane.ui.cli.options import argument, option, seconds_option
from pavane.ui.cli.pool_options import PoolOptions
from pavane.ui.cli.progress import show_progress
from pavane.ui.cli.run_views import RunOutput

if TYPE_CHECKING:
    from pavane.campaign.comparison import Comparison
    from pavane.model.problem import Rules

    RulesOf = Callable[[Network], Rules]

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
    size: Annotated[str | None, option("--bytes SIZE", "Size of one message, as 64 or 4KiB.")] = None

    def costs(self) -> tuple[Costs | None, int | None]:
        """Return what start-ups and bytes cost, and the size; nothing where steps are to be counted."""
        given = {"--startup": self.startup, "--per-byte": self.per_byte, "--bytes": self.size}
        missing = [flag for flag, value in given.items() if value is None]
        if len(missing) == 3 and self.per_hop is None:
            return None, None
        if self.startup is None or self.per_byte is None or self.size is None:
            raise InputError(f"to predict times {', '.join(given)} are needed; add {' and '.join(missing)}")
        return costs_of(self.startup, self.per_byte, self.per_hop), read_size(self.size, "--bytes")


def command(
    *,
    named: Annotated[list[str] | None, argument("NETWORK...", "Networks: family:parameters, or files.")] = None,
    work: WorkOptions,
    rules: RulesRequest,
    times: ComparisonCosts,
    pool: PoolOptions,
    output: RunOutput,
) -> None:
    """Compare networks: what they cost and survive, and how long collectives take on them."""
    output.refuse()
    costs, size = times.costs()
    found = _compare(_networks(named or []), work, rules.rules, costs, size, pool, output)
    names = sum(len(row.names) for row in found.rows)
    known_as = "" if names == len(found.rows) else f", under {names} names"
    head = [
        f"networks    {len(found.rows)}{known_as}",
        f"collectives {', '.join(map(kind_title, found.collectives))}",
        *(f"rules       {text}" for text in found.rules_texts()),
    ]
    about = {"costs": None if costs is None else asdict(costs), "bytes": size}
    output.present(found, head, found.legend(), about=about)


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
    costs: Costs | None,
    size: int | None,
    pool: PoolOptions,
    output: RunOutput,
) -> Comparison:
    from pavane.campaign.comparison import compare
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
            costs=costs,
            message_bytes=size,
            file=output.file,
        )
