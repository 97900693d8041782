"""A problem as people write it: the same words on the command line, on the web page and in Python.

A network is `family:parameters` or a file; lists of processors read `0-7,9` or `all`; faults read `less A-B`, and
`less A>B` for one direction. Whatever else describes a problem is one more field of `Request`: the command line makes
an option of it and the page a key, and `Request.problem` reads it.
"""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal

from pavane.errors import InputError
from pavane.io.files import note
from pavane.io.sizes import sizes_of
from pavane.model.collectives import MPI_NAMES, in_pieces, named, without_sizes
from pavane.model.messages import PATTERN_OF
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules, default_rules
from pavane.networks import FAMILIES, network, switches_of

FORMS = (
    *("adjacency-list", "directed-edge-list", "dot", "edge-list", "gexf", "gml", "graph6", "graphml"),
    *("ibnetdiscover", "nccl", "node-link", "nvidia-smi", "pajek"),
)
"""The names of the formats of networks that others write; the formats themselves are imported when a file is read."""

COLLECTIVES = (*(kind.lower() for kind in PATTERN_OF), *MPI_NAMES)


def request_field(metavar: str, description: str, max_length: int = 200, *, default: Any = None) -> Any:
    """Return a field with its description, and the number of characters or entries that the page accepts."""
    return field(default=default, metadata={"metavar": metavar, "description": description, "max_length": max_length})


@dataclass(frozen=True)
class Request:
    """Problem: the texts that describe one; None means that an option was not given."""

    network: str = request_field(
        "NETWORK",
        "family:parameters, as `pavane.networks.FAMILIES` lists them, or a file. "
        "A problem file stands for both arguments.",
        default="",
    )
    collective: str | None = request_field(
        "COLLECTIVE",
        f"{', '.join(kind.lower() for kind in PATTERN_OF)}; or MPI's names: {', '.join(MPI_NAMES)}.",
    )
    switching: str | None = request_field(
        "wormhole|store-and-forward|tdm",
        "Whole paths, or one channel, in a step; or tdm: a channel after the other in time slots, without waiting. "
        "[default: wormhole; on machines of GPUs store-and-forward]",
    )
    switches: str | None = request_field(
        "hold|pass|copy",
        "Pure switches hold messages or pass them on in the same step (store-and-forward), or copy: pass a broadcast "
        "message on to several channels, and add what meets there of one reduction. [default: hold; on machines of "
        "GPUs pass]",
    )
    multicast: bool = field(
        default=False, metadata={"description": "Let routers with processors copy and add, too (wormhole)."}
    )
    ports: str | None = request_field("all|K", "Ports of a processor. [default: all]")
    duplex: str | None = request_field("full|half", "Links carry both ways at once, or one. [default: full]")
    routing: str | None = request_field(
        "minimal|any|ORDER",
        "Shortest paths only, or any; on meshes and tori also dimension-order, west-first or north-last. "
        "[default: minimal]",
    )
    router_delay: str | None = request_field("R", "Slots that a packet takes through a router (tdm). [default: 1]", 9)
    link_delay: str | None = request_field("L", "Slots more that it takes along a channel (tdm). [default: 0]", 9)
    packet_slots: str | None = request_field("F", "Slots that a packet occupies a channel (tdm). [default: 1]", 9)
    no_wrap: bool = field(default=False, metadata={"description": "Let the slots of a table not repeat (tdm)."})
    combining: bool = field(default=False, metadata={"description": "Let one transfer carry several messages."})
    root: str | None = request_field("P", "The one sender or receiver: a processor or router. [default: processor 0]")
    senders: str | None = request_field("LIST", "Processors or routers, like 0-7,9 or all. [default: all]", 20_000)
    receivers: str | None = request_field("LIST", "Processors or routers, like 0-7,9 or all. [default: all]", 20_000)
    pairs: str | None = request_field("LIST", "The messages of `pairs`, like '0>5,1>4' or 0:5,1:4.", 200_000)
    pieces: str | None = request_field(
        "K|K,L,...|auto",
        "Cut every message into K pieces. Several numbers, or auto, are tried one after the other where schedules are "
        "searched for. [default: 1]",
    )
    sizes: str | None = request_field(
        "FILE|LIST",
        "Units of single messages, like '0>5:3,1>4:2' or, from or to one processor, '0:3'; or a table of them (CSV), "
        "a row for each sender. [default: 1 each]",
        200_000,
    )
    form: str | None = request_field(
        "FORMAT",
        "The format of a network file, if it is not recognized: " + ", ".join(FORMS) + ".",
    )

    nodes: str | None = request_field(
        "N",
        "Join N machines, each as the network file says, by rails: over their NICs where the file lists them, "
        "otherwise by a switch for each processor number.",
        9,
    )
    nic: str | None = request_field(
        "K",
        "With `nodes`: the capacity of a NIC, or of a link to a switch, in links of the file, as 2, 0.5 or 1/2. "
        "[default: 1]",
        9,
    )

    @property
    def piece_counts(self) -> tuple[int, ...] | Literal["auto"]:
        """Return the requested numbers of pieces, or `auto`."""
        if self.pieces is None:
            return (1,)
        if self.pieces.strip() == "auto":
            return "auto"
        numbers = self.pieces.split(",")
        if not all(re.fullmatch(r"\s*\d{1,9}\s*", number, re.ASCII) for number in numbers):
            raise InputError(
                f"`pieces` {self.pieces!r:.60} is not a whole number; give 1 or more, like 6, several, like 1,2,3, or "
                "auto"
            )
        return tuple(map(int, numbers))

    @property
    def has_one_piece_count(self) -> bool:
        """Whether one number of pieces is requested."""
        return self.piece_counts != "auto" and len(self.piece_counts) == 1

    def in_single_pieces(self) -> Request:
        """Return the request for the same messages in one piece each, to cut them later."""
        return replace(self, pieces="1")

    def problem(self, found: Network | Problem | None = None) -> Problem:
        """Return the problem that is described.

        The content of a network or problem file may be given as `found`; no other file is opened then.
        """
        may_open = found is None
        if found is None:
            found = network_from(self.network, self.form, self.nodes, self.nic)
        if isinstance(found, Problem):
            self.refuse_rest("network", "form")
            return found
        if self.collective is None:
            raise InputError(f"no collective was named; put one behind {self.network or found.name}, for example aas")
        if self.pairs is None and self.collective.strip().lower() == "pairs":
            raise InputError("pairs needs `pairs`, for example `pairs='0>5,1>4'`")
        members = named(
            self.collective if self.sizes is None else without_sizes(self.collective),
            found,
            root=None if self.root is None else _processor(self.root, "root", found),
            senders=_listed(self.senders, "senders", found),
            receivers=_listed(self.receivers, "receivers", found),
            pairs=None if self.pairs is None else pair_list(self.pairs),
        )
        sizes: list[tuple[int, ...]] = []
        if self.sizes is not None:
            sizes = sizes_of(self.sizes, members, found.num_processors, may_open=may_open)
        members = in_pieces(members, self.num_pieces(), sizes)
        return Problem(found, members, self.rules(found))

    def rules(self, network: Network) -> Rules:
        """Return the rules that are described, with the defaults of a network; a note says how GPUs change these."""
        words = ("switching", "duplex", "routing", "switches")
        numbers = ("ports", "router_delay", "link_delay", "packet_slots")
        given = {name: value for name in words if (value := getattr(self, name)) is not None}
        given |= {
            name: value
            if (name, value) == ("ports", "all")
            else _whole(value, name, "; give all, or a number like 1" if name == "ports" else "")
            for name in numbers
            if (value := getattr(self, name)) is not None
        }
        given |= {"combining": self.combining, "multicast": self.multicast, "wrap": not self.no_wrap}
        rules = default_rules(network, **given)
        defaults = {name for name in ("switching", "switches") if name not in given}
        if network.has_gpus and any(getattr(rules, name) != getattr(Rules(), name) for name in defaults):
            note(
                f"{network.name} is a machine of GPUs: {rules.switching}"
                f"{', switches pass' * (rules.switches == 'pass')}; `switching` and `switches` choose other rules"
            )
        if rules.switches == "copy" and switches_of(network.name) == "pass":
            note(
                f"the switches of {network.name} are known to pass messages on, without copying or adding; "
                "`switches=copy` describes other switches in their place"
            )
        return rules

    def num_pieces(self) -> int:
        """Return the number of pieces; several are refused."""
        counts = self.piece_counts
        if counts == "auto" or len(counts) > 1:
            raise InputError(f"`pieces` {self.pieces!r:.60}: one number of pieces is wanted here; give one, like 6")
        return counts[0]

    def refuse_rest(self, *names: str) -> None:
        """Refuse what a problem file says itself: all but some fields."""
        for one in fields(self):
            if one.name not in names and getattr(self, one.name) != one.default:
                raise InputError(
                    f"{self.network} is a whole problem, so it does not go with `{one.name}`; change the file instead"
                )


def refuse_times(problem: Problem, what: str) -> Problem:
    """Return a problem in steps; start times are refused, because `what` goes with steps."""
    if problem.has_times:
        raise InputError(
            f"{problem.network.name}: {what} goes with steps, and the problem has start times; take `bytes` out of it"
        )
    return problem


def network_from(
    text: str, form: str | None = None, nodes: str | None = None, nic: str | None = None
) -> Network | Problem:
    """Return the network, or the problem, that a text names: a family with parameters, or a file, perhaps with faults.

    `octagon less 0-1, 2>3` lacks a link and a channel. `form` names the format of the file where it is not to be
    recognized, `nodes` how many such machines are joined, and `nic` the capacity of their NICs.
    """
    whole_text, *faults = re.split(r"\s+less\s+", text, maxsplit=1)
    if faults and not os.path.exists(text):
        whole = network_from(whole_text, form, nodes, nic)
        faults = [fault.strip() for fault in re.split(r",|\sless\s", faults[0])]
        if isinstance(whole, Problem):
            in_steps = refuse_times(whole, "a fault")
            return Problem(without_faults(whole.network, faults), in_steps.collectives, in_steps.rules)
        return without_faults(whole, faults)
    family = re.split("[:*@]", text, maxsplit=1)[0]
    if family in FAMILIES or not (os.path.exists(text) or re.search(r"[/\\.]", text)):
        near = [] if family in FAMILIES else sorted(glob.glob(f"{glob.escape(text)}.*"))
        if near:
            raise InputError(f"there is no family or file {text!r}, but a file {near[0]}; name that")
        if form is not None and family in FAMILIES:
            raise InputError(f"`form={form}` goes with a file, and {text} is of the catalogue; name a file")
        refuse_nodes(text, nodes, nic)
        return network(text)
    file, mark, count = text.rpartition("@")
    if mark and os.path.isfile(file) and not os.path.exists(text):
        raise InputError(
            f"{text}: there is no such file; for copies of {file} joined by rails say `nodes={count or 2}`"
        )
    from pavane.io.readers import read_network_or_problem

    return read_network_or_problem(text, form, num_nodes(nodes), nic)


def num_nodes(text: str | None) -> int | None:
    """Read how many machines are joined; None where the file is the whole network."""
    return None if text is None else _whole(text, "nodes", "; give 2 or more")


def refuse_nodes(text: str, nodes: str | None, nic: str | None) -> None:
    """Refuse a number of machines, or the width of NICs, beside a network of the catalogue, which says it itself."""
    if nodes is not None:
        raise InputError(f"`nodes={nodes}` goes with a file, and {text} is of the catalogue; write {text}@{nodes}")
    if nic is not None:
        raise InputError(
            f"`nic={nic}` goes with a file, and {text} is of the catalogue; rails:N,G,INSIDE,RAIL has capacities"
        )


def without_faults(network: Network, faults: Iterable[str]) -> Network:
    """Return the network without its faulty links: `A-B` goes both ways, `A>B` one."""
    for fault in faults:
        known = [
            (fault[:index], mark, fault[index + 1 :])
            for index, mark in enumerate(fault)
            if mark in "->" and {fault[:index], fault[index + 1 :]} <= set(network.routers)
        ]
        if not known:
            shown = ", ".join(network.routers[:6]) + (", ..." if network.num_routers > 6 else "")
            raise InputError(
                f"less {fault!r}: these are no two routers of {network.name}; write A-B or A>B with {shown}"
            )
        tail, mark, head = known[0]
        a, b = network.router(tail), network.router(head)
        if mark == "-":
            network = network.without(links=[(a, b)])
            continue
        channels = [c for c in network.out_channels[a] if network.heads[c] == b]
        if not channels:
            raise InputError(f"less {fault!r}: {network.name} has no channel from router {tail} to router {head}")
        network = network.without(channels=channels[:1])
    return network


def _listed(text: str | None, name: str, network: Network) -> list[int] | None:
    return None if text is None else processors_listed(text, name, network)


def processors_listed(text: str, name: str, network: Network) -> list[int]:
    """Read a list of processors like `0-7,9` or `all`."""
    num_processors = network.num_processors
    if text.strip() == "all":
        return list(range(num_processors))
    listed: list[int] = []
    for part in text.split(","):
        ends = re.fullmatch(r"\s*(\d+)\s*(?:-\s*(\d+)\s*)?", part, re.ASCII)
        # A number with a leading zero may be a name, as in a Kautz network.
        is_name = not ends or re.match(r"\s*0\d", part, re.ASCII)
        if is_name and (named_there := _processors_of(part.strip(), network)):
            listed += named_there
            continue
        if not ends:
            raise InputError(
                f"`{name}` {text!r}: {part.strip()!r} is neither a processor nor a range nor a router with processors; "
                "write a list like 0-7,9 or all"
            )
        first = _whole(ends[1], name)
        last = first if ends[2] is None else _whole(ends[2], name)
        if last < first:
            raise InputError(f"`{name}` {text!r}: the range {part.strip()} runs backwards; write {last}-{first}")
        if last >= num_processors:
            raise InputError(
                f"`{name}` {text!r}: processor {last} is out of range; "
                f"the network has processors 0 to {num_processors - 1}"
            )
        listed += range(first, last + 1)
    return listed


def _processor(text: str, name: str, network: Network) -> int:
    if re.fullmatch(r"0|[1-9]\d{0,9}", text, re.ASCII):
        return int(text)
    named_there = _processors_of(text, network)
    if len(named_there) == 1:
        return named_there[0]
    hint = f"processors are numbered 0 to {network.num_processors - 1}"
    if named_there:
        hint = f"router {text} carries processors {', '.join(map(str, named_there))}: give one of them"
    elif text in network.routers:
        hint = f"router {text} is a pure switch; {hint}"
    raise InputError(f"`{name}` {text!r} names no single processor; {hint}")


def _processors_of(router: str, network: Network) -> tuple[int, ...]:
    """Return the processors on the router of a name; none where there is no such router."""
    return network.processors_on[network.router(router)] if router in network.routers else ()


def pair_list(text: str, name: str = "pairs") -> list[tuple[int, int]]:
    """Read pairs of processors like `0>5,1>4`."""
    listed = []
    for part in text.split(","):
        ends = re.fullmatch(r"\s*(\d{1,9})\s*[>:]\s*(\d{1,9})\s*", part, re.ASCII)
        if not ends:
            raise InputError(f"`{name}` {text!r}: {part.strip()!r} is not a pair; write a list like '0>5,1>4'")
        listed.append((int(ends[1]), int(ends[2])))
    return listed


def _whole(text: str | None, name: str, advice: str = "") -> int:
    if text is None or not re.fullmatch(r"-?\d{1,9}", text, re.ASCII):
        raise InputError(f"`{name}` {text!r} is not a whole number that can be used{advice}")
    return int(text)
