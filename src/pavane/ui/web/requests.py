"""Requests of the page, and the networks and problems that they describe.

No file of this machine is opened: a network is of the catalogue, or its file comes along as text.
"""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path
from typing import Any

from pydantic import ConfigDict, Field
from pydantic.dataclasses import dataclass

from pavane.errors import InputError, reworded
from pavane.io import parse_network_or_problem
from pavane.io.request import Request, num_nodes, refuse_nodes, refuse_times, without_faults
from pavane.model.network import Network
from pavane.model.problem import Problem
from pavane.networks import network as of_catalogue
from pavane.networks.limits import no_more_than
from pavane.search.tables import has_table

FORBID = ConfigDict(extra="forbid")

MOST_BYTES = 4_000_000
"""Maximum size of a file; in the JSON of a request its text takes up to twice as much."""
MOST_CHANNELS = 100_000
"""Maximum number of channels of a network of the catalogue; larger ones are refused before they are built."""
MOST_DELIVERIES = 300_000
"""Maximum number of arrivals of a schedule that is written out; above it a table is made, where there is one."""

WORDS = {
    **{field.name: field.name.replace("_", " ") for field in fields(Request)},
    "wrap": "wrap",
    "pavane.networks.FAMILIES": "the catalogue",
    "pavane.solvers.SOLVERS": "the list of methods",
}
"""The words of the page for names in backticks."""

FIELDS = re.compile(
    r"\b(switching|switches|ports|duplex|routing|router[ _]delay|link[ _]delay|packet[ _]slots|wrap|multicast|"
    r"combining|root|senders|receivers|pairs|pieces|sizes|faults|method)\b"
)
"""Fields of the form that an error may name."""


def in_words_of_the_page(text: str) -> str:
    """Return an error or a note in the words of the page."""
    return reworded(text, WORDS)


def field_of(text: str) -> str | None:
    """Return the field of the form that an error names first."""
    found = FIELDS.search(text)
    return found and {"wrap": "no_wrap"}.get(found[1], found[1].replace(" ", "_"))


@dataclass(frozen=True, config=FORBID)
class ScheduleRequest:
    """A schedule file to be judged."""

    file: str = Field(description="the text of a schedule file")
    name: str = Field(default="schedule.json", description="the file's name, for error lines", max_length=200)


@dataclass(frozen=True, config=FORBID)
class NetworkRequest:
    """A network: a member of the catalogue, or the text of a file."""

    network: str = Field(default="", description="family:parameters, for example kautz:3,2", max_length=200)
    file: str | None = Field(default=None, description="the text of a network file, instead of a family")
    name: str = Field(default="network", description="the file's name, for error lines", max_length=200)
    form: str | None = Field(default=None, description="the format of the file, if it is not recognized", max_length=40)
    nodes: str | None = Field(default=None, description="how many machines of the file are joined", max_length=9)
    nic: str | None = Field(default=None, description="capacity of the NICs that join them, in links", max_length=9)

    def network_or_problem(self) -> Network | Problem:
        """Return the network of the catalogue or of the file, which may hold a whole problem."""
        if self.file is not None:
            shown = Path(self.name).name or "network"
            return parse_network_or_problem(self.file.encode(), shown, self.form, num_nodes(self.nodes), self.nic)
        name = self.network.strip()
        if not name:
            raise InputError("no network was named; choose one of the catalogue, or upload a file")
        refuse_nodes(name, self.nodes, self.nic)
        with no_more_than(MOST_CHANNELS):
            return of_catalogue(name)


@dataclass(frozen=True, config=FORBID)
class SearchRequest(NetworkRequest, Request):
    """What to synthesize: a problem in the words of the command line, and how to search."""

    collective: str | None = Field(default="aas", max_length=40)
    faults: str = Field(default="", description="faulty links, like A-B, C>D", max_length=20_000)
    method: str = Field(default="auto", max_length=60)
    steps: int | None = Field(default=None, ge=1)
    seed: int = Field(default=0, ge=0, lt=2**32)
    seconds: float = Field(default=10.0, gt=0, allow_inf_nan=False)

    def checked_problem(self) -> Problem:
        """Return the problem; refuse what is invalid or too large."""
        faults = [fault.strip() for fault in self.faults.split(",") if fault.strip()]
        found = self.network_or_problem()
        if isinstance(found, Problem):
            found = refuse_times(found, "this page")
            problem = Problem(without_faults(found.network, faults), found.collective, found.rules)
        else:
            given: dict[str, Any] = {field.name: getattr(self, field.name) for field in fields(Request)}
            problem = Request(**given).problem(without_faults(found, faults))
        if self.needs_table(problem) and (self.method != "auto" or not has_table(problem)):
            raise InputError(
                f"{problem.collective.kind} on {problem.network.name} needs {problem.num_deliveries:,} deliveries; "
                f"this page takes {MOST_DELIVERIES:,} at most; the command line takes more"
            )
        return problem

    def needs_table(self, problem: Problem) -> bool:
        """Return whether a schedule would be too large to be written out on this page."""
        return problem.num_deliveries > MOST_DELIVERIES
