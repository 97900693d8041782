"""Steps of sums along trees: compiled as uncompiled, and every rule kept."""

import numpy as np

from pavane.jit.compiling import compiled
from pavane.solvers.allreduce.kernels.tree_sums import Sendings, TreeArrivals, place_sums


def test_compiled_as_uncompiled() -> None:
    """On random trees both give the same steps; each sending follows those it waits for, and no unit is overfull."""
    rng = np.random.default_rng(0)
    for size in (3, 6, 9):
        parents = [int(rng.integers(child)) for child in range(1, size)]
        there = [(child, parent) for child, parent in enumerate(parents, 1)]
        ways = there + [(b, a) for a, b in there]
        units = rng.integers(4, size=(len(ways), 2)).astype(np.int32)
        units[:, 1] = np.where(units[:, 1] == units[:, 0], -1, units[:, 1])
        ends = np.array(ways, np.int32)
        sendings = Sendings(ends[:, 0].copy(), ends[:, 1].copy(), units)
        # Children send first, the last of them before all, then parents back.
        order = np.array([*range(len(there) - 1, -1, -1), *range(len(there), len(ways))])
        capacity = np.array([1, 2, 1, 1], np.int32)
        found = []
        for kernel in (place_sums, compiled(place_sums)):
            arrivals = TreeArrivals(np.zeros(size, np.int32), np.full(size, -1, np.int32), np.zeros(size, np.int32))
            steps, loads = np.zeros(len(ways), np.int32), np.zeros((40, 4), np.int32)
            assert kernel(order, sendings, arrivals, capacity, loads, steps)
            assert (loads <= capacity).all()
            found.append(steps.tolist())
        assert found[0] == found[1]
        for (sender, receiver), step in zip(ways, found[0], strict=True):
            before = [s for (a, b), s in zip(ways, found[0], strict=True) if b == sender and a != receiver]
            assert step > max(before, default=-1)


def test_too_few_steps() -> None:
    """What does not fit into the steps there are is told."""
    sendings = Sendings(np.array([0, 1], np.int32), np.array([1, 0], np.int32), np.zeros((2, 1), np.int32))
    for num_steps in (1, 2):
        arrivals = TreeArrivals(np.zeros(2, np.int32), np.full(2, -1, np.int32), np.zeros(2, np.int32))
        loads = np.zeros((num_steps, 1), np.int32)
        fits = place_sums(np.arange(2), sendings, arrivals, np.ones(1, np.int32), loads, np.zeros(2, np.int32))
        assert fits == (num_steps == 2)
