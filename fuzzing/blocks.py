"""What a campaign does, cut into blocks: each can be made anywhere, and is the same wherever it is made."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from fuzzing.cross_checks import failures_of_check
from fuzzing.examinations import Found, examined, glanced_at
from fuzzing.executions import failure_of_execution
from fuzzing.files import failure_of, mutated_file, shortest_failing
from fuzzing.forged import Answer
from fuzzing.joint import examined_joint
from fuzzing.minimal import smallest_failing, test_of
from fuzzing.problems import drawn_problem, drawn_slots, drawn_trees
from fuzzing.spoiled import disagreement
from fuzzing.tables import failure_of_table
from fuzzing.timed import examined_timed
from pavane.model.problem import Problem

Draw = Callable[[int, int], Problem]
Examine = Callable[[int, int], Answer]

LIMIT = 0.3
"""Seconds for a search of a problem that is examined closely."""

GLANCE = 0.02
"""Seconds for a search of any other."""

CLOSELY = 250
"""Of so many problems one is any problem, not a small one, and is examined from every side."""

TRIED = 3_000
"""States that the search for the shortest period of a tdm problem may look at."""

EXECUTED = 2_000
"""Of so many problems the schedule of one is executed by MPI processes."""


@dataclass
class Seen:
    """What a block came to."""

    counts: Counter[str] = field(default_factory=Counter)
    failures: list[tuple[int, str]] = field(default_factory=list)
    """The number of what failed, and how."""

    def add(self, number: int, failure: str | None, **counts: int) -> None:
        """Count one more."""
        self.counts.update(counts)
        if failure is not None:
            self.failures.append((number, failure))


@dataclass(frozen=True)
class Kind:
    """A kind of work: how many of it a block has, how one is looked at, and what test is made of one that fails."""

    size: int
    look: Callable[[int, int, Seen], None]
    make_test: Callable[[int, int, str], str]


def problem_of(seed: int, number: int) -> Problem:
    """Return problem number n of a campaign: small, but for one of some hundreds."""
    return drawn_problem(seed, number, is_small=number % CLOSELY != 0)


def found_of(problem: Problem, number: int, times: float = 1.0) -> Found:
    """Look at a problem as closely as its number says, perhaps with some times the usual limit."""
    if number % CLOSELY == 0:
        return examined(problem, 2 * number, LIMIT * times, 5_000)
    return glanced_at(problem, number, GLANCE * times, 300 if number % 4 == 0 else 0)


def _look_at_problem(seed: int, number: int, seen: Seen) -> None:
    problem = problem_of(seed, number)
    found = found_of(problem, number)
    if found.failures and all(line.startswith(("lost answer", "overrun")) for line in found.failures):
        found = found_of(problem, number, 10.0)  # a machine that was busy with other things, perhaps
    seen.add(number, None, problems=1, closely=number % CLOSELY == 0, schedules=found.steps is not None)
    seen.add(number, None, optimal=found.status == "optimal", optima=found.optimum is not None)
    for line in found.failures:
        seen.add(number, line)
    if number % EXECUTED == EXECUTED - 1:
        failure = failure_of_execution(problem, number)
        if failure is not None:
            seen.add(number, failure or None, executed=1)


def _look_at_file(seed: int, number: int, seen: Seen) -> None:
    sample, data = mutated_file(seed, number)
    failure = failure_of(sample, data, is_forced=number % 3 == 0)
    seen.add(number, None if failure is None else f"{failure} ({sample.name})", files=1)


def _look_at_schedule(seed: int, number: int, seen: Seen) -> None:
    seen.add(number, disagreement(seed, number), spoiled=1)


def _look_at_drawn(draw: Draw, count: Callable[[Found], dict[str, int]], seed: int, number: int, seen: Seen) -> None:
    """Examine the answer to a problem and its optimum, and compare the judges on a mutated schedule of it."""
    problem = draw(seed, number)
    found = glanced_at(problem, number, GLANCE, TRIED)
    if found.failures and all(line.startswith(("lost answer", "overrun")) for line in found.failures):
        found = glanced_at(problem, number, 10 * GLANCE, TRIED)  # the machine may have been busy
    seen.add(number, None, **count(found))
    for line in (*found.failures, disagreement(seed, number, problem)):
        seen.add(number, line)


def _counts_of_slots(found: Found) -> dict[str, int]:
    return {"slots": 1, "periods": found.optimum is not None}


def _counts_of_trees(found: Found) -> dict[str, int]:
    known = found.optimum is not None
    counts = {"trees": 1, "trees_optimal": found.status == "optimal", "tree_optima": known}
    return {**counts, "tree_optima_met": known and found.optimum == found.steps}


def _look_at_table(seed: int, number: int, seen: Seen) -> None:
    seen.add(number, failure_of_table(seed, number), tables=1)


def _look_at_answer(examine: Examine, names: tuple[str, str, str], seed: int, number: int, seen: Seen) -> None:
    """Examine a problem; `names` are those of its counts: the kind, those with a known optimum, a prefix for these."""
    kind, known, prefix = names
    found = examine(seed, number)
    counts = {kind: 1, f"{kind}_optimal": found.is_optimal}
    if found.optimum is not None:
        met, proven = found.value == found.optimum, found.bound == found.optimum
        counts |= {known: 1, f"{prefix}_met": met, f"{prefix}_proven": proven}
    seen.add(number, None, **counts)
    for line in found.failures:
        seen.add(number, line)


def _look_at_check(seed: int, number: int, seen: Seen) -> None:
    seen.add(number, None, checks=1)
    for line in failures_of_check(seed, number):
        seen.add(number, line)


def _test_of_problem(seed: int, number: int, failure: str) -> str:
    kind = failure.split(":")[0]

    def is_failing(problem: Problem) -> bool:
        return any(line.split(":")[0] == kind for line in found_of(problem, number).failures)

    problem = problem_of(seed, number)
    if is_failing(problem):
        problem = smallest_failing(problem, is_failing)
    return test_of(problem, failure, seed, number, LIMIT)


FILE_TEST = '''"""{failure}"""

from fuzzing.files import Sample, failure_of

DATA = {data!r}


def test_file_{number}_of_seed_{seed}() -> None:
    """It is read, or refused in one line."""
    sample = Sample({name!r}, DATA, {kind!r}, {form!r})
    assert failure_of(sample, DATA, is_forced={is_forced}) is None
'''


def _test_of_file(seed: int, number: int, failure: str) -> str:
    sample, data = mutated_file(seed, number)
    is_forced = number % 3 == 0
    return FILE_TEST.format(
        failure=failure.replace('"', "'")[:100],
        data=shortest_failing(sample, data, is_forced=is_forced),
        number=number,
        seed=seed,
        name=sample.name,
        kind=sample.kind,
        form=sample.form,
        is_forced=is_forced,
    )


LOOK_TEST = '''"""{failure!r}"""

from fuzzing.blocks import failures_of_look


def test_{kind}_{number}_of_seed_{seed}() -> None:
    """Nothing is wrong."""
    assert failures_of_look({kind!r}, {seed}, {number}) == []
'''


def _test_of_look(kind: str, seed: int, number: int, failure: str) -> str:
    return LOOK_TEST.format(failure=failure.strip().splitlines()[-1][:100], kind=kind, seed=seed, number=number)


def _kind(size: int, look: Callable[[int, int, Seen], None], name: str) -> Kind:
    return Kind(size, look, partial(_test_of_look, name))


KINDS = {
    "problems": Kind(250, _look_at_problem, _test_of_problem),
    "files": Kind(1_000, _look_at_file, _test_of_file),
    "spoiled": _kind(250, _look_at_schedule, "spoiled"),
    "checks": _kind(200, _look_at_check, "checks"),
    "slots": _kind(100, partial(_look_at_drawn, drawn_slots, _counts_of_slots), "slots"),
    "tables": _kind(100, _look_at_table, "tables"),
    "timed": _kind(100, partial(_look_at_answer, examined_timed, ("timed", "earliest", "earliest")), "timed"),
    "trees": _kind(100, partial(_look_at_drawn, drawn_trees, _counts_of_trees), "trees"),
    "joint": _kind(50, partial(_look_at_answer, examined_joint, ("joint", "joint_optima", "joint")), "joint"),
}
"""What there is to do."""


def failures_of_look(kind: str, seed: int, number: int) -> list[str]:
    """Return what is wrong with number n of a kind; the tests that a campaign writes call this."""
    seen = Seen()
    KINDS[kind].look(seed, number, seen)
    return [line for _, line in seen.failures]


def made_block(kind: str, seed: int, block: int, is_over: Callable[[], bool] = lambda: False) -> Seen | None:
    """Make a block; None where it was interrupted."""
    seen, work = Seen(), KINDS[kind]
    begun = time.process_time()
    for number in range(block * work.size, (block + 1) * work.size):
        if is_over():
            return None
        work.look(seed, number, seen)
    seen.counts["milliseconds"] = round(1000 * (time.process_time() - begun))
    return seen


def write_test(folder: Path, kind: str, seed: int, number: int, failure: str) -> Path:
    """Write a test of what failed into a folder, made as small as it gets; return its file."""
    make = partial(KINDS[kind].make_test, seed, number)
    path = folder / f"test_{kind}_{seed}_{number}.py"
    path.write_text(make(failure), encoding="utf-8")
    return path
