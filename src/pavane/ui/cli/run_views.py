"""The output of commands that make runs: tables in the terminal and in files, JSON, and the file of the runs."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from pavane.errors import InputError
from pavane.io.files import refuse_unwritable
from pavane.text.table import Column, Table
from pavane.ui.cli import options
from pavane.ui.cli.notes import note
from pavane.ui.cli.options import option
from pavane.ui.cli.outputs import beside, is_stdout, refuse_plot, refuse_two_on_stdout, write_plot, write_text
from pavane.ui.cli.report import print_json, print_lines, print_report, print_table, table_lines
from pavane.ui.cli.signals import ended_by
from pavane.ui.notebook.saving import PICTURES

if TYPE_CHECKING:
    from pavane.campaign.comparison import Comparison
    from pavane.campaign.fault_study import FaultStudy
    from pavane.campaign.solver_study import Study

    RunView: TypeAlias = Study | FaultStudy | Comparison

RUNS = ".jsonl"
"""The ending of a file of runs."""

TABLES = (".csv", ".md")


@dataclass(frozen=True)
class RunOutput:
    """The output."""

    outputs: Annotated[
        list[Path] | None,
        option(
            "-o --output FILE",
            "Store finished runs there, and resume from them (.jsonl), or write the table (.csv, .md; -: CSV to "
            "stdout), or draw a study (.svg, .png, .pdf). May be repeated.",
        ),
    ] = None
    as_json: options.JsonOption = False
    quiet: options.QuietOption = False

    @property
    def file(self) -> Path | None:
        """Return the file of runs; None where they are not stored."""
        return next((path for path in self.outputs or () if path.suffix.lower() == RUNS), None)

    def refuse(self, *, draws: bool = False) -> None:
        """Refuse files that cannot be written, before the runs that fill them."""
        paths = self.outputs or []
        if sum(path.suffix.lower() == RUNS for path in paths) > 1:
            raise InputError(f"-o: runs are stored in one file; name one {RUNS} file")
        for path in paths:
            refuse_two_on_stdout("-o", path, self.as_json)
            if is_stdout(path) or path.suffix.lower() == RUNS:
                continue
            if path.suffix.lower() in TABLES:
                refuse_unwritable(path)
            elif draws and path.suffix.lower() in PICTURES:
                refuse_plot(path)
            else:
                drawn = f", and drawn as {' or '.join(PICTURES)}" if draws else ""
                raise InputError(f"{path}: runs are stored as {RUNS}, written as {' or '.join(TABLES)}{drawn}")

    def present(
        self,
        view: RunView,
        head: Iterable[str],
        below: Iterable[str] = (),
        *,
        shown: Table | None = None,
        about: dict[str, Any],
    ) -> None:
        """Write and print a view; the exit code is 1 if runs failed or an interrupt left some out."""
        for text in view.notes:
            note(text)
        to_stdout = next(filter(is_stdout, self.outputs or ()), None)
        for path in self.outputs or ():
            self._write(path, view)
        if self.as_json:
            print_json({**about, "missing": view.num_missing, **_figures(view)})
        elif not self.quiet:
            with beside(to_stdout):
                print_lines([*head, "", *table_lines(shown or view.table()), *([""] if below else []), *below])
        failed = [run for run in view.runs if run.error is not None]
        for run in failed:
            note(f"{run.about if run.target is None else f'{run.method}, seed {run.seed}'}: {run.error}")
        if view.num_missing:
            hint = "the same command makes the others" if self.file else f"-o FILE{RUNS} would store them"
            num_runs = len(view.runs) + view.num_missing
            note(f"{ended_by()}: {len(view.runs)} of {num_runs} runs are finished; {hint}")
        options.stop(1 if failed or view.num_missing else 0)

    def _write(self, path: Path, view: RunView) -> None:
        ending = path.suffix.lower()
        if is_stdout(path) or ending == ".csv":
            write_text(path, view.table().csv())
        elif ending == ".md":
            write_text(path, "\n".join(view.table().markdown()) + "\n")
        elif ending != RUNS:
            write_plot(path, view.plot)  # type: ignore[union-attr]  # `refuse` admits pictures of studies only


def _figures(view: RunView) -> dict[str, Any]:
    """Return the table and the runs for JSON, which has no infinity."""
    import msgspec

    rows = [
        {name: None if isinstance(value, float) and math.isinf(value) else value for name, value in row.items()}
        for row in view.table().records()
    ]
    return {"rows": rows, "runs": [msgspec.to_builtins(run) for run in view.runs]}


def is_run_file(what: str) -> bool:
    """Return whether an argument names a file of runs."""
    return what.lower().endswith(RUNS)


def print_runs(file: str, as_json: bool) -> None:
    """Print the runs of a file, a line each; one that was made twice is printed once."""
    import msgspec

    from pavane.campaign.runs import read_runs, runs_table

    runs = read_runs(Path(file))
    if as_json:
        print_json([msgspec.to_builtins(run) for run in runs])
        return
    problems = list(dict.fromkeys(run.about for run in runs))
    print_report(f"problem {number:<4}{problem}" for number, problem in enumerate(problems, 1))
    table = runs_table(runs)
    rows = [[problems.index(row[0]) + 1, *row[1:]] for row in table.rows]
    print_table(Table([Column("problem"), *table.columns[1:]], rows).without_empty_columns())
