"""Groups of symmetries for the combining search: each of their members moves every processor and every channel.

Then a transfer and its images may share a step, and a move applied to all of them is one decision instead of many.
Groups are made of one or two generators: symmetries of order two, others that a backtracking search comes upon, and
the translations of rings, tori and their like.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from math import prod

import numpy as np

from pavane.errors import InputError
from pavane.model.arrays import Longs
from pavane.model.messages import Collective
from pavane.model.network import Network
from pavane.model.problem import Problem
from pavane.symmetry.involutions import Symmetry, free_involutions
from pavane.symmetry.translation_groups import translations

MOST_ROUTERS = 128
"""Above this symmetries take longer to find than they save."""

MOST_MEMBERS = 16
"""Larger groups are not made, the identity counted."""

MOST_GENERATORS = 48
"""How many symmetries are tried as generators."""

MOST_PAIRS = 200
"""How many pairs of them."""

MOST_OF_ORDER = 4
"""How many groups of each order are kept."""

Group = tuple[Symmetry, ...]
"""The symmetries of a group but the identity."""


@lru_cache(maxsize=8)
def free_groups(problem: Problem) -> tuple[Group, ...]:
    """Return groups of symmetries, each without the identity, the largest first; the last has no member."""
    network = problem.network
    if not 2 <= network.num_routers <= MOST_ROUTERS or network.num_processors < 2:
        return ((),)
    private = problem
    if problem.collective.sizes and problem.pattern != "private":
        return ((),)  # whoever differs in size is not alike
    if problem.pattern != "private":
        # Symmetries are those of the network that keep the members; messages between all pairs stand in.
        everyone = tuple(range(network.num_processors))
        try:
            private = Problem(network, Collective("AAS", everyone, everyone), problem.rules)
        except InputError:
            # Not everyone can send to everyone, so not all are alike, and there is little to gain.
            return ((),)
    rng = np.random.default_rng(0)
    generators = [s for s in _generators(private, rng) if _keeps(problem, s)][:MOST_GENERATORS]
    found: dict[bytes, Group] = {}
    pairs = [(s, s) for s in generators]
    for _ in range(MOST_PAIRS if len(generators) > 1 else 0):
        a, b = rng.choice(len(generators), 2, replace=False).tolist()
        pairs.append((generators[a], generators[b]))
    for pair in pairs:
        group = _generated(pair)
        if group is not None:
            found.setdefault(np.stack([s.routers for s in group]).tobytes(), group)
    orders = sorted({len(group) for group in found.values()}, reverse=True)
    kept = [g for order in orders for g in [g for g in found.values() if len(g) == order][:MOST_OF_ORDER]]
    return (*kept, ())


def _generators(problem: Problem, rng: np.random.Generator) -> Iterator[Symmetry]:
    """Yield free symmetries of a scatter, of order two and of others."""
    yield from free_involutions(problem)
    network = problem.network
    shape = next(translations(problem), None) if network.is_slim and problem.restriction is None else None
    if shape is not None:
        coordinates = np.stack(np.unravel_index(np.arange(prod(shape)), shape))
        for _ in range(2 * MOST_GENERATORS):
            shift = np.array([int(rng.integers(size)) for size in shape])[:, None]
            image = np.ravel_multi_index(tuple((coordinates + shift) % np.array(shape)[:, None]), shape)
            symmetry = Symmetry.of(problem, image)
            if symmetry is not None and symmetry.is_free:
                yield symmetry
    for routers in _automorphisms(network, rng):
        symmetry = Symmetry.of(problem, routers)
        if symmetry is not None and symmetry.is_free:
            yield symmetry


def _keeps(problem: Problem, symmetry: Symmetry) -> bool:
    """Say whether a symmetry of the network moves every processor, and members to members."""
    image = symmetry.processors
    if (image == np.arange(len(image))).any():
        return False
    members = (problem.collective.senders, problem.collective.receivers)
    return problem.pattern == "private" or all({int(image[p]) for p in some} == set(some) for some in members)


def _generated(generators: tuple[Symmetry, Symmetry]) -> Group | None:
    """Return the group of two symmetries without the identity; None where it is too large or not free."""
    found: dict[bytes, Symmetry] = {}
    waiting = list(generators)
    while waiting:
        symmetry = waiting.pop()
        moved = [part != np.arange(len(part)) for part in (symmetry.processors, symmetry.channels)]
        key = symmetry.processors.tobytes() + symmetry.channels.tobytes()
        if key in found or not any(part.any() for part in moved):
            continue
        if len(found) + 1 >= MOST_MEMBERS or not (symmetry.is_free and all(part.all() for part in moved)):
            return None
        found[key] = symmetry
        waiting += [symmetry.then(generator) for generator in generators]
    return tuple(sorted(found.values(), key=lambda s: s.processors.tolist()))


def _automorphisms(network: Network, rng: np.random.Generator) -> Iterator[Longs]:
    """Yield renumberings of routers that keep distances and channels, a few for each image of router 0."""
    distances = network.distances.astype(np.int32)
    joins = np.zeros_like(distances)
    np.add.at(joins, (network.tails, network.heads), network.capacity)
    processors = np.bincount(network.router_of, minlength=network.num_routers)
    profile = np.column_stack((processors, np.sort(distances, axis=1), np.sort(distances.T, axis=1)))
    _, colours = np.unique(profile, axis=0, return_inverse=True)
    colours = np.asarray(colours).reshape(-1)
    images = np.flatnonzero(colours == colours[0])
    order = np.argsort(np.where(distances[0] < 0, network.num_routers, distances[0]), kind="stable")
    for _ in range(2 * MOST_GENERATORS if len(images) > 1 else 0):
        image = np.full(network.num_routers, -1, dtype=np.int64)
        image[0] = rng.choice(images[images != 0])
        # Without going back: choices that do not matter are many, those that do are tried again.
        for at in range(1, len(order)):
            router, done = order[at], order[:at]
            fits = colours == colours[router]
            fits[image[done]] = False
            for table in (distances, joins):
                fits &= (table[:, image[done]] == table[router, done]).all(axis=1)
                fits &= (table[image[done], :] == table[done, router][:, None]).all(axis=0)
            candidates = np.flatnonzero(fits)
            if not len(candidates):
                break
            image[router] = rng.choice(candidates)
        else:
            yield image
