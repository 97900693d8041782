"""Rows with a clock: routers go in different steps of a stage, and no two messages share a channel in a step.

A clock gives router w the phase F(w), a vector of numbers modulo m_i; a hop of kind k adds f_k to it, at every router.
So F is known everywhere. The row with phase c goes from router w in step s + L(F(w) + c) of a stage, where L is the sum
of the entries modulo M, the largest m_i.

Take a channel of kind k that leaves router q. A row uses it after a prefix of hops p, started at the router w with
F(w) = F(q) - f(p). So it is there in step s + L(F(q) + u) with u = c - f(p), which does not depend on the router. All
hops of kind k in a stage are such *users* u. If any two users differ in exactly one entry, i, then F(q) + u and
F(q) + u' have the same entries but for two different ones below m_i <= M, so that L differs: the two messages are there
in different steps, at every q. Users of which any two differ in exactly one entry differ all in the same entry. A stage
of s has the steps s to s + M - 1; stages in which a kind is used must not overlap.

Under half duplex the channel back, of kind k', leaves the router q' where k leads, and F(q') = F(q) + f_k: its user u'
counts as user u' + f_k of the link. With one port, starts (u = c) and ends (u = c - f(whole path)) are users of a port.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from pavane.judge.table_case import TableCase
from pavane.judge.violation import Rule, Violation
from pavane.model.arrays import Flags, Longs
from pavane.model.table_schedule import Clock


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


def clock_conflicts(case: TableCase) -> Iterator[Violation]:
    """Yield where rows with clocks may share a channel or a port."""
    channels, ports = [], []
    for number, clock in enumerate(case.table.clocks):
        if not _is_clock(case, clock):
            yield Violation("not-symmetric", f"clock {number} does not add the same at every router")
            return
        users = _channel_users(case, number, clock)
        rule: Rule = "channel-capacity" if case.problem.rules.duplex == "full" else "half-duplex"
        yield from _meetings(rule, "channel kind", users, clock)
        channels.append(_used_stages(users, clock))
        if case.problem.rules.ports != "all" and case.num_ports < case.capacities.sum():
            for users_of_ports in _port_users(case, number, clock):
                num_at_once = np.bincount(np.unique(users_of_ports.stages, return_inverse=True)[1])
                if num_at_once.max(initial=0) > case.num_ports:
                    yield from _meetings("port-capacity", "port", users_of_ports, clock)
                ports.append(_used_stages(users_of_ports, clock))
    yield from _overlaps("channel-capacity", "channel kind", channels)
    yield from _overlaps("port-capacity", "port", ports)


def _used_stages(users: Users, clock: Clock) -> Longs:
    """Return the units and stages that have users, each once, as rows of unit, stage and the steps of a stage."""
    order = np.lexsort((users.stages, users.units))
    pairs = np.stack([users.units[order], users.stages[order], np.full(len(order), clock.num_steps)], axis=1)
    return pairs[np.diff(pairs, axis=0, prepend=-1).any(axis=1)]


def _overlaps(rule: Rule, what: str, used: list[Longs]) -> Iterator[Violation]:
    """Yield where a unit is used in two stages that overlap."""
    rows = np.concatenate([np.zeros((0, 3), dtype=np.int64), *used])
    units, stages, spans = rows[np.lexsort((rows[:, 1], rows[:, 0]))].T
    meets = (units[1:] == units[:-1]) & (stages[:-1] + spans[:-1] > stages[1:])
    for unit, first, second in zip(units[1:][meets], stages[:-1][meets], stages[1:][meets], strict=True):
        text = f"stages from step {first} and from step {second} overlap, and both use {what} {unit}"
        yield Violation(rule, text, step=int(second))


def _is_clock(case: TableCase, clock: Clock) -> bool:
    """Return whether each hop of a kind adds the same to the phase at every router, and all phases occur."""
    moduli = np.array(clock.moduli, dtype=np.int64)
    if clock.increments.shape != (len(case.kind_range), len(moduli)) or (moduli < 1).any():
        return False
    phases = np.full((case.network.num_routers, len(moduli)), -1, dtype=np.int64)
    phases[0] = 0
    is_known = np.zeros(case.network.num_routers, dtype=bool)
    is_known[0] = True
    front = np.zeros(1, dtype=np.int64)
    while len(front):
        news = []
        for kind in case.kind_range:
            heads = case.heads[front, kind]
            fresh = np.flatnonzero(~is_known[heads])
            phases[heads[fresh]] = (phases[front[fresh]] + clock.increments[kind]) % moduli
            is_known[heads[fresh]] = True
            news.append(heads[fresh])
        front = np.concatenate(news).astype(np.int64)
    is_even = all(
        np.array_equal(phases[case.heads[:, kind]], (phases + clock.increments[kind]) % moduli)
        for kind in case.kind_range
    )
    if not is_even:
        return False
    numbers = np.ravel_multi_index(tuple(phases.T), clock.moduli) if clock.moduli else np.zeros(1, dtype=np.int64)
    return len(np.unique(numbers)) == math.prod(clock.moduli)


def _chosen_runs(case: TableCase, number: int, clock: Clock) -> tuple[Longs, Longs]:
    """Return the runs of rows with a clock, and the phase c - f(prefix) at the beginning of each."""
    table = case.table
    runs = np.flatnonzero(table.row_clocks[case.row_of_run] == number)
    added = clock.increments[table.run_kinds] * table.run_lengths[:, None].astype(np.int64)
    before = np.concatenate([np.zeros((1, added.shape[1]), dtype=np.int64), np.cumsum(added, axis=0)])
    rows = case.row_of_run[runs]
    prefixes = before[runs] - before[table.run_offsets[rows]]
    return runs, table.row_phases[rows, : len(clock.moduli)] - prefixes


def _channel_users(case: TableCase, number: int, clock: Clock) -> Users:
    """Return the users of all kinds, under half duplex of links."""
    table = case.table
    runs, firsts = _chosen_runs(case, number, clock)
    kinds, lengths = table.run_kinds[runs].astype(np.int64), table.run_lengths[runs].astype(np.int64)
    units, is_both = case.units()
    # A user of the kind back counts at the other end of the link.
    shifts = np.where((units[kinds] != kinds)[:, None], clock.increments[units[kinds]], 0)
    stages = table.steps[case.row_of_run[runs]]
    users = _runs_as_users(clock, kinds, units[kinds], stages, firsts + shifts, lengths)
    both = np.flatnonzero(is_both[kinds])
    if len(both):
        again = _runs_as_users(
            clock, kinds[both], kinds[both], stages[both], (firsts + clock.increments[kinds])[both], lengths[both]
        )
        users = Users(*(np.concatenate(columns) for columns in zip(users, again, strict=True)))
    return users


def _runs_as_users(clock: Clock, kinds: Longs, units: Longs, stages: Longs, firsts: Longs, lengths: Longs) -> Users:
    """Return the users of runs: intervals along an axis where a hop adds one there, and single users elsewhere."""
    moduli = np.array(clock.moduli, dtype=np.int64)
    steps = clock.increments % moduli
    is_up, is_down = steps == 1, (steps == moduli - 1) & (moduli > 2)
    is_straight = ((steps != 0).sum(axis=1) == 1) & (is_up | is_down).any(axis=1)
    axis_of = (is_up | is_down).argmax(axis=1) if len(moduli) else np.zeros(len(steps), dtype=np.int64)
    goes_up = is_up.any(axis=1)
    is_whole = is_straight[kinds] & (lengths <= moduli[axis_of[kinds]] if len(moduli) else False)
    whole, single = np.flatnonzero(is_whole), np.flatnonzero(~is_whole)
    lows, axes = firsts[whole].copy(), axis_of[kinds[whole]]
    # Users go the other way than the hops.
    lows[np.arange(len(whole)), axes] -= np.where(goes_up[kinds[whole]], lengths[whole] - 1, 0)
    each = np.repeat(single, lengths[single])
    hops = np.arange(len(each)) - np.repeat(np.cumsum(lengths[single]) - lengths[single], lengths[single])
    points = firsts[each] - clock.increments[kinds[each]] * hops[:, None]
    chosen = np.concatenate([whole, each])
    return Users(
        stages[chosen],
        units[chosen],
        np.concatenate([lows, points]) % moduli,
        np.concatenate([axes, np.zeros(len(each), dtype=np.int64)]),
        np.concatenate([lengths[whole], np.ones(len(each), dtype=np.int64)]),
    )


def _port_users(case: TableCase, number: int, clock: Clock) -> Iterator[Users]:
    """Yield the users of the ports that send, and of those that receive."""
    table, moduli = case.table, np.array(clock.moduli, dtype=np.int64)
    rows = np.flatnonzero(table.row_clocks == number)
    added = clock.increments[table.run_kinds] * table.run_lengths[:, None].astype(np.int64)
    before = np.concatenate([np.zeros((1, added.shape[1]), dtype=np.int64), np.cumsum(added, axis=0)])
    whole = before[table.run_offsets[rows + 1]] - before[table.run_offsets[rows]]
    starts = table.row_phases[rows, : len(moduli)]
    for side, users in enumerate((starts, starts - whole)):
        ones = np.ones(len(rows), dtype=np.int64)
        yield Users(table.steps[rows], ones * side, users % moduli, ones * 0, ones)


def _meetings(rule: Rule, what: str, users: Users, clock: Clock) -> Iterator[Violation]:
    """Yield the stages and units in which two users do not differ in exactly one entry, the same for all."""
    moduli = np.array(clock.moduli, dtype=np.int64)
    if not len(users.stages):
        return
    order = np.lexsort((users.units, users.stages))
    users = users.of(order)
    is_new = (np.diff(users.stages, prepend=-1) != 0) | (np.diff(users.units, prepend=-1) != 0)
    group, firsts = np.cumsum(is_new) - 1, np.flatnonzero(is_new)
    counts = np.diff(firsts, append=len(group))
    varies = np.zeros((len(firsts), max(1, len(moduli))), dtype=bool)
    for axis in range(len(moduli)):
        low = users.lows[:, axis]
        varies[:, axis] = np.minimum.reduceat(low, firsts) != np.maximum.reduceat(low, firsts)
    long = users.lengths > 1
    varies[group[long], users.axes[long]] = True
    is_wrong = (varies.sum(axis=1) > 1) | ((varies.sum(axis=1) == 0) & (counts > 1))
    axis_of = varies.argmax(axis=1)[group]
    if len(moduli):
        size = moduli[axis_of]
        low = users.lows[np.arange(len(group)), axis_of]
        high = low + users.lengths
        over = np.flatnonzero(high > size)
        groups = np.concatenate([group, group[over]])
        lows = np.concatenate([low, np.zeros(len(over), dtype=np.int64)])
        highs = np.concatenate([np.minimum(high, size), (high - size)[over]])
        order = np.lexsort((lows, groups))
        groups, lows, highs = groups[order], lows[order], highs[order]
        meets = (groups[1:] == groups[:-1]) & (lows[1:] < highs[:-1])
        is_wrong[groups[1:][meets]] = True
    for number in np.flatnonzero(is_wrong).tolist():
        stage, unit = users.stages[firsts[number]], users.units[firsts[number]]
        yield Violation(rule, f"the stage from step {stage}: rows meet at {what} {unit}", step=int(stage))
