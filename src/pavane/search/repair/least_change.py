"""The entry to repair: the schedule of a network with a fault that keeps as much as possible of the one without.

First with as many steps as before, or as the bound says: at each number of steps first into idle channels, then by
pushing others out. Only then a step more, at the end.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from pavane.bounds import lower_bounds
from pavane.errors import InputError, InvalidSchedule, expect
from pavane.jit import clock
from pavane.judge.result import Provenance, Result
from pavane.judge.rules import verify
from pavane.model.duals import dual
from pavane.model.faults import Fault, faulty
from pavane.model.network import Network
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule, Transfer, time_reversed
from pavane.parallel.budget import Budget
from pavane.search.options import SearchOptions
from pavane.search.repair.by_ejection import packed
from pavane.search.repair.in_place import Mending, Old
from pavane.search.repair.through_time import homes_of, pushed_through_time, suits
from pavane.search.repair.timetable import Hop, without_empty_steps
from pavane.search.synthesis import solve
from pavane.solvers.candidates import PathFinder
from pavane.solvers.ejection.ejection import Ejection
from pavane.text import VERSION

ATTEMPTS = 6
"""How often mending starts anew at one number of steps; the best attempt counts."""

WEIGHTS = (100.0, 20.0, 4.0)
"""How heavy what has its old step and path is in ejection search: heavy, and more is kept; light, and more is found."""

MOST_EJECTED = 5_000
"""More messages than this are not mended by ejection search, which would take too long."""

DETOUR = 2
"""Under any routing: how many channels more than the shortest a path may have."""


@dataclass(frozen=True)
class Repair:
    """A mended schedule, as a result, and what became of the transfers of the old one."""

    result: Result
    num_before: int
    """Transfers of the old schedule."""
    num_kept: int
    """Transfers that are as they were: same step, ends, path and messages.

    The steps of a reduction count from its end: it is mended backwards, and steps are added at its beginning.
    """
    steps_before: int

    @property
    def num_changed(self) -> int:
        """Return the number of old transfers that are gone or go otherwise."""
        return self.num_before - self.num_kept


def lost_channels(whole: Network, working: Network) -> list[int]:
    """Return the channels that a network has lost to faults; of parallel ones the first are lost."""
    if whole.routers != working.routers:
        raise InputError(f"{working.name} has other routers than {whole.name}; only channels may be lost")
    left = Counter(map(tuple, working.channels.tolist()))
    missing = Counter(map(tuple, whole.channels.tolist())) - left
    lost = []
    for channel, ends in enumerate(map(tuple, whole.channels.tolist())):
        if missing[ends] > 0:
            missing[ends] -= 1
            lost.append(channel)
    return lost


def repair(
    problem: Problem,
    schedule: Schedule,
    channels: Iterable[int],
    *,
    seed: int = 0,
    seconds: float | None = None,
) -> Repair:
    """Mend a schedule for its network without some channels; Disconnected where no schedule is left.

    Effort is counted, so the same seed gives the same answer; seconds may end it, with more steps than need be.

    Args:
        problem: The problem, on the network that is whole.
        schedule: A schedule of it.
        channels: The numbers of the channels that are lost.
        seed: Where chance begins; the same seed gives the same answer.
        seconds: End it then, with the best so far.

    Returns:
        The mended schedule as a result, and what of the old one is kept.

    Example:
        >>> problem = pavane.Problem(pavane.network("octagon"), "alltoall")
        >>> schedule = pavane.solve(problem).schedule
        >>> mended = pavane.repair(problem, schedule, [0])
        >>> mended.result.problem.network.num_channels
        23
    """
    expect(problem, Problem, "problem", "make a `pavane.Problem` of a network and a collective")
    expect(schedule, Schedule, "schedule", "give a schedule of the problem")
    expect(channels, Iterable, "channels", "list the numbers of those that are lost, like [0, 5]")
    if seconds is not None and not seconds > 0:
        raise InputError(f"time {seconds}: mending needs some; give more than 0 seconds")
    if problem.pattern == "allreduce":
        raise InputError(
            "an allreduce is not mended, because every sum rests on those before it; solve it anew on the network "
            "without the faulty channels"
        )
    started = clock.now()
    budget = Budget.of(seconds)
    violations = verify(problem, schedule, most=1)
    if violations:
        raise InvalidSchedule(f"the schedule breaks a rule ({violations[0].rule}): {violations[0].text}")
    network = problem.network
    dead = tuple(sorted(set(channels)))
    ends = [(network.routers[t], network.routers[h]) for t, h in network.channels[list(dead)].tolist()]
    left = faulty(problem, Fault(", ".join(f"{tail}>{head}" for tail, head in ends) or "no fault", dead))
    bounds = lower_bounds(left, budget.deadline)
    if problem.pattern == "reduction":
        mirror = dual(problem)
        forwards, task = time_reversed(problem, schedule, mirror), dual(left)
    else:
        forwards, task = schedule, left
    old = _renumbered(forwards, network.num_channels, dead)
    transfers = _mended(task, old, max(schedule.num_steps, bounds[0].steps), seed, budget)
    before = Counter(Transfer(*hop, tuple(sorted(messages))) for hop, messages, is_alive in old if is_alive)
    kept = sum((before & Counter(transfers)).values())
    made = without_empty_steps(transfers)
    if problem.pattern == "reduction":
        made = time_reversed(task, made, left)
    about = Provenance("repair", seed, round(clock.now() - started, 3), VERSION)
    return Repair(Result(left, made, bounds, about), len(schedule), kept, schedule.num_steps)


def _renumbered(schedule: Schedule, num_channels: int, dead: tuple[int, ...]) -> list[Old]:
    """Return the old transfers with the channel numbers of the network that is left, and whether they still can be."""
    gone = np.zeros(num_channels, dtype=bool)
    gone[list(dead)] = True
    number: list[int] = np.where(gone, -1, np.cumsum(~gone) - 1).tolist()
    renumbered = []
    for transfer in schedule:
        path = tuple(number[channel] for channel in transfer.path)
        hop = Hop(transfer.step, transfer.sender, transfer.receiver, path)
        renumbered.append((hop, transfer.messages, -1 not in path))
    return renumbered


def _mended(problem: Problem, old: list[Old], lowest: int, seed: int, budget: Budget) -> list[Transfer]:
    """Return the transfers of a mended schedule, of as few steps as were found."""
    detour = DETOUR if problem.rules.routing == "any" else 0
    finder = PathFinder(problem, np.random.default_rng(seed), 32, detour)
    broken = sum(not is_alive for _, _, is_alive in old)
    num_steps, most = lowest, 2 * lowest + broken + problem.network.num_routers
    while num_steps <= most:
        idle = _best(problem, num_steps, old, finder, seed, False, budget)
        if idle is not None:
            return idle
        if budget.is_over:
            break
        if Ejection().supports(problem) and problem.num_messages <= MOST_EJECTED:
            pushed = _by_ejection(problem, num_steps, old, detour, seed, budget)
        elif suits(problem) and problem.num_messages <= MOST_EJECTED:
            pushed = _through_time(problem, num_steps, old, seed, budget)
        else:
            pushed = _best(problem, num_steps, old, finder, seed, True, budget)
        if pushed is not None:
            return pushed
        num_steps += 1
    # Out of time, or restricted routing wants relays: many idle steps, or else a plan from nothing.
    last = _best(problem, most, old, finder, seed, False, Budget())
    if last is not None:
        return last
    found = solve(problem, SearchOptions(seed=seed), method="greedy").schedule
    assert found is not None
    return list(found)


def _best(
    problem: Problem, num_steps: int, old: list[Old], finder: PathFinder, seed: int, may_push: bool, budget: Budget
) -> list[Transfer] | None:
    """Mend several times and return the attempt that kept most, or None where all failed."""
    before = {Transfer(*hop, messages) for hop, messages, _ in old}
    best: tuple[int, list[Transfer]] | None = None
    for number in range(ATTEMPTS):
        mending = Mending(problem, num_steps, old, finder, np.random.default_rng(seed + number))
        moves = len(mending.outside) * (20 if may_push else 1) + 100
        if mending.run(moves, may_push, lambda: budget.is_over):
            transfers = list(mending.timetable.transfers())
            kept = len(before.intersection(transfers))
            if best is None or kept > best[0]:
                best = kept, transfers
        if budget.is_over or (best is not None and best[0] == sum(alive for *_, alive in old)):
            break
    return None if best is None else best[1]


def _by_ejection(
    problem: Problem, num_steps: int, old: list[Old], detour: int, seed: int, budget: Budget
) -> list[Transfer] | None:
    """Mend scatter by ejection search several times and return the attempt that kept most."""
    homes = {messages[0]: hop for hop, messages, is_alive in old if is_alive}
    before = {Transfer(*hop, messages) for hop, messages, _ in old}
    found: list[list[Transfer]] = []
    for number in range(3 * len(WEIGHTS)):
        weight = WEIGHTS[number % len(WEIGHTS)]
        transfers = packed(problem, num_steps, homes, detour, seed + number, weight, budget)
        found += [] if transfers is None else [transfers]
        if budget.is_over:
            break
    return max(found, key=lambda transfers: len(before.intersection(transfers)), default=None)


def _through_time(problem: Problem, num_steps: int, old: list[Old], seed: int, budget: Budget) -> list[Transfer] | None:
    """Mend store-and-forward scatter by ejection search several times and return the attempt that kept most."""
    homes = homes_of(old)
    before = {Transfer(*hop, messages) for hop, messages, _ in old}
    found: list[list[Transfer]] = []
    for number in range(len(WEIGHTS)):
        transfers = pushed_through_time(problem, num_steps, homes, seed + number, WEIGHTS[number], budget)
        found += [] if transfers is None else [transfers]
        if budget.is_over:
            break
    return max(found, key=lambda transfers: len(before.intersection(transfers)), default=None)
