"""A smaller problem with which the same thing goes wrong, and a test made of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from pavane.errors import InputError
from pavane.model.problem import Problem, Rules

MOST_TRIED = 400
"""Smaller problems that are tried."""


def smallest_failing(problem: Problem, is_failing: Callable[[Problem], bool]) -> Problem:
    """Return a problem that fails, too, and of which nothing more can be left out."""
    tried = 0
    found = True
    while found:
        found = False
        for less in _smaller(problem):
            tried += 1
            if tried > MOST_TRIED:
                return problem
            if is_failing(less):
                problem, found = less, True
                break
    return problem


def _smaller(problem: Problem) -> Iterator[Problem]:
    """Yield problems with one thing less: plainer rules, whole messages, fewer members, fewer channels."""
    collective, network, rules, plain = problem.collective, problem.network, problem.rules, Rules()
    changes: list[dict[str, Any]] = [
        {"rules": replace(rules, **{name: getattr(plain, name)})}
        for name in ("combining", "duplex", "ports", "routing")
        if getattr(rules, name) != getattr(plain, name)
    ]
    if collective.pieces > 1:
        changes.append({"collective": replace(collective, pieces=collective.pieces - 1)})
    changes += [
        {"collective": replace(collective, sizes=(*collective.sizes[:i], *collective.sizes[i + 1 :]))}
        for i in range(len(collective.sizes))
    ]
    for name in ("pairs", "senders", "receivers"):
        members: Any = getattr(collective, name)
        if len(members) > 1:
            changes += [{"collective": replace(collective, **_without(name, members, i))} for i in range(len(members))]
    for change in changes:
        try:
            yield replace(problem, **change)
        except InputError:
            continue
    for channel in range(network.num_channels):
        try:
            yield replace(problem, network=network.without(channels=[channel]))
        except InputError:
            continue


def _without(name: str, members: Any, i: int) -> dict[str, Any]:
    return {name: (*members[:i], *members[i + 1 :])}


TEST = '''"""{failure}"""

import json

from fuzzing.examinations import examined
from pavane.formats import parse_problem

PROBLEM = {problem}


def test_{name}() -> None:
    """What went wrong with problem {number} of seed {seed} does not any more."""
    found = examined(parse_problem(json.dumps(PROBLEM).encode(), "found.json"), {number}, {limit}, 10_000)
    assert found.failures == []
'''


def test_of(problem: Problem, failure: str, seed: int, number: int, limit: float) -> str:
    """Return a test of a problem, ready to be put among the others."""
    return TEST.format(
        failure=failure.strip().split("\n")[-1].replace('"', "'")[:100],
        problem=json.dumps(problem.to_dict(), indent=4).replace("true", "True").replace("false", "False"),
        name=f"problem_{number}_of_seed_{seed}",
        number=number,
        seed=seed,
        limit=limit,
    )
