"""Replays a schedule in SimGrid, and reads from the times whether transfers got in each other's way.

SimGrid shares the bandwidth of a channel among the transfers on it. So a transfer of k messages takes exactly k units
of time if and only if no channel, link or port on its way is overloaded: a proof of conflict freedom by a program that
knows nothing of pavane. Network channels and ports pass as many transfers at full speed as they have capacity, and
under half duplex the two channels of a link are one. Where messages have pieces, a unit is the time of one piece.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections import Counter
from dataclasses import dataclass
from functools import cache
from typing import Any

from pavane.errors import InputError, PavaneError
from pavane.execution import simgrid_replay
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule, Transfer
from pavane.timing import Costs, point_to_point

TOLERANCE = 1e-6
"""SimGrid computes in floating point; a conflict costs at least a 1/(k+1)th of a unit at a port of capacity k."""


@dataclass(frozen=True)
class Late:
    """Transfers of one step that took longer than alone, and what they share."""

    step: int
    units: float
    """How long the step took."""
    expected: int
    """How long it takes without conflicts: its largest payload."""
    shared: tuple[str, ...]
    """Channels and ports over which more than their capacity ran."""

    def __str__(self) -> str:
        what = ", ".join(self.shared) or "something"
        return f"step {self.step + 1} took {self.units:.6g} units instead of {self.expected}: transfers share {what}"


@dataclass(frozen=True)
class Replay:
    """What SimGrid measured: the units of each step, and the steps in which transfers met."""

    steps: tuple[float, ...]
    late: tuple[Late, ...]

    @property
    def total(self) -> float:
        """Return the units of all steps."""
        return sum(self.steps)


def replay(problem: Problem, schedule: Schedule) -> Replay:
    """Replay a schedule with messages that take one unit of time each."""
    if problem.rules.has_slots:
        raise InputError(
            "SimGrid replays steps in which whole paths are held, and tdm has none; `pavane verify` judges its slots"
        )
    ways = _Ways(problem)
    steps = [[schedule.transfer(i) for i in schedule.of_step(step)] for step in range(schedule.num_steps)]
    flows = [[{"links": ways.of(t), "amount": len(t.messages), "delay": 0} for t in step] for step in steps]
    done = _replayed(ways, flows)
    late = []
    for number, (transfers, times) in enumerate(zip(steps, done, strict=True)):
        slow = [t for t, time in zip(transfers, times, strict=True) if time > len(t.messages) + TOLERANCE]
        if slow:
            expected = max(len(t.messages) for t in transfers)
            late.append(Late(number, max(times), expected, ways.overloaded(transfers)))
    return Replay(tuple(_rounded(max(times, default=0.0)) for times in done), tuple(late))


def simulated_time(problem: Problem, schedule: Schedule, costs: Costs, size: float) -> tuple[float, ...]:
    """Return the simulated seconds of each step: start-ups and hops delay transfers, bytes take their time.

    A message of one unit has `size` bytes, and its pieces an equal part of them each.
    """
    ways = _Ways(problem)
    piece = size / problem.collective.pieces
    # SimGrid takes times below its precision for zero: reckon in units of one message over one channel.
    unit = point_to_point(costs, piece, 1) or 1.0
    flows = [
        [
            {
                "links": ways.of(transfer),
                "amount": len(transfer.messages) * piece * costs.per_byte / unit,
                "delay": (costs.startup + len(transfer.path) * costs.per_hop) / unit,
            }
            for transfer in (schedule.transfer(i) for i in schedule.of_step(step))
        ]
        for step in range(schedule.num_steps)
    ]
    return tuple(_rounded(max(times, default=0.0)) * unit for times in _replayed(ways, flows))


def _rounded(time: float) -> float:
    """Round to what SimGrid computes exactly enough."""
    return round(time, 9)


class _Ways:
    """The links of a replay: network channels first, then injection and ejection ports."""

    def __init__(self, problem: Problem) -> None:
        self.problem, network = problem, problem.network
        self.bandwidths = network.capacity.tolist()
        self.bandwidths += problem.injection.tolist() + problem.ejection.tolist()
        self.injection = network.num_channels
        self.ejection = network.num_channels + network.num_processors

    def of(self, transfer: Transfer) -> list[int]:
        """Return the links of a transfer's way; pure switches have no ports."""
        links = [self.injection + transfer.sender] * (transfer.sender >= 0)
        links += self.problem.units[list(transfer.path)].tolist()
        return links + [self.ejection + transfer.receiver] * (transfer.receiver >= 0)

    def overloaded(self, transfers: list[Transfer]) -> tuple[str, ...]:
        """Name the links that more transfers use at once than their capacity."""
        loads = Counter(link for transfer in transfers for link in self.of(transfer))
        return tuple(self._name(link) for link in sorted(loads) if loads[link] > self.bandwidths[link])

    def _name(self, link: int) -> str:
        network = self.problem.network
        if link >= self.ejection:
            return f"the port into processor {link - self.ejection}"
        if link >= self.injection:
            return f"the port out of processor {link - self.injection}"
        tail, head = (network.routers[router] for router in network.channels[link].tolist())
        both = self.problem.rules.duplex == "half" and network.opposite[link] >= 0
        return f"link {tail}-{head}" if both else f"channel {tail}>{head}"


# -- the other Python


@cache
def simgrid_python() -> str:
    """Return a Python that has SimGrid."""
    for candidate in ("/usr/bin/python3", shutil.which("python3")):
        if candidate and shutil.which(candidate) and _speaks_simgrid(candidate):
            return candidate
    raise PavaneError(
        "simulations need SimGrid, which no python3 here has; install it with `apt install python3-simgrid`"
    )


def _speaks_simgrid(python: str) -> bool:
    probe = subprocess.run([python, "-c", "import simgrid"], capture_output=True, check=False, stdin=subprocess.DEVNULL)
    return probe.returncode == 0


def _replayed(ways: _Ways, steps: list[list[dict[str, Any]]]) -> list[list[float]]:
    request = json.dumps({"bandwidths": ways.bandwidths, "steps": steps})
    ran = subprocess.run(
        [simgrid_python(), "-I", simgrid_replay.__file__], input=request, capture_output=True, text=True, check=False
    )
    if ran.returncode:
        said = (ran.stderr.strip().splitlines() or ["it said nothing"])[-1]
        raise PavaneError(f"SimGrid ended with code {ran.returncode}: {said}")
    done: list[list[float]] = json.loads(ran.stdout)
    return done
