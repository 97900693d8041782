"""A problem: a network, one or more collectives on it at the same time, and the rules that transfers obey.

What travels is numbered in the order of its labels. Where messages have several pieces, each piece has a number of its
own: below a problem, a piece is what a message of one piece is, and both are called message. Ports are channels: each
processor injects and ejects at most as many transfers in a step as it has ports.

Of several collectives each is a problem of its own (`parts`), all in the same steps (`several.py`).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, Literal, Unpack, get_args

import numpy as np
import numpy.typing as npt

from pavane.errors import InputError, expect, expect_whole, shortened
from pavane.model.arrays import Flags, Ints, Longs
from pavane.model.channel_speeds import COLUMN_KEYS
from pavane.model.collectives import CollectiveMembers, named
from pavane.model.links import Links, LinkTiming
from pavane.model.messages import (
    MOST_MESSAGES,
    Collective,
    Pattern,
    keys_of,
    message_ends,
    message_pieces,
    piece_labels,
)
from pavane.model.network import Network, network_record
from pavane.model.routing import RESTRICTED, Restriction
from pavane.text import counted

Clock = Literal["step", "slot", "picosecond"]
Switching = Literal["wormhole", "store-and-forward", "tdm"]
Duplex = Literal["full", "half"]
Switches = Literal["hold", "pass", "copy"]
Routing = Literal["minimal", "any", "dimension-order", "west-first", "north-last"]

SLOT_FIELDS = ("router_delay", "link_delay", "packet_slots", "wrap")
"""The rules that only tdm has."""

MOST_BYTES = 2**60
"""The most bytes of a message."""

MOST_DELAY = 1_000_000
"""The most slots that a delay or a packet may have: times of slots stay far below 2**31."""


@dataclass(frozen=True, repr=False)
class Rules:
    """How transfers may use the network.

    Args:
        switching: `"wormhole"`, `"store-and-forward"`, or `"tdm"`: time-division multiplexing, where a step is a slot.
        ports: Transfers that a processor may send, and receive, in one step: a number, or `"all"`.
        duplex: `"full"`, or `"half"`: the two channels of a link share one capacity.
        routing: `"minimal"`, `"any"`, or on meshes and tori a restriction like `"dimension-order"`.
        combining: Whether one transfer may carry several messages.
        switches: What pure switches do: `"hold"` or `"pass"` messages under store-and-forward, or `"copy"`: pass them,
            to several channels at once, and add what meets there of one reduction.
        multicast: Whether routers with processors copy and add like switches that copy (wormhole only).
        router_delay: Under tdm, the slots that a packet takes through a router.
        link_delay: Under tdm, the slots that it takes along a channel beyond the one in which it enters it.
        packet_slots: Under tdm, the slots that a packet occupies each channel and port.
        wrap: Whether a tdm schedule repeats, so that a packet may end in the next period.

    Example:
        >>> rules = pavane.Rules(ports=1, duplex="half")
        >>> rules
        Rules(ports=1, duplex='half')
        >>> print(rules)
        wormhole, 1-port, half duplex, minimal routing, no combining
    """

    switching: Switching = "wormhole"
    ports: int | Literal["all"] = "all"
    """Transfers a processor may send, and receive, in one step; all: as many as its router has channels."""
    duplex: Duplex = "full"
    routing: Routing = "minimal"
    combining: bool = False
    switches: Switches = "hold"
    """What pure switches do: hold messages as processors do, pass them on at once, or pass on copies and sums."""
    multicast: bool = False
    router_delay: int = 1
    link_delay: int = 0
    packet_slots: int = 1
    wrap: bool = True

    def __post_init__(self) -> None:
        for name, choices in CHOICES.items():
            value = getattr(self, name)
            if not isinstance(value, str) or value not in choices:
                hint = "did you mean dimension-order? " if name == "routing" and value in ("xy", "xyz", "dor") else ""
                raise InputError(f"{name} {shortened(value)} is not known; {hint}choose {' or '.join(choices)}")
        for name in ("combining", "multicast", "wrap"):
            if not isinstance(getattr(self, name), bool):
                raise InputError(f"{name} {getattr(self, name)!r} is neither true nor false")
        if self.ports != "all" and (isinstance(self.ports, bool) or not isinstance(self.ports, int)):
            raise InputError(f"ports {self.ports!r} is not a number; give all, or 1 or more")
        if self.ports != "all" and self.ports < 1:
            raise InputError(f"ports {self.ports}: a processor needs at least one port; give all, or 1 or more")
        if self.ports != "all" and self.ports >= 2**31:
            raise InputError(
                f"ports {self.ports}: no processor has that many; give all, or a number that a router could have"
            )
        for name, least in (("router_delay", 1), ("link_delay", 0), ("packet_slots", 1)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= MOST_DELAY:
                words = name.replace("_", " ")
                raise InputError(f"{words} {shortened(value)}: expected {least} to {MOST_DELAY:,} slots")
        for clash, reason in INCOMPATIBLE:
            if clash(self):
                raise InputError(reason.format(self))
        for each in () if self.has_slots else fields(self):
            if each.name in SLOT_FIELDS and getattr(self, each.name) != each.default:
                name = "wrap=False" if each.name == "wrap" else each.name
                raise InputError(f"`{name}` goes with tdm, not with {self.switching}; choose `switching='tdm'`")

    @property
    def has_slots(self) -> bool:
        """Whether packets move through time slots without waiting (tdm)."""
        return self.switching == "tdm"

    @property
    def repeats(self) -> bool:
        """Whether a schedule is a table of slots that repeats."""
        return self.has_slots and self.wrap

    @property
    def step_word(self) -> Literal["step", "slot"]:
        """Return what a user reads for one step of a schedule: a slot under tdm, else a step."""
        return "slot" if self.has_slots else "step"

    @property
    def runs_whole_paths(self) -> bool:
        """Whether a transfer runs along a path of many channels through routers that hold nothing."""
        return self.switching != "store-and-forward"

    @property
    def hop_slots(self) -> int:
        """Return the slots from one channel of a path to the next (tdm)."""
        return self.router_delay + self.link_delay

    def flight(self, num_channels: Any) -> Any:
        """Return the slots from injection to ejection along a path of so many channels, or for an array of them."""
        return num_channels * self.hop_slots + self.router_delay

    def without_copies(self) -> Rules:
        """Return the rules of the same machine whose routers pass messages on, but neither copy nor add."""
        if self.switches != "copy" and not self.multicast:
            return self
        return replace(self, switches="hold" if self.switching == "wormhole" else "pass", multicast=False)

    def to_dict(self) -> dict[str, Any]:
        """Return the rules as the schedule file's `rules` object."""
        return {
            "switching": self.switching,
            "ports": self.ports,
            "duplex": self.duplex,
            "routing": self.routing,
            "combining": self.combining,
        } | {
            each.name: getattr(self, each.name)
            for each in fields(self)
            if each.name in ("switches", "multicast", *SLOT_FIELDS) and getattr(self, each.name) != each.default
        }

    def __repr__(self) -> str:
        said = {each.name: getattr(self, each.name) for each in fields(self)}
        changed = (f"{each.name}={said[each.name]!r}" for each in fields(self) if said[each.name] != each.default)
        return f"Rules({', '.join(changed)})"

    def __str__(self) -> str:
        ports = "all-port" if self.ports == "all" else f"{self.ports}-port"
        combining = "combining" if self.combining else "no combining"
        switches = "" if self.switches == "hold" else f", switches {self.switches}"
        switches += ", multicast" if self.multicast else ""
        if self.has_slots:
            values = {name: getattr(self, name) for name in SLOT_FIELDS}
            changed = {each.name for each in fields(self) if getattr(self, each.name) != each.default}
            texts = ["no wrap" if name == "wrap" else f"{name.replace('_', ' ')} {values[name]}" for name in values]
            switches = "".join(f", {text}" for name, text in zip(values, texts, strict=True) if name in changed)
        return f"{self.switching}{switches}, {ports}, {self.duplex} duplex, {self.routing} routing, {combining}"


CHOICES = {
    "switching": get_args(Switching),
    "switches": get_args(Switches),
    "duplex": get_args(Duplex),
    "routing": get_args(Routing),
}
"""The values of rules that are words."""

INCOMPATIBLE: tuple[tuple[Callable[[Rules], bool], str], ...] = (
    (
        lambda rules: rules.switches == "pass" and rules.switching == "wormhole",
        "switches pass: under wormhole switching messages pass every router anyway; choose store-and-forward, or leave "
        "it out",
    ),
    (
        lambda rules: rules.multicast and rules.switching != "wormhole",
        "multicast goes with wormhole: under {0.switching} a processor receives a message before it sends copies on; "
        "leave it out",
    ),
    (
        lambda rules: rules.combining and rules.multicast,
        "multicast does not go with combining: a tree carries one message; leave one of them out",
    ),
    (
        lambda rules: rules.combining and rules.switches == "copy",
        "switches copy does not go with combining: a tree carries one message; leave one of them out",
    ),
    (
        lambda rules: rules.has_slots and rules.combining,
        "combining does not go with tdm: one packet at a time passes every router; leave it out",
    ),
    (
        lambda rules: rules.has_slots and rules.switches != "hold",
        "switches {0.switches} does not go with tdm: one packet at a time passes every router; leave it out",
    ),
)
"""Rules that exclude each other, and why."""


def default_rules(network: Network, **given: Any) -> Rules:
    """Return the rules of problems on a network where none, or only some, are given.

    On a machine of GPUs these are store-and-forward, with pure switches that pass messages on; elsewhere wormhole.

    Args:
        network: The network.
        given: Rules that differ from the default, by the names that `Rules` has.

    Returns:
        The rules, for a `Problem`.
    """
    expect(network, Network, "network", "make a network of a text or a graph with `pavane.network`")
    if not network.has_gpus or given.get("multicast"):
        return Rules(**given)
    usual: dict[str, Any] = {"switching": "store-and-forward"}
    forwards = given.get("switching", "store-and-forward") == "store-and-forward"
    if forwards and len(np.unique(network.router_of)) < network.num_routers:
        usual["switches"] = "pass"
    return Rules(**usual | given)


@dataclass(frozen=True, repr=False)
class Problem:
    """A network, one or more collectives and the rules; refuses a collective that the network cannot carry out.

    Args:
        network: The network, or its name.
        collectives: What is to be communicated: a collective, or the name of one; or a list of them, which run at the
            same time and may share members.
        rules: How transfers may use the network; unless given, the `default_rules` of the network: wormhole switching,
            all ports and minimal paths, and on machines of GPUs store-and-forward with switches that pass.
        links: With start times instead of steps, the latency, overhead and bandwidth of each channel; not under tdm
            and without combining.
        num_bytes: With start times, the bytes of a message of one unit: of one processor in an allgather, of one pair
            in an alltoall. A piece has as many bytes as fit evenly, rounded up, and the last one has the rest.
        members: With the name of a collective its members, as `named` takes them: `root`, `senders`, `receivers`,
            `pairs` and `pieces`.

    Example:
        >>> octagon = pavane.network("octagon")
        >>> problem = pavane.Problem(octagon, "alltoall")
        >>> problem == pavane.Problem(octagon, pavane.alltoall(octagon), pavane.Rules())
        True
        >>> problem.num_messages
        56
        >>> pavane.Problem("octagon", "broadcast", root=3).collective.senders
        (3,)
        >>> rows = [pavane.allgather(range(4)), pavane.allgather(range(4, 8))]
        >>> pavane.solve(pavane.Problem("mesh:2x4", rows))
        <Result: 2 collectives (2 AAB) on mesh:2x4 in 3 steps, feasible>
        >>> links = pavane.Links.uniform(octagon, latency_ps=700_000, bytes_per_second=25 * 10**9)
        >>> pavane.Problem(octagon, "alltoall", links=links, num_bytes=1_000_000).clock
        'picosecond'
    """

    network: Network
    collectives: tuple[Collective, ...]
    rules: Rules
    links: Links | None
    num_bytes: int | None

    def __init__(
        self,
        network: Network | str,
        collectives: Collective | str | Iterable[Collective | str],
        rules: Rules | None = None,
        *,
        links: Links | None = None,
        num_bytes: int | None = None,
        **members: Unpack[CollectiveMembers],
    ) -> None:
        if isinstance(network, str):
            import pavane

            network = pavane.network(network)
        expect(network, Network, "network", "make a network of a text or a graph with `pavane.network`")
        if members and not isinstance(collectives, str):
            raise InputError(f"`{min(members)}` goes with the name of a collective, like alltoall; leave it out")
        is_one = isinstance(collectives, Collective | str) or not isinstance(collectives, Iterable)
        listed = [named(one, network, **members) if isinstance(one, str) else one for one in _listed(collectives)]
        rules = default_rules(network) if rules is None else rules
        for one in listed:
            name = "collective" if is_one else "collectives"
            expect(one, Collective, name, "name one, like alltoall, or make one, as `pavane.alltoall` does")
        expect(rules, Rules, "rules", "say them like `pavane.Rules(ports=1)`")
        values = network, tuple(listed), rules, links, num_bytes
        for each, value in zip(fields(self), values, strict=True):
            object.__setattr__(self, each.name, value)
        self._check_times()
        if len(listed) > 1:
            self._check_several()
            return
        self._check_slots()
        self._check_members()
        self._check_links()
        self._check_ways()
        self._check_turns()

    def _check_times(self) -> None:
        """Refuse links and sizes without each other, and of another network or rules."""
        if self.links is None and self.num_bytes is None:
            return
        expect(self.links, Links, "links", "make some with `pavane.Links.uniform`")
        expect_whole(self.num_bytes, "num_bytes", 1024)
        links, num_bytes = self.timing
        if len(links.latencies) != self.network.num_channels:
            raise InputError(
                f"the links are for {counted(len(links.latencies), 'channel')}, and {self.network.name} has "
                f"{self.network.num_channels:,}"
            )
        if self.rules.has_slots or self.rules.combining:
            raise InputError("start times do not go with tdm or combining; choose wormhole or store-and-forward")
        if self.has_several:
            raise InputError("several collectives at once have no start times; leave out `links` and `num_bytes`")
        if not 1 <= num_bytes <= MOST_BYTES:
            raise InputError(f"messages of {num_bytes:,} bytes; give 1 to {MOST_BYTES:,}")
        pieces = self.collective.pieces
        if (pieces - 1) * -(-num_bytes // pieces) >= num_bytes:
            raise InputError(f"{num_bytes:,} bytes do not make {pieces:,} pieces; give fewer pieces")

    def _check_several(self) -> None:
        """Refuse several collectives in slots, and more messages than fit; each collective has been checked alone."""
        if self.rules.has_slots:
            raise InputError("several collectives at once have no table of slots; choose a switching other than tdm")
        if self.num_messages > MOST_MESSAGES:
            raise InputError(
                f"{self} has {self.num_messages:,} messages; at most {MOST_MESSAGES:,} fit, so give fewer pieces"
            )

    def _check_slots(self) -> None:
        """Refuse collectives that a table of slots does not carry: sums of sums, and copies where it repeats."""
        if not self.rules.has_slots or self.pattern == "private":
            return
        kind = self.collective.kind
        if self.pattern == "allreduce":
            raise InputError(
                f"tdm has no {kind}; solve its reduction (AAR) and its broadcast (AAB) one after the other"
            )
        if self.rules.wrap:
            raise InputError(
                f"{kind} is not possible in a table that repeats: relays must receive a message before they send it; "
                "choose a table without wrap (`wrap=False`)"
            )

    def _check_members(self) -> None:
        collective, network = self.collective, self.network
        ends = [end for pair in collective.pairs for end in pair]
        for members, what in (
            (collective.senders, "sender"),
            (collective.receivers, "receiver"),
            (ends, "end of a pair"),
        ):
            last = network.num_processors - 1
            for member in members if members and not 0 <= min(members) <= max(members) <= last else ():
                if not 0 <= member <= last:
                    raise InputError(
                        f"{collective.kind}: {what} {member} is out of range; {network.name} has processors 0 to {last}"
                    )
        if collective.sizes:
            self.check_size()
        if not self.num_messages or not self.num_deliveries:
            who = "two senders and a part" if self.pattern == "allreduce" else "one sender and one other receiver"
            raise InputError(
                f"{collective.kind} on {network.name} has nothing to send; name at least {who}"
                f"{' of a message whose size is not 0' if collective.sizes else ''}"
            )

    def _check_links(self) -> None:
        """Refuse half duplex where the two channels of a link differ in capacity: no capacity is shared then."""
        network = self.network
        if self.rules.duplex == "full" or network.capacities is None:
            return
        back = network.opposite
        unequal = np.flatnonzero((back >= 0) & (network.capacity != network.capacity[back]))
        if len(unequal):
            here, there = (network.routers[router] for router in network.channels[unequal[0]])
            capacities = network.capacity[unequal[0]], network.capacity[back[unequal[0]]]
            raise InputError(
                f"under half duplex the channels of a link share its capacity, but from {here} to {there} it is "
                f"{capacities[0]} and back it is {capacities[1]}; give both the same, or choose full duplex"
            )

    def _check_ways(self) -> None:
        """Refuse members without ports and members that cannot reach each other."""
        network = self.network
        for sources, targets in self._ways():
            starts, ends = np.flatnonzero(np.bincount(network.router_of[sources])), network.router_of[targets]
            # To one target it is quicker to look backwards, once.
            alone = len(targets) == 1
            rows = network.distances_to(int(ends[0]))[starts][:, None] if alone else network.distance_rows(starts)
            for row in np.flatnonzero((rows if alone else rows[:, ends]).min(axis=1, initial=0) < 0).tolist():
                lost = targets[(rows[row] if alone else rows[row, ends]) < 0]
                if len(lost):
                    source = int(starts[row])
                    sender = int(sources[network.router_of[sources] == source][0])
                    raise InputError(
                        f"processor {lost[0]} (router {network.routers[network.router_of[lost[0]]]}) cannot be "
                        f"reached from processor {sender} (router {network.routers[source]}) on {network.name}; "
                        "add a channel or leave that processor out"
                    )
            for capacity, members in ((self.injection, sources), (self.ejection, targets)):
                for member in members[capacity[members] < 1].tolist():
                    raise InputError(
                        f"processor {member} has no port, because router "
                        f"{network.routers[network.router_of[member]]} has no channel for it; "
                        "give a number of ports (`ports=1`)"
                    )

    def _check_turns(self) -> None:
        """Refuse members that no admissible paths join under restricted routing."""
        network, restriction = self.network, self.restriction
        if restriction is None or restriction.is_whole:
            return
        if self.pattern == "private" and not self.rules.combining:
            ends = self.distinct_ends
            homes, rows = np.unique(network.router_of[ends[:, 0]], return_inverse=True)
            lost = ends[~restriction.reached(homes)[rows, network.router_of[ends[:, 1]]]]
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
        if self.pattern == "private" and (collective.kind == "PAIRS" or collective.sizes):
            by_origin: dict[int, list[int]] = {}
            pairs = collective.pairs if collective.is_plain else self.distinct_ends.tolist()
            for source, target in pairs:
                by_origin.setdefault(source, []).append(target)
            for source, targets in by_origin.items():
                yield np.array([source], dtype=np.int32), np.array(targets, dtype=np.int32)
        else:
            senders = np.array(collective.senders, dtype=np.int32)
            receivers = np.array(collective.receivers, dtype=np.int32)
            if self.pattern == "allreduce":
                receivers = senders
            elif self.pattern == "broadcast" and collective.sizes:
                senders = self.distinct_ends[:, 0]
            elif self.pattern == "reduction" and collective.sizes:
                receivers = self.distinct_ends[:, 0]
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
        return restriction if self.rules.runs_whole_paths else None

    # -- the clock

    @property
    def clock(self) -> Clock:
        """Return what starts of transfers count: steps, under tdm slots, and with links and sizes picoseconds."""
        return "picosecond" if self.has_times else self.rules.step_word

    @property
    def has_times(self) -> bool:
        """Whether transfers have start times instead of steps."""
        return self.links is not None

    @property
    def timing(self) -> LinkTiming:
        """Return the links and the bytes of a message, where transfers have start times."""
        if self.links is None or self.num_bytes is None:
            raise InputError(f"{self} has no start times; give `links` and `num_bytes`")
        return LinkTiming(self.links, self.num_bytes)

    @cached_property
    def in_steps(self) -> Problem:
        """The same problem without links and sizes, in steps or slots."""
        return replace(self, links=None, num_bytes=None) if self.has_times else self

    @cached_property
    def message_bytes(self) -> Longs:
        """The bytes of each piece of a message, where transfers have start times."""
        pieces, num_bytes = self.collective.pieces, self.timing.num_bytes
        most = -(-num_bytes // pieces)
        sizes = np.full(self.num_messages, most, dtype=np.int64)
        if pieces > 1:
            sizes[self.labels[:, -1] % pieces == pieces - 1] = num_bytes - (pieces - 1) * most
        return sizes

    # -- collectives

    @property
    def has_several(self) -> bool:
        """Whether there are several collectives at once."""
        return len(self.collectives) > 1

    @property
    def collective(self) -> Collective:
        """Return the collective, where there is one."""
        if self.has_several:
            raise InputError(f"{self} has several collectives at once, where one was expected")
        return self.collectives[0]

    @cached_property
    def parts(self) -> tuple[Problem, ...]:
        """The problem of each collective alone."""
        return (
            tuple(Problem(self.network, one, self.rules) for one in self.collectives) if self.has_several else (self,)
        )

    @cached_property
    def first_messages(self) -> Longs:
        """The number of the first message of each collective, and the number of all messages at the end."""
        return np.cumsum([0, *(part.num_messages for part in self.parts)])

    @property
    def title(self) -> str:
        """Return in words what is communicated: the collective, or how many there are of which kinds."""
        kinds = [collective.kind for collective in self.collectives]
        counts = ", ".join(f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(kinds))
        return f"{len(kinds)} collectives ({counts})" if self.has_several else self.collectives[0].title

    # -- where messages rest

    @cached_property
    def is_switch(self) -> Flags:
        """Which routers are pure switches: without a processor."""
        is_switch: Flags = np.bincount(self.network.router_of, minlength=self.network.num_routers) == 0
        return is_switch

    @property
    def has_switches(self) -> bool:
        """Whether some routers are pure switches."""
        return bool(self.is_switch.any())

    @cached_property
    def passes_switches(self) -> bool:
        """Whether a transfer may run over pure switches under store-and-forward, and none rests there."""
        is_stored = self.rules.switching == "store-and-forward"
        return is_stored and self.rules.switches != "hold" and self.has_switches

    @cached_property
    def is_copying(self) -> Flags:
        """Which routers pass a message on to several channels at once, and add what meets there of one reduction."""
        if self.rules.multicast:
            return np.ones(self.network.num_routers, dtype=bool)
        is_copying: Flags = self.is_switch & (self.rules.switches == "copy")
        return is_copying

    @property
    def has_trees(self) -> bool:
        """Whether transfers of one message may share channels as a tree: some router copies, and copies are wanted."""
        if self.has_several:
            return any(part.has_trees for part in self.parts)
        return self.pattern != "private" and bool(self.is_copying.any())

    @property
    def takes_shortest_hops(self) -> bool:
        """Whether a transfer over pure switches must be a shortest path of the network between its ends."""
        return self.passes_switches and self.rules.routing == "minimal"

    # -- messages

    @property
    def pattern(self) -> Pattern:
        """Return what its messages are: private, broadcast, reduction or allreduce; several: of several collectives."""
        return "several" if self.has_several else self.collectives[0].pattern

    @cached_property
    def labels(self) -> Ints:
        """One row per message, as a schedule file writes it: origin and target, or origin, or target, or part.

        Where any message has several pieces, one row per piece, which ends with the piece's number from 0.
        """
        self.check_size()
        ends = message_ends(self.collective)
        labels = ends if self.collective.is_plain else piece_labels(ends, self._counts)
        labels.flags.writeable = False
        return labels

    def labels_among_all(self, messages: Ints | Longs) -> Longs:
        """Return the labels of some messages of a collective among all processors; none of the others is listed."""
        whole, piece = np.divmod(np.asarray(messages, dtype=np.int64), self.collective.pieces)
        ends = [whole]
        if self.pattern == "private":
            origin, other = np.divmod(whole, max(self.network.num_processors - 1, 1))
            ends = [origin, other + (other >= origin)]
        labels: Longs = np.stack(ends if self.collective.is_plain else [*ends, piece], axis=1)
        return labels

    def check_size(self) -> None:
        """Refuse a problem that has too many messages to list them."""
        if self.num_messages > MOST_MESSAGES:
            is_plain = self.collective.is_plain
            what, fewer = ("messages", "") if is_plain else ("pieces", ", so give fewer pieces or smaller sizes")
            raise InputError(
                f"{self.collective.kind} on {self.network.name} has {self.num_messages:,} {what}; at most "
                f"{MOST_MESSAGES:,} fit{fewer}"
            )

    @property
    def ends(self) -> Ints:
        """Return the labels without numbers of pieces: origins and targets."""
        return self.labels[:, : 2 if self.pattern == "private" else 1]

    @cached_property
    def distinct_ends(self) -> Ints:
        """The different ends, in order: one row per message, however many pieces it has."""
        if self.collective.is_plain:
            return self.labels
        return message_ends(self.collective)[self._counts > 0]

    @property
    def is_plain(self) -> bool:
        """Whether every message is one piece and every channel carries one message a step."""
        return all(one.is_plain for one in self.collectives) and self.network.capacities is None

    @property
    def is_total(self) -> bool:
        """Whether all processors send to all processors, the same to all or a message to each."""
        members = self.collective.senders, self.collective.receivers
        return all(len(side) == self.network.num_processors for side in members)

    @property
    def has_pieces(self) -> bool:
        """Whether any message has several pieces, so that labels have the piece."""
        if self.has_several:
            return any(part.has_pieces for part in self.parts)
        if not self.collective.sizes:
            return self.collective.pieces > 1
        return bool(self._counts.max(initial=0) > 1)

    @cached_property
    def _counts(self) -> Longs:
        """The number of pieces of each message that the kind has, with those of none."""
        return message_pieces(self.collective, message_ends(self.collective))

    @cached_property
    def num_messages(self) -> int:
        """The number of messages, or of their pieces; for reductions, of targets. Millions are counted unlisted."""
        if self.has_several:
            return int(self.first_messages[-1])
        if not self.collective.sizes:
            return self._num_ends * self.collective.pieces
        # Sizes of more messages than fit are refused before these are listed.
        return self._num_ends if self._num_ends > MOST_MESSAGES else int(self._counts.sum())

    @property
    def num_whole_messages(self) -> int:
        """Return the number of messages, however many pieces each has; they are listed only if they have sizes."""
        if self.has_several:
            return sum(part.num_whole_messages for part in self.parts)
        if not self.collective.sizes:
            return self.num_messages // self.collective.pieces
        return len(self.distinct_ends)

    @cached_property
    def _num_ends(self) -> int:
        """The number of messages, whatever their sizes; private ones are counted unlisted."""
        collective = self.collective
        if self.pattern != "private" or collective.kind == "PAIRS":
            return len(message_ends(collective))
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
        if self.collective.kind == "PAIRS" or self.collective.sizes:
            return np.bincount(self.ends[:, side], minlength=width)
        counts = np.zeros(width, dtype=np.int64)
        counts[list(members)] = len(others)
        counts[list(set(members) & set(others))] -= 1
        return counts * self.collective.pieces

    @cached_property
    def num_deliveries(self) -> int:
        """The number of arrivals that the collectives require; pieces are counted unlisted."""
        if self.has_several:
            return sum(part.num_deliveries for part in self.parts)
        if self.pattern == "private":
            return self.num_messages
        if self.pattern == "allreduce":
            return self.num_messages * 2 * (len(self.collective.senders) - 1)
        many = self.collective.receivers if self.pattern == "broadcast" else self.collective.senders
        own = np.isin(message_ends(self.collective)[:, 0], many)
        own_pieces = self._counts[own].sum() if self.collective.sizes else self.collective.pieces * own.sum()
        return self.num_messages * len(many) - int(own_pieces)

    def message_numbers(self, labels: npt.NDArray[np.integer]) -> Longs:
        """Return the number of the message with each label, and -1 for labels of no message."""
        rows = np.asarray(labels, dtype=np.int64).reshape(-1, self.labels.shape[1])
        width, num_ends = self.network.num_processors, self.ends.shape[1]
        inside = ((rows[:, :num_ends] >= 0) & (rows[:, :num_ends] < width)).all(axis=1)
        keys, known = keys_of(rows[:, :num_ends], width), keys_of(self.ends, width)
        firsts = np.minimum(np.searchsorted(known, keys), len(known) - 1)
        if not self.has_pieces:
            return np.where(inside & (known[firsts] == keys), firsts, -1)
        numbers = firsts + rows[:, -1]
        inside &= (rows[:, -1] >= 0) & (numbers < len(known))
        numbers = np.where(inside, numbers, 0)
        return np.where(inside & (known[numbers] == keys), numbers, -1)

    def message_name(self, message: int) -> str:
        """Return how a message is called: `0>5` or `3`, with a piece `3.2`; of several collectives like `1:0>5`."""
        if self.has_several:
            number = int(np.searchsorted(self.first_messages, message, side="right")) - 1
            return f"{number}:{self.parts[number].message_name(message - int(self.first_messages[number]))}"
        label = self.labels[message].tolist()
        if not self.has_pieces:
            return ">".join(map(str, label))
        return f"{'>'.join(map(str, label[:-1]))}.{label[-1]}"

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
        about = network_record(self.network)
        if self.has_times:
            links = self.timing.links
            about |= dict(zip(COLUMN_KEYS, (column.tolist() for column in links.columns), strict=True))
        listed = [collective.to_dict() for collective in self.collectives]
        what = {"collectives": listed} if self.has_several else {"collective": listed[0]}
        size = {"bytes": self.num_bytes} if self.has_times else {}
        return {"network": about, **what, "rules": self.rules.to_dict(), **size}

    def digest(self) -> str:
        """Return the SHA-256 of the problem's canonical JSON: no positions, GPUs or boxes, members in order.

        Of several collectives it is that of the digests of each, in order.
        """
        if self.has_several:
            return hashlib.sha256(json.dumps([part.digest() for part in self.parts]).encode()).hexdigest()
        canonical = self.to_dict()
        for key in ("positions", "gpus", "boxes"):
            canonical["network"].pop(key, None)
        for members in ("senders", "receivers", "pairs"):
            canonical["collective"].get(members, []).sort()
        text = json.dumps(canonical, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    def __repr__(self) -> str:
        return f"<Problem: {self}>"

    def __str__(self) -> str:
        what = self.title if self.has_several else self.collectives[0]
        size = "" if self.num_bytes is None else f", {self.num_bytes:,} bytes"
        return f"{what} on {self.network.name} ({self.rules}){size}"


def _listed(collectives: Any) -> list[Any]:
    """Return one collective, or several, as a list; refuse none."""
    if isinstance(collectives, Collective | str) or not isinstance(collectives, Iterable):
        return [collectives]
    listed = list(collectives)
    if not listed:
        raise InputError("`collectives` is empty; give at least one collective")
    return listed
