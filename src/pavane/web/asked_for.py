"""A request as the page sends it, and the problem it means."""

from __future__ import annotations

import tempfile
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from pavane.errors import InputError
from pavane.formats.request import network_from, problem_from, without_faults
from pavane.model.network import Network
from pavane.model.problem import Problem
from pavane.web.limits import Limits


class NetworkAsked(BaseModel):
    """A network: a member of the catalogue, or the text of a file."""

    model_config = ConfigDict(extra="forbid")

    network: str = Field("", description="family:parameters, for example kautz:3,2", max_length=200)
    file: str | None = Field(None, description="the text of a network file, instead of a family")
    name: str = Field("network", description="the file's name, for error lines", max_length=200)


class JobAsked(NetworkAsked):
    """What to synthesize, in the words of the command line."""

    collective: str = Field("aas", max_length=40)
    switching: str = "wormhole"
    ports: str = Field("all", max_length=10)
    duplex: str = "full"
    routing: str = "minimal"
    combining: bool = False
    root: str | None = Field(None, max_length=20)
    senders: str | None = Field(None, max_length=20_000)
    receivers: str | None = Field(None, max_length=20_000)
    pairs: str | None = Field(None, max_length=200_000)
    faults: list[str] = Field(default_factory=list, max_length=1_000)
    method: str = Field("auto", max_length=60)
    settings: list[str] = Field(default_factory=list, max_length=50)
    steps: int | None = Field(None, ge=1)
    seed: int = Field(0, ge=0, lt=2**32)
    seconds: float | None = Field(None, gt=0)


def network_asked(asked: NetworkAsked, limits: Limits) -> Network | Problem:
    """Return the network that a request names or brings along; no file of the server is ever opened."""
    if asked.file is None:
        family = asked.network.strip()
        if not family:
            raise InputError("no network was named; choose one of the catalogue, or bring a file")
        from pavane.networks import network

        return network(family)
    size = len(asked.file.encode())
    if size > limits.upload:
        raise InputError(f"{_shown(asked)}: {size:,} bytes are too many; at most {limits.upload:,} are read")
    with tempfile.TemporaryDirectory(prefix="pavane-") as folder:
        # The reader tells formats by the name's ending as well, so that much of it is kept.
        ending = "".join(c for c in Path(asked.name).suffix if c.isalnum() or c == ".")[:12]
        path = Path(folder) / f"network{ending}"
        path.write_text(asked.file, encoding="utf-8")
        try:
            return network_from(str(path))
        except InputError as error:
            raise InputError(str(error).replace(str(path), _shown(asked))) from None


def _shown(asked: NetworkAsked) -> str:
    return Path(asked.name).name or "network"


def problem_asked(asked: JobAsked, limits: Limits) -> Problem:
    """Return the problem of a request; what is wrong or too large is said in one line."""
    found = network_asked(asked, limits)
    if isinstance(found, Problem):
        problem = Problem(without_faults(found.network, asked.faults), found.collective, found.rules)
    else:
        problem = problem_from(
            found,
            asked.collective,
            switching=asked.switching,
            ports=asked.ports,
            duplex=asked.duplex,
            routing=asked.routing,
            combining=asked.combining,
            root=asked.root or None,
            senders=asked.senders or None,
            receivers=asked.receivers or None,
            pairs=asked.pairs or None,
            fault=asked.faults,
        )
    if problem.num_deliveries > limits.messages:
        raise InputError(
            f"{problem.collective.kind} on {problem.network.name} asks for {problem.num_deliveries:,} deliveries; "
            f"this page takes {limits.messages:,} at most; the command line takes more"
        )
    if asked.seconds is not None and asked.seconds > limits.seconds:
        raise InputError(f"{asked.seconds:g} s are too long; this page searches {limits.seconds:g} s at most")
    return problem
