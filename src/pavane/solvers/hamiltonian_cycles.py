"""Hamiltonian cycles: by patching the cycles of a cycle cover together (Karp 1979), then depth first.

The effort is counted, so a cycle may be missed where there is one. A graph is given by the successors of each vertex.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

MOST_COVERS = 20
"""Cycle covers that are tried."""

MOST_EXTENSIONS = 25_000
"""How often a depth-first search may extend its path: more take longer than a second, and few networks need them."""


def hamiltonian_cycle(after: list[list[int]]) -> list[int] | None:
    """Return the successor of each vertex on a Hamiltonian cycle, if one is found."""
    following = _patched_covers(after)
    path = depth_first_cycle(after) if following is None else None
    if path is not None:
        following = [0] * len(after)
        for router, successor in zip(path, path[1:] + path[:1], strict=True):
            following[router] = successor
    return following


def _patched_covers(after: list[list[int]]) -> list[int] | None:
    """Return the successor of each vertex on a Hamiltonian cycle, from cycle covers whose cycles are joined.

    Two cycles with channels a > b and c > d become one by a > d and c > b, where the network has those.
    """
    size = len(after)
    is_channel = [set(row) for row in after]
    rng = np.random.default_rng(size)
    for number, following in enumerate(_covers(after, rng)):
        before = np.argsort(following).tolist()
        label = _cycles_of(following)
        num_cycles = max(label) + 1
        tails = rng.permutation(size).tolist() if number else list(range(size))
        for a in [*tails, *tails]:
            for d in after[a]:
                b, c = following[a], before[d]
                if label[a] != label[c] and b in is_channel[c]:
                    following[a], following[c], before[d], before[b] = d, b, a, c
                    gone, stays = label[c], label[a]
                    label = [stays if cycle == gone else cycle for cycle in label]
                    num_cycles -= 1
        if num_cycles == 1:
            return following
    return None


def _covers(after: list[list[int]], rng: np.random.Generator) -> Iterator[list[int]]:
    """Yield cycle covers, as the successor of each vertex; none if there is none."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_bipartite_matching

    size = len(after)
    # Pairs of neighbours in the order of numbers lie side by side on meshes, tori and hypercubes, which patches well.
    partner = [-1] * size
    for router in range(size):
        for head in after[router]:
            if partner[router] < 0 and partner[head] < 0 and router in after[head]:
                partner[router], partner[head] = head, router
    if min(partner) >= 0:
        yield partner
    tails = np.repeat(np.arange(size), [len(heads) for heads in after])
    heads = np.array([head for row in after for head in row], dtype=np.int64)
    for _ in range(MOST_COVERS):
        names, other_names = rng.permutation(size), rng.permutation(size)
        ones = np.ones(len(tails), dtype=np.int8)
        shuffled = csr_array((ones, (names[tails], other_names[heads])), shape=(size, size))
        match = maximum_bipartite_matching(shuffled, perm_type="column")
        if (match < 0).any():
            return
        yield np.argsort(other_names)[match[names]].tolist()


def _cycles_of(following: list[int]) -> list[int]:
    """Number the cycles of a permutation."""
    label = [-1] * len(following)
    num_cycles = 0
    for start in range(len(following)):
        here = start
        while label[here] < 0:
            label[here] = num_cycles
            here = following[here]
        num_cycles += label[start] == num_cycles
    return label


def depth_first_cycle(after: list[list[int]]) -> list[int] | None:
    """Return the vertices of a Hamiltonian cycle in its order, by depth-first search; None where none is found soon.

    Of the ways on those with the fewest ways on themselves come first (Warnsdorff), of equals the first in `after`.
    """
    size = len(after)
    path, met = [0], {0}
    choices = [iter(after[0])]
    extensions = 0
    while choices and extensions < MOST_EXTENSIONS:
        if len(path) == size and (size == 1 or 0 in after[path[-1]]):
            return path
        head = next((head for head in choices[-1] if head not in met), None)
        if head is None:
            choices.pop()
            met.discard(path.pop())
            continue
        extensions += 1
        path.append(head)
        met.add(head)
        open_ways = {way: sum(far not in met for far in after[way]) for way in after[head] if way not in met}
        choices.append(iter(sorted(open_ways, key=lambda way: open_ways[way])))
    return None
