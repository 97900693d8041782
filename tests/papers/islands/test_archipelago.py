"""What islands of all algorithms share: the states of generators."""

from __future__ import annotations

import numpy as np
from papers.islands.archipelago import state_of


def test_the_state_of_a_generator_is_six_words() -> None:
    """The state and the step in two words each, half a word and whether there is one."""
    rng = np.random.default_rng(3)
    before = state_of(rng)
    rng.integers(0, 2**32, dtype=np.uint32)
    after = state_of(rng)
    assert before.shape == (6,)
    assert before[2:4].tolist() == after[2:4].tolist()
    assert before[:2].tolist() != after[:2].tolist()
    assert (int(before[5]), int(after[5])) == (0, 1)
