"""Interrupts wait until a block that must not be left half-way has ended."""

from __future__ import annotations

import signal

import pytest

from pavane.jit.interrupts import held_interrupts


def test_an_interrupt_is_raised_after_the_block() -> None:
    """Ctrl-C within the block lets it end, and is raised then."""
    ended = []

    def work() -> None:
        with held_interrupts():
            signal.raise_signal(signal.SIGINT)
            ended.append("block")

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            work()
    finally:
        signal.signal(signal.SIGINT, before)
    assert ended == ["block"]


def test_blocks_may_be_nested() -> None:
    """An interrupt within an inner block is raised when the outer one has ended."""
    ended = []

    def work() -> None:
        with held_interrupts():
            with held_interrupts():
                signal.raise_signal(signal.SIGINT)
            ended.append("outer block")

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            work()
    finally:
        signal.signal(signal.SIGINT, before)
    assert ended == ["outer block"]
