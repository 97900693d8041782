"""Interrupts wait until a block that must not be left half-way has ended."""

import signal

import pytest

from pavane.jit.interrupts import held_interrupts


@pytest.mark.parametrize("depth", [1, 2])
def test_an_interrupt_is_raised_after_the_block(depth: int) -> None:
    """Ctrl-C within a block, or within one inside it, lets the outermost block end, and is raised then."""
    ended = []

    def work(depth: int) -> None:
        with held_interrupts():
            if depth > 1:
                work(depth - 1)
            else:
                signal.raise_signal(signal.SIGINT)
            ended.append(depth)

    with pytest.raises(KeyboardInterrupt):
        work(depth)
    assert ended == list(range(1, depth + 1))


def test_without_an_interrupt_nothing_is_raised() -> None:
    """The handlers are the same after the block as before it."""
    before = signal.getsignal(signal.SIGINT)
    with held_interrupts():
        assert signal.getsignal(signal.SIGINT) is not before
    assert signal.getsignal(signal.SIGINT) is before
