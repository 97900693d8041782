"""The genes of HGSA: every sequence of steps is as likely, and counters say what genes use."""

from collections import Counter

import numpy as np
import pytest

from pavane.model.problem import Rules
from pavane.solvers.evolutionary.annealers import counted
from pavane.solvers.evolutionary.kernels.hops import draw_steps
from tests.jit.annealing import CASES, assert_counters_are_right, new_states, prepared


@pytest.mark.parametrize(("spec", "kind", "num_steps", "rules"), CASES)
def test_counters_say_what_genes_use(spec: str, kind: str, num_steps: int, rules: Rules) -> None:
    """Counted by the interpreter or by machine code, random solutions have the counters that their genes say."""
    search, annealers, counters = prepared(spec, kind, num_steps, rules)
    assert_counters_are_right(search, annealers, counters)
    for one, other in zip(counters, counted(search, annealers), strict=True):
        assert np.array_equal(one, other)


@pytest.mark.parametrize("at_once", [False, True])
def test_step_sequences_are_even(at_once: bool) -> None:
    """Every ascending sequence of steps comes equally often; with the first channel at once it starts with step 1."""
    state = new_states(1, seed=9)[0]
    steps = np.zeros((1, 3), dtype=np.int32)
    seen: Counter[tuple[int, ...]] = Counter()
    number = 10 if not at_once else 6
    for _ in range(500 * number):
        draw_steps(3, 5, at_once, steps, 0, state)
        seen[tuple(steps[0].tolist())] += 1
    assert len(seen) == number
    for sequence, times in seen.items():
        assert sequence == tuple(sorted(set(sequence)))
        assert sequence[0] == 0 or not at_once
        assert abs(times - 500) < 120
