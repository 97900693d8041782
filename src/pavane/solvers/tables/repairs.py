"""Repair of tables: what lost channels cut is sent after the last step of the table, around them.

A channel of kind k is used once by every hop of kind k, so the messages that its loss cuts are as many as these: on a
torus at its bound as many as the table has steps. Private messages are packed by first fit, the longest paths first.
Copies of a broadcast are delivered step by step, each from a neighbour that has one. On a mesh a lost channel cuts the
rest of its line off from the messages that pass it there, and all branches behind.

Sums are allgathers read backwards, so that these are repaired instead.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pavane.errors import InputError
from pavane.jit.compiling import compiled
from pavane.model.arrays import Ints, Longs
from pavane.model.channel_kinds import ChannelKinds
from pavane.model.mesh_trees import MeshTrees
from pavane.model.messages import MOST_MESSAGES
from pavane.model.network import Network
from pavane.model.problem import Problem
from pavane.model.repaired_table import RepairedTable, crossings, has_same_links, num_crossings, read_forwards
from pavane.model.table_schedule import TableSchedule
from pavane.parallel.budget import Budget
from pavane.solvers.tables.kernels.cut_copies import CutChannels, CutWants, deliver
from pavane.solvers.tables.kernels.cut_messages import CutFabric, CutMessages, CutRun, CutScratch, UnitUse, fit_cut

MOST_INTERPRETED = 500
"""Up to this many messages packing takes half a second at most, and loading the compiler alone takes one."""

FIRST_WORDS = 4
"""Words of 64 steps that packing begins with; they are doubled whenever they do not suffice."""


MESSAGES_AT_ONCE = 2_000
"""Private messages that are placed before the time is looked at: some tenths of a second."""

STEPS_AT_ONCE = 16
"""Steps in which copies are delivered before the time is looked at."""


UNLIMITED = Budget()


class TimeIsOver(Exception):
    """The time for a repair is over before all messages are placed."""


def repaired_table(
    problem: Problem, table: TableSchedule | MeshTrees, whole: Network, lost: Ints, budget: Budget = UNLIMITED
) -> RepairedTable:
    """Return the table of a problem on what is left of a network, from the table of the whole network.

    For sums the table is that of the allgather. Raises TimeIsOver where the budget ends first.
    """
    if problem.rules.has_slots or problem.collective.kind not in ("AAS", "AAB", "AAR", "ALLREDUCE"):
        raise InputError(
            f"tables of {problem.collective.kind} under {problem.rules.switching} are not repaired; those of alltoall, "
            "allgather, reduce-scatter and allreduce are, under wormhole and store-and-forward switching"
        )
    if problem.pattern in ("reduction", "allreduce"):
        if (problem.network.opposite < 0).any():
            raise InputError(
                f"a table of {problem.collective.kind} is an allgather read backwards, and some channels of "
                f"{problem.network.name} have no opposite one; lose both channels of a link"
            )
        made = repaired_table(read_forwards(problem), table, whole, lost, budget)
        return replace(made, num_steps=2 * made.num_steps) if problem.pattern == "allreduce" else made
    if problem.rules.duplex == "half" and not has_same_links(whole, problem.network, lost):
        raise InputError(
            f"under half duplex other parallel channels of {problem.network.name} share links than before the loss, so "
            "that its table does not hold; choose full duplex, or lose both channels of a link"
        )
    if isinstance(table, MeshTrees):
        return _copies(problem, table, whole, lost, budget)
    _refuse_too_many(num_crossings(table, whole, lost), problem)
    repair = _private_messages if problem.pattern == "private" else _copies
    return repair(problem, table, whole, lost, budget)


def _refuse_too_many(count: int, problem: Problem) -> None:
    if count > MOST_MESSAGES:
        raise InputError(
            f"the lost channels cut {count:,} messages of {problem.collective.kind} on {problem.network.name}, and at "
            f"most {MOST_MESSAGES:,} are listed"
        )


# -- private messages


def _private_messages(
    problem: Problem, table: TableSchedule, whole: Network, lost: Ints, budget: Budget
) -> RepairedTable:
    """Send the cut messages over other paths."""
    kinds, pieces, num_routers = table.kinds(whole), problem.collective.pieces, whole.num_routers
    rows, routers = crossings(table, whole, lost)
    own = np.unique(routers * (num_routers * pieces) + table.messages[rows])
    origins, numbers = np.divmod(own, num_routers * pieces)
    displacements, piece = np.divmod(numbers, pieces)
    order = np.argsort(-kinds.shortest_paths[0][displacements], kind="stable")
    origins, displacements, piece = origins[order], displacements[order], piece[order]
    targets = kinds.images(origins, displacements)
    size = len(order)
    messages = CutMessages(
        origins, targets, displacements, np.zeros(size, dtype=np.int64), np.zeros(size + 1, dtype=np.int64)
    )
    path_kinds = _packed(problem, kinds, _unit_of(problem, kinds, whole, lost), messages, budget)
    pairs = origins * (num_routers - 1) + targets - (targets > origins)
    run_offsets, run_kinds, run_lengths = _runs(path_kinds, messages.ends)
    spans = np.diff(messages.ends) if problem.rules.switching == "store-and-forward" else np.ones(size, dtype=np.int64)
    num_more = int((messages.step_of + spans).max(initial=0))
    return RepairedTable(
        table.num_steps + num_more,
        table,
        whole,
        lost,
        messages.step_of + table.num_steps,
        origins.astype(np.int32),
        pairs * pieces + piece,
        run_offsets,
        run_kinds,
        run_lengths,
    )


def _packed(problem: Problem, kinds: ChannelKinds, unit_of: Longs, messages: CutMessages, budget: Budget) -> Ints:
    """Place all messages; return the kinds of their paths."""
    rules, network, num_routers = problem.rules, problem.network, len(kinds.heads)
    is_stored = rules.switching == "store-and-forward"
    has_ports = rules.ports != "all" and rules.ports < network.out_degrees.max(initial=0)
    port_room = np.full(2 * num_routers if has_ports else 0, rules.ports if has_ports else 0, dtype=np.int64)
    capacity = np.concatenate([network.capacity.astype(np.int64), port_room])
    first_port = network.num_channels if has_ports else -1
    ports = np.array([first_port, first_port + num_routers if has_ports else -1], dtype=np.int64)
    distances = kinds.shortest_paths[0]
    tails = np.argsort(kinds.heads, axis=0).astype(np.int32)
    fabric = CutFabric(kinds.heads, tails, kinds.undone, distances, unit_of, ports, int(is_stored))
    path, best, found, units, delays, queue = (
        np.zeros(size, dtype=np.int64)
        for size in (num_routers, num_routers, 2, 3 * num_routers, 3 * num_routers, num_routers)
    )
    came = np.full((num_routers, 2), -1, dtype=np.int64)
    scratch = CutScratch(path, best, found, units, delays, queue, came)
    kernel = fit_cut if len(messages.origins) <= MOST_INTERPRETED else compiled(fit_cut)
    # Where messages move, they may go on for as many steps as their paths have channels.
    more = (num_routers if len(messages.origins) else 0) // 64 + 2 if is_stored else 0
    num_words, place = FIRST_WORDS, 0
    path_kinds = np.zeros(int(distances[messages.displacements].sum()) + num_routers, dtype=np.int32)
    use = _unused(capacity, num_words + more)
    while place < len(messages.origins):
        if budget.is_over:
            raise TimeIsOver
        last = min(place + MESSAGES_AT_ONCE, len(messages.origins))
        place = kernel(place, last, num_words, CutRun(fabric, messages, use, scratch), path_kinds)
        if place < last and messages.ends[place] + num_routers > len(path_kinds):
            path_kinds = np.concatenate([path_kinds, np.zeros(len(path_kinds), dtype=np.int32)])
        elif place < last:
            use = _with_words(use, num_words)
            num_words *= 2
    return path_kinds[: messages.ends[-1]]


def _unused(capacity: Longs, num_words: int) -> UnitUse:
    """Return units that are free in all steps."""
    size = len(capacity)
    shape = (size, 64 * num_words) if (capacity > 1).any() else (0, 0)
    return UnitUse(
        np.zeros((size, num_words), dtype=np.uint64),
        np.zeros(shape, dtype=np.int32),
        capacity,
        *(np.zeros(size, dtype=np.int64) for _ in range(2)),
    )


def _with_words(use: UnitUse, more: int) -> UnitUse:
    """Return the same units with more words of steps."""
    loads = use.loads
    if len(loads):
        loads = np.pad(loads, ((0, 0), (0, 64 * more)))
    return use._replace(full=np.pad(use.full, ((0, 0), (0, more))), loads=loads)


def _unit_of(problem: Problem, kinds: ChannelKinds, whole: Network, lost: Ints) -> Longs:
    """Return the unit of each channel that is left, by router and kind: its number, or its link's; -1 for lost ones."""
    is_left = np.ones(whole.num_channels, dtype=bool)
    is_left[lost] = False
    units = np.arange(problem.network.num_channels, dtype=np.int64)
    if problem.rules.duplex == "half":
        back = problem.network.opposite
        units = np.where(back >= 0, np.minimum(units, back), units)
    of_channel = np.full(whole.num_channels, -1, dtype=np.int64)
    of_channel[is_left] = units
    return of_channel[kinds.channels]


def _runs(path_kinds: Ints, ends: Longs) -> tuple[Longs, Ints, Ints]:
    """Return paths as runs of kinds: where the runs of each path begin, their kinds and their lengths."""
    is_first = np.diff(path_kinds, prepend=-1) != 0
    is_first[ends[:-1]] = True
    firsts = np.flatnonzero(is_first)
    lengths = np.diff(firsts, append=len(path_kinds))
    return np.searchsorted(firsts, ends), path_kinds[firsts], lengths.astype(np.int32)


# -- copies


def _copies(
    problem: Problem, table: TableSchedule | MeshTrees, whole: Network, lost: Ints, budget: Budget
) -> RepairedTable:
    """Deliver the copies that come after a lost channel."""
    kinds, num_routers = table.kinds(whole), whole.num_routers
    find_lacked = _lacked_by_trees if isinstance(table, MeshTrees) else _lacked
    lacked = find_lacked(problem, table, whole, lost)  # type: ignore[arg-type]
    numbers, receivers = np.divmod(lacked, num_routers)
    order = np.lexsort((numbers, receivers))
    numbers, receivers = numbers[order], receivers[order]
    offsets = np.searchsorted(receivers, np.arange(num_routers + 1))
    steps, kinds_into = np.full(len(numbers), -1, dtype=np.int64), np.zeros(len(numbers), dtype=np.int64)
    wants = CutWants(offsets, offsets[:-1].copy(), offsets[1:].copy(), numbers, steps, kinds_into)
    tails = _tails(kinds)
    unit_into = np.take_along_axis(_unit_of(problem, kinds, whole, lost), tails, axis=0)
    unit_into[tails < 0] = -1
    ports = problem.rules.ports
    is_from_end = np.zeros(num_routers, dtype=bool)
    if isinstance(table, MeshTrees):
        # Tables of one router are near the bound from one end: routers that look alike lack different messages.
        is_from_end = np.sum(np.unravel_index(np.arange(num_routers), table.sizes), axis=0) % 2 == 1
    channels = CutChannels(
        tails,
        unit_into,
        problem.network.capacity.astype(np.int64),
        len(numbers) + 1 if ports == "all" else ports,
        is_from_end,
    )
    kernel = deliver if len(numbers) <= MOST_INTERPRETED else compiled(deliver)
    num_more = 0
    while (wants.steps < 0).any():
        if budget.is_over:
            raise TimeIsOver
        num_more = kernel(wants, channels, num_more, num_more + STEPS_AT_ONCE)
        if num_more < 0:
            raise InputError(f"the loss separates routers by the channels that the table of {whole.name} uses")
    return RepairedTable(
        table.num_steps + num_more,
        table,
        whole,
        lost,
        wants.steps + table.num_steps,
        tails[receivers, wants.kinds].astype(np.int32),
        numbers,
        np.arange(len(numbers) + 1),
        wants.kinds.astype(np.int32),
        np.ones(len(numbers), dtype=np.int32),
    )


def _tails(kinds: ChannelKinds) -> Longs:
    """Return where the channel of each kind into each router comes from; -1 at the rim of a mesh."""
    tails = np.full(kinds.heads.shape, -1, dtype=np.int64)
    for kind, heads in enumerate(kinds.heads.T):
        ends = np.flatnonzero(heads >= 0)
        tails[heads[ends], kind] = ends
    return tails


def _lacked_by_trees(problem: Problem, table: MeshTrees, whole: Network, lost: Ints) -> Longs:
    """Return the deliveries behind lost channels, in trees along lines: message * routers + receiver, ascending."""
    num_axes, num_routers = len(table.sizes), table.num_routers
    places = np.stack(np.unravel_index(np.arange(num_routers), table.sizes))
    found, count = [np.zeros(0, dtype=np.int64)], 0
    for tail, head in whole.channels[lost].tolist():
        axis = int(np.argmax(places[:, tail] != places[:, head]))
        way = places[axis, head] - places[axis, tail]
        # Messages come from the side of the tail, and are lost to all places on the side of the head.
        is_before = way * places[axis] <= way * places[axis, tail]
        for leg in range(num_axes):
            before = [(axis - earlier) % num_axes for earlier in range(1, leg + 1)]
            ahead = [(axis + later) % num_axes for later in range(1, num_axes - leg)]
            is_cut = is_before & (table.axis_of(leg) == axis)
            is_behind = ~is_before
            for each in ahead:
                is_cut &= places[each] == places[each, tail]
            for each in before:
                is_behind &= places[each] == places[each, tail]
            messages, receivers = np.flatnonzero(is_cut), np.flatnonzero(is_behind)
            count += len(messages) * len(receivers)
            _refuse_too_many(count, problem)
            found.append((messages[:, None] * num_routers + receivers).reshape(-1))
    return np.unique(np.concatenate(found))


def _lacked(problem: Problem, table: TableSchedule, whole: Network, lost: Ints) -> Longs:
    """Return the deliveries after lost channels: message * routers + receiver, ascending."""
    kinds, pieces, num_routers = table.kinds(whole), problem.collective.pieces, whole.num_routers
    ends = kinds.heads[table.tails, table.run_kinds]
    row_of = np.zeros(pieces * num_routers, dtype=np.int64)
    row_of[table.messages * num_routers + ends] = np.arange(len(table))
    found = [np.zeros(0, dtype=np.int64)]
    for tail, kind in np.argwhere(np.isin(kinds.channels, lost)).tolist():
        translation = kinds.translation_to(tail)
        piece, last = np.divmod(np.arange(pieces * num_routers), num_routers)
        at = last.copy()
        # From every router up its tree: whatever uses the kind on the way may be lost to it.
        while len(at):
            is_below = at != 0
            piece, last, at = piece[is_below], last[is_below], at[is_below]
            rows = row_of[piece * num_routers + at]
            at = table.tails[rows].astype(np.int64)
            hits = np.flatnonzero(table.run_kinds[rows] == kind)
            origins = translation[kinds.inverses[at[hits]]]
            receivers = kinds.images(origins, last[hits])
            found.append((origins * pieces + piece[hits]) * num_routers + receivers)
            _refuse_too_many(sum(map(len, found)), problem)
    return np.unique(np.concatenate(found))
