"""Rows with a clock: routers go in different steps of a stage, and messages that share a channel do so in other steps.

A clock gives router w the phase F(w), a vector of numbers modulo m_i; a hop of kind k adds f_k to it, at every router.
So F is known everywhere. The row with phase c goes from router w in step s + L(F(w) + c) of a stage, where L is the sum
of the entries modulo M, the largest m_i.

Take a channel of kind k that leaves router q. A row uses it after a prefix of hops p, started at the router w with
F(w) = F(q) - f(p). So it is there in step s + L(F(q) + u) with u = c - f(p), which does not depend on the router. All
hops of kind k in a stage are such *users* u. If two users differ in exactly one entry, i, then F(q) + u and F(q) + u'
have the same entries but for two different ones below m_i <= M, so that L differs: the two messages are there in
different steps, at every q. So where the users of a kind in a stage differ in one entry at most, the same for all, a
channel carries as many messages at once as there are equal users, and these are counted.

A stage of s has the steps s to s + M - 1. Stages in which a kind is used must not overlap, and users in a stage must
not differ in several entries. These two rules may refuse a table that is valid.

Under half duplex the channel back, of kind k', leaves the router q' where k leads, and F(q') = F(q) + f_k: its user u'
counts as user u' + f_k of the link. Starts (u = c) and ends (u = c - f(whole path)) are users of the ports.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import NamedTuple

import numpy as np

from pavane.judge.symmetric_case import SymmetricCase
from pavane.judge.unit_loads import Load
from pavane.judge.violation import Rule, Violation
from pavane.model.arrays import Flags, Longs
from pavane.model.symmetric_schedule import Clock


class Users(NamedTuple):
    """Users of units in stages: `lengths` users from `lows` on, one after the other along an axis."""

    stages: Longs
    """The first step of the stage."""
    units: Longs
    lows: Longs
    """The first user: lows[user, dimension]."""
    axes: Longs
    lengths: Longs

    def of(self, chosen: Flags | Longs) -> Users:
        """Return some of the users."""
        return Users(*(column[chosen] for column in self))

    def sorted(self) -> Users:
        """Return the users in the order of stages, and of units in a stage."""
        return self.of(np.lexsort((self.units, self.stages)))

    def firsts(self) -> Longs:
        """Return where a stage and unit begins, among sorted users."""
        is_new = (np.diff(self.stages, prepend=-1) != 0) | (np.diff(self.units, prepend=-1) != 0)
        return np.flatnonzero(is_new)


def is_clock(case: SymmetricCase, clock: Clock) -> bool:
    """Return whether each hop of a kind adds the same to the phase at every router, and all phases occur.

    If all phases occur, something happens in every step of a stage.
    """
    increments, num_routers = clock.increments, case.network.num_routers
    if increments.shape != (len(case.kind_range), len(clock.moduli)) or increments.dtype.kind != "i":
        return False
    if not all(1 <= modulus <= num_routers for modulus in clock.moduli):
        return False
    moduli = np.array(clock.moduli, dtype=np.int64)
    phases = np.zeros((num_routers, len(moduli)), dtype=np.int64)
    is_known = np.zeros(num_routers, dtype=bool)
    is_known[0] = True
    front = np.zeros(1, dtype=np.int64)
    while len(front):
        news = []
        for kind in case.kind_range:
            heads = case.heads[front, kind]
            fresh = np.flatnonzero(~is_known[heads])
            phases[heads[fresh]] = (phases[front[fresh]] + increments[kind] % moduli) % moduli
            is_known[heads[fresh]] = True
            news.append(heads[fresh])
        front = np.concatenate(news).astype(np.int64)
    is_even = all(
        np.array_equal(phases[case.heads[:, kind]], (phases + increments[kind] % moduli) % moduli)
        for kind in case.kind_range
    )
    if prod(clock.moduli) > num_routers:
        return False
    numbers = np.ravel_multi_index(tuple(phases.T), clock.moduli) if len(moduli) else np.zeros(1, dtype=np.int64)
    return is_even and len(np.unique(numbers)) == prod(clock.moduli)


def clock_conflicts(case: SymmetricCase) -> Iterator[Violation]:
    """Yield where rows with clocks may share a channel or a port."""
    rule: Rule = "channel-capacity" if case.problem.rules.duplex == "full" else "half-duplex"
    clocks = [_ClockRows(case, number) for number in range(len(case.table.clocks))]
    yield from _shared(rule, "channel kind", case.capacities, [(rows, rows.channel_users()) for rows in clocks])
    # All channels of a router carry no more than their capacities: ports that are not fewer are never short.
    if case.num_ports < case.capacities.sum():
        for side in (0, 1):
            users = [(rows, rows.port_users(side)) for rows in clocks]
            yield from _shared("port-capacity", "port", np.array([case.num_ports]), users)


class _ClockRows:
    """The rows of a table that have one clock; a clock without dimensions counts modulo 1."""

    def __init__(self, case: SymmetricCase, number: int) -> None:
        self.case, clock = case, case.table.clocks[number]
        self.moduli = np.array(clock.moduli or (1,), dtype=np.int64)
        self.num_steps = clock.num_steps
        shape = len(case.kind_range), len(self.moduli)
        self.increments = (clock.increments % self.moduli if clock.moduli else np.zeros(shape)).astype(np.int64)
        self.rows = np.flatnonzero(case.table.row_clocks == number)
        own = case.table.row_phases[self.rows, : len(clock.moduli)]
        self.phases = own % self.moduli if clock.moduli else np.zeros((len(self.rows), 1), dtype=np.int64)

    def _added(self) -> Longs:
        """Return what the runs before each run add to a phase, and all of them."""
        table = self.case.table
        added = self.increments[table.run_kinds] * table.run_lengths[:, None].astype(np.int64)
        return np.concatenate([np.zeros((1, len(self.moduli)), dtype=np.int64), np.cumsum(added, axis=0)])

    def channel_users(self) -> Users:
        """Return the users of all kinds, under half duplex of links."""
        case, table, added = self.case, self.case.table, self._added()
        offsets = table.run_offsets
        num_runs = np.diff(offsets)[self.rows]
        at = np.repeat(np.arange(len(self.rows)), num_runs)
        first_runs = offsets[self.rows]
        runs = first_runs[at] + np.arange(len(at)) - np.repeat(np.cumsum(num_runs) - num_runs, num_runs)
        firsts = self.phases[at] - (added[runs] - added[first_runs][at])
        kinds, lengths = table.run_kinds[runs].astype(np.int64), table.run_lengths[runs].astype(np.int64)
        stages = table.steps[self.rows][at]
        units, is_both = case.units()
        # A user of the kind back counts at the other end of the link.
        shifts = np.where((units[kinds] != kinds)[:, None], self.increments[units[kinds]], 0)
        users = self._of_runs(kinds, units[kinds], stages, firsts + shifts, lengths)
        both = np.flatnonzero(is_both[kinds])
        if len(both):
            again = firsts[both] + self.increments[kinds[both]]
            others = self._of_runs(kinds[both], kinds[both], stages[both], again, lengths[both])
            users = Users(*(np.concatenate(columns) for columns in zip(users, others, strict=True)))
        return users

    def _of_runs(self, kinds: Longs, units: Longs, stages: Longs, firsts: Longs, lengths: Longs) -> Users:
        """Return the users of runs: intervals along an axis where a hop adds one there, and single users elsewhere."""
        moduli, steps = self.moduli, self.increments
        is_up, is_down = steps == 1, (steps == moduli - 1) & (moduli > 2)
        is_straight = ((steps != 0).sum(axis=1) == 1) & (is_up | is_down).any(axis=1)
        axis_of = (is_up | is_down).argmax(axis=1)
        goes_up = is_up.any(axis=1)
        is_whole = is_straight[kinds] & (lengths <= moduli[axis_of[kinds]])
        whole, single = np.flatnonzero(is_whole), np.flatnonzero(~is_whole)
        lows, axes = firsts[whole], axis_of[kinds[whole]]
        # Users go the other way than the hops.
        lows[np.arange(len(whole)), axes] -= np.where(goes_up[kinds[whole]], lengths[whole] - 1, 0)
        each = np.repeat(single, lengths[single])
        hops = np.arange(len(each)) - np.repeat(np.cumsum(lengths[single]) - lengths[single], lengths[single])
        points = firsts[each] - steps[kinds[each]] * hops[:, None]
        chosen = np.concatenate([whole, each])
        return Users(
            stages[chosen],
            units[chosen],
            np.concatenate([lows, points]) % moduli,
            np.concatenate([axes, np.zeros(len(each), dtype=np.int64)]),
            np.concatenate([lengths[whole], np.ones(len(each), dtype=np.int64)]),
        )

    def port_users(self, side: int) -> Users:
        """Return the users of the ports that send (0), or of those that receive (1)."""
        table, rows, added = self.case.table, self.rows, self._added()
        whole = added[table.run_offsets[rows + 1]] - added[table.run_offsets[rows]]
        ones = np.ones(len(rows), dtype=np.int64)
        return Users(table.steps[rows], ones * 0, (self.phases - whole * side) % self.moduli, ones * 0, ones)


def _shared(rule: Rule, what: str, capacities: Longs, users_of: list[tuple[_ClockRows, Users]]) -> Iterator[Violation]:
    """Yield the units that carry too much in a stage, and those that are used in two stages which overlap."""
    used = []
    for rows, users in users_of:
        ordered = users.sorted()
        firsts = ordered.firsts()
        yield from _meetings(rule, what, capacities, rows, ordered)
        spans = np.full(len(firsts), rows.num_steps, dtype=np.int64)
        used.append((ordered.units[firsts], ordered.stages[firsts], spans))
    units, stages, spans = (np.concatenate(columns) for columns in zip(*used, strict=True))
    order = np.lexsort((stages, units))
    units, stages, spans = units[order], stages[order], spans[order]
    for at in np.flatnonzero((units[1:] == units[:-1]) & (stages[:-1] + spans[:-1] > stages[1:])).tolist():
        text = f"stages from step {stages[at]} and from step {stages[at + 1]} overlap, and both use {what} {units[at]}"
        yield Violation(rule, text, step=int(stages[at + 1]))


def _meetings(rule: Rule, what: str, capacities: Longs, rows: _ClockRows, users: Users) -> Iterator[Violation]:
    """Yield the stages and units whose users differ in several entries, or too many of which are equal."""
    moduli, firsts = rows.moduli, users.firsts()
    if not len(firsts):
        return
    group = np.repeat(np.arange(len(firsts)), np.diff(firsts, append=len(users.units)))
    varies = np.zeros((len(firsts), len(moduli)), dtype=bool)
    for axis in range(len(moduli)):
        low = users.lows[:, axis]
        varies[:, axis] = np.minimum.reduceat(low, firsts) != np.maximum.reduceat(low, firsts)
    is_long = users.lengths > 1
    varies[group[is_long], users.axes[is_long]] = True
    is_wrong = varies.sum(axis=1) > 1
    axis_of = varies.argmax(axis=1)[group]
    size, low = moduli[axis_of], users.lows[np.arange(len(group)), axis_of]
    high = low + users.lengths
    over = np.flatnonzero(high > size)
    load = Load(
        np.concatenate([group, group[over]]),
        np.concatenate([low, np.zeros(len(over), dtype=np.int64)]),
        np.concatenate([np.minimum(high, size), (high - size)[over]]),
        np.ones(len(group) + len(over), dtype=np.int64),
    )
    for number, _, _ in load.above(capacities[users.units[firsts]]):
        is_wrong[number] = True
    for number in np.flatnonzero(is_wrong).tolist():
        stage, unit = users.stages[firsts[number]], users.units[firsts[number]]
        yield Violation(rule, f"the stage from step {stage}: rows meet at {what} {unit}", step=int(stage))
