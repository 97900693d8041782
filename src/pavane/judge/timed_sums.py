"""Sums with start times: a partial sum consists of its sender's contribution and of its inputs.

Inputs are named: transfers that went to the sender, whose data are usable there and have no contribution in common.
What a tree brings to a place is one sum (`trees`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import reduce
from itertools import islice
from operator import or_

import numpy as np

from pavane.judge.timed_case import TimedCase
from pavane.judge.timed_order import in_order
from pavane.judge.violation import Rule, Violation

Found = Mapping[Rule, list[Violation]]


def sums_followed(case: TimedCase) -> Found:
    """Follow all partial sums; return what is wrong with them, by rule."""
    found: Found = defaultdict(list)
    for violation in _followed(case):
        found[violation.rule].append(violation)
    return found


def not_held(case: TimedCase, found: Found) -> Iterator[Violation]:
    """A sender has a contribution to send, and inputs are usable there, whole trees at a time."""
    return islice(found["not-held"], case.most)


def delivered_twice(case: TimedCase, found: Found) -> Iterator[Violation]:
    """Neither the inputs of a sum nor the sums that come to a target have a contribution in common."""
    return islice(found["delivered-twice"], case.most)


def never_delivered(case: TimedCase, found: Found) -> Iterator[Violation]:
    """Every target gets the whole sum."""
    return islice(found["never-delivered"], case.most)


def _followed(case: TimedCase) -> Iterator[Violation]:
    """Yield what is wrong with each partial sum in the order of starts, and then with the sums at the targets."""
    schedule, members = case.schedule, sorted(case.problem.collective.senders)
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
    return bool(np.isin(beside[case.schedule.receivers[beside] == place], some).all())


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
