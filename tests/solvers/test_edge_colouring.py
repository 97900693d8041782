"""Open shops by colouring the edges of a bipartite multigraph."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pavane.solvers.edge_colouring import colour_operations

operations = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 3)), min_size=1, max_size=60)


@given(operations, st.integers(1, 8), st.integers(0, 3))
def test_a_shop_takes_the_fewest_steps(pairs: list[tuple[int, int]], most_at_once: int, extra: int) -> None:
    """No job and no machine has two operations in a step, no step has too many, and no step is more than needed."""
    jobs, machines = np.array(pairs).T
    degrees = [max(Counter(ends).values()) for ends in zip(*pairs, strict=True)]
    num_steps = max(*degrees, -(-len(pairs) // most_at_once))
    steps = colour_operations(jobs, machines, num_steps + extra, most_at_once)
    assert ((steps >= 0) & (steps < num_steps + extra)).all()
    for ends in (jobs, machines):
        assert len(set(zip(ends.tolist(), steps.tolist(), strict=True))) == len(pairs)
    assert np.bincount(steps).max() <= most_at_once
    if not extra:
        assert len(np.unique(steps)) == num_steps


def test_chains_are_turned_where_no_step_is_free_at_both_ends() -> None:
    """Two jobs on three machines: the last operation fits only if an earlier one moves."""
    jobs, machines = np.array([0, 1, 0, 1, 2, 2]), np.array([0, 1, 1, 2, 0, 2])
    steps = colour_operations(jobs, machines, 2, 3)
    assert sorted(zip(jobs.tolist(), steps.tolist(), strict=True)) == [(j, s) for j in range(3) for s in range(2)]


@pytest.mark.parametrize("size", [3, 8, 17])
def test_a_complete_shop_has_a_latin_square(size: int) -> None:
    """Every job on every machine once takes as many steps as there are, and each is full."""
    jobs, machines = np.indices((size, size)).reshape(2, -1)
    assert np.bincount(colour_operations(jobs, machines, size, size)).tolist() == [size] * size
