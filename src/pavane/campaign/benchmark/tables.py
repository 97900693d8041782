"""A study as tables: for people, for spreadsheets and for programs."""

from __future__ import annotations

import math
from dataclasses import astuple
from typing import Any

from pavane.campaign.benchmark.comparison import Study
from pavane.campaign.benchmark.summaries import Spread, Summary
from pavane.campaign.benchmark.trial import Trial
from pavane.text.table import Column, Table

COLUMNS = ("method", "solver", "seed", "success", "steps", "evaluations", "seconds", "conflicts", "error")


def summary_table(study: Study) -> Table:
    """Return the figures of all methods side by side, a column each."""
    summaries = study.summaries()
    rows = [[name, *map(text, summaries)] for name, text in _ROWS]
    if any(summary.errors for summary in summaries):
        rows.append(["errors", *(str(summary.errors) for summary in summaries)])
    return Table.of(["method", *study.methods], rows)


def run_table(study: Study) -> Table:
    """Return a row per run."""
    return Table.from_records(map(_figures, study.runs), map(Column, COLUMNS))


def as_objects(study: Study) -> dict[str, Any]:
    """Return the summary and the runs, for JSON."""
    problem = study.problem
    return {
        "network": problem.network.name,
        "collective": problem.collective.kind,
        "rules": problem.rules.to_dict(),
        "problem": problem.digest(),
        "steps": study.num_steps,
        "budget": {"evaluations": study.evaluations, "seconds": study.seconds},
        "seeds": list(study.seeds),
        "complete": study.is_complete,
        "methods": [_summary_object(summary) for summary in study.summaries()],
        "runs": [{**_figures(run), "trace": [list(point) for point in run.trace]} for run in study.runs],
    }


def _figures(run: Trial) -> dict[str, Any]:
    success = run.is_success if run.error is None else None
    values = (run.solver, run.seed, success, run.num_steps, run.evaluations, run.seconds, run.conflicts, run.error)
    return dict(zip(COLUMNS, (run.method, *values), strict=True))


def _summary_object(summary: Summary) -> dict[str, Any]:
    ert = summary.expected_evaluations
    return {
        "method": summary.method,
        "runs": summary.runs,
        "successes": summary.successes,
        "rate": summary.rate,
        "interval": None if summary.interval is None else list(summary.interval),
        "evaluations": None if summary.evaluations is None else list(astuple(summary.evaluations)),
        "seconds": None if summary.seconds is None else list(astuple(summary.seconds)),
        "spent": summary.spent,
        "ert": None if ert is None or math.isinf(ert) else ert,
        "fewest_conflicts": summary.fewest_conflicts,
        "median_conflicts": summary.median_conflicts,
        "errors": summary.errors,
    }


def _number(value: float | None) -> str:
    if value is None:
        return "-"
    if math.isinf(value):
        return "infinite"
    return f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:.1f}"


def _interval(summary: Summary) -> str:
    if summary.interval is None:
        return "-"
    lower, upper = summary.interval
    return f"{100 * lower:.0f} to {100 * upper:.0f} %"


def _evaluations(quartiles: Spread | None) -> str:
    return "-" if quartiles is None else f"{_number(quartiles.lower)} to {_number(quartiles.upper)}"


def _seconds(quartiles: Spread | None) -> str:
    return "-" if quartiles is None else f"{quartiles.lower:.2f} s to {quartiles.upper:.2f} s"


_ROWS = (
    ("runs", lambda s: str(s.runs)),
    ("successes", lambda s: str(s.successes)),
    ("success rate", lambda s: "-" if s.rate is None else f"{100 * s.rate:.0f} %"),
    ("  95 % interval", _interval),
    ("evaluations to success", lambda s: _number(s.evaluations and s.evaluations.median)),
    ("  quartiles", lambda s: _evaluations(s.evaluations)),
    ("ERT in evaluations", lambda s: _number(s.expected_evaluations)),
    ("time to success", lambda s: "-" if s.seconds is None else f"{s.seconds.median:.2f} s"),
    ("  quartiles", lambda s: _seconds(s.seconds)),
    ("conflicts of failures", lambda s: _number(s.median_conflicts)),
    ("  fewest", lambda s: _number(s.fewest_conflicts)),
)
"""Medians, each followed by its quartiles or its minimum."""
