"""Replays steps of transfers in SimGrid: a script for the Python that has the `simgrid` module, Debian's own.

Reads JSON from stdin and writes JSON to stdout, and needs nothing but the standard library and simgrid. A link has a
bandwidth, shared among the transfers that run over it; a transfer has an amount, a delay before it flows and the links
of its way. Every transfer gets a pair of hosts of its own, with a private link of bandwidth 1 that bears its delay. A
step starts when all transfers of the step before are done. Answers when each transfer was done, counted from its step's
start.
"""

from __future__ import annotations

import json
import sys
from typing import Any

SETTINGS = (
    # No effects of TCP: bandwidth is shared evenly, and all of it is used.
    "network/model:CM02",
    "network/weight-S:0",
    "network/TCP-gamma:0",
    "network/crosstraffic:0",
    "network/bandwidth-factor:1",
    "network/latency-factor:1",
    "surf/precision:1e-9",
)
SCALE = 10**9
"""The bytes of a unit, and bytes a second of a link of bandwidth 1: amounts in SimGrid are whole bytes."""


def replayed(request: dict[str, Any]) -> list[list[float]]:
    """Return when each transfer of each step was done."""
    from simgrid import Actor, Comm, Engine, LinkInRoute, NetZone

    engine = Engine(["replay", "--log=root.thres:critical", *(f"--cfg={setting}" for setting in SETTINGS)])
    root = NetZone.create_star_zone("root")
    links = [
        root.create_link(f"link{i}", float(bandwidth) * SCALE).set_latency(0.0).seal()
        for i, bandwidth in enumerate(request["bandwidths"])
    ]
    steps: list[list[tuple[Any, Any, int]]] = []
    for step, transfers in enumerate(request["steps"]):
        steps.append([])
        for number, transfer in enumerate(transfers):
            # A zone of two hosts keeps the table of routes small, however many transfers there are.
            name = f"{step}-{number}"
            zone = NetZone.create_full_zone(name)
            zone.set_parent(root)
            ends = [zone.create_host(f"{name}-{end}", 1.0).seal() for end in ("from", "to")]
            own = zone.create_link(f"own{name}", float(SCALE)).set_latency(float(transfer["delay"])).seal()
            way = [LinkInRoute(own), *(LinkInRoute(links[i]) for i in transfer["links"])]
            zone.add_route(ends[0].netpoint, ends[1].netpoint, None, None, way, False)
            zone.seal()
            steps[-1].append((*ends, round(transfer["amount"] * SCALE)))
    conductor = root.create_host("conductor", 1.0).seal()
    root.seal()
    done: list[list[float]] = []

    def conduct() -> None:
        for transfers in steps:
            started = engine.clock
            running = [Comm.sendto_async(here, there, amount) for here, there, amount in transfers]
            times = [0.0] * len(running)
            waiting = list(range(len(running)))
            while waiting:
                ended = Comm.wait_any([running[i] for i in waiting])
                times[waiting.pop(ended)] = engine.clock - started
            done.append(times)

    Actor.create("conductor", conductor, conduct)
    engine.run()
    return done


if __name__ == "__main__":
    json.dump(replayed(json.load(sys.stdin)), sys.stdout)
