"""simgrid: a platform file of SimGrid in XML, and what replays a schedule on it.

A platform with a link per channel, the transfers as a table, and a program that replays them. SimGrid has one
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

from xml.sax.saxutils import escape

from pavane.io.formats.export import Export, Options, refuse_trees
from pavane.io.formats.templates import fill_template, in_docstring, in_literal, in_xml_comment
from pavane.io.levels import OrderedResult
from pavane.judge.result import Result
from pavane.judge.timed_case import TimedCase
from pavane.model.links import PICOSECONDS
from pavane.model.problem import Problem
from pavane.model.schedule import Transfer

BYTES_PER_SECOND = 1_000_000_000
CONFIGURATION = {
    "network/model": "CM02",
    "network/TCP-gamma": "0",
    "network/weight-S": "0",
    "network/crosstraffic": "0",
    "network/bandwidth-factor": "1",
    "network/latency-factor": "1",
}


class _Platform:
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

    def hosts_of(self, transfer: Transfer) -> tuple[str, str]:
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

    def _links(self, transfer: Transfer) -> list[str]:
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

    def text(self, name: str) -> str:
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


class _TimedPlatform(_Platform):
    """The same with the bandwidths of channels: under half duplex two channels share a link that is as fast as both."""

    configuration = CONFIGURATION | {"surf/precision": "1e-13"}

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        rates = problem.timing.links.bandwidths.tolist()
        ports = {link: max(rates, default=1) * int(self.ports) for link in self.rates if not link.startswith("c")}
        self.rates = {f"c{channel}": rate for channel, rate in enumerate(rates)} | ports
        self.is_wide, self.is_half = False, problem.rules.duplex == "half"
        if self.is_half:
            for channel, unit in enumerate(self.units):
                self.rates[f"half{unit}"] = max(rates[channel], self.rates.get(f"half{unit}", 0))

    def _of_path(self, path: tuple[int, ...]) -> list[str]:
        shared = [f"half{self.units[channel]}" for channel in path] if self.is_half else []
        return [f"c{channel}" for channel in path] + shared


def _render_timed(result: Result, options: Options) -> dict[str, str]:
    problem, schedule = result.problem, result.schedule
    assert schedule is not None
    platform, case = _TimedPlatform(problem), TimedCase(problem, schedule, 1)
    rates = problem.timing.links.bandwidths.tolist()
    rows = ["start_ps,from,to,bytes,latency_ps,usable_ps\n"]
    for one, hold, usable in zip(schedule, case.holds.tolist(), case.usable.tolist(), strict=True):
        if one.path:
            source, receiver = platform.hosts_of(one)
            num_bytes = hold * min(rates[channel] for channel in one.path) // PICOSECONDS
            rows.append(f"{one.start},{source},{receiver},{num_bytes},{usable - one.start - hold},{usable}\n")
    return _files(options, platform.text(problem.network.name), rows, "timed_replay.py")


def _render(ordered: OrderedResult, options: Options) -> dict[str, str]:
    if ordered.has_times:
        return _render_timed(ordered.result, options)
    problem, schedule = ordered.problem, ordered.schedule
    platform = _Platform(problem)
    rows = ["step,from,to,bytes\n"]
    for transfer, num_bytes in zip(schedule, ordered.transfer_bytes(options.size).tolist(), strict=True):
        source, receiver = platform.hosts_of(transfer)
        rows.append(f"{transfer.start + 1},{source},{receiver},{num_bytes}\n")
    return _files(options, platform.text(problem.network.name), rows, "replay.py")


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


def _refuse(ordered: OrderedResult) -> str | None:
    if ordered.problem.rules.has_slots:
        return (
            "SimGrid replays one step after the other, and a packet uses one channel after the other, slot by slot; "
            "solve with `switching='wormhole'`"
        )
    return refuse_trees(ordered, "SimGrid")


SIMGRID = Export(
    "simgrid",
    "A platform for SimGrid with a link per channel, the transfers as a table, and a program that replays them.",
    ".platform.xml",
    _render,
    _refuse,
    num_files=3,
    sized=True,
    has_times=True,
)
