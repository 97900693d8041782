"""A problem: a network, a collective on it, and the rules that transfers obey.

A collective is a set of messages. Three patterns cover every kind:

* private: a message has one origin and one target, labelled (origin, target) -- OAS AAS MNS AOG PAIRS;
* broadcast: a message has one origin and all receivers as targets, labelled (origin,) -- OAB AAB MNB;
* reduction: the partial results for one target, to which every sender contributes, labelled (target,) -- AOR AAR.

Messages are numbered in the order of their labels. Ports are channels: each processor injects and ejects at most as
many transfers in a step as it has ports.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from pavane.errors import InputError
from pavane.model.arrays import Ints, Longs
from pavane.model.network import Network
from pavane.model.routing import RESTRICTED, Restriction
from pavane.words import counted

Pattern = Literal["private", "broadcast", "reduction"]
Switching = Literal["wormhole", "store-and-forward"]
Duplex = Literal["full", "half"]
Routing = Literal["minimal", "any", "dimension-order", "west-first", "north-last"]

PATTERN_OF: dict[str, Pattern] = {
    "OAB": "broadcast",
    "OAS": "private",
    "AAB": "broadcast",
    "AAS": "private",
    "MNB": "broadcast",
    "MNS": "private",
    "AOG": "private",
    "AOR": "reduction",
    "AAR": "reduction",
    "PAIRS": "private",
}

MOST_MESSAGES = 50_000_000


@dataclass(frozen=True)
class Rules:
    """How transfers may use the network."""

    switching: Switching = "wormhole"
    ports: int | Literal["all"] = "all"
    """Transfers a processor may send, and receive, in one step; all: as many as its router has channels."""
    duplex: Duplex = "full"
    routing: Routing = "minimal"
    combining: bool = False

    def __post_init__(self) -> None:
        for value, choices, what in (
            (self.switching, get_args(Switching), "switching"),
            (self.duplex, get_args(Duplex), "duplex"),
            (self.routing, get_args(Routing), "routing"),
        ):
            if value not in choices:
                raise InputError(f"{what} {value!r} is not known; choose {' or '.join(choices)}")
        if self.ports != "all" and (isinstance(self.ports, bool) or not isinstance(self.ports, int)):
            raise InputError(f"ports {self.ports!r} is no number; give all, or 1 or more")
        if self.ports != "all" and self.ports < 1:
            raise InputError(f"ports {self.ports}: a processor needs at least one port; give all, or 1 or more")
        if self.ports != "all" and self.ports >= 2**31:
            raise InputError(
                f"ports {self.ports}: no processor has that many; give all, or a number that a router could have"
            )
        if not isinstance(self.combining, bool):
            raise InputError(f"combining {self.combining!r} is neither true nor false")

    def to_dict(self) -> dict[str, Any]:
        """Return the rules as the schedule file's `rules` object."""
        return {
            "switching": self.switching,
            "ports": self.ports,
            "duplex": self.duplex,
            "routing": self.routing,
            "combining": self.combining,
        }

    def __str__(self) -> str:
        ports = "all-port" if self.ports == "all" else f"{self.ports}-port"
        combining = "combining" if self.combining else "no combining"
        return f"{self.switching}, {ports}, {self.duplex} duplex, {self.routing} routing, {combining}"


@dataclass(frozen=True)
class Collective:
    """What is to be communicated: a kind, and the processors that send and receive (makers in `collectives`)."""

    kind: str
    senders: tuple[int, ...] = ()
    receivers: tuple[int, ...] = ()
    pairs: tuple[tuple[int, int], ...] = ()
    """The messages of kind PAIRS, which has no other senders and receivers."""

    def __post_init__(self) -> None:
        if self.kind not in PATTERN_OF:
            raise InputError(f"collective kind {self.kind!r} is not known; choose one of {' '.join(PATTERN_OF)}")
        if self.kind == "PAIRS":
            if self.senders or self.receivers:
                raise InputError("PAIRS takes pairs only; its senders and receivers follow from them")
            _no_doubles(self.pairs, "PAIRS: the pair {} is listed twice; list it once")
            for pair in self.pairs:
                if pair[0] == pair[1]:
                    raise InputError(f"PAIRS: processor {pair[0]} would send to itself; leave that pair out")
        elif self.pairs:
            raise InputError(f"{self.kind} takes senders and receivers; pairs belong to PAIRS")
        for values, what in ((self.senders, "sender"), (self.receivers, "receiver")):
            _no_doubles(values, f"{self.kind}: {what} {{}} is listed twice; list it once")
        alone = {"OAB": self.senders, "OAS": self.senders, "AOG": self.receivers, "AOR": self.receivers}
        if self.kind in alone and len(alone[self.kind]) != 1:
            side = "sender" if self.kind in ("OAB", "OAS") else "receiver"
            raise InputError(f"{self.kind} has exactly one {side}, its root; {len(alone[self.kind])} were given")

    @property
    def pattern(self) -> Pattern:
        """Return what its messages are: private, broadcast or reduction."""
        return PATTERN_OF[self.kind]

    def __str__(self) -> str:
        if self.kind == "PAIRS":
            return "PAIRS"
        if self.kind in ("OAB", "OAS"):
            return f"{self.kind} from processor {self.senders[0]} to {counted(len(self.receivers), 'receiver')}"
        if self.kind in ("AOG", "AOR"):
            return f"{self.kind} from {counted(len(self.senders), 'sender')} to processor {self.receivers[0]}"
        ends = counted(len(self.senders), "sender"), counted(len(self.receivers), "receiver")
        return f"{self.kind} from {ends[0]} to {ends[1]}"


@dataclass(frozen=True)
class Problem:
    """A network, a collective and the rules; refuses a collective that the network cannot carry out."""

    network: Network
    collective: Collective
    rules: Rules = Rules()

    def __post_init__(self) -> None:
        self._check_members()
        self._check_ways()
        self._check_turns()

    def _check_members(self) -> None:
        collective, network = self.collective, self.network
        ends = [end for pair in collective.pairs for end in pair]
        for members, what in (
            (collective.senders, "sender"),
            (collective.receivers, "receiver"),
            (ends, "end of a pair"),
        ):
            for member in members:
                if not 0 <= member < network.num_processors:
                    raise InputError(
                        f"{collective.kind}: {what} {member} is out of range; "
                        f"{network.name} has processors 0 to {network.num_processors - 1}"
                    )
        size = len(collective.senders) * (len(collective.receivers) if self.pattern == "private" else 1)
        if size > MOST_MESSAGES:
            raise InputError(
                f"{collective.kind} on {network.name} has about {size:,} messages; at most {MOST_MESSAGES:,} fit"
            )
        if not self.num_messages or not self.num_deliveries:
            raise InputError(
                f"{collective.kind} on {network.name} has nothing to send; name at least one sender "
                "and one other receiver"
            )

    def _check_ways(self) -> None:
        """Refuse members without ports and members that cannot reach each other."""
        network = self.network
        for sources, targets in self._ways():
            for capacity, members in ((self.injection, sources), (self.ejection, targets)):
                for member in members[capacity[members] < 1].tolist():
                    raise InputError(
                        f"processor {member} has no port, because router "
                        f"{network.routers[network.router_of[member]]} has no channel for it; "
                        "give a number of ports (`ports=1`)"
                    )
            starts, ends = np.unique(network.router_of[sources]), network.router_of[targets]
            # To one target it is quicker to look backwards, once.
            alone = len(targets) == 1
            rows = network.distances_to(int(ends[0]))[starts][:, None] if alone else network.distance_rows(starts)
            for row, ways in enumerate(rows):
                lost = targets[(ways if alone else ways[ends]) < 0]
                if len(lost):
                    source = int(starts[row])
                    sender = int(sources[network.router_of[sources] == source][0])
                    raise InputError(
                        f"processor {lost[0]} (router {network.routers[network.router_of[lost[0]]]}) cannot be "
                        f"reached from processor {sender} (router {network.routers[source]}) on {network.name}; "
                        "add a channel or leave that processor out"
                    )

    def _check_turns(self) -> None:
        """Refuse members that no admissible paths join under restricted routing."""
        network, restriction = self.network, self.restriction
        if restriction is None or restriction.is_whole:
            return
        if self.pattern == "private" and not self.rules.combining:
            homes, rows = np.unique(network.router_of[self.labels[:, 0]], return_inverse=True)
            lost = self.labels[~restriction.reached(homes)[rows, network.router_of[self.labels[:, 1]]]]
            how = "in one transfer"
        elif all(network.processors_on):
            return  # hop by hop every path is admissible
        else:
            # Relays take turns that paths must not, but rest at processors only.
            homes = np.unique(network.router_of)
            joined = restriction.reached(homes)[:, homes]
            for _ in range(len(homes).bit_length()):
                joined = (joined.astype(np.float32) @ joined.astype(np.float32)) > 0
            row_of = np.searchsorted(homes, network.router_of)
            lost = np.array(
                [
                    (source, target)
                    for sources, targets in self._ways()
                    for source in sources.tolist()
                    for target in targets[~joined[row_of[source], row_of[targets]]].tolist()
                ]
            )
            how = "over relays"
        if len(lost):
            source, target = lost[0].tolist()
            raise InputError(
                f"processor {target} cannot be reached from processor {source} {how} by {self.rules.routing} routing "
                f"on {network.name}, because of its faults; choose minimal routing or leave that pair out"
            )

    def _ways(self) -> Iterator[tuple[Ints, Ints]]:
        """Yield sets of sources and targets such that every source must reach every target but itself."""
        collective = self.collective
        if collective.kind == "PAIRS":
            by_origin: dict[int, list[int]] = {}
            for source, target in collective.pairs:
                by_origin.setdefault(source, []).append(target)
            for source, targets in by_origin.items():
                yield np.array([source], dtype=np.int32), np.array(targets, dtype=np.int32)
        else:
            senders = np.array(collective.senders, dtype=np.int32)
            receivers = np.array(collective.receivers, dtype=np.int32)
            if np.array_equal(senders, receivers):
                # To and from one of them is enough, and quick on large networks.
                yield senders[:1], receivers[1:]
                yield senders[1:], receivers[:1]
            else:
                if len(senders) == 1:
                    receivers = receivers[receivers != senders[0]]
                if len(receivers) == 1:
                    senders = senders[senders != receivers[0]]
                yield senders, receivers

    @cached_property
    def restriction(self) -> Restriction | None:
        """The routing restriction on the paths of transfers; None where there is none.

        Under store-and-forward a path has one channel, and no order is broken.
        """
        if self.rules.routing not in RESTRICTED:
            return None
        restriction = Restriction.of(self.network, self.rules.routing)
        return restriction if self.rules.switching == "wormhole" else None

    # -- messages

    @property
    def pattern(self) -> Pattern:
        """Return what its messages are: private, broadcast or reduction."""
        return self.collective.pattern

    @cached_property
    def labels(self) -> Ints:
        """One row per message, as a schedule file writes it: origin and target, or origin, or target."""
        collective = self.collective
        if self.pattern == "broadcast":
            targets = set(collective.receivers)
            labels = np.array([[s] for s in sorted(collective.senders) if targets - {s}], dtype=np.int32)
        elif self.pattern == "reduction":
            origins = set(collective.senders)
            labels = np.array([[r] for r in sorted(collective.receivers) if origins - {r}], dtype=np.int32)
        elif collective.kind == "PAIRS":
            labels = np.array(sorted(collective.pairs), dtype=np.int32)
        else:
            senders = np.array(sorted(collective.senders), dtype=np.int32)
            receivers = np.array(sorted(collective.receivers), dtype=np.int32)
            labels = np.column_stack((np.repeat(senders, len(receivers)), np.tile(receivers, len(senders))))
            labels = labels[labels[:, 0] != labels[:, 1]]
        labels = labels.reshape(-1, 2 if self.pattern == "private" else 1)
        labels.flags.writeable = False
        return labels

    @cached_property
    def num_messages(self) -> int:
        """The number of messages; for reductions, of targets. Millions of private ones are counted unlisted."""
        collective = self.collective
        if self.pattern != "private" or collective.kind == "PAIRS":
            return len(self.labels)
        alone = len(set(collective.senders) & set(collective.receivers))
        return len(collective.senders) * len(collective.receivers) - alone

    @cached_property
    def num_sent(self) -> Longs:
        """The number of private messages that each processor sends; counted, not listed."""
        return self._num_at(0, self.collective.senders, self.collective.receivers)

    @cached_property
    def num_received(self) -> Longs:
        """The number of private messages that each processor receives; counted, not listed."""
        return self._num_at(1, self.collective.receivers, self.collective.senders)

    def _num_at(self, side: int, members: tuple[int, ...], others: tuple[int, ...]) -> Longs:
        width = self.network.num_processors
        if self.collective.kind == "PAIRS":
            return np.bincount(self.labels[:, side], minlength=width)
        counts = np.zeros(width, dtype=np.int64)
        counts[list(members)] = len(others)
        counts[list(set(members) & set(others))] -= 1
        return counts

    @cached_property
    def num_deliveries(self) -> int:
        """The number of arrivals that the collective asks for."""
        if self.pattern == "private":
            return self.num_messages
        many = self.collective.receivers if self.pattern == "broadcast" else self.collective.senders
        return self.num_messages * len(many) - len(set(many) & set(self.labels[:, 0].tolist()))

    def message_numbers(self, labels: npt.NDArray[np.integer]) -> npt.NDArray[np.int64]:
        """Return the number of the message with each label, and -1 for labels of no message."""
        asked = np.asarray(labels, dtype=np.int64).reshape(-1, self.labels.shape[1])
        known = self.labels.astype(np.int64)
        width = self.network.num_processors
        inside = ((asked >= 0) & (asked < width)).all(axis=1)
        if asked.shape[1] == 2:
            asked, known = asked[:, 0] * width + asked[:, 1], known[:, 0] * width + known[:, 1]
        else:
            asked, known = asked[:, 0], known[:, 0]
        numbers = np.minimum(np.searchsorted(known, asked), len(known) - 1)
        return np.where(inside & (known[numbers] == asked), numbers, -1)

    # -- capacities

    @cached_property
    def injection(self) -> Ints:
        """The number of transfers each processor may send in one step."""
        return self._ports(self.network.out_degrees)

    @cached_property
    def ejection(self) -> Ints:
        """The number of transfers each processor may receive in one step."""
        return self._ports(self.network.in_degrees)

    def _ports(self, degrees: Ints) -> Ints:
        if self.rules.ports == "all":
            return degrees[self.network.router_of]
        return np.full(self.network.num_processors, self.rules.ports, dtype=np.int32)

    @cached_property
    def units(self) -> Ints:
        """The unit of capacity that each channel draws on: its own, or under half duplex its link's."""
        own = np.arange(self.network.num_channels, dtype=np.int32)
        if self.rules.duplex == "full":
            return own
        back = self.network.opposite
        return np.where((back >= 0) & (back < own), back, own).astype(np.int32)

    # -- values

    def to_dict(self) -> dict[str, Any]:
        """Return the problem as the schedule file's `problem` object."""
        network, collective = self.network, self.collective
        about: dict[str, Any] = {
            "name": network.name,
            "routers": list(network.routers),
            "channels": network.channels.tolist(),
            "processors": network.router_of.tolist(),
        }
        if network.positions is not None:
            about["positions"] = network.positions.tolist()
        members: dict[str, Any] = {"kind": collective.kind}
        if collective.kind == "PAIRS":
            members["pairs"] = [list(pair) for pair in collective.pairs]
        else:
            members |= {"senders": list(collective.senders), "receivers": list(collective.receivers)}
        return {
            "network": about,
            "collective": members,
            "rules": self.rules.to_dict(),
        }

    def digest(self) -> str:
        """Return the SHA-256 of the problem's canonical JSON: no drawing positions, members in order."""
        canonical = self.to_dict()
        canonical["network"].pop("positions", None)
        for members in ("senders", "receivers", "pairs"):
            canonical["collective"].get(members, []).sort()
        text = json.dumps(canonical, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    def __str__(self) -> str:
        return f"{self.collective} on {self.network.name} ({self.rules})"


def _no_doubles(values: tuple[Any, ...], text: str) -> None:
    if len(set(values)) == len(values):
        return
    seen: set[Any] = set()
    for value in values:
        if value in seen:
            raise InputError(text.format(value))
        seen.add(value)
