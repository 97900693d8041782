"""Replays steps of transfers in SimGrid: a script for the Python that has the `simgrid` module, Debian's own.

Reads JSON from stdin and writes JSON to stdout, and needs nothing but the standard library and simgrid. A link has a
bandwidth, shared among the transfers that run over it; a transfer has an amount, a delay before it flows and the links
of its way. Every transfer gets a pair of hosts of its own, with a private link of bandwidth 1 that bears its delay. A
step starts when all transfers of the step before are done. Answers when each transfer was done, counted from its step's
start.

Without steps, a transfer flows from its start on, or as soon as those that it waits for are done; its delay passes
after it has flowed, and others may wait for that, too. Answers when each transfer has flowed. Times are in
microseconds and amounts in bytes.
"""

from __future__ import annotations

import heapq
import json
import sys
from collections.abc import Callable
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


BYTE = 10**6
"""What a byte counts for where times are microseconds: a whole number of these is exact to less than a picosecond."""


class _Stage:
    """SimGrid with shared links, and a pair of hosts for every transfer."""

    def __init__(self, bandwidths: list[float], scale: int) -> None:
        from simgrid import Engine, NetZone

        self.engine = Engine(["replay", "--log=root.thres:critical", *(f"--cfg={setting}" for setting in SETTINGS)])
        self.scale, self.root = scale, NetZone.create_star_zone("root")
        self.links = [
            self.root.create_link(f"link{i}", float(bandwidth) * scale).set_latency(0.0).seal()
            for i, bandwidth in enumerate(bandwidths)
        ]

    def ends(self, name: str, links: list[int], bandwidth: float, delay: float) -> tuple[Any, Any]:
        """Return the hosts of a transfer, joined by a private link and then the shared ones."""
        from simgrid import LinkInRoute

        here, there = (self.root.create_host(f"{name}-{end}", 1.0).seal() for end in ("from", "to"))
        own = self.root.create_link(f"own{name}", bandwidth * self.scale).set_latency(delay).seal()
        # In a star each host has one way to its middle: no table of routes, however many transfers there are.
        way = [LinkInRoute(own), *(LinkInRoute(self.links[i]) for i in links)]
        self.root.add_route(here.netpoint, None, None, None, way, False)
        self.root.add_route(None, there.netpoint, None, None, [], False)
        return here, there

    def run(self, conduct: Callable[[], None]) -> None:
        """Let one actor conduct all transfers."""
        from simgrid import Actor

        conductor = self.root.create_host("conductor", 1.0).seal()
        self.root.seal()
        Actor.create("conductor", conductor, conduct)
        self.engine.run()


def replayed(request: dict[str, Any]) -> list[list[float]]:
    """Return when each transfer of each step was done."""
    from simgrid import Comm

    stage = _Stage(request["bandwidths"], SCALE)
    steps = [
        [
            (*stage.ends(f"{step}-{number}", one["links"], 1.0, float(one["delay"])), round(one["amount"] * SCALE))
            for number, one in enumerate(transfers)
        ]
        for step, transfers in enumerate(request["steps"])
    ]
    done: list[list[float]] = []

    def conduct() -> None:
        for transfers in steps:
            started = stage.engine.clock
            running = [Comm.sendto_async(here, there, amount) for here, there, amount in transfers]
            for one in running:
                one.wait()
            done.append([one.finish_time - started for one in running])

    stage.run(conduct)
    return done


def flowed(request: dict[str, Any]) -> list[float]:
    """Return when each transfer has flowed, where each has a start or waits for others."""
    from simgrid import Comm, this_actor

    transfers = request["transfers"]
    stage = _Stage(request["bandwidths"], BYTE)
    ends = [
        stage.ends(str(number), one["links"], one["bandwidth"], 0.0) if one["links"] else None
        for number, one in enumerate(transfers)
    ]
    left = [len(one["after"]) for one in transfers]
    following: list[list[tuple[int, bool]]] = [[] for _ in transfers]
    for number, one in enumerate(transfers):
        for before, is_data in one["after"]:
            following[before].append((number, is_data))
    starts = [float(one["start"]) for one in transfers]
    ready = [(start, number) for number, start in enumerate(starts) if not left[number]]
    heapq.heapify(ready)
    times = [0.0] * len(transfers)

    def over(number: int, now: float) -> None:
        times[number] = now
        for later, is_data in following[number]:
            starts[later] = max(starts[later], now + (transfers[number]["delay"] if is_data else 0.0))
            left[later] -= 1
            if not left[later]:
                heapq.heappush(ready, (starts[later], later))

    def conduct() -> None:
        running: list[Any] = []
        numbers: list[int] = []
        while ready or running:
            while ready and ready[0][0] <= stage.engine.clock + 1e-9:
                _, number = heapq.heappop(ready)
                pair = ends[number]
                if pair is None:
                    over(number, stage.engine.clock)
                else:
                    running.append(Comm.sendto_async(*pair, round(transfers[number]["amount"] * BYTE)))
                    numbers.append(number)
            if not running:
                if ready:
                    this_actor.sleep_until(ready[0][0])
                continue
            until = ready[0][0] - stage.engine.clock if ready else -1.0  # without a limit
            ended = Comm.wait_any_for(running, until)
            if ended >= 0:
                running.pop(ended)
                over(numbers.pop(ended), stage.engine.clock)

    stage.run(conduct)
    return times


if __name__ == "__main__":
    request = json.load(sys.stdin)
    json.dump(flowed(request) if "transfers" in request else replayed(request), sys.stdout)
