"""Studies: many seeds of several solvers, one process or more, and what an interrupt leaves."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from pavane.campaign.runs import RunLine
from pavane.campaign.solver_study import Study, study
from pavane.errors import InputError
from pavane.judge.result import Result
from pavane.model.collectives import broadcast
from pavane.model.problem import Problem
from pavane.networks import ring
from pavane.parallel.budget import Budget
from pavane.parallel.progress import Progress
from pavane.search.options import SearchOptions
from pavane.solvers import SOLVERS
from pavane.solvers.ejection.ejection import Ejection
from tests.campaign.fakes import PROBLEM, Fake, calls, ended, fake_study, study_by_hand, timeless
from tests.problems import problem_of


def test_every_seed_of_every_solver_is_run(tmp_path: Path) -> None:
    """Runs come in the order of methods and seeds, with what the solver counted."""
    solvers = [Fake(str(tmp_path)), Fake(str(tmp_path), pace=7)]
    found = study(PROBLEM, solvers, SearchOptions(evaluations=5000), num_steps=9, seeds=[4, 1])
    assert found.methods[0].startswith("fake:folder=")
    assert found.methods[1].endswith(",pace=7")
    assert [(run.method, run.seed) for run in found.runs] == [(m, s) for m in found.methods for s in (4, 1)]
    assert [(run.is_success, run.evaluations, run.conflicts) for run in found.runs] == [
        (True, 500, 0),
        (False, 200, 1),
        (True, 35, 0),
        (False, 14, 1),
    ]
    assert found.num_missing == 0
    assert [s.expected_evaluations for s in found.summaries()] == [700.0, 49.0]


def test_the_number_of_workers_does_not_matter(tmp_path: Path) -> None:
    """One process and two give the same runs, of a solver with kernels, too."""
    for solvers in ([Fake(str(tmp_path))], [Ejection(), Ejection(most_paths=1)]):
        one, two = (
            timeless(study(PROBLEM, solvers, SearchOptions(evaluations=40, workers=workers), num_steps=2, seeds=5))
            for workers in (1, 2)
        )
        assert one == two
        assert len(one.runs) == 5 * len(solvers)


def test_a_solver_answers_as_it_does_alone() -> None:
    """A run is a plain call with the seed, the steps and the budget."""
    found = study(PROBLEM, [Ejection()], SearchOptions(evaluations=20), num_steps=2, seeds=8)
    alone = [Ejection()(PROBLEM, 2, seed, Budget(evaluations=20)).num_steps for seed in range(8)]
    assert [run.figure for run in found.runs] == alone


@pytest.mark.parametrize("workers", [1, 2])
def test_an_error_of_one_run_is_told(workers: int, tmp_path: Path) -> None:
    """It is one line with its place, it spoils no other run, and it is no failure."""
    (tmp_path / "raise-3").touch()
    found = fake_study(tmp_path, workers=workers)
    assert not found.num_missing
    error = found.runs[3].error
    assert error is not None
    assert error.startswith("ZeroDivisionError: nothing to divide by (fakes.py, line ")
    assert [run.error for run in found.runs if run.seed != 3] == [None] * 5
    assert (found.summaries()[0].runs, found.summaries()[0].errors) == (5, 1)


def test_a_process_that_is_killed_costs_its_run_only(tmp_path: Path) -> None:
    """The others are made, by a new process where need be."""
    (tmp_path / "die-1").touch()
    (tmp_path / "die-2").touch()
    found = fake_study(tmp_path, workers=2)
    assert not found.num_missing
    assert [run.seed for run in found.runs if run.error] == [1, 2]
    assert found.runs[1].error == "its process ended with code 9; killed, or out of memory?"


def test_progress_is_reported(tmp_path: Path) -> None:
    """Before the first run and after each: runs, successes and an estimate of the time left."""
    reports: list[Progress] = []
    (tmp_path / "raise-2").touch()
    study(PROBLEM, [Fake(str(tmp_path))], SearchOptions(on_progress=reports.append), num_steps=9, seeds=3)
    assert [(now.done, now.total, now.outcomes) for now in reports] == [
        (0, 3, {}),
        (1, 3, {"succeeded": 1}),
        (2, 3, {"succeeded": 1}),
        (3, 3, {"succeeded": 1, "failed": 1}),
    ]
    assert reports[0].seconds_left is None
    assert reports[-1].seconds_left == 0


def test_what_cannot_be_studied_is_refused(tmp_path: Path) -> None:
    """Before the first run, and in one line."""
    fake, other = Fake(str(tmp_path)), Problem(ring(4), broadcast(ring(4)))
    with pytest.raises(InputError, match="steps 0: "):
        study(PROBLEM, [fake], num_steps=0)
    with pytest.raises(InputError, match="evaluations 0: "):
        study(PROBLEM, [fake], SearchOptions(evaluations=0), num_steps=1)
    with pytest.raises(InputError, match="seeds: a study needs at least one"):
        study(PROBLEM, [fake], num_steps=1, seeds=0)
    with pytest.raises(InputError, match="seeds: one is listed twice"):
        study(PROBLEM, [fake], num_steps=1, seeds=[1, 1])
    with pytest.raises(InputError, match="at least one solver"):
        study(PROBLEM, [], num_steps=1)
    with pytest.raises(InputError, match="fake is given twice with the same settings"):
        study(PROBLEM, [fake, Fake(str(tmp_path))], num_steps=1)
    with pytest.raises(InputError, match=r"fake cannot work on broadcast \(OAB\)"):
        study(other, [fake], num_steps=1)
    assert calls(tmp_path) == []


def test_an_interrupted_study_goes_on_where_it_was(tmp_path: Path) -> None:
    """After 3 of 6 runs the study holds these; asked again it makes the others only, and equals one made at once."""
    kept = tmp_path / "kept.jsonl"
    (tmp_path / "stop").write_text("3")
    part = fake_study(tmp_path, kept=kept)
    assert part.num_missing == 3
    assert [run.seed for run in part.runs] == [0, 1, 2]
    assert len(kept.read_text().splitlines()) == 3
    (tmp_path / "stop").unlink()
    whole = fake_study(tmp_path, kept=kept)
    assert not whole.num_missing
    assert calls(tmp_path) == [0, 1, 2, 3, 4, 5]
    assert whole.runs[:3] == part.runs
    assert timeless(whole) == timeless(fake_study(tmp_path))
    assert len(calls(tmp_path)) == 12
    assert fake_study(tmp_path, kept=kept) == whole
    assert len(calls(tmp_path)) == 12


def test_an_interrupt_with_nothing_finished_is_raised(tmp_path: Path) -> None:
    """There is nothing to show."""
    (tmp_path / "stop").write_text("0")
    with pytest.raises(KeyboardInterrupt):
        fake_study(tmp_path)


def test_the_first_run_is_not_charged_for_the_warm_up(tmp_path: Path) -> None:
    """A process calls a solver once with one evaluation before its clock runs, and not again."""
    study(PROBLEM, [Watched(str(tmp_path))], SearchOptions(evaluations=70), num_steps=9, seeds=2)
    assert (tmp_path / "budgets").read_text() == "1 70 70 "


@dataclass(frozen=True)
class Watched(Fake):
    """Writes down its budgets."""

    def __call__(self, problem: Problem, num_steps: int | None, seed: int, budget: Budget) -> Result:
        """Find nothing."""
        with open(Path(self.folder) / "budgets", "a", encoding="utf-8") as file:
            file.write(f"{budget.evaluations} ")
        return Result(problem, None, requested_steps=num_steps)


def test_its_short_form_counts_successes() -> None:
    """Of all runs."""
    problem = problem_of("ring:4", "AAS")
    made = study(problem, [SOLVERS["greedy"]], SearchOptions(seconds=5.0), num_steps=3, seeds=2)
    assert repr(made) == "<Study: alltoall (AAS) on ring:4 in 3 steps by greedy, 2 of 2 runs succeeded>"


def test_the_table_has_a_row_per_method() -> None:
    """Rates with their intervals, medians, ERT, conflicts and errors."""
    table = study_by_hand().table()
    assert table.titles == [
        *("method", "runs", "successes", "rate", "95 %"),
        *("evaluations", "ERT", "time", "conflicts", "errors"),
    ]
    assert table.cells() == [
        ["good", "3", "3", "100%", "44 to 100 %", "20", "23.3", "0.02 s", "-", "-"],
        ["bad", "2", "1", "50%", "9 to 91 %", "100", "600", "0.10 s", "2", "1"],
    ]
    failed = Study(PROBLEM, 3, ("m",), (0,), (ended(0, 10, success=False),)).table()
    assert dict(zip(failed.titles, failed.cells()[0], strict=True))["ERT"] == "infinite"
    broken = Study(PROBLEM, 3, ("m",), (0,), (RunLine(method="m", seed=0, error="Broken"),)).table()
    assert broken.cells() == [["m", "0", "0", "1"]]
