"""Timed schedules listed again (kernels/relisting.py): paths and inputs stay, and the order on channels is free."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pavane.jit import compiled
from pavane.model.arrays import Longs
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.parallel.budget import Budget
from pavane.solvers.timed.hops import hops_of_paths
from pavane.solvers.timed.kernels.event_greedy import HopArrays
from pavane.solvers.timed.kernels.insertion import empty_calendar
from pavane.solvers.timed.kernels.relisting import Dependences, Lists, relist


@dataclass(frozen=True)
class Relisting:
    """Moves all transfers late and early again in blurred orders, and returns the schedule that ends first.

    Without it some schedules end later in 10 CPU seconds, by rows of `benchmarks.timed`: mesh:4x4 allreduce of 4 KiB by
    4.9 %, hypercube:4 alltoall of 1 MiB by 3.3 %, rails:4,4 allgather of 4 KiB by 1.4 %, which is then not optimal.
    """

    most_looked_at: int = 100_000_000
    """Intervals of units that are looked at in all, about: a placement runs over those of its units."""
    most_rounds: int = 400
    """Orders that are tried: small schedules gain nothing from more."""
    blurs: tuple[float, ...] = (0.0, 0.1, 0.5, 2.0)
    """How much chance blurs the order, by turns, in times of a median transfer."""
    num_batches: int = 10
    """The clock is read after each of as many parts of the orders."""

    def improve(
        self, problem: Problem, schedule: Schedule, lowest: int, rng: np.random.Generator, budget: Budget
    ) -> Schedule:
        """Return the schedule with other starts, or as it is where none are better."""
        if not len(schedule) or not schedule.path_lengths.all():
            # What takes no time may come before its input in the order of starts.
            return schedule
        ends = np.stack([schedule.senders, schedule.receivers], axis=1)
        hops = hops_of_paths(problem, [transfer.path for transfer in schedule], ends)
        holds = hops.arrays.holds[np.arange(len(schedule)), hops.size_class[schedule.messages]]
        transfers = hops.arrays._replace(holds=holds[:, None])
        used = np.bincount(transfers.units, minlength=1)
        looked_at = 2 * max(1, len(transfers.units)) * max(1, int(used[used > 0].mean()) if used.any() else 1)
        num_rounds = min(self.most_rounds, self.most_looked_at // looked_at)
        if not num_rounds:
            return schedule
        needs = _dependences(problem, schedule, transfers)
        calendar = empty_calendar(len(transfers.rooms), int(used.max()) + 1)
        lists = Lists(schedule.starts.copy(), schedule.starts.copy(), schedule.starts.copy(), np.zeros(len(schedule)))
        usual = float(np.median(transfers.holds[:, 0] + transfers.delays))
        blurs = np.resize(np.array(self.blurs) * usual, num_rounds)
        random = rng.integers(1, 2**32, size=4, dtype=np.int64)
        for part in np.array_split(blurs, min(self.num_batches, num_rounds)):
            finish = compiled(relist)(transfers, needs, calendar, lists, part, lowest, random)
            if budget.is_over or finish <= lowest:
                break
        return Schedule.from_start_times(
            lists.best,
            schedule.senders,
            schedule.receivers,
            [transfer.path for transfer in schedule],
            schedule.messages,
            [transfer.inputs for transfer in schedule] if len(schedule.inputs) else None,
        )


def _dependences(problem: Problem, schedule: Schedule, transfers: HopArrays) -> Dependences:
    """Return what each transfer waits for: the inputs of a sum, or the first arrival of a message at its sender."""
    if problem.pattern in ("reduction", "allreduce"):
        return Dependences(schedule.input_offsets, schedule.inputs.astype(np.int64))
    arrivals = (schedule.starts + transfers.holds[:, 0] + transfers.delays).tolist()
    first: dict[tuple[int, int], int] = {}
    carried = list(zip(schedule.senders.tolist(), schedule.receivers.tolist(), schedule.messages.tolist(), strict=True))
    for number, (_, receiver, message) in enumerate(carried):
        known = first.get((receiver, message))
        if known is None or arrivals[number] < arrivals[known]:
            first[receiver, message] = number
    origins = problem.ends[:, 0].tolist()
    inputs = [[] if sender == origins[message] else [first[sender, message]] for sender, _, message in carried]
    counts: Longs = np.array([len(sources) for sources in inputs], dtype=np.int64)
    flat = np.array([source for sources in inputs for source in sources], dtype=np.int64)
    return Dependences(np.concatenate([[0], np.cumsum(counts)]).astype(np.int64), flat)
