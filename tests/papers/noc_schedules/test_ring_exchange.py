"""Direct exchange on a ring."""

from itertools import pairwise

import pytest
from papers.noc_schedules.ring_exchange import exchange_steps


@pytest.mark.parametrize("size", range(2, 17))
def test_direct_exchange(size: int) -> None:
    """Each position sends to each other once, on shortest arcs; ports and channels are used once a step."""
    steps = exchange_steps(size)
    ends = sorted((arc[0], arc[-1]) for arcs in steps for arc in arcs)
    assert ends == [(a, b) for a in range(size) for b in range(size) if a != b]
    for arcs in steps:
        assert len({arc[0] for arc in arcs}) == len({arc[-1] for arc in arcs}) == len(arcs)
        hops = [hop for arc in arcs for hop in pairwise(arc)]
        assert len(set(hops)) == len(hops)
        assert all((b - a) % size in (1, size - 1) for a, b in hops)
        assert all(2 * (len(arc) - 1) <= size for arc in arcs)
    bound = max(size - 1, size * size // 8)
    assert bound <= len(steps) <= 1.3 * bound + 1
    if size <= 4:
        assert len(steps) == size - 1
