"""Studies: many seeds of several solvers, what they add up to, and how they are kept and gone on with."""

from __future__ import annotations

import csv
import io
import json
import math
import os
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

from pavane.errors import InputError
from pavane.judge.result import Provenance, Result, Run
from pavane.model.collectives import alltoall, broadcast
from pavane.model.problem import Problem
from pavane.networks import ring
from pavane.solvers import SOLVERS
from pavane.solvers.ejection.ejection import Ejection
from pavane.studies.trials import Study, StudyProgress, Summary, Trial, chosen_solvers, label, study, summary
from pavane.studies.trials.summary import Spread, wilson
from pavane.studies.trials.tables import COLUMNS, as_csv, as_objects, rows
from pavane.workers.budget import Budget

PROBLEM = Problem(ring(4), alltoall(ring(4)))


@dataclass(frozen=True)
class Fake:
    """Succeeds with even seeds, and writes down its calls; what spoils a run stands in files beside them."""

    folder: str
    name: str = "fake"
    pace: int = 100

    def supports(self, problem: Problem) -> bool:
        """Say yes to scatters."""
        return problem.pattern == "private"

    def __call__(self, problem: Problem, num_steps: int | None, seed: int, budget: Budget) -> Result:
        """Succeed or fail as the seed says."""
        place = Path(self.folder)
        if budget.evaluations == 1:  # the warm-up
            return Result(problem, None, asked=num_steps)
        stop = place / "stop"
        if stop.exists() and len(calls(place)) >= int(stop.read_text()):
            raise KeyboardInterrupt
        with open(place / "calls", "a", encoding="utf-8") as file:
            file.write(f"{seed}\n")
        if (place / f"raise-{seed}").exists():
            raise ZeroDivisionError("nothing\nto divide by")
        if (place / f"die-{seed}").exists():
            os._exit(9)
        spent = self.pace * (seed + 1)
        if seed % 2:
            return Result(problem, None, asked=num_steps, run=Run(spent, ((1, 9), (10, seed))))
        found = SOLVERS["greedy"](problem, None, seed, Budget())
        run = Run(spent, ((1, 9), (10, 4), (spent, 0)))
        return Result(problem, found.schedule, (), Provenance(self.name, seed), num_steps, run)


def calls(folder: Path) -> list[int]:
    """Return the seeds that the solver was called with."""
    path = folder / "calls"
    return [int(line) for line in path.read_text().splitlines()] if path.exists() else []


def fake_study(folder: Path, *, seeds: int = 6, kept: Path | None = None, workers: int = 1) -> Study:
    """Make a study of the fake solver."""
    return study(PROBLEM, [Fake(str(folder))], num_steps=9, seeds=seeds, evaluations=5000, folder=kept, workers=workers)


def timeless(found: Study) -> Study:
    """Return a study without what a clock said."""
    return replace(found, runs=tuple(replace(run, seconds=0.0) for run in found.runs))


def ended(
    seed: int, evaluations: int | None, *, success: bool, conflicts: int | None = None, method: str = "m"
) -> Trial:
    """Make a run by hand, of as many seconds as evaluations in thousands."""
    trace = () if conflicts is None else ((1, 50), (5, conflicts))
    return Trial(method, method, seed, 3 if success else None, evaluations, (evaluations or 1000) / 1000, trace)


# -- figures


@pytest.mark.parametrize(
    ("successes", "runs", "lower", "upper"),
    [
        (0, 10, 0.0, 0.27753279),
        (10, 10, 0.72246721, 1.0),
        (5, 10, 0.23659309, 0.76340691),
        (18, 20, 0.69896635, 0.97213352),
        (1, 1, 0.20654931, 1.0),
    ],
)
def test_the_interval_is_wilsons(successes: int, runs: int, lower: float, upper: float) -> None:
    """The ends are where the rate seen is 1.96 standard deviations off; at 0 and 1 they are exact."""
    found = wilson(successes, runs)
    assert found == pytest.approx((lower, upper), abs=1e-8)
    for end in found:
        if 0 < end < 1:
            assert abs(successes / runs - end) == pytest.approx(1.959964 * math.sqrt(end * (1 - end) / runs), rel=1e-6)


def test_the_quartiles() -> None:
    """Between two values they are interpolated."""
    assert Spread.of([4, 1, 3, 2]) == Spread(1.75, 2.5, 3.25)
    assert Spread.of([7]) == Spread(7, 7, 7)
    assert Spread.of([]) is None


def test_the_summary_of_a_method() -> None:
    """ERT is all evaluations over the successes; times are of successes, conflicts of failures."""
    trials = [
        ended(0, 100, success=True, conflicts=0),
        ended(1, 300, success=True, conflicts=0),
        ended(2, 1000, success=False, conflicts=4),
        ended(3, 1000, success=False, conflicts=2),
        ended(4, 1000, success=False, conflicts=9),
        replace(ended(5, None, success=False), error="broken"),
    ]
    found = summary("m", trials)
    assert (found.runs, found.successes, found.errors, found.rate) == (5, 2, 1, 0.4)
    assert found.expected_evaluations == 3400 / 2
    assert found.evaluations == Spread(150, 200, 250)
    assert found.seconds is not None
    assert found.seconds.median == pytest.approx(0.2)
    assert (found.fewest_conflicts, found.median_conflicts) == (2, 4.0)
    assert found.interval == wilson(2, 5)


def test_without_success_the_expected_time_is_infinite() -> None:
    """And there is no time to success."""
    found = summary("m", [ended(0, 100, success=False), ended(1, 100, success=False)])
    assert (found.expected_evaluations, found.evaluations, found.seconds) == (math.inf, None, None)
    assert (found.fewest_conflicts, found.median_conflicts) == (None, None)


def test_uncounted_evaluations_leave_the_seconds() -> None:
    """A solver that does not count evaluations has no ERT, but a rate and seconds."""
    found = summary("m", [ended(0, None, success=True), ended(1, 700, success=True)])
    assert (found.expected_evaluations, found.evaluations, found.spent) == (None, None, None)
    assert (found.rate, found.seconds is not None) == (1.0, True)


def test_nothing_but_errors() -> None:
    """No rate, no interval, no crash."""
    found = summary("m", [replace(ended(0, None, success=False), error="broken")])
    assert found == Summary("m", 0, 0, None, None, None, None, None, None, 1)
    assert (found.rate, found.expected_evaluations) == (None, None)


# -- runs


def test_every_seed_of_every_solver_is_run(tmp_path: Path) -> None:
    """Runs come in the order of methods and seeds, with what the solver counted."""
    solvers = [Fake(str(tmp_path)), Fake(str(tmp_path), pace=7)]
    found = study(PROBLEM, solvers, num_steps=9, seeds=[4, 1], evaluations=5000)
    assert found.methods[0].startswith("fake:folder=")
    assert found.methods[1].endswith(",pace=7")
    assert [(run.method, run.seed) for run in found.runs] == [(m, s) for m in found.methods for s in (4, 1)]
    assert [(run.is_success, run.evaluations, run.conflicts) for run in found.runs] == [
        (True, 500, 0),
        (False, 200, 1),
        (True, 35, 0),
        (False, 14, 1),
    ]
    assert found.is_complete
    assert found.runs[0].solver == repr(solvers[0])
    assert [s.expected_evaluations for s in found.summaries()] == [700.0, 49.0]


def test_the_number_of_workers_does_not_matter(tmp_path: Path) -> None:
    """One process and two give the same runs, of a solver with kernels, too."""
    for solvers in ([Fake(str(tmp_path))], [Ejection(), Ejection(most_paths=1)]):
        one, two = (
            timeless(study(PROBLEM, solvers, num_steps=2, seeds=5, evaluations=40, workers=workers))
            for workers in (1, 2)
        )
        assert one == two
        assert len(one.runs) == 5 * len(solvers)


def test_a_solver_answers_as_it_does_alone() -> None:
    """A run is a plain call with the seed, the steps and the budget."""
    found = study(PROBLEM, [Ejection()], num_steps=2, seeds=8, evaluations=20)
    alone = [Ejection()(PROBLEM, 2, seed, Budget(evaluations=20)).num_steps for seed in range(8)]
    assert [run.num_steps for run in found.runs] == alone


@pytest.mark.parametrize("workers", [1, 2])
def test_an_error_of_one_run_is_told(workers: int, tmp_path: Path) -> None:
    """It is one line with its place, it spoils no other run, and it is no failure."""
    (tmp_path / "raise-3").touch()
    found = fake_study(tmp_path, workers=workers)
    assert found.is_complete
    error = found.runs[3].error
    assert error is not None
    assert error.startswith("ZeroDivisionError: nothing to divide by (test_study.py, line ")
    assert [run.error for run in found.runs if run.seed != 3] == [None] * 5
    assert (found.summaries()[0].runs, found.summaries()[0].errors) == (5, 1)


def test_a_process_that_is_killed_costs_its_run_only(tmp_path: Path) -> None:
    """The others are made, by a new process where need be."""
    (tmp_path / "die-1").touch()
    (tmp_path / "die-2").touch()
    found = fake_study(tmp_path, workers=2)
    assert found.is_complete
    assert [run.seed for run in found.runs if run.error] == [1, 2]
    assert found.runs[1].error == "its process ended with code 9; killed, or out of memory?"


def test_progress_is_told(tmp_path: Path) -> None:
    """Before the first run and after each: runs, successes and an estimate of the time left."""
    told: list[StudyProgress] = []
    study(PROBLEM, [Fake(str(tmp_path))], num_steps=9, seeds=3, progress=told.append)
    assert [(now.done, now.total, now.successes, now.errors) for now in told] == [
        (0, 3, 0, 0),
        (1, 3, 1, 0),
        (2, 3, 1, 0),
        (3, 3, 2, 0),
    ]
    assert told[0].seconds_left is None
    assert told[-1].seconds_left == 0


def test_what_cannot_be_studied_is_refused(tmp_path: Path) -> None:
    """Before the first run, and in one line."""
    fake, other = Fake(str(tmp_path)), Problem(ring(4), broadcast(ring(4)))
    with pytest.raises(InputError, match="steps 0: "):
        study(PROBLEM, [fake], num_steps=0)
    with pytest.raises(InputError, match="workers 0: "):
        study(PROBLEM, [fake], num_steps=1, workers=0)
    with pytest.raises(InputError, match="time nan: "):
        study(PROBLEM, [fake], num_steps=1, seconds=math.nan)
    with pytest.raises(InputError, match="evaluations 0: "):
        study(PROBLEM, [fake], num_steps=1, evaluations=0)
    with pytest.raises(InputError, match="seeds: a study needs at least one"):
        study(PROBLEM, [fake], num_steps=1, seeds=0)
    with pytest.raises(InputError, match="seeds: one is listed twice"):
        study(PROBLEM, [fake], num_steps=1, seeds=[1, 1])
    with pytest.raises(InputError, match="at least one solver"):
        study(PROBLEM, [], num_steps=1)
    with pytest.raises(InputError, match="fake is given twice with the same settings"):
        study(PROBLEM, [fake, Fake(str(tmp_path))], num_steps=1)
    with pytest.raises(InputError, match="fake cannot work on OAB"):
        study(other, [fake], num_steps=1)
    assert calls(tmp_path) == []


# -- going on


def test_an_interrupted_study_goes_on_where_it_was(tmp_path: Path) -> None:
    """After 3 of 6 runs the study holds these; asked again it makes the others only, and equals one made at once."""
    kept = tmp_path / "kept"
    (tmp_path / "stop").write_text("3")
    part = fake_study(tmp_path, kept=kept)
    assert not part.is_complete
    assert [run.seed for run in part.runs] == [0, 1, 2]
    assert len((kept / "runs.jsonl").read_text().splitlines()) == 3
    (tmp_path / "stop").unlink()
    whole = fake_study(tmp_path, kept=kept)
    assert whole.is_complete
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


@pytest.mark.parametrize("workers", [1, 2])
def test_more_seeds_add_to_a_study(workers: int, tmp_path: Path) -> None:
    """Finished seeds are not run again, whatever the number of workers."""
    fake_study(tmp_path, seeds=2, kept=tmp_path / "kept")
    fake_study(tmp_path, seeds=5, kept=tmp_path / "kept", workers=workers)
    assert sorted(calls(tmp_path)) == [0, 1, 2, 3, 4]


def test_another_run_is_not_taken_for_a_finished_one(tmp_path: Path) -> None:
    """Another problem, setting, number of steps or budget is another run."""
    kept, fake = tmp_path / "kept", Fake(str(tmp_path))
    turned = Problem(ring(5), alltoall(ring(5)))
    study(PROBLEM, [fake], num_steps=9, seeds=1, folder=kept)
    study(turned, [fake], num_steps=9, seeds=1, folder=kept)
    study(PROBLEM, [replace(fake, pace=1)], num_steps=9, seeds=1, folder=kept)
    study(PROBLEM, [fake], num_steps=8, seeds=1, folder=kept)
    study(PROBLEM, [fake], num_steps=9, seeds=1, evaluations=50, folder=kept)
    study(PROBLEM, [fake], num_steps=9, seeds=1, seconds=50.0, folder=kept)
    assert len(calls(tmp_path)) == 6
    study(PROBLEM, [fake], num_steps=9, seeds=1, folder=kept)
    assert len(calls(tmp_path)) == 6


def test_a_run_with_an_error_is_made_again(tmp_path: Path) -> None:
    """An error is nothing finished."""
    (tmp_path / "raise-1").touch()
    fake_study(tmp_path, seeds=3, kept=tmp_path / "kept")
    (tmp_path / "raise-1").unlink()
    found = fake_study(tmp_path, seeds=3, kept=tmp_path / "kept")
    assert calls(tmp_path) == [0, 1, 2, 1]
    assert [run.error for run in found.runs] == [None] * 3


def test_a_torn_last_line_is_ignored(tmp_path: Path) -> None:
    """What a crash cut off is made again, with a note; the lines before it count, and the file is whole again."""
    kept = tmp_path / "kept"
    first = fake_study(tmp_path, seeds=3, kept=kept)
    path = kept / "runs.jsonl"
    whole = path.read_bytes()
    notes: list[str] = []
    for cut in (1, 40):
        path.write_bytes(whole[:-cut])
        found = study(
            PROBLEM, [Fake(str(tmp_path))], num_steps=9, seeds=3, evaluations=5000, folder=kept, note=notes.append
        )
        assert timeless(found) == timeless(first)
        assert [json.loads(line)["seed"] for line in path.read_text().splitlines()] == [0, 1, 2]
    assert calls(tmp_path) == [0, 1, 2, 2, 2]
    assert notes == [f"{path}: its last line was cut off and is ignored; that run is made again"] * 2


def test_a_line_that_is_no_run_is_refused(tmp_path: Path) -> None:
    """It says where it stands; nothing is run and nothing is written over."""
    kept = tmp_path / "kept"
    fake_study(tmp_path, seeds=2, kept=kept)
    path = kept / "runs.jsonl"
    for nonsense in ("{}", "nonsense", '{"format": "pavane/run/2"}'):
        text = f"{nonsense}\n{path.read_text()}"
        path.write_text(text)
        with pytest.raises(InputError, match=r"runs.jsonl, line 1: no run stands there"):
            fake_study(tmp_path, seeds=3, kept=kept)
        assert path.read_text() == text
    assert calls(tmp_path) == [0, 1]


def test_a_folder_that_cannot_be_used_is_refused(tmp_path: Path) -> None:
    """Before the first run."""
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="runs cannot be kept there"):
        fake_study(tmp_path, kept=tmp_path / "file")
    assert calls(tmp_path) == []


def test_without_a_folder_nothing_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the solver's own list of calls is there."""
    monkeypatch.chdir(tmp_path)
    fake_study(tmp_path, seeds=1)
    assert [path.name for path in tmp_path.iterdir()] == ["calls"]


def test_the_first_run_is_not_charged_for_the_warm_up(tmp_path: Path) -> None:
    """A process calls a solver once with one evaluation before its clock runs, and not again."""
    study(PROBLEM, [Watched(str(tmp_path))], num_steps=9, seeds=2, evaluations=70)
    assert (tmp_path / "budgets").read_text() == "1 70 70 "


@dataclass(frozen=True)
class Watched(Fake):
    """Writes down its budgets."""

    def __call__(self, problem: Problem, num_steps: int | None, seed: int, budget: Budget) -> Result:
        """Find nothing."""
        with open(Path(self.folder) / "budgets", "a", encoding="utf-8") as file:
            file.write(f"{budget.evaluations} ")
        return Result(problem, None, asked=num_steps)


# -- methods as text


def test_methods_are_read_with_their_settings() -> None:
    """A name, and behind a colon settings; a comma inside a list does not end it."""
    assert chosen_solvers(["ejection", "ejection:detour=3,most_paths=4"]) == [
        Ejection(),
        Ejection(detour=3, most_paths=4),
    ]
    (packing,) = chosen_solvers(["first-fit:sharpness=0.5,1,repacks=2"])
    assert label(packing) == "first-fit:sharpness=0.5,1.0,repacks=2"
    assert chosen_solvers(["quotient:detour=1"]) == [Ejection("quotient", detour=1, symmetric=True)]


def test_settings_go_to_the_methods_that_have_them() -> None:
    """To all that have them, to the named one, and what stands in the method goes first."""
    methods = ["ejection", "routed", "ejection:detour=9", "greedy"]
    made = chosen_solvers(methods, ["detour=5", "ejection.most_paths=3", "most_branches=7"])
    assert [label(solver) for solver in made] == [
        "ejection:most_paths=3,detour=5",
        "routed:detour=5,most_branches=7",
        "ejection:most_paths=3,detour=9",
        "greedy",
    ]
    assert [label(s) for s in chosen_solvers(["ejection"], ["ejection.detour=4", "detour=5"])] == ["ejection:detour=4"]


def test_labels_read_back() -> None:
    """The label of a solver names the same solver."""
    for solver in (*SOLVERS.values(), Ejection(most_paths=1, symmetric=True)):
        assert chosen_solvers([label(solver)]) == [solver]


@pytest.mark.parametrize(
    ("methods", "settings", "said"),
    [
        (["ejektion"], [], "unknown method 'ejektion'; did you mean ejection?"),
        (["auto"], [], "auto is a choice among them"),
        (["ejection:"], [], "no settings behind the colon"),
        (["ejection:detour"], [], "setting 'detour' has no value"),
        (["ejection:detur=1"], [], "did you mean detour?"),
        (["ejection"], ["detur=1"], "unknown setting 'detur' of ejection; did you mean detour?"),
        (["ejection"], ["detour"], "`settings` 'detour' has no value"),
        (["ejection"], ["routed.detour=1"], "routed is not among the methods; add `method=routed`"),
        (["ejection"], ["ejection.detur=1"], "unknown setting 'detur' of ejection; did you mean detour?"),
        (["ejection", "routed"], ["polish=1"], "no method has a setting 'polish'; they have detour, most_branches"),
        (["ejection"], ["detour=x"], "give a whole number"),
    ],
)
def test_methods_that_make_no_sense_are_refused(methods: list[str], settings: list[str], said: str) -> None:
    """With the nearest thing that would."""
    with pytest.raises(InputError) as refused:
        chosen_solvers(methods, settings)
    assert said in str(refused.value)


# -- tables and pictures


@pytest.fixture
def two_methods() -> Study:
    """Return a study by hand: `good` succeeds after 10, 20 and 40, `bad` after 100 in one of two runs."""
    runs = (
        Trial("good", "good", 0, 3, 10, 0.1, ((1, 8), (5, 4), (10, 0))),
        Trial("good", "good", 1, 3, 20, 0.2, ((1, 6), (20, 0))),
        Trial("good", "good", 2, 2, 40, 0.4, ((2, 10), (40, 0))),
        Trial("bad", "bad", 0, 3, 100, 1.0, ((1, 9), (100, 0))),
        Trial("bad", "bad", 1, None, 500, 5.0, ((1, 9), (50, 2))),
        Trial("bad", "bad", 2, None, None, 0.0, error="Broken: in two, parts"),
    )
    return Study(PROBLEM, 3, ("good", "bad"), (0, 1, 2), 500, None, runs)


def test_the_table_has_a_column_per_method(two_methods: Study) -> None:
    """Rates, medians, quartiles, ERT, conflicts and errors, side by side."""
    assert rows(two_methods) == [
        ["method", "good", "bad"],
        ["runs", "3", "2"],
        ["successes", "3", "1"],
        ["success rate", "100 %", "50 %"],
        ["  95 % interval", "44 to 100 %", "9 to 91 %"],
        ["evaluations to success", "20", "100"],
        ["  quartiles", "15 to 30", "100 to 100"],
        ["ERT in evaluations", "23.3", "600"],
        ["time to success", "0.20 s", "1.00 s"],
        ["  quartiles", "0.15 s to 0.30 s", "1.00 s to 1.00 s"],
        ["conflicts of failures", "-", "2"],
        ["  fewest", "-", "2"],
        ["errors", "0", "1"],
    ]


def test_the_rows_of_runs_read_back(two_methods: Study) -> None:
    """CSV has a row per run, and empty cells where there is nothing to say."""
    table = list(csv.DictReader(io.StringIO(as_csv(two_methods))))
    assert tuple(table[0]) == COLUMNS
    assert [(row["method"], row["seed"], row["success"], row["steps"], row["evaluations"]) for row in table] == [
        ("good", "0", "true", "3", "10"),
        ("good", "1", "true", "3", "20"),
        ("good", "2", "true", "2", "40"),
        ("bad", "0", "true", "3", "100"),
        ("bad", "1", "false", "", "500"),
        ("bad", "2", "", "", ""),
    ]
    assert [row["error"] for row in table[4:]] == ["", "Broken: in two, parts"]
    assert [row["conflicts"] for row in table] == ["0", "0", "0", "0", "2", ""]
    assert [float(row["seconds"]) for row in table] == [run.seconds for run in two_methods.runs]


def test_the_objects_read_back(two_methods: Study) -> None:
    """JSON has what was asked, the figures and the runs."""
    told = json.loads(json.dumps(as_objects(two_methods), allow_nan=False))
    assert (told["network"], told["collective"], told["steps"], told["complete"]) == ("ring:4", "AAS", 3, True)
    assert told["problem"] == PROBLEM.digest()
    assert told["budget"] == {"evaluations": 500, "seconds": None}
    good, bad = told["methods"]
    assert good["evaluations"] == [15, 20, 30]
    assert (bad["rate"], bad["ert"], bad["errors"], bad["fewest_conflicts"]) == (0.5, 600, 1, 2)
    assert told["runs"][0]["trace"] == [[1, 8], [5, 4], [10, 0]]
    assert [run["success"] for run in told["runs"]] == [True, True, True, True, False, None]


def test_an_infinite_time_is_no_number_in_json() -> None:
    """JSON knows no infinity."""
    failed = Study(PROBLEM, 3, ("m",), (0,), None, None, (ended(0, 10, success=False),))
    assert as_objects(failed)["methods"][0]["ert"] is None
    assert rows(failed)[7] == ["ERT in evaluations", "infinite"]


@pytest.fixture
def axes() -> object:
    """Return axes that no window shows."""
    figure = pytest.importorskip("matplotlib.figure").Figure()
    axes: object = figure.subplots()
    return axes


def test_convergence_is_drawn(two_methods: Study, axes: object) -> None:
    """A line per method: the median conflicts of its runs wherever one got better; a band of quartiles; log x."""
    from matplotlib.axes import Axes

    from pavane.plot import plot_convergence

    assert isinstance(axes, Axes)
    assert plot_convergence(two_methods, axes) is axes
    good, bad = axes.lines
    assert (good.get_label(), bad.get_label()) == ("good", "bad")
    # At 2 the runs have 8, 6, 10; at 5 4, 6, 10; at 10 0, 6, 10; at 20 0, 0, 10.
    assert np.asarray(good.get_xydata()).tolist() == [[2, 8], [5, 6], [10, 6], [20, 0], [40, 0]]
    # The failure's last figure lasts to the end of its budget; the run with an error is left out.
    assert np.asarray(bad.get_xydata()).tolist() == [[1, 9], [50, 5.5], [100, 1], [500, 1]]
    assert axes.get_xscale() == "log"
    assert len(axes.collections) == 2
    band = axes.collections[0].get_paths()[0].vertices
    assert {7.0, 9.0} <= set(np.asarray(band)[:, 1].tolist())  # the quartiles of 6, 8, 10


def test_run_lengths_are_drawn(two_methods: Study, axes: object) -> None:
    """A line per method: the share of its runs that succeeded by then; a failure keeps it below 1 to the end."""
    from matplotlib.axes import Axes

    from pavane.plot import plot_run_lengths

    assert isinstance(axes, Axes)
    assert plot_run_lengths(two_methods, axes) is axes
    good, bad, mark = axes.lines
    third = pytest.approx([0, 1 / 3, 2 / 3, 1, 1])
    assert np.asarray(good.get_xdata()).tolist() == [10, 10, 20, 40, 40]
    assert np.asarray(good.get_ydata()).tolist() == third
    assert np.asarray(bad.get_xydata()).tolist() == [[100, 0], [100, 0.5], [500, 0.5]]
    assert np.asarray(mark.get_xydata()).tolist() == [[500, 0.5]]
    assert (axes.get_xlabel(), axes.get_xscale()) == ("evaluations", "log")


def test_run_lengths_in_seconds_where_evaluations_are_not_counted(axes: object) -> None:
    """All methods are drawn by the same measure."""
    from matplotlib.axes import Axes

    from pavane.plot import plot_convergence, plot_run_lengths

    assert isinstance(axes, Axes)
    runs = (ended(0, 500, success=True), ended(0, None, success=True, method="silent"))
    found = Study(PROBLEM, 3, ("m", "silent"), (0,), None, None, runs)
    plot_run_lengths(found, axes)
    assert axes.get_xlabel() == "seconds"
    assert [np.asarray(line.get_xdata()).tolist()[0] for line in axes.lines] == [0.5, 1.0]
    axes.clear()
    plot_convergence(found, axes)
    assert [text.get_text() for text in axes.texts] == ["no conflicts recorded: m, silent"]


@pytest.mark.parametrize(("ending", "opening"), [("svg", b"<?xml"), ("png", b"\x89PNG"), ("pdf", b"%PDF")])
def test_pictures_are_written(ending: str, opening: bytes, two_methods: Study, tmp_path: Path) -> None:
    """In the format that the ending names, and the same for the same study."""
    pytest.importorskip("matplotlib")
    from pavane.plot import plot_study
    from pavane.plot.figures import write_figure

    path = tmp_path / f"a.{ending}"
    write_figure(path, plot_study(two_methods))
    first = path.read_bytes()
    assert first.startswith(opening)
    if ending == "svg":
        write_figure(path, plot_study(two_methods))
        assert path.read_bytes() == first


def test_pictures_in_python_need_no_axes(two_methods: Study) -> None:
    """Without axes a new figure is made, and none that pyplot knows."""
    pytest.importorskip("matplotlib")
    from matplotlib import pyplot

    from pavane.plot import plot_convergence, plot_run_lengths

    assert plot_convergence(two_methods) is not plot_run_lengths(two_methods)
    assert pyplot.get_fignums() == []


def test_no_matplotlib_is_one_line(two_methods: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    """It names the extra to install."""
    from pavane.plot import plot_convergence, plot_study

    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    for plot in (plot_convergence, plot_study):
        with pytest.raises(InputError, match=r"pip install 'pavane\[plot\]'"):
            plot(two_methods)
