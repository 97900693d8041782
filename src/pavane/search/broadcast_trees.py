"""Scatters under the combining rule along the tree of a broadcast: each transfer takes what its receiver passes on.

A scatter then has as many start-ups as the broadcast. Where the informed double in every step, its TCO is the least:
the halves, quarters and so on of all messages, one message less than there are processors.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

from pavane.model.duals import dual
from pavane.model.messages import Collective
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule, time_reversed


def broadcast_of(problem: Problem) -> Problem | None:
    """Return the broadcast along whose tree a scatter or gather can go; None for other problems."""
    ahead = _scatter_of(problem)
    collective = ahead.collective
    if ahead.pattern != "private" or len(collective.senders) != 1 or not ahead.is_plain or ahead.rules.has_slots:
        return None
    routing = "minimal" if ahead.rules.routing == "any" else ahead.rules.routing
    rules = replace(ahead.rules.without_copies(), combining=False, routing=routing)
    return Problem(ahead.network, Collective("MNB", collective.senders, collective.receivers), rules)


def along_broadcast(problem: Problem, broadcast: Schedule) -> Schedule:
    """Return the schedule of a scatter or gather along the transfers of a broadcast."""
    ahead = _scatter_of(problem)
    passed: dict[int, list[int]] = defaultdict(list)
    for message, (_, target) in enumerate(ahead.ends.tolist()):
        passed[target].append(message)
    transfers = []
    for transfer in sorted(broadcast, key=lambda transfer: -transfer.start):
        messages = passed[transfer.receiver]
        if messages:
            passed[transfer.sender] += messages
            transfers.append(transfer._replace(messages=tuple(sorted(messages))))
    schedule = Schedule.from_transfers(transfers)
    return schedule if ahead is problem else time_reversed(ahead, schedule, problem)


def _scatter_of(problem: Problem) -> Problem:
    return dual(problem) if problem.collective.kind == "AOG" else problem
