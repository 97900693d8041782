"""Checkpoints: a counted search that was killed, however often, ends as one that was not; nothing read is believed."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pavane.parallel.checkpoint as journals
from pavane.errors import CheckpointError, InputError
from pavane.io.checkpoint_file import TABLE, pack_arrays, unpack_arrays
from pavane.judge.result import Result
from pavane.model.problem import Problem
from pavane.parallel.checkpoint import Checkpoint
from pavane.search.checkpoints import checkpoint_of, new_journal, read_journal
from pavane.search.options import SearchOptions
from pavane.search.pareto_fronts import ParetoFront
from pavane.search.pareto_search import pareto_front
from pavane.search.synthesis import solve
from pavane.solvers.evolutionary.ga import GA
from pavane.solvers.evolutionary.hgsa import HGSA
from pavane.solvers.evolutionary.mboa import MBOA
from pavane.solvers.evolutionary.umda import UMDA
from pavane.solvers.large_scatter.packing import Packing
from tests.problems import problem_of

ASKED: dict[str, Any] = {"method": "auto", "seed": 0}


class Killed(BaseException):
    """The end of a process, as far as one process can play it."""


@pytest.fixture(autouse=True)
def always(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every moment at which a checkpoint could be written be one at which it is."""
    monkeypatch.setattr(journals, "SECONDS_BETWEEN_WRITES", 0.0)
    monkeypatch.setattr(journals, "MOST_SHARE_OF_TIME", 1e9)


def opened(path: Path, problem: Problem, writes: int | None = None) -> Checkpoint:
    """Return the journal of a search, from its file if there is one; its process ends after some writes."""
    journal = read_journal(path, problem, ASKED) if path.exists() else new_journal(path, problem, ASKED)
    write = journal.write

    def counted(it: Checkpoint) -> None:
        nonlocal writes
        write(it)
        if writes is not None:
            writes -= 1
            if writes == 0:
                raise Killed

    journal.write = counted
    return journal


def told(found: Result | ParetoFront) -> object:
    """Return all that a search has to tell but its time."""
    if isinstance(found, ParetoFront):
        return [told(point.result) for point in found.points], found.notes, found.trace
    about = replace(found.provenance, seconds=0.0)
    bounds = [(bound.steps, bound.argument, json.dumps(bound.certificate)) for bound in found.bounds]
    return found.schedule, bounds, about, found.run, found.notes, found.requested_steps, found.status


def auto(problem: Problem, journal: Checkpoint | None) -> Result:
    """Search by the portfolio."""
    return solve(problem, SearchOptions(checkpoint=journal))


def whole_front(problem: Problem, journal: Checkpoint | None) -> ParetoFront:
    """Search for a front."""
    return pareto_front(problem, SearchOptions(evaluations=2_000, checkpoint=journal))


def by(solver: Any, num_steps: int | None = None, evaluations: int | None = None) -> Callable[..., Result]:
    """Search by one solver."""

    def find(problem: Problem, journal: Checkpoint | None) -> Result:
        return solve(
            problem, SearchOptions(evaluations=evaluations, checkpoint=journal), solver=solver, num_steps=num_steps
        )

    return find


CASES: dict[str, tuple[Problem, Callable[..., Any]]] = {
    "auto": (problem_of("random-regular:10,3,1", "AAS"), auto),
    "auto, store-and-forward": (problem_of("mesh:3x4", "AAS", switching="store-and-forward"), auto),
    "auto, allreduce": (problem_of("ring:5", "ALLREDUCE"), auto),
    "front": (problem_of("mesh:2x3", "AAS", combining=True), whole_front),
    "umda": (problem_of("hypercube:4", "AAS"), by(UMDA(patience=6_000), 8, 20_000)),
    "umda, ever more steps": (
        problem_of("mesh:3x3", "AAB"),
        by(UMDA(most_evaluations=2_000, population=10), None, 9_000),
    ),
    "ga": (problem_of("hypercube:4", "AAS"), by(GA(patience=6_000), 8, 20_000)),
    "mboa": (problem_of("hypercube:3", "AAS"), by(MBOA(patience=400), 4, 1_200)),
    "hgsa": (problem_of("mesh:3x4", "AAB"), by(HGSA(most_evaluations=10_000), None, 25_000)),
    "packing": (problem_of("random-regular:24,4,1", "AAS"), by(Packing(most_cells=60_000_000))),
    "packing, counted": (problem_of("random-regular:24,4,1", "AAS"), by(Packing(most_cells=60_000_000), None, 9_000)),
    "packing, two ports": (problem_of("random-regular:24,4,1", "AAS", ports=2), by(Packing(most_cells=60_000_000))),
}


@pytest.mark.parametrize("name", CASES)
def test_a_killed_search_ends_as_one_that_was_not(name: str, tmp_path: Path) -> None:
    """Killed after some writes, again and again, a search goes on and tells the same in the end."""
    problem, find = CASES[name]
    path = checkpoint_of(tmp_path / "s.json")
    expected = told(find(problem, None))
    kills = 0
    for writes in (1, 3, 2, 5, 1, None):
        try:
            found = find(problem, opened(path, problem, writes))
            break
        except Killed:
            kills += 1
    assert kills
    assert told(found) == expected


def test_a_search_is_not_made_twice(tmp_path: Path) -> None:
    """What has been answered is not asked again: a search that is over has nothing left to make."""
    problem, _ = CASES["auto, store-and-forward"]
    path = tmp_path / "s.part"
    first = opened(path, problem)
    expected = told(solve(problem, SearchOptions(checkpoint=first)))
    first.save()
    again = opened(path, problem)
    keys = set(again.entries)
    made: list[str] = []
    again.record = lambda key, answer, is_timed: made.append(key)  # type: ignore[method-assign]
    assert told(solve(problem, SearchOptions(checkpoint=again))) == expected
    assert len(keys) > 1
    assert not made


def checkpoint(tmp_path: Path, name: str = "umda", writes: int = 2) -> tuple[Path, Problem]:
    """Return the checkpoint of a search that was killed, one by UMDA where nothing else is said, and its problem."""
    problem, find = CASES[name]
    path = tmp_path / "s.part"
    with pytest.raises(Killed):
        find(problem, opened(path, problem, writes))
    return path, problem


def table_of(path: Path) -> dict[str, Any]:
    """Return what a checkpoint file says."""
    with zipfile.ZipFile(path) as archive:
        told: dict[str, Any] = json.loads(archive.read(TABLE))
        return told


def rewritten(path: Path, table: dict[str, Any], arrays: dict[str, Any] | None = None) -> None:
    """Write a checkpoint file anew, with another table, and other arrays in its one bookmark."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist() if name != TABLE}
    if arrays is not None:
        name = table["bookmark"]["marks"][-1]["member"]
        members[name] = pack_arrays({**unpack_arrays(members[name]), **arrays})
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(TABLE, json.dumps(table))
        for name, content in members.items():
            archive.writestr(name, content)


def test_another_problem_version_or_seed_is_refused(tmp_path: Path) -> None:
    """A checkpoint belongs to one problem, one version, and to what decides the answer."""
    path, problem = checkpoint(tmp_path)
    with pytest.raises(InputError, match="another problem"):
        read_journal(path, problem_of("ring:5", "AAS"), ASKED)
    with pytest.raises(InputError, match=r"its search has `seed=0`, not `seed=7`"):
        read_journal(path, problem, {**ASKED, "seed": 7})
    with pytest.raises(InputError, match=r"no `num_steps`, not `num_steps=4`"):
        read_journal(path, problem, {**ASKED, "num_steps": 4})
    with pytest.raises(InputError, match="there is a checkpoint already"):
        new_journal(path, problem, ASKED)
    rewritten(path, {**table_of(path), "version": "0.0.9"})
    with pytest.raises(InputError, match=r"of version '0.0.9', and this is pavane"):
        read_journal(path, problem, ASKED)


@pytest.mark.parametrize("content", [b"x", b"PK\x03\x04", b"{}", b"PK\x05\x06" + bytes(18)])
def test_foreign_files_are_refused(content: bytes, tmp_path: Path) -> None:
    """What is no archive, or an empty one, is refused in one line."""
    path = tmp_path / "s.part"
    path.write_bytes(content)
    with pytest.raises(InputError, match="not a checkpoint that can be read"):
        read_journal(path, problem_of("ring:5", "AAS"), ASKED)


def test_torn_files_are_refused(tmp_path: Path) -> None:
    """A file that is cut anywhere, or has another byte somewhere, is refused or changes nothing that is believed."""
    path, problem = checkpoint(tmp_path)
    whole, refused = path.read_bytes(), []
    for cut in range(0, len(whole), max(1, len(whole) // 60)):
        path.write_bytes(whole[:cut])
        with pytest.raises(InputError):
            read_journal(path, problem, ASKED)
        path.write_bytes(whole[:cut] + bytes([whole[cut] ^ 0x55]) + whole[cut + 1 :])
        try:
            read_journal(path, problem, ASKED)
        except InputError as error:
            refused.append(str(error))
    assert refused
    assert not any("\n" in text for text in refused)


def changed_mark(table: dict[str, Any], **figures: Any) -> dict[str, Any]:
    """Return a table whose bookmark has other figures."""
    table["bookmark"]["marks"][-1]["figures"].update(figures)
    return table


@pytest.mark.parametrize("figures", [{"fewest": -1}, {"fewest": 10**9}, {"improved": "x"}, {"evaluations": None}])
def test_a_bookmark_with_wrong_figures_is_refused(figures: dict[str, Any], tmp_path: Path) -> None:
    """Numbers that cannot be end the search in one line."""
    path, problem = checkpoint(tmp_path)
    rewritten(path, changed_mark(table_of(path), **figures))
    with pytest.raises(CheckpointError, match=r"cannot resume: the state of umda .* cannot be read"):
        CASES["umda"][1](problem, read_journal(path, problem, ASKED))


def test_a_bookmark_with_wrong_arrays_is_refused(tmp_path: Path) -> None:
    """A chromosome with a step that is not there never comes to a kernel."""
    path, problem = checkpoint(tmp_path)
    table = table_of(path)
    with zipfile.ZipFile(path) as archive:
        found = unpack_arrays(archive.read(table["bookmark"]["marks"][-1]["member"]))
    for spoiled in (found["chromosomes"] + 100, found["chromosomes"][:, 1:], found["chromosomes"] * 0.5):
        rewritten(path, table, {"chromosomes": spoiled})
        with pytest.raises(CheckpointError, match="chromosomes"):
            CASES["umda"][1](problem, read_journal(path, problem, ASKED))
    rewritten(path, table, {"chromosomes": found["chromosomes"], "oldest": found["oldest"] * 0})
    with pytest.raises(CheckpointError, match="a row is listed twice by age"):
        CASES["umda"][1](problem, read_journal(path, problem, ASKED))


def one_hop(steps: Any) -> Any:
    """Return 1 for the first hop of each gene that has no other, and 0 elsewhere."""
    first = np.arange(steps.shape[2]) == 0
    return (steps[:, :, 1:] == 0).all(axis=2, keepdims=True) & first


SPOILED: list[tuple[str, int, dict[str, Callable[[Any], Any]], str]] = [
    ("packing", 0, {"step_of": lambda it: it * 0}, "the best schedule breaks a rule"),
    ("packing", 1, {"outside": lambda it: it * 0}, "messages outside are not those without a step"),
    ("packing", 1, {"moved": lambda it: np.roll(it, 1) + 1}, "a path does not lead from its sender to its receiver"),
    ("packing", 1, {"step_of": lambda it: np.minimum(it, 0)}, "two messages are on one channel in one step"),
    ("packing, two ports", 1, {"injection_lanes": lambda it: it[1:]}, r"lanes of shape \(\d+,\), where"),
    ("packing, two ports", 1, {"ejection_lanes": lambda it: it + 2}, "a lane is out of range"),
    ("hgsa", 1, {"steps": lambda it: it + one_hop(it)}, "a gene that does not start at once"),
    ("hgsa", 1, {"paths": lambda it: it * 0}, "a gene with a path of another, or with steps out of order"),
    ("hgsa", 1, {"steps": lambda it: it * 0}, "a gene with a path of another, or with steps out of order"),
]


@pytest.mark.parametrize(("name", "number", "arrays", "text"), SPOILED)
def test_a_search_in_its_midst_that_cannot_be_is_refused(
    name: str, number: int, arrays: dict[str, Callable[[Any], Any]], text: str, tmp_path: Path
) -> None:
    """Paths, steps and lanes that do not go together never come to a kernel; one line says what is wrong."""
    path, problem = checkpoint(tmp_path, name, 3)
    table = table_of(path)
    with zipfile.ZipFile(path) as archive:
        members = {one: archive.read(one) for one in archive.namelist()}
    member = table["bookmark"]["marks"][number]["member"]
    found = unpack_arrays(members[member])
    members[member] = pack_arrays(
        {**found, **{one: spoil(found[one].astype("int64")) for one, spoil in arrays.items()}}
    )
    with zipfile.ZipFile(path, "w") as archive:
        for one, content in members.items():
            archive.writestr(one, content)
    with pytest.raises(CheckpointError, match=text):
        CASES[name][1](problem, read_journal(path, problem, ASKED))


def spoiled_schedule(tmp_path: Path, num_steps: int | None = None, **columns: Callable[[Any], Any]) -> Path:
    """Return the checkpoint of a search whose first schedule has another number of steps, or other columns."""
    path = tmp_path / "s.part"
    journal = opened(path, SCHEDULED)
    solve(SCHEDULED, SearchOptions(checkpoint=journal))
    journal.save()
    table = table_of(path)
    first = next(entry for entry in table["attempts"] if "num_steps" in entry)
    first["num_steps"] = first["num_steps"] if num_steps is None else num_steps
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist() if name != TABLE}
    found = unpack_arrays(members[first["member"]])
    members[first["member"]] = pack_arrays(
        {**found, **{name: spoil(found[name].astype("int64")) for name, spoil in columns.items()}}
    )
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(TABLE, json.dumps(table))
        for name, content in members.items():
            archive.writestr(name, content)
    return path


SCHEDULED = problem_of("random-regular:10,3,1", "AAS")


def test_a_schedule_that_breaks_a_rule_is_refused(tmp_path: Path) -> None:
    """A schedule in a checkpoint is judged when the search comes to it."""
    path = spoiled_schedule(tmp_path, steps=lambda column: column * 0)
    with pytest.raises(CheckpointError, match="breaks a rule"):
        solve(SCHEDULED, SearchOptions(checkpoint=read_journal(path, SCHEDULED, ASKED)))


@pytest.mark.parametrize(
    ("num_steps", "columns", "text"),
    [
        (2**31, {}, "a number of steps, or a length, that cannot be"),
        (None, {"path_lengths": lambda column: -column}, "a number of steps, or a length, that cannot be"),
        (None, {"payloads": lambda column: -column}, "a number of steps, or a length, that cannot be"),
        (None, {"steps": lambda column: column * 0.5}, r"float64 of shape \(90,\) where whole numbers were expected"),
        (None, {"steps": lambda column: column.reshape(-1, 1)}, r"int\d+ of shape \(90, 1\) where whole numbers"),
        (None, {"senders": lambda column: column + 2**40}, r"int64 of shape \(90,\) where whole numbers"),
    ],
)
def test_a_schedule_that_cannot_be_is_refused(
    num_steps: int | None, columns: dict[str, Any], text: str, tmp_path: Path
) -> None:
    """Lengths below zero, and numbers that are not whole or too large, are refused when the file is read."""
    path = spoiled_schedule(tmp_path, num_steps, **columns)
    with pytest.raises(InputError, match=text):
        read_journal(path, SCHEDULED, ASKED)


def test_a_bound_that_is_not_proven_is_refused(tmp_path: Path) -> None:
    """A bound in a checkpoint counts if its certificate proves it."""
    path, problem = checkpoint(tmp_path)
    journal = read_journal(path, problem, ASKED)
    claimed = Result(problem, None).amended(bounds=(replace(_counted(problem), steps=99),))
    journal.record("it", claimed, is_timed=False)
    with pytest.raises(CheckpointError, match="claimed, not proven"):
        journal.recorded_result("it", problem, is_timed=False)


def _counted(problem: Problem) -> Any:
    from pavane.bounds import counted_bounds

    return counted_bounds(problem)[0]


def test_a_full_disk_costs_the_checkpoint_and_not_the_search(tmp_path: Path) -> None:
    """Where a checkpoint cannot be written the search goes on, and the journal knows why."""
    problem = problem_of("random-regular:10,3,1", "AAS")
    folder = tmp_path / "gone"
    folder.mkdir()
    journal = new_journal(folder / "s.part", problem, ASKED)
    folder.rmdir()
    assert told(solve(problem, SearchOptions(checkpoint=journal))) == told(solve(problem))
    assert "cannot be written" in journal.failure


def test_a_search_stopped_by_its_time_limit_can_be_resumed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A search whose time is over says so, and resumes where it stopped when it gets more time."""
    # Each look at the clock takes 10 ms: the limit is 100 looks, however fast the machine is.
    looks = count()
    monkeypatch.setattr("pavane.jit.clock.now", lambda: next(looks) / 100)
    problem, _ = CASES["umda"]
    path = tmp_path / "s.part"
    checkpoint = opened(path, problem)
    solver = UMDA(most_evaluations=10_000_000, patience=0)
    solve(problem, SearchOptions(seconds=1.0, checkpoint=checkpoint), solver=solver, num_steps=8)
    assert checkpoint.is_cut
    assert checkpoint.saved_loop is not None
    evaluations = checkpoint.saved_loop.states[-1].figures["evaluations"]["made"]
    assert evaluations > 0
    resumed = read_journal(path, problem, ASKED)
    solve(problem, SearchOptions(seconds=1.0, checkpoint=resumed), solver=solver, num_steps=8)
    assert resumed.saved_loop is not None
    assert resumed.saved_loop.states[-1].figures["evaluations"]["made"] > evaluations
    assert resumed.seconds > resumed.seconds_before > 0
