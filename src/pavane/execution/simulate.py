"""Replays a schedule in SimGrid, and reads from the times whether transfers got in each other's way.

SimGrid shares the bandwidth of a channel among the transfers on it. So a transfer of k messages takes exactly k units
of time if and only if no channel, link or port on its way is overloaded: a proof of conflict freedom by a program that
knows nothing of pavane. Network channels and ports pass as many transfers at full speed as they have capacity, and
under half duplex the two channels of a link are one. Where messages have pieces, a unit is the time of one piece.

A timed schedule is replayed with the bandwidths of its channels, once from its starts and once without clocks, where
each transfer waits for its data and channels. No transfer may then be later than predicted.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from pavane.errors import InputError, PavaneError
from pavane.execution import simgrid_replay
from pavane.judge.timed_case import TimedCase
from pavane.judge.timed_order import dependences
from pavane.judge.timed_result import TimedResult
from pavane.model.any_table import AnyTable
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule, Transfer
from pavane.model.timed import TimedProblem, TimedTransfer
from pavane.timing import Costs, point_to_point

TOLERANCE = 1e-6
"""SimGrid computes in floating point; a conflict costs at least a 1/(k+1)th of a unit at a port of capacity k."""

MOST_TRANSFERS = 40_000
"""Transfers of a step: SimGrid's time grows with their square, to a minute or two here."""

MOST_HOPS = 1_000_000
"""Channels on the paths of a step: each takes a kilobyte in SimGrid."""

MICROSECOND = 10**6
"""Picoseconds of a microsecond, the unit of time of a timed replay."""


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
    num_transfers: int = 0

    @property
    def total(self) -> float:
        """Return the units of all steps."""
        return sum(self.steps)


def replay(problem: Problem, schedule: Schedule | AnyTable, steps: Sequence[int] | None = None) -> Replay:
    """Replay a schedule, or some steps of it or of a table, with messages that take one unit of time each."""
    if problem.rules.has_slots:
        raise InputError(
            "SimGrid replays steps in which whole paths are held, and tdm has none; `pavane verify` judges its slots"
        )
    if problem.has_trees:
        raise InputError("SimGrid's flows go from one to one, and routers copy and add here; `pavane verify` judges it")
    ways = _Ways(problem)
    numbers = range(schedule.num_steps) if steps is None else steps
    transfers_of = [_transfers(problem, schedule, number) for number in numbers]
    flows = [[{"links": ways.of(t), "amount": len(t.messages), "delay": 0} for t in step] for step in transfers_of]
    done: list[list[float]] = _simgrid({"bandwidths": ways.bandwidths, "steps": flows})
    late = []
    for number, transfers, times in zip(numbers, transfers_of, done, strict=True):
        slow = [t for t, time in zip(transfers, times, strict=True) if time > len(t.messages) + TOLERANCE]
        if slow:
            expected = max(len(t.messages) for t in transfers)
            late.append(Late(number, max(times), expected, ways.overloaded(transfers)))
    num_transfers = sum(map(len, transfers_of))
    return Replay(tuple(_rounded(max(times, default=0.0)) for times in done), tuple(late), num_transfers)


def _transfers(problem: Problem, schedule: Schedule | AnyTable, step: int) -> list[Transfer]:
    """Return the transfers of a step; refuses more than SimGrid takes."""
    if isinstance(schedule, Schedule):
        transfers = [schedule.transfer(number) for number in schedule.of_step(step)]
    else:
        transfers = list(schedule.expand_step(problem, step))
    num_hops = sum(len(transfer.path) for transfer in transfers)
    for count, most, what in ((len(transfers), MOST_TRANSFERS, "transfers"), (num_hops, MOST_HOPS, "channels in use")):
        if count > most:
            raise InputError(
                f"step {step + 1} has {count:,} {what}, and SimGrid takes minutes for more than {most:,}; "
                "`pavane verify` judges it"
            )
    return transfers


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
    done = _simgrid({"bandwidths": ways.bandwidths, "steps": flows})
    return tuple(_rounded(max(times, default=0.0)) * unit for times in done)


def _rounded(time: float) -> float:
    """Round to what SimGrid computes exactly enough."""
    return round(time, 9)


@dataclass(frozen=True)
class TimedReplay:
    """What SimGrid measured of a timed schedule, in picoseconds."""

    finish: float
    """When the last data were usable, with the starts of the file."""
    lateness: float
    """By how much the latest transfer was later than predicted."""
    self_timed_finish: float
    """When the last data were usable without clocks."""
    self_timed_lateness: float


def replay_timed(result: TimedResult) -> TimedReplay:
    """Replay a timed schedule, from its starts and without clocks."""
    timed, schedule = result.timed, result.schedule
    if schedule is None:
        raise InputError("there is no schedule to replay")
    if timed.problem.has_trees:
        raise InputError("SimGrid's flows go from one to one, and routers copy and add here; `pavane verify` judges it")
    case = TimedCase(timed, schedule, 1)
    links = _TimedLinks(timed)
    edges = dependences(case)
    after: list[list[tuple[int, bool]]] = [[] for _ in schedule]
    for before, number, is_data in zip(*(column.tolist() for column in edges), strict=True):
        after[number].append((before, is_data))
    delays = (case.usable - case.starts - case.holds).tolist()
    rows = []
    for one, hold, delay in zip(schedule, case.holds.tolist(), delays, strict=True):
        rate = min((links.bandwidths[channel] for channel in one.path), default=0.0)
        # A transfer holds its channels for its bytes and for overheads: for so many bytes at its slowest channel.
        flow = {"links": links.of(one), "bandwidth": rate, "amount": hold / MICROSECOND * rate}
        rows.append(flow | {"delay": delay / MICROSECOND, "start": one.start / MICROSECOND, "after": []})
    request = {"bandwidths": links.bandwidths, "transfers": rows}
    self_timed = [row | {"start": 0.0, "after": waits} for row, waits in zip(rows, after, strict=True)]
    found = []
    for each in (request, request | {"transfers": self_timed}):
        usable = np.array(_simgrid(each)) * MICROSECOND + delays
        found += [float(usable.max(initial=0)), float((usable - case.usable).max(initial=0))]
    return TimedReplay(*(round(time, 3) for time in found))


class _TimedLinks:
    """The links of a timed replay: network channels first, then links of half duplex, then ports.

    A link of two channels, and a port, are as fast as the fastest transfers that may hold them at a time.
    """

    def __init__(self, timed: TimedProblem) -> None:
        problem = timed.problem
        self.num_channels, self.units = problem.network.num_channels, problem.units
        rates = timed.links.bandwidths / MICROSECOND
        shared = np.zeros(self.num_channels)
        np.maximum.at(shared, self.units, rates)
        self.is_half, self.ports = problem.rules.duplex == "half", problem.rules.ports
        self.bandwidths: list[float] = [*rates.tolist(), *(np.where(shared > 0, shared, 1.0).tolist())]
        self.num_processors = problem.network.num_processors
        room = 0.0 if self.ports == "all" else int(self.ports) * float(rates.max(initial=0))
        self.bandwidths += [room] * (2 * self.num_processors) if room else []

    def of(self, one: TimedTransfer) -> list[int]:
        """Return the links of a transfer's way; none where it takes no time."""
        found = list(one.path)
        if self.is_half:
            found += [self.num_channels + int(self.units[channel]) for channel in one.path]
        if self.ports != "all" and one.path:
            first = 2 * self.num_channels
            found += [first + one.sender] * (one.sender >= 0)
            found += [first + self.num_processors + one.receiver] * (one.receiver >= 0)
        return found


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


def _simgrid(request: dict[str, Any]) -> Any:
    """Return what the script in the other Python answers."""
    ran = subprocess.run(
        [simgrid_python(), "-I", simgrid_replay.__file__],
        input=json.dumps(request),
        capture_output=True,
        text=True,
        check=False,
    )
    if ran.returncode:
        said = (ran.stderr.strip().splitlines() or ["it said nothing"])[-1]
        raise PavaneError(f"SimGrid ended with code {ran.returncode}: {said}")
    return json.loads(ran.stdout)
