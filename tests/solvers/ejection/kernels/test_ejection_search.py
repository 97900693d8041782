"""The ejection kernel: its books agree with a recount, and machine code does what the source says."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from pavane.jit import compiled
from pavane.model.problem import Rules
from pavane.solvers.candidates import Candidates, PathFinder, candidate_paths
from pavane.solvers.ejection.assignment import CandidateAssignment
from pavane.solvers.ejection.kernels.ejection_search import insert_all
from pavane.solvers.ejection.kernels.lanes import PartialAssignment
from tests.problems import problem_of

CASES = [
    ("ring:6", 5, Rules()),
    ("octagon", 8, Rules(ports=2)),
    ("fat-octagon:2", 17, Rules(ports=1)),
    ("mesh:3x3", 6, Rules()),
    ("ring:6", 40, Rules("tdm", ports=1, packet_slots=2, wrap=False)),
]


def begun(candidates: Candidates, num_steps: int) -> CandidateAssignment:
    """Return an empty schedule."""
    assignment = CandidateAssignment(candidates, num_steps)
    assignment.partial.outside[:] = np.arange(len(candidates.messages))
    return assignment


def prepared(spec: str, rules: Rules) -> Candidates:
    """List the paths of all-to-all scatter."""
    problem = problem_of(spec, "AAS", rules)
    return candidate_paths(problem, PathFinder(problem, np.random.default_rng(0)))


@pytest.mark.parametrize("is_shifted", [False, True])
@pytest.mark.parametrize(("spec", "num_steps", "rules"), CASES)
def test_the_books_agree_with_a_recount(spec: str, num_steps: int, rules: Rules, is_shifted: bool) -> None:
    """After a thousand moves every lane holds whom the steps and paths say, and who is outside has no step.

    Shifted, a path uses its units in steps of their own, some of them against time, and after the last step comes the
    first; some paths have a toll, and some must not start in some steps.
    """
    candidates, rng = prepared(spec, rules), np.random.default_rng(5)
    if is_shifted and not rules.has_slots:  # slots have shifts of their own
        # A unit that is used twice would be counted once, so a path runs with time or against it.
        is_turned = np.repeat(rng.random(len(candidates.tolls)) < 0.5, np.diff(candidates.unit_offsets))
        shifts = rng.integers(0, num_steps, len(candidates.units)).astype(candidates.shifts.dtype)
        barred = rng.integers(-1, num_steps, (len(candidates.tolls), 2))
        tolls = rng.choice([0.0, 0.75, 1.5], len(candidates.tolls))
        candidates = replace(candidates, shifts=np.where(is_turned, ~shifts, shifts), tolls=tolls, barred=barred)
    assignment = begun(candidates, num_steps)
    paths, partial = assignment.choices, assignment.partial
    rng = np.random.default_rng(1)
    _, left = insert_all(assignment.lanes, paths, partial, len(partial.outside), 1000, rng)
    assert sorted(partial.outside[:left]) == np.flatnonzero(assignment.step_of < 0).tolist()
    expected: Counter[tuple[int, int, int]] = Counter()
    for message in np.flatnonzero(assignment.step_of >= 0):
        path, step = assignment.path_of[message], assignment.step_of[message]
        assert candidates.first_path[message] <= path < candidates.first_path[message + 1]
        assert step not in paths.barred[path]
        uses = slice(candidates.unit_offsets[path], candidates.unit_offsets[path + 1])
        for unit, shift in zip(candidates.units[uses].tolist(), candidates.shifts[uses].tolist(), strict=True):
            when = step + shift if shift >= 0 else -1 - shift - step
            expected[unit, int(when) % num_steps, int(message)] += 1
    found: Counter[tuple[int, int, int]] = Counter()
    unit_of_lane = np.repeat(np.arange(len(candidates.capacity)), candidates.capacity).tolist()
    for lane, unit in enumerate(unit_of_lane):
        for step in range(num_steps):
            if partial.occupant[lane, step] >= 0:
                found[unit, step, int(partial.occupant[lane, step])] += 1
    assert found == expected


@pytest.mark.parametrize(("spec", "num_steps", "rules"), CASES)
def test_machine_code_does_what_the_source_says(spec: str, num_steps: int, rules: Rules) -> None:
    """Compiled and uncompiled make the same moves from the same generator."""
    candidates = prepared(spec, rules)
    outcomes = []
    for search in (insert_all, compiled(insert_all)):
        assignment = begun(candidates, num_steps)
        lanes, paths, partial = assignment.lanes, assignment.choices, assignment.partial
        counts = search(lanes, paths, partial, len(partial.outside), 300, np.random.default_rng(7))
        outcomes.append((counts, partial))
    (plain, by_source), (machine, by_machine) = outcomes
    assert plain == machine
    for name, column, other in zip(PartialAssignment._fields, by_source, by_machine, strict=True):
        assert np.array_equal(column, other), name
