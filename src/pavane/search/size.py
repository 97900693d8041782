"""How much memory any schedule of a problem takes, and whether this machine has it."""

from __future__ import annotations

import os

import numpy as np

from pavane.model.problem import Problem

BYTES_PER_HOP = 100
"""What building and judging a schedule takes at its height, for each channel of each path."""

MOST_SOURCES_MEASURED = 8
"""From so many routers distances are measured; the others are taken to be like them."""

LEAST_MESSAGES_MEASURED = 1_000_000
"""A schedule of fewer messages fits wherever pavane runs."""


def too_large(problem: Problem) -> str | None:
    """Return why no schedule of a problem fits into the memory of this machine; None where one does."""
    memory = memory_of_machine()
    if memory is None or problem.rules.combining or problem.num_deliveries < LEAST_MESSAGES_MEASURED:
        return None
    needed = memory_of_schedule(problem)
    if needed <= memory:
        return None
    return (
        f"every schedule of {problem.num_deliveries:,} messages on {problem.network.name} takes about "
        f"{needed / 2**30:,.0f} GiB to build and judge, and this machine has {memory / 2**30:,.0f} GiB; "
        "no time limit would do, fewer senders or receivers would"
    )


def memory_of_schedule(problem: Problem) -> float:
    """Estimate the bytes that building and judging a schedule takes, without combining."""
    return BYTES_PER_HOP * problem.num_deliveries * _mean_hops(problem)


def _mean_hops(problem: Problem) -> float:
    """Estimate the channels of a message's path: the mean distance from a few senders to all receivers."""
    if problem.pattern != "private" or problem.collective.kind == "PAIRS":
        return 1.0
    network, collective = problem.network, problem.collective
    ends = network.router_of[list(collective.receivers)]
    few = np.linspace(0, len(collective.senders) - 1, min(MOST_SOURCES_MEASURED, len(collective.senders)))
    rows = [network.distances_from(int(network.router_of[collective.senders[int(at)]])) for at in few]
    return max(1.0, float(np.mean([row[ends].mean() for row in rows])))


def memory_of_machine() -> int | None:
    """Return the bytes of this machine's memory; None where it does not say."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return None
