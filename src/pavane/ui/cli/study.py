"""`pavane study`: solvers on one problem with many seeds, side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from pavane.errors import InputError
from pavane.io.request import Request, refuse_times
from pavane.text import counted
from pavane.ui.cli.notes import note
from pavane.ui.cli.options import option, seconds_option
from pavane.ui.cli.pool_options import PoolOptions
from pavane.ui.cli.progress import show_progress
from pavane.ui.cli.run_views import RunOutput
from pavane.ui.description import headline

if TYPE_CHECKING:
    from pavane.campaign.solver_study import Study
    from pavane.model.problem import Problem


@dataclass(frozen=True)
class StudyOptions:
    """Which solvers run, how often and for how long."""

    method: Annotated[
        list[str] | None,
        option(
            "--method NAME[:SETTINGS]",
            "A solver, with settings of its own like umda:polish=4,radius=1. May be repeated.",
        ),
    ] = None
    steps: Annotated[int | None, option("--steps S", "Steps to reach. [default: the best quick bound]")] = None
    seeds: Annotated[int, option("--seeds N", "Runs of each method: seeds 0 to N-1.", min=1)] = 20
    evaluations: Annotated[int | None, option("--evaluations N", "Maximum evaluations of a run.", min=1)] = None
    seconds: Annotated[float | None, seconds_option("--time", "Stop each run after this time.")] = None


def command(request: Request, runs: StudyOptions, pool: PoolOptions, output: RunOutput) -> None:
    """Run solvers with many seeds; report how often and how soon they succeed."""
    if not runs.method:
        raise InputError("no method was named; add --method NAME, as `pavane solvers` lists them")
    made = _run(refuse_times(request.problem(), "a study"), runs, pool, output)
    limits = [] if runs.evaluations is None else [counted(runs.evaluations, "evaluation")]
    limits += [] if runs.seconds is None else [f"{runs.seconds:g} seconds"]
    head = [
        *headline(made.problem, request.collective),
        f"target      {counted(made.num_steps, made.problem.rules.step_word)}, {counted(len(made.seeds), 'seed')}",
        f"budget      {' and '.join(limits) + ' a run' if limits else 'as the solvers are set'}",
    ]
    output.present(made, head, about={"steps": made.num_steps})


def _run(problem: Problem, runs: StudyOptions, pool: PoolOptions, output: RunOutput) -> Study:
    from pavane.bounds import counted_bounds
    from pavane.campaign.methods import solver_of
    from pavane.campaign.solver_study import study
    from pavane.search.options import SearchOptions

    solvers = [solver_of(method) for method in runs.method or ()]
    if runs.evaluations is not None and all(solver.supports.procedure != "search" for solver in solvers):
        raise InputError(
            f"--evaluations limits what a solver counts, and {solvers[0].name} counts nothing; leave it out"
        )
    output.refuse(draws=True)
    bound = counted_bounds(problem)[0].figure
    if runs.steps is not None and 1 <= runs.steps < bound:
        note(f"no schedule has fewer than {counted(bound, problem.rules.step_word)} here, so every run will fail")
    with pool.open(problem, len(solvers) * runs.seeds) as workers, show_progress() as on_progress:
        return study(
            problem,
            solvers,
            SearchOptions(seconds=runs.seconds, evaluations=runs.evaluations, workers=workers, on_progress=on_progress),
            num_steps=bound if runs.steps is None else runs.steps,
            seeds=runs.seeds,
            file=output.file,
        )
