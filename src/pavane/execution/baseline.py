"""The collectives of MPI libraries in SimGrid, on the network of a schedule: what its own algorithms would take.

SimGrid's SMPI has the algorithms of several MPI libraries. Each is replayed on the network, with messages along one
fixed shortest path for every pair of processors, and with neither start-ups nor latencies: a message takes one unit on
a free path, or as many as it has pieces. Two tables of paths are tried, and the faster one counts: the lowest channel
at every router, which on meshes is dimension order, and paths spread over the network. Two ways to share a channel are
measured:

* one at a time: a channel carries one message, as in the schedule, and others wait (SimGrid's concurrency limit); a
  channel of capacity c is c lanes, and the paths over it take them in turn;
* ideal sharing: a channel is split evenly and without loss among any number of messages, as in no wormhole network.

It takes smpirun, which Debian has in libsimgrid-dev; nothing is compiled.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any

from pavane.errors import PavaneError
from pavane.execution.jobs import library
from pavane.execution.simgrid_replay import SETTINGS
from pavane.model.problem import Problem
from pavane.solvers.unit_capacities import ExpandedProblem

BANDWIDTH = 10**6
"""Bytes a second of a channel, and bytes of a message: a message takes one second on a free path."""

WITHOUT_CHOICE = ("scatterv", "gatherv")
"""Collectives for which SimGrid has one algorithm, without a name."""
ONLY = "default"

MOST_SECONDS = 60
"""Seconds that one algorithm may take to be simulated."""


@dataclass(frozen=True)
class Baseline:
    """The fastest of the algorithms that SimGrid has for a collective."""

    collective: str
    algorithm: str
    units: float
    """The time of the fastest where a channel carries one message at a time."""
    ideal_algorithm: str
    ideal_units: float
    """The time of the fastest where channels are shared ideally."""
    num_algorithms: int


def best_algorithm(problem: Problem) -> Baseline:
    """Simulate SimGrid's own algorithms for the collective of a problem, and return the best."""
    if shutil.which("smpirun") is None:
        raise PavaneError(
            "a baseline needs smpirun, which is not on the PATH; install it with `apt install libsimgrid-dev`"
        )
    about = library(problem)
    tables = [ordered_paths(problem, about["members"]), spread_paths(problem, about["members"])]
    if tables[0] == tables[1]:
        tables.pop()
    lanes = ExpandedProblem.of(problem)
    name = about["name"].replace("_block", "").lower()
    with tempfile.TemporaryDirectory(prefix="pavane-") as text:
        folder = Path(text)
        _write_actions(folder, about)
        times: dict[bool, dict[str, float]] = {False: {}, True: {}}
        algorithms: list[str] = []
        for ideal, found in times.items():
            for paths in tables:
                shared, ways = (problem, paths) if ideal else (lanes.problem, in_lanes(problem, paths))
                _write_platform(folder, shared, ways, about["members"], ideal)
                algorithms = algorithms or _algorithms(folder, about, name)
                for algorithm in algorithms:
                    seconds = _seconds(_smpirun(folder, about, name, algorithm, ideal))
                    if seconds is not None:
                        found[algorithm] = min(found.get(algorithm, seconds), seconds)
    if not times[False] or not times[True]:
        raise PavaneError(f"none of SimGrid's algorithms for MPI_{about['name']} came to an end on this network")
    best, ideal_best = (min(times[ideal], key=lambda a: (times[ideal][a], a)) for ideal in (False, True))
    units = [
        times[ideal][algorithm] * problem.collective.pieces for ideal, algorithm in ((False, best), (True, ideal_best))
    ]
    return Baseline(f"MPI_{about['name']}", best, units[0], ideal_best, units[1], len(times[False]))


# -- running


def _smpirun(folder: Path, about: dict[str, Any], name: str, algorithm: str, ideal: bool) -> str:
    settings = [
        *SETTINGS,
        "smpi/bw-factor:0:1",
        "smpi/lat-factor:0:1",
        "smpi/host-speed:1Gf",
        *([] if algorithm == ONLY else [f"smpi/{name}:{algorithm}"]),
        *([] if ideal else ["maxmin/concurrency-limit:1"]),
    ]
    command = ["smpirun", "-np", str(len(about["members"])), "-platform", "platform.xml", "-hostfile", "hosts.txt"]
    command += ["-replay", "traces.txt", *(f"--cfg={setting}" for setting in settings)]
    try:
        ran = subprocess.run(
            command,
            cwd=folder,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=MOST_SECONDS,
            check=False,
            stdin=subprocess.DEVNULL,
            env={**os.environ, "TMPDIR": str(folder)},
        )
    except subprocess.TimeoutExpired:
        return ""
    return ran.stdout + ran.stderr


def _algorithms(folder: Path, about: dict[str, Any], name: str) -> list[str]:
    """Query SimGrid for its algorithms: it lists them where one is not known."""
    if name in WITHOUT_CHOICE:
        return [ONLY]
    said = _smpirun(folder, about, name, "which", True)
    listed = re.search(r"Valid algorithms: ([\w, ]+)", said)
    if listed is None:
        raise PavaneError(f"smpirun does not say which algorithms it has for {name}: {' '.join(said.split())[-200:]}")
    # Variants that only add barriers are not faster than the plain ones.
    return [algorithm for algorithm in listed[1].split(", ") if "barrier" not in algorithm]


def _seconds(said: str) -> float | None:
    found = re.findall(r"Simulation time ([\d.]+)", said)
    return round(float(found[-1]), 3) if found else None


# -- what smpirun reads


def _write_actions(folder: Path, about: dict[str, Any]) -> None:
    """Write the one call that every process makes, as a trace."""
    lines = []
    for member in range(len(about["members"])):
        lines += [f"{member} init", f"{member} {_action(about, member)}", f"{member} finalize"]
    (folder / "actions.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "traces.txt").write_text("actions.txt\n", encoding="utf-8")


def _action(about: dict[str, Any], member: int) -> str:
    size, many, root = BANDWIDTH, range(len(about["members"])), about["root"]
    units: list[int] | None = about.get("units")
    byte = "6"  # MPI_BYTE in SimGrid's traces
    match about["name"]:
        case "Alltoall" | "Allgather" as name:
            return f"{name.lower()} {size} {size} {byte} {byte}"
        case "Bcast":
            return f"bcast {size * (units or [1])[0]} {root} {byte}"
        case "Reduce":
            return f"reduce {size * (units or [1])[0]} 0 {root} {byte}"
        case "Allreduce":
            return f"allreduce {size * (units or [1])[0]} 0 {byte}"
        case "Scatter" | "Gather" as name:
            return f"{name.lower()} {size} {size} {root} {byte} {byte}"
        case "Scatterv" | "Gatherv" as name:
            counts = [size * n for n in units or []]
            every = " ".join(map(str, counts))
            parts = f"{every} {counts[member]}" if name == "Scatterv" else f"{counts[member]} {every}"
            return f"{name.lower()} {parts} {root} {byte} {byte}"
        case "Allgatherv":
            counts = [size * n for n in units or [int(peer in about["senders"]) for peer in many]]
            return f"allgatherv {counts[member]} {' '.join(map(str, counts))} {byte} {byte}"
        case "Alltoallv":
            lengths = dict(zip(map(tuple, about["pairs"]), units or [1] * len(about["pairs"]), strict=True))
            out = [size * lengths.get((member, peer), 0) for peer in many]
            into = [size * lengths.get((peer, member), 0) for peer in many]
            boxes = f"{sum(out)} {' '.join(map(str, out))} {sum(into)} {' '.join(map(str, into))}"
            return f"alltoallv {boxes} {byte} {byte}"
        case _:
            counts = [size * n for n in units or [int(peer in about["receivers"]) for peer in many]]
            return f"reducescatter {' '.join(map(str, counts))} 0 {byte}"


def _write_platform(
    folder: Path, problem: Problem, paths: dict[tuple[int, int], list[int]], members: list[int], ideal: bool
) -> None:
    """Write the network with its routes: a host for each member, a link for each channel and port.

    Where a link carries one message at a time, ports of more than one are left out: their channels limit them enough.
    """
    units = problem.units.tolist()
    lines = [f'<host id="p{member}" speed="1Gf"/>' for member in members]
    widths = problem.network.capacity.tolist()
    links = {f"c{channel}": widths[channel] for channel in set(units)}
    for processor in members:
        for side, capacities in (("i", problem.injection), ("e", problem.ejection)):
            if ideal or capacities[processor] == 1:
                links[f"{side}{processor}"] = int(capacities[processor])
    lines += [f'<link id="{link}" bandwidth="{k * BANDWIDTH}Bps" latency="0s"/>' for link, k in links.items()]
    # Where neither port is limited, two processors of one router still need a link between them.
    lines.append(f'<link id="local" bandwidth="{BANDWIDTH}Bps" latency="0s" sharing_policy="FATPIPE"/>')
    for (here, there), channels in paths.items():
        path = [f"c{units[channel]}" for channel in channels] or ["local"]
        way = [link for link in (f"i{here}", *path, f"e{there}") if link in links or link == "local"]
        inner = "".join(f'<link_ctn id="{link}"/>' for link in way)
        lines.append(f'<route src="p{here}" dst="p{there}" symmetrical="NO">{inner}</route>')
    body = "\n".join(lines)
    (folder / "platform.xml").write_text(
        '<?xml version="1.0"?>\n<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n'
        f'<platform version="4.1"><zone id="network" routing="Full">\n{body}\n</zone></platform>\n',
        encoding="utf-8",
    )
    (folder / "hosts.txt").write_text("".join(f"p{member}\n" for member in members), encoding="utf-8")


def ordered_paths(problem: Problem, members: list[int]) -> dict[tuple[int, int], list[int]]:
    """Return for each pair of members the shortest path that takes the lowest channel at every router."""
    nothing = [0] * problem.network.num_channels
    homes = problem.network.router_of.tolist()
    return {
        (here, there): _least_loaded(problem, homes[here], homes[there], nothing)
        for here in members
        for there in members
        if here != there
    }


def spread_paths(problem: Problem, members: list[int]) -> dict[tuple[int, int], list[int]]:
    """Return one shortest path for each pair of members, chosen one after the other where the least runs so far."""
    network, units = problem.network, problem.units.tolist()
    loads = [0] * network.num_channels
    paths = {}
    for apart in range(1, len(members)):
        for index, here in enumerate(members):
            there = members[(index + apart) % len(members)]
            path = _least_loaded(problem, int(network.router_of[here]), int(network.router_of[there]), loads)
            for channel in path:
                loads[units[channel]] += 1
            paths[here, there] = path
    return paths


def in_lanes(problem: Problem, paths: dict[tuple[int, int], list[int]]) -> dict[tuple[int, int], list[int]]:
    """Return paths over parallel channels for capacities, as `Spread` numbers them, which take these in turn."""
    widths = problem.network.capacity.tolist()
    firsts = [0, *accumulate(widths)]
    used = [0] * len(widths)
    found: dict[tuple[int, int], list[int]] = {}
    for ends, path in paths.items():
        found[ends] = [firsts[channel] + used[channel] % widths[channel] for channel in path]
        for channel in path:
            used[channel] += 1
    return found


def _least_loaded(problem: Problem, first: int, last: int, loads: list[int]) -> list[int]:
    """Return the shortest path between two routers with the least sum of loads; of equals the lowest channels."""
    network, units = problem.network, problem.units.tolist()
    distances = network.distances[:, last].tolist()
    best: dict[int, tuple[int, list[int]]] = {first: (0, [])}
    for left in range(distances[first], 0, -1):
        following: dict[int, tuple[int, list[int]]] = {}
        for load, path in best.values():
            router = int(network.heads[path[-1]]) if path else first
            for channel in network.out_channels[router]:
                head = int(network.heads[channel])
                if distances[head] == left - 1:
                    found = (load + loads[units[channel]], [*path, channel])
                    following[head] = min(following.get(head, found), found)
        best = following
    return best[last][1]
