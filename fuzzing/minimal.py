"""Reduces a failing problem to a minimal one, and writes a test for it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
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
    for make in _changes(problem):
        try:
            yield make()
        except InputError:
            continue


def _changes(problem: Problem) -> Iterator[Callable[[], Problem]]:
    """Yield how to make a problem smaller; not every way leads to a problem."""
    collective, network, rules, plain = problem.collective, problem.network, problem.rules, Rules()
    for name in ("combining", "duplex", "ports", "routing"):
        if getattr(rules, name) != getattr(plain, name):
            yield partial(_with_rule, problem, name, getattr(plain, name))
    if collective.pieces > 1:
        yield partial(_with_members, problem, {"pieces": collective.pieces - 1})
    for name in ("sizes", "pairs", "senders", "receivers"):
        members: Any = getattr(collective, name)
        if len(members) > (name != "sizes"):
            for i in range(len(members)):
                yield partial(_with_members, problem, {name: (*members[:i], *members[i + 1 :])})
    for channel in range(network.num_channels):
        yield partial(_without_channel, problem, channel)


def _with_rule(problem: Problem, name: str, value: Any) -> Problem:
    return replace(problem, rules=replace(problem.rules, **{name: value}))


def _with_members(problem: Problem, change: dict[str, Any]) -> Problem:
    return replace(problem, collectives=(replace(problem.collective, **change),))


def _without_channel(problem: Problem, channel: int) -> Problem:
    return replace(problem, network=problem.network.without(channels=[channel]))


TEST = '''"""{failure}"""

import json

from fuzzing.examinations import examined
from pavane.io import parse_problem

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
