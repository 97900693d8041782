"""What the player knows of start times: when transfers start, how long they hold channels, and when they end.

Times are picoseconds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from pavane.errors import InputError
from pavane.judge.refusal import Refusal
from pavane.judge.result import Result
from pavane.judge.timed_case import TimedCase
from pavane.model.links import Links
from pavane.model.problem import Problem
from pavane.timing import picoseconds_text, rate_text, size_text
from pavane.ui.player.contents import MOST_TRANSFERS, broken_rules, drawn_network, provenance_figures


def contents_of_times(result: Result | Refusal) -> dict[str, Any]:
    """Return the network, the schedule and its proof as the player reads them."""
    problem, schedule = result.problem, result.schedule
    if schedule is None:
        raise ValueError("only a result with a schedule can be played")
    if len(schedule) > MOST_TRANSFERS:
        raise InputError(f"{len(schedule):,} transfers are too many for a page, which plays {MOST_TRANSFERS:,} at most")
    network, case, finish = problem.network, TimedCase(problem, schedule, 1), result.finish or 0
    pieces = problem.collective.pieces
    return {
        "title": f"{problem.collective.title} on {network.name} in {picoseconds_text(finish)}",
        "network": network.name,
        "collective": str(problem.collective),
        "kind": problem.collective.kind,
        "pattern": problem.pattern,
        "rules": str(problem.rules),
        "status": result.status,
        "statusText": result.status_text,
        **(broken_rules(result) if isinstance(result, Refusal) else {"proof": list(_proof(result))}),
        **provenance_figures(result.provenance),
        **drawn_network(network),
        "numTransfers": len(schedule),
        "numMessages": problem.num_messages,
        **({} if pieces == 1 else {"hasPieces": True, "numWhole": problem.num_whole_messages, "pieces": pieces}),
        "labels": problem.labels.tolist(),
        "transfers": [[one.start, one.sender, one.receiver, list(one.path), one.messages[0]] for one in schedule],
        "times": {
            "finish": finish,
            "bound": result.bound.figure if isinstance(result, Result) and result.bound is not None else None,
            "holds": case.holds.tolist(),
            "usable": case.usable.tolist(),
            "links": link_text(problem),
        },
    }


def _proof(result: Result) -> Iterator[str]:
    """Yield sentences that say how good the end is known to be."""
    yield "Proven optimal: no schedule ends earlier." if result.status == "optimal" else "Not proven optimal."
    bound, finish = result.bound, result.finish
    if bound is not None and finish is not None:
        ratio = "" if result.status == "optimal" else f"; this one takes {finish / bound.figure:.3f} times as long"
        yield f"Bound: no schedule ends before {picoseconds_text(bound.figure)} ({bound.argument}){ratio}."


def link_text(problem: Problem) -> str:
    """Return the latencies and bandwidths of the links, and the size of messages, in words."""
    links, num_bytes = problem.timing
    return f"{speed_text(links)}, messages of {size_text(num_bytes)}"


def speed_text(links: Links) -> str:
    """Return the latencies, overheads and bandwidths of links in words."""
    latency = _range(links.latencies.tolist(), picoseconds_text)
    bandwidth = _range(links.bandwidths.tolist(), rate_text)
    overhead = f", overhead {_range(links.overheads.tolist(), picoseconds_text)}" if links.overheads.any() else ""
    return f"latency {latency}{overhead}, bandwidth {bandwidth}"


def _range(values: list[int], text: Callable[[int], str]) -> str:
    low, high = min(values), max(values)
    return text(low) if low == high else f"{text(low)} to {text(high)}"
