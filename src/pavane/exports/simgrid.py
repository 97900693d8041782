"""simgrid: a platform with a link per channel, the transfers as a table, and a program that replays them in SimGrid.

SimGrid has one route between two hosts, a schedule may have several between two processors. So a processor is a host
for each of its routes to the same receiver: p0 for the first, p0.1 for the second. With all of TCP switched off, equal
messages that share no link all take the same time, and a step takes the time of its largest transfer, not more.
"""

from __future__ import annotations

from xml.sax.saxutils import escape, quoteattr

from pavane.exports.export import Export, Options
from pavane.exports.reasons import carried, nothing_to_write
from pavane.judge.result import Result

BYTES_PER_SECOND = 1_000_000_000
CONFIGURATION = {
    "network/model": "CM02",
    "network/TCP-gamma": "0",
    "network/weight-S": "0",
    "network/crosstraffic": "0",
    "network/bandwidth-factor": "1",
    "network/latency-factor": "1",
}
REPLAY = '''"""Replays @TABLE@ on @PLATFORM@ in SimGrid, step by step, and prints how long each step takes.

Run it with a Python that has SimGrid's module: python3 @REPLAY@
"""

import csv
import pathlib
import sys

from simgrid import Actor, Comm, Engine, Host

HERE = pathlib.Path(__file__).resolve().parent
SECONDS_PER_BYTE = 1 / @SPEED@


def replay():
    with open(HERE / "@TABLE@", newline="") as table:
        rows = [(int(row["step"]), row["from"], row["to"], int(row["bytes"])) for row in csv.DictReader(table)]
    late = 0
    for step in sorted({row[0] for row in rows}):
        start = Engine.clock
        now = [row for row in rows if row[0] == step]
        for comm in [Comm.sendto_async(Host.by_name(a), Host.by_name(b), size) for _, a, b, size in now]:
            comm.wait()
        took, ideal = Engine.clock - start, max(row[3] for row in now) * SECONDS_PER_BYTE
        late += took > ideal * (1 + 1e-6)
        print(f"step {step}: {took:.9f} s, {took / ideal:.6f} of the time without conflicts")
    print(f"{late} steps are slower than without conflicts")


if __name__ == "__main__":
    engine = Engine(sys.argv)
    engine.load_platform(str(HERE / "@PLATFORM@"))
    Actor.create("replay", Host.by_name("p0"), replay)
    engine.run()
'''


def _write(result: Result, options: Options) -> dict[str, bytes]:
    problem, schedule = carried(result)
    network, ports = problem.network, problem.rules.ports
    units = problem.units.tolist()
    capacities = {f"c{unit}": 1 for unit in sorted(set(units))}
    if ports != "all":
        capacities |= {f"{way}{p}": ports for p in range(network.num_processors) for way in ("out", "in")}
    routes: dict[tuple[int, int], list[tuple[int, ...]]] = {}
    hosts = {f"p{processor}" for processor in range(network.num_processors)}
    rows = ["step,from,to,bytes\n"]
    lines = []
    local = False
    for transfer in schedule:
        ends = (transfer.sender, transfer.receiver)
        known = routes.setdefault(ends, [])
        sender, receiver = (f"p{end}" if end >= 0 else f"r{~end}" for end in ends)
        fresh = transfer.path not in known
        if fresh:
            known.append(transfer.path)
        place = known.index(transfer.path)
        source = sender if place == 0 else f"{sender}.{place}"
        rows.append(f"{transfer.step + 1},{source},{receiver},{len(transfer.messages) * options.size}\n")
        if not fresh:
            continue
        hosts |= {source, receiver}
        links = [f"c{units[channel]}" for channel in transfer.path]
        if ports != "all":
            links = [f"out{ends[0]}"] * (ends[0] >= 0) + links + [f"in{ends[1]}"] * (ends[1] >= 0)
        if not links:
            local, links = True, ["local"]
        inner = "".join(f'<link_ctn id="{link}"/>' for link in links)
        lines.append(f'    <route src="{source}" dst="{receiver}" symmetrical="NO">{inner}</route>')
    made = [
        "<?xml version='1.0'?>",
        '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">',
        f"<!-- {escape(network.name).replace('--', '- -')}: c is a channel, or under half duplex a link -->",
        '<platform version="4.1">',
        "  <config>",
        *(f'    <prop id="{name}" value="{value}"/>' for name, value in CONFIGURATION.items()),
        "  </config>",
        f'  <zone id={quoteattr("network")} routing="Full">',
        *(f'    <host id="{host}" speed="1Gf"/>' for host in sorted(hosts)),
        *(
            f'    <link id="{link}" bandwidth="{BYTES_PER_SECOND * width}Bps" latency="0s"/>'
            for link, width in capacities.items()
        ),
        *(
            [f'    <link id="local" bandwidth="{BYTES_PER_SECOND}Bps" latency="0s" sharing_policy="FATPIPE"/>']
            if local
            else []
        ),
        *lines,
        "  </zone>",
        "</platform>",
    ]
    names = {
        "@PLATFORM@": f"{options.stem}.platform.xml",
        "@TABLE@": f"{options.stem}.transfers.csv",
        "@REPLAY@": f"{options.stem}.replay.py",
    }
    replay = REPLAY.replace("@SPEED@", str(BYTES_PER_SECOND))
    for mark, name in names.items():
        replay = replay.replace(mark, name)
    platform, table, program = names.values()
    return {
        platform: ("\n".join(made) + "\n").encode(),
        table: "".join(rows).encode(),
        program: replay.encode(),
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
