"""How long an application takes on a network: its collectives and its computing, phase by phase.

A file of phases is CSV without a head. `alltoall,64KiB,20` is a collective, the bytes of a message, and how often it
runs; `compute,2ms`, or `compute,0.002` in seconds, is computing. Every collective is scheduled once under the rules of
the network, and takes as long as the linear model says (noc eq. (1)). Phases follow one another; nothing overlaps.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from pavane.errors import InputError
from pavane.io.files import open_file
from pavane.io.parsing import lines_of
from pavane.io.request import Request, network_from
from pavane.judge.result import Result
from pavane.model.collectives import named
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.search.options import LEAST_SECONDS, SearchOptions
from pavane.search.synthesis import solve
from pavane.timing import Costs, predicted, profile, read_size, read_time, refuse_slots

COMPUTE = "compute"


@dataclass(frozen=True)
class Phase:
    """A line of the file: a collective that runs some times, or seconds of computing."""

    name: str
    size: int = 0
    """The bytes of a message."""
    count: int = 1
    computing: float = 0.0
    problem: Problem | None = None
    """None where nothing is communicated."""


@dataclass(frozen=True)
class TimedPhase:
    """A phase with its schedule."""

    phase: Phase
    result: Result | None
    seconds: float | None
    """The time of one run; None where no schedule was found in time."""


def read_phases(path: Path, network: Network, rules: Rules) -> list[Phase]:
    """Read a file of phases for a network."""
    file = open_file(path)
    phases = [_phase(line, place, network, rules) for place, line in lines_of(file) if line]
    if not phases:
        raise InputError(f"{file}: there is no phase; write lines like alltoall,64KiB,20 and compute,2ms")
    return phases


def _phase(line: str, place: str, network: Network, rules: Rules) -> Phase:
    name, *fields = (field.strip() for field in line.split(","))
    if len(fields) != (1 if name == COMPUTE else 2):
        raise InputError(
            f"{place}: {line!r:.60} is not a phase; write collective,bytes,count like alltoall,64KiB,20, or "
            "compute,seconds like compute,2ms"
        )
    try:
        if name == COMPUTE:
            return Phase(name, computing=read_time(fields[0] if fields[0][-1:].isalpha() else f"{fields[0]}s"))
        if not fields[1].isdecimal() or int(fields[1]) < 1:
            raise InputError(f"count {fields[1]!r:.60}: expected a whole number of 1 or more")
        problem = Problem(network, named(name, network), rules)
        return Phase(name, read_size(fields[0]), int(fields[1]), problem=problem)
    except InputError as error:
        raise InputError(f"{place}: {error}") from None


def network_and_rules(text: str) -> tuple[Network, Rules]:
    """Return a network with its default rules; a problem file has rules of its own."""
    found = network_from(text)
    rules = Request(network=text).rules(found) if isinstance(found, Network) else found.rules
    refuse_slots(rules)
    return (found if isinstance(found, Network) else found.network), rules


def timed_phases(phases: list[Phase], costs: Costs, options: SearchOptions) -> list[TimedPhase]:
    """Schedule the collectives, which share the time limit equally, and time every phase."""
    problems = list(dict.fromkeys(phase.problem for phase in phases if phase.problem is not None))
    budget = options.budget()
    results: dict[Problem, Result] = {}
    for number, problem in enumerate(problems):
        left = budget.part(1 / (len(problems) - number)).seconds_left
        seconds = None if left is None else max(LEAST_SECONDS, left)
        results[problem] = solve(problem, replace(options, seconds=seconds))
    timed = []
    for phase in phases:
        result = None if phase.problem is None else results[phase.problem]
        schedule = None if result is None else result.schedule
        communication = None if schedule is None else predicted(costs, phase.size, profile(schedule))
        timed.append(TimedPhase(phase, result, phase.computing if result is None else communication))
    return timed
