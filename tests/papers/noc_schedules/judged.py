"""What the tests of the hand-made schedules share: problems, and figures of schedules that the judges accept."""

from collections.abc import Callable, Iterator

import numpy as np
import pytest
from papers.noc_schedules.steps import RouterStep, schedule_of

from pavane.judge.rules import verify
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from tests.checker import judge
from tests.problems import problem_of
from tests.solvers.constructions.judged import MOST_JUDGED

COMBINING = Rules(ports=1, combining=True)
PLAIN = Rules(ports=1)


HIERARCHIES = [(4, 4), (3, 3), (2, 2), (2, 5), (5, 3), (6, 2), (4, 6), (2, 3, 4), (4, 2, 3), (3, 2, 2, 2)]
each_size = pytest.mark.parametrize("sizes", HIERARCHIES, ids=lambda sizes: ",".join(map(str, sizes)))
"""The sizes of hierarchical rings, from level 0 outward."""


Steps = Callable[[Problem], Iterator[RouterStep] | None]
"""A function that returns the steps of a schedule."""


def problem(made: str | Network, kind: str, rules: Rules = COMBINING, root: int | None = None) -> Problem:
    """Return a collective among all processors of a network, one-port and combining unless said otherwise."""
    return problem_of(made, kind, rules, root=root)


def rings(sizes: tuple[int, ...]) -> str:
    """Write the network of some ring sizes."""
    return f"hierarchical-rings:{','.join(map(str, sizes))}"


def figures(steps: Steps, asked: Problem) -> tuple[int, int]:
    """Return start-ups and TCO of a schedule that the judges accept."""
    made = steps(asked)
    assert made is not None
    schedule = schedule_of(asked, made)
    assert not verify(asked, schedule)
    if len(schedule) * asked.num_messages <= MOST_JUDGED:
        assert not judge(asked, schedule)
    return schedule.num_steps, schedule.tco


def declines(steps: Steps, asked: Problem) -> bool:
    """Return whether a schedule does not cover a problem."""
    return steps(asked) is None


def log2(number: int) -> int:
    """Return the least n with 2**n >= number."""
    return (number - 1).bit_length()


def with_link(made: Network, a: int, b: int) -> Network:
    """Return the network, under its old name, with one link more."""
    return Network(made.name, made.num_routers, np.concatenate((made.channels, [[a, b], [b, a]])))


def renamed(made: Network, name: str) -> Network:
    """Return the network under another name."""
    return Network(name, made.num_routers, made.channels, made.router_of)
