"""`pavane solve`: find a schedule and say how good it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pavane.errors import InputError
from pavane.io.request import Request
from pavane.jit import clock
from pavane.ui.cli import options
from pavane.ui.cli.atlas_start import AtlasOption, refuse_atlas, solved_from
from pavane.ui.cli.checkpoints import Checkpoint, CheckpointOptions
from pavane.ui.cli.front import FrontOptions, solved_front, tell_front
from pavane.ui.cli.incumbent_writer import kept
from pavane.ui.cli.notes import heed_quiet, note
from pavane.ui.cli.outputs import beside, refuse_output, refuse_two_on_stdout, write_result, writes_soon
from pavane.ui.cli.pieces import solved_pieces, tell_pieces
from pavane.ui.cli.pool_options import CrewOptions
from pavane.ui.cli.progress import of_front, of_pieces, of_search, shown, waited_for
from pavane.ui.cli.report import (
    Told,
    figures,
    print_json,
    print_lines,
    result_lines,
    schedule_lines,
)
from pavane.ui.cli.signals import ended_by

if TYPE_CHECKING:
    from pavane.judge.result import Result
    from pavane.model.problem import Problem
    from pavane.parallel.pools import Workers
    from pavane.search.options import SearchOptions
    from pavane.search.pareto_fronts import ParetoFront
    from pavane.search.pieces import PieceSweep
    from pavane.solvers import Solver
    from pavane.ui.cli.incumbent_writer import Better


LEAST_SECONDS = 0.01
"""What is left of a time limit that making the problem has used up."""


@dataclass(frozen=True)
class SolveFlags:
    """How to search, and for how long."""

    method: Annotated[str, typer.Option("--method", metavar="NAME", help="The solver; auto chooses.")] = "auto"
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="SETTING=VALUE", help="A setting of the solver. May be repeated."),
    ] = None
    device: options.DeviceOption = "cpu"
    steps: Annotated[int | None, typer.Option("--steps", metavar="S", help="Ask for at most so many steps.")] = None
    seed: options.SeedOption = 0
    seconds: Annotated[float | None, options.seconds_option("--time", "End the search then, with the best so far.")] = (
        None
    )
    evaluations: Annotated[
        int | None,
        typer.Option("--evaluations", metavar="N", min=1, help="Limit each call of a solver that counts them."),
    ] = None
    atlas: AtlasOption = None

    def less(self, seconds: float) -> SolveFlags:
        """Return the options with less time, which making the problem took; whatever that was, some is left."""
        if self.seconds is None or not self.seconds > LEAST_SECONDS:
            return self
        return replace(self, seconds=max(LEAST_SECONDS, self.seconds - seconds))

    def options(
        self, workers: Workers, on_progress: Callable[[Any], None], on_improvement: Better, checkpoint: Checkpoint
    ) -> SearchOptions:
        """Return the seed and the limits with workers, callbacks and checkpoint."""
        from pavane.search.options import SearchOptions

        limits = self.seed, self.seconds, self.evaluations
        return SearchOptions(*limits, workers, on_progress, on_improvement, checkpoint.journal)

    def solver(self) -> Solver | None:
        """Return the solver that is described; None where nothing is set and the name of the method says all."""
        if not self.settings and self.device == "cpu":
            return None
        from pavane.search.fewest_steps import solver_named
        from pavane.ui.cli.device import on_device
        from pavane.ui.cli.solvers import solver_from

        if self.method == "auto" and not self.settings:
            raise InputError(f"`device` {self.device}: auto chooses among solvers for processors; add --method umda")
        return on_device(solver_from(self.method, self.settings) or solver_named(self.method), self.device)


@dataclass(frozen=True)
class FileOptions:
    """What to write."""

    output: options.OutputOption = None
    trace: Annotated[
        Path | None,
        typer.Option("--trace", metavar="FILE", help="Draw the conflicts or TCO of the search (.svg, .png, .pdf)."),
    ] = None

    def refuse_unwritable(self, as_json: bool) -> None:
        """Refuse files that cannot be written before the search that fills them."""
        refuse_two_on_stdout("-o", self.output, as_json)
        if self.output is not None:
            refuse_output(self.output)
        if self.trace is not None:
            from pavane.ui.plot.figures import refuse_undrawable

            refuse_undrawable(self.trace)

    def write_last(self, results: list[Result]) -> None:
        """Write the last of some results, each better than those before."""
        assert self.output is not None
        write_result(self.output, results[-1])


@dataclass(frozen=True)
class PrintOptions:
    """What to print."""

    is_printed: options.PrintOption = False
    as_json: options.JsonOption = False
    quiet: options.QuietOption = False

    def refuse(self) -> None:
        """Refuse two forms of one answer."""
        if self.as_json and self.is_printed:
            raise InputError("--json prints figures, and --print the schedule; leave one of them out")

    def refuse_several(self, why: str) -> None:
        """Refuse to print a schedule where there may be several."""
        if self.is_printed:
            raise InputError(
                f"--print prints one schedule, and {why} finds several; keep one with -o FILE, and `pavane show` "
                "prints it"
            )


@options.grouped
def command(
    request: Request,
    search: SolveFlags,
    crew: CrewOptions,
    files: FileOptions,
    checkpoints: CheckpointOptions,
    wanted: FrontOptions,
    printing: PrintOptions,
) -> None:
    """Find a schedule and prove how good it is."""
    from pavane.search.synthesis import is_front_wanted

    heed_quiet(printing.quiet)
    printing.refuse()
    started = clock.now()
    is_one = request.has_one_piece_count
    with waited_for(f"reading {request.network}"):
        problem = (request if is_one else request.in_single_pieces()).problem()
    search = search.less(clock.now() - started)
    files.refuse_unwritable(printing.as_json)
    solver = search.solver()
    if not is_one:
        _refuse_with_several(request, search, files)
        printing.refuse_several(f"--pieces {request.pieces}")
    is_front, is_traced = is_front_wanted(problem, search.method, search.steps), files.trace is not None
    refuse_atlas(search.atlas, is_combining=problem.rules.combining, has_pieces=not is_one, is_traced=is_traced)
    checkpoint = checkpoints.opened(files.output, problem, _deciding(request, search, solver))
    if is_front:
        printing.refuse_several("--combining without --method and --steps")
        find = partial(_found_front, request, search, crew, checkpoint)
        front = solved_front(problem, files.output, wanted, find, is_joint=not is_one)
        checkpoint.close(interrupted=front.interrupted)
        told = Told(files.output, request.collective, printing.as_json, printing.quiet)
        with beside(files.output):
            tell_front(front, told, wanted.weights())
        if files.trace is not None:
            _draw_front(files.trace, front)
        options.stop(0 if front.points else 1)
    if not is_one:
        sweep = partial(_found_pieces, request, solver, search, crew, checkpoint)
        found = solved_pieces(problem, files.output, wanted, sweep)
        checkpoint.close(interrupted=found.interrupted)
        told = Told(files.output, request.collective, printing.as_json, printing.quiet)
        with beside(files.output):
            tell_pieces(found, told, wanted.weights())
        options.stop(0 if found.solved else 1)
    wanted.refuse()
    _refuse_uncounted(problem, search, files)
    with kept(files.write_last if writes_soon(files.output) else None) as better:
        solve = partial(_solved, problem, solver, search, crew, checkpoint, better)
        result = solve() if search.atlas is None else _from_atlas(problem, search, solve)
    if files.output is not None and result.schedule is not None:
        write_result(files.output, result)
    checkpoint.close(interrupted=result.interrupted)
    for text in result.notes:
        note(text)
    if result.interrupted:
        note(f"{ended_by()}: this is the best so far")
    with beside(files.output):
        _tell(result, files.output, request.collective, printing)
    if files.trace is not None:
        _draw_trace(files.trace, result)
    options.stop(0 if result.schedule is not None else 1)


def _refuse_with_several(request: Request, search: SolveFlags, files: FileOptions) -> None:
    """Refuse what asks for one schedule where several numbers of pieces are tried."""
    if search.steps is not None:
        raise InputError(
            f"--steps {search.steps} asks for one schedule, and --pieces {request.pieces} tries several numbers of "
            "pieces; give one number of pieces, or leave --steps out"
        )
    if files.trace is not None:
        raise InputError(f"--trace draws one search, and --pieces {request.pieces} makes several; give one number")


def _deciding(request: Request, search: SolveFlags, solver: Solver | None) -> dict[str, object]:
    """Return what decides the answer besides the problem and the time, by the names of parameters."""
    return {
        "method": search.method,
        "settings": None if solver is None else repr(solver),
        "num_steps": search.steps,
        "seed": search.seed,
        "evaluations": search.evaluations,
        "pieces": None if request.has_one_piece_count else request.pieces,
        "atlas": search.atlas,
    }


def _found_front(
    request: Request,
    search: SolveFlags,
    crew: CrewOptions,
    checkpoint: Checkpoint,
    problem: Problem,
    better: Better,
) -> ParetoFront:
    from pavane.search.pareto_over_pieces import pareto_front_over_pieces
    from pavane.search.pareto_search import pareto_front

    with crew.hired(problem) as workers, shown(of_front) as progress, checkpoint.searching():
        options = search.options(workers, progress, better, checkpoint)
        if request.has_one_piece_count:
            found = pareto_front(problem, options)
        else:
            found = pareto_front_over_pieces(problem, request.piece_counts, options)
    return replace(found, seconds=checkpoint.seconds(found.seconds))


def _found_pieces(
    request: Request,
    solver: Solver | None,
    search: SolveFlags,
    crew: CrewOptions,
    checkpoint: Checkpoint,
    problem: Problem,
    better: Better,
) -> PieceSweep:
    from pavane.search.pieces import sweep_pieces

    with crew.hired(problem) as workers, shown(of_pieces) as progress, checkpoint.searching():
        options = search.options(workers, progress, better, checkpoint)
        found = sweep_pieces(problem, request.piece_counts, options, method=search.method, solver=solver)
    return replace(found, seconds=checkpoint.seconds(found.seconds))


def _refuse_uncounted(problem: Problem, search: SolveFlags, files: FileOptions) -> None:
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


def _from_atlas(problem: Problem, search: SolveFlags, solve: Callable[[Result | None], Result]) -> Result:
    assert search.atlas is not None
    return solved_from(
        search.atlas, problem, solve, asked=search.steps, seconds=search.seconds, evaluations=search.evaluations
    )


def _solved(
    problem: Problem,
    solver: Solver | None,
    search: SolveFlags,
    crew: CrewOptions,
    checkpoint: Checkpoint,
    better: Better,
    known: Result | None = None,
) -> Result:
    from pavane.search.synthesis import solve

    deadline = None if search.seconds is None else clock.now() + search.seconds
    with crew.hired(problem) as workers, shown(of_search) as progress, checkpoint.searching():
        options = search.options(workers, progress, better, checkpoint)
        result = solve(problem, options, method=search.method, solver=solver, num_steps=search.steps, start=known)
    about = replace(result.provenance, seconds=checkpoint.seconds(result.provenance.seconds))
    result = result.amended(provenance=about)
    if problem.collective.is_plain or problem.rules.combining or result.interrupted:
        return result
    from pavane.search.pieces import with_fractional_bound

    try:
        return with_fractional_bound(result, deadline)
    except KeyboardInterrupt:
        return result.amended(interrupted=True)


def _draw_trace(file: Path, result: Result) -> None:
    from pavane.ui.plot.figures import axes_or_new, write_figure
    from pavane.ui.plot.loads import plot_trace

    if result.run is None or not result.run.trace:
        note(f"{file} is not drawn: no conflicts were counted, as where the answer is known without a search")
        return
    ax = axes_or_new(None)
    plot_trace(result.run, ax=ax, label=f"{result.provenance.solver}, {result.problem.collective.kind}")
    write_figure(file, ax)


def _draw_front(file: Path, front: ParetoFront) -> None:
    from pavane.ui.plot.figures import axes_or_new, write_figure
    from pavane.ui.plot.loads import plot_front_trace

    ax = axes_or_new(None)
    plot_front_trace(front, ax=ax)
    write_figure(file, ax)


def _tell(result: Result, output: Path | None, typed: str | None, printing: PrintOptions) -> None:
    """Print a result."""
    if printing.as_json:
        print_json(figures(result, output))
    elif not printing.quiet:
        print_lines(result_lines(result, output, typed, is_printed=printing.is_printed))
    elif printing.is_printed and result.schedule is not None:
        print_lines(schedule_lines(result))
