"""`python -m papers`: the tables of the seed papers, redone and compared, and their open questions, answered."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

from pavane.errors import InputError
from pavane.ui.cli import options
from pavane.ui.cli.options import argument, option, seconds_option
from pavane.ui.cli.outputs import refuse_plot, write_plot
from pavane.ui.cli.pool_options import PoolOptions
from pavane.ui.cli.report import print_json, print_lines, print_report

if TYPE_CHECKING:
    from collections.abc import Sequence

    from papers.tables import PaperTable, RedoOptions
    from pavane.parallel.pools import Workers
    from pavane.solvers import Solver


MOST_EVALUATIONS = 1_000_000


@dataclass(frozen=True)
class RedoGroup:
    """How tables are redone."""

    method: Annotated[
        str | None, option("--method umda|mboa|hgsa", "Redo it with a solver of the papers. [default: auto]")
    ] = None
    settings: Annotated[list[str] | None, option("--set NAME=VALUE", "A setting of the method.")] = None
    seeds: Annotated[int, option("--seeds N", "Runs of the method for each figure: success rates.", min=0)] = 0
    evaluations: Annotated[
        int | None, option("--evaluations N", "The most of a run of the method. [default: 1000000]", min=1)
    ] = None
    seed: options.SeedOption = 0
    seconds: Annotated[float | None, seconds_option("--time", "The most for one figure.")] = None

    def solver(self) -> Solver | None:
        """Return the solver that is named; None: auto."""
        if self.method is not None and self.method != "auto":
            from papers.paper_solvers import solver_of_paper

            return solver_of_paper(self.method, self.settings or [])
        if self.settings:
            raise InputError("--set belongs to a method; name it, for example --method umda")
        return None

    def _refuse(self, solver: Solver | None) -> None:
        """Refuse what would change nothing."""
        if solver is None and self.seeds:
            raise InputError("--seeds counts the successes of one method; name it, for example --method umda")
        if solver is None and self.evaluations is not None:
            raise InputError("--evaluations limits the runs of a method; name it, for example --method umda")
        if solver is not None and solver.supports.procedure != "search" and self.evaluations is not None:
            raise InputError(f"--evaluations limits what a solver counts, and {solver.name} counts nothing")
        if self.seeds and self.seed:
            raise InputError(f"--seeds {self.seeds} runs seeds 0 to {self.seeds - 1}; leave --seed out")

    def ours(self) -> RedoOptions:
        """Return what tables are redone with."""
        from papers.tables import RedoOptions

        solver = self.solver()
        self._refuse(solver)
        return RedoOptions(solver, self.seeds, self.evaluations or MOST_EVALUATIONS, self.seed, self.seconds)


@dataclass(frozen=True)
class PaperPoolOptions(PoolOptions):
    """Workers: all cores by default."""

    workers: Annotated[
        int | None, option("--workers N", "Processes. [default: as many as cores; of a cluster: all]")
    ] = None


@dataclass(frozen=True)
class PaperOutputOptions:
    """The output."""

    as_json: options.JsonOption = False
    markdown: Annotated[bool, option("--markdown", "Print Markdown.")] = False
    plot: Annotated[
        str | None, option("--plot FILE", "With --seeds: draw success rates; of one open question: its picture.")
    ] = None


def command(
    *,
    which: Annotated[
        list[str],
        argument(
            "list|all|PAPER [TABLE...]|open [NUMBER...]",
            "What to redo: a paper (gecco07, gecco08, noc) and its tables; no table: all of the paper. Or which "
            "open questions of the papers to answer; no number: all that take minutes; `open list` lists them.",
        ),
    ],
    redoing: RedoGroup,
    pool: PaperPoolOptions,
    table: PaperOutputOptions,
) -> None:
    """Redo tables of the seed papers, side by side with what they print, or answer their open questions."""
    from papers.plots import plot_success
    from papers.tables import TABLES

    if table.as_json and table.markdown:
        raise InputError("--json and --markdown are two forms of one answer; choose one")
    if which[0] == "open":
        _open(which[1:], redoing, pool, table)
        return
    if which == ["list"]:
        if (redoing, pool, table) != (RedoGroup(), PaperPoolOptions(), PaperOutputOptions(table.as_json)):
            raise InputError("list reproduces nothing and goes with --json only; leave out the rest")
        _list(TABLES, table.as_json)
        return
    chosen = _chosen(which)
    ours = redoing.ours()
    if table.plot is not None and not redoing.seeds:
        raise InputError("--plot draws success rates, which need runs; add --method and --seeds")
    refuse_plot(table.plot)
    with pool.open() as workers:
        # A study uses the workers for its runs, so tables are redone one after the other.
        redone = _redo(chosen, replace(ours, workers=workers if ours.seeds else 1), 1 if ours.seeds else workers, table)
    write_plot(table.plot, lambda: plot_success(redone))
    if table.as_json:
        print_json(redone)


def _open(numbers: list[str], redoing: RedoGroup, pool: PaperPoolOptions, table: PaperOutputOptions) -> None:
    """List open questions of the papers, or answer them."""
    from papers.open_questions.command import answer_questions, list_questions, requested_questions
    from pavane.search.options import SearchOptions

    if numbers == ["list"]:
        if (redoing, pool, table) != (RedoGroup(), PaperPoolOptions(), PaperOutputOptions(table.as_json)):
            raise InputError("open list answers nothing and goes with --json only; leave out the rest")
        list_questions(table.as_json)
        return
    if replace(redoing, seed=0, seconds=None) != RedoGroup():
        raise InputError("open questions are answered by auto; leave out --method, --set, --seeds and --evaluations")
    questions = requested_questions(numbers)
    form = "json" if table.as_json else "markdown" if table.markdown else "text"
    with pool.open() as workers:
        answer_questions(questions, SearchOptions(redoing.seed, redoing.seconds), workers, form=form, plot=table.plot)


def _list(tables: Sequence[PaperTable], as_json: bool) -> None:
    if as_json:
        print_json([{"paper": one.paper, "table": one.number, "title": one.title} for one in tables])
    else:
        print_report(f"{one.paper:8} {one.number:5} {one.title}" for one in tables)


def _chosen(which: list[str]) -> list[PaperTable]:
    """Return the tables that the arguments name: all, those of a paper, or single ones."""
    from papers.tables import TABLES, table_named

    if which == ["all"]:
        return list(TABLES)
    if len(which) == 1:
        return [table for table in TABLES if table.paper == which[0]] or [table_named(which[0], "")]
    return [table_named(which[0], number) for number in which[1:]]


def _redo(
    chosen: list[PaperTable], ours: RedoOptions, workers: int | Workers, output: PaperOutputOptions
) -> list[dict[str, Any]]:
    """Redo tables, and print each as soon as it is finished."""
    from papers.table_lines import markdown_lines, text_lines
    from papers.tables import redone

    records: list[dict[str, Any]] = []
    for table, lines in redone(chosen, ours, workers):
        rows = [line.columns() for line in lines]
        records.append({"table": table.name, "title": table.title, "lines": rows})
        if output.markdown:
            print_lines([f"## {table.name}: {table.title}", *markdown_lines(rows), ""])
        elif not output.as_json:
            print_report([f"{table.name}: {table.title}", *text_lines(rows), ""])
        sys.stdout.flush()
    return records
