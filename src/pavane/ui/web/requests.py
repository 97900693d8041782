"""A request as the page sends it, and the network or problem it means, within the limits of the page.

No file of the server is ever opened: a network is of the catalogue, or its file comes along as text.
"""

from __future__ import annotations

from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, Literal

from pydantic import ConfigDict, Field
from pydantic.dataclasses import dataclass

from pavane.errors import InputError, reworded
from pavane.io import parse_network_or_problem
from pavane.io.joint_request import in_groups, joint_problem_on
from pavane.io.request import Request, num_nodes, refuse_nodes, without_faults
from pavane.model.joint import JointProblem
from pavane.model.links import PICOSECONDS, Links
from pavane.model.network import Network
from pavane.model.problem import Problem
from pavane.model.timed import TimedProblem
from pavane.networks import network as of_catalogue
from pavane.networks.limits import no_more_than
from pavane.search.tables import has_table
from pavane.timing import read_per_byte, read_size, read_time
from pavane.ui.web.limits import ServerLimits

FORBID = ConfigDict(extra="forbid")

WORDS = {
    **{field.name: field.name.replace("_", " ") for field in fields(Request)},
    "wrap": "untick wrap",
    "method": "method",
    "settings": "settings",
    "groups": "groups",
    "collectives": "and also",
    "pavane.networks.FAMILIES": "the catalogue",
    "pavane.solvers.SOLVERS": "the list of methods",
}
"""The words of the page for names in backticks."""


def in_words_of_the_page(text: str) -> str:
    """Return an error in the words of the page."""
    return reworded(text, WORDS)


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

    def found(self, limits: ServerLimits) -> Network | Problem:
        """Return the network of the catalogue or of the uploaded file, which may hold a whole problem."""
        if self.file is None:
            if not self.network.strip():
                raise InputError("no network was named; choose one of the catalogue, or upload a file")
            refuse_nodes(self.network.strip(), self.nodes or None, self.nic or None)
            with no_more_than(limits.channels):
                return of_catalogue(self.network.strip())
        shown, size = Path(self.name).name or "network", len(self.file.encode())
        if size > limits.upload:
            raise InputError(f"{shown}: {size:,} bytes are too many; at most {limits.upload:,} are read")
        nodes = num_nodes(self.nodes or None)
        return parse_network_or_problem(self.file.encode(), shown, self.form, nodes, self.nic or None)


@dataclass(frozen=True, config=FORBID)
class JobRequest(NetworkRequest, Request):
    """What to synthesize: a problem in the words of the command line, and how to search."""

    collective: str | None = Field(default="aas", max_length=40)
    faults: list[str] = Field(default_factory=list, description="faulty links, A-B or A>B", max_length=1_000)
    method: str = Field(default="auto", max_length=60)
    settings: list[str] = Field(default_factory=list, max_length=50)
    schedule_form: str = Field(default="", description="table: one router's table, which all do", max_length=9)
    message_bytes: str = Field(default="", description="start times: the size of a message, like 1MiB", max_length=40)
    latency: str = Field(default="", description="start times: the latency of channels, like 0.7us", max_length=40)
    bandwidth: str = Field(default="", description="start times: the bandwidth, like 25GB/s", max_length=40)
    overhead: str = Field(default="", description="start times: what holds a channel beside bytes", max_length=40)
    groups: str = Field(default="", description="the collective in each: rows, every:8, 0-7,8-15", max_length=4_000)
    collectives: list[str] = Field(default_factory=list, description="more at once: KIND:MEMBERS each", max_length=200)
    goal: Literal["", "makespan", "sum"] = Field(default="", description="of several at once; fewest steps by default")
    steps: int | None = Field(default=None, ge=1)
    seed: int = Field(default=0, ge=0, lt=2**32)
    seconds: float | None = Field(default=None, gt=0, allow_inf_nan=False)

    def within(self, limits: ServerLimits) -> Problem:
        """Return the problem; refuse what is invalid or too large."""
        found = self._left(limits)
        problem = found if isinstance(found, Problem) else self._request().problem(found)
        if self.schedule_form not in ("", "table"):
            raise InputError(f"form {self.schedule_form!r} is not known; choose table, or leave it out")
        if self.schedule_form and self.method != "auto":
            raise InputError(f"method {self.method!r:.60} makes no tables; choose auto, or another form")
        if problem.num_deliveries > limits.messages and (
            self.method != "auto" or self.is_timed or not has_table(problem)
        ):
            raise InputError(
                f"{problem.collective.kind} on {problem.network.name} needs {problem.num_deliveries:,} deliveries; "
                f"this page takes {limits.messages:,} at most; the command line takes more"
            )
        if self.is_timed:
            self.timed(problem)
        elif self.latency or self.bandwidth or self.overhead:
            raise InputError("start times need the size of a message; give bytes, for example 1MiB")
        limits.refuse_time(self.seconds)
        return problem

    @property
    def is_joint(self) -> bool:
        """Whether several collectives run at once."""
        return bool(self.groups.strip() or self.collectives)

    def joint(self, limits: ServerLimits) -> JointProblem:
        """Return the problem of several collectives: the chosen one, in each group, and more; refuse as `within`."""
        if self.method != "auto" or self.schedule_form or self.is_timed or self.settings:
            raise InputError("groups go without a method, settings, a form and start times; leave these out")
        first, groups = self.collective or "aas", self.groups.strip()
        texts = in_groups(first, groups) if groups else [(f"`collective` {first}", first)]
        texts += [(f"`collectives` {text}", text) for text in self.collectives]
        problem = joint_problem_on(self._left(limits), self._request(), texts)
        deliveries = sum(part.num_deliveries for part in problem.parts)
        if deliveries > limits.messages:
            raise InputError(
                f"{problem.kinds_text} on {problem.network.name} need {deliveries:,} deliveries; "
                f"this page takes {limits.messages:,} at most; the command line takes more"
            )
        limits.refuse_time(self.seconds)
        return problem

    @property
    def is_timed(self) -> bool:
        """Whether transfers are to have start times."""
        return bool(self.message_bytes)

    def timed(self, problem: Problem) -> TimedProblem:
        """Return the problem with links and sizes; a file's own latencies and bandwidths come first."""
        if self.method != "auto" or self.schedule_form or self.steps is not None:
            raise InputError("start times go without a method, a form and a number of steps; leave these out")
        speeds = problem.network.speeds
        if not self.bandwidth and (speeds is None or speeds.bandwidths is None):
            raise InputError("start times need the bandwidth of channels; give one, for example 25GB/s")
        links = Links.of_network(
            problem.network,
            latency_ps=round(read_time(self.latency, "latency") * PICOSECONDS) if self.latency else 0,
            overhead_ps=round(read_time(self.overhead, "overhead") * PICOSECONDS) if self.overhead else 0,
            bytes_per_second=round(1 / read_per_byte(self.bandwidth, "bandwidth")) if self.bandwidth else None,
        )
        return TimedProblem(problem, links, read_size(self.message_bytes, "bytes"))

    def needs_table(self, problem: Problem, limits: ServerLimits) -> bool:
        """Return whether the schedule is to be a table: requested, or too large to be written out on this page."""
        return self.schedule_form == "table" or problem.num_deliveries > limits.messages

    def _left(self, limits: ServerLimits) -> Network | Problem:
        """Return what faults leave of the network."""
        found = self.found(limits)
        if isinstance(found, Network):
            return without_faults(found, self.faults)
        return Problem(without_faults(found.network, self.faults), found.collective, found.rules)

    def _request(self) -> Request:
        """Return what describes the problem; an empty text says nothing."""
        given: dict[str, Any] = {each.name: getattr(self, each.name) or each.default for each in fields(Request)}
        return Request(**given)

    def as_object(self) -> dict[str, Any]:
        """Return all fields, to be stored or sent; JobRequest(**object) restores the request."""
        return asdict(self)
