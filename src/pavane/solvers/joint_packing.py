"""List scheduling of several collectives on one network: each transfer in the earliest step that has room for it.

The transfers of each collective come from a schedule of its own, with paths and order. Jobs are dispatched step by step
by priority (Graham 1969): a job may start when what it carries has arrived at its sender, and the channels and ports
of its path have room left. A job is a transfer; branches of a tree, and sums of an allreduce that are exchanged in one
step, are one job. Where an allreduce is added up, what happens at a processor stays in order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from heapq import heapify, heappop, heappush
from itertools import groupby
from typing import Literal

import numpy as np
import numpy.typing as npt

from pavane.model.arrays import Longs
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.model.several import owners_of
from pavane.solvers.step_table import TransferUnits

Pairs = list[tuple[int, int]]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class TransferJobs:
    """What is dispatched, what it uses, and what it waits for."""

    schedule: Schedule
    """Transfers of all collectives, in the steps that they have in schedules of each collective alone."""
    job_of: Longs
    """The job of each transfer."""
    collectives: Longs
    """The collective of each job."""
    tails: Longs
    """The number of jobs on the longest chain that each job begins."""
    capacity: list[int]
    """The capacity of each channel, then of each injection port, then of each ejection port."""
    uses: list[Pairs]
    """The capacities that each job uses, by their numbers, and how much of each."""
    after: list[list[int]]
    """The jobs that are in a later step than each job."""
    not_before: list[list[int]]
    """The jobs that are in no earlier step than each job."""

    @classmethod
    def of(cls, problem: Problem, schedule: Schedule) -> TransferJobs:
        """Return the jobs of schedules of all collectives, each valid alone, that are joined whatever their loads."""
        owners = owners_of(problem, schedule)
        branches = _branches(problem, schedule, owners.tolist())
        strict, weak = _order(problem, schedule, owners.tolist())
        job_of = _exchanges(branches, weak)
        num_jobs = int(job_of.max(initial=-1)) + 1
        after, not_before = ([set[int]() for _ in range(num_jobs)] for _ in range(2))
        for pairs, followers in ((strict, after), (weak, not_before)):
            for earlier, later in pairs:
                if job_of[earlier] != job_of[later]:
                    followers[job_of[earlier]].add(int(job_of[later]))
        steps, collectives = (np.zeros(num_jobs, dtype=np.int64) for _ in range(2))
        steps[job_of], collectives[job_of] = schedule.starts, owners
        tails = [1] * num_jobs
        for job in np.argsort(-steps, kind="stable").tolist():
            tails[job] = max((1, *(1 + tails[other] for other in after[job])))
        capacity = TransferUnits(problem.parts[0]).capacity
        uses = _uses(problem, schedule, branches, job_of)
        in_order = [[sorted(each) for each in sets] for sets in (after, not_before)]
        return cls(schedule, job_of, collectives, np.array(tails), capacity, uses, *in_order)

    def orders(self) -> Iterator[Floats]:
        """Yield priorities of jobs: long chains first, as in their schedules, and short collectives first."""
        steps = np.zeros(len(self.uses))
        steps[self.job_of] = self.schedule.starts
        last = np.zeros(int(self.collectives.max(initial=0)) + 1)
        np.maximum.at(last, self.collectives, steps + 1)
        fraction = steps / (1 + steps.max(initial=0))
        yield -self.tails + fraction
        yield steps - last[self.collectives]
        yield last[self.collectives] + (self.collectives + fraction) / (1 + len(last))

    def packed(self, priorities: Sequence[float]) -> Schedule:
        """Return the schedule in which jobs are dispatched by priority, the lowest number first."""
        steps = self._dispatched(priorities)
        packed = replace(self.schedule, num_steps=max(steps, default=-1) + 1)
        return packed.with_columns(starts=np.array(steps, dtype=np.int64)[self.job_of])

    def _dispatched(self, priorities: Sequence[float]) -> list[int]:
        """Return the step of each job."""
        num_jobs = len(self.uses)
        waits, earliest, steps = [0] * num_jobs, [0] * num_jobs, [-1] * num_jobs
        for followers in (*self.after, *self.not_before):
            for job in followers:
                waits[job] += 1
        step, ready = 0, [(priorities[job], job) for job in range(num_jobs) if not waits[job]]
        while ready:
            heapify(ready)
            free, later = self.capacity.copy(), []
            while ready:
                entry = heappop(ready)
                job = entry[1]
                if any(free[unit] < amount for unit, amount in self.uses[job]):
                    later.append(entry)
                    continue
                for unit, amount in self.uses[job]:
                    free[unit] -= amount
                steps[job] = step
                for followers, soonest in ((self.after[job], step + 1), (self.not_before[job], step)):
                    for other in followers:
                        waits[other] -= 1
                        earliest[other] = max(earliest[other], soonest)
                        if not waits[other] and earliest[other] == step:
                            heappush(ready, (priorities[other], other))
                        elif not waits[other]:
                            later.append((priorities[other], other))
            ready = later
            step += 1
        return steps


def _branches(problem: Problem, schedule: Schedule, owners: Sequence[int]) -> Longs:
    """Return the number of each transfer's tree; where no router copies, every transfer is one."""
    joins: Pairs = []
    first_of: dict[tuple[int, int, int], int] = {}
    if any(part.has_trees for part in problem.parts):
        for i, transfer in enumerate(schedule):
            if problem.parts[owners[i]].has_trees:
                for channel in transfer.path:
                    joins.append((i, first_of.setdefault((transfer.start, transfer.messages[0], channel), i)))
    return _components(len(schedule), joins, "weak")


def _exchanges(branches: Longs, weak: Pairs) -> Longs:
    """Return the job of each transfer: trees of which none may be before another are one."""
    both_ways = [(int(branches[a]), int(branches[b])) for a, b in weak]
    return _components(int(branches.max(initial=-1)) + 1, both_ways, "strong")[branches]


def _components(size: int, pairs: Pairs, connection: Literal["weak", "strong"]) -> Longs:
    """Return the number of the component of each of so many that pairs connect."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    ends = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    graph = coo_array((np.ones(ends.shape[1], dtype=np.int8), (ends[0], ends[1])), shape=(size, size))
    return np.asarray(connected_components(graph, connection=connection)[1], dtype=np.int64)


def _order(problem: Problem, schedule: Schedule, owners: Sequence[int]) -> tuple[Pairs, Pairs]:
    """Return pairs of transfers of which the first is in an earlier step, and of which it is in no later one."""
    strict: Pairs = []
    weak = _containing_first(problem, schedule, owners)
    arrived: dict[tuple[int, int], Pairs] = {}
    sent: dict[tuple[int, int], list[int]] = {}
    for i, transfer in enumerate(schedule):  # in the order of steps
        is_sum = problem.parts[owners[i]].pattern == "allreduce"
        for message in transfer.messages:
            here, there = (message, transfer.sender), (message, transfer.receiver)
            for other, step in arrived.get(here, ()):
                if step < transfer.start:
                    strict.append((other, i))
                else:
                    weak.append((i, other))
            if is_sum:
                strict += [(other, i) for other, step in arrived.get(there, ()) if step < transfer.start]
                weak += [(other, i) for other in sent.get(there, ())]
                sent.setdefault(here, []).append(i)
            arrived.setdefault(there, []).append((i, transfer.start))
    return strict, weak


def _containing_first(problem: Problem, schedule: Schedule, owners: Sequence[int]) -> Pairs:
    """Return pairs of sums that arrive together, of which the first contains and replaces what is there.

    If the second arrived before it, contributions would count twice.
    """
    pairs: Pairs = []
    is_sum = [part.pattern == "allreduce" for part in problem.parts]
    bits = [{end: 1 << i for i, end in enumerate(part.collective.senders)} for part in problem.parts]
    held: dict[tuple[int, int], int] = {}
    sums = [(i, transfer) for i, transfer in enumerate(schedule) if is_sum[owners[i]]] if any(is_sum) else []
    for _, together in groupby(sums, key=lambda each: each[1].start):
        arrivals: dict[tuple[int, int], Pairs] = {}
        for i, transfer in together:
            own = bits[owners[i]]
            for message in transfer.messages:
                held.setdefault((message, transfer.receiver), own.get(transfer.receiver, 0))
                brought = held.get((message, transfer.sender), own.get(transfer.sender, 0))
                arrivals.setdefault((message, transfer.receiver), []).append((i, brought))
        for place, brought_there in arrivals.items():
            there = held[place]
            first = [i for i, each in brought_there if there and each != there and each & there == there][:1]
            pairs += [(first[0], i) for i, _ in brought_there if first and i != first[0]]
            for _, each in brought_there:
                held[place] |= each
    return pairs


def _uses(problem: Problem, schedule: Schedule, branches: Longs, job_of: Longs) -> list[Pairs]:
    """Return what each job uses of capacities: a tree each channel once, and each of its ends once."""
    units = TransferUnits(problem.parts[0])
    cells = (
        (branch, unit)
        for branch, transfer in zip(branches.tolist(), schedule, strict=True)
        for unit in units.of(transfer.sender, transfer.receiver, transfer.path)
    )
    job_of_branch = np.zeros(int(branches.max(initial=-1)) + 1, dtype=np.int64)
    job_of_branch[branches] = job_of
    amounts = Counter((int(job_of_branch[branch]), unit) for branch, unit in dict.fromkeys(cells))
    uses: list[Pairs] = [[] for _ in range(int(job_of.max(initial=-1)) + 1)]
    for (job, unit), amount in amounts.items():
        uses[job].append((unit, amount))
    return uses
