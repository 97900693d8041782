"""Tables for allgather, reduce-scatter and allreduce: one router's tree, grown a router for each kind in a step.

An allgather grows the tree of router 0 (`solvers.tree_growth`). A reduce-scatter grows it over the channels into each
router and is read backwards. An allreduce is a reduce-scatter and then an allgather of the sums.

With N routers, K kinds and p pieces, both phases of an allreduce take ceil(p (N - 1) / K) steps, together at most one
above the volume bound. All parts of an allreduce do the same in the same steps, so that a step of a table serves one
phase of a piece, and one piece cannot save that step. Of several pieces one may begin its second phase while another
ends its first, over half of the kinds each.

`translated-trees` writes the table of an allgather out. A transfer runs over one channel, which is a valid path under
both switchings and every routing. Under half duplex a kind that is its own opposite takes both steps of a beat.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from pavane.model.arrays import Longs
from pavane.model.duals import forwards
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.model.symmetric_schedule import SymmetricSchedule
from pavane.parallel.budget import Budget
from pavane.solvers.machines import Machines
from pavane.solvers.solving import solve_once
from pavane.solvers.supports import Supports
from pavane.solvers.tables.rows import table_of_hops
from pavane.solvers.tree_growth import grown_trees
from pavane.symmetry.cayley import CayleyNetwork, cayley_of

MOST_TRANSFERS = 2**25
"""Beyond this many transfers a schedule takes more than four gigabytes."""


def tree_table(problem: Problem, cayley: CayleyNetwork) -> SymmetricSchedule | None:
    """Return the table for an allgather, a reduce-scatter or an allreduce among all processors."""
    collective, rules = problem.collective, problem.rules
    if (
        collective.kind not in ("AAB", "AAR", "ALLREDUCE")
        or not problem.is_total
        or collective.sizes
        or rules.combining
        or rules.routing not in ("minimal", "any")
    ):
        return None
    machines = Machines.of(problem, cayley.kinds.channels)
    # Links that both ends use in turn have no place in a table: all routers do the same in a step.
    if machines is None or machines.num_turns > 1:
        return None
    growth = _Growth(problem, cayley, machines)
    if collective.kind == "AAB":
        return growth.table([growth.broadcast()])
    if collective.kind == "AAR":
        return growth.table([growth.reduction()])
    return growth.table(growth.phases())


class _Rows(NamedTuple):
    """Rows of one hop each."""

    steps: Longs
    tails: Longs
    kinds: Longs
    messages: Longs

    @property
    def num_steps(self) -> int:
        return int(self.steps.max()) + 1


class _Growth:
    """The trees of one problem."""

    def __init__(self, problem: Problem, cayley: CayleyNetwork, machines: Machines) -> None:
        self.cayley, self.machines, self.num_pieces = cayley, machines, problem.collective.pieces
        rules = problem.rules
        # Under tdm a beat lasts as long as a packet, which can be sent on when all of it has come in.
        self.beat = rules.packet_slots if rules.has_slots else 1
        self.flight = rules.flight(1) + rules.packet_slots - 1 if rules.has_slots else 0
        """The slots from the first of a transfer to its last."""
        self.delay = -(-(self.flight + 1) // self.beat)

    def phases(self) -> list[_Rows]:
        """Return the hops of an allreduce; the two phases share a step where that saves one."""
        into, out = self.reduction(), self.broadcast()
        start, length = into.num_steps, into.num_steps + out.num_steps
        half = self.machines.most_at_once // 2
        if self.num_pieces > 1 and 0 < len(out.steps) % self.machines.most_at_once <= half:
            first = _room_for(half, self.machines.room)
            ends, begins = self.reduction(_room_for(half, self.machines.room - first)), self.broadcast(first)
            if ends.num_steps + begins.num_steps == length:
                into, out, start = ends, begins, ends.num_steps - 1
        sums = out._replace(steps=out.steps + start, messages=2 * out.messages + 1)
        return [into._replace(messages=2 * into.messages), sums]

    def broadcast(self, first_room: Longs | None = None) -> _Rows:
        """Return the hops by which the pieces of router 0 reach all routers."""
        hops = grown_trees(self.cayley.kinds.heads, self.machines, self.num_pieces, self.delay, first_room)
        machines, num_turns = self.machines, self.machines.num_turns
        turns = hops.lanes * num_turns // machines.room[machines.machine_of[hops.kinds]]
        steps = num_turns * hops.beats + np.where(machines.is_parted[hops.kinds], 0, turns)
        return _Rows(steps * self.beat, hops.tails, hops.kinds, hops.pieces)

    def reduction(self, last_room: Longs | None = None) -> _Rows:
        """Return the hops by which the sums of all routers reach router 0: a broadcast over reversed channels."""
        sources = np.argsort(self.cayley.kinds.heads, axis=0).astype(np.int32)
        hops = grown_trees(sources, self.machines, self.num_pieces, self.delay, last_room)
        backwards, pieces = (hops.beats[-1] - hops.beats) * self.beat, self.num_pieces - 1 - hops.pieces
        return _Rows(*(column[::-1] for column in (backwards, hops.heads, hops.kinds, pieces)))

    def table(self, parts: list[_Rows]) -> SymmetricSchedule:
        """Return the table of some rows."""
        steps, senders, kinds, messages = (np.concatenate(columns) for columns in zip(*parts, strict=True))
        return table_of_hops(steps, senders, kinds, messages, self.cayley.translations, self.flight)


def _room_for(num_hops: int, room: Longs) -> Longs:
    """Return how many of some hops each machine makes, the first machines first."""
    taken: Longs = np.clip(num_hops - (np.cumsum(room) - room), 0, room)
    return taken


@lru_cache(maxsize=8)
def _growth(problem: Problem) -> _Growth | None:
    """Return the trees of an allgather; None where routers do not look alike."""
    cayley = cayley_of(problem.network)
    machines = None if cayley is None else Machines.of(problem, cayley.kinds.channels)
    return None if cayley is None or machines is None else _Growth(problem, cayley, machines)


@dataclass(frozen=True)
class TranslatedTrees:
    """Allgather where all routers look alike: one router's tree, translated to all; all seeds give the same."""

    name: str = "translated-trees"

    supports = Supports(
        patterns=("broadcast", "reduction"),
        switching=("wormhole", "store-and-forward"),
        combining=False,
        total=True,
        sizes=False,
        most_arrivals=MOST_TRANSFERS,
        where="one processor on each router, and routers that look alike",
        holds=lambda problem: _growth(forwards(problem)) is not None,
        takes=("capacities",),
        procedure="construction",
    )

    def find(
        self, problem: Problem, num_steps: int | None, rng: np.random.Generator, budget: Budget
    ) -> Schedule | None:
        """Grow a tree for each piece and write the table out; none if that takes more than `num_steps`."""
        growth = None if budget.is_over or not self.supports(problem) else _growth(problem)
        if growth is None:
            return None
        table = growth.table([growth.broadcast()])
        if num_steps is not None and table.num_steps > num_steps:
            return None
        schedule = table.expand(problem)
        return _in_turns(schedule, growth.cayley, growth.machines) if growth.machines.is_parted.any() else schedule

    __call__ = solve_once


def _in_turns(schedule: Schedule, cayley: CayleyNetwork, machines: Machines) -> Schedule:
    """Let the upper end of each link of a kind that is its own opposite send a step after the lower end."""
    is_parted = machines.is_parted[cayley.kinds.places[1][schedule.path_channels]]
    steps = schedule.starts + (is_parted & (schedule.senders > schedule.receivers))
    paths = schedule.path_lengths, schedule.path_channels
    return Schedule.from_columns(None, steps, schedule.senders, schedule.receivers, paths, schedule.messages)
