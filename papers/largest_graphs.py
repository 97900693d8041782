"""Large graphs of degree 3: what we have of the row "[4]" of gecco08 Table 1, and the Tutte 12-cage.

Each is a ring with a chord from every router i to i + jump (LCF notation). Order and diameter are counted whenever the
table is redone, so nothing here has to be believed.
"""

from __future__ import annotations

from functools import cache

from papers.problems import catalogue
from pavane.model.network import Network
from pavane.networks.links import cycle, two_way

JUMPS = {
    3: (-10, -7, -5, 4, 7, -10, -7, -4, 5, 7, -10, -7, 6, -5, 7, -10, -7, 5, -6, 7),
    # Found by annealing the chords until all pairs were within 4.
    4: (
        *(9, 32, 16, 20, 24, 9, 14, 25, 17, -9, 19, 8, 22, 11, -9, 22, 15, 9, -16),
        *(-8, -14, 15, 8, -20, -11, -17, -9, 8, -24, -19, -8, -15, -25, -32, -22, -8, -15, -22),
    ),
}
"""By diameter."""

TWELVE_CAGE = (17, 27, -13, -59, -35, 35, -11, 13, -53, 53, -27, 21, 57, 11, -21, -57, 59, -17) * 7
"""The Tutte 12-cage: diameter 6, girth 12."""


@cache
def largest_graph(diameter: int) -> Network | None:
    """Return a graph of degree 3 and this diameter that is as large as any in [4] of gecco08, where we have one."""
    if diameter == 2:
        return catalogue("petersen")
    return ring_with_chords(JUMPS[diameter]) if diameter in JUMPS else None


def ring_with_chords(jumps: tuple[int, ...]) -> Network:
    """Return a cubic network by its LCF notation."""
    size = len(jumps)
    ends = [(i, (i + jump) % size) for i, jump in enumerate(jumps)]
    return Network(f"lcf:{size}", size, two_way([*cycle(range(size)), *((a, b) for a, b in ends if a < b)]))
