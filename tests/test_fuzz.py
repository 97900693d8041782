"""Random problems of every kind, examined from every side; `python -m tests.fuzz` examines as many as one likes."""

from __future__ import annotations

import pytest

from pavane.model.messages import PATTERN_OF
from tests.fuzz import drawn_problem, examined, main


@pytest.mark.parametrize("first", range(0, 96, 8))
def test_no_random_problem_gets_a_wrong_word(first: int) -> None:
    """No crash, no invalid schedule, no false claim, no lost answer; how long it took depends on the machine."""
    for number in range(first, first + 8):
        closely = number % 8 in (0, 2)
        found = examined(drawn_problem(5, number), number, limit=0.5, most_tried=10_000, closely=closely)
        assert [line for line in found.failures if not line.startswith("overrun")] == [], found.text


def test_all_kinds_and_rules_are_drawn() -> None:
    """All collectives and rules are there, fat routers, pure switches and one-way links."""
    drawn = [drawn_problem(0, number) for number in range(300)]
    assert {problem.collective.kind for problem in drawn} == set(PATTERN_OF)
    for rule, values in (
        ("switching", {"wormhole", "store-and-forward"}),
        ("switches", {"hold", "pass"}),
        ("ports", {"all", 1, 2, 3}),
        ("duplex", {"full", "half"}),
        ("routing", {"minimal", "any", "dimension-order", "west-first", "north-last"}),
        ("combining", {False, True}),
    ):
        assert {getattr(problem.rules, rule) for problem in drawn} == values
    processors = {len(those) for problem in drawn for those in problem.network.processors_on}
    assert {0, 1, 2} <= processors
    assert any((problem.network.opposite < 0).any() for problem in drawn)


def test_the_command_counts_what_it_saw(capsys: pytest.CaptureFixture[str]) -> None:
    """The command prints its figures and succeeds where nothing was wrong."""
    assert main(["--problems", "2", "--seed", "5", "--tries", "1000", "--time", "5"]) == 0
    assert '"problems": 2' in capsys.readouterr().out
