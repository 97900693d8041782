"""The steps of a hand-made schedule, in terms of routers, and how they become the schedule of a problem.

Every router has one processor here, so a router stands for its processor. A message is a code: the router of its
origin for broadcasts, and `origin * routers + target` for private messages.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np
import numpy.typing as npt

from pavane.model.arrays import Flags, Longs
from pavane.model.network import Network
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.solvers.constructions.shapes import channel_numbers

Kind = Literal["OAB", "OAS", "AAB", "AAS"]


@dataclass(frozen=True, eq=False)
class StepRoutes:
    """The paths of the transfers of one step, as columns."""

    senders: Longs
    receivers: Longs
    lengths: Longs
    channels: Longs

    @classmethod
    def along(cls, network: Network, paths: Iterable[Sequence[int]]) -> StepRoutes:
        """Make the columns of paths that are given by the routers they meet."""
        numbers = channel_numbers(network)
        met = list(paths)
        return cls(
            np.array([path[0] for path in met], dtype=np.int64),
            np.array([path[-1] for path in met], dtype=np.int64),
            np.array([len(path) - 1 for path in met], dtype=np.int64),
            np.array([numbers[hop] for path in met for hop in pairwise(path)], dtype=np.int64),
        )

    def only(self, kept: Flags) -> StepRoutes:
        """Return the routes of some of the transfers."""
        return StepRoutes(
            self.senders[kept], self.receivers[kept], self.lengths[kept], self.channels[np.repeat(kept, self.lengths)]
        )


@dataclass(frozen=True, eq=False)
class RouterStep:
    """The transfers of one step: their routes, how many messages each carries, and the codes of those."""

    routes: StepRoutes
    counts: Longs
    codes: Longs

    @classmethod
    def of(cls, network: Network, moves: Iterable[tuple[Sequence[int], npt.ArrayLike]]) -> RouterStep:
        """Make a step of paths and the codes that go along each; paths with nothing to carry are left out."""
        loads = [(path, np.atleast_1d(np.asarray(codes, dtype=np.int64))) for path, codes in moves]
        loads = [(path, codes) for path, codes in loads if len(codes)]
        return cls(
            StepRoutes.along(network, [path for path, _ in loads]),
            np.array([len(codes) for _, codes in loads], dtype=np.int64),
            np.concatenate([np.zeros(0, dtype=np.int64), *(codes for _, codes in loads)]),
        )

    @classmethod
    def even(cls, routes: StepRoutes, codes: Longs) -> RouterStep:
        """Make a step in which all transfers carry equally many messages, a row of codes each."""
        return cls(routes, np.full(len(codes), codes.shape[1], dtype=np.int64), codes.ravel())

    def one_by_one(self) -> Iterator[RouterStep]:
        """Yield steps over the same routes that carry one message each."""
        first = np.cumsum(self.counts) - self.counts
        for number in range(int(self.counts.max(initial=0))):
            kept = self.counts > number
            codes = self.codes[first[kept] + number]
            yield RouterStep(self.routes.only(kept), np.ones(len(codes), dtype=np.int64), codes)


def whole_kind(problem: Problem) -> Kind | None:
    """Return which of the four collectives among all processors the problem is, None where members are missing."""
    collective = problem.collective
    if not problem.is_plain:
        return None
    if problem.is_total:
        return {"broadcast": "AAB", "private": "AAS"}.get(problem.pattern)  # type: ignore[return-value]
    members = {*collective.senders, *collective.receivers}
    if len(collective.senders) == 1 and len(members) == problem.network.num_processors:
        return {"broadcast": "OAB", "private": "OAS"}.get(problem.pattern)  # type: ignore[return-value]
    return None


def root_router(problem: Problem) -> int:
    """Return the router of the only sender."""
    return int(problem.network.router_of[problem.collective.senders[0]])


def runs_straight(problem: Problem) -> bool:
    """Return whether paths along one row or one ring are admissible: by every routing, if no link is missing."""
    return problem.restriction is None or problem.restriction.is_whole


def schedule_of(problem: Problem, made: Iterable[RouterStep]) -> Schedule:
    """Return the schedule that steps between routers make."""
    steps, processor_at = list(made), np.argsort(problem.network.router_of)
    codes = np.concatenate([step.codes for step in steps])
    ends = np.stack(np.divmod(codes, problem.network.num_routers), axis=1)
    labels = processor_at[ends if problem.pattern == "private" else codes]
    return Schedule.from_columns(
        len(steps),
        np.repeat(np.arange(len(steps)), [len(step.counts) for step in steps]),
        processor_at[np.concatenate([step.routes.senders for step in steps])],
        processor_at[np.concatenate([step.routes.receivers for step in steps])],
        (
            np.concatenate([step.routes.lengths for step in steps]),
            np.concatenate([step.routes.channels for step in steps]),
        ),
        problem.message_numbers(labels),
        np.concatenate([step.counts for step in steps]),
    )
