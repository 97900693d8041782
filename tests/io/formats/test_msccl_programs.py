"""Sums in the buffers of programs: followed, and held against the running sums of an allreduce."""

from __future__ import annotations

import pytest

from pavane.errors import InputError
from pavane.io.files import File
from pavane.io.formats.msccl_programs import Address, Marks, Operation, check_sums

FILE = File.of(b"x", "p.xml")
START: dict[Address, tuple[int, ...]] = {(gpu, "i", 0): (0, 0) for gpu in range(3)}
PIECE = (0, 0)


def sent(gpu: int, receiver: int, begun: int, kind: str) -> tuple[Operation, Operation]:
    """Return a send of the piece in a step, and the operation that receives it."""
    here: Address = (gpu, "i", 0)
    there: Address = (receiver, "i", 0)
    send = Operation(gpu, "s", here, here, 1, receiver=receiver, begun=begun)
    return send, Operation(receiver, kind, there, there, 1, partner=send, begun=begun + 1)


def judged(*pairs: tuple[Operation, Operation]) -> list[Marks]:
    """Return what the sends carry, as far as it counts."""
    ordered = [op for pair in pairs for op in pair]
    return [marks for _, marks in check_sums(FILE, START, ordered, [(send, [PIECE]) for send, _ in pairs])]


def test_sums_that_are_kept_count() -> None:
    """Two are added at the third, and the whole comes back."""
    up = [sent(1, 0, 0, "rrc"), sent(2, 0, 1, "rrc")]
    down = [sent(0, 1, 2, "r"), sent(0, 2, 2, "r")]
    assert judged(*up, *down) == [[PIECE]] * 4


def test_what_is_overwritten_does_not_count() -> None:
    """Who takes a part of the sum for the whole has lost its own."""
    assert judged(sent(1, 0, 0, "r")) == [[None]]


def test_what_counts_twice_does_not_count() -> None:
    """The same contribution is added again."""
    assert judged(sent(1, 0, 0, "rrc"), sent(1, 0, 1, "rrc")) == [[None], [None]]


def test_another_sum_than_the_running_one_is_refused() -> None:
    """What came to the GPU is not in what it sends."""
    with pytest.raises(InputError, match=r"p.xml, GPU 0, .* a sum of 1 contributions where 2 have come to it"):
        judged(sent(1, 0, 0, "rrs"), sent(0, 2, 1, "rrc"))
