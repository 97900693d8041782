"""Groups of symmetries for large scatter problems, of which solvers schedule one message per orbit.

If every symmetry of a group moves every message and every channel, a message and its images can share a step, as long
as no path of the message meets an image of itself. Channels of one orbit then count as one, the number of messages is
divided by the order of the group, and the schedule is lifted to all messages. Shortest paths never meet their images if
no channel lies on one shortest path with its image, which follows from the distances.

`quotient` makes a group for ejection chains of commuting symmetries of order two: half turns of tori and rings,
reflections of meshes, antipodes. `groups_for_filling` makes groups for filling steps. These may be large, and paths may
meet their images as long as every message has a path that does not: filling checks each path. They are made of
automorphisms without fixed routers, one after the other, as long as only the identity has a fixed router.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

import numpy as np

from pavane.model.arrays import Flags, Longs, Reals
from pavane.model.network import Network
from pavane.model.problem import Problem
from pavane.symmetry.automorphisms import free_automorphisms
from pavane.symmetry.groups import generate, largest_first
from pavane.symmetry.involutions import Symmetry, free_involutions
from pavane.symmetry.translation_groups import TranslationGroup

MOST_MEMBERS = 8
"""The most members of a quotient's group, the identity included."""

MOST_ROUTERS_SEARCHED = 300
"""In larger networks involutions are not searched for; half turns of networks numbered row by row are known."""

MOST_INVOLUTIONS = 4
"""How many symmetries of order two are considered."""

MOST_TRIES = 400
"""How many images of routers are tried to find each of them."""

MOST_ROUTERS_FILLED = 600
"""In larger networks the search for groups for filling takes seconds."""

MOST_FILLED_MEMBERS = 256
"""The most members of a group for filling, the identity included."""

MOST_IMAGES_OF_MESSAGES = 2**24
"""The most images of messages under all members of a group, which take eight bytes each."""

NUM_CHAINS = 16
"""In how many orders automorphisms are put together, each until the group cannot become larger."""

MOST_OF_KIND = 32
"""How many automorphisms of each kind are tried in each order."""

MOST_OF_ORDER = 4
"""How many groups of the same order are returned."""


def quotient(problem: Problem) -> tuple[Symmetry, ...]:
    """Return a group of harmless symmetries without the identity; empty where there is none."""
    if not _has_plain_rules(problem):
        return ()
    group: tuple[Symmetry, ...] = ()
    for involution in _involutions(problem):
        if 2 * (len(group) + 1) > MOST_MEMBERS:
            break
        larger = _join(group, involution)
        if larger is not None and all(s.is_free and is_harmless(problem, s) for s in larger[len(group) :]):
            group = larger
    return group


def _has_plain_rules(problem: Problem) -> bool:
    """Return whether only channels limit, both directions apart, with one processor on every router."""
    rules = problem.rules
    is_plain = problem.restriction is None and rules.duplex == "full" and rules.ports == "all"
    return is_plain and problem.network.is_slim


def is_harmless(problem: Problem, symmetry: Symmetry) -> bool:
    """Return whether no shortest path leads through a channel and then through its image."""
    return not _meets(problem.network, symmetry.routers).any()


def _meets(network: Network, routers: Longs) -> Flags:
    """Return for each channel whether some shortest path leads through it and then through its image."""
    tails, heads = network.tails, network.heads
    between = network.distances[heads, routers[tails]].astype(np.int64)
    across = network.distances[tails, routers[heads]].astype(np.int64)
    return np.asarray((between >= 0) & (across == between + 2))


@dataclass(frozen=True, eq=False)
class FreeGroup:
    """A group of automorphisms without fixed routers, given by generators."""

    generators: tuple[Longs, ...]
    order: int
    """The number of members, the identity included."""

    def symmetries(self, problem: Problem) -> tuple[Symmetry, ...]:
        """Return its members without the identity; none if they do not keep the messages."""
        identity, *generators = (
            Symmetry.of(problem, routers) for routers in (np.arange(problem.network.num_routers), *self.generators)
        )
        usable = [symmetry for symmetry in generators if symmetry is not None]
        if identity is None or len(usable) < len(generators):
            return ()
        members = generate(identity, usable, lambda s: s.routers.tobytes(), Symmetry.then)
        return tuple(members.values())[1:] if members is not None else ()


@lru_cache(maxsize=8)
def groups_for_filling(problem: Problem) -> tuple[FreeGroup, ...]:
    """Return groups, a few of each order, the largest first; the same for every seed."""
    network = problem.network
    if not _has_plain_rules(problem) or not 2 <= network.num_routers <= MOST_ROUTERS_FILLED:
        return ()
    rng = np.random.default_rng(0)
    automorphisms = free_automorphisms(network, rng)
    if not any(automorphisms):
        return ()
    most = min(MOST_FILLED_MEMBERS, MOST_IMAGES_OF_MESSAGES // problem.num_messages)
    num_paths = _num_shortest_paths(network)
    groups: dict[bytes, FreeGroup] = {}
    for chain in range(NUM_CHAINS):
        # Exchanges often commute, so that they make large groups; but where there are few others do better.
        kinds = (automorphisms.exchanges if chain % 2 == 0 else [], automorphisms.steady, automorphisms.others)
        chosen = [kind[number] for kind in kinds for number in rng.permutation(len(kind))[:MOST_OF_KIND]]
        for members, generators in _ever_larger(network, num_paths, chosen, most):
            groups.setdefault(b"".join(sorted(members)), FreeGroup(generators, len(members)))
    return tuple(largest_first(groups.values(), lambda group: group.order, MOST_OF_ORDER))


def _ever_larger(
    network: Network, num_paths: Reals, automorphisms: Sequence[Longs], most: int
) -> Iterator[tuple[dict[bytes, Longs], tuple[Longs, ...]]]:
    """Put automorphisms together one after the other; yield the members of each group, and its generators."""
    identity = np.arange(network.num_routers)

    def admits(routers: Longs, num_members: int) -> bool:
        return num_members < most and not (routers == identity).any()

    generators: tuple[Longs, ...] = ()
    members: dict[bytes, Longs] = {}
    for routers in automorphisms:
        if routers.tobytes() in members:
            continue
        more = (*generators, routers)
        larger = generate(
            identity, more, lambda each: each.tobytes(), lambda member, generator: generator[member], admits
        )
        if larger is None or any(
            _bars(network, num_paths, member) for key, member in larger.items() if key not in members
        ):
            continue
        generators, members = more, larger
        yield members, generators
        if 2 * len(members) > min(most, network.num_routers):
            return


def _num_shortest_paths(network: Network) -> Reals:
    """Count the shortest paths between all routers."""
    distances = network.distances
    num_paths = np.eye(network.num_routers)
    for length in range(1, int(distances.max()) + 1):
        nearer = np.where(distances == length - 1, num_paths, 0.0)
        longer = np.zeros_like(num_paths)
        np.add.at(longer.T, network.heads, nearer.T[network.tails])
        num_paths = np.where(distances == length, longer, num_paths)
    return num_paths


def _bars(network: Network, num_paths: Reals, routers: Longs) -> bool:
    """Return whether for some message every path leads through a channel and then through its image."""
    if np.array_equal(routers, np.arange(len(routers))):
        return False
    meeting = np.flatnonzero(_meets(network, routers))
    tails, heads = network.tails[meeting], network.heads[meeting]
    return bool((num_paths[heads, routers[tails]] == num_paths[tails, routers[heads]]).any())


def _involutions(problem: Problem) -> Iterator[Symmetry]:
    """Yield translations by half of one dimension, or where there are no translations any involutions."""
    group = TranslationGroup.of(problem)
    if group is not None:
        for axis, size in enumerate(group.sizes):
            if size % 2 == 0:
                shift = [size // 2 if number == axis else 0 for number in range(len(group.sizes))]
                symmetry = Symmetry.of(problem, group.translation(shift))
                if symmetry is not None:
                    yield symmetry
    elif problem.network.num_routers <= MOST_ROUTERS_SEARCHED:
        yield from islice(free_involutions(problem, MOST_TRIES), MOST_INVOLUTIONS)


def _join(group: tuple[Symmetry, ...], involution: Symmetry) -> tuple[Symmetry, ...] | None:
    """Return the group of twice the order; None if the involution is a member or does not commute with all members."""
    added = [involution]
    for member in group:
        there, back = member.then(involution), involution.then(member)
        if np.array_equal(member.routers, involution.routers) or not np.array_equal(there.routers, back.routers):
            return None
        added.append(there)
    return (*group, *added)
