"""What the player knows of several collectives at once: each by its number, its name and its steps.

A label of a message begins with the number of its collective, as in schedule files.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pavane.bounds import explain
from pavane.io.several_texts import collective_name, colour_groups
from pavane.judge.refusal import Refusal
from pavane.judge.result import Result
from pavane.model.allreduce import arrivals
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.model.several import label_of, owners_of, split, steps_of
from pavane.text import counted
from pavane.ui.player.contents import (
    MOST_TRANSFERS,
    broken_rules,
    drawn_network,
    listed_transfer,
    provenance_figures,
    summary,
)


def contents_of_several(result: Result | Refusal, most_transfers: int = MOST_TRANSFERS) -> dict[str, Any]:
    """Return the network, the schedule of all collectives and its proof as the player reads them."""
    problem, schedule = result.problem, result.schedule
    if schedule is None:
        raise ValueError("only a result with a schedule can be played")
    groups, group_of = colour_groups(problem)
    contents = {
        "title": f"{problem.title} on {problem.network.name} in {counted(schedule.num_steps, 'step')}",
        "network": problem.network.name,
        "collective": problem.title,
        "pattern": "joint",
        "rules": str(problem.rules),
        "status": result.status,
        "statusText": result.status_text,
        **(broken_rules(result) if isinstance(result, Refusal) else {"proof": list(_proof(result))}),
        **provenance_figures(result.provenance),
        "numSteps": schedule.num_steps,
        **drawn_network(problem.network),
        "numTransfers": len(schedule),
        "numMessages": problem.num_messages,
        "collectives": _collectives(problem, schedule, result),
        "groups": groups,
        "groupOf": group_of,
    }
    if len(schedule) > most_transfers:
        return contents | summary(problem.parts[0], schedule)
    contents["labels"] = [label_of(problem, message) for message in range(problem.num_messages)]
    contents["transfers"] = [listed_transfer(transfer) for transfer in schedule]
    if isinstance(result, Result) and any(part.pattern == "allreduce" for part in problem.parts):
        contents |= _sums(problem, schedule)
    return contents


def _collectives(problem: Problem, schedule: Schedule, result: Result | Refusal) -> list[dict[str, Any]]:
    """Return each collective: its name, the pattern of its messages, its steps and the bound on them."""
    bounds = result.bounds_alone if isinstance(result, Result) else ["unknown"] * len(problem.parts)
    return [
        {
            "name": collective_name(part.collective),
            "pattern": part.pattern,
            "hasPieces": part.has_pieces,
            "numMembers": len(part.collective.senders),
            "steps": steps,
            "bound": bound,
        }
        for part, steps, bound in zip(problem.parts, steps_of(problem, schedule), bounds, strict=True)
    ]


def _sums(problem: Problem, schedule: Schedule) -> dict[str, Any]:
    """Return what becomes of each sum of allreduces, in the order of the transfers and of what each carries."""
    added, heard = np.zeros((2, len(schedule.messages)), dtype=np.int64)
    members = np.repeat(owners_of(problem, schedule), schedule.payloads)
    for number, (part, own) in enumerate(zip(problem.parts, split(problem, schedule), strict=True)):
        if part.pattern == "allreduce":
            found = arrivals(part, own)
            added[members == number], heard[members == number] = found.added, found.heard
    return {"added": added.tolist(), "heard": heard.tolist()}


def _proof(result: Result) -> list[str]:
    """Return sentences that say how few steps all collectives can take together."""
    bound = result.bound
    words = ["Proven optimal: no schedule has fewer steps." if result.is_optimal else "Not proven optimal."]
    if bound is not None:
        words.append(f"Bound: {counted(bound.figure, 'step')}: {explain(result.problem, bound)}.")
    return words
