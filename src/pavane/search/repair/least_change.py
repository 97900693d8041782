"""The entry to repair: a schedule of a network with a fault, or of another problem, that keeps as much as possible.

The repair of a schedule starts with as many steps as before, or as the bound requires: at each number of steps lost and
new messages first take idle channels, then eject others. Only then a step is added at the end. A tdm table that repeats
keeps its period in the same way: packets keep their slots in relation to each other only at the same period.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

import numpy as np

from pavane.bounds import lower_bounds
from pavane.errors import InputError, InvalidSchedule, expect
from pavane.jit import clock
from pavane.judge.result import Provenance, Result
from pavane.judge.rules import verify
from pavane.model.collectives import in_pieces
from pavane.model.duals import dual
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule, Transfer, time_reversed
from pavane.parallel.budget import Budget
from pavane.search.options import SearchOptions
from pavane.search.repair.regrowing import Hop, Old, Regrowing
from pavane.search.synthesis import solve
from pavane.search.tables import timed
from pavane.solvers.candidates import PathFinder
from pavane.text import VERSION

ATTEMPTS = 3
"""Attempts at one number of steps; the best one counts."""

MOST_PLACED_LATE = 2_000
"""With more lost transfers placing them one by one after the time is over takes longer than a new schedule."""

DETOUR = 2
"""Under any routing: how many channels more than the shortest a path may have."""


@dataclass(frozen=True)
class Repair:
    """A repaired schedule, as a result, and how many transfers of the old one it keeps."""

    result: Result
    num_before: int
    """Transfers of the old schedule."""
    num_kept: int
    """Transfers that are as they were: same step, ends, path and messages.

    The steps of a reduction count from its end: it is repaired backwards, and steps are added at its beginning.
    """
    steps_before: int
    num_new: int = 0
    """Transfers of messages that the old problem does not have."""
    num_removed: int = 0
    """Old transfers of messages that the new problem does not have."""

    @property
    def num_moved(self) -> int:
        """Return the number of transfers of old messages that are not as they were."""
        assert self.result.schedule is not None
        return len(self.result.schedule) - self.num_kept - self.num_new


def repair(problem: Problem, schedule: Schedule, to: Problem, *, seed: int = 0, seconds: float | None = None) -> Repair:
    """Repair a schedule for its network without some channels, or for another problem there: keep what can be kept.

    Messages are the same if they have the same ends and the same number of a piece: those circuits persist.
    Disconnected where no schedule exists any more.

    Effort is counted, so the same seed gives the same answer; a time limit may end it with more steps than necessary.

    Args:
        problem: The problem, on the network without faults.
        schedule: A schedule of it.
        to: The problem that the new schedule is for, under the same rules: on the same network, or on what is left.
        seed: Random seed; results are reproducible.
        seconds: Stop after this many seconds and return the best schedule so far.

    Returns:
        The repaired schedule as a result, and how much of the old one it keeps.

    Example:
        >>> octagon = pavane.network("octagon")
        >>> problem = pavane.Problem(octagon, "alltoall")
        >>> schedule = pavane.solve(problem).schedule
        >>> left = pavane.Problem(octagon.without(links=[(0, 1)]), "alltoall")
        >>> repaired = pavane.repair(problem, schedule, left)
        >>> repaired.result.problem.network.num_channels
        22
    """
    _check(problem, schedule, to, seconds)
    begun, budget = clock.now(), Budget.of(seconds)
    violations = verify(problem, schedule, most=1)
    if violations:
        raise InvalidSchedule(f"the schedule breaks a rule ({violations[0].rule}): {violations[0].text}")
    bounds = lower_bounds(to, budget.deadline)
    is_reversed = problem.pattern == "reduction"
    whole, task = (dual(problem), dual(to)) if is_reversed else (problem, to)
    forwards = time_reversed(problem, schedule, whole) if is_reversed else schedule
    number_of = _persisting(whole, task)
    # The dual of a problem has the channels reversed in place, so their numbers are the same.
    old = _renumbered(forwards, _numbers_left(problem, to), number_of)
    transfers, last = _repaired(task, old, max(schedule.num_steps, bounds[0].figure), seed, budget)
    new_messages = set(range(task.num_messages)).difference(number_of)
    num_new = sum(new_messages.issuperset(transfer.messages) for transfer in transfers)
    repaired = Schedule.from_transfers(transfers, last) if problem.rules.has_slots else _closed_up(transfers)
    if is_reversed:
        repaired = time_reversed(task, repaired, to)
    result = Result(to, repaired, bounds, Provenance("repair", seed, version=VERSION))
    kept = _num_kept(old, transfers)
    return Repair(timed(result, begun), len(schedule), kept, schedule.num_steps, num_new, len(schedule) - len(old))


def _check(problem: Problem, schedule: Schedule, to: Problem, seconds: float | None) -> None:
    """Refuse what cannot be repaired, a new problem in which no transfer stays, and a limit that leaves no time."""
    expect(problem, Problem, "problem", "make one, like `pavane.Problem('octagon', 'alltoall')`")
    expect(schedule, Schedule, "schedule", "give a schedule of the problem")
    expect(to, Problem, "to", "make a `pavane.Problem` on the same network, or on what is left of it")
    if seconds is not None and not seconds > 0:
        raise InputError(f"time {seconds}: repairing needs some; give more than 0 seconds")
    if problem.pattern == "allreduce":
        raise InputError(
            "an allreduce is not repaired, because every sum depends on earlier ones; solve it on the network without "
            "the faulty channels, with no schedule to start from"
        )
    if to.rules != problem.rules:
        raise InputError(f"the new problem has other rules ({to.rules}); the schedule has {problem.rules}")
    if to.pattern != problem.pattern:
        raise InputError(
            f"{to.collective.kind} has other messages than {problem.collective.kind}, so nothing persists; solve it"
        )


def _numbers_left(problem: Problem, to: Problem) -> list[int]:
    """Return the new number of each channel, -1 for one that is lost; refuse a network that is no part of the old."""
    before, after = problem.network, to.network
    known = zip(map(tuple, before.channels.tolist()), before.capacity.tolist(), strict=True)
    left = list(zip(map(tuple, after.channels.tolist()), after.capacity.tolist(), strict=True))
    numbers, at = [], 0
    for channel in known:
        is_left = at < len(left) and channel == left[at]
        numbers.append(at if is_left else -1)
        at += is_left
    if at < len(left) or after.routers != before.routers or not np.array_equal(after.router_of, before.router_of):
        raise InputError(
            f"the new problem is on {after.name}, which is no part of {before.name}; only a problem on the same "
            "network, or on what faults leave of it, can keep transfers"
        )
    return numbers


def _persisting(problem: Problem, task: Problem) -> list[int]:
    """Return the number in a new problem of each message of the old one; -1 where it is not in it any more."""

    def names(of: Problem) -> list[tuple[int, ...]]:
        return [tuple(label) if of.has_pieces else (*label, 0) for label in of.labels.tolist()]

    numbers = {name: number for number, name in enumerate(names(task))}
    return [numbers.get(name, -1) for name in names(problem)]


def _renumbered(schedule: Schedule, number: list[int], number_of: list[int]) -> list[Old]:
    """Return the old transfers of messages that persist, by new numbers, and whether their paths still exist."""
    renumbered = []
    for transfer in schedule:
        messages = tuple(number_of[message] for message in transfer.messages if number_of[message] >= 0)
        if not messages:
            continue
        path = tuple(number[channel] for channel in transfer.path)
        hop = Hop(transfer.start, transfer.sender, transfer.receiver, path)
        renumbered.append((hop, messages, -1 not in path))
    return renumbered


def _num_kept(old: list[Old], transfers: list[Transfer]) -> int:
    """Return how many old transfers are among the new ones."""
    before = Counter(Transfer(*hop, tuple(sorted(messages))) for hop, messages, is_alive in old if is_alive)
    return sum((before & Counter(transfers)).values())


def _repaired(problem: Problem, old: list[Old], lowest: int, seed: int, budget: Budget) -> tuple[list[Transfer], int]:
    """Return the transfers of a repaired schedule, of as few steps as were found, and that number.

    At each number of steps what is lost first takes idle channels, then ejects others, in several attempts.
    """
    finder = PathFinder(problem, np.random.default_rng(seed), 32, DETOUR if problem.rules.routing == "any" else 0)
    before = {Transfer(*hop, messages) for hop, messages, _ in old}
    num_broken = sum(not is_alive for _, _, is_alive in old)
    most = 2 * lowest + num_broken + problem.network.num_routers

    def attempt(num_steps: int, number: int, may_eject: bool, budget: Budget) -> list[Transfer] | None:
        regrowing = Regrowing(problem, num_steps, old, finder, np.random.default_rng(seed + number))
        most_moves = len(regrowing.outside) * (6 if may_eject else 1) + 100
        return regrowing.run(most_moves, may_eject, lambda: budget.is_over)

    for num_steps in range(lowest, most + 1):
        for may_eject in (False, True):
            tries = (attempt(num_steps, number, may_eject, budget) for number in range(ATTEMPTS) if not budget.is_over)
            made = filter(None, tries)
            # What ejects nothing keeps all that can be kept.
            best = (
                max(made, key=lambda rows: len(before.intersection(rows)), default=None)
                if may_eject
                else next(made, None)
            )
            if best is not None:
                return best, num_steps
        if budget.is_over:
            break
    # Out of time, or restricted routing needs relays: what is lost follows after all else, or all is scheduled again.
    if problem.pattern == "private" and not problem.rules.has_slots:
        transfers = _lost_at_the_end(problem, old, seed)
    else:
        late = attempt(most, 0, False, Budget()) if num_broken <= MOST_PLACED_LATE else None
        if late is not None:
            return late, most
        transfers = _by_first_fit(problem, seed)
    return transfers, 1 + max(transfer.start for transfer in transfers)


def _lost_at_the_end(problem: Problem, old: list[Old], seed: int) -> list[Transfer]:
    """Return the old transfers, then a schedule of the messages that are lost or new: private messages are independent.

    First fit takes seconds for hundreds of thousands of messages, so that a time limit holds.
    """
    lost = {message for _, messages, is_alive in old if not is_alive for message in messages}
    known = {message for _, messages, _ in old for message in messages}
    lost |= set(range(problem.num_messages)) - known
    kept = [
        Transfer(*hop, tuple(message for message in messages if message not in lost))
        for hop, messages, is_alive in old
        if is_alive and not lost.issuperset(messages)
    ]
    numbers = sorted(lost)
    counts = Counter(map(tuple, problem.ends[numbers].tolist()))
    # Pairs without a message have size 0 already, and no pair may be left out: it would have a message.
    pairs = {(sender, receiver) for sender, receiver, _ in problem.collective.sizes}
    pairs.update(map(tuple, problem.distinct_ends.tolist()))
    sizes = [(*ends, counts[ends]) for ends in sorted(pairs)]
    part = replace(problem, collectives=(in_pieces(problem.collective, 1, sizes),))
    num_steps = 1 + max((transfer.start for transfer in kept), default=-1)
    for transfer in _by_first_fit(part, seed) if numbers else ():
        messages = tuple(numbers[message] for message in transfer.messages)
        kept.append(transfer._replace(start=num_steps + transfer.start, messages=messages))
    return kept


def _by_first_fit(problem: Problem, seed: int) -> list[Transfer]:
    schedule = solve(problem, SearchOptions(seed=seed), method="greedy").schedule
    assert schedule is not None
    return list(schedule)


def _closed_up(transfers: list[Transfer]) -> Schedule:
    """Make a schedule, closing up where no transfer is left in a step."""
    number = {step: index for index, step in enumerate(sorted({row.start for row in transfers}))}
    return Schedule.from_transfers([row._replace(start=number[row.start]) for row in transfers])
