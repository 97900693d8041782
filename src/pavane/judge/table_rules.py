"""The judge of tables: what one router's table proves of the whole schedule.

**Symmetry** (`symmetry_rules`). Exactly one translation takes router 0 to router w, and the channels of a kind are the
images of one of them, each by exactly one translation.

**Steps without a clock.** All routers do a row in the same steps. Messages of a row that have made the same hops are at
different routers, the images of one router by different translations. So a hop of a kind uses every channel of that
kind once, and two transfers meet on a channel if and only if two hops of the table have the same kind in the same step
(tdm: the same slot, counted round the period). A row also starts once and ends once at every router: ports carry as
many transfers in a step as the table has rows that start, or end, in it.

**Clocks** (`clock_rules`) are for rows that routers do in different steps.

**Private messages.** The rows of a displacement lead from router 0 to it, so from every router w they lead to its image
under the translation of w. Each displacement once is each pair of routers once.

**Broadcasts.** The rows are a tree in which every router is informed once, after the router that informs it. The tree
of router w is its image. **Reductions** are broadcasts read backwards: every router but 0 sends once, after all that it
receives. An **allreduce** is a reduction to router 0, and a broadcast from there after the last sum has come in. These
go one channel at a time, so that translations need only keep the channels that the table uses, as on a mesh those of a
cycle. Paths of private messages are compared with distances, and under half duplex kinds share links: there every
channel must have a kind.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import numpy as np

from pavane.errors import InputError
from pavane.judge.clock_rules import clock_conflicts, is_clock
from pavane.judge.symmetry_rules import checked_kinds
from pavane.judge.table_case import TableCase
from pavane.judge.violation import Rule, Violation
from pavane.model.arrays import Flags, Longs
from pavane.model.problem import Problem
from pavane.model.table_schedule import TableSchedule

MOST_STEPS = 2**48
"""The most steps of a table: sums of steps and lengths of paths stay far below 2**63."""


def verify_table(problem: Problem, table: TableSchedule, most: int = 100) -> list[Violation]:
    """Return what is wrong with a table; nothing means that the schedule of all routers is valid."""
    _check_kind_of_problem(problem)
    try:
        is_whole = problem.pattern == "private" or problem.rules.duplex == "half"
        case = TableCase(problem, table, checked_kinds(problem.network, table.translations, is_whole=is_whole))
    except InputError as error:
        return [Violation("not-symmetric", str(error))]
    # Each of these makes sure that the next ones can be read at all.
    for rule in (_columns, _numbers, _clocks, _messages_known):
        found = list(islice(rule(case), most))
        if found:
            return found
    rules = (_paths, _channels, _ports, _empty_steps, _messages)
    return [violation for rule in rules for violation in islice(rule(case), most)]


def _check_kind_of_problem(problem: Problem) -> None:
    """Refuse problems for which a table has no meaning."""
    collective, rules, everyone = problem.collective, problem.rules, tuple(range(problem.network.num_routers))
    members = collective.senders, collective.receivers
    if (
        collective.kind not in ("AAS", "AAB", "AAR", "ALLREDUCE")
        or not problem.network.is_slim
        or collective.sizes
        or any(side != everyone and tuple(sorted(side)) != everyone for side in members)
        or rules.combining
        or rules.routing not in ("minimal", "any")
    ):
        raise InputError(
            "a table is for collectives among all processors (alltoall, allgather, reduce-scatter, allreduce), one on "
            "each router, without sizes and combining, under minimal or any routing"
        )


# -- columns


def _columns(case: TableCase) -> Iterator[Violation]:
    """Columns are of whole numbers and have an entry for each row, or for each run."""
    table = case.table
    of_rows, of_runs = (
        (table.steps, table.tails, table.messages, table.row_clocks),
        (table.run_kinds, table.run_lengths),
    )
    most = max((len(clock.moduli) for clock in table.clocks), default=0)
    phases, offsets = table.row_phases, table.run_offsets
    if (
        any(column.dtype.kind != "i" for column in (*of_rows, *of_runs, phases, offsets))
        or any(column.shape != (len(table),) for column in of_rows)
        or any(column.shape != table.run_kinds.shape[:1] for column in of_runs)
        or phases.ndim != 2
        or len(phases) != len(table)
        or phases.shape[1] < most
        or offsets.shape != (len(table) + 1,)
        or (offsets[0], offsets[-1]) != (0, len(table.run_kinds))
    ):
        yield Violation("broken-path", "the columns of the table do not have a whole number for each row")
        return
    has_no_runs: Flags = np.diff(offsets) < 1
    yield from case.of_rows("broken-path", has_no_runs, "it has no path")


def _numbers(case: TableCase) -> Iterator[Violation]:
    """Rows start within the schedule, at routers of the network, and run along kinds that exist."""
    table, num_routers = case.table, case.network.num_routers
    if not 1 <= table.num_steps <= MOST_STEPS:
        yield Violation("outside-period", f"a table has 1 to {MOST_STEPS:,} {case.unit}s")
        return
    is_wrong = (table.tails < 0) | (table.tails >= num_routers) | (table.steps < 0) | (table.steps > MOST_STEPS)
    yield from case.of_rows("broken-path", is_wrong, "it has no first step, or starts at no router")
    wrong_runs = (table.run_kinds < 0) | (table.run_kinds >= len(case.kind_range)) | (table.run_lengths < 1)
    # A path that meets no router twice is shorter than that.
    wrong_runs |= table.run_lengths > num_routers
    yield from case.of_rows(
        "broken-path", case.any_run(wrong_runs), "it has a run of no kind, of no channel or of too many"
    )


def _clocks(case: TableCase) -> Iterator[Violation]:
    """Clocks are for private messages under wormhole switching; each row has one, and a phase of it."""
    table = case.table
    if table.clocks and (case.is_slotted or case.problem.pattern != "private" or case.is_stored):
        yield Violation("broken-path", "clocks are for private messages under wormhole switching")
    is_number = (table.row_clocks >= 0) & (table.row_clocks < max(1, len(table.clocks)))
    yield from case.of_rows("broken-path", ~is_number, "it has no such clock")
    is_far = (table.row_phases < -MOST_STEPS) | (table.row_phases > MOST_STEPS)
    yield from case.of_rows("broken-path", np.any(is_far, axis=1), "its phase is too large a number")
    for number, clock in enumerate(table.clocks):
        if not is_clock(case, clock):
            yield Violation("not-symmetric", f"clock {number} does not add the same at every router, in all phases")


def _messages_known(case: TableCase) -> Iterator[Violation]:
    """A row carries a message of the problem."""
    numbers, pieces = case.table.messages, case.problem.collective.pieces
    low, high = {
        "private": (pieces, pieces * case.network.num_routers),
        "allreduce": (0, 2 * pieces),
    }.get(case.problem.pattern, (0, pieces))
    yield from case.of_rows("unknown-message", (numbers < low) | (numbers >= high), "it carries no message")


# -- paths


def _paths(case: TableCase) -> Iterator[Violation]:
    """Whole paths are shortest under minimal routing and simple otherwise; copies and sums go one channel at a time."""
    lengths, rules = case.table.row_lengths, case.problem.rules
    if case.problem.pattern != "private":
        yield from case.of_rows("too-many-hops", lengths > 1, "copies and sums go over one channel at a time")
        return
    if case.is_stored:
        return
    yield from case.of_rows("not-held", case.table.tails != 0, "a private message is sent by its origin only")
    is_longer = lengths > case.distances[case.ends]
    if rules.routing == "minimal":
        yield from case.of_rows("not-minimal", is_longer, "its path is not a shortest one")
    else:
        yield from case.of_rows("not-simple", case.visits_twice(np.flatnonzero(is_longer)), "it meets a router twice")


# -- loads


def _channels(case: TableCase) -> Iterator[Violation]:
    """A kind carries at most its capacity in a step; under half duplex the kinds of a link share it."""
    if case.table.clocks:
        yield from clock_conflicts(case)
        return
    rule: Rule = "half-duplex" if case.problem.rules.duplex == "half" else "channel-capacity"
    for unit, step, count in case.channel_load().above(case.capacities):
        yield Violation(rule, f"{case.unit} {step}: {count} hops of channel kind {unit}", step=step)


def _ports(case: TableCase) -> Iterator[Violation]:
    """A router starts and ends no more transfers in a step than it has ports.

    With a port for each channel the channels say so already: a transfer holds its first channel the same number of
    steps after its sending port, and its last channel before its receiving port, as every other does.
    """
    if case.table.clocks or case.problem.rules.ports == "all":
        return  # the rules of clocks count ports, too
    limit = case.num_ports
    for side, load in (("send", case.port_load(0)), ("receive", case.port_load(1))):
        for _, step, count in load.above(np.array([limit])):
            text = f"{case.unit} {step}: every router would {side} {count} transfers, and has {limit} ports"
            yield Violation("port-capacity", text, step=step)


def _empty_steps(case: TableCase) -> Iterator[Violation]:
    """Something happens in every step, and nothing after the last one."""
    table = case.table
    spans = table.row_lengths if case.is_stored else case.stage_lengths
    if case.is_slotted:
        packet_slots = case.problem.rules.packet_slots
        lasts = table.steps
        if not case.problem.rules.wrap:
            lasts = lasts + case.flights + packet_slots - 1
        elif packet_slots > table.num_steps:
            yield Violation("outside-period", f"a packet of {packet_slots:,} slots would meet itself")
    else:
        lasts = table.steps + spans - 1
    late = lasts >= table.num_steps
    yield from case.of_rows("outside-period", late, f"it does not end within {table.num_steps:,} {case.unit}s")
    if case.is_slotted or late.any():
        return
    order = np.argsort(table.steps, kind="stable")
    reach = np.maximum.accumulate(np.concatenate([[0], (lasts + 1)[order]]))
    gaps = np.flatnonzero(np.concatenate([table.steps[order], [table.num_steps]]) > reach)
    for at in gaps.tolist():
        yield Violation("empty-step", f"nothing happens in step {reach[at]}", step=int(reach[at]))


# -- messages


def _messages(case: TableCase) -> Iterator[Violation]:
    """Every message gets where it must, once, and is sent only from where it is."""
    pattern, numbers = case.problem.pattern, case.table.messages
    if pattern == "private":
        yield from _displacements(case)
    elif pattern == "allreduce":
        is_out = numbers % 2 == 1
        into = ~is_out & (case.ends == 0)
        last = np.full(case.problem.collective.pieces, -1, dtype=np.int64)
        np.maximum.at(last, numbers[into] // 2, case.table.steps[into])
        yield from _gathered(case, numbers // 2, ~is_out)
        yield from _spread(case, numbers // 2, is_out, last)
    else:
        everything = np.ones(len(numbers), dtype=bool)
        if pattern == "broadcast":
            yield from _spread(case, numbers, everything, np.full(case.problem.collective.pieces, -1, dtype=np.int64))
        else:
            yield from _gathered(case, numbers, everything)


def _displacements(case: TableCase) -> Iterator[Violation]:
    """The rows of a message lead from router 0 to its target without a gap, and there are rows for every message."""
    table, pieces = case.table, case.problem.collective.pieces
    order = np.lexsort((table.steps, table.messages))
    numbers, ends, tails = (column[order] for column in (table.messages, case.ends, table.tails))
    is_first = np.diff(numbers, prepend=-1) != 0
    is_last = np.append(is_first[1:], True)
    before = np.concatenate([[0], ends[:-1]])
    finish = np.concatenate([[0], (table.steps + table.row_lengths)[order][:-1]])
    is_held = np.where(is_first, tails == 0, (tails == before) & (table.steps[order] >= finish) & case.is_stored)
    yield from case.of_rows("not-held", case.unsorted(order, ~is_held), "its message is not where it starts")
    misses = is_last & (ends != numbers // pieces)
    yield from case.of_rows("never-delivered", case.unsorted(order, misses), "its message does not reach its target")
    have = np.zeros(case.network.num_routers * pieces, dtype=bool)
    have[numbers] = True
    for number in np.flatnonzero(~have[pieces:]) + pieces:
        yield Violation("never-delivered", f"no row leads to router {number // pieces} (piece {number % pieces})")
    if case.is_stored:
        # Detours are few, and looked at hop by hop.
        lengths = np.zeros(len(have), dtype=np.int64)
        np.add.at(lengths, table.messages, table.row_lengths)
        detours = np.flatnonzero(lengths > case.distances[np.arange(len(have)) // pieces])
        for number in detours[detours >= pieces].tolist():
            rows = order[np.searchsorted(numbers, number) : np.searchsorted(numbers, number, side="right")]
            places = [0, *(place for row in rows.tolist() for place in case.places(row)[1:])]
            if len(set(places)) < len(places):
                yield Violation("delivered-twice", f"a message to router {number // pieces} meets a router twice")


def _spread(case: TableCase, pieces: Longs, chosen: Flags, origin: Longs) -> Iterator[Violation]:
    """Each router but 0 receives each piece once, from a router that has it; router 0 has it after step `origin`."""
    num_routers = case.network.num_routers
    places = pieces * num_routers + case.ends
    yield from case.of_rows("delivered-twice", chosen & (case.ends == 0), "its message comes back to its origin")
    times = np.full(case.problem.collective.pieces * num_routers, case.never, dtype=np.int64)
    times[places[chosen]] = case.table.steps[chosen] + case.copy_delay - 1
    times.reshape(-1, num_routers)[:, 0] = origin
    counts = np.bincount(places[chosen], minlength=len(times)).reshape(-1, num_routers)
    yield from case.of_rows("delivered-twice", chosen & (counts.reshape(-1)[places] > 1), "its receiver gets it twice")
    has = times[pieces * num_routers + case.table.tails]
    yield from case.of_rows("not-held", chosen & (has >= case.table.steps), "its sender does not have it yet")
    for piece, router in np.argwhere(counts[:, 1:] == 0).tolist():
        yield Violation("never-delivered", f"router {router + 1} never receives piece {piece}")


def _gathered(case: TableCase, pieces: Longs, chosen: Flags) -> Iterator[Violation]:
    """Each router but 0 sends its sum of each piece once, after all that it receives of it."""
    num_routers = case.network.num_routers
    places = pieces * num_routers + case.table.tails
    yield from case.of_rows("past-target", chosen & (case.table.tails == 0), "its sum leaves its target")
    times = np.full(case.problem.collective.pieces * num_routers, -1, dtype=np.int64)
    times[places[chosen]] = case.table.steps[chosen]
    times.reshape(-1, num_routers)[:, 0] = case.never
    counts = np.bincount(places[chosen], minlength=len(times)).reshape(-1, num_routers)
    yield from case.of_rows("not-held", chosen & (counts.reshape(-1)[places] > 1), "its sender has sent it before")
    leaves = times[pieces * num_routers + case.ends]
    is_late = chosen & (case.table.steps + case.copy_delay > leaves)
    yield from case.of_rows("never-delivered", is_late, "its receiver has sent its sum before this one arrives")
    for piece, router in np.argwhere(counts[:, 1:] == 0).tolist():
        yield Violation("never-delivered", f"router {router + 1} never sends its part of piece {piece}")
