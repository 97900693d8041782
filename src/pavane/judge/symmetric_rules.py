"""The judge of symmetric schedules: what the rows of one processor prove of the whole schedule.

**Symmetry** (`symmetry_rules`). Exactly one translation takes processor 0 to processor w, and the channels of a kind
are the images of one of them, each by exactly one translation.

**Steps without a clock.** All processors do a row in the same steps. A hop of a row over a channel that belongs to
processor o uses, for the messages of w, the channel of the image of o, and these images are all different. So a hop of
a kind uses every channel of that kind once, and a channel carries in a step as many transfers as the table has hops of
its kind in that step (tdm: in that slot, counted round the period). A row also starts once and ends once at every
processor: ports carry as many transfers in a step as the table has rows that start, or end, in it.

**Clocks** (`clock_rules`) are for rows that routers do in different steps.

**Private messages.** The rows of a target lead from processor 0 to it, so from every processor w they lead to its
image under the translation of w. Each target once is each pair of processors once. Translations take paths to paths of
the same length, and tables with switches are for private messages only.

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
from pavane.judge.symmetric_case import SymmetricCase
from pavane.judge.symmetry_rules import checked_kinds
from pavane.judge.violation import Rule, Violation
from pavane.model.arrays import Flags, Ints, Longs
from pavane.model.problem import Problem
from pavane.model.symmetric_schedule import SymmetricSchedule

MOST_STEPS = 2**48
"""The most steps of a table: sums of steps and lengths of paths stay far below 2**63."""


def verify_symmetric(problem: Problem, table: SymmetricSchedule, most: int = 100) -> list[Violation]:
    """Return what is wrong with a table; nothing means that the schedule of all processors is valid."""
    _check_kind_of_problem(problem, table)
    try:
        is_whole = problem.pattern == "private" or problem.rules.duplex == "half"
        kinds = checked_kinds(problem.network, table.translations, table.routers, is_whole=is_whole)
        case = SymmetricCase(problem, table, kinds)
    except InputError as error:
        return [Violation("not-symmetric", str(error))]
    # Each of these makes sure that the next ones can be read at all.
    for rule in (_columns, _numbers, _clocks, _messages_known, _joined):
        found = list(islice(rule(case), most))
        if found:
            return found
    rules = (_paths, _channels, _ports, _empty_steps, _messages)
    return [violation for rule in rules for violation in islice(rule(case), most)]


def _check_kind_of_problem(problem: Problem, table: SymmetricSchedule) -> None:
    """Refuse problems for which a table has no meaning."""
    collective, rules = problem.collective, problem.rules
    is_known = problem.network.is_slim and collective.kind in ("AAS", "AAB", "AAR", "ALLREDUCE")
    if table.routers is not None:
        is_known = collective.kind == "AAS" and rules.duplex == "full" and rules.switching != "tdm"
    if (
        not is_known
        or collective.sizes
        or not problem.is_total
        or rules.combining
        or rules.routing not in ("minimal", "any")
    ):
        raise InputError(
            "a table is for collectives among all processors (alltoall, allgather, reduce-scatter, allreduce), one on "
            "each router, or for alltoall with switches, by wormhole or store-and-forward, full duplex; without sizes "
            "and combining, under minimal or any routing"
        )


# -- columns


def _columns(case: SymmetricCase) -> Iterator[Violation]:
    """Columns are of whole numbers and have an entry for each row, or for each run."""
    table = case.table
    of_rows: list[Ints | Longs] = [table.steps, table.senders, table.messages, table.row_clocks]
    of_runs: list[Ints | Longs] = [table.run_kinds, table.run_lengths]
    if table.receivers is not None and table.run_processors is not None:
        of_rows, of_runs = [*of_rows, table.receivers], [*of_runs, table.run_processors]
    most = max((len(clock.moduli) for clock in table.clocks), default=0)
    phases, offsets = table.row_phases, table.run_offsets
    if (
        any(column.dtype.kind != "i" for column in (*of_rows, *of_runs, phases, offsets))
        or any((column is None) != case.is_slim for column in (table.receivers, table.run_processors))
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
    # Only processors of one router need no channel.
    has_no_runs: Flags = np.diff(offsets) < (1 if case.is_slim else 0)
    yield from case.of_rows("broken-path", has_no_runs, "it has no path")


def _numbers(case: SymmetricCase) -> Iterator[Violation]:
    """Rows start within the schedule, at processors of the network, and run along kinds that exist."""
    table, num_processors = case.table, case.network.num_processors
    if not 1 <= table.num_steps <= MOST_STEPS:
        yield Violation("outside-period", f"a table has 1 to {MOST_STEPS:,} {case.unit}s")
        return
    is_wrong = _outside(table.senders, num_processors) | _outside(table.steps, MOST_STEPS + 1)
    yield from case.of_rows("broken-path", is_wrong, "it has no first step, or starts at no processor")
    wrong_runs = _outside(table.run_kinds, len(case.kind_range)) | (table.run_lengths < 1)
    # A path that meets no router twice is shorter than that; with switches a run has one channel.
    wrong_runs |= table.run_lengths > (num_processors if case.is_slim else 1)
    if table.receivers is not None and table.run_processors is not None:
        yield from case.of_rows("wrong-ends", _outside(table.receivers, num_processors), "it ends at no processor")
        wrong_runs |= _outside(table.run_processors, num_processors)
    yield from case.of_rows(
        "broken-path", case.any_run(wrong_runs), "it has a run of no kind, of no channel or of too many"
    )


def _outside(numbers: Ints | Longs, count: int) -> Flags:
    """Return which numbers are not from 0 to a count, without it."""
    return (numbers < 0) | (numbers >= count)


def _clocks(case: SymmetricCase) -> Iterator[Violation]:
    """Clocks are for private messages under wormhole switching; each row has one, and a phase of it."""
    table = case.table
    is_clocked = case.is_slim and case.problem.rules.switching == "wormhole" and case.problem.pattern == "private"
    if table.clocks and not is_clocked:
        yield Violation("broken-path", "clocks are for private messages by wormhole, with a processor on each router")
        return
    is_number = (table.row_clocks >= 0) & (table.row_clocks < max(1, len(table.clocks)))
    yield from case.of_rows("broken-path", ~is_number, "it has no such clock")
    is_far = (table.row_phases < -MOST_STEPS) | (table.row_phases > MOST_STEPS)
    yield from case.of_rows("broken-path", np.any(is_far, axis=1), "its phase is too large a number")
    for number, clock in enumerate(table.clocks):
        if not is_clock(case, clock):
            yield Violation("not-symmetric", f"clock {number} does not add the same at every router, in all phases")


def _messages_known(case: SymmetricCase) -> Iterator[Violation]:
    """A row carries a message of the problem."""
    numbers, pieces = case.table.messages, case.problem.collective.pieces
    low, high = {
        "private": (pieces, pieces * case.network.num_processors),
        "allreduce": (0, 2 * pieces),
    }.get(case.problem.pattern, (0, pieces))
    yield from case.of_rows("unknown-message", (numbers < low) | (numbers >= high), "it carries no message")


# -- paths


def _joined(case: SymmetricCase) -> Iterator[Violation]:
    """With switches the channels of a row lead from its sender to its receiver; elsewhere words of kinds always do."""
    if case.is_slim:
        return
    table, network = case.table, case.network
    starts, ends = (network.router_of[each] for each in (table.senders, case.ends))
    tails, heads = network.tails[case.run_channels], network.heads[case.run_channels]
    is_first = np.diff(case.row_of_run, prepend=-1) != 0
    is_last = np.append(is_first[1:], True)[: len(tails)]
    is_broken = np.where(is_first, tails != starts[case.row_of_run], tails != np.roll(heads, 1))
    is_broken |= is_last & (heads != ends[case.row_of_run])
    broken = case.any_run(is_broken) | ((np.diff(table.run_offsets) == 0) & (starts != ends))
    yield from case.of_rows("broken-path", broken, "its channels do not lead from its sender to its receiver")
    yield from case.of_rows("wrong-ends", table.senders == case.ends, "its sender is its receiver")
    if case.is_stored:
        may_pass = case.problem.is_switch & (case.problem.rules.switches != "hold")
        stops = case.any_run(~is_first & ~may_pass[tails])
        yield from case.of_rows("too-many-hops", stops, "it passes a router that stores messages")


def _paths(case: SymmetricCase) -> Iterator[Violation]:
    """Whole paths are shortest under minimal routing and simple otherwise; copies and sums go one channel at a time."""
    if case.problem.pattern != "private":
        is_long = case.table.row_lengths > 1
        yield from case.of_rows("too-many-hops", is_long, "copies and sums go over one channel at a time")
        return
    if case.rests:
        return
    rows = np.arange(len(case.table))
    if not case.is_stored:
        is_relayed = case.table.senders != 0
        yield from case.of_rows("not-held", is_relayed, "a private message is sent by its origin only")
        rows = np.flatnonzero(~is_relayed)
    is_longer = case.is_longer(rows)
    if case.problem.rules.routing == "minimal":
        yield from case.of_rows("not-minimal", is_longer, "its path is not a shortest one")
    else:
        yield from case.of_rows("not-simple", case.visits_twice(np.flatnonzero(is_longer)), "it meets a router twice")


# -- loads


def _channels(case: SymmetricCase) -> Iterator[Violation]:
    """A kind carries at most its capacity in a step; under half duplex the kinds of a link share it."""
    if case.table.clocks:
        yield from clock_conflicts(case)
        return
    rule: Rule = "half-duplex" if case.problem.rules.duplex == "half" else "channel-capacity"
    for unit, step, count in case.channel_load().above(case.capacities):
        yield Violation(rule, f"{case.unit} {step}: {count} hops of channel kind {unit}", step=step)


def _ports(case: SymmetricCase) -> Iterator[Violation]:
    """A processor starts and ends no more transfers in a step than it has ports.

    With a port for each channel, and a router of its own, the channels say so already: a transfer holds its first
    channel the same number of steps after its sending port, and its last channel before its receiving port, as every
    other does.
    """
    if case.table.clocks or (case.is_slim and case.problem.rules.ports == "all"):
        return  # the rules of clocks count ports, too
    limit = case.num_ports
    for side, load in (("send", case.port_load(0)), ("receive", case.port_load(1))):
        for _, step, count in load.above(np.array([limit])):
            text = f"{case.unit} {step}: every processor would {side} {count} transfers, and has {limit} ports"
            yield Violation("port-capacity", text, step=step)


def _empty_steps(case: SymmetricCase) -> Iterator[Violation]:
    """Something happens in every step, and nothing after the last one."""
    table = case.table
    spans = table.row_lengths if case.rests else case.stage_lengths
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


def _messages(case: SymmetricCase) -> Iterator[Violation]:
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


def _displacements(case: SymmetricCase) -> Iterator[Violation]:
    """The rows of a message lead from processor 0 to its target, and there are rows for every message."""
    table, pieces = case.table, case.problem.collective.pieces
    order = np.lexsort((table.steps, table.messages))
    numbers, ends, senders = (column[order] for column in (table.messages, case.ends, table.senders))
    is_first = np.diff(numbers, prepend=-1) != 0
    is_last = np.append(is_first[1:], True)
    before = np.concatenate([[0], ends[:-1]])
    finish = np.concatenate([[0], (table.steps + (table.row_lengths if case.rests else 1))[order][:-1]])
    is_held = np.where(is_first, senders == 0, (senders == before) & (table.steps[order] >= finish) & case.is_stored)
    yield from case.of_rows("not-held", case.unsorted(order, ~is_held), "its message is not where it starts")
    misses = is_last & (ends != numbers // pieces)
    yield from case.of_rows("never-delivered", case.unsorted(order, misses), "its message does not reach its target")
    have = np.zeros(case.network.num_processors * pieces, dtype=bool)
    have[numbers] = True
    for number in np.flatnonzero(~have[pieces:]) + pieces:
        yield Violation("never-delivered", f"no row leads to processor {number // pieces} (piece {number % pieces})")
    if not case.is_stored:
        return
    # Few messages may come back to where they were, and these are looked at place by place.
    if case.rests:
        lengths = np.zeros(len(have), dtype=np.int64)
        np.add.at(lengths, table.messages, table.row_lengths)
        detours = np.flatnonzero(lengths > case.distances(0, len(have))[np.arange(len(have)) // pieces])
    else:
        detours = numbers[~is_first]
    for number in np.unique(detours[detours >= pieces]).tolist():
        rows = order[np.searchsorted(numbers, number) : np.searchsorted(numbers, number, side="right")]
        places = [0, *case.ends[rows].tolist()]
        if case.rests:
            places = [0, *(place for row in rows.tolist() for place in case.places(row)[1:])]
        if len(set(places)) < len(places):
            yield Violation("delivered-twice", f"a message to processor {number // pieces} comes to a place twice")


def _spread(case: SymmetricCase, pieces: Longs, chosen: Flags, origin: Longs) -> Iterator[Violation]:
    """Each processor but 0 receives each piece once, from one that has it; processor 0 has it after step `origin`."""
    num_processors = case.network.num_processors
    places = pieces * num_processors + case.ends
    yield from case.of_rows("delivered-twice", chosen & (case.ends == 0), "its message comes back to its origin")
    times = np.full(case.problem.collective.pieces * num_processors, case.never, dtype=np.int64)
    times[places[chosen]] = case.table.steps[chosen] + case.copy_delay - 1
    times.reshape(-1, num_processors)[:, 0] = origin
    counts = np.bincount(places[chosen], minlength=len(times)).reshape(-1, num_processors)
    yield from case.of_rows("delivered-twice", chosen & (counts.reshape(-1)[places] > 1), "its receiver gets it twice")
    has = times[pieces * num_processors + case.table.senders]
    yield from case.of_rows("not-held", chosen & (has >= case.table.steps), "its sender does not have it yet")
    for piece, processor in np.argwhere(counts[:, 1:] == 0).tolist():
        yield Violation("never-delivered", f"processor {processor + 1} never receives piece {piece}")


def _gathered(case: SymmetricCase, pieces: Longs, chosen: Flags) -> Iterator[Violation]:
    """Each processor but 0 sends its sum of each piece once, after all that it receives of it."""
    num_processors = case.network.num_processors
    places = pieces * num_processors + case.table.senders
    yield from case.of_rows("past-target", chosen & (case.table.senders == 0), "its sum leaves its target")
    times = np.full(case.problem.collective.pieces * num_processors, -1, dtype=np.int64)
    times[places[chosen]] = case.table.steps[chosen]
    times.reshape(-1, num_processors)[:, 0] = case.never
    counts = np.bincount(places[chosen], minlength=len(times)).reshape(-1, num_processors)
    yield from case.of_rows("not-held", chosen & (counts.reshape(-1)[places] > 1), "its sender has sent it before")
    leaves = times[pieces * num_processors + case.ends]
    is_late = chosen & (case.table.steps + case.copy_delay > leaves)
    yield from case.of_rows("never-delivered", is_late, "its receiver has sent its sum before this one arrives")
    for piece, processor in np.argwhere(counts[:, 1:] == 0).tolist():
        yield Violation("never-delivered", f"processor {processor + 1} never sends its part of piece {piece}")
