"""A schedule in steps for exports; one with start times by the levels of its graph of dependences.

Programs that run need orders, not starts. The level of a transfer is above the levels of all that it waits for. So
every channel has its transfers in the order of their starts, and all that has come to a processor in lower levels may
be sent. A partial sum names its inputs, and a program sends all that has come of a message. So arrivals that a sum
does not contain are in no lower level than the sum.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from functools import cached_property

from pavane.errors import InputError
from pavane.io.programs import transfer_bytes
from pavane.judge.result import Result
from pavane.judge.timed_case import TimedCase
from pavane.judge.timed_order import dependences, in_order
from pavane.model.arrays import Longs
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule, Transfer
from pavane.text import counted

Wait = tuple[int, int, int]
"""A transfer, one that waits for it, and by how much its level is higher at least."""


@dataclass(frozen=True)
class OrderedResult:
    """A result as exports read it: its transfers in steps or slots, and those with start times in levels."""

    result: Result

    @property
    def problem(self) -> Problem:
        """Return the problem in steps or slots."""
        return self.result.problem.in_steps

    @cached_property
    def schedule(self) -> Schedule:
        """The transfers in steps, slots or levels; refuses sums that are not all that has come."""
        assert self.result.schedule is not None
        return in_levels(self.result) if self.has_times else self.result.schedule

    @property
    def has_times(self) -> bool:
        """Whether steps are levels."""
        return self.result.problem.has_times

    @property
    def length_text(self) -> str:
        """Return how long the schedule takes, in words."""
        if self.has_times:
            return f"in {(self.result.finish or 0) / 10**6:.3f} us"
        return f"in {counted(self.result.num_steps or 0, 'step')}"

    def transfer_bytes(self, size: int) -> Longs:
        """Return the bytes of each transfer; messages with start times have a size of their own."""
        if self.has_times:
            return self.result.problem.message_bytes[self.schedule.messages]
        return transfer_bytes(self.problem, self.schedule, size)


def in_levels(result: Result) -> Schedule:
    """Return the transfers of a timed result with their levels for steps."""
    problem, schedule = result.problem, result.schedule
    assert schedule is not None
    case = TimedCase(problem, schedule, 1)
    edges, order = dependences(case), in_order(case).tolist()
    waits = [(before, after, 1) for before, after in zip(edges.before.tolist(), edges.after.tolist(), strict=True)]
    moves, sums = problem.pattern == "reduction", None
    if moves or problem.pattern == "allreduce":
        bit_of = {member: 1 << at for at, member in enumerate(sorted(problem.collective.senders))}
        sums = _named_sums(schedule, order, bit_of, moves)
        waits += _waits_of_sums(schedule, order, sums, moves)
    levels = _levels(order, waits)
    if levels is None:
        raise InputError(_OTHER_SUMS)
    if sums is not None:
        _refuse_other_sums(problem, schedule, levels, sums)
    transfers = [
        Transfer(level, one.sender, one.receiver, one.path, one.messages)
        for level, one in zip(levels, schedule, strict=True)
    ]
    return Schedule.from_transfers(transfers)


_OTHER_SUMS = (
    "a processor sends a sum that is not all that has come to it by then, and programs send all of it; solve it again, "
    "or export a schedule of steps"
)


def _levels(order: list[int], waits: list[Wait]) -> list[int] | None:
    """Return the lowest level of each transfer; None where some would have to be above themselves.

    Transfers may wait for each other without being higher, as in an exchange. So levels are raised until none is too
    low; in the order of starts nearly all are right at first.
    """
    following: list[list[tuple[int, int]]] = [[] for _ in order]
    for before, after, apart in waits:
        following[before].append((after, apart))
    levels = [0] * len(order)
    raised, is_listed = deque(order), [True] * len(order)
    while raised:
        before = raised.popleft()
        is_listed[before] = False
        for after, apart in following[before]:
            if levels[before] + apart > levels[after]:
                levels[after] = levels[before] + apart
                if levels[after] >= len(order):
                    return None
                if not is_listed[after]:
                    is_listed[after] = True
                    raised.append(after)
    return levels


def _waits_of_sums(schedule: Schedule, order: list[int], sums: list[int], moves: bool) -> list[Wait]:
    """Return the waits that let a processor send all that has come to it, of each message.

    An arrival comes behind the sends that do not contain it. If it is in no sum by name, another one may bring all of
    it later, which then takes its place.
    """
    sends: dict[tuple[int, int], list[int]] = {}
    arrivals: dict[tuple[int, int], list[int]] = {}
    inputs = [set(one.inputs) for one in schedule]
    for number in order:
        message = int(schedule.messages[number])
        sends.setdefault((int(schedule.senders[number]), message), []).append(number)
        arrivals.setdefault((int(schedule.receivers[number]), message), []).append(number)
    waits: list[Wait] = []
    for place, numbers in sends.items():
        groups: list[list[int]] = []
        for number in numbers:
            if groups and not moves and inputs[number] == inputs[groups[-1][0]]:
                groups[-1].append(number)  # the running sum of an allreduce stays, and goes several ways
            else:
                groups.append([number])
        first: dict[int, int] = {}
        for at, group in enumerate(groups):
            for source in inputs[group[0]]:
                first.setdefault(source, at)
            waits += [(earlier, later, 1) for earlier in (groups[at - 1] if at else []) for later in group]
        for number in arrivals.get(place, []):
            at = first.get(number, len(groups))
            if number not in first and not moves:
                at = next((g for g, group in enumerate(groups) if not sums[number] & ~sums[group[0]]), at)
                later = inputs[groups[at][0]] if at < len(groups) else set()
                waits += [(number, other, 1) for other in later if sums[other] & sums[number]]
            waits += [(earlier, number, 0) for earlier in (groups[at - 1] if at else [])]
    return waits


def _refuse_other_sums(problem: Problem, schedule: Schedule, levels: list[int], sums: list[int]) -> None:
    """Refuse levels in which the sum of all that has come is not the sum that is sent."""
    moves = problem.pattern == "reduction"
    bit_of = {member: 1 << at for at, member in enumerate(sorted(problem.collective.senders))}
    held: dict[tuple[int, int], int] = {}
    by_level: dict[int, list[int]] = {}
    for number, level in enumerate(levels):
        by_level.setdefault(level, []).append(number)
    for level in sorted(by_level):
        came: dict[tuple[int, int], list[int]] = {}
        sent = set()
        for number in by_level[level]:
            one = schedule.transfer(number)
            place = one.sender, one.messages[0]
            if held.get(place, bit_of.get(one.sender, 0)) != sums[number]:
                raise InputError(_OTHER_SUMS)
            sent.add(place)
            came.setdefault((one.receiver, one.messages[0]), []).append(sums[number])
        held |= dict.fromkeys(sent, 0) if moves else {}
        for place, arriving in came.items():
            held[place] = _added(held.get(place, bit_of.get(place[0], 0)), arriving)
    whole = sum(bit_of.values())
    for message, (target,) in enumerate(problem.ends.tolist()):
        for member in (target,) if moves else problem.collective.senders:
            if held.get((member, message), bit_of.get(member, 0)) != whole:
                raise InputError(_OTHER_SUMS)


def _named_sums(schedule: Schedule, order: list[int], bit_of: dict[int, int], moves: bool) -> list[int]:
    """Return the contributions that each transfer carries, as bits; in a reduction a processor's own goes once."""
    sums = [0] * len(schedule)
    has_sent: set[tuple[int, int]] = set()
    for number in order:
        one = schedule.transfer(number)
        place = one.sender, one.messages[0]
        sums[number] = 0 if moves and place in has_sent else bit_of.get(one.sender, 0)
        has_sent.add(place)
        for source in one.inputs:
            sums[number] |= sums[source]
    return sums


def _added(before: int, arriving: list[int]) -> int:
    """Return what a processor has when sums arrive that it adds, or of which one contains what it has."""
    containing = [one for one in arriving if one & before]
    if len(containing) > 1 or any(before & ~one for one in containing):
        raise InputError(_OTHER_SUMS)
    parts = [*(containing or [before]), *(one for one in arriving if not one & before)]
    total = 0
    for part in parts:
        if total & part:
            raise InputError(_OTHER_SUMS)
        total |= part
    return total


def receive_steps(ordered: OrderedResult) -> list[int]:
    """Return the latest step in which each transfer may be received: before the first that sends on what it brings.

    The sums of an allreduce are received in the order of their arrivals, since some take the place of others.
    """
    schedule = ordered.schedule
    steps: list[int] = schedule.starts.tolist()
    if ordered.problem.pattern == "allreduce":
        return steps
    last = [schedule.num_steps - 1] * len(steps)
    waiting: dict[tuple[int, int], list[int]] = {}
    for number, one in enumerate(schedule):
        waiting.setdefault((one.receiver, one.messages[0]), []).append(number)
    for one in schedule:
        for source in waiting.get((one.sender, one.messages[0]), []):
            if steps[source] < one.start:
                last[source] = min(last[source], one.start - 1)
    return last
