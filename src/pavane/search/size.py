"""What any schedule of a problem takes, by counting: memory, and the time to build, judge and write it."""

from __future__ import annotations

import os

import numpy as np

from pavane.model.messages import MOST_MESSAGES
from pavane.model.problem import Problem

BYTES_PER_MESSAGE = 80
"""What building and judging a schedule takes at its height, for each arrival of a message. A higher figure would refuse
what fits; a lower one would start what does not."""

BYTES_PER_PARTIAL = 155
"""What it takes for each arrival of a reduction, which is built as a broadcast and read backwards."""

BYTES_PER_SUM = 280
"""What it takes for each arrival of an allreduce: the judge follows its contributions."""

BYTES_PER_HOP = 10
"""What it takes besides for each channel of each path."""

MOST_SOURCES_MEASURED = 8
"""From so many routers distances are measured; the others are taken to be like them."""

LEAST_MESSAGES_MEASURED = 1_000_000
"""A schedule of fewer messages fits wherever pavane runs."""

SECONDS_PER_MESSAGE = 0.72e-6
"""What building and judging takes for each arrival of a message, in CPU seconds of one core for millions of them. A
higher figure would refuse what a quick machine does in time; a lower one would start what cannot end in time."""

SECONDS_PER_PARTIAL = 1.2e-6
"""What it takes for each arrival of a reduction."""

SECONDS_PER_SUM = 3e-6
"""What it takes for each arrival of an allreduce."""

SECONDS_PER_HOP = 0.08e-6
"""What it takes besides for each channel of each path."""

SECONDS_PER_MESSAGE_WRITTEN = 1.6e-6
"""What writing a schedule file takes for each arrival of a message."""

SECONDS_PER_HOP_WRITTEN = 0.05e-6
"""What it takes besides for each channel of each path."""

MOST_OVERRUN = 2.0
"""Seconds that a command may take beyond its time limit; a schedule that takes less to build and judge is begun."""


LONGEST_WRITTEN_OUT = 10.0
"""Seconds that building and judging a schedule may take, estimated from counts, before a table is preferred. Tables are
made in seconds and most are at the bound; above this, searches have had no time to do more than the first schedule."""


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
    rates = {"reduction": BYTES_PER_PARTIAL, "allreduce": BYTES_PER_SUM}
    per_arrival = rates.get(problem.pattern, BYTES_PER_MESSAGE)
    return per_arrival * problem.num_deliveries + BYTES_PER_HOP * num_hops(problem)


def seconds_of_schedule(problem: Problem) -> float:
    """Estimate the seconds that building and judging a schedule takes, from counts alone; 0 where it takes no time."""
    if problem.rules.combining or problem.num_deliveries < LEAST_MESSAGES_MEASURED:
        return 0.0
    rates = {"reduction": SECONDS_PER_PARTIAL, "allreduce": SECONDS_PER_SUM}
    per_arrival = rates.get(problem.pattern, SECONDS_PER_MESSAGE)
    return per_arrival * problem.num_deliveries + SECONDS_PER_HOP * num_hops(problem)


def seconds_reserved(problem: Problem) -> float:
    """Return the seconds of a time limit that a search leaves for building and judging its schedule."""
    return max(0.0, seconds_of_schedule(problem) - MOST_OVERRUN)


def seconds_of_file(problem: Problem) -> float:
    """Estimate the seconds that writing a schedule file takes; 0 where it takes no time."""
    if problem.rules.combining or problem.num_deliveries < LEAST_MESSAGES_MEASURED:
        return 0.0
    return SECONDS_PER_MESSAGE_WRITTEN * problem.num_deliveries + SECONDS_PER_HOP_WRITTEN * num_hops(problem)


def too_long(problem: Problem, seconds: float | None) -> str | None:
    """Return why no schedule can be built and judged in the seconds left; None where one may be."""
    if seconds is None or seconds_reserved(problem) <= seconds:
        return None
    needed = seconds_of_schedule(problem)
    return (
        f"every schedule of {problem.num_deliveries:,} messages on {problem.network.name} takes about "
        f"{needed:,.0f} s to build and judge, and {seconds:,.0f} s are left; give more time (`seconds`)"
    )


def is_table_needed(problem: Problem, seconds: float | None = None) -> bool:
    """Return whether a schedule would be too large to be written out, or not fit into memory or the seconds left."""
    is_large = problem.num_deliveries > MOST_MESSAGES or too_large(problem) is not None
    return is_large or too_long(problem, seconds) is not None


def is_table_wanted(problem: Problem, seconds: float | None = None) -> bool:
    """Return whether a table is needed, or a schedule would take long to build."""
    return is_table_needed(problem, seconds) or seconds_of_schedule(problem) > LONGEST_WRITTEN_OUT


def num_hops(problem: Problem) -> float:
    """Estimate the channels of all paths; a private message takes the mean distance of a few senders to receivers."""
    if problem.pattern != "private" or problem.collective.kind == "PAIRS":
        return float(problem.num_deliveries)
    network, collective = problem.network, problem.collective
    ends = network.router_of[list(collective.receivers)]
    few = np.linspace(0, len(collective.senders) - 1, min(MOST_SOURCES_MEASURED, len(collective.senders)))
    rows = [network.distances_from(int(network.router_of[collective.senders[int(at)]])) for at in few]
    return problem.num_deliveries * max(1.0, float(np.mean([row[ends].mean() for row in rows])))


def memory_of_machine() -> int | None:
    """Return the bytes of this machine's memory; None where it does not say."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return None
