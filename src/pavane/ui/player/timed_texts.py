"""Texts about timed schedules: their links, and a line for each transfer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pavane.judge.timed_case import TimedCase
from pavane.model.links import Links
from pavane.model.timed import TimedProblem, TimedSchedule
from pavane.text.table import Table
from pavane.timing import picoseconds_text, rate_text, size_text


def link_text(timed: TimedProblem) -> str:
    """Return the latencies and bandwidths of the links, and the size of messages, in words."""
    return f"{speed_text(timed.links)}, messages of {size_text(timed.num_bytes)}"


def speed_text(links: Links) -> str:
    """Return the latencies, overheads and bandwidths of links in words."""
    latency = _range(links.latencies.tolist(), picoseconds_text)
    bandwidth = _range(links.bandwidths.tolist(), rate_text)
    overhead = f", overhead {_range(links.overheads.tolist(), picoseconds_text)}" if links.overheads.any() else ""
    return f"latency {latency}{overhead}, bandwidth {bandwidth}"


def _range(values: list[int], text: Callable[[int], str]) -> str:
    low, high = min(values), max(values)
    return text(low) if low == high else f"{text(low)} to {text(high)}"


def transfer_records(timed: TimedProblem, schedule: TimedSchedule, most: int) -> list[dict[str, Any]]:
    """Return the first transfers for JSON: start, ends, message, the routers on the path, and when they end, in ps."""
    problem, network, case = timed.problem, timed.problem.network, TimedCase(timed, schedule, 1)
    records = []
    for number in range(min(most, len(schedule))):
        one = schedule.transfer(number)
        start = int(network.router_of[one.sender]) if one.sender >= 0 else ~one.sender
        path = [network.routers[place] for place in (start, *network.heads[list(one.path)].tolist())]
        ends = {"from": path[0], "to": path[-1], "message": problem.message_name(one.messages[0]), "path": path}
        times = {"free_ps": one.start + int(case.holds[number]), "usable_ps": int(case.usable[number])}
        records.append({"start_ps": one.start, **ends, **times})
    return records


def transfer_table(records: Sequence[dict[str, Any]]) -> Table:
    """Return transfers as a table for people."""
    rows = (
        [
            picoseconds_text(each["start_ps"]),
            *(each[key] for key in ("from", "to", "message")),
            "-".join(each["path"]),
            *(picoseconds_text(each[key]) for key in ("free_ps", "usable_ps")),
        ]
        for each in records
    )
    return Table.of(["start", "from", "to", "message", "path", "channels free", "usable"], rows)
