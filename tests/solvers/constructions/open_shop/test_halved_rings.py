"""Even rings, hop by hop, whose messages half way round go both ways."""

from collections import Counter

import pytest

from pavane.solvers.constructions.open_shop.halved_rings import upward_jobs


@pytest.mark.parametrize("half", range(2, 41))
def test_the_channels_up_a_ring_are_never_idle(half: int) -> None:
    """All lengths from even and odd routers, half way round from even ones, in half of half squared, rounded up."""
    jobs = upward_jobs(half)
    lengths = Counter((length, parity) for length in range(1, half) for parity in (0, 1))
    assert Counter((job.length, job.parity) for job in jobs) == lengths + Counter([(half, 0)])
    used = Counter()  # type: Counter[tuple[int, int]]
    for job in jobs:
        assert list(job.steps) == sorted(set(job.steps))
        assert len(job.steps) == job.length
        used.update((step, (job.parity + hop) % 2) for hop, step in enumerate(job.steps))
    assert set(used.values()) == {1}
    assert max(step for step, _ in used) + 1 == -(-(half**2) // 2)
