"""A comparison as the page requests it: networks of the catalogue side by side, within the limits of the page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from itertools import islice
from typing import Any

from pydantic import Field
from pydantic.dataclasses import dataclass

from pavane.errors import InputError
from pavane.io.request import Request
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks.proposals import proposed, read_span
from pavane.parallel.progress import Progress
from pavane.search.options import SearchOptions
from pavane.timing import Costs, read_per_byte, read_size, read_time
from pavane.ui.web.limits import ServerLimits
from pavane.ui.web.requests import FORBID, NetworkRequest

MOST_NETWORKS = 150
"""Networks that one comparison of the page may have."""


@dataclass(frozen=True, config=FORBID)
class ComparisonRequest:
    """Which networks to compare, by what, and for how long."""

    networks: str = Field(default="", description="family:parameters, with blanks between", max_length=20_000)
    processors: str = Field(default="", description="propose networks: 16, or 12-16", max_length=40)
    degree: str = Field(default="", description="of those that are proposed: 3, or 3-4", max_length=40)
    collectives: str = Field(default="aab,aas", max_length=200)
    ports: str = Field(default="", max_length=9)
    switching: str = Field(default="", max_length=40)
    duplex: str = Field(default="", max_length=9)
    routing: str = Field(default="", max_length=40)
    startup: str = Field(default="", description="the time of a start-up, like 1us", max_length=40)
    per_byte: str = Field(default="", description="the time of a byte, or a bandwidth, like 10GB/s", max_length=40)
    message_bytes: str = Field(default="", description="the size of a message, like 4KiB", max_length=200)
    seed: int = Field(default=0, ge=0, lt=2**32)
    seconds: float | None = Field(default=None, gt=0, allow_inf_nan=False)

    def rules(self, network: Network) -> Rules:
        """Return the rules on a network; an empty text says nothing."""
        said: dict[str, Any] = {
            name: getattr(self, name) or None for name in ("ports", "switching", "duplex", "routing")
        }
        return Request(**said).rules(network)

    def names(self) -> list[str]:
        """Return the names of the collectives."""
        return [name.strip() for name in self.collectives.split(",") if name.strip()]

    def costs(self) -> tuple[Costs | None, list[int]]:
        """Return what start-ups and bytes cost, and the sizes; nothing where steps are to be counted."""
        if not (self.startup or self.per_byte or self.message_bytes):
            return None, []
        if not (self.startup and self.per_byte and self.message_bytes):
            raise InputError("to predict times give a start-up, a time per byte and a size, or none of them")
        sizes = [read_size(each, "size") for each in self.message_bytes.split(",")]
        return Costs(read_time(self.startup, "start-up"), read_per_byte(self.per_byte, "per byte")), sizes

    def within(self, limits: ServerLimits) -> list[Network]:
        """Return the networks; what is wrong or too large is said in one line."""
        self.costs()
        listed = self.networks.replace(";", " ").split()
        if len(listed) > MOST_NETWORKS:
            raise InputError(f"{len(listed)} networks are too many; this page compares {MOST_NETWORKS} at most")
        found = [made for text in listed if isinstance(made := NetworkRequest(network=text).found(limits), Network)]
        if self.processors:
            degree = read_span(self.degree, "degree") if self.degree else None
            # One more than are taken is enough to refuse them.
            found += islice(proposed(read_span(self.processors, "processors"), degree), MOST_NETWORKS + 1)
        elif self.degree:
            raise InputError("a degree goes with a number of processors; give both, or name networks")
        if not found:
            raise InputError("no network was named; name some, or give a number of processors")
        if len(found) > MOST_NETWORKS:
            raise InputError(f"these are too many networks; this page compares {MOST_NETWORKS} at most")
        deliveries = sum(
            Problem(network, name, self.rules(network)).num_deliveries for network in found for name in self.names()
        )
        if deliveries > limits.messages:
            raise InputError(
                f"the searches need {deliveries:,} deliveries in all; this page takes {limits.messages:,} at most; "
                "the command line takes more"
            )
        limits.refuse_time(self.seconds)
        return found

    def as_object(self) -> dict[str, Any]:
        """Return all fields, to be stored or sent; ComparisonRequest(**object) restores it."""
        return asdict(self)


def compared(
    request: ComparisonRequest, limits: ServerLimits, publish: Callable[[dict[str, Any]], None]
) -> dict[str, Any]:
    """Compare networks, and return the table, its legend, the picture and all figures."""
    from pavane.campaign.network_comparison import compare
    from pavane.campaign.network_comparison.tables import as_object, comparison_table, legend
    from pavane.ui.plot.figures import figure_bytes

    def report(now: Progress) -> None:
        publish({"done": now.done, "total": now.total, "proven": now.outcomes.get("proven", 0), "last": now.activity})

    costs, sizes = request.costs()
    found = compare(
        request.within(limits),
        request.names(),
        request.rules,
        SearchOptions(request.seed, request.seconds, on_progress=report),
        costs=costs,
        message_bytes=sizes,
    )
    best, table = set(map(id, found.pareto())), comparison_table(found)
    return {
        "table": [table.titles, *table.cells()],
        "best": [id(row) in best for row in found.rows],
        "legend": legend(found),
        "picture": figure_bytes(found.plot(), "svg").decode(),
        "figures": as_object(found),
        "interrupted": found.interrupted,
    }
