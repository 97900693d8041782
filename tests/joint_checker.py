"""A second judge of several collectives at once: the second judge of each, and loads counted for all together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import product

import numpy as np

from pavane.model.problem import Problem
from pavane.model.schedule import Schedule, Transfer
from pavane.search.synthesis import solve
from pavane.solvers.joint_packing import TransferJobs
from tests.checker import Finding, Use, all_uses, judge, links

OF_ALL = {"empty-step", "channel-capacity", "half-duplex", "port-capacity"}


def judge_joint(problem: Problem, schedule: Schedule) -> set[Finding]:
    """Return every broken rule of a schedule of several collectives; transfers carry one message each."""
    busy = {transfer.start for transfer in schedule}
    found = {Finding("empty-step", step) for step in range(schedule.num_steps) if step not in busy}
    load: Counter[Use] = Counter()
    first = 0
    known = range(sum(part.num_messages for part in problem.parts))
    for part in problem.parts:
        own = [
            transfer._replace(messages=tuple(message - first for message in transfer.messages))
            for transfer in schedule
            if transfer.messages and transfer.messages[0] in range(first, first + part.num_messages)
        ]
        for finding in judge(part, Schedule.from_transfers(own, schedule.num_steps)):
            if finding.rule not in OF_ALL:
                is_message = finding.about is not None
                found.add(finding._replace(about=first + finding.about) if is_message else finding)  # type: ignore[operator]
        load.update(all_uses(part, own))
        first += part.num_messages
    strange = [transfer for transfer in schedule if not transfer.messages or transfer.messages[0] not in known]
    for transfer in strange:
        rule = "unknown-message" if transfer.messages else "carries-nothing"
        found.add(Finding(rule, transfer.start, transfer.messages[0] if transfer.messages else None))
        load.update(plain_uses(transfer))
    return found | crowded(problem, load)


def plain_uses(transfer: Transfer) -> list[Use]:
    """Return what a transfer of no collective occupies."""
    ends = [Use("sends", transfer.sender, transfer.start), Use("receives", transfer.receiver, transfer.start)]
    return ends + [Use("channel", channel, transfer.start) for channel in transfer.path]


def crowded(problem: Problem, load: Counter[Use]) -> set[Finding]:
    """Return the channels, links and ports that are used more in a step than they carry."""
    network, found = problem.network, set()
    carries = [1] * network.num_channels if network.capacities is None else network.capacities.tolist()
    ends, homes = network.channels.tolist(), network.router_of.tolist()
    for (kind, number, step), times in load.items():
        if kind == "channel" and 0 <= number < len(carries) and times > carries[number]:
            found.add(Finding("channel-capacity", step, number))
        if kind != "channel" and 0 <= number < len(homes):
            at = [c for c, (tail, head) in enumerate(ends) if (tail if kind == "sends" else head) == homes[number]]
            ports = sum(carries[c] for c in at) if problem.rules.ports == "all" else problem.rules.ports
            found |= {Finding("port-capacity", step)} if times > ports else set()
    if problem.rules.duplex == "half":
        for (there, back), step in product(links(problem.parts[0]), {use.slot for use in load}):
            both = [load[Use("channel", channel, step)] for channel in (there, back)]
            if all(both) and sum(both) > carries[there]:
                found.add(Finding("half-duplex", step, there))
    return found


def join_parts(problem: Problem, schedules: Sequence[Schedule]) -> Schedule:
    """Return the transfers of a schedule for each collective as one, in the steps that they have."""
    last = max(schedule.num_steps for schedule in schedules)
    firsts = problem.first_messages[:-1]
    numbers = [one.messages.astype(np.int64) + first for one, first in zip(schedules, firsts, strict=True)]
    return Schedule.join(schedules, last, [one.starts for one in schedules], numbers)


def packed_greedily(problem: Problem) -> Schedule:
    """Return first-fit schedules of all collectives, dispatched together."""
    parts = [solve(part, method="greedy").schedule for part in problem.parts]
    jobs = TransferJobs.of(problem, join_parts(problem, [part for part in parts if part is not None]))
    return jobs.packed((-jobs.tails).tolist())
