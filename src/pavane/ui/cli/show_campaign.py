"""`pavane show FOLDER` of a study or of a study of faults: the runs, or the re-plans, that the folder has."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from pavane.text import counted
from pavane.text.table import Table
from pavane.ui.cli.report import print_json, print_report, print_table

if TYPE_CHECKING:
    from pavane.campaign.benchmark.trial import RunLine
    from pavane.campaign.faults.study import ReplanLine


def is_campaign(what: str) -> bool:
    """Return whether an argument is the folder of a study, or of a study of faults."""
    return any(os.path.isfile(os.path.join(what, name)) for name in ("runs.jsonl", "replans.jsonl"))


def print_campaign(folder: str, as_json: bool) -> None:
    """Print what a folder has, a line for each run or re-plan; one that was made twice is printed once."""
    from pavane.campaign.benchmark.trial import FILE, RunLine
    from pavane.campaign.faults.study import FILE as REPLANS
    from pavane.campaign.faults.study import ReplanLine
    from pavane.parallel.finished_lines import read_lines

    is_study = (Path(folder) / FILE).is_file()
    if is_study:
        runs = {line.key: line for line in read_lines(Path(folder) / FILE, RunLine, "run")}
        rows, noun = [_run(line) for line in runs.values()], "run"
        hint = f"the same `pavane study ... -o {folder}` prints its table of methods without new runs"
    else:
        replans = {line.key: line for line in read_lines(Path(folder) / REPLANS, ReplanLine, "re-plan")}
        rows, noun = [_replan(line) for line in replans.values()], "re-plan"
        hint = f"the same `pavane faults ... -o {folder}` prints its table of faults without new searches"
    if as_json:
        print_json(rows)
        return
    print_report([f"folder      {folder}: {counted(len(rows), noun)}; {hint}"])
    problems = list(dict.fromkeys(row["problem"] for row in rows))
    print_report(f"problem {number:<4}{problem}" for number, problem in enumerate(problems, 1))
    if rows:
        print_table(Table.from_records([{**row, "problem": problems.index(row["problem"]) + 1} for row in rows]))


def _run(line: RunLine) -> dict[str, str | int | float | None]:
    return {
        "problem": line.about,
        "method": named[1] if (named := re.search(r"name='([^']+)'", line.solver)) else line.solver,
        "seed": line.seed,
        "target": line.steps,
        "found": line.found,
        "evaluations": line.evaluations,
        "seconds": round(line.seconds, 3),
    }


def _replan(line: ReplanLine) -> dict[str, str | int | float | None]:
    return {
        "problem": line.about,
        "status": line.outcome,
        "steps": line.steps,
        "bound": line.bound,
        "method": line.solver,
        "seed": line.seed,
        "seconds": round(line.seconds, 3),
    }
