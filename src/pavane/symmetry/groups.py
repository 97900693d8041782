"""Groups of symmetries for the combining search, each of whose members moves every processor and every channel.

A transfer and its images may then share a step, and a move applied to all of them is one decision instead of many.
Groups have one or two generators: symmetries of order two, translations of rings, tori and similar networks, and other
automorphisms that a random search finds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import TypeVar

import numpy as np

from pavane.errors import InputError
from pavane.model.arrays import Longs
from pavane.model.messages import Collective
from pavane.model.problem import Problem
from pavane.symmetry.automorphisms import random_automorphisms
from pavane.symmetry.involutions import Symmetry, free_involutions
from pavane.symmetry.translation_groups import TranslationGroup

T = TypeVar("T")

MOST_ROUTERS = 128
"""Above this symmetries take longer to find than they save."""

MOST_MEMBERS = 16
"""The most members of a group, the identity included."""

MOST_GENERATORS = 48
"""How many symmetries are tried as generators."""

MOST_PAIRS = 200
"""How many pairs of generators are tried."""

MOST_OF_ORDER = 4
"""How many groups of each order are returned."""

Group = tuple[Symmetry, ...]
"""The symmetries of a group without the identity."""


def generate(
    identity: T,
    generators: Sequence[T],
    key: Callable[[T], bytes],
    then: Callable[[T, T], T],
    admits: Callable[[T, int], bool] = lambda *_: True,
) -> dict[bytes, T] | None:
    """Return the group that generators make, by keys, the identity first; None if a product is not admitted.

    `admits` gets each new product and the number of members before it.
    """
    members = {key(identity): identity}
    waiting = [identity]
    while waiting:
        member = waiting.pop()
        for generator in generators:
            product = then(member, generator)
            if key(product) not in members:
                if not admits(product, len(members)):
                    return None
                members[key(product)] = product
                waiting.append(product)
    return members


@lru_cache(maxsize=8)
def free_groups(problem: Problem) -> tuple[Group, ...]:
    """Return groups of symmetries, the largest first; the last one is the trivial group, which is empty."""
    network = problem.network
    if not 2 <= network.num_routers <= MOST_ROUTERS or network.num_processors < 2:
        return ((),)
    private = problem
    if problem.collective.sizes and problem.pattern != "private":
        return ((),)  # processors that differ in size are not alike
    if problem.pattern != "private":
        # Symmetries are those of the network that keep the members; messages between all pairs stand for theirs.
        everyone = tuple(range(network.num_processors))
        try:
            private = Problem(network, Collective("AAS", everyone, everyone), problem.rules)
        except InputError:
            # Some processors cannot reach all others, so not all are alike, and there is little to gain.
            return ((),)
    rng = np.random.default_rng(0)
    generators = [s for s in _generators(private, rng) if _keeps(problem, s)][:MOST_GENERATORS]
    pairs = [(s, s) for s in generators]
    for _ in range(MOST_PAIRS if len(generators) > 1 else 0):
        a, b = rng.choice(len(generators), 2, replace=False).tolist()
        pairs.append((generators[a], generators[b]))
    groups: dict[bytes, Group] = {}
    for pair in pairs:
        group = _generate_free(private, pair)
        if group is not None:
            groups.setdefault(np.stack([s.routers for s in group]).tobytes(), group)
    return (*largest_first(groups.values(), len, MOST_OF_ORDER), ())


def largest_first(groups: Iterable[T], order: Callable[[T], int], most: int) -> list[T]:
    """Return groups by falling order, at most some of each."""
    by_order: dict[int, list[T]] = {}
    for group in groups:
        by_order.setdefault(order(group), []).append(group)
    return [group for size in sorted(by_order, reverse=True) for group in by_order[size][:most]]


def _generators(problem: Problem, rng: np.random.Generator) -> Iterator[Symmetry]:
    """Yield free symmetries of a scatter, of order two and of others."""
    yield from free_involutions(problem)
    for routers in _renumberings(problem, rng):
        symmetry = Symmetry.of(problem, routers)
        if symmetry is not None and symmetry.is_free:
            yield symmetry


def _renumberings(problem: Problem, rng: np.random.Generator) -> Iterator[Longs]:
    """Yield random translations and other automorphisms of a network."""
    network = problem.network
    group = TranslationGroup.of(problem) if network.is_slim and problem.restriction is None else None
    if group is not None:
        for _ in range(2 * MOST_GENERATORS):
            yield group.translation([int(rng.integers(size)) for size in group.sizes])
    yield from random_automorphisms(network, rng, 2 * MOST_GENERATORS)


def _keeps(problem: Problem, symmetry: Symmetry) -> bool:
    """Return whether a symmetry of the network moves every processor, and members to members."""
    image = symmetry.processors
    if (image == np.arange(len(image))).any():
        return False
    members = (problem.collective.senders, problem.collective.receivers)
    return problem.pattern == "private" or all({int(image[p]) for p in some} == set(some) for some in members)


def _generate_free(problem: Problem, generators: tuple[Symmetry, Symmetry]) -> Group | None:
    """Return the group of two symmetries without the identity; None where it is too large or not free."""

    def admits(symmetry: Symmetry, num_members: int) -> bool:
        parts = (symmetry.processors, symmetry.channels)
        return num_members < MOST_MEMBERS and symmetry.is_free and all((p != np.arange(len(p))).all() for p in parts)

    identity = Symmetry.of(problem, np.arange(problem.network.num_routers))
    assert identity is not None
    members = generate(
        identity, generators, lambda s: s.processors.tobytes() + s.channels.tobytes(), Symmetry.then, admits
    )
    return None if members is None else tuple(sorted(members.values(), key=lambda s: s.processors.tolist())[1:])
