"""The tables of gecco08: optimal diameter-degree networks, their schedules, faults and times (Tables 3 to 7)."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from papers.figures import FIGURES
from papers.gecco08_bounds import AS_NAMED, HALF_DUPLEX, SPECS
from papers.gecco08_bounds import TABLES as BOUND_TABLES
from papers.paper_table import PaperLine, PaperTable, RedoOptions
from papers.problems import KINDS, catalogue, problem
from papers.steps_lines import solved_line, steps_line
from papers.verdicts import EQUAL, IMPOSSIBLE, WORSE, Figure, count_mark
from pavane.bounds import lower_bounds
from pavane.judge.result import Provenance, Result
from pavane.judge.rules import verify
from pavane.model.network import Network
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule, Transfer

SCATTERED = FIGURES.gecco08.scattered
"""Table 3: destinations by step, a row a sender."""

WORDS = FIGURES.gecco08.words
"""How Tables 3 and 4 number the routers of the Kautz network."""

SUBTREES = " ".join(FIGURES.gecco08.subtrees)
"""Table 4: AAB, a row a sender; x waits for a step."""

FAULTS = FIGURES.gecco08.faults
"""Table 5: OAB, AAB, OAS, AAS with one faulty channel, root 01; all others as the last."""


def printed_with_fault(fault: str) -> tuple[int, int, int, int]:
    """Return the row of Table 5 of a fault like 01-10; none: the row without."""
    return FAULTS.get(fault, FAULTS["12-20"])


def problem_with_fault(fault: str, kind: str) -> Problem:
    """Return a problem of Table 5: without a channel like 01-10; none: with all of them."""
    whole = catalogue("kautz:3,2")
    instance = problem("kautz:3,2", kind, root=whole.router("01") if kind in ("OAB", "OAS") else None)
    if fault == "none":
        return instance
    ends = [whole.router(name) for name in fault.split("-")]
    return replace(instance, network=whole.without(channels=[whole.channels.tolist().index(ends)]))


STEPS = FIGURES.gecco08.steps
"""Tables 6 and 7: bound and steps of OAB, AAB, OAS and AAS, and their times."""

DETOUR = ("Kautz 36", "OAS")
"""The figure that is marked as non-minimal."""

RING = "Ring 8, degree 1"

FAULTY = "a faulty link is one directed channel"

ONE_WAY = (
    "a one-way ring of 8 needs 28 steps, its distances sum to 224; the row fits a two-way ring under half duplex "
    "with one port, redone below"
)


def _kautz(kind: str) -> Problem:
    """Return the Kautz network of 12 routers in the paper's own numbering."""
    links = [(i, j) for i, a in enumerate(WORDS) for j, b in enumerate(WORDS) if a[1] == b[0]]
    network = Network("kautz:3,2", WORDS, links)
    from pavane.model.collectives import named

    return Problem(network, named(kind, network))


def scattered_as_printed() -> Result:
    """Return the schedule of Table 3 along the shortest paths, of which there is one for each pair."""
    instance = _kautz("AAS")
    transfers = []
    for sender, row in enumerate(SCATTERED):
        for step, cell in enumerate(row.split("|")):
            for name in cell.split():
                receiver = int(name, 16)
                number = int(instance.message_numbers(np.array([[sender, receiver]]))[0])
                path = _only_path(instance.network, sender, receiver)
                transfers.append(Transfer(step, sender, receiver, path, (number,)))
    return _judged(instance, transfers)


def _only_path(network: Network, sender: int, receiver: int) -> tuple[int, ...]:
    """Return the shortest path between two routers of a Kautz network, where there is just one."""
    left = network.distances_to(receiver)
    here, path = sender, []
    while here != receiver:
        (channel,) = (c for c in network.out_channels[here] if left[network.heads[c]] == left[here] - 1)
        path.append(channel)
        here = int(network.heads[channel])
    return tuple(path)


def broadcast_as_printed() -> Result:
    """Return the schedule of Table 4."""
    instance = _kautz("AAB")
    channel = {(tail, head): c for c, (tail, head) in enumerate(instance.network.channels.tolist())}
    transfers = set()
    for word in SUBTREES.split():
        origin, *stops = word.split("-")
        here = int(origin, 16)
        for step, stop in enumerate(stops):
            if stop != "x":
                there = int(stop, 16)
                transfers.add(Transfer(step, here, there, (channel[here, there],), (int(origin, 16),)))
                here = there
    return _judged(instance, list(transfers))


def _judged(instance: Problem, transfers: list[Transfer]) -> Result:
    schedule = Schedule.from_transfers(transfers)
    found = verify(instance, schedule)
    bounds = lower_bounds(instance)
    return Result(instance, None if found else schedule, bounds, Provenance("as printed"), None)


def _printed_schedule(kind: str, value: int) -> Iterator[PaperLine]:
    started = time.process_time()
    printed = scattered_as_printed() if kind == "AAS" else broadcast_as_printed()
    note = "it is valid" if printed.schedule is not None else "the judge refuses it as printed"
    where = f"the schedule of {kind} as printed, judged"
    yield solved_line(where, printed, time.process_time() - started, Figure(value, value), note=note)


def _scattered(ours: RedoOptions) -> Iterator[PaperLine]:
    yield from _printed_schedule("AAS", 7)
    yield steps_line("Kautz 12, AAS", problem("kautz:3,2", "AAS"), ours, Figure(7, 7))


def _broadcast(ours: RedoOptions) -> Iterator[PaperLine]:
    yield from _printed_schedule("AAB", 4)
    yield steps_line("Kautz 12, AAB", problem("kautz:3,2", "AAB"), ours, Figure(4, 4))


def _faults(ours: RedoOptions) -> Iterator[PaperLine]:
    """Table 5: every directed channel of the Kautz network in turn, minimal and any routing."""
    whole = catalogue("kautz:3,2")
    for fault in ("none", *(f"{whole.routers[a]}-{whole.routers[b]}" for a, b in whole.channels.tolist())):
        for kind, value in zip(KINDS, printed_with_fault(fault), strict=True):
            instance = problem_with_fault(fault, kind)
            facts = {"paper's row": fault if fault in FAULTS else "All other"}
            line = steps_line(
                f"fault {fault}, {kind}", instance, ours, Figure(steps=value), reading=FAULTY, facts=facts
            )
            if ours.solver is None:
                better = replace(instance, rules=replace(instance.rules, routing="any"))
                found = steps_line("", better, ours, Figure())
                line = replace(line, facts={**line.facts, "any routing": found.ours})
            yield line


def _performance(ours: RedoOptions) -> Iterator[PaperLine]:
    for name, row in STEPS.items():
        for kind, figures in zip(KINDS, row[:4], strict=True):
            where, is_detour = f"{name}, {kind}", (name, kind) == DETOUR
            routings = ("minimal", "any") if name == "Kautz 36" and kind in ("OAS", "AAS") else ("minimal",)
            for routing in routings:
                instance = problem(SPECS[name], kind, routing=routing)
                # A figure belongs to the routing that the paper used for it; for the other one it has none.
                figure = Figure(*figures) if is_detour == (routing == "any") else Figure()
                note = "* a non-minimum routing has been used" if is_detour else ""
                line = steps_line(where, instance, ours, figure, reading=AS_NAMED.get(name, ""), note=note)
                yield replace(line, note=ONE_WAY) if line.mark == IMPOSSIBLE and name == RING else line
        if name == RING:
            for kind, figures in zip(KINDS, row[:4], strict=True):
                instance = problem("ring:8", kind, ports=1, duplex="half")
                yield steps_line(f"{HALF_DUPLEX}, {kind}", instance, ours, Figure(*figures))


def _times(ours: RedoOptions) -> Iterator[PaperLine]:
    """Table 7: the seconds of one search, on one core of today; the paper has the average of 5 successful runs."""
    for name, row in STEPS.items():
        for kind, (_, value), printed in zip(KINDS, row[:4], row[4], strict=True):
            instance = problem(SPECS[name], kind, routing="any" if (name, kind) == DETOUR else "minimal")
            where, once = f"{name}, {kind}", replace(ours, seeds=0)
            line = steps_line(where, instance, once, Figure(steps=value), reading=AS_NAMED.get(name, ""))
            if line.mark == IMPOSSIBLE:
                where = f"{HALF_DUPLEX}, {kind}"
                instance = problem("ring:8", kind, ports=1, duplex="half")
                line = steps_line(where, instance, once, Figure(steps=value))
            if "seconds" not in line.facts:
                continue
            mine = float(line.facts["seconds"])
            facts = {"paper's steps": str(Figure(*row[KINDS.index(kind)])), "steps": line.ours}
            before = seconds_printed(printed)
            mark = count_mark(before, mine)
            if printed == "<1s":
                mark = EQUAL if mine < 1 else WORSE
            else:
                facts["times faster"] = f"{before / max(mine, 0.01):,.0f}"
            # Seconds say nothing where the paper's steps are not reached.
            yield PaperLine(where, printed, f"{mine:.2f} s", WORSE if line.mark == WORSE else mark, facts)


def seconds_printed(text: str) -> float:
    """Read a time of Table 7, like 1d6h, 2h2m or 9m17s; <1s counts as one second."""
    total, number = 0.0, ""
    for letter in text.lstrip("<"):
        if letter.isdigit():
            number += letter
        else:
            total += int(number) * {"d": 86400, "h": 3600, "m": 60, "s": 1}[letter]
            number = ""
    return total


TABLES = tuple(
    sorted(
        (
            *BOUND_TABLES,
            PaperTable("gecco08", "3", "AAS in 7 steps on Kautz 12", _scattered, is_quick=True),
            PaperTable("gecco08", "4", "AAB in 4 steps on Kautz 12", _broadcast, is_quick=True),
            PaperTable("gecco08", "5", "Kautz 12 with a single faulty link", _faults),
            PaperTable("gecco08", "6", "Performance of selected networks", _performance),
            PaperTable(
                "gecco08",
                "7",
                "Execution times: one search here, the average of 5 successful runs in the paper",
                _times,
            ),
        ),
        key=lambda table: table.number,
    )
)
