"""Tables for allgather, reduce-scatter and allreduce: one router's tree, grown a router for each kind in a step.

An allgather grows the tree of router 0 (`solvers.tree_growth`). A reduce-scatter grows it over the channels into each
router and is read backwards. An allreduce is a reduce-scatter and then an allgather of the sums.

With N routers, K kinds and p pieces, both phases of an allreduce take ceil(p (N - 1) / K) steps, together at most one
above the volume bound. All parts of an allreduce do the same in the same steps, so that a step of a table serves one
phase of a piece, and one piece cannot save that step. Of several pieces one may begin its second phase while another
ends its first, over half of the kinds each.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pavane.model.arrays import Longs
from pavane.model.problem import Problem
from pavane.model.symmetric_schedule import SymmetricSchedule
from pavane.solvers.machines import Machines
from pavane.solvers.tables.rows import table_of_hops
from pavane.solvers.tree_growth import grown_trees
from pavane.symmetry.cayley import CayleyNetwork


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
        return _Rows(hops.beats * self.beat, hops.tails, hops.kinds, hops.pieces)

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
