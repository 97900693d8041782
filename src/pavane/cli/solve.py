"""`pavane solve`: find a schedule and say how good it is."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pavane.cli import options
from pavane.cli.front import FrontOptions, solved_fronts, tell_fronts
from pavane.cli.notes import note
from pavane.cli.outputs import beside, is_stdout, of_part, refuse_output, refuse_two_on_stdout, write_result
from pavane.cli.pieces import solved_pieces, tell_pieces
from pavane.cli.progress import of_front, of_pieces, of_search, shown
from pavane.cli.report import figures, print_json, print_lines, result_lines
from pavane.errors import InputError
from pavane.formats.request import Request
from pavane.words import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pavane.judge.result import Result
    from pavane.model.problem import Problem
    from pavane.search.fronts import Front
    from pavane.search.pieces import FoundPieces
    from pavane.solvers import Solver


LEAST_SECONDS = 0.01
"""What is left of a time limit that making the problem has used up."""


@dataclass(frozen=True)
class SearchOptions:
    """How to search, and for how long."""

    method: Annotated[str, typer.Option("--method", metavar="NAME", help="The solver; auto chooses.")] = "auto"
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="SETTING=VALUE", help="A setting of the solver. May be repeated."),
    ] = None
    steps: Annotated[int | None, typer.Option("--steps", metavar="S", help="Ask for at most so many steps.")] = None
    seed: options.SeedOption = 0
    seconds: Annotated[
        float | None, typer.Option("--time", metavar="SECONDS", help="End the search then, with the best so far.")
    ] = None
    evaluations: Annotated[
        int | None,
        typer.Option("--evaluations", metavar="N", min=1, help="Limit each call of a solver that counts them."),
    ] = None
    workers: Annotated[int, typer.Option("--workers", metavar="N", help="Processes to search with.")] = 1

    def less(self, seconds: float) -> SearchOptions:
        """Return the options with less time, which making the problem took; whatever that was, some is left."""
        if self.seconds is None or not self.seconds > LEAST_SECONDS:
            return self
        return replace(self, seconds=max(LEAST_SECONDS, self.seconds - seconds))


@dataclass(frozen=True)
class FileOptions:
    """What to write."""

    output: options.OutputOption = None
    trace: Annotated[
        Path | None,
        typer.Option("--trace", metavar="FILE", help="Draw the conflicts or TCO of the search (.svg, .png, .pdf)."),
    ] = None

    def of_parts(self, parts: Sequence[Request]) -> list[Path | None]:
        """Return the schedule file of each part: that of an allgather is result.allgather.json."""
        if self.output is None or len(parts) == 1:
            return [self.output] * len(parts)
        if is_stdout(self.output):
            raise InputError("-o - takes one schedule, and an allreduce has two; name a file: each part gets its own")
        return [of_part(self.output, str(part.collective)) for part in parts]

    def refuse_unwritable(self, outputs: Sequence[Path | None], as_json: bool) -> None:
        """Refuse files that cannot be written before the search that fills them."""
        refuse_two_on_stdout("-o", self.output, as_json)
        for file in outputs:
            if file is not None:
                refuse_output(file)
        if self.trace is not None:
            from pavane.plot.figures import refuse_undrawable

            refuse_undrawable(self.trace)


@options.grouped
def command(
    request: Request,
    search: SearchOptions,
    files: FileOptions,
    wanted: FrontOptions,
    as_json: options.JsonOption = False,
) -> None:
    """Find a schedule and prove how good it is."""
    from pavane.cli.solvers import solver_from
    from pavane.search.synthesis import is_front_wanted

    started = time.monotonic()
    parts = (request,)
    is_one = request.has_one_piece_count
    problems = [(part if is_one else part.in_single_pieces()).problem() for part in parts]
    search = search.less(time.monotonic() - started)
    outputs = files.of_parts(parts)
    files.refuse_unwritable(outputs, as_json)
    solver = solver_from(search.method, search.settings)
    if not is_one:
        _refuse_with_several(request, search, files)
    is_front = is_front_wanted(problems[0], search.method, search.steps)
    if not is_one and not is_front:
        tables = solved_pieces(problems, outputs, wanted, partial(_found_pieces, request, solver, search))
        with beside(outputs):
            tell_pieces(tables, outputs, wanted.weights(), as_json)
        options.stop(0 if len(tables) == len(parts) and all(found.solved for found in tables) else 1)
    if is_front:
        fronts = solved_fronts(problems, outputs, wanted, partial(_found_front, request, search))
        with beside(outputs):
            tell_fronts(fronts, outputs, wanted.weights(), as_json)
        if files.trace is not None:
            _draw_fronts(files.trace, fronts)
        options.stop(0 if len(fronts) == len(parts) and all(found.points for found in fronts) else 1)
    wanted.refuse()
    _refuse_uncounted(problems[0], search, files)
    results = []
    for problem, file in zip(problems, outputs, strict=True):
        results.append(_solved(problem, solver, search))
        _write(file, results[-1])
        for text in results[-1].notes:
            note(text)
        if results[-1].interrupted:
            note("interrupted: this is the best so far")
            break
    with beside(outputs):
        _tell(results, outputs, as_json)
    if files.trace is not None:
        _draw_trace(files.trace, results)
    options.stop(0 if len(results) == len(parts) and all(result.schedule is not None for result in results) else 1)


def _refuse_with_several(request: Request, search: SearchOptions, files: FileOptions) -> None:
    """Refuse what asks for one schedule where several numbers of pieces are tried."""
    if search.steps is not None:
        raise InputError(
            f"--steps {search.steps} asks for one schedule, and --pieces {request.pieces} tries several numbers of "
            "pieces; give one number of pieces, or leave --steps out"
        )
    if files.trace is not None:
        raise InputError(f"--trace draws one search, and --pieces {request.pieces} makes several; give one number")


def _found_front(request: Request, search: SearchOptions, problem: Problem) -> Front:
    from pavane.search.front_search import front
    from pavane.search.joint_fronts import joint_front

    is_one = request.has_one_piece_count
    with shown(of_front) as progress:
        return (front if is_one else partial(joint_front, pieces=request.piece_counts))(
            problem,
            seed=search.seed,
            seconds=search.seconds,
            evaluations=search.evaluations,
            workers=search.workers,
            progress=progress,
        )


def _found_pieces(request: Request, solver: Solver | None, search: SearchOptions, problem: Problem) -> FoundPieces:
    from pavane.search.pieces import find_pieces

    with shown(of_pieces) as progress:
        return find_pieces(
            problem,
            request.piece_counts,
            method=search.method,
            solver=solver,
            seed=search.seed,
            seconds=search.seconds,
            evaluations=search.evaluations,
            workers=search.workers,
            progress=progress,
        )


def _refuse_uncounted(problem: Problem, search: SearchOptions, files: FileOptions) -> None:
    """Refuse limits and pictures of what the method does not count."""
    from pavane.search.fewest_steps import solver_named
    from pavane.solvers import UNCOUNTED

    if search.evaluations is not None and search.method in UNCOUNTED:
        raise InputError(f"--evaluations limits what a solver counts, and {search.method} counts nothing; leave it out")
    # Who has evaluations of its own counts conflicts, and auto asks none of those.
    traced = search.method != "auto" and hasattr(solver_named(search.method), "most_evaluations")
    if files.trace is not None and not traced:
        front = "leave out --method and --steps, and the TCO of the whole front is drawn"
        hint = front if problem.rules.combining else "add --method umda, for example"
        raise InputError(f"--trace draws conflicts, and {search.method} counts none; {hint}")


def _solved(problem: Problem, solver: Solver | None, search: SearchOptions) -> Result:
    from pavane.search.pieces import with_fractional_bound
    from pavane.search.synthesis import synthesize

    deadline = None if search.seconds is None else time.monotonic() + search.seconds
    with shown(of_search) as progress:
        result = synthesize(
            problem,
            method=search.method,
            solver=solver,
            num_steps=search.steps,
            seed=search.seed,
            seconds=search.seconds,
            evaluations=search.evaluations,
            workers=search.workers,
            progress=progress,
        )
    if problem.collective.is_plain or problem.rules.combining or result.interrupted:
        return result
    try:
        return with_fractional_bound(result, deadline)
    except KeyboardInterrupt:
        return result.amended(interrupted=True)


def _write(file: Path | None, result: Result) -> None:
    if file is not None and result.schedule is not None:
        write_result(file, result)


def _draw_trace(file: Path, results: Sequence[Result]) -> None:
    from pavane.plot.figures import axes_or_new, write_figure
    from pavane.plot.loads import plot_trace

    counting = [result for result in results if result.run is not None and result.run.trace]
    if not counting:
        raise InputError("--trace draws conflicts, and this method counts none; choose one that does, such as umda")
    ax = axes_or_new(None)
    for result in counting:
        assert result.run is not None
        plot_trace(result.run, ax=ax, label=f"{result.provenance.solver}, {result.problem.collective.kind}")
    write_figure(file, ax)


def _draw_fronts(file: Path, fronts: Sequence[Front]) -> None:
    from pavane.plot.figures import axes_or_new, write_figure
    from pavane.plot.loads import plot_front_trace

    ax = axes_or_new(None)
    for found in fronts:
        label = found.problem.collective.kind if len(fronts) > 1 else None
        plot_front_trace(found, ax=ax, label=label)
    write_figure(file, ax)


def _tell(results: Sequence[Result], outputs: Sequence[Path | None], as_json: bool) -> None:
    """Print each result, and for an allreduce the steps of both parts together."""
    steps = [result.num_steps for result in results if result.num_steps is not None]
    total = sum(steps) if len(steps) == len(results) else None
    pairs = list(zip(results, outputs, strict=False))  # an interrupt leaves parts out
    if as_json:
        told = [figures(result, file) for result, file in pairs]
        whole = {"network": told[0]["network"], "collective": "ALLREDUCE", "steps": total, "parts": told}
        print_json(told[0] if len(told) == 1 else whole)
        return
    for result, file in pairs:
        print_lines(result_lines(result, file))
    if len(results) > 1 and total is not None:
        print(f"allreduce   {counted(total, 'step')}: a reduce-scatter, then an allgather")
