"""The rules of start times: which ones does a schedule break, and when does it end?

All in whole numbers, and apart from the search: how long channels are held, and when data arrive, is computed here.
Paths and payloads follow the rules of steps. Every channel, or under half duplex every link, is held by one transfer at
a time, and a processor has no more transfers at a time than ports. A location sends what is usable there. Where routers
copy and add, transfers of one message that start together and share channels may be a tree (`trees`): it holds each of
its channels once, for the longest time that one of them takes, and what it brings to a place is one sum.

A transfer starts no earlier than what it waits for, data or channels, and what starts together waits in no circle. So
the graph of dependences (`timed_order`) has no circle, and a valid schedule runs without clocks and without deadlock.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from itertools import islice
from operator import or_

import numpy as np

from pavane.judge.length_rules import not_minimal, too_many_hops
from pavane.judge.path_rules import broken_path, not_simple, walked, wrong_ends
from pavane.judge.payload_rules import unknown_message
from pavane.judge.timed_case import TimedCase
from pavane.judge.timed_order import circular, in_order
from pavane.judge.turn_rules import grid_rules
from pavane.judge.violation import Rule, Violation
from pavane.model.arrays import Longs
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule

NEVER = 2**62
"""A time that does not come."""

LATEST = 10**18
"""The latest start, after eleven days: times are exact in 64 bits."""


def violations_of_times(problem: Problem, schedule: Schedule, most: int) -> list[Violation]:
    """Return the violations of a schedule with start times, at most so many of each rule."""
    case = TimedCase(problem, schedule, most)
    rules = [_paths(case), _starts(case)]
    found = [violation for rule in rules for violation in rule]
    if found:
        return found  # what follows follows paths, and adds to starts
    found = list(_circles(case))
    rules = [_channels(case), _ports(case), *([] if found else [_messages(case)])]
    return found + [violation for rule in rules for violation in islice(rule, most)]


def _paths(case: TimedCase) -> Iterator[Violation]:
    walks = walked(case)
    for rule in (broken_path, wrong_ends, not_simple):
        yield from rule(case, walks)
    yield from too_many_hops(case)
    yield from not_minimal(case, walks)
    yield from grid_rules(case, walks)
    yield from unknown_message(case)


def _starts(case: TimedCase) -> Iterator[Violation]:
    """Nothing starts before time 0, or so late that times would not be exact."""
    is_wrong = (case.starts < 0) | (case.starts > LATEST)
    yield from case.of_transfers("outside-period", is_wrong, lambda _: f"it starts before 0 or after {LATEST:,} ps")


def _channels(case: TimedCase) -> Iterator[Violation]:
    """A channel, or under half duplex a link, is held by one transfer at a time."""
    units, owners = case.problem.units[case.channels].astype(np.int64), case.path_owner
    if case.counted is not None:
        units, owners = units[case.counted.on_channels], owners[case.counted.on_channels]
    rule: Rule = "channel-capacity" if case.problem.rules.duplex == "full" else "half-duplex"
    for first, second in _overlaps(units, owners, case, 1, case.holds):
        text = f"a channel of it is held by transfer {first} until {case.starts[first] + case.holds[first]:,} ps"
        message = int(case.schedule.messages[second])
        yield Violation(rule, f"{case.transfer(second)}: {text}", message=message, transfer=second)


def _overlaps(units: Longs, owners: Longs, case: TimedCase, room: int, holds: Longs) -> Iterator[tuple[int, int]]:
    """Yield the transfers that hold a unit with `room` others: the earliest of these, and the one too many."""
    takes_time = holds[owners] > 0  # between processors of one router no time passes
    units, owners = units[takes_time], owners[takes_time]
    if room == 1:
        order = np.lexsort((owners, case.starts[owners], units))
        unit, owner = units[order], owners[order]
        ends = (case.starts + holds)[owner]
        meets = (unit[1:] == unit[:-1]) & (case.starts[owner[1:]] < ends[:-1])
        for at in np.flatnonzero(meets).tolist():
            yield int(owner[at]), int(owner[at + 1])
        return
    by_unit: dict[int, list[tuple[int, int]]] = {}
    for unit, owner in sorted(zip(units.tolist(), owners.tolist(), strict=True), key=lambda one: case.starts[one[1]]):
        held = [one for one in by_unit.get(unit, []) if one[0] > case.starts[owner]]
        if len(held) >= room:
            yield held[0][1], owner
        by_unit[unit] = sorted([*held, (int(case.starts[owner] + holds[owner]), owner)])


def _ports(case: TimedCase) -> Iterator[Violation]:
    """A processor sends, and receives, at most as many transfers at a time as it has ports."""
    if case.problem.rules.ports == "all":
        return
    everything = np.ones(len(case.starts), dtype=bool)
    counted = (everything, everything) if case.counted is None else case.counted[1:3]
    room, schedule = int(case.problem.rules.ports), case.timed_schedule
    for ends, columns, counts, verb in (
        (case.senders, schedule.senders, counted[0], "sends"),
        (case.receivers, schedule.receivers, counted[1], "receives"),
    ):
        chosen = np.flatnonzero(counts & (ends < case.network.num_processors))
        for first, second in _overlaps(ends[chosen], chosen, case, room, case.port_holds(columns)):
            text = f"its {verb[:-1]}er {verb} transfer {first} and others at that time, more than it has ports"
            yield Violation("port-capacity", f"{case.transfer(second)}: {text}", transfer=second)


def _circles(case: TimedCase) -> Iterator[Violation]:
    """Transfers wait for none that starts later, and not for each other in a circle.

    A circle along which starts never fall is one of transfers that start together. Those between processors of one
    router take no time, so that starts alone do not exclude it.
    """
    is_wrong = np.zeros(len(case.starts), dtype=bool)
    is_wrong[circular(case)] = True
    text = "it waits for a transfer that starts later, or for itself"
    yield from case.of_transfers("not-held", is_wrong, lambda _: text)


# -- messages


def _messages(case: TimedCase) -> Iterator[Violation]:
    pattern = case.problem.pattern
    if pattern in ("private", "broadcast"):
        yield from _copies(case)
    else:
        yield from _sums(case)


def _copies(case: TimedCase) -> Iterator[Violation]:
    """A message is sent from where it is usable, arrives nowhere twice, and reaches its targets."""
    problem, messages = case.problem, case.schedule.messages.astype(np.int64)
    origins = problem.ends[:, 0].astype(np.int64)
    is_private = problem.pattern == "private"
    places = messages * case.num_locations + case.receivers
    order = np.lexsort((case.usable, places))
    again = np.zeros(len(places), dtype=bool)
    again[order[1:]] = places[order][1:] == places[order][:-1]
    back = case.receivers == origins[messages]
    yield from case.of_transfers("delivered-twice", again | back, lambda _: "its receiver has the message already")
    arrived = dict(zip(places[order[::-1]].tolist(), case.usable[order[::-1]].tolist(), strict=True))
    senders = messages * case.num_locations + case.senders
    known = np.array([arrived.get(place, NEVER) for place in senders.tolist()], dtype=np.int64)
    known[case.senders == origins[messages]] = 0
    yield from case.of_transfers("not-held", known > case.starts, lambda _: "its message is not usable there yet")
    if is_private:
        order = np.lexsort((case.starts, senders))
        sent = np.zeros(len(senders), dtype=bool)
        sent[order[1:]] = senders[order][1:] == senders[order][:-1]
        yield from case.of_transfers("copied", sent, lambda _: "its sender has sent the message before")
        past = case.senders == problem.ends[:, 1][messages]
        yield from case.of_transfers("past-target", past, lambda _: "the message leaves its target")
        if problem.rules.switching == "wormhole":
            relayed = case.senders != origins[messages]
            yield from case.of_transfers("not-held", relayed, lambda _: "a private message goes in one transfer")
    for message, target in _wanted(case):
        if message * case.num_locations + target not in arrived:
            yield Violation("never-delivered", f"message {case.label(message)} never reaches processor {target}")


def _wanted(case: TimedCase) -> Iterator[tuple[int, int]]:
    """Yield all arrivals that the collective requires."""
    ends = case.problem.ends.tolist()
    if case.problem.pattern == "private":
        yield from ((message, target) for message, (_, target) in enumerate(ends))
    else:
        for message, (origin,) in enumerate(ends):
            yield from ((message, target) for target in case.problem.collective.receivers if target != origin)


def _sums(case: TimedCase) -> Iterator[Violation]:
    """A partial sum consists of its sender's contribution and its inputs, which have arrived and nothing in common."""
    schedule, members = case.timed_schedule, sorted(case.problem.collective.senders)
    bit_of = {member: 1 << at for at, member in enumerate(members)}
    whole = (1 << len(members)) - 1
    holds: list[int] = [0] * len(schedule)
    arrivals: dict[tuple[int, int], list[int]] = {}
    has_sent: set[tuple[int, int]] = set()

    def wrong(rule: Rule, number: int, text: str) -> Violation:
        return Violation(rule, f"{case.transfer(number)}: {text}", transfer=number)

    for number in in_order(case).tolist():
        one = schedule.transfer(number)
        key = one.sender, one.messages[0]
        for source in one.inputs:
            other = schedule.transfer(source) if 0 <= source < len(schedule) else None
            if other is None or (other.receiver, other.messages[0]) != key:
                yield wrong("not-held", number, f"input {source} did not go to its sender")
            elif case.usable[source] > one.start:
                yield wrong("not-held", number, f"input {source} is not usable there yet")
            elif holds[number] & holds[source]:
                yield wrong("delivered-twice", number, f"input {source} has a contribution twice")
            if other is not None:
                holds[number] |= holds[source]
        if not _takes_whole_trees(case, one.inputs, one.sender):
            yield wrong("not-held", number, "an input is a part of what a router has added")
        # In a reduction a contribution goes once; in an allreduce it is in every sum of its processor.
        if key not in has_sent or case.problem.pattern == "allreduce":
            holds[number] |= bit_of.get(one.sender, 0)
        has_sent.add(key)
        if not holds[number]:
            yield wrong("not-held", number, "it has no contribution")
        arrivals.setdefault((one.receiver, one.messages[0]), []).append(number)
    yield from _sums_delivered(case, holds, arrivals, bit_of, whole)


def _takes_whole_trees(case: TimedCase, inputs: tuple[int, ...], place: int) -> bool:
    """Return whether all that a tree brings to a place is among some inputs, or nothing: it comes as one sum."""
    if case.counted is None:
        return True
    some = np.array([source for source in inputs if 0 <= source < len(case.starts)], dtype=np.int64)
    beside = case.tree_members(some)
    return bool(np.isin(beside[case.timed_schedule.receivers[beside] == place], some).all())


def _sums_delivered(
    case: TimedCase,
    holds: list[int],
    arrivals: dict[tuple[int, int], list[int]],
    bit_of: dict[int, int],
    whole: int,
) -> Iterator[Violation]:
    """Yield the targets whose arrivals are no complete sum, or have a contribution in common."""
    problem = case.problem
    is_allreduce = problem.pattern == "allreduce"
    for message, (target,) in enumerate(problem.ends.tolist()):
        for place in problem.collective.senders if is_allreduce else (target,):
            by_tree: dict[int, list[int]] = {}
            for number in arrivals.get((place, message), []):
                by_tree.setdefault(int(case.tree_of[number]), []).append(holds[number])
            # What a tree brings comes as one sum.
            sums = [reduce(or_, parts) for parts in by_tree.values()]
            if is_allreduce:
                # A larger sum takes the place of those that it contains.
                sums = [one for one in set(sums) if not any(one != other and one | other == other for other in sums)]
            # In an allreduce a sum that has come may contain what its receiver contributes.
            total = 0 if is_allreduce else bit_of.get(place, 0)
            twice = any(reduce(or_, parts) != sum(parts) for parts in by_tree.values())
            for one in sums:
                twice |= bool(total & one)
                total |= one
            total |= bit_of.get(place, 0)
            if twice:
                yield Violation("delivered-twice", f"sum {case.label(message)} has a contribution twice at {place}")
            elif total != whole:
                yield Violation("never-delivered", f"sum {case.label(message)} is not complete at processor {place}")


# -- when it ends


def finish_time(problem: Problem, schedule: Schedule) -> int:
    """Return when the last transfer's data are usable, in picoseconds."""
    case = TimedCase(problem, schedule, 1)
    return int(case.usable.max(initial=0))
