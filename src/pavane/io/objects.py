"""The JSON objects of network, problem and schedule files, as types: what is missing, wrong or unknown is refused."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Annotated, Any, Literal, TypeVar

import msgspec
import numpy as np
from msgspec.structs import asdict

from pavane.errors import InputError, with_short_words
from pavane.io.capacities import fraction_of, in_whole_numbers
from pavane.io.parsing import shown
from pavane.model.bound import OBJECTIVES, Bound
from pavane.model.channel_speeds import COLUMN_KEYS, ChannelSpeeds
from pavane.model.collectives import in_pieces, named
from pavane.model.links import Links
from pavane.model.messages import Collective
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import network as network_of
from pavane.networks.named_grids import with_named_grid

NETWORK_FORMAT = "pavane/network/1"

FRACTION = re.compile(r"[0-9]{1,18}(/[1-9][0-9]{0,17})?")
"""How files write what is not whole: 7/6."""

T = TypeVar("T")


class NetworkObject(msgspec.Struct, forbid_unknown_fields=True):
    """A network inside a problem."""

    name: str
    routers: list[str]
    channels: list[tuple[int, int]]
    processors: list[int]
    positions: list[tuple[float, float]] | None = None
    capacities: list[int | float | str] | None = None
    latency_ps: list[int] | None = None
    overhead_ps: list[int] | None = None
    bytes_per_second: list[int] | None = None
    gpus: bool = False
    boxes: list[int] | None = None

    def network(self) -> Network:
        """Return the network that it describes, marked if it is a machine of GPUs."""
        about = self.name, self.routers, self.channels, self.processors, self.positions
        network = with_named_grid(
            Network(*about, capacities=self._capacities(), speeds=self._speeds(), boxes=self.boxes)
        )
        return network.of_gpus() if self.gpus else network

    def _capacities(self) -> list[int] | None:
        """Return the capacities in whole numbers; fractions are multiplied by their common denominator, with a note."""
        if self.capacities is None:
            return None
        numbers = [each if isinstance(each, int) else fraction_of(str(each)) for each in self.capacities]
        for channel in (channel for channel, number in enumerate(numbers) if number is None):
            raise InputError(
                f"network {self.name}: channel {channel} has capacity {shown(self.capacities[channel])}; give a number "
                'like 2, 0.5 or "1/3"'
            )
        return in_whole_numbers(f"network {self.name}", [number for number in numbers if number is not None])

    def _speeds(self) -> ChannelSpeeds | None:
        """Return what it says of latencies, overheads and bandwidths."""
        columns = [getattr(self, key) for key in COLUMN_KEYS]
        try:
            known = [None if column is None else np.array(column, dtype=np.int64) for column in columns]
        except OverflowError:
            raise InputError(f"network {self.name}: a latency, overhead or bandwidth is too large") from None
        return None if all(column is None for column in known) else ChannelSpeeds(*known)


class NetworkFile(NetworkObject, forbid_unknown_fields=True, kw_only=True):
    """A network file."""

    format: Literal["pavane/network/1"]


class CollectiveObject(msgspec.Struct, forbid_unknown_fields=True):
    """A collective inside a problem."""

    kind: str
    senders: tuple[int, ...] = ()
    receivers: tuple[int, ...] = ()
    pairs: tuple[tuple[int, int], ...] = ()
    pieces: int = 1
    sizes: tuple[tuple[int, ...], ...] = ()

    def collective(self, network: Network) -> Collective:
        """Return the collective that it describes; one without members is that of all processors."""
        if self == CollectiveObject(self.kind, pieces=self.pieces):
            return in_pieces(named(self.kind, network), self.pieces)
        return Collective(**asdict(self))


class RulesObject(msgspec.Struct, forbid_unknown_fields=True):
    """The rules inside a problem; Rules itself refuses unknown values."""

    switching: str = "wormhole"
    ports: Annotated[int, msgspec.Meta(lt=2**31)] | str = "all"
    duplex: str = "full"
    routing: str = "minimal"
    combining: bool = False
    switches: str = "hold"
    multicast: bool = False
    router_delay: int = 1
    link_delay: int = 0
    packet_slots: int = 1
    wrap: bool = True


class ProblemObject(msgspec.Struct, forbid_unknown_fields=True):
    """A problem: a file of its own, or part of a schedule file; of one collective, or of several at once."""

    network: str | NetworkObject
    """A network, or the text of one of the catalogue."""
    collective: CollectiveObject | None = None
    collectives: list[CollectiveObject] | None = None
    rules: RulesObject = msgspec.field(default_factory=RulesObject)
    bytes: int | None = None
    """With start times, the size of a message; the network then has bandwidths."""

    def __post_init__(self) -> None:
        if (self.collective is None) == (self.collectives is None):
            raise ValueError("a problem has `collective`, or of several `collectives`")

    def problem(self) -> Problem:
        """Return the problem that it describes."""
        network = network_of(self.network) if isinstance(self.network, str) else self.network.network()
        objects = [self.collective] if self.collective is not None else self.collectives or []
        collectives = [one.collective(network) for one in objects]
        links = None if self.bytes is None else Links.of_network(network)
        return Problem(network, collectives, Rules(**asdict(self.rules)), links=links, num_bytes=self.bytes)


class TransferObject(msgspec.Struct, forbid_unknown_fields=True, gc=False, rename={"sender": "from", "receiver": "to"}):
    """A transfer inside a step."""

    sender: int | str
    receiver: int | str
    route: list[int]
    carries: list[list[int]]


class TimedTransferObject(TransferObject, forbid_unknown_fields=True, gc=False, kw_only=True):
    """A transfer with its start, and the transfers whose data a partial sum contains."""

    start: int
    inputs: list[int] = msgspec.field(default_factory=list)


def location_name(location: int) -> int | str:
    """Return how files call a location: the number of a processor, or a pure switch like `r5`."""
    return location if location >= 0 else f"r{~location}"


def location_number(end: int | str, where: str) -> int:
    """Return the location that a file calls by a number, or by a name like `r5`."""
    if isinstance(end, int):
        if end < 0:
            raise InputError(f"{where}: there is no processor {end}; processors count from 0")
        return end
    if end[:1] == "r" and end[1:].isdecimal() and end[1:].isascii() and len(end) < 12:
        return ~int(end[1:])
    raise InputError(f"{where}: {end!r} is neither a processor, like 5, nor a pure switch, like r5")


def refuse_unprintable(text: str, key: str) -> None:
    """Refuse words of a file that reports repeat, where they could end their line; msgspec says where they stand."""
    if not text.isprintable():
        raise ValueError(f"`{key}` is {text!r:.60}, which is not printable; write it in plain words")


class BoundObject(msgspec.Struct, forbid_unknown_fields=True):
    """A bound inside a schedule file: on the steps, under combining on the TCO, or with start times on the end."""

    argument: str
    steps: int | None = None
    tco: int | None = None
    finish: int | None = None
    start_ups: int | None = None
    """The number of start-ups for which a bound on the TCO holds; for any number unless given."""
    certificate: dict[str, Any] = msgspec.field(default_factory=dict)
    exact: str | None = None

    def __post_init__(self) -> None:
        refuse_unprintable(self.argument, "argument")
        if [self.steps, self.tco, self.finish].count(None) != 2:
            raise ValueError("a bound has one of `steps`, `tco` and `finish`")
        if self.start_ups is not None and self.tco is None:
            raise ValueError("`start_ups` goes with `tco`")
        if self.exact is not None and not FRACTION.fullmatch(self.exact):
            raise ValueError(f"`exact` is {self.exact!r:.60}, where a fraction was expected, like 7/6")

    def bound(self) -> Bound:
        """Return the bound that it claims."""
        exact = None if self.exact is None else Fraction(self.exact)
        objective = next(name for name in OBJECTIVES if getattr(self, name) is not None)
        return Bound(getattr(self, objective), self.argument, self.certificate, exact, objective, self.start_ups)


class ProvenanceObject(msgspec.Struct, forbid_unknown_fields=True):
    """Where a schedule came from, inside a schedule file."""

    solver: str = "unknown"
    seed: int = 0
    seconds: float = 0.0
    version: str = ""

    def __post_init__(self) -> None:
        refuse_unprintable(self.solver, "solver")
        refuse_unprintable(self.version, "version")


class ScheduleFile(msgspec.Struct, forbid_unknown_fields=True):
    """A schedule file, its steps still as text: they are read one at a time."""

    format: Literal["pavane/schedule/1"]
    problem: ProblemObject
    steps: list[msgspec.Raw] | None = None
    transfers: list[TimedTransferObject] | None = None
    """With start times, in place of the steps."""
    finish: int | None = None
    bounds: list[BoundObject] = msgspec.field(default_factory=list)
    provenance: ProvenanceObject = msgspec.field(default_factory=ProvenanceObject)

    def __post_init__(self) -> None:
        if self.problem.bytes is None:
            if self.steps is None or self.transfers is not None or self.finish is not None:
                raise ValueError("a schedule without `bytes` has `steps`, and neither `transfers` nor `finish`")
        elif self.steps is not None or self.transfers is None or self.finish is None:
            raise ValueError("a schedule with `bytes` has `transfers` and `finish`, and no `steps`")


def decode(text: memoryview | msgspec.Raw, kind: type[T], where: object) -> T:
    """Decode JSON as an object of a type; an error gives the reason in one line."""
    try:
        return msgspec.json.decode(text, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        reason = str(error).splitlines()[0]
        if not reason.startswith("JSON"):
            reason = reason[:1].lower() + reason[1:]
        raise InputError(f"{where}: not what was expected there: {with_short_words(reason)}") from None
    except RecursionError:
        raise InputError(f"{where}: the JSON is nested too deeply") from None
