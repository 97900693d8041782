"""Small groups of symmetries under which large scatter problems are packed: one message per orbit stands for all.

If every symmetry of a group moves every message and every channel, a message and its images can share a step, as long
as no path of the message meets an image of itself. Channels of one orbit then count as one, there are as many times
fewer messages as the group has members, and what is found is lifted to all of them. Shortest paths never meet their
images if no channel lies with an image of it on one shortest path, which the distances tell.

Groups for pushing are made of commuting symmetries of order two: half turns of tori and rings, reflections of meshes,
antipodes. For filling groups may be large, and paths may be able to meet their images, as long as every message has one
that need not: whoever fills steps looks at each path. They are made of whatever renumberings without fixed routers come
up (see `automorphisms`), one after the other, as long as nothing but the identity leaves a router where it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from math import prod

import numpy as np

from pavane.model.arrays import Flags, Longs, Reals
from pavane.model.network import Network
from pavane.model.problem import Problem
from pavane.symmetry.automorphisms import automorphisms_of
from pavane.symmetry.involutions import Symmetry, free_involutions
from pavane.symmetry.translation_groups import translations

MOST_MEMBERS = 8
"""The most members of a group, the identity counted."""

MOST_ROUTERS_FILLED = 600
"""In larger networks groups for filling take seconds to be found."""

MOST_ROUTERS_SEARCHED = 300
"""Above this symmetries are not searched for, but those of networks numbered row by row are known."""

MOST_INVOLUTIONS = 4
"""How many symmetries of order two are looked at."""

MOST_TRIES = 400
"""How many images of routers are tried to find each of them."""

MOST_FILLED_MEMBERS = 256
"""The most members of a group under which steps are filled, the identity counted."""

MOST_IMAGES_OF_MESSAGES = 2**24
"""The most images of messages under all members of a group, which take eight bytes each."""

NUM_CHAINS = 16
"""In how many orders symmetries are put together, each until the group cannot become larger."""

MOST_OF_KIND = 32
"""How many renumberings of each kind are tried in each order."""

MOST_OF_ORDER = 4
"""How many groups of the same order are kept."""


def quotient(problem: Problem) -> tuple[Symmetry, ...]:
    """Return a group of symmetries without the identity; empty where there is none that does no harm."""
    if not _has_plain_rules(problem):
        return ()
    group: tuple[Symmetry, ...] = ()
    for found in _involutions(problem):
        if 2 * (len(group) + 1) > MOST_MEMBERS:
            break
        larger = _joined(group, found)
        if larger is not None and all(s.is_free and is_harmless(problem, s) for s in larger[len(group) :]):
            group = larger
    return group


def _has_plain_rules(problem: Problem) -> bool:
    """Say whether channels in both directions alone bind, with one processor on every router."""
    rules = problem.rules
    is_plain = problem.restriction is None and rules.duplex == "full" and rules.ports == "all"
    return is_plain and problem.network.is_slim


def is_harmless(problem: Problem, symmetry: Symmetry) -> bool:
    """Say whether no shortest path leads through a channel and then through its image."""
    return not _meets(problem.network, symmetry.routers).any()


def _meets(network: Network, routers: Longs) -> Flags:
    """Say of each channel whether some shortest path leads through it and then through its image."""
    tails, heads = network.tails, network.heads
    between = network.distances[heads, routers[tails]].astype(np.int64)
    across = network.distances[tails, routers[heads]].astype(np.int64)
    return np.asarray((between >= 0) & (across == between + 2))


@dataclass(frozen=True, eq=False)
class FreeGroup:
    """Renumberings without fixed routers, by some that make all others."""

    generators: tuple[Longs, ...]
    order: int
    """The number of members, the identity counted."""

    def symmetries(self, problem: Problem) -> tuple[Symmetry, ...]:
        """Return its members but the identity; none where they change messages."""
        made = [Symmetry.of(problem, routers) for routers in self.generators]
        usable = [symmetry for symmetry in made if symmetry is not None]
        if len(usable) < len(made):
            return ()
        identity = np.arange(problem.network.num_routers).tobytes()
        found = {symmetry.routers.tobytes(): symmetry for symmetry in usable}
        waiting = list(usable)
        while waiting:
            symmetry = waiting.pop()
            for generator in usable:
                key = generator.routers[symmetry.routers].tobytes()
                if key != identity and key not in found:
                    found[key] = symmetry.then(generator)
                    waiting.append(found[key])
        return tuple(found.values())


@lru_cache(maxsize=8)
def groups_for_filling(problem: Problem) -> tuple[FreeGroup, ...]:
    """Return groups, a few of each order, the largest first; the same for every seed."""
    network = problem.network
    if not _has_plain_rules(problem) or not 2 <= network.num_routers <= MOST_ROUTERS_FILLED:
        return ()
    rng = np.random.default_rng(0)
    found = automorphisms_of(network, rng)
    if not any(found):
        return ()
    most = min(MOST_FILLED_MEMBERS, MOST_IMAGES_OF_MESSAGES // problem.num_messages)
    num_paths = _num_shortest_paths(network)
    kept: dict[bytes, FreeGroup] = {}
    for chain in range(NUM_CHAINS):
        # Exchanges often commute, so that they make large groups; but where they are few others do better.
        parts = (found.exchanges if chain % 2 == 0 else [], found.steady, found.others)
        some = [part[at] for part in parts for at in rng.permutation(len(part))[:MOST_OF_KIND]]
        for members, generators in _ever_larger(network, num_paths, some, most):
            kept.setdefault(b"".join(sorted(members)), FreeGroup(generators, len(members)))
    by_order: dict[int, list[FreeGroup]] = {}
    for group in kept.values():
        by_order.setdefault(group.order, []).append(group)
    return tuple(group for order in sorted(by_order, reverse=True) for group in by_order[order][:MOST_OF_ORDER])


def _ever_larger(
    network: Network, num_paths: Reals, found: list[Longs], most: int
) -> Iterator[tuple[dict[bytes, Longs], tuple[Longs, ...]]]:
    """Put renumberings together one after the other; yield the members of each group, and what they are made of."""
    generators: tuple[Longs, ...] = ()
    members: dict[bytes, Longs] = {}
    for routers in found:
        if routers.tobytes() in members:
            continue
        larger = _members((*generators, routers), most)
        if larger is None or any(
            _bars(network, num_paths, member) for key, member in larger.items() if key not in members
        ):
            continue
        generators, members = (*generators, routers), larger
        yield members, generators
        if 2 * len(members) > min(most, network.num_routers):
            return


def _members(generators: Sequence[Longs], most: int) -> dict[bytes, Longs] | None:
    """Return all that generators make; None if some member but the identity leaves a router, or too many come up."""
    identity = np.arange(len(generators[0]))
    found = {identity.tobytes(): identity}
    waiting = [identity]
    while waiting:
        member = waiting.pop()
        for generator in generators:
            larger = generator[member]
            key = larger.tobytes()
            if key not in found:
                if len(found) == most or (larger == identity).any():
                    return None
                found[key] = larger
                waiting.append(larger)
    return found


def _num_shortest_paths(network: Network) -> Reals:
    """Count the shortest paths between all routers."""
    distances = network.distances
    found = np.eye(network.num_routers)
    for length in range(1, int(distances.max()) + 1):
        nearer = np.where(distances == length - 1, found, 0.0)
        here = np.zeros_like(found)
        np.add.at(here.T, network.heads, nearer.T[network.tails])
        found = np.where(distances == length, here, found)
    return found


def _bars(network: Network, num_paths: Reals, routers: Longs) -> bool:
    """Say whether some message has no path but one through a channel and then through its image."""
    if np.array_equal(routers, np.arange(len(routers))):
        return False
    some = np.flatnonzero(_meets(network, routers))
    tails, heads = network.tails[some], network.heads[some]
    return bool((num_paths[heads, routers[tails]] == num_paths[tails, routers[heads]]).any())


def _involutions(problem: Problem) -> Iterator[Symmetry]:
    shape = next(translations(problem), None)
    if shape is not None:
        yield from _half_turns(problem, shape)
    elif problem.network.num_routers <= MOST_ROUTERS_SEARCHED:
        yield from islice(free_involutions(problem, MOST_TRIES), MOST_INVOLUTIONS)


def _half_turns(problem: Problem, shape: tuple[int, ...]) -> Iterable[Symmetry]:
    """Yield the translations by half of one dimension."""
    coordinates = np.stack(np.unravel_index(np.arange(prod(shape)), shape))
    for axis, size in enumerate(shape):
        if size % 2 == 0:
            moved = coordinates.copy()
            moved[axis] = (moved[axis] + size // 2) % size
            symmetry = Symmetry.of(problem, np.ravel_multi_index(tuple(moved), shape))
            if symmetry is not None:
                yield symmetry


def _joined(group: tuple[Symmetry, ...], found: Symmetry) -> tuple[Symmetry, ...] | None:
    """Return the group of twice the order; None where the symmetry is in the group or does not commute with it."""
    added = [found]
    for member in group:
        there, back = member.then(found), found.then(member)
        if np.array_equal(member.routers, found.routers) or not np.array_equal(there.routers, back.routers):
            return None
        added.append(there)
    return (*group, *added)
