"""tsn: gate control lists, offsets, routes and queues of time-sensitive Ethernet (IEEE 802.1Qbv), as tsnkit reads them.

Router r is bridge r, and processor p is the end station number of routers + p, with a link each way to its bridge. A
transfer is a stream with one frame in each cycle, which is as long as the schedule. All frames use queue 0, whose gate
on a link is open in the slots of the frames that are due there, and only then.

A frame is sent in its slots, then travels for the link's delay, and is passed on when the router's delay is over: a
bridge sends no frame before all of it has arrived, so a router's delay is no shorter than a packet. A channel is
therefore used one link delay earlier than the schedule counts it, which is the same for all.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from pavane.io.formats.export import Export, Options, problem_and_schedule
from pavane.io.notation import csv_text
from pavane.judge.result import Result
from pavane.model.problem import Problem
from pavane.model.schedule import Transfer

RATE = 1
"""Bits in a nanosecond: links of 1 Gbit/s."""


class Window(NamedTuple):
    """A link between two devices, and the slot in which a frame begins on it."""

    link: tuple[int, int]
    slot: int


def _windows(problem: Problem, transfer: Transfer) -> Iterator[Window]:
    """Yield the links of a frame from end to end."""
    network, rules = problem.network, problem.rules
    first = network.num_routers
    yield Window((first + transfer.sender, int(network.router_of[transfer.sender])), transfer.step)
    for number, channel in enumerate(transfer.path, 1):
        tail, head = network.channels[channel].tolist()
        yield Window((tail, head), transfer.step + number * rules.hop_slots - rules.link_delay)
    last = transfer.step + rules.flight(len(transfer.path))
    yield Window((int(network.router_of[transfer.receiver]), first + transfer.receiver), last)


def _render(result: Result, options: Options) -> dict[str, str]:
    problem, schedule = problem_and_schedule(result)
    rules, slot_ns, cycle = problem.rules, options.slot_time, options.slot_time * schedule.num_steps
    busy, first = rules.packet_slots * slot_ns, problem.network.num_routers
    frames = [list(_windows(problem, transfer)) for transfer in schedule]
    gates = sorted(
        (str(window.link), 0, start, end, cycle)
        for windows in frames
        for window in windows
        for start, end in _open(window.slot * slot_ns, busy, cycle)
    )
    tasks = [
        *(
            (
                *(number, first + transfer.sender, f"[{first + transfer.receiver}]", busy * RATE // 8, cycle),
                *((windows[-1].slot - windows[0].slot) * slot_ns + busy, 0),
            )
            for number, (transfer, windows) in enumerate(zip(schedule, frames, strict=True))
        )
    ]
    return {
        "-GCL.csv": csv_text(("link", "queue", "start", "end", "cycle"), gates),
        "-OFFSET.csv": csv_text(
            ("stream", "frame", "offset"),
            ((number, 0, windows[0].slot * slot_ns) for number, windows in enumerate(frames)),
        ),
        "-ROUTE.csv": csv_text(
            ("stream", "link"),
            ((number, window.link) for number, windows in enumerate(frames) for window in windows),
        ),
        "-QUEUE.csv": csv_text(
            ("stream", "frame", "link", "queue"),
            ((number, 0, window.link, 0) for number, windows in enumerate(frames) for window in windows),
        ),
        "-task.csv": csv_text(("stream", "src", "dst", "size", "period", "deadline", "jitter"), tasks),
        "-topo.csv": csv_text(("link", "q_num", "rate", "t_proc", "t_prop"), _topology(problem, slot_ns)),
    }


def _open(start: int, busy: int, cycle: int) -> Iterator[tuple[int, int]]:
    """Yield when a gate is open for a frame: once, or at the end of a cycle and at the beginning of the next."""
    start %= cycle
    yield start, min(start + busy, cycle)
    if start + busy > cycle:
        yield 0, start + busy - cycle


def _topology(problem: Problem, slot_ns: int) -> Iterator[tuple[object, ...]]:
    """Yield the links: all with the same rate, channels with the link's delay."""
    network, rules = problem.network, problem.rules
    processing = (rules.router_delay - rules.packet_slots) * slot_ns
    for tail, head in network.channels.tolist():
        yield (tail, head), 8, RATE, processing, rules.link_delay * slot_ns
    for processor, router in enumerate(network.router_of.tolist(), network.num_routers):
        yield (processor, router), 8, RATE, processing, 0
        yield (router, processor), 8, RATE, processing, 0


def _refuse(result: Result) -> str | None:
    problem, _ = problem_and_schedule(result)
    rules, network = problem.rules, problem.network
    if not rules.has_slots or rules.ports != 1:
        return "gates open in slots, and an end station has one link; solve with `switching='tdm'` and `ports=1`"
    if rules.router_delay < rules.packet_slots:
        return (
            f"a bridge sends a frame of {rules.packet_slots} slots when all of it has arrived; solve with "
            f"`router_delay={rules.packet_slots}` or more"
        )
    ends = list(map(tuple, network.channels.tolist()))
    if network.capacities is not None or len(set(ends)) < len(ends):
        return "bridges are joined by one link each way, and here are parallel channels or capacities"
    return None


TSN = Export(
    "tsn",
    "Gate control lists, offsets, routes and queues of TSN (802.1Qbv), in CSV as tsnkit reads them.",
    "-GCL.csv",
    _render,
    _refuse,
    num_files=6,
    timed=True,
)
