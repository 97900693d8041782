"""A judge without one of its rules is noticed."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from fuzzing.rules_off import FUNCTIONS, KEPT, switched_off
from fuzzing.spoiled import disagreement

from pavane.judge.rules import RULES, verify
from tests.judge import test_several_rules as of_several
from tests.judge.test_hold_rules import SMALLEST as SMALLEST_TIMED
from tests.judge.test_rules import SMALLEST
from tests.judge.test_timed_order import CIRCLES
from tests.judge.test_trees import is_counted_one_by_one
from tests.timed_cases import schedule_of

OF_SUMS = tuple(function for function in FUNCTIONS if function.startswith("sum_rules."))
"""Rules of allreduces have no smallest schedules; spoiled ones tell."""

OF_SEVERAL = (
    of_several.test_a_channel_carries_one,
    of_several.test_links_and_ports_are_shared,
    of_several.test_a_collective_may_pause_and_the_whole_may_not,
    of_several.test_messages_of_no_collective,
)


def fails(test: Callable[[], None]) -> bool:
    """Whether a test notices something."""
    try:
        test()
    except AssertionError:
        return True
    return False


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_rule_that_is_switched_off_is_missed(function: str) -> None:
    """Some smallest schedule that breaks a rule passes then; or the other judge sees more."""
    with switched_off(function):
        is_missed = any(verify(case.problem, case.schedule) != [case.verdict] for case in SMALLEST)
        timed = [(problem, transfers) for problem, transfers, _ in SMALLEST_TIMED] + [*CIRCLES]
        is_missed = is_missed or any(not verify(problem, schedule_of(*transfers)) for problem, transfers in timed)
        if function in OF_SUMS:
            is_missed = any(disagreement(0, number) is not None for number in range(400))
        if function.startswith("trees."):
            is_missed = not is_counted_one_by_one(function.removeprefix("trees."))
        if function.startswith("several_rules."):
            is_missed = any(fails(test) for test in OF_SEVERAL)
    assert is_missed


def test_the_kept_table_has_a_test_for_every_rule() -> None:
    """It was made with the rules of today."""
    text = KEPT.read_text(encoding="utf-8")
    assert all(f"| `{function}` |" in text for function in FUNCTIONS)
    assert "none" not in text
    assert len(FUNCTIONS) >= len(RULES)
