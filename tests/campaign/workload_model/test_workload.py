"""Workloads as values: names, loops and sizes."""

from __future__ import annotations

import pytest

from pavane.campaign.workload_model.workload import Sizes, repeated
from pavane.campaign.workload_model.workload_file import workload
from pavane.errors import InputError

NESTED = {
    "workload": 1,
    "name": "nested",
    "parameters": {"n": "P*2", "m": "n+1"},
    "phases": [
        {"compute": "1us", "times": "n"},
        {"loop": 3, "phases": [{"compute": "2us"}, {"loop": "m", "phases": [{"compute": "3us", "times": 2}]}]},
    ],
}


def test_loops_multiply() -> None:
    """What stands in loops is carried out as often as all of them say."""
    mine = workload(NESTED)
    names = mine.names((1, 2))
    assert [times for _, times in repeated(mine.phases, names)] == [4, 3, 3 * 5 * 2]
    assert len(list(mine.leaves)) == 3
    assert repr(mine) == "<Workload: nested, 3 phases>"


def test_given_values_go_before_the_files() -> None:
    """A parameter that is given changes those that follow from it."""
    mine = workload(NESTED)
    assert mine.names((1, 2), {"n": 10})["m"] == 11
    with pytest.raises(InputError, match="workload nested has no parameter 'k'; it has n, m"):
        mine.names((1, 2), {"k": 1})


def test_factors_of_sizes_are_used_in_turn() -> None:
    """Units by sender and by receiver multiply; a table says each."""
    sizes = Sizes((), (1, 2), (3, 0, 1))
    assert [sizes.units(1, receiver) for receiver in range(4)] == [6, 0, 2, 6]
    assert Sizes(((0, 7), (5, 0))).units(1, 0) == 5


def test_equal_workloads_are_equal() -> None:
    """They are values, and can stand in sets."""
    assert workload(NESTED) == workload(dict(NESTED))
    assert len({workload(NESTED), workload(dict(NESTED))}) == 1
