"""`pavane paper`: the tables of the seed papers, redone and compared."""

from __future__ import annotations

import json
import os
from typing import Annotated, Any

import typer

from pavane.cli import options
from pavane.errors import InputError


def paper(
    which: Annotated[
        list[str],
        typer.Argument(
            metavar="list|all|PAPER [TABLE...]",
            help="What to redo: a paper (gecco07, gecco08, noc) and its tables; no table: all of the paper.",
            show_default=False,
        ),
    ],
    method: Annotated[
        str | None,
        typer.Option("--method", metavar="umda|mboa|hgsa", help="Redo it with a solver of the papers. [default: auto]"),
    ] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="A setting of the method.")
    ] = None,
    seeds: Annotated[
        int, typer.Option("--seeds", metavar="N", min=0, help="Runs of the method for each figure: success rates.")
    ] = 0,
    evaluations: Annotated[
        int, typer.Option("--evaluations", metavar="N", min=1, help="The most of each of those runs.")
    ] = 1_000_000,
    seed: Annotated[int, typer.Option("--seed", metavar="N", min=0, help="Same seed, same answer.")] = 0,
    seconds: Annotated[float | None, typer.Option("--time", metavar="SECONDS", help="The most for one figure.")] = None,
    workers: Annotated[
        int | None, typer.Option("--workers", metavar="N", min=1, help="Processes. [default: as many as cores]")
    ] = None,
    as_json: options.JsonOption = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown.")] = False,
    plot: Annotated[
        str | None, typer.Option("--plot", metavar="FILE", help="With --seeds: draw success rates and evaluations.")
    ] = None,
) -> None:
    """Redo tables of the seed papers, side by side with what they print."""
    from pavane.studies.papers import TABLES, Ours, redone, table_named
    from pavane.studies.papers.written import markdown_lines, text_lines

    if which == ["list"]:
        for table in TABLES:
            print(f"{table.paper:8} {table.number:5} {table.title}")
        return
    if which == ["all"]:
        chosen = list(TABLES)
    elif len(which) == 1:
        chosen = [table for table in TABLES if table.paper == which[0]] or [table_named(which[0], "")]
    else:
        chosen = [table_named(which[0], number) for number in which[1:]]
    if seeds and method is None:
        raise InputError("--seeds counts the successes of one method; name it, for example --method umda")
    if plot is not None:
        from pavane.plot.figures import refuse_undrawable

        if not seeds:
            raise InputError("--plot draws success rates, which need runs; add --method and --seeds")
        refuse_undrawable(plot)
    solver = None
    if method is not None and method != "auto":
        from pavane.search.settings import configured
        from pavane.search.synthesis import solver_named

        solver = configured(solver_named(method), settings or [])
    elif settings:
        raise InputError("--set belongs to a method; name it, for example --method umda")
    # A study uses the processes for its runs, otherwise tables are redone side by side.
    processes = workers or os.cpu_count() or 1
    ours = Ours(solver, seeds, evaluations, seed, seconds, processes if seeds else 1)
    told: list[dict[str, Any]] = []
    for table, lines in redone(chosen, ours, 1 if seeds else processes):
        rows = [line.columns() for line in lines]
        told.append({"table": table.name, "title": table.title, "lines": rows})
        if not as_json:
            print(f"{'## ' if markdown else ''}{table.name}: {table.title}")
            for text in (markdown_lines if markdown else text_lines)(rows):
                print(text)
            print(flush=True)
    if plot is not None:
        from pavane.plot.figures import write_figure
        from pavane.plot.papers import plot_success

        write_figure(plot, plot_success(told))
    if as_json:
        print(json.dumps(told, indent=1))
