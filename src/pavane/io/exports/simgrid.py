"""simgrid: a platform with a link per channel, the transfers as a table, and a program that replays them in SimGrid.

SimGrid has one route between two hosts, a schedule may have several between two processors. So a processor is a host
for each of its routes to the same receiver: p0 for the first, p0.1 for the second. With all of TCP switched off, equal
messages that share no link all take the same time, and a step takes the time of its largest transfer, not more. A
channel of capacity c has c times the bandwidth, and each route a link `one` that keeps transfers from going faster.
"""

from __future__ import annotations

from xml.sax.saxutils import escape

from pavane.io.exports.export import Export, Options
from pavane.io.exports.reasons import carried, nothing_to_write
from pavane.io.exports.templates import filled, in_docstring, in_literal, in_xml_comment
from pavane.io.message_bytes import transfer_bytes
from pavane.judge.result import Result
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


class _Ways:
    """The hosts, links and routes that the transfers of a schedule need, one after the other."""

    def __init__(self, problem: Problem) -> None:
        self.units = problem.units.tolist()
        self.ports = problem.rules.ports
        processors = range(problem.network.num_processors)
        self.hosts = {f"p{processor}" for processor in processors}
        capacity = problem.network.capacity.tolist()
        self.capacities: dict[str, int] = {f"c{unit}": capacity[unit] for unit in sorted(set(self.units))}
        self.is_wide = problem.network.capacities is not None
        if self.ports != "all":
            self.capacities |= {f"{way}{p}": self.ports for p in processors for way in ("out", "in")}
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
        links = [f"c{self.units[channel]}" for channel in transfer.path]
        if self.ports != "all":
            out = [f"out{transfer.sender}"] if transfer.sender >= 0 else []
            links = out + links + ([f"in{transfer.receiver}"] if transfer.receiver >= 0 else [])
        if self.is_wide:
            return [*links, "one"]
        if not links:
            self.uses_local = True
        return links or ["local"]

    def platform(self, name: str) -> str:
        """Return the platform file."""
        speed = BYTES_PER_SECOND
        links = [
            f'    <link id="{link}" bandwidth="{speed * width}Bps" latency="0s"/>'
            for link, width in self.capacities.items()
        ]
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
            *(f'    <prop id="{key}" value="{value}"/>' for key, value in CONFIGURATION.items()),
            "  </config>",
            '  <zone id="network" routing="Full">',
            *(f'    <host id="{host}" speed="1Gf"/>' for host in sorted(self.hosts)),
            *links,
            *self.routes,
            "  </zone>",
            "</platform>",
        ]
        return "\n".join(lines) + "\n"


def _write(result: Result, options: Options) -> dict[str, bytes]:
    problem, schedule = carried(result)
    ways = _Ways(problem)
    rows = ["step,from,to,bytes\n"]
    for transfer, num_bytes in zip(schedule, transfer_bytes(problem, schedule, options.size).tolist(), strict=True):
        source, receiver = ways.hosts_of(transfer)
        rows.append(f"{transfer.step + 1},{source},{receiver},{num_bytes}\n")
    platform, table = f"{options.stem}.platform.xml", f"{options.stem}.transfers.csv"
    program = f"{options.stem}.replay.py"
    values = {
        "PLATFORM": in_docstring(platform),
        "TABLE": in_docstring(table),
        "REPLAY": in_docstring(program),
        "PLATFORM_TEXT": in_literal(platform),
        "TABLE_TEXT": in_literal(table),
        "SPEED": BYTES_PER_SECOND,
    }
    return {
        platform: ways.platform(problem.network.name).encode(),
        table: "".join(rows).encode(),
        program: filled("replay.py", values).encode(),
    }


SIMGRID = Export(
    "simgrid",
    "A platform for SimGrid with a link per channel, the transfers as a table, and a program that replays them.",
    ".platform.xml",
    nothing_to_write,
    _write,
    num_files=3,
    sized=True,
)
