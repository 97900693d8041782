"""A study as tables."""

from __future__ import annotations

import csv
import io
import json

import pytest

from pavane.campaign.benchmark import Study, Trial
from pavane.campaign.benchmark.tables import COLUMNS, as_objects, run_table, summary_table
from tests.campaign.benchmark.fakes import PROBLEM, ended, study_by_hand


def rows(study: Study) -> list[list[str]]:
    """Return the texts of the table of methods, the titles first."""
    table = summary_table(study)
    return [table.titles, *table.cells()]


@pytest.fixture
def two_methods() -> Study:
    """Return a study of two methods, by hand."""
    return study_by_hand()


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
    table = list(csv.DictReader(io.StringIO(run_table(two_methods).csv())))
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


def test_a_method_that_breaks_in_every_run_has_no_figures() -> None:
    """Neither a rate nor an interval."""
    broken = Study(PROBLEM, 3, ("m",), (0,), None, None, (Trial("m", "m", 0, None, None, 0.0, error="Broken"),))
    assert rows(broken)[3:5] == [["success rate", "-"], ["  95 % interval", "-"]]
