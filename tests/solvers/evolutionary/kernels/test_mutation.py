"""Mutation of chromosomes: swaps keep what they swap, and stay with one sender where they should."""

import numpy as np
import pytest

from pavane.solvers.evolutionary.kernels.bit_words import Key, key_of
from pavane.solvers.evolutionary.kernels.mutation import Mutation, mutate, vary_all
from tests.solvers.evolutionary.cases import encoding

KEY = Key(11, 12)


@pytest.mark.parametrize("within", [True, False])
def test_a_swap_exchanges_the_steps_of_two_messages(within: bool) -> None:
    """Without idle times the steps of all messages stay the same ones, and two at most change hands (gecco08 4.4)."""
    code = encoding("petersen", "AAS", 6)
    swap = Mutation(1.0, 0.0, within, False, 1)
    senders, crossed = code.genome.sender_of, 0
    for number, before in enumerate(code.founders(100, KEY)):
        after = before.copy()
        mutate(code.genome, swap, after, key_of(KEY, number))
        assert (after[::2] == before[::2]).all()
        assert sorted(after[1::2]) == sorted(before[1::2])
        changed = np.flatnonzero(after[1::2] != before[1::2])
        assert len(changed) in (0, 2)
        crossed += len(set(senders[changed].tolist())) == 2
    assert (crossed == 0) if within else (crossed > 50)


def test_a_swap_with_an_idle_time_may_move_a_message() -> None:
    """With idle times some messages go to a step that none of its sender's has given up."""
    code = encoding("petersen", "AAS", 9)
    swap = Mutation(1.0, 0.0, True, True, 1)
    moved = 0
    for number, before in enumerate(code.founders(100, KEY)):
        after = before.copy()
        mutate(code.genome, swap, after, key_of(KEY, number))
        moved += sorted(after[1::2]) != sorted(before[1::2])
    # Nine messages and 27 times: two swaps of three are with an idle time.
    assert 40 < moved < 90


def test_each_of_a_population_is_mutated_with_the_probability() -> None:
    """Some are and some are not, each by words of its own: as one that is mutated alone."""
    code = encoding("petersen", "AAS", 6)
    before = code.founders(200, KEY)
    after = before.copy()
    vary_all(code.genome, Mutation(0.5, 0.0, True, False, 1), after, KEY)
    changed = np.flatnonzero((after != before).any(axis=1))
    sure = Mutation(1.0, 0.0, True, False, 1)
    for row in changed.tolist():
        alone = before[row].copy()
        mutate(code.genome, sure, alone, key_of(KEY, row))
        assert (alone == after[row]).all()
    never = before.copy()
    vary_all(code.genome, Mutation(0.0, 0.0, True, False, 1), never, KEY)
    assert (never == before).all()
    assert 0 < len(changed) < 200


def test_a_path_changes_alone() -> None:
    """A mutation that does not swap draws one message's path anew, among all of its paths."""
    code = encoding("hypercube:3", "AAS", 4)
    change = Mutation(1.0, 1.0, True, False, 1)
    seen = set()
    for number, before in enumerate(code.founders(400, KEY)):
        after = before.copy()
        mutate(code.genome, change, after, key_of(KEY, number))
        assert (after[1::2] == before[1::2]).all()
        changed = np.flatnonzero(after[::2] != before[::2])
        assert len(changed) <= 1
        seen |= {int(after[2 * gene]) for gene in changed}
    assert seen == set(range(6))
