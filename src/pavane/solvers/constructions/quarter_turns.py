"""A construction for all-to-all scatter on square tori of even size: quarter turns, n^3/8 steps, the lower bound.

One message per displacement stands for all n^2: the message from router (x, y) goes in step s - f(x, y), counted round
the n steps of a stage, where f is the sum of the coordinates, each taken in the direction the message goes. It first
goes along its row, then along its column. Seen from any router, a message of a and b channels then takes the stretch
[s, s + a) of the n steps on row channels and the stretch [s + a, s + a + b) on column channels. So messages fill rows
and columns completely, if where the row stretch of one ends that of the next begins, and its row stretch is as long as
the column stretch of the one before.

With m = n/2, the four displacements (a, b), (b, m - a), (m - a, m - b), (m - b, a) do just that: they are (a, b) turned
by quarters about the middle of the square of 0 to m, and their row stretches add up to n. They use one direction in
rows and one in columns, and leave the opposite two to the displacements turned by half. Left over are the middle of
the square, in four directions, and its corners: m steps each.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import isqrt

import numpy as np

from pavane.model.arrays import Longs
from pavane.model.network import Network
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.solvers.solver import answer
from pavane.workers.budget import Budget


@dataclass(frozen=True)
class QuarterTurns:
    """A construction for square tori of even size: four displacements at a time fill rows and columns."""

    name: str = "quarter-turns"

    def supports(self, problem: Problem) -> bool:
        """Say yes to all-to-all scatter on a torus of n x n routers numbered row by row, n even, all-port."""
        network, rules = problem.network, problem.rules
        return (
            problem.collective.kind == "AAS"
            and problem.is_plain
            and problem.num_messages == network.num_routers * (network.num_routers - 1)
            and problem.restriction is None
            and rules.switching == "wormhole"
            and rules.ports == "all"
            and rules.duplex == "full"
            and not rules.combining
            and network.is_slim
            and _channels(network) is not None
        )

    def find(
        self, problem: Problem, num_steps: int | None, rng: np.random.Generator, budget: Budget
    ) -> Schedule | None:
        """Write the construction down; no schedule if fewer steps are asked for than it has."""
        size = isqrt(problem.network.num_routers)
        channels = _channels(problem.network)
        if channels is None or (num_steps is not None and num_steps < size**3 // 8):
            return None
        y, x = np.divmod(np.arange(size * size), size)
        steps, receivers, lengths, paths = [], [], [], []
        for word in _words(size):
            turn = (x + word.right * word.across) % size
            row = [channels[word.right, (x + word.right * i) % size, y] for i in range(word.across)]
            column = [channels[2 * word.up, turn, (y + word.up * i) % size] for i in range(word.along)]
            steps.append(word.first + (word.start - word.x_sign * x - word.y_sign * y) % word.num_steps)
            receivers.append((y + word.up * word.along) % size * size + turn)
            lengths.append(np.full(size * size, word.across + word.along))
            paths.append(np.stack(row + column, axis=1).reshape(-1))
        senders, targets = np.tile(np.arange(size * size), len(receivers)), np.concatenate(receivers)
        return Schedule.from_columns(
            size**3 // 8,
            np.concatenate(steps),
            senders,
            targets,
            np.concatenate(lengths),
            np.concatenate(paths),
            np.ones(len(senders), dtype=np.int64),
            problem.message_numbers(np.column_stack((senders, targets))),
        )

    __call__ = answer


def _channels(network: Network) -> Longs | None:
    """Return the channels by direction (1 and -1 along x, 2 and -2 along y) and tail; None: not such a torus."""
    size = isqrt(network.num_routers)
    if size < 4 or size % 2 or size * size != network.num_routers or network.num_channels != 4 * size * size:
        return None
    y, x = np.divmod(network.channels.astype(np.int64), size)
    right, up = (x[:, 1] - x[:, 0] + 1) % size - 1, (y[:, 1] - y[:, 0] + 1) % size - 1
    if not (abs(right) + abs(up) == 1).all():
        return None
    found = np.full((5, size, size), -1, dtype=np.int64)
    found[right + 2 * up, x[:, 0], y[:, 0]] = np.arange(network.num_channels)
    # Twice the same channel would leave another one out.
    return found if (np.delete(found, 0, axis=0) >= 0).all() else None


@dataclass(frozen=True)
class _Word:
    """The messages of one displacement: directions, channels across and along, and the steps they go in."""

    right: int
    up: int
    across: int
    along: int
    start: int
    first: int
    num_steps: int
    x_sign: int
    y_sign: int


def _words(size: int) -> Iterator[_Word]:
    """Yield every displacement but (0, 0), in stages of `size` steps and at last two of half as many."""
    half, middle = size // 2, size // 4
    first = 0
    for a in range(half):
        for b in range(1, half):
            turned = [(a, b), (b, half - a), (half - a, half - b), (half - b, a)]
            if min(turned) != (a, b) or len(set(turned)) < 4:
                continue
            # Channels 0 and half of the way round lead the same way to the left and to the right.
            for signs in ((1, 1), (1, -1)) if a else ((1, 1),):
                for right, up in (signs, (-signs[0], -signs[1])):
                    start = 0
                    for across, along in turned:
                        yield _Word(right, up, across, along, start, first, size, right, up)
                        start += across
                first += size
    if half % 2 == 0:
        for right, up in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
            yield _Word(right, up, middle, middle, middle * (right != up), first, half, 1, 1)
        first += half
    for right, up, across, along in ((1, 1, half, 0), (1, 1, 0, half), (-1, -1, half, half)):
        yield _Word(right, up, across, along, 0, first, half, 1, 1)
