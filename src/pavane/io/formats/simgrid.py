"""Reads and writes platform files of SimGrid, in XML.

Reading: a host is a router with one processor, a router a pure switch. A route over one link joins its two ends: both
ways, or one way with symmetrical="NO". A cluster is a star around a pure switch; with a backbone it has two, and the
backbone is the channel from the one to the other; a torus, fat tree or dragonfly is built as SimGrid does. Bandwidths
become capacities in the same ratio; with the latencies they are kept for start times. Refused are a route over several
links, which does not say what lies between them, and a link that several pairs share.

Writing: a platform with a link per channel, the transfers as a table, and a program that replays them. SimGrid has one
route between two hosts, a schedule may have several between two processors, so a processor is a host for each of its
routes to the same receiver: p0 for the first, p0.1 for the second. With all of TCP switched off, equal messages that
share no link all take the same time, and a step takes the time of its largest transfer. A channel of capacity c has c
times the bandwidth, and each route has a link `one` that limits the speed of a single transfer.

A timed schedule has the bandwidths of its channels, and the table has starts. In SimGrid a latency passes before a
message flows, here after it, while the channels are free again. So the links have none, and the table has the sum of
each path. Overheads are bytes that the slowest channel of a path carries in that time. Transfers that take no time,
between processors of one router, are left out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from pavane.errors import InputError
from pavane.io.capacities import PREFIXES, as_capacities
from pavane.io.files import File
from pavane.io.format import Format
from pavane.io.formats.export import Export, Options, problem_and_schedule, refuse_trees
from pavane.io.formats.simgrid_clusters import cluster_links
from pavane.io.formats.templates import fill_template, in_docstring, in_literal, in_xml_comment
from pavane.io.levels import TimedLevels
from pavane.io.network_builder import LATENCIES, ChannelSpeed, NetworkBuilder, allow_count
from pavane.io.parsing import begins_with_element, root_of, shown, whole
from pavane.io.programs import transfer_bytes
from pavane.judge.result import Result
from pavane.judge.timed_case import TimedCase
from pavane.model.links import PICOSECONDS
from pavane.model.network import Network
from pavane.model.problem import Problem
from pavane.model.schedule import Transfer
from pavane.model.timed import TimedProblem, TimedTransfer

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

UNSUPPORTED = {"peer", "cabinet", "bypassroute", "bypasszoneroute", "bypassasroute", "include"}


def bandwidth(text: str | None, where: str) -> Fraction:
    """Read a bandwidth, `125MBps` or `1Gbps`, as bytes a second."""
    found = re.fullmatch(
        r"\s*(\d{1,15}(?:\.\d{1,15})?)(?:[eE]([+]?\d{1,2}))?\s*(?:([kKMGTP]i?)?([Bb])ps)?\s*", text or ""
    )
    if found is None or not Fraction(found[1]):
        raise InputError(f"{where} has bandwidth {shown(text)}; write it as 125MBps or 1Gbps")
    rate = Fraction(found[1]) * Fraction(f"1e{found[2] or 0}") * PREFIXES[found[3] or ""]
    return rate / 8 if found[4] == "b" else rate


def latency(text: str | None, where: str) -> int:
    """Read a latency, `50us` or `1E-4` (seconds), as picoseconds; none is 0."""
    found = re.fullmatch(
        r"\s*(\d{1,15}(?:\.\d{0,15})?|\.\d{1,15})(?:[eE]([+-]?\d{1,2}))?\s*(ps|ns|us|ms|s)?\s*", text or "0"
    )
    if found is None:
        raise InputError(f"{where} has latency {shown(text)}; write it as 50us")
    seconds = Fraction(found[1]) * Fraction(f"1e{found[2] or 0}")
    return round(seconds * UNITS[found[3] or "s"])


UNITS = {"ps": 1, "ns": 10**3, "us": 10**6, "ms": 10**9, "s": 10**12}
"""Picoseconds."""


@dataclass
class Platform:
    """What a platform file consists of, all zones together."""

    file: File
    builder: NetworkBuilder
    speeds: dict[str, Fraction] = field(default_factory=dict)
    delays: dict[str, int] = field(default_factory=dict)
    """The latency of each link in picoseconds."""
    policies: dict[str, str] = field(default_factory=dict)
    routes: list[tuple[str, str, str, bool]] = field(default_factory=list)
    """Source, destination, link, and whether it goes both ways."""
    alone: set[str] = field(default_factory=set)
    """Links of policy FATPIPE beside another one: they limit one message and not all together."""

    def take(self, element: Element) -> None:
        """Take in one element."""
        tag = element.tag.lower() if isinstance(element.tag, str) else ""
        if tag in UNSUPPORTED:
            raise InputError(f"{self.file}: <{element.tag}> cannot be read; write hosts, routers, links and routes")
        if tag in ("host", "router"):
            name = self.named(element)
            if name in self.builder.number:
                raise InputError(f"{self.file}: two hosts or routers have the id {shown(name)}; give each its own")
            self.builder.router(name, int(tag == "host"))
        elif tag == "link":
            name = self.named(element)
            if name in self.speeds:
                raise InputError(f"{self.file}: two links have the id {shown(name)}; give each its own")
            self.speeds[name] = bandwidth(element.get("bandwidth"), f"{self.file}: link {shown(name)}")
            self.policies[name] = (element.get("sharing_policy") or "SHARED").upper()
            self.delays[name] = latency(element.get("latency"), f"{self.file}: link {shown(name)}")
        elif tag in ("route", "zoneroute", "asroute"):
            self.take_route(element, tag != "route")
        elif tag == "cluster":
            self.take_cluster(element)

    def named(self, element: Element) -> str:
        """Return the id of an element."""
        name = element.get("id")
        if not name:
            raise InputError(f"{self.file}: a <{element.tag}> has no id; give it one")
        return name

    def take_route(self, element: Element, between_zones: bool) -> None:
        """Take in a route; between zones it joins their gateways."""
        source, target = (element.get(f"gw_{end}" if between_zones else end) for end in ("src", "dst"))
        if not source or not target:
            raise InputError(f"{self.file}: a <{element.tag}> does not say from where to where; name both ends")
        if source == target:
            return  # a loopback: what a processor sends to itself needs no network
        links = [part.get("id") or "" for part in element if str(part.tag).lower() == "link_ctn"]
        both = element.get("symmetrical", "YES").upper() not in ("NO", "FALSE")
        self.routes.append((source, target, self.carrying(source, target, links), both))

    def carrying(self, source: str, target: str, links: list[str]) -> str:
        """Return the link of a route that messages share; a FATPIPE beside it says how fast one of them goes."""
        shared = [link for link in links if self.policies.get(link) != "FATPIPE"]
        if len(links) == 2 and len(shared) == 1:
            self.alone |= set(links) - set(shared)
            return shared[0]
        if len(links) != 1:
            raise InputError(
                f"{self.file}: the route from {shown(source)} to {shown(target)} runs over {len(links)} links, and the "
                "file does not say what lies between them; put routers there, and a route over each link"
            )
        return links[0]

    def take_cluster(self, element: Element) -> None:
        """Take in a cluster: hosts around a switch, at a backbone, or joined by a topology of their own."""
        name = self.named(element)
        where = f"{self.file}: cluster {shown(name)}"
        prefix, suffix = element.get("prefix", ""), element.get("suffix", "")
        hosts = [f"{prefix}{number}{suffix}" for number in _radical(self.file, element.get("radical") or "")]
        speed, delay = bandwidth(element.get("bw"), where), latency(element.get("lat"), where)
        policy = element.get("sharing_policy", "SPLITDUPLEX").upper()
        shape = element.get("topology", "FLAT").upper()
        if shape == "FLAT":
            gate = element.get("router_id") or f"{prefix}{name}_router{suffix}"
            self.builder.router(gate, 0)
        for host in hosts:
            if host in self.builder.number:
                raise InputError(f"{self.file}: two hosts have the id {shown(host)}; give each its own")
            self.builder.router(host, 1)
        if shape != "FLAT":
            parameters = element.get("topo_parameters") or ""
            for number, link in enumerate(cluster_links(where, shape, parameters, hosts)):
                self.builder.router(link.other, 0)
                self.join(link.end, link.other, f"{name}/{number}", link.width * speed, delay, policy)
        elif element.get("bb_bw") is None:
            for host in hosts:
                self.join(host, gate, f"{name}/{host}", speed, delay, policy)
        else:
            # All that goes through the cluster shares one channel between two switches.
            entry, exit_ = f"{name}/in", f"{name}/out"
            self.builder.router(entry, 0)
            self.builder.router(exit_, 0)
            shared, later = bandwidth(element.get("bb_bw"), where), latency(element.get("bb_lat"), where)
            self.join(entry, exit_, f"{name}/backbone", shared, later, "SPLITDUPLEX", both=False)
            for end, rate, wait in (*((host, speed, delay) for host in hosts), (gate, shared, 0)):
                self.join(end, entry, f"{name}/{end}/up", rate, wait, policy, both=False)
                self.join(exit_, end, f"{name}/{end}/down", rate, wait, policy, both=False)

    def join(
        self, source: str, target: str, link: str, speed: Fraction, delay: int, policy: str, *, both: bool = True
    ) -> None:
        """Add a link of its own between two hosts or routers."""
        self.speeds[link], self.delays[link], self.policies[link] = speed, delay, policy
        self.routes.append((source, target, link, both))

    def network(self) -> Network:
        """Join the routers by the routes."""
        pair_of: dict[str, tuple[str, str]] = {}
        for source, target, link, _ in self.routes:
            for end in (source, target):
                if end not in self.builder.number:
                    raise InputError(f"{self.file}: a route names {shown(end)}, not a host or router of the file")
            if link not in self.speeds:
                raise InputError(f"{self.file}: a route names link {shown(link)}, which the file does not declare")
            pair = (min(source, target), max(source, target))
            if pair_of.setdefault(link, pair) != pair:
                raise InputError(
                    f"{self.file}: link {shown(link)} is on the routes {' - '.join(pair_of[link])} and "
                    f"{' - '.join(pair)}, and a channel joins two routers; put a router where they meet"
                )
        used = {link: self.speeds[link] for link in pair_of}
        alone = {link: self.speeds[link] for link in sorted(self.alone)}
        capacity = as_capacities(self.file, used | alone, "bandwidths (bytes a second)")
        joined: set[tuple[str, str, str]] = set()
        number = self.builder.number
        for source, target, link, both in self.routes:
            speed = ChannelSpeed(self.delays[link], max(1, round(self.speeds[link])))
            for tail, head in ((source, target), (target, source))[: 1 + both]:
                if (tail, head, link) not in joined:
                    joined.add((tail, head, link))
                    self.builder.channel(number[tail], number[head], capacity[link], speed)
        if any(self.delays[link] for link in used):
            self.file.note(LATENCIES)
        if any(self.policies[link] == "SHARED" for link in used):
            self.file.note(
                "links with sharing policy SHARED carry one way at a time in SimGrid; `duplex='half'` does so",
            )
        if any(self.policies[link] == "FATPIPE" for link in used):
            self.file.note(
                "links with sharing policy FATPIPE carry any number of messages in SimGrid, here as many as others do",
            )
        if not self.builder.number:
            raise InputError(f"{self.file}: the platform has no hosts or routers")
        return self.builder.network()


def _radical(file: File, text: str) -> list[int]:
    """Read the numbers of a cluster's hosts, `0-3,7`."""
    numbers: list[int] = []
    for part in text.split(","):
        first, dash, last = part.partition("-")
        low = whole(first, f"{file}: the radical of a cluster")
        high = whole(last, f"{file}: the radical of a cluster") if dash else low
        allow_count(f"{file}: a cluster", len(numbers) + high - low, "hosts")
        numbers += range(low, high + 1)
    return numbers


def read(file: File) -> Network:
    """Read a network from a SimGrid platform."""
    root = root_of(file)
    if root.tag != "platform":
        raise InputError(f"{file}: a SimGrid platform begins with <platform>, found <{root.tag}>")
    platform = Platform(file, NetworkBuilder(file))
    for element in root.iter():
        platform.take(element)
    return platform.network()


SIMGRID = Format(
    "simgrid",
    "platform of SimGrid: hosts are routers with a processor, routers pure switches, routes over a link join them",
    begins_with_element("platform"),
    read,
)


BYTES_PER_SECOND = 1_000_000_000
CONFIGURATION = {
    "network/model": "CM02",
    "network/TCP-gamma": "0",
    "network/weight-S": "0",
    "network/crosstraffic": "0",
    "network/bandwidth-factor": "1",
    "network/latency-factor": "1",
}


class _Ways:
    """The hosts, links and routes that the transfers of a schedule need, one after the other."""

    configuration = CONFIGURATION

    def __init__(self, problem: Problem) -> None:
        self.units = problem.units.tolist()
        self.ports = problem.rules.ports
        processors = range(problem.network.num_processors)
        self.hosts = {f"p{processor}" for processor in processors}
        capacity = problem.network.capacity.tolist()
        self.rates: dict[str, int] = {f"c{unit}": BYTES_PER_SECOND * capacity[unit] for unit in sorted(set(self.units))}
        """The bandwidth of each link."""
        self.is_wide = problem.network.capacities is not None
        if self.ports != "all":
            self.rates |= {f"{way}{p}": BYTES_PER_SECOND * self.ports for p in processors for way in ("out", "in")}
        self.routes: list[str] = []
        self.uses_local = False
        self._known: dict[tuple[int, int], list[tuple[int, ...]]] = {}

    def hosts_of(self, transfer: Transfer | TimedTransfer) -> tuple[str, str]:
        """Return the hosts between which a transfer goes, with a route between them."""
        known = self._known.setdefault((transfer.sender, transfer.receiver), [])
        sender, receiver = (f"p{end}" if end >= 0 else f"r{~end}" for end in (transfer.sender, transfer.receiver))
        is_new = transfer.path not in known
        if is_new:
            known.append(transfer.path)
        number = known.index(transfer.path)
        source = sender if number == 0 else f"{sender}.{number}"
        if is_new:
            self.hosts |= {source, receiver}
            inner = "".join(f'<link_ctn id="{link}"/>' for link in self._links(transfer))
            self.routes.append(f'    <route src="{source}" dst="{receiver}" symmetrical="NO">{inner}</route>')
        return source, receiver

    def _links(self, transfer: Transfer | TimedTransfer) -> list[str]:
        links = self._of_path(transfer.path)
        if self.ports != "all":
            out = [f"out{transfer.sender}"] if transfer.sender >= 0 else []
            links = out + links + ([f"in{transfer.receiver}"] if transfer.receiver >= 0 else [])
        if self.is_wide:
            return [*links, "one"]
        if not links:
            self.uses_local = True
        return links or ["local"]

    def _of_path(self, path: tuple[int, ...]) -> list[str]:
        return [f"c{self.units[channel]}" for channel in path]

    def platform(self, name: str) -> str:
        """Return the platform file."""
        speed = BYTES_PER_SECOND
        links = [f'    <link id="{link}" bandwidth="{rate}Bps" latency="0s"/>' for link, rate in self.rates.items()]
        each = ["local"] * self.uses_local + ["one"] * self.is_wide
        links += [
            f'    <link id="{link}" bandwidth="{speed}Bps" latency="0s" sharing_policy="FATPIPE"/>' for link in each
        ]
        lines = [
            "<?xml version='1.0'?>",
            '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">',
            f"<!-- {in_xml_comment(escape(name))}: c is a channel, or under half duplex a link -->",
            '<platform version="4.1">',
            "  <config>",
            *(f'    <prop id="{key}" value="{value}"/>' for key, value in self.configuration.items()),
            "  </config>",
            '  <zone id="network" routing="Full">',
            *(f'    <host id="{host}" speed="1Gf"/>' for host in sorted(self.hosts)),
            *links,
            *self.routes,
            "  </zone>",
            "</platform>",
        ]
        return "\n".join(lines) + "\n"


class _TimedWays(_Ways):
    """The same with the bandwidths of channels: under half duplex two channels share a link that is as fast as both."""

    configuration = CONFIGURATION | {"surf/precision": "1e-13"}

    def __init__(self, timed: TimedProblem) -> None:
        super().__init__(timed.problem)
        rates = timed.links.bandwidths.tolist()
        ports = {link: max(rates, default=1) * int(self.ports) for link in self.rates if not link.startswith("c")}
        self.rates = {f"c{channel}": rate for channel, rate in enumerate(rates)} | ports
        self.is_wide, self.is_half = False, timed.problem.rules.duplex == "half"
        if self.is_half:
            for channel, unit in enumerate(self.units):
                self.rates[f"half{unit}"] = max(rates[channel], self.rates.get(f"half{unit}", 0))

    def _of_path(self, path: tuple[int, ...]) -> list[str]:
        shared = [f"half{self.units[channel]}" for channel in path] if self.is_half else []
        return [f"c{channel}" for channel in path] + shared


def _render_timed(levels: TimedLevels, options: Options) -> dict[str, str]:
    timed, schedule = levels.result.timed, levels.result.schedule
    assert schedule is not None
    ways, case = _TimedWays(timed), TimedCase(timed, schedule, 1)
    rates = timed.links.bandwidths.tolist()
    rows = ["start_ps,from,to,bytes,latency_ps,usable_ps\n"]
    for one, hold, usable in zip(schedule, case.holds.tolist(), case.usable.tolist(), strict=True):
        if one.path:
            source, receiver = ways.hosts_of(one)
            num_bytes = hold * min(rates[channel] for channel in one.path) // PICOSECONDS
            rows.append(f"{one.start},{source},{receiver},{num_bytes},{usable - one.start - hold},{usable}\n")
    return _files(options, ways.platform(timed.problem.network.name), rows, "timed_replay.py")


def _render(result: Result, options: Options) -> dict[str, str]:
    problem, schedule = problem_and_schedule(result)
    ways = _Ways(problem)
    rows = ["step,from,to,bytes\n"]
    for transfer, num_bytes in zip(schedule, transfer_bytes(problem, schedule, options.size).tolist(), strict=True):
        source, receiver = ways.hosts_of(transfer)
        rows.append(f"{transfer.step + 1},{source},{receiver},{num_bytes}\n")
    return _files(options, ways.platform(problem.network.name), rows, "replay.py")


def _files(options: Options, platform_file: str, rows: list[str], template: str) -> dict[str, str]:
    """Return the platform, the table, and the program that replays it."""
    endings = (".platform.xml", ".transfers.csv", ".replay.py")
    platform, table, program = (f"{options.stem}{ending}" for ending in endings)
    values = {
        "PLATFORM": in_docstring(platform),
        "TABLE": in_docstring(table),
        "REPLAY": in_docstring(program),
        "PLATFORM_TEXT": in_literal(platform),
        "TABLE_TEXT": in_literal(table),
        "SPEED": BYTES_PER_SECOND,
    }
    return dict(zip(endings, (platform_file, "".join(rows), fill_template(template, values)), strict=True))


def _refuse(result: Result) -> str | None:
    if result.problem.rules.has_slots:
        return (
            "SimGrid replays one step after the other, and a packet uses one channel after the other, slot by slot; "
            "solve with `switching='wormhole'`"
        )
    return refuse_trees(result, "SimGrid")


SIMGRID_EXPORT = Export(
    "simgrid",
    "A platform for SimGrid with a link per channel, the transfers as a table, and a program that replays them.",
    ".platform.xml",
    _render,
    _refuse,
    num_files=3,
    sized=True,
    render_timed=_render_timed,
    refuses_timed=lambda levels: refuse_trees(levels, "SimGrid"),
)
