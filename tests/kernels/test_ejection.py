"""The ejection kernel: its books agree with a recount, and machine code does what the source says."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from pavane.kernels import compiled
from pavane.kernels.ejection import eject_search
from pavane.model.collectives import alltoall
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.solvers.candidates import Candidates, candidate_paths

CASES = [
    ("ring:6", 5, Rules()),
    ("octagon", 8, Rules(ports=2)),
    ("fat-octagon:2", 17, Rules(ports=1)),
    ("mesh:3x3", 6, Rules()),
]


def state(candidates: Candidates, num_steps: int) -> dict[str, Any]:
    """Make the arrays of an empty schedule."""
    size = len(candidates.messages)
    return {
        "first_slot": np.concatenate(([0], np.cumsum(candidates.capacity)[:-1])),
        "capacity": candidates.capacity,
        "occupant": np.full((int(candidates.capacity.sum()), num_steps), -1, dtype=np.int32),
        "step_of": np.full(size, -1, dtype=np.int64),
        "path_of": np.full(size, -1, dtype=np.int64),
        "weights": np.ones(size),
        "outside": np.arange(size),
    }


def searched(
    kernel: Any, candidates: Candidates, books: dict[str, Any], num_outside: int, moves: int, seed: int
) -> tuple[int, int]:
    """Run a kernel on the books."""
    made: tuple[int, int] = kernel(
        candidates.first_path,
        candidates.unit_offsets,
        candidates.units,
        candidates.shifts,
        candidates.tolls,
        *books.values(),
        num_outside,
        moves,
        np.random.default_rng(seed),
    )
    return made


def prepared(spec: str, rules: Rules) -> Candidates:
    """List the paths of all-to-all scatter."""
    made = network(spec)
    return candidate_paths(Problem(made, alltoall(made), rules), np.random.default_rng(0))


@pytest.mark.parametrize(("spec", "num_steps", "rules"), CASES)
def test_the_books_agree_with_a_recount(spec: str, num_steps: int, rules: Rules) -> None:
    """After a thousand moves every slot holds whom the placements say, and who is outside has no place."""
    candidates = prepared(spec, rules)
    books = state(candidates, num_steps)
    size = len(candidates.messages)
    _, left = searched(eject_search, candidates, books, size, 1000, seed=1)
    assert sorted(books["outside"][:left]) == np.flatnonzero(books["step_of"] < 0).tolist()
    expected: Counter[tuple[int, int, int]] = Counter()
    for message in np.flatnonzero(books["step_of"] >= 0):
        path, step = books["path_of"][message], books["step_of"][message]
        assert candidates.first_path[message] <= path < candidates.first_path[message + 1]
        for unit in candidates.units[candidates.unit_offsets[path] : candidates.unit_offsets[path + 1]]:
            expected[int(unit), int(step), int(message)] += 1
    found: Counter[tuple[int, int, int]] = Counter()
    for unit, first in enumerate(books["first_slot"]):
        for slot in range(first, first + candidates.capacity[unit]):
            for step in range(num_steps):
                if books["occupant"][slot, step] >= 0:
                    found[unit, step, int(books["occupant"][slot, step])] += 1
    assert found == expected


@pytest.mark.parametrize(("spec", "num_steps", "rules"), CASES)
def test_machine_code_does_what_the_source_says(spec: str, num_steps: int, rules: Rules) -> None:
    """Compiled and uncompiled make the same moves from the same generator."""
    candidates = prepared(spec, rules)
    plain, machine = state(candidates, num_steps), state(candidates, num_steps)
    size = len(candidates.messages)
    assert searched(eject_search, candidates, plain, size, 300, 7) == searched(
        compiled(eject_search), candidates, machine, size, 300, 7
    )
    for name, column in plain.items():
        assert np.array_equal(column, machine[name]), name
