"""Rarest first: broadcasts of several messages (AAB, MNB; OAB too), step by step from neighbour to neighbour.

In every step the channels into each processor are matched to messages that the neighbours hold and it lacks, the
rarest message first: what few have is what many will ask for. Single channels are valid paths under wormhole and
store-and-forward and under every routing, and they waste nothing: a message enters each router once, so a schedule that
keeps all channels busy meets the bound by volume or in-degree (gecco08 Table 2). The papers search for AAB
schedules with MBOA and HGSA for hours (gecco08 Table 6); most networks need no search at all.

Where the bound leaves no slack a few messages come too late, because the last channels of a processor lead to the wrong
neighbours. They are mended first: what a processor got in earlier steps is exchanged along augmenting paths. Then the
last steps are done again, with other ties (tail restarts); then the whole. Under wormhole, whole restarts by turns also
let processors with ports to spare fetch messages from farther away, which pure switches and few ports call for.

Processors and (under store-and-forward) switches that want nothing relay with what capacity is left; what turns out
not to have been passed on is taken out. Reductions are solved backwards.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pavane.bounds import lower_bounds
from pavane.judge.result import Provenance, Result
from pavane.kernels import compiled
from pavane.kernels.rarest import match_neighbours, mend, reach_farther
from pavane.model.collectives import dual
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule, time_reversed
from pavane.workers.budget import Budget

Longs = npt.NDArray[np.int64]

MOST_ARRIVALS = 2**26
"""The most pairs of a place and a message; the table of arrivals then takes 256 MB."""

MOST_ROUTERS_FAR = 8192
"""Above this the table of distances, which minimal paths from afar need, takes more than 128 MB."""

INTERPRETED_EFFORT = 50_000
"""So much effort takes less time than loading machine code; what needs more is compiled."""

SCANNED_PER_ARRIVAL = 5
"""How often, about, a message is looked at before it arrives, in the effort of a transfer."""

EFFORT_OF_A_STEP = 300
"""What a step costs besides its transfers, in transfers."""

ROWS_PER_EFFORT = 10
"""Transfers of the log that are read in the time that one takes to be made."""

MOST_MENDED = 0.02
"""The largest share of all arrivals that is worth mending when it is missing."""

LARGEST_MENDED = 10_000
"""Above so many arrivals doing the last steps again is quicker than mending, measured on tori and hypercubes."""

NEVER = 2**31 - 1


@dataclass(frozen=True)
class RarestFirst:
    """Rarest-first matching with restarts; the seed decides among the equally rare."""

    name: str = "rarest-first"
    tail_restarts: int = 60
    """How often the last steps are done again before everything is."""
    most_effort: int = 3_000_000
    """No more restarts once so many transfers have been made; the first schedule is finished whatever it takes."""

    def supports(self, problem: Problem) -> bool:
        """Say whether it is a broadcast or a reduction without combining that single channels or free paths serve."""
        network, rules = problem.network, problem.rules
        num_places = network.num_processors + (rules.switching == "store-and-forward") * network.num_routers
        return (
            problem.pattern != "private"
            and not rules.combining
            and num_places * problem.num_messages <= MOST_ARRIVALS
            and (not _has_switches(problem) or rules.switching == "store-and-forward" or _may_reach_far(problem))
        )

    def __call__(self, problem: Problem, num_steps: int | None, seed: int, budget: Budget) -> Result:
        """Return the shortest schedule found; none if all are longer than `num_steps` or time has run out before."""
        forwards = dual(problem) if problem.pattern == "reduction" else problem
        lowest = max((bound.steps for bound in lower_bounds(forwards)), default=1)
        if num_steps is not None and num_steps < lowest:
            return Result(problem, None, asked=num_steps)
        found = self._search(_Spread(forwards, budget), lowest, num_steps, seed)
        if found is None:
            return Result(problem, None, asked=num_steps)
        schedule = found.schedule(forwards)
        if problem.pattern == "reduction":
            schedule = time_reversed(forwards, schedule, problem)
        return Result(problem, schedule, provenance=Provenance(self.name, seed), asked=num_steps)

    def _search(self, spread: _Spread, lowest: int, asked: int | None, seed: int) -> _Log | None:
        """Restart until the bound or what was asked for is reached, or the effort is spent."""
        best: _Log | None = None
        enough = lowest if asked is None else asked
        limit = NEVER if asked is None else asked
        whole = 0
        while not spread.is_out and (whole == 0 or spread.effort < self.most_effort):
            spread.start(np.random.default_rng((seed, whole)), reaches_far=spread.needs_far or whole % 2 == 1)
            spread.run(limit)
            tails = 0
            while not spread.is_out:
                if spread.is_done:
                    best = spread.log()
                    if best.num_steps <= enough:
                        return best
                    limit = best.num_steps - 1
                    spread.undo(limit)
                    spread.mend(limit)
                    tails = 0
                    continue
                if tails == self.tail_restarts or spread.effort >= self.most_effort:
                    break
                spread.redo_tail(_tail(tails, limit), limit)
                tails += 1
            whole += 1
        return best


def _tail(number: int, num_steps: int) -> int:
    """Return how many of the last steps to do again: 2, 3, 4, 6, 8, 12, ... by turns."""
    lengths = [2]
    while lengths[-1] < min(num_steps, 48):
        lengths.append(lengths[-1] * 3 // 2 if len(lengths) % 2 else lengths[-2] * 2)
    return min(lengths[number % len(lengths)], num_steps)


def _has_switches(problem: Problem) -> bool:
    network = problem.network
    return len(np.unique(network.router_of)) < network.num_routers


def _may_reach_far(problem: Problem) -> bool:
    """Say whether transfers may run over several channels, on any free or shortest path."""
    rules = problem.rules
    return (
        rules.switching == "wormhole"
        and problem.restriction is None
        and (rules.routing == "any" or problem.network.num_routers <= MOST_ROUTERS_FAR)
    )


@dataclass(frozen=True)
class _Log:
    """Transfers in the order of their steps: step, sender, receiver and message of each, and its path."""

    transfers: npt.NDArray[np.int32]
    path_ends: Longs
    path_channels: npt.NDArray[np.int32]
    is_target: npt.NDArray[np.bool_]
    origins: npt.NDArray[np.int32]

    @property
    def num_steps(self) -> int:
        """Return the number of steps."""
        return int(self.transfers[-1, 0]) + 1

    def schedule(self, problem: Problem) -> Schedule:
        """Return the transfers that some target needs, as a schedule."""
        kept = self._needed()
        lengths = np.diff(self.path_ends)
        rows = self.transfers[kept]
        used, steps = np.unique(rows[:, 0], return_inverse=True)
        is_switch = np.bincount(problem.network.router_of, minlength=problem.network.num_routers) == 0
        location = np.concatenate((np.arange(problem.network.num_processors), ~np.flatnonzero(is_switch)))
        return Schedule.from_columns(
            len(used),
            steps,
            location[rows[:, 1]],
            location[rows[:, 2]],
            lengths[kept],
            self.path_channels[np.repeat(kept, lengths)],
            np.ones(len(rows), dtype=np.int64),
            rows[:, 3],
        )

    def _needed(self) -> npt.NDArray[np.bool_]:
        """Mark the transfers to targets, and to relays that pass the message on."""
        kept = np.ones(len(self.transfers), dtype=bool)
        if self.is_target.all():
            return kept
        needs = np.repeat(self.is_target[:, None], len(self.origins), axis=1)
        bounds = np.searchsorted(self.transfers[:, 0], np.arange(self.num_steps + 1))
        for step in range(self.num_steps - 1, -1, -1):
            now = slice(bounds[step], bounds[step + 1])
            rows = self.transfers[now]
            kept[now] = needs[rows[:, 2], rows[:, 3]]
            needs[rows[kept[now], 1], rows[kept[now], 3]] = True
        return kept


class _Spread:
    """Who holds what, step by step. Places are the processors, then under store-and-forward the pure switches."""

    def __init__(self, problem: Problem, budget: Budget) -> None:
        network, rules = problem.network, problem.rules
        self.budget = budget
        self.effort, self.evaluations = 0, 0
        self.home = network.router_of.astype(np.int64)
        inject, eject = problem.injection.astype(np.int64), problem.ejection.astype(np.int64)
        if rules.switching == "store-and-forward":
            switches = np.flatnonzero(np.bincount(self.home, minlength=network.num_routers) == 0)
            self.home = np.concatenate((self.home, switches))
            # Its channels are all that limits a switch.
            inject = np.concatenate((inject, network.out_degrees[switches]))
            eject = np.concatenate((eject, network.in_degrees[switches]))
        self.capacity = inject, eject
        num_places, self.num_messages = len(self.home), problem.num_messages
        self.origins = problem.labels[:, 0].copy()
        self.is_target = np.zeros(num_places, dtype=bool)
        self.is_target[list(problem.collective.receivers)] = True
        self.targets, self.relays = np.flatnonzero(self.is_target), np.flatnonzero(~self.is_target)
        self.is_slim = len(np.unique(self.home)) == num_places
        self.may_reach_far = _may_reach_far(problem)
        self.needs_far = self.may_reach_far and (_has_switches(problem) or self.num_messages == 1)
        self.is_minimal = rules.routing == "minimal"
        self.num_units = network.num_channels
        # Where no path must be shortest the table is not made; read-only like the real one, it is the same to numba.
        self.distances = np.zeros((1, 1), dtype=np.int16)
        self.distances.flags.writeable = False
        if self.may_reach_far and self.is_minimal:
            self.distances = network.distances

        places_on, place_offsets = _grouped(self.home, network.num_routers)
        in_channels, in_offsets = _grouped(network.heads, network.num_routers)
        self.tails, self.heads = network.tails.astype(np.int64), network.heads.astype(np.int64)
        self.places = self.home, place_offsets, places_on, in_offsets, in_channels
        self.units = problem.units.astype(np.int64)

        # In one step no more arrive than channels and ports between processors of a router let through.
        self.most_at_once = network.num_channels + (0 if self.is_slim else int(inject.sum()))
        self.transfers = np.zeros((self.most_at_once, 4), dtype=np.int32)
        self.path_ends = np.zeros(self.most_at_once + 1, dtype=np.int64)
        self.path_channels = np.zeros(max(network.num_channels, 1), dtype=np.int32)
        self.arrived = np.full((num_places, self.num_messages), NEVER, dtype=np.int32)
        self.start(np.random.default_rng(0), reaches_far=False)

    def start(self, rng: np.random.Generator, *, reaches_far: bool) -> None:
        """Go back to the beginning, with another generator."""
        self.rng = rng
        self.reaches_far = reaches_far and self.may_reach_far
        self.arrived[:] = NEVER
        self.arrived[self.origins, np.arange(self.num_messages)] = -1
        self.missing = len(self.targets) - self.is_target[self.origins].astype(np.int64)
        self.step, self.num_transfers = 0, 0

    @property
    def is_done(self) -> bool:
        """Whether every target has every message."""
        return not self.missing.any()

    @property
    def is_out(self) -> bool:
        """Whether time or evaluations (transfers made) are over."""
        most = self.budget.evaluations
        return self.budget.is_over or (most is not None and self.evaluations >= most)

    def run(self, limit: int) -> None:
        """Make steps until all is delivered or time is over; at the limit, mend what came too late."""
        while self.step < limit and not self.is_done and not self.is_out:
            self._advance()
        if self.step == limit and not self.is_out:
            self.mend(limit)

    def undo(self, step: int) -> None:
        """Take back all steps from this one on."""
        first = int(np.searchsorted(self.transfers[: self.num_transfers, 0], step))
        gone = self.transfers[first : self.num_transfers]
        self.arrived[gone[:, 2], gone[:, 3]] = NEVER
        self.missing += self._deliveries(gone)
        self.num_transfers, self.step = first, min(self.step, step)

    def redo_tail(self, length: int, limit: int) -> None:
        """Do the last steps before the limit again; keep the old ones if they delivered more."""
        still_missing, old = int(self.missing.sum()), self.log()
        self.undo(limit - length)
        self.run(limit)
        if int(self.missing.sum()) > still_missing:
            self.undo(0)
            rows = old.transfers
            self.num_transfers, self.step = len(rows), limit
            self.transfers[: len(rows)] = rows
            self.path_ends[: len(rows) + 1] = old.path_ends
            self.path_channels[: len(old.path_channels)] = old.path_channels
            self.arrived[rows[:, 2], rows[:, 3]] = rows[:, 0]
            self.missing -= self._deliveries(rows)

    def mend(self, num_steps: int) -> None:
        """Fit messages that are still missing into the steps made so far, where not too many are."""
        num_missing = int(self.missing.sum())
        most = max(16, MOST_MENDED * self.arrived.size)
        if not 0 < num_missing <= most or self.arrived.size > LARGEST_MENDED:
            return
        self._make_room(num_missing)
        before = self.num_transfers
        rows = self.transfers[:before]
        steps, senders = rows[:, 0], rows[:, 1]
        first_sent = np.full(self.arrived.shape, NEVER, dtype=np.int32)
        np.minimum.at(first_sent, (senders, rows[:, 3]), steps)
        inject, eject = (np.repeat(capacity[None, :], num_steps, axis=0) for capacity in self.capacity)
        np.subtract.at(inject, (steps, senders), 1)
        np.subtract.at(eject, (steps, rows[:, 2]), 1)
        unit_is_free = np.ones((num_steps, self.num_units), dtype=bool)
        owner = np.repeat(steps, np.diff(self.path_ends[: before + 1]))
        unit_is_free[owner, self.units[self.path_channels[: self.path_ends[before]]]] = False
        mine, mine_offsets = _grouped(rows[:, 2], len(self.home))
        late = np.flatnonzero(self.missing)
        places, columns = np.nonzero(self.arrived[np.ix_(self.targets, late)] == NEVER)
        self.num_transfers = self._kernels()[2](
            num_steps,
            np.column_stack((self.targets[places], late[columns])),
            mine,
            mine_offsets,
            *self.places,
            self.tails,
            self.units,
            first_sent,
            inject,
            eject,
            unit_is_free,
            self.arrived,
            self.transfers,
            self.path_ends,
            self.path_channels,
            before,
        )
        self.effort += EFFORT_OF_A_STEP + before // ROWS_PER_EFFORT
        if self.num_transfers > before:
            self._sort()
            # A transfer may now carry another message, so arrivals are counted anew.
            rows = self.transfers[: self.num_transfers]
            wanted = len(self.targets) - self.is_target[self.origins].astype(np.int64)
            self.missing = wanted - self._deliveries(rows)

    def _sort(self) -> None:
        """Bring the log back into the order of steps."""
        size = self.num_transfers
        order = np.argsort(self.transfers[:size, 0], kind="stable")
        lengths = np.diff(self.path_ends[: size + 1])[order]
        ends = np.concatenate(([0], np.cumsum(lengths)))
        source = np.repeat(self.path_ends[:size][order] - ends[:-1], lengths) + np.arange(ends[-1])
        self.transfers[:size] = self.transfers[:size][order]
        self.path_channels[: ends[-1]] = self.path_channels[source]
        self.path_ends[: size + 1] = ends

    def log(self) -> _Log:
        """Return a copy of the transfers so far."""
        size = self.num_transfers
        return _Log(
            self.transfers[:size].copy(),
            self.path_ends[: size + 1].copy(),
            self.path_channels[: self.path_ends[size]].copy(),
            self.is_target,
            self.origins,
        )

    def _deliveries(self, rows: npt.NDArray[np.int32]) -> Longs:
        """Count the arrivals of each message at targets."""
        return np.bincount(rows[self.is_target[rows[:, 2]], 3], minlength=self.num_messages)

    def _advance(self) -> None:
        """Make one step: targets from their neighbours, then from afar, then relays with what is left."""
        self._make_room(self.most_at_once)
        rng, before = self.rng, self.num_transfers
        inject, eject = (capacity.copy() for capacity in self.capacity)
        unit_is_free = np.ones(self.num_units, dtype=bool)
        state = (self.arrived, inject, eject, unit_is_free, self.transfers, self.path_ends, self.path_channels)
        # What most targets still miss is the rarest.
        asked = np.flatnonzero(self.missing)
        ranked = asked[np.lexsort((rng.permutation(len(asked)), -self.missing[asked]))]
        counts = self.missing[ranked]
        group_ends = np.searchsorted(-counts, -counts, side="right")
        targets = rng.permutation(self.targets)
        match, reach, _ = self._kernels()

        def serve(receivers: Longs, only_new: bool) -> None:
            spins = rng.random(len(receivers))
            wiring = (*self.places, self.tails, self.units)
            self.num_transfers = match(
                self.step, receivers, spins, only_new, ranked, group_ends, *wiring, *state, self.num_transfers
            )

        serve(targets, only_new=not self.is_slim)
        if not self.is_slim:
            serve(targets, only_new=False)
        if self.reaches_far:
            wiring = (*self.places, self.tails, self.heads, self.units)
            self.num_transfers = reach(
                self.step, targets, self.is_minimal, self.distances, ranked, *wiring, *state, self.num_transfers
            )
        if len(self.relays):
            serve(rng.permutation(self.relays), only_new=not self.is_slim)

        made = self.transfers[before : self.num_transfers]
        self.missing = self.missing - self._deliveries(made)
        self.evaluations += len(made)
        self.effort += EFFORT_OF_A_STEP + len(made)
        self.step += 1

    def _kernels(self) -> tuple[Callable[..., int], Callable[..., int], Callable[..., int]]:
        """Return the kernels, compiled once the problem has proved to be more than a moment's work."""
        if max(self.effort, SCANNED_PER_ARRIVAL * self.arrived.size) < INTERPRETED_EFFORT:
            return match_neighbours, reach_farther, mend
        return compiled(match_neighbours), compiled(reach_farther), compiled(mend)

    def _make_room(self, most_more: int) -> None:
        """Let the log grow so that so many more transfers fit, over every channel or over one each."""
        size = self.num_transfers
        if size + most_more > len(self.transfers):
            more = np.zeros((size + most_more, 4), dtype=np.int32)
            self.transfers = np.concatenate((self.transfers, more))
            self.path_ends = np.concatenate((self.path_ends, np.zeros(len(more), dtype=np.int64)))
        length = int(self.path_ends[size])
        most_longer = max(self.num_units, most_more)
        if length + most_longer > len(self.path_channels):
            longer = np.zeros(length + most_longer, dtype=np.int32)
            self.path_channels = np.concatenate((self.path_channels, longer))


def _grouped(keys: npt.NDArray[np.integer], num_groups: int) -> tuple[Longs, Longs]:
    """Return the numbers that have each key, group after group, and where each group begins."""
    order = np.argsort(keys, kind="stable")
    return order, np.searchsorted(keys[order], np.arange(num_groups + 1))
