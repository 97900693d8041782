"""Reasons why a format cannot carry a schedule, shared by formats that lack the same thing."""

from __future__ import annotations

import numpy as np

from pavane.judge.result import Result
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule


def carried(result: Result) -> tuple[Problem, Schedule]:
    """Return the problem and the schedule of a result that has one."""
    assert result.schedule is not None
    return result.problem, result.schedule


def nothing_to_write(result: Result) -> str | None:
    """Refuse a result without a schedule; everything else can be written."""
    return "there is no schedule to write" if result.schedule is None else None


def resting(result: Result, who: str) -> str | None:
    """Refuse messages that rest at pure switches, where nothing of the target runs."""
    if result.schedule is None:
        return nothing_to_write(result)
    ends = np.concatenate((result.schedule.senders, result.schedule.receivers))
    if (ends < 0).any():
        switch = ~int(ends[ends < 0].max())
        name = result.problem.network.routers[switch]
        return (
            f"messages rest at the pure switch r{switch} (router {name}), and {who} on processors only; solve with "
            "`switches='pass'`"
        )
    return None


def no_process(result: Result) -> str | None:
    """Refuse messages at pure switches: no MPI process runs there."""
    return resting(result, "MPI processes run")


def of_one_size(result: Result, who: str) -> str | None:
    """Refuse messages of different sizes, for targets in whose collectives all have one; a vector has any parts."""
    if not result.problem.collective.sizes or result.problem.pattern == "allreduce":
        return None
    return f"messages have sizes of their own, and in the collectives of {who} all have one size"


def routed_by_processors(result: Result, who: str) -> str | None:
    """Refuse paths through routers that carry processors, for targets that route through switches only."""
    problem, schedule = carried(result)
    network = problem.network
    owner = np.repeat(np.arange(len(schedule)), schedule.path_lengths)
    inner = np.ones(len(owner), dtype=bool)
    inner[schedule.path_offsets[1:][schedule.path_lengths > 0] - 1] = False
    heads = network.heads[schedule.path_channels]
    through = np.flatnonzero(inner & ~problem.is_switch[heads])
    if not len(through):
        return None
    transfer = schedule.transfer(int(owner[through[0]]))
    passing = " and `switches='pass'`" if problem.has_switches else ""
    return (
        f"the transfer from processor {transfer.sender} to {transfer.receiver} in step {transfer.step + 1} runs "
        f"through router {network.routers[heads[through[0]]]}, and {who}; solve with "
        f"`switching='store-and-forward'`{passing}"
    )
