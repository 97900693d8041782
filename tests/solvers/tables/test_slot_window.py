"""Windows of slots: no kind is used twice in a slot, and no slot is idle where words fit each other."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pavane.solvers.tables.slot_window import packed

WORDS = st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=6).map(tuple), min_size=1, max_size=12)


@given(WORDS, st.integers(0, 9))
def test_no_kind_is_used_twice_in_a_slot(words: list[tuple[int, ...]], seed: int) -> None:
    """Each entry has one of its words, within the window, and all uses of kinds differ."""
    choices = [[word, word[::-1]] for word in words]
    placed = packed(choices, 4, np.random.default_rng(seed))
    assert all(word in choice for word, choice in zip(placed.words, choices, strict=True))
    entries = zip(placed.starts, placed.words, strict=True)
    uses = [(start + at, kind) for start, word in entries for at, kind in enumerate(word)]
    assert len(set(uses)) == len(uses)
    assert max(slot for slot, _ in uses) == placed.num_slots - 1


def test_words_that_complete_each_other_leave_no_slot_idle() -> None:
    """A word and its cyclic shifts fill as many slots as the word has letters."""
    words = [(0, 1, 2), (1, 2, 0), (2, 0, 1)]
    assert packed([[word] for word in words], 3, np.random.default_rng(0)).num_slots == 3


def test_a_word_that_fits_is_chosen() -> None:
    """Of two words of an entry, the one that starts earlier is taken."""
    placed = packed([[(0, 0)], [(0, 1), (1, 0)]], 2, np.random.default_rng(0))
    assert placed.num_slots == 3 or placed.words[1] == (1, 0)
