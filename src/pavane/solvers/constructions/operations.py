"""Operations: hops that all messages of one displacement make together, and the schedule that they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from pavane.model.arrays import Flags, Ints, Longs
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.symmetry.translation_groups import TranslationGroup


class Operations(NamedTuple):
    """One entry for each hop of all messages of a displacement."""

    displacements: Longs
    pieces: Longs
    """Which piece of each message goes."""
    kinds: Longs
    befores: Longs
    """Where the hops before have taken a message that began at router 0."""
    steps: Longs
    tails: Longs
    """The set of routers that the hop starts from: a hop may be made by some of the messages only."""

    def then(self, others: Operations) -> Operations:
        """Return these and, in the steps that follow, others."""
        later = others._replace(steps=others.steps + self.steps.max(initial=-1) + 1)
        return Operations(*(np.concatenate(columns) for columns in zip(self, later, strict=True)))

    def schedule(self, problem: Problem, group: TranslationGroup, sets: Sequence[Flags]) -> Schedule:
        """Return the schedule in which all routers, or those of the set that is named, make each hop."""
        used, steps = np.unique(self.steps, return_inverse=True)
        firsts = _first_pieces(problem, group)
        columns: list[tuple[Ints, ...]] = []
        for number, members in enumerate(sets):
            some = np.flatnonzero(self.tails == number)
            tails = np.flatnonzero(members).astype(np.int32)
            origins = group.sums[group.opposites[self.befores[some]]][:, tails]
            channels = group.channels.T[self.kinds[some]][:, tails]
            messages = np.take_along_axis(firsts[self.displacements[some]], origins, axis=1)
            messages += self.pieces[some, None].astype(np.int32)
            step = np.repeat(steps[some].astype(np.int32), len(tails))
            columns.append((step, np.tile(tails, len(some)), channels.reshape(-1), messages.reshape(-1)))
        step, senders, channel, message = (np.concatenate(column) for column in zip(*columns, strict=True))
        ones = np.ones(len(step), dtype=np.int32)
        receivers = problem.network.heads[channel]
        return Schedule.from_columns(len(used), step, senders, receivers, ones, channel, ones, message)


def _first_pieces(problem: Problem, group: TranslationGroup) -> Ints:
    """Return the number of the first piece of each message, by its displacement and its origin."""
    labels = np.zeros((*group.sums.shape, problem.labels.shape[1]), dtype=np.int32)
    labels[:, :, 0] = np.arange(problem.network.num_routers)
    labels[:, :, 1] = group.sums
    return problem.message_numbers(labels).reshape(group.sums.shape).astype(np.int32)
