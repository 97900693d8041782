"""Where messages lie in buffers."""

from __future__ import annotations

import pytest

from pavane.io.formats.buffer_layout import BufferLayout
from tests.io.formats.pieced import cut, uneven


def test_blocks_of_one_size_are_numbered_by_processor() -> None:
    """Without sizes block p belongs to processor p, whether it is used or not."""
    layout = BufferLayout(cut("ring:4", "mns", 2).problem)
    assert (layout.inputs.num_blocks, layout.outputs.num_blocks, layout.pieces) == (4, 4, 2)
    assert (layout.inputs.start(0, 3), layout.outputs.start(3, 2)) == (3, 2)
    assert {delivery.units for delivery in layout.deliveries()} == {1}


def test_blocks_of_several_sizes_follow_each_other() -> None:
    """With sizes each block begins where the one before ends, and what is not sent takes no room."""
    layout = BufferLayout(cut("ring:4", "aas", 1, uneven("aas", 4)).problem)
    assert layout.inputs.starts[1] == [0, 1, 2, 3, 6]
    assert layout.outputs.starts[0] == [0, 1, 2, 4, 7]
    assert (layout.inputs.start(1, 3), layout.outputs.start(0, 2)) == (3, 2)


@pytest.mark.parametrize("kind", ["aas", "aab", "aar"])
def test_deliveries_fill_the_buffers(kind: str) -> None:
    """All deliveries together are the buffers of all processors, without gaps."""
    layout = BufferLayout(cut("ring:4", kind, 1, uneven(kind, 4)).problem)
    for processor in range(4):
        read = {d.source + unit for d in layout.deliveries() if d.origin == processor for unit in range(d.units)}
        written = {d.sink + unit for d in layout.deliveries() if d.target == processor for unit in range(d.units)}
        assert read == set(range(layout.inputs.starts[processor][-1]))
        assert written == set(range(layout.outputs.starts[processor][-1]))
