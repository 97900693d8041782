"""How broadcast messages spread from neighbour to neighbour, step by step (kernels/rarest_first.py)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from pavane.jit import compiled
from pavane.model.arrays import Flags, Ints, Longs, ranges
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.parallel.budget import Budget
from pavane.solvers.broadcast.kernels import rarest_first as kernels
from pavane.solvers.broadcast.kernels import rarest_first_switched as switched

F = TypeVar("F", bound=Callable[..., int])

MOST_ROUTERS_FAR = 8192
"""Above this the table of distances, which minimal paths from afar need, takes more than 128 MB."""

INTERPRETED_EFFORT = 50_000
"""So much effort takes less time than loading machine code; what needs more is compiled."""

SCANNED_PER_ARRIVAL = 5
"""How often, about, a message is looked at before it arrives, in the effort of a transfer."""

LOOKS_PER_WAY = 2
"""How much longer a look at a way over switches takes than one at a message."""

EFFORT_OF_A_STEP = 300
"""The effort of a step besides its transfers, in transfers."""

CHANNELS_PER_EFFORT = 20
"""Channels that a search for a far sender passes in the time that a transfer takes to be made."""

ROWS_PER_EFFORT = 10
"""Transfers of the log that are read in the time that one takes to be made."""

MOST_REPAIRED = 0.02
"""The largest missing share of all arrivals that is worth repairing."""

MOST_ARRIVALS_REPAIRED = 10_000
"""With more arrivals repeating the last steps is quicker than a repair, measured on tori and hypercubes."""

NEVER = 2**31 - 1
"""The step in which a message comes to where it does not come."""


@dataclass(frozen=True)
class TransferLog:
    """Transfers in the order of their steps: step, sender, receiver and message of each, and its path."""

    transfers: Ints
    path_ends: Longs
    path_channels: Ints
    is_target: Flags
    origins: Ints

    @property
    def num_steps(self) -> int:
        """Return the number of steps."""
        return int(self.transfers[-1, 0]) + 1

    def schedule(self, problem: Problem, num_steps: int | None = None) -> Schedule:
        """Return the transfers that some target needs, each in its own step of `num_steps`; None: no step is empty."""
        kept, lengths = self._needed(), np.diff(self.path_ends)
        rows = self.transfers[kept]
        location = np.concatenate((np.arange(problem.network.num_processors), ~np.flatnonzero(problem.is_switch)))
        return Schedule.from_columns(
            num_steps,
            rows[:, 0],
            location[rows[:, 1]],
            location[rows[:, 2]],
            (lengths[kept], self.path_channels[np.repeat(kept, lengths)]),
            rows[:, 3],
        )

    def _needed(self) -> Flags:
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


class BroadcastState:
    """Who holds what, step by step. Locations are the processors, then, where switches hold messages, the switches."""

    def __init__(self, problem: Problem, budget: Budget) -> None:
        """Begin with nothing sent."""
        network, rules = problem.network, problem.rules
        self.problem, self.budget = problem, budget
        self.effort, self.evaluations, self.looks = 0, 0, 0
        home = network.router_of.astype(np.int64)
        inject, eject = problem.injection.astype(np.int64), problem.ejection.astype(np.int64)
        if rules.switching == "store-and-forward" and not problem.passes_switches:
            switches = np.flatnonzero(problem.is_switch)
            home = np.concatenate((home, switches))
            # Its channels are all that limits a switch.
            inject = np.concatenate((inject, network.out_degrees[switches]))
            eject = np.concatenate((eject, network.in_degrees[switches]))
        num_locations, self.num_messages = len(home), problem.num_messages
        carry = np.zeros(network.num_channels, dtype=np.int64)
        carry[problem.units] = network.capacity
        # A channel cannot use more than all messages at once, unless a switch distributes them to many.
        is_handed_out = problem.has_switches and (rules.switching == "wormhole" or problem.passes_switches)
        most = NEVER if is_handed_out else self.num_messages
        self.capacity = kernels.StepRoom(inject, eject, carry if problem.passes_switches else np.minimum(carry, most))
        self.origins = problem.ends[:, 0].copy()
        self.is_target = np.zeros(num_locations, dtype=bool)
        self.is_target[list(problem.collective.receivers)] = True
        self.targets, self.relays = np.flatnonzero(self.is_target), np.flatnonzero(~self.is_target)
        self.is_slim = len(np.unique(home)) == num_locations
        self.may_reach_far = may_reach_far(problem)
        self.needs_far = self.may_reach_far and (problem.has_switches or self.num_messages == 1)
        # Where no path must be shortest the table has no rows; read-only like the real one, it is the same to numba.
        self.distances = np.zeros((0, 0), dtype=np.int16)
        if self.may_reach_far and problem.restriction is not None:
            self.distances = problem.restriction.distances(np.arange(network.num_routers)).astype(np.int16)
        elif self.may_reach_far and rules.routing == "minimal":
            self.distances = network.distances
        self.distances.flags.writeable = False
        entering = np.bincount(network.heads, self.capacity.carry[problem.units], network.num_routers)
        self.wiring = _wiring(problem, home, max(1, int(entering.max())))
        self.bottlenecks = np.zeros((0, num_locations), dtype=bool)

        # In one step no more arrive than channels and ports between processors of a router let through.
        self.most_at_once = int(self.capacity.carry.sum())
        if not self.is_slim:
            self.most_at_once += int(np.minimum(self.capacity.eject, self.num_messages).sum())
        self.transfers = np.zeros((self.most_at_once, 4), dtype=np.int32)
        self.path_ends = np.zeros(self.most_at_once + 1, dtype=np.int64)
        self.path_channels = np.zeros(max(self.most_at_once, 1), dtype=np.int32)
        self.arrived = np.full((num_locations, self.num_messages), NEVER, dtype=np.int32)
        self.pass_switches(None)
        self.start(np.random.default_rng(0), reaches_far=False)

    def set_bottlenecks(self, sets: Flags | None) -> None:
        """Let receivers first take what is new to sets of routers (one row a set); None: take what is rarest."""
        channels, home = self.wiring.channels, self.wiring.locations.home
        if sets is None:
            sets = np.zeros((0, len(channels.in_offsets) - 1), dtype=bool)
        enters = sets[:, channels.heads] & ~sets[:, channels.tails]
        entered, crossing = np.nonzero(enters)
        order, offsets = _grouped(crossing, len(channels.tails))
        self.wiring = self.wiring._replace(bottlenecks=kernels.Bottlenecks(offsets, entered[order]))
        self.bottlenecks = sets[:, home]

    def pass_switches(self, ways: switched.WaysIn | None, strict_steps: int = 0) -> None:
        """Take messages through switches, too, in the first steps nothing twice into a bottleneck; None: do not."""
        self.ways, self.strict_steps = ways, strict_steps
        ways_to_each = 1 if ways is None else LOOKS_PER_WAY * len(ways.starts) // len(self.arrived)
        self.looks_at_each = SCANNED_PER_ARRIVAL * ways_to_each

    def start(
        self, rng: np.random.Generator, *, reaches_far: bool, neediest_first: bool = False, scattering_steps: int = 0
    ) -> None:
        """Go back to the beginning, with another generator; in the scattering steps copies go far before near."""
        self.rng, self.neediest_first, self.scattering_steps = rng, neediest_first, scattering_steps
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
        """Make steps until all is delivered or time is over; at the limit, repair what came too late."""
        while self.step < limit and not self.is_done and not self.is_out:
            self._advance()
        if self.step == limit and not self.is_out:
            self.repair(limit)

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

    def repair(self, num_steps: int) -> None:
        """Fit messages that are still missing into the steps made so far, where not too many are."""
        num_missing, channels = int(self.missing.sum()), self.wiring.channels
        if self.is_slim and (np.diff(self.wiring.locations.offsets)[channels.tails] == 0).all():
            return  # no channel begins where messages rest
        most = max(16, MOST_REPAIRED * self.arrived.size)
        if not 0 < num_missing <= most or self.arrived.size > MOST_ARRIVALS_REPAIRED:
            return
        self._make_room(num_missing)
        before = self.num_transfers
        state = kernels.StepState(self.arrived, self._room_left(num_steps), self._log(), self._inside())
        self.num_transfers = self._compiled(kernels.repair)(self._late(), self.wiring, state, before)
        self.effort += EFFORT_OF_A_STEP + before // ROWS_PER_EFFORT
        if self.num_transfers > before:
            self._sort()
            # A transfer may now carry another message, so arrivals are counted again.
            rows = self.transfers[: self.num_transfers]
            wanted = len(self.targets) - self.is_target[self.origins].astype(np.int64)
            self.missing = wanted - self._deliveries(rows)

    def _room_left(self, num_steps: int) -> kernels.StepRoom:
        """Return what the transfers so far leave of the capacities of each step."""
        rows = self.transfers[: self.num_transfers]
        steps = rows[:, 0]
        inject, eject, carry = (np.tile(capacity, (num_steps, 1)) for capacity in self.capacity)
        np.subtract.at(inject, (steps, rows[:, 1]), 1)
        np.subtract.at(eject, (steps, rows[:, 2]), 1)
        owner = np.repeat(steps, np.diff(self.path_ends[: len(rows) + 1]))
        used = self.path_channels[: self.path_ends[len(rows)]]
        np.subtract.at(carry, (owner, self.wiring.channels.units[used]), 1)
        return kernels.StepRoom(inject, eject, carry)

    def _room(self) -> kernels.StepRoom:
        """Return the capacities of a step, to be used up."""
        return kernels.StepRoom(*(capacity.copy() for capacity in self.capacity))

    def _late(self) -> kernels.LateArrivals:
        """Return what is missing, and by which transfers each location got the rest."""
        rows = self.transfers[: self.num_transfers]
        first_sent = np.full(self.arrived.shape, NEVER, dtype=np.int32)
        np.minimum.at(first_sent, (rows[:, 1], rows[:, 3]), rows[:, 0])
        mine, mine_offsets = _grouped(rows[:, 2], len(self.arrived))
        late = np.flatnonzero(self.missing)
        targets, columns = np.nonzero(self.arrived[np.ix_(self.targets, late)] == NEVER)
        return kernels.LateArrivals(
            np.column_stack((self.targets[targets], late[columns])), mine, mine_offsets, first_sent
        )

    def _sort(self) -> None:
        """Bring the log back into the order of steps."""
        size = self.num_transfers
        order = np.argsort(self.transfers[:size, 0], kind="stable")
        lengths = np.diff(self.path_ends[: size + 1])[order]
        ends = np.concatenate(([0], np.cumsum(lengths)))
        source = ranges(self.path_ends[:size][order], lengths)
        self.transfers[:size] = self.transfers[:size][order]
        self.path_channels[: ends[-1]] = self.path_channels[source]
        self.path_ends[: size + 1] = ends

    def log(self) -> TransferLog:
        """Return a copy of the transfers so far."""
        size = self.num_transfers
        return TransferLog(
            self.transfers[:size].copy(),
            self.path_ends[: size + 1].copy(),
            self.path_channels[: self.path_ends[size]].copy(),
            self.is_target,
            self.origins,
        )

    def _deliveries(self, rows: Ints) -> Longs:
        """Count the arrivals of each message at targets."""
        return np.bincount(rows[self.is_target[rows[:, 2]], 3], minlength=self.num_messages)

    def _advance(self) -> None:
        """Make one step: targets from their neighbours, then from afar, then relays with what is left."""
        self._make_room(self.most_at_once)
        rng, before = self.rng, self.num_transfers
        state = kernels.StepState(self.arrived, self._room(), self._log(), self._inside())
        # What most targets still miss is the rarest.
        requested = np.flatnonzero(self.missing)
        ranked = requested[np.lexsort((rng.permutation(len(requested)), -self.missing[requested]))]
        counts = self.missing[ranked]
        ranking = kernels.Ranking(ranked, np.searchsorted(-counts, -counts, side="right"))
        targets = rng.permutation(self.targets)
        if self.neediest_first:
            lacking = (self.arrived[targets] == NEVER).sum(axis=1)
            targets = targets[np.argsort(-lacking, kind="stable")]

        is_strict = self.ways is not None and self.step < self.strict_steps
        if self.ways is not None:
            demand = switched.MessageDemand(self.missing.copy(), rng.random(self.num_messages))

        def serve(receivers: Longs, only_new: bool) -> None:
            turn = kernels.Turn(self.step, receivers, rng.random(len(receivers)), only_new)
            if self.ways is None:
                match = self._compiled(kernels.match_neighbours)
                self.num_transfers = match(turn, ranking, self.wiring, state, self.num_transfers)
            else:
                self.num_transfers = self._serve_through_switches(turn, is_strict, demand, state)

        def reach(only_new: bool) -> None:
            # In the worst case every receiver looks at every channel, and only then finds that it must wait.
            num_looks = len(targets) * len(self.wiring.channels.heads) // CHANNELS_PER_EFFORT
            far = self._compiled(kernels.reach_farther, num_looks)
            now = kernels.Turn(self.step, targets, np.zeros(0), only_new)
            self.num_transfers = far(now, ranked, self.distances, self.wiring, state, self.num_transfers)

        if self.step < self.scattering_steps:
            self._scatter(targets, state)
        serve(targets, only_new=not self.is_slim)
        if not self.is_slim:
            serve(targets, only_new=False)
        if self.reaches_far and not self.is_slim and not is_strict:
            reach(only_new=True)
        if self.reaches_far and not is_strict:
            reach(only_new=False)
        if len(self.relays):
            serve(rng.permutation(self.relays), only_new=not self.is_slim)

        made = self.transfers[before : self.num_transfers]
        self.missing = self.missing - self._deliveries(made)
        if not len(made):
            # What does not come through one switch must come from farther away.
            self.strict_steps = 0
        self.evaluations += len(made)
        self.looks += 0 if self.ways is None else self.looks_at_each * len(made)
        self.effort += EFFORT_OF_A_STEP + len(made)
        self.step += 1

    def _serve_through_switches(
        self, turn: kernels.Turn, is_strict: bool, demand: switched.MessageDemand, state: kernels.StepState
    ) -> int:
        """Let receivers take messages over their ways in; return the length of the log."""
        assert self.ways is not None
        most_moves = int(np.minimum(state.room.eject[turn.receivers], self.num_messages).sum()) + 1
        step = switched.SwitchedStep(
            turn,
            is_strict,
            demand,
            self.wiring.locations,
            self.ways,
            self.wiring.channels.units,
            self.arrived,
            state.room,
            state.inside.astype(np.int64),
            np.zeros((most_moves, 4), dtype=np.int64),
        )
        num_moves = self._compiled(switched.match_through_switches)(step)
        return self._write(step.moves[:num_moves])

    def _write(self, moves: Longs) -> int:
        """Append moves of this step to the log; return its length."""
        assert self.ways is not None
        before, after = self.num_transfers, self.num_transfers + len(moves)
        self.transfers[before:after, 0] = self.step
        self.transfers[before:after, 1:] = moves[:, : switched.WAY]
        # Way -1 has no channels: it begins at 0, where way 0 begins and it ends.
        way, offsets = moves[:, switched.WAY], self.ways.path_offsets
        starts, ends = np.where(way < 0, 0, offsets[way]), offsets[way + 1]
        lengths = ends - starts
        np.cumsum(lengths, out=self.path_ends[before + 1 : after + 1])
        self.path_ends[before + 1 : after + 1] += self.path_ends[before]
        channels = self.ways.path[ranges(starts, lengths)]
        self.path_channels[self.path_ends[before] : self.path_ends[after]] = channels
        return after

    def _scatter(self, receivers: Longs, state: kernels.StepState) -> None:
        """Let receivers take one message each over free channels, what is rarest at the moment, wherever it is held.

        While few hold anything, their ports limit what a step does and channels are free: copies that lie far apart
        have more free channels around them in the next step.
        """
        far, missing = self._compiled(kernels.reach_farther), self.missing.copy()
        is_holder = (self.arrived < self.step).any(axis=1)
        inject, eject = state.room.inject, state.room.eject
        for receiver in receivers.tolist():
            if not inject[is_holder].any():
                break
            requested = np.flatnonzero(missing)
            ranked = requested[np.lexsort((self.rng.random(len(requested)), -missing[requested]))]
            kept, number = max(0, int(eject[receiver]) - 1), self.num_transfers
            eject[receiver] -= kept
            turn = kernels.Turn(self.step, np.array([receiver]), np.zeros(0), False)
            self.num_transfers = far(turn, ranked, self.distances, self.wiring, state, number)
            eject[receiver] += kept
            missing[self.transfers[number : self.num_transfers, 3]] -= 1
        self.effort += len(receivers)

    def _inside(self) -> Flags:
        """Mark what each bottleneck holds when a step begins."""
        held = self.arrived < self.step
        inside = np.zeros((len(self.bottlenecks), self.num_messages), dtype=bool)
        for row, members in zip(inside, self.bottlenecks, strict=True):
            held[members].any(axis=0, out=row)
        return inside

    def _log(self) -> kernels.LogArrays:
        return kernels.LogArrays(self.transfers, self.path_ends, self.path_channels)

    def _compiled(self, kernel: F, expected: int = 0) -> F:
        """Return a kernel, compiled once the problem has proved to be more than a moment's work, or its call may be."""
        effort = max(self.effort, self.looks, self.looks_at_each * self.arrived.size, expected)
        return kernel if effort < INTERPRETED_EFFORT else compiled(kernel)

    def _make_room(self, most_more: int) -> None:
        """Let the log grow so that `most_more` transfers more fit, over every channel or over one each."""
        size = self.num_transfers
        if size + most_more > len(self.transfers):
            more = np.zeros((size + most_more, 4), dtype=np.int32)
            self.transfers = np.concatenate((self.transfers, more))
            self.path_ends = np.concatenate((self.path_ends, np.zeros(len(more), dtype=np.int64)))
        length = int(self.path_ends[size])
        most_longer = max(self.most_at_once, most_more)
        if length + most_longer > len(self.path_channels):
            longer = np.zeros(length + most_longer, dtype=np.int32)
            self.path_channels = np.concatenate((self.path_channels, longer))


def may_reach_far(problem: Problem) -> bool:
    """Return whether transfers may run over several channels, on any free or shortest path."""
    rules = problem.rules
    return rules.switching == "wormhole" and (rules.routing == "any" or problem.network.num_routers <= MOST_ROUTERS_FAR)


def _wiring(problem: Problem, home: Longs, most_inlets: int) -> kernels.BroadcastWiring:
    network = problem.network
    on, offsets = _grouped(home, network.num_routers)
    incoming, in_offsets = _grouped(network.heads, network.num_routers)
    ends = network.tails.astype(np.int64), network.heads.astype(np.int64)
    phases = np.zeros(network.num_channels, dtype=np.int64)
    if problem.restriction is not None:
        phases[:] = problem.restriction.phases
    channels = kernels.Channels(in_offsets, incoming, *ends, problem.units.astype(np.int64), phases, most_inlets)
    nowhere = kernels.Bottlenecks(np.zeros(network.num_channels + 1, dtype=np.int64), np.zeros(0, dtype=np.int64))
    return kernels.BroadcastWiring(kernels.Locations(home, offsets, on), channels, nowhere)


def _grouped(keys: npt.NDArray[np.integer], num_groups: int) -> tuple[Longs, Longs]:
    """Return the numbers that have each key, group after group, and where each group begins."""
    order = np.argsort(keys, kind="stable")
    return order, np.searchsorted(keys[order], np.arange(num_groups + 1))
