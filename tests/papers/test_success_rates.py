"""Success rates of gecco07 Table 2."""

from __future__ import annotations

from itertools import islice

from pavane.papers.gecco07 import HYPERCUBES
from pavane.papers.success_rates import EVALUATIONS, success_lines


def test_rates_stand_beside_rates() -> None:
    """Each line has counts, an interval, the paper's rate and the limit on evaluations."""
    first, second = islice(success_lines(runs=2), 2)
    assert (first.paper, first.ours, first.mark) == ("2 (100 %)", "2 / 2 of 2", "within")
    assert second.facts["most evaluations"] == 400_000
    assert (second.facts["interval"], second.facts["paper's success"]) == ("34-100 %", "100 %")
    assert (second.facts["method"], second.facts["paper's algorithm"]) == ("mboa", "MBOA")


def test_they_are_figures_of_the_table() -> None:
    """What is redone stands in Table 2."""
    assert all(kind in HYPERCUBES[dimension] for dimension, kind in EVALUATIONS)
