"""The program of each process for a timed schedule: what it sends and receives, and what each send waits for.

A send waits for the data that it carries and, on each of its channels and ports, for the transfer before it. If that
one has neither end at the sender, its receiver sends the sender an empty message, a token. No clock is read. The graph
of dependences has no circle, which the judge has checked, so some process can always continue, and the run ends.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from pavane.judge.timed_case import TimedCase
from pavane.judge.timed_order import dependences, in_order
from pavane.model.timed import TimedProblem, TimedSchedule

TOKEN = -1
"""The message of a transfer that carries nothing."""


class _Programs:
    """The programs of all processes, as transfers and tokens fill them."""

    def __init__(self, locations: list[int]) -> None:
        self.process_of = {location: process for process, location in enumerate(locations)}
        self.receives: list[list[list[Any]]] = [[] for _ in locations]
        """Peer, tag, message, number of the transfer, and for a sum whose contributions it has."""
        self.sends: list[list[list[Any]]] = [[] for _ in locations]
        """Peer, tag, message, the receives and the sends that it waits for, and for a sum its inputs and whether the
        process adds its own contribution."""
        self.received: dict[tuple[int, int], int] = {}
        """The receive by process and transfer: those of tokens by what they stand for."""
        self.sent: dict[int, int] = {}
        """The send of each transfer, in the program of its sender."""
        self._tags: Counter[tuple[int, int]] = Counter()

    def add(self, number: int, ends: tuple[int, int], message: int, origins: list[int]) -> list[Any]:
        """Add a transfer, or a token that one is over; return its send, which waits for nothing yet."""
        sender, receiver = (self.process_of[end] for end in ends)
        tag = self._tags[sender, receiver]
        self._tags[sender, receiver] += 1
        send = [receiver, tag, message, [], [], [], False]
        if message != TOKEN:
            self.sent[number] = len(self.sends[sender])
        self.sends[sender].append(send)
        self.received[receiver, number] = len(self.receives[receiver])
        self.receives[receiver].append([sender, tag, message, number, origins])
        return send


def timed_programs(timed: TimedProblem, schedule: TimedSchedule, locations: list[int]) -> Iterator[dict[str, Any]]:
    """Yield what each process receives, sends, and has in the end."""
    case = TimedCase(timed, schedule, 1)
    programs, order = _Programs(locations), in_order(case).tolist()
    rows = list(schedule)
    adds = timed.problem.pattern in ("reduction", "allreduce")
    origins = _origins(timed, schedule, order) if adds else {}
    sends = {}
    for number in order:
        one = rows[number]
        sends[number] = programs.add(number, (one.sender, one.receiver), one.messages[0], origins.get(number, []))
    edges = dependences(case)
    for before, after, is_data in zip(*(column.tolist() for column in edges), strict=True):
        sender, here = rows[after].sender, programs.process_of[rows[after].sender]
        if rows[before].sender == sender and not is_data:
            sends[after][4].append(programs.sent[before])
            continue
        if (here, before) not in programs.received:
            token = programs.add(before, (rows[before].receiver, sender), TOKEN, [])
            there = programs.process_of[rows[before].receiver]
            token[3].append(programs.received[there, before])
        sends[after][3].append(programs.received[here, before])
        if is_data and adds:
            sends[after][5].append(programs.received[here, before])
    for number in order:
        inside = {member for source in rows[number].inputs for member in origins.get(source, [])}
        sends[number][6] = rows[number].sender in set(origins.get(number, [])) - inside
    yield from (
        {"receives": receives, "sends": sends}
        for receives, sends in zip(programs.receives, programs.sends, strict=True)
    )


def _origins(timed: TimedProblem, schedule: TimedSchedule, order: list[int]) -> dict[int, list[int]]:
    """Return whose contributions each sum has; in a reduction a processor's own goes once."""
    members, moves = set(timed.problem.collective.senders), timed.problem.pattern == "reduction"
    found: dict[int, list[int]] = {}
    has_sent: set[tuple[int, int]] = set()
    for number in order:
        one = schedule.transfer(number)
        place = one.sender, one.messages[0]
        own = {one.sender} & members if not moves or place not in has_sent else set()
        has_sent.add(place)
        found[number] = sorted(own.union(*(found[source] for source in one.inputs)))
    return found
