"""The kernel that packs paths takes no slot twice, compiled and uncompiled alike."""

from __future__ import annotations

import numpy as np

from pavane.jit import compiled
from pavane.solvers.kernels.path_packing import PackedPaths, PackingState, PathItems, pack_paths


def packed(hops: list[list[int]], num_slots: int, *, is_compiled: bool = False) -> tuple[int, PackedPaths, PathItems]:
    """Pack paths along two pairs, which add 1 and 2 to a phase; every other path goes down along the second."""
    counts = np.array(hops)
    ways = np.ones_like(counts)
    ways[1::2, 1] = -1
    offsets = np.concatenate([[0], np.cumsum(counts.sum(axis=1))])
    ranks = np.argsort(-counts, axis=1, kind="stable")
    items = PathItems(counts, ways, ranks, offsets, np.array([1, 2]), num_slots, 5)
    state = PackingState(
        np.zeros((2, num_slots), dtype=bool),
        np.zeros(2, dtype=np.int64),
        np.zeros(2, dtype=np.int64),
        np.zeros(int((counts + 1).prod(axis=1).max()) + 1, dtype=np.int64),
        np.arange(len(counts)),
    )
    stages, phases = np.zeros((2, len(counts)), dtype=np.int64)
    out = PackedPaths(stages, phases, np.zeros(offsets[-1], dtype=np.int32))
    kernel = compiled(pack_paths) if is_compiled else pack_paths
    return kernel(items, state, out), out, items


def test_no_slot_is_used_twice() -> None:
    """Walked again hop by hop, all paths of a stage use different slots of each pair, and have the hops they must."""
    hops = [[4, 3], [3, 3], [4, 1], [2, 3], [1, 4], [2, 2], [3, 0], [0, 2], [1, 1], [1, 0]]
    num_stages, out, items = packed(hops, 7)
    used = set()
    for path, (x, y) in enumerate(hops):
        letters = out.letters[items.offsets[path] : items.offsets[path + 1]].tolist()
        assert (letters.count(0), letters.count(1)) == (x, y)
        phase = int(out.phases[path])
        for pair in letters:
            way = int(items.ways[path, pair])
            used.add((int(out.stages[path]), pair, way * phase % 7))
            phase -= way * int(items.advances[pair])
    assert len(used) == sum(map(sum, hops))
    assert num_stages == out.stages.max() + 1
    assert num_stages >= 3  # 21 and 19 slots, 7 in a stage


def test_a_path_that_no_stage_has_room_for() -> None:
    """A run that comes round to its first phase fits nowhere."""
    assert packed([[0, 3]], 4)[0] == -1


def test_compiled_as_uncompiled() -> None:
    """Machine code packs as the source does."""
    hops = [[3, 3], [4, 1], [2, 3], [1, 2], [3, 0], [0, 2]]
    one, other = packed(hops, 5), packed(hops, 5, is_compiled=True)
    assert one[0] == other[0]
    assert all(np.array_equal(mine, theirs) for mine, theirs in zip(one[1], other[1], strict=True))
