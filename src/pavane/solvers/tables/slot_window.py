"""Puts words of channel kinds into a window of slots, so that no kind is used twice in a slot: first fit, many times.

A word that starts in slot t uses its i-th kind in slot t + i. The slots in which a kind is used are the bits of a
number, so that all slots in which a word may start are found by shifts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from pavane.solvers.step_table import EVERY_STEP, TakenSteps, first_step

Word = tuple[int, ...]

NUM_ORDERS = 24
"""Orders in which words are packed: more take longer, and shorten windows by a slot at most."""

SHUFFLE = 8
"""By how much the length of a word may be misjudged in the order of lengths."""


class Placed(NamedTuple):
    """Where words stand in a window: the first slot and the chosen word of each entry."""

    num_slots: int
    starts: list[int]
    words: list[Word]


def packed(choices: Sequence[Sequence[Word]], num_kinds: int, rng: np.random.Generator) -> Placed:
    """Return the shortest window that is found for one word of each choice, long ones first, in several orders."""
    lengths = np.array([len(words[0]) for words in choices], dtype=np.int64)
    least = -(-int(lengths.sum()) // num_kinds)
    best = Placed(int(lengths.sum()) + 1, [], [])
    for number in range(NUM_ORDERS):
        order = np.argsort(rng.random(len(choices)) * (1 + number % SHUFFLE) - lengths, kind="stable")
        placed = _first_fit(choices, num_kinds, order.tolist(), rng)
        best = min(best, placed, key=lambda each: each.num_slots)
        if best.num_slots == least:
            break
    return best


def _first_fit(choices: Sequence[Sequence[Word]], num_kinds: int, order: list[int], rng: np.random.Generator) -> Placed:
    """Return the words one after the other, each as early as one of its choices can start."""
    taken = TakenSteps([1] * num_kinds)
    starts, chosen = [0] * len(choices), [words[0] for words in choices]
    for number in order:
        words = choices[number]
        firsts = []
        for word in words:
            free = EVERY_STEP
            for position, kind in enumerate(word):
                free &= taken.free[kind] >> position
            firsts.append(first_step(free))
        start = min(firsts)
        early = [word for word, first in zip(words, firsts, strict=True) if first == start]
        word = early[int(rng.random() * len(early))]
        for position, kind in enumerate(word):
            taken.take_unit(kind, start + position)
        starts[number], chosen[number] = start, word
    return Placed(max((~free).bit_length() for free in taken.free), starts, chosen)
