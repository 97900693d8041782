"""Repaired tables: a table of the whole network less what is taken out of it, and a list that carries exactly that.

**Table.** It is judged on the whole network, which is what is left and the lost channels; under half duplex channels
that share a link shared it before. What remains of a valid schedule when transfers are taken out uses no channel or
port more than before.

**No lost channel is used.** A hop of a kind uses each channel of its kind exactly once, in the message of one router
(`symmetry_rules`). So the table crosses a lost channel as often as it has hops of that channel's kind. The crossings
are looked for, and each is walked: if as many different ones are found as there must be, there are no others. All their
messages must be listed.

**What is taken out.** Of private messages, all transfers of each listed one. A path that remains is as long as a
shortest one of the whole network, and no path of the network that is left is shorter. Of copies, the listed deliveries:
with one to a router, all those that this router would pass on must be listed. Then each sender that remains has what it
sends. No step of the table may become empty.

**Trees along lines** (`mesh_tree_rules`) bring a message to a router over one channel, which follows from the places of
the two. So the deliveries over a lost channel are found by looking at every message, and those that a router passes on
by looking at its neighbours.

**The list** comes after the table. Each private message in it starts at its origin and ends at its target. Each copy
comes from a router that has it from the table or by an earlier listed transfer. Loads are counted as in any schedule.

**Sums.** A reduce-scatter is the repaired table of an allgather, read backwards over the opposite channels: a router
sends its sum once, after all that it receives. So the allgather is judged, and every channel that is left must have an
opposite one of the same capacity. An allreduce is the allgather read backwards, and forwards after that.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from itertools import islice, pairwise

import numpy as np

from pavane.errors import InputError
from pavane.judge.load_rules import counted
from pavane.judge.mesh_tree_rules import arrivals, num_arrivals, verify_mesh_trees
from pavane.judge.table_rules import MOST_STEPS, verify_table
from pavane.judge.violation import Rule, Violation
from pavane.model.arrays import Flags, Longs, ranges
from pavane.model.mesh_trees import MeshTrees
from pavane.model.problem import Problem
from pavane.model.repaired_table import (
    RepairedTable,
    crossings,
    has_same_links,
    num_crossings,
    read_forwards,
    walks,
)
from pavane.model.table_schedule import TableSchedule

MOST_HOPS_COUNTED = 2**21
"""Hops of listed transfers whose loads are counted together, in whole steps: more take more memory."""


def verify_repaired_table(problem: Problem, table: RepairedTable, most: int = 100) -> list[Violation]:
    """Return what is wrong with a repaired table."""
    if problem.rules.has_slots or problem.collective.kind not in ("AAS", "AAB", "AAR", "ALLREDUCE"):
        raise InputError(
            "a repaired table is for alltoall, allgather, reduce-scatter and allreduce, under wormhole or "
            "store-and-forward switching"
        )
    if problem.pattern in ("reduction", "allreduce"):
        found = list(islice(_read_backwards(problem, table), most))
        allgather = replace(table, num_steps=table.num_phase_steps(problem))
        return found or verify_repaired_table(read_forwards(problem), allgather, most)
    if not _is_what_is_left(problem, table):
        return [Violation("broken-path", "the network is not that of the table without the lost channels")]
    whole = table.whole_problem(problem)
    if isinstance(table.table, MeshTrees):
        found = verify_mesh_trees(whole, table.table, most)
        cut, closed, empty = _cut_branches, _closed_branches, _empty_steps_of_trees
    else:
        found = verify_table(whole, table.table, most)
        cut, closed, empty = _crossings, _closed, _empty_steps
    # Each of these makes sure that the next ones can be read at all.
    for rule in (_columns, _numbers, _ends):
        found = found or list(islice(rule(_Case(problem, table)), most))
    if found:
        return found
    case = _Case(problem, table)
    of_messages = [_paths] if problem.pattern == "private" else [closed, _held]
    rules = [cut, _twice, *of_messages, _steps, empty, _loads]
    return [violation for rule in rules for violation in islice(rule(case), most)]


def _read_backwards(problem: Problem, table: RepairedTable) -> Iterator[Violation]:
    """A schedule of sums can be read backwards: channels have opposite ones, and an allreduce has two equal phases."""
    network = problem.network
    back = network.opposite
    one_way = np.flatnonzero((back < 0) | (network.capacity != network.capacity[back]))
    for channel in one_way.tolist():
        tail, head = (network.routers[end] for end in network.channels[channel].tolist())
        yield Violation("broken-path", f"channel {tail}>{head} has no opposite one, over which sums would come back")
    if problem.pattern == "allreduce" and table.num_steps % 2:
        yield Violation("outside-period", "an allreduce has two times as many steps as each of its phases")


def _is_what_is_left(problem: Problem, table: RepairedTable) -> bool:
    """Return whether a network is the whole one without the lost channels."""
    whole, left, lost = table.whole, problem.network, table.lost
    if lost.ndim != 1 or lost.dtype.kind != "i" or len(np.unique(lost)) < len(lost):
        return False
    if len(lost) and not 0 <= lost.min() <= lost.max() < whole.num_channels:
        return False
    stays = np.ones(whole.num_channels, dtype=bool)
    stays[lost] = False
    return (
        whole.num_routers == left.num_routers
        and np.array_equal(whole.router_of, left.router_of)
        and np.array_equal(whole.channels[stays], left.channels)
        and np.array_equal(whole.capacity[stays], left.capacity)
        and (problem.rules.duplex == "full" or has_same_links(whole, left, lost))
    )


class _Case:
    """A repaired table under verification."""

    def __init__(self, problem: Problem, table: RepairedTable) -> None:
        self.problem, self.table = problem, table
        self.pieces, self.num_routers = problem.collective.pieces, table.whole.num_routers
        self.is_private = problem.pattern == "private"
        self.is_stored = problem.rules.switching == "store-and-forward"

    @property
    def rows_of_one(self) -> TableSchedule:
        """The table of one router, where it is not trees along lines."""
        assert isinstance(self.table.table, TableSchedule)
        return self.table.table

    @property
    def trees(self) -> MeshTrees:
        """The table of the whole network, where it is trees along lines."""
        assert isinstance(self.table.table, MeshTrees)
        return self.table.table

    def of_list(self, rule: Rule, is_wrong: Flags, text: str) -> Iterator[Violation]:
        """Yield a violation for each marked transfer of the list."""
        for at in np.flatnonzero(is_wrong).tolist():
            step = int(self.table.steps[at])
            yield Violation(rule, f"listed transfer {at}, step {step}: {text}", step=step)

    def listed(self) -> Longs:
        """Return what the list carries: messages, and of copies deliveries."""
        return self.table.messages if self.is_private else self.table.deliveries

    @cached_property
    def is_outside(self) -> Flags:
        """Whether each listed transfer is not between the last step of the table and the end."""
        table = self.table
        return (table.steps < table.table.num_steps) | (table.steps + table.spans(self.problem) > table.num_steps)

    def displacements(self) -> Longs:
        """Return the target of each listed message or delivery, as seen from router 0."""
        origins, targets = self.origins_and_targets()
        kinds = self.table.kinds
        return kinds.images(kinds.inverses[origins], targets)

    def origins_and_targets(self) -> tuple[Longs, Longs]:
        """Return the router whose message each listed one is, and where it goes."""
        whole = self.table.messages // self.pieces
        if not self.is_private:
            return whole, self.table.deliveries % self.num_routers
        origins, others = np.divmod(whole, self.num_routers - 1)
        return origins, others + (others >= origins)

    def rows(self) -> tuple[Longs, Longs]:
        """Return the rows of the table that are taken out, each with the place in the list that says so."""
        table, pieces = self.rows_of_one, self.pieces
        own, of_rows = self.displacements() * pieces + self.table.messages % pieces, table.messages
        if not self.is_private:
            of_rows = self.table.kinds.heads[table.tails, table.run_kinds].astype(np.int64) * pieces + of_rows
        order = np.argsort(of_rows, kind="stable")
        first, last = (np.searchsorted(of_rows[order], own, side=side) for side in ("left", "right"))
        return order[ranges(first, last - first)], np.repeat(np.arange(len(own)), last - first)


# -- columns


def _columns(case: _Case) -> Iterator[Violation]:
    """Columns are of whole numbers and have an entry for each transfer, or for each run."""
    table = case.table
    of_list, of_runs = (table.steps, table.tails, table.messages), (table.run_kinds, table.run_lengths)
    offsets = table.run_offsets
    if (
        any(column.dtype.kind != "i" for column in (*of_list, *of_runs, offsets))
        or any(column.shape != table.steps.shape[:1] for column in of_list)
        or any(column.shape != table.run_kinds.shape[:1] for column in of_runs)
        or offsets.shape != (len(table.steps) + 1,)
        or (offsets[0], offsets[-1]) != (0, len(table.run_kinds))
        or (np.diff(offsets) < 1).any()
    ):
        yield Violation("broken-path", "the columns of the list do not have a whole number for each transfer")


def _numbers(case: _Case) -> Iterator[Violation]:
    """Listed transfers start at routers of the network, run along kinds that exist, and carry a message."""
    table, num_routers = case.table, case.num_routers
    if not table.table.num_steps <= table.num_steps <= MOST_STEPS:
        yield Violation("outside-period", f"it has no steps to the last of its table, or more than {MOST_STEPS:,}")
    is_wrong = (table.tails < 0) | (table.tails >= num_routers) | (table.steps < 0) | (table.steps > MOST_STEPS)
    yield from case.of_list("broken-path", is_wrong, "it has no first step, or starts at no router")
    wrong_runs = (table.run_kinds < 0) | (table.run_kinds >= table.kinds.num_kinds) | (table.run_lengths < 1)
    wrong_runs |= table.run_lengths > num_routers
    counts = np.concatenate([[0], np.cumsum(wrong_runs)])
    is_wrong = np.diff(counts[table.run_offsets]) > 0
    yield from case.of_list("broken-path", is_wrong, "it has a run of no kind, of no channel or of too many")
    is_wrong = (table.messages < 0) | (table.messages >= case.problem.num_messages)
    yield from case.of_list("unknown-message", is_wrong, "it carries no message")


def _ends(case: _Case) -> Iterator[Violation]:
    """A listed transfer runs over channels that are left; one of a private message leads from its origin to its target.

    Copies go one channel at a time.
    """
    table, lengths = case.table, case.table.row_lengths
    if not case.is_private:
        yield from case.of_list("too-many-hops", lengths > 1, "copies go over one channel at a time")
    # A path that meets no router twice is shorter than that; the others are not walked.
    is_long = lengths >= case.num_routers
    yield from case.of_list("not-simple", is_long, "its path meets a router twice")
    if is_long.any():
        return
    ends, is_lost = table.tails.astype(np.int64), np.zeros(table.num_listed, dtype=bool)
    # On a mesh the kinds of channels that routers at its rim do not have are -1.
    lost = ~table.is_left.take(table.kinds.channels) | (table.kinds.channels < 0)
    for _, on, places in walks(table, table.kinds, np.arange(table.num_listed), table.tails):
        is_lost[on] |= lost.take(places)
        ends[on] = table.kinds.heads.take(places)
    yield from case.of_list("broken-path", is_lost, "its path has a lost channel, or leaves the mesh")
    if case.is_private:
        origins, targets = case.origins_and_targets()
        yield from case.of_list("not-held", table.tails != origins, "a private message is sent by its origin only")
        yield from case.of_list("never-delivered", ends != targets, "its message does not reach its target")


# -- what is taken out of the table


def _crossings(case: _Case) -> Iterator[Violation]:
    """All that crosses a lost channel is listed, and nothing else does."""
    table, kinds, num_routers = case.rows_of_one, case.table.kinds, case.num_routers
    rows, routers = crossings(table, case.table.whole, case.table.lost)
    each = np.unique(rows * num_routers + routers)
    rows, routers = np.divmod(each, num_routers)
    starts, lost = kinds.images(routers, table.tails[rows].astype(np.int64)), ~case.table.is_left.take(kinds.channels)
    num_found = sum(np.count_nonzero(lost.take(places)) for _, _, places in walks(table, kinds, rows, starts))
    if num_found != num_crossings(table, case.table.whole, case.table.lost):
        yield Violation("broken-path", "the messages that cross lost channels are not all found")
        return
    whole = table.messages[rows]
    if case.is_private:
        displacements, piece = np.divmod(whole, case.pieces)
        targets = kinds.images(routers, displacements)
        numbers = (routers * (num_routers - 1) + targets - (targets > routers)) * case.pieces + piece
    else:
        ends = kinds.heads[table.tails[rows], table.run_kinds[rows]].astype(np.int64)
        numbers = (routers * case.pieces + whole) * num_routers + kinds.images(routers, ends)
    for at in np.flatnonzero(~np.isin(numbers, case.listed())).tolist():
        text = (
            f"row {rows[at]} of the table, for router {routers[at]}: its path has a lost channel, and it is not listed"
        )
        yield Violation("broken-path", text)


def _twice(case: _Case) -> Iterator[Violation]:
    """A message, or a delivery of a copy, is listed once."""
    _, firsts = np.unique(case.listed(), return_index=True)
    is_again = np.ones(case.table.num_listed, dtype=bool)
    is_again[firsts] = False
    yield from case.of_list("delivered-twice", is_again, "what it carries is listed twice")


def _closed(case: _Case) -> Iterator[Violation]:
    """With a delivery to a router all are listed that this router passes on by the table; none goes to its origin."""
    table, kinds, num_routers = case.rows_of_one, case.table.kinds, case.num_routers
    origins, targets = case.origins_and_targets()
    yield from case.of_list("delivered-twice", origins == targets, "its message comes back to its origin")
    places = case.displacements()
    ends = kinds.heads[table.tails, table.run_kinds].astype(np.int64)
    senders = table.tails.astype(np.int64) * case.pieces + table.messages
    order = np.argsort(senders, kind="stable")
    own = places * case.pieces + case.table.messages % case.pieces
    first, last = (np.searchsorted(senders[order], own, side=side) for side in ("left", "right"))
    rows, at = order[ranges(first, last - first)], np.repeat(np.arange(len(own)), last - first)
    passed = case.table.messages[at] * num_routers + kinds.images(origins[at], ends[rows])
    is_missing = np.zeros(case.table.num_listed, dtype=bool)
    is_missing[at[~np.isin(passed, case.listed())]] = True
    yield from case.of_list("not-held", is_missing, "by the table its receiver passes its message on before it comes")


def _empty_steps(case: _Case) -> Iterator[Violation]:
    """Something is left in every step of the table, and something of the list happens in every step after it.

    In each step of a stage as many routers do a row, because every phase has as many routers (`clock_rules`): as many
    as there are routers, over the steps of the stage.
    """
    table = case.rows_of_one
    rows, at = case.rows()
    starts = table.steps[rows]
    origins = case.origins_and_targets()[0][at]
    spans, shares = np.ones(len(table), dtype=np.int64), np.full(len(table), case.num_routers, dtype=np.int64)
    for number, clock in enumerate(table.clocks):
        chosen = table.row_clocks[rows] == number
        phases = clock.phases(case.table.kinds)[origins[chosen]]
        starts[chosen] += clock.turns(phases + table.row_phases[rows[chosen], : len(clock.moduli)])
        spans[table.row_clocks == number] = clock.num_steps
        shares[table.row_clocks == number] //= clock.num_steps
    if case.is_stored:
        spans, lengths = table.row_lengths, table.row_lengths[rows]
        starts = ranges(starts, lengths)
    steps, counts = np.unique(starts, return_counts=True)
    of_table = sum(
        sign * np.concatenate([[0], np.cumsum(shares[order])])[np.searchsorted(ends[order], steps, side="right")]
        for sign, ends in ((1, table.steps), (-1, table.steps + spans))
        for order in [np.argsort(ends, kind="stable")]
    )
    for step in steps[counts >= of_table].tolist():
        yield Violation("empty-step", f"nothing is left in step {step}", step=step)


# -- what is taken out of trees along lines


def _cut_branches(case: _Case) -> Iterator[Violation]:
    """All deliveries over lost channels are listed."""
    table = case.table
    messages = np.arange(case.num_routers)
    for tail, head in table.whole.channels[table.lost].tolist():
        others = messages[messages != head]
        cut = others[arrivals(case.trees, others, np.full_like(others, head)).senders == tail]
        for message in cut[~np.isin(cut * case.num_routers + head, case.listed())].tolist():
            text = f"message of router {message}: it comes over the lost channel {tail}>{head}, and is not listed"
            yield Violation("broken-path", text)


def _closed_branches(case: _Case) -> Iterator[Violation]:
    """With a delivery to a router all are listed that this router passes on by the trees; none goes to its origin."""
    origins, targets = case.origins_and_targets()
    yield from case.of_list("delivered-twice", origins == targets, "its message comes back to its origin")
    is_missing = np.zeros(case.table.num_listed, dtype=bool)
    for heads in case.table.kinds.heads.T:
        at = np.flatnonzero((heads[targets] >= 0) & (heads[targets] != origins))
        ends = heads[targets[at]].astype(np.int64)
        at, ends = (column[arrivals(case.trees, origins[at], ends).senders == targets[at]] for column in (at, ends))
        is_missing[at[~np.isin(origins[at] * case.num_routers + ends, case.listed())]] = True
    yield from case.of_list("not-held", is_missing, "by the trees its receiver passes its message on before it comes")


def _empty_steps_of_trees(case: _Case) -> Iterator[Violation]:
    """Something is left in every step of the trees."""
    origins, targets = case.origins_and_targets()
    is_delivery = origins != targets
    gone = arrivals(case.trees, origins[is_delivery], targets[is_delivery]).steps
    steps, counts = np.unique(gone, return_counts=True)
    for step in steps[counts >= num_arrivals(case.trees)[steps]].tolist():
        yield Violation("empty-step", f"nothing is left in step {step}", step=step)


# -- the list


def _paths(case: _Case) -> Iterator[Violation]:
    """Whole paths are shortest under minimal routing; where messages are stored, none meets a router twice."""
    table, network = case.table, case.problem.network
    distances = table.kinds.shortest_paths[0][case.displacements()]
    longer = np.flatnonzero(table.row_lengths > distances)
    is_wrong = np.zeros(table.num_listed, dtype=bool)
    origins, targets = case.origins_and_targets()
    if case.problem.rules.routing == "minimal" and not case.is_stored:
        for origin in np.unique(origins[longer]).tolist():
            some = longer[origins[longer] == origin]
            is_wrong[some] = table.row_lengths[some] > network.distances_from(origin)[targets[some]]
        yield from case.of_list("not-minimal", is_wrong, "its path is not a shortest one")
        return
    is_wrong[longer] = True
    visited: dict[int, set[int]] = {at: {int(table.tails[at])} for at in longer.tolist()}
    for _, on, places in walks(table, table.kinds, longer, table.tails[longer]):
        for at, head in zip(longer[on].tolist(), table.kinds.heads.take(places).tolist(), strict=True):
            visited[at].add(head)
    for at, met in visited.items():
        is_wrong[at] = len(met) <= table.row_lengths[at]
    yield from case.of_list("not-simple", is_wrong, "its path meets a router twice")


def _held(case: _Case) -> Iterator[Violation]:
    """A copy that is listed is sent on after the step in which it is received; any other is there from the table."""
    table, num_routers = case.table, case.num_routers
    order = np.argsort(table.deliveries, kind="stable")
    senders = table.messages * num_routers + table.tails
    at = np.minimum(np.searchsorted(table.deliveries[order], senders), table.num_listed - 1)
    is_listed = table.deliveries[order][at] == senders
    is_early = is_listed & (table.steps[order][at] >= table.steps)
    yield from case.of_list("not-held", is_early, "its sender does not have it yet")


def _steps(case: _Case) -> Iterator[Violation]:
    """The list begins with the first step after the table, and something of it happens in every step to the last."""
    table = case.table
    spans = table.spans(case.problem)
    yield from case.of_list(
        "outside-period", case.is_outside, "it is not between the last step of the table and the end"
    )
    order = np.argsort(table.steps, kind="stable")
    starts, ends = table.steps[order], (table.steps + spans)[order]
    reach = np.maximum.accumulate(np.concatenate([[table.table.num_steps], ends]))
    for at in np.flatnonzero(np.concatenate([starts, [table.num_steps]]) > reach).tolist():
        yield Violation("empty-step", f"nothing happens in step {reach[at]}", step=int(reach[at]))


def _loads(case: _Case) -> Iterator[Violation]:
    """In a step a channel, or under half duplex a link, carries its capacity at most, and ports are enough.

    With a port for each channel the channels say so already.
    """
    table, whole, ports = case.table, case.table.whole, case.problem.rules.ports
    units, capacity, num_channels = np.arange(whole.num_channels), whole.capacity.astype(np.int64), whole.num_channels
    if case.problem.rules.duplex == "half":
        units = np.where(whole.opposite >= 0, np.minimum(units, whole.opposite), units)
    if ports != "all":
        capacity = np.concatenate([capacity, np.full(2 * case.num_routers, ports)])
    unit_of, size = units.take(table.kinds.channels), len(capacity)
    for first, last in _step_ranges(case):
        hops = table.hops(case.problem, first, last)
        starts = (hops.steps - first) * size
        uses = [np.repeat(starts, hops.lengths) + unit_of.take(hops.places)]
        if ports != "all":
            senders, receivers = hops.firsts // table.kinds.num_kinds, table.kinds.heads.take(hops.lasts)
            uses += [starts + num_channels + senders, starts + num_channels + case.num_routers + receivers]
        used, loads = counted(np.concatenate(uses), int(capacity.min()))
        for at in np.flatnonzero(loads > capacity[used % size]).tolist():
            step, unit = divmod(int(used[at]), size)
            yield _overload(case, first + step, unit, int(loads[at]))


def _step_ranges(case: _Case) -> Iterator[tuple[int, int]]:
    """Yield ranges of steps after the table, a first one and one after the last, each of not too many hops."""
    table, spans = case.table, case.table.spans(case.problem)
    begin, num_steps = table.table.num_steps, table.num_steps - table.table.num_steps
    if case.is_outside.any():
        return  # the rule on steps refuses it
    started, ended = (
        np.bincount(steps - begin, table.row_lengths / spans, num_steps + 1)
        for steps in (table.steps, table.steps + spans)
    )
    hops = np.cumsum(np.cumsum(started - ended)[:num_steps])
    lasts = np.flatnonzero(np.diff(hops // MOST_HOPS_COUNTED, append=-1)) + 1
    for first, last in pairwise((0, *lasts.tolist())):
        yield begin + first, begin + last


def _overload(case: _Case, step: int, unit: int, load: int) -> Violation:
    """Return the violation of a channel, a link or a port that is used too often in a step."""
    whole, is_half = case.table.whole, case.problem.rules.duplex == "half"
    if unit < whole.num_channels:
        tail, head = (whole.routers[end] for end in whole.channels[unit].tolist())
        name = f"link {tail}-{head}" if is_half else f"channel {tail}>{head}"
        rule: Rule = "half-duplex" if is_half else "channel-capacity"
        return Violation(rule, f"step {step + 1}: {load} listed transfers share {name}", step)
    side, router = divmod(unit - whole.num_channels, case.num_routers)
    text = f"step {step + 1}: processor {router} {('sends', 'receives')[side]} {load} listed transfers at once"
    return Violation("port-capacity", text, step)
