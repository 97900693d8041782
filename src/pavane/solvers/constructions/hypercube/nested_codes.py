"""Broadcast on hypercubes by nested linear codes, in as many steps as that of Ho and Kao (IEEE TPDS 6(2), 1995).

Routers are words of n bits, and a channel changes one bit. The words informed after each step form a linear code,
moved to the root: the code of one word first, the code of all words in the end, each inside the next. With p ports, a
code may have up to p + 1 times as many words as the one before, hence floor(log2(p + 1)) more dimensions.

Let U be the code before a step and W the one after it. Words fall into cosets of U, numbered by their syndromes, and a
change of bit i adds the syndrome g(i) of that bit. So the cosets form a smaller network, in which channel (x, i) leads
from syndrome x to x + g(i). In it a flow is looked for from 0, which is U itself, to every other coset within W, over
channels that lead one further away from 0. Each path of the flow is taken from every word of U at once, and that keeps
all rules:

- No channel is used twice. The channel that changes bit i of word w is used where a path of the flow uses (x, i), x the
  syndrome of w. Only one path does, and once; and it comes through w from one word of U only: w without the bits that
  the path has changed before.
- No link is used both ways, because only one of its directions leads away from U. So half duplex is supported.
- A word of U sends one copy along each path of the flow, at most p of them. A word of W outside U receives once, along
  the path to its own coset, from the word of U where that path begins.
- Paths are shortest: a path of k channels ends in a coset that k - 1 changes of bits do not reach from U. So its k bits
  differ, and it ends k bits away from where it began.

Codes are given by parity checks. The checks of U are those of W and some more, drawn at random until the flow exists,
which takes few draws. The last code is that of all words, without any checks, so codes are drawn backwards.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from pavane.model.arrays import Flags, Longs
from pavane.model.maximum_flow import MaximumFlow
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.parallel.budget import Budget
from pavane.solvers.constructions.shapes import cube_channels, cube_dimension
from pavane.solvers.path_blocks import PathBlocks
from pavane.solvers.solving import solve_once

MOST_DRAWS = 20
"""How often the parity checks of one step are drawn before all steps are drawn again."""

MOST_CHAINS = 1000
"""How often all steps are drawn."""


class CodeStep(NamedTuple):
    """A step from the words whose syndrome is zero: the paths that start at each of them."""

    syndromes: Longs
    """The syndrome of each bit."""
    paths: tuple[tuple[int, ...], ...]
    """The bits that each path changes, in order."""


@dataclass(frozen=True)
class NestedCodes:
    """The known construction for broadcast on hypercubes: informed sets are linear codes, each inside the next."""

    name: str = "nested-codes"

    def supports(self, problem: Problem) -> bool:
        """Supports one message for all on a hypercube, or the reverse: wormhole, any ports, full or half duplex."""
        collective, network = problem.collective, problem.network
        return (
            problem.pattern in ("broadcast", "reduction")
            and problem.num_messages == 1
            and problem.rules.switching == "wormhole"
            and problem.restriction is None
            and problem.is_plain
            and len({*collective.senders, *collective.receivers}) == network.num_processors
            and cube_dimension(network) is not None
        )

    def find(
        self, problem: Problem, num_steps: int | None, rng: np.random.Generator, budget: Budget
    ) -> Schedule | None:
        """Draw the codes backwards from that of all words, then write the steps down forwards."""
        dimension = cube_dimension(problem.network) if self.supports(problem) else None
        if dimension is None:
            return None
        root = int(problem.ends[0, 0])
        most_each = (min(int(problem.injection[root]), dimension) + 1).bit_length() - 1
        count = -(-dimension // most_each)
        if num_steps is not None and num_steps < count:
            return None
        for _ in range(MOST_CHAINS):
            steps = _chain(dimension, count, rng, budget)
            if steps is not None:
                return _written(problem, root, steps)
        return None

    __call__ = solve_once


def _chain(dimension: int, count: int, rng: np.random.Generator, budget: Budget) -> list[CodeStep] | None:
    """Draw codes backwards from that of all words; return the steps forwards, None where the draws led nowhere."""
    steps: list[CodeStep] = []
    syndromes = np.zeros(dimension, dtype=np.int64)
    for number in range(count):
        few, many = (dimension * upto // count for upto in (number, number + 1))
        step = _step_before(syndromes, few, many, rng, budget)
        if step is None:
            return None
        steps.append(step)
        syndromes = step.syndromes
    return steps[::-1]


def _step_before(syndromes: Longs, few: int, many: int, rng: np.random.Generator, budget: Budget) -> CodeStep | None:
    """Draw parity checks beyond the few of the code after a step, until a flow of one step exists."""
    dimension = len(syndromes)
    for _ in range(MOST_DRAWS):
        if budget.is_over:
            return None
        drawn = syndromes | rng.integers(1 << (many - few), size=dimension) << few
        if not _are_independent(drawn, many):
            continue
        paths = _disjoint_paths(drawn, few, many)
        if paths is not None:
            return CodeStep(drawn, paths)
    return None


def _are_independent(syndromes: Longs, num_checks: int) -> bool:
    """Whether no parity check follows from others: the syndromes of the bits then span all syndromes."""
    basis: list[int] = []
    for word in syndromes.tolist():
        for known in basis:
            word = min(word, word ^ known)
        if word:
            basis.append(word)
    return len(basis) == num_checks


def _disjoint_paths(syndromes: Longs, few: int, many: int) -> tuple[tuple[int, ...], ...] | None:
    """Return paths from syndrome 0 to all others whose first few checks are zero; None where they are too many."""
    size = 1 << many
    heads = np.arange(size)[:, None] ^ syndromes
    away = _distances(syndromes, size)
    targets = np.arange(1, 1 << (many - few)) << few
    tails, bits = np.nonzero(_leading_to(targets, away, heads))
    flow = MaximumFlow(
        np.concatenate((tails, targets)),
        np.concatenate((heads[tails, bits], np.full(len(targets), size))),
        np.ones(len(tails) + len(targets), dtype=np.int64),
        0,
        size,
    )
    if flow.value < len(targets):
        return None
    used = flow.on_arcs[: len(tails)] > 0
    leaving: dict[int, list[int]] = {}
    for tail, bit in zip(tails[used].tolist(), bits[used].tolist(), strict=True):
        leaving.setdefault(tail, []).append(bit)
    wanted, paths = set(targets.tolist()), []
    for _ in targets:
        here, path = 0, []
        while here not in wanted:
            path.append(leaving[here].pop())
            here ^= int(syndromes[path[-1]])
        wanted.remove(here)
        paths.append(tuple(path))
    return tuple(paths)


def _distances(syndromes: Longs, size: int) -> Longs:
    """Return how many bits must at least be changed for each syndrome."""
    away = np.full(size, -1, dtype=np.int64)
    away[0] = 0
    frontier, level = np.zeros(1, dtype=np.int64), 0
    while len(frontier):
        level += 1
        found = (frontier[:, None] ^ syndromes).ravel()
        away[found[away[found] < 0]] = level
        frontier = np.flatnonzero(away == level)
    return away


def _leading_to(targets: Longs, away: Longs, heads: Longs) -> Flags:
    """Mark the channels, by tail and bit, that lead one further away from 0 and on to a target."""
    leads = np.zeros(heads.shape, dtype=bool)
    is_met = np.zeros(len(away), dtype=bool)
    is_met[targets] = True
    for level in range(int(away[targets].max()), 0, -1):
        tails = np.flatnonzero(away == level - 1)
        leads[tails] = is_met[heads[tails]] & (away[heads[tails]] == level)
        is_met[tails] |= leads[tails].any(axis=1)
    return leads


def _written(problem: Problem, root: int, steps: list[CodeStep]) -> Schedule:
    """Write down the paths of every step from all words that are informed before it."""
    network = problem.network
    dimension, words = network.num_routers.bit_length() - 1, np.arange(network.num_routers)
    channel_of = cube_channels(network, dimension)
    processor_at = np.argsort(network.router_of)
    home = int(network.router_of[root])
    blocks = PathBlocks()
    for number, step in enumerate(steps):
        syndrome = np.zeros(len(words), dtype=np.int64)
        for bit in range(dimension):
            syndrome[words >> bit & 1 == 1] ^= step.syndromes[bit]
        code = np.flatnonzero(syndrome == 0) ^ home
        for path in step.paths:
            here, hops = code, []
            for bit in path:
                hops.append(channel_of[here, bit])
                here = here ^ (1 << bit)
            blocks.add(number, processor_at[code], processor_at[here], 0, np.stack(hops, axis=1))
    return blocks.schedule()
