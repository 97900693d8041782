"""A study as tables: for people, for spreadsheets and for programs."""

from __future__ import annotations

import csv
import io
import math
from typing import Any

from pavane.campaign.benchmark.comparison import Study
from pavane.campaign.benchmark.summaries import Spread, Summary
from pavane.campaign.benchmark.trial import Trial

COLUMNS = ("method", "solver", "seed", "success", "steps", "evaluations", "seconds", "conflicts", "error")


def rows(study: Study) -> list[list[str]]:
    """Return the figures of all methods side by side, a column each."""
    summaries = study.summaries()
    table = [["method", *(s.method for s in summaries)]]
    table += [[name, *(text(s) for s in summaries)] for name, text in _ROWS]
    if any(s.errors for s in summaries):
        table.append(["errors", *(str(s.errors) for s in summaries)])
    return table


def as_csv(study: Study) -> str:
    """Return a row per run."""
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for run in study.runs:
        writer.writerow({**_figures(run), "success": str(run.is_success).lower() if run.error is None else ""})
    return text.getvalue()


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
        "methods": [_summed_up(summary) for summary in study.summaries()],
        "runs": [{**_figures(run), "trace": [list(point) for point in run.trace]} for run in study.runs],
    }


def _figures(run: Trial) -> dict[str, Any]:
    return {
        "method": run.method,
        "solver": run.solver,
        "seed": run.seed,
        "success": run.is_success if run.error is None else None,
        "steps": run.num_steps,
        "evaluations": run.evaluations,
        "seconds": run.seconds,
        "conflicts": run.conflicts,
        "error": run.error,
    }


def _summed_up(summary: Summary) -> dict[str, Any]:
    ert = summary.expected_evaluations
    return {
        "method": summary.method,
        "runs": summary.runs,
        "successes": summary.successes,
        "rate": summary.rate,
        "interval": None if summary.interval is None else list(summary.interval),
        "evaluations": _quartiles(summary.evaluations),
        "seconds": _quartiles(summary.seconds),
        "spent": summary.spent,
        "ert": None if ert is None or math.isinf(ert) else ert,
        "fewest_conflicts": summary.fewest_conflicts,
        "median_conflicts": summary.median_conflicts,
        "errors": summary.errors,
    }


def _quartiles(spread: Spread | None) -> list[float] | None:
    return None if spread is None else [spread.lower, spread.median, spread.upper]


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.0f} %"


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


def _evaluations(summary: Summary) -> str:
    spread = summary.evaluations
    return "-" if spread is None else f"{_number(spread.lower)} to {_number(spread.upper)}"


def _seconds(summary: Summary) -> str:
    spread = summary.seconds
    return "-" if spread is None else f"{spread.lower:.2f} s to {spread.upper:.2f} s"


_ROWS = (
    ("runs", lambda s: str(s.runs)),
    ("successes", lambda s: str(s.successes)),
    ("success rate", lambda s: _percent(s.rate)),
    ("  95 % interval", _interval),
    ("evaluations to success", lambda s: _number(s.evaluations and s.evaluations.median)),
    ("  quartiles", _evaluations),
    ("ERT in evaluations", lambda s: _number(s.expected_evaluations)),
    ("time to success", lambda s: "-" if s.seconds is None else f"{s.seconds.median:.2f} s"),
    ("  quartiles", _seconds),
    ("conflicts of failures", lambda s: _number(s.median_conflicts)),
    ("  fewest", lambda s: _number(s.fewest_conflicts)),
)
"""Medians, each with what belongs to it below."""
