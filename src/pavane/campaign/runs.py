"""The run table: a line for each search, in a file or in memory; studies, comparisons and faults are views of it.

A run is a search by one method with one seed for one problem. Its line says what was found, what is proven, and how
long it took. Tables are JSON lines: they can be joined with `cat`, and runs that are in a file are not made again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import msgspec

from pavane.campaign.sharing import Deadline, in_passes
from pavane.errors import InputError, InvalidSchedule, in_one_line, is_interrupt
from pavane.jit import clock
from pavane.judge.result import Provenance, Result
from pavane.model.bound import Bound
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.parallel.budget import Budget
from pavane.parallel.campaign import Campaign
from pavane.parallel.finished_lines import FinishedLines, read_lines
from pavane.parallel.pools import as_workers
from pavane.parallel.tasks import TaskContext, WorkerLost
from pavane.search.fewest_steps import find_or_interrupt
from pavane.search.options import SearchOptions
from pavane.solvers import Solver
from pavane.text import VERSION
from pavane.text.table import Table
from pavane.timing import profile

WARM_UP_SECONDS = 5.0
"""Time limit of the warm-up of solvers that do not count evaluations; its result is not used."""

USED_UP = 0.8
"""A search that took this part of its share or more might find more in a larger share."""

COLUMNS = (
    *("about", "method", "seed", "target", "status", "figure", "bound"),
    *("evaluations", "conflicts", "seconds", "solver", "error"),
)
"""The columns of a table of runs, for people and for data frames."""

Status = Literal["optimal", "feasible", "unknown", "failed"]

Parts = tuple[Schedule | None, tuple[Bound, ...], Provenance]
"""What a search returns from its worker if it may be continued; it is judged in this process."""


class RunLine(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    forbid_unknown_fields=True,
    omit_defaults=True,
    tag_field="format",
    tag="pavane/run/1",
):
    """A search and its result: a line of the table."""

    problem: str = ""
    """The digest of the problem; empty in tables without a file."""
    about: str = ""
    """The problem in words."""
    method: str
    """The solver with its settings, or `auto`."""
    seed: int
    target: int | None = None
    """The requested steps; None: as few as possible."""
    most_evaluations: int | None = None
    most_seconds: float | None = None
    figure: int | None = None
    """Steps of the schedule; None: no schedule was found."""
    bound: int | None = None
    """The lower bound on the steps."""
    proven: bool = False
    """Whether no schedule has fewer steps."""
    tco: int | None = None
    hops: int | None = None
    """The sum over steps of the longest path; times of messages depend on it."""
    evaluations: int | None = None
    """None: the method does not count them."""
    seconds: float = 0.0
    trace: tuple[tuple[int, int], ...] = ()
    """Evaluations made and conflicts left, at every improvement."""
    solver: str = ""
    """The solver that gave the schedule."""
    version: str = ""
    error: str | None = None
    """What the search raised, in one line; such a run is neither a success nor a failure, and is not stored."""

    @property
    def key(self) -> tuple[Any, ...]:
        """Return what makes two runs the same run."""
        return self.problem, self.method, self.seed, self.target, self.most_evaluations, self.most_seconds

    @property
    def is_success(self) -> bool:
        """Whether the run found a schedule, of the requested steps if there are such."""
        return self.figure is not None

    @property
    def status(self) -> Status:
        """Return whether there is a schedule, and whether it is proven to have the fewest steps."""
        if self.figure is not None:
            return "optimal" if self.proven else "feasible"
        return "unknown" if self.error is None else "failed"

    @property
    def conflicts(self) -> int | None:
        """Return the fewest conflicts of the run; None if the method does not count them."""
        return min((left for _, left in self.trace), default=None)


@dataclass(frozen=True)
class RunRequest:
    """A run that is requested."""

    name: str
    """What progress reports call it."""
    problem: Problem
    solver: Solver | None = None
    """None: the choice among all solvers."""
    method: str = "auto"
    seed: int = 0
    num_steps: int | None = None


@dataclass(frozen=True)
class RunTable:
    """The runs that were made, by the number of the search, and whether an interrupt (Ctrl-C) left some out."""

    runs: Mapping[int, RunLine]
    interrupted: bool = False
    notes: tuple[str, ...] = ()
    """Problems with the file, a line each."""


def make_runs(
    searches: Sequence[RunRequest],
    options: SearchOptions,
    path: Path | None = None,
    *,
    shares_time: bool = False,
    known: Mapping[int, RunLine] | None = None,
) -> RunTable:
    """Make the runs that are not in the file, and add them to it.

    An interrupt (Ctrl-C) ends the runs: the finished ones are returned; with none the interrupt is raised. An error of
    a run, or the loss of its worker, spoils no other run.

    Args:
        searches: The runs to make.
        options: The limits of each run, the workers, and the callback for progress.
        path: A file of runs (JSON lines), which is made if it is not there.
        shares_time: Whether `seconds` limits all runs together; then each has a share.
        known: Runs that need no search.
    """
    notes: list[str] = []
    deadline = Deadline.after(options.seconds if shares_time else None)
    digests: dict[Problem, str] = {}
    if path is not None:
        digests = {problem: problem.digest() for problem in dict.fromkeys(search.problem for search in searches)}
    requests = [_request(search, options, digests.get(search.problem, "")) for search in searches]
    with FinishedLines(path, RunLine, "run", notes.append) as file:
        stored = {run.key: run for run in file.lines} if path is not None else {}
        campaign = Campaign[int, RunLine](
            len(searches),
            lambda number: searches[number].name,
            options.on_progress,
            known={n: stored[request.key] for n, request in enumerate(requests) if request.key in stored}
            | dict(known or {}),
            outcome=_outcome,
            seconds_left=(lambda: deadline.seconds_left) if shares_time else None,
        )
        final = set(campaign.results)

        def record(number: int, run: RunLine) -> None:
            if run.error is None and (run.proven or deadline.moment is None):
                file.add(run)
                final.add(number)

        campaign.report("starting")
        campaign.collect(_search_all(searches, requests, options, deadline, campaign.results), record)
        if not campaign.interrupted:
            for number in sorted(campaign.results.keys() - final):
                if campaign.results[number].error is None:
                    file.add(campaign.results[number])
    return RunTable(campaign.results, campaign.interrupted, tuple(notes))


def read_runs(path: Path) -> list[RunLine]:
    """Return the runs of a file, one that was made twice once."""
    return list({run.key: run for run in read_lines(path, RunLine, "run")}.values())


def runs_table(runs: Sequence[RunLine]) -> Table:
    """Return a row for each run."""
    return Table.of(COLUMNS, [[getattr(run, column) for column in COLUMNS] for run in runs])


def _request(search: RunRequest, options: SearchOptions, digest: str) -> RunLine:
    """Return the line of a run, without its result."""
    return RunLine(
        problem=digest,
        about=str(search.problem),
        method=search.method,
        seed=search.seed,
        target=search.num_steps,
        most_evaluations=options.evaluations,
        most_seconds=options.seconds,
        version=VERSION,
    )


def _outcome(run: RunLine) -> str:
    """Return the word under which progress reports count a run."""
    if run.error is not None:
        return "failed"
    if run.target is not None:
        return "succeeded" if run.is_success else ""
    return "proven" if run.proven else ""


# -- searches


@dataclass(frozen=True)
class _Shared:
    """What the runs of a pool have in common; a problem of its own is part of a task."""

    limits: SearchOptions
    problem: Problem | None


def _search_all(
    searches: Sequence[RunRequest],
    requests: Sequence[RunLine],
    options: SearchOptions,
    deadline: Deadline,
    runs: Mapping[int, RunLine],
) -> Iterator[tuple[int, RunLine]]:
    """Yield runs as they finish, and again if a larger share of the time may improve them."""
    missing = [number for number in range(len(searches)) if number not in runs]
    problems = {searches[number].problem for number in missing}
    common = problems.pop() if len(problems) == 1 else None
    limits = SearchOptions(evaluations=options.evaluations, seconds=None if deadline.moment else options.seconds)
    results: dict[int, Result] = {}

    def call(number: int) -> tuple[Any, ...]:
        own = searches[number].problem if common is None else None
        return own, searches[number].solver, requests[number], results.get(number)

    def is_open(number: int, share: float) -> bool:
        run = runs[number]
        return run.error is not None or (not run.proven and run.seconds >= USED_UP * share)

    with as_workers(options.workers).pool(len(missing), _Shared(limits, common)) as pool:
        for number, answer, _ in in_passes(pool, _search, missing, call, is_open, deadline):
            run, parts = answer if not isinstance(answer, WorkerLost) else (_failed(requests[number], answer.why), None)
            try:
                if parts is not None:
                    results[number] = Result(searches[number].problem, *parts)
            except (InputError, InvalidSchedule) as error:
                run = _failed(requests[number], str(error))
            before = runs.get(number)
            if run.error is not None and before is not None and before.is_success:
                run = msgspec.structs.replace(before, error=run.error)
            yield number, run


def _failed(request: RunLine, error: str, seconds: float = 0.0) -> RunLine:
    return msgspec.structs.replace(request, error=error, seconds=seconds)


def _search(
    shared: _Shared,
    context: TaskContext,
    own: Problem | None,
    solver: Solver | None,
    request: RunLine,
    start: Result | None,
    share: float | None,
) -> tuple[RunLine, Parts | None]:
    """Make a run as a task of a pool. If it is stopped, it ends at once with an error, so that its worker is free."""
    problem = own or shared.problem
    assert problem is not None
    limits = replace(shared.limits, seed=request.seed, seconds=shared.limits.seconds if share is None else share)
    if solver is not None:
        _warm_up(problem, solver, request, limits)
    begun = clock.now()
    try:
        if solver is None:
            result = find_or_interrupt(problem, limits, start=start)
        else:
            budget = replace(Budget.of(limits.seconds, limits.evaluations), is_stopped=context.is_stopped)
            result = solver(problem, request.target, request.seed, budget)
    except Exception as error:
        if is_interrupt(error):
            raise KeyboardInterrupt from error
        why = str(error) if isinstance(error, InputError) else in_one_line(error)
        return _failed(request, why, _since(begun)), None
    seconds = _since(begun)
    if solver is not None and context.is_stopped():
        return _failed(request, "it was stopped", seconds), None
    found, target = result.num_steps, request.target
    if found is not None and target is not None and found > target:
        return _failed(request, f"{target} steps were requested, and its schedule has {found}", seconds), None
    parts = None if share is None else (result.schedule, result.bounds, result.provenance)
    return run_of(request, result, seconds), parts


def run_of(request: RunLine, result: Result, seconds: float) -> RunLine:
    """Return a run with its result."""
    about = None if result.schedule is None else profile(result.schedule)
    return msgspec.structs.replace(
        request,
        figure=result.num_steps,
        bound=result.bound.figure if result.bound else None,
        proven=result.num_steps is not None and result.has_least_figure,
        tco=about and about.tco,
        hops=about and sum(about.hops),
        evaluations=result.run and result.run.evaluations,
        seconds=seconds,
        trace=result.run.trace if result.run else (),
        solver=result.provenance.solver,
    )


_warm: set[tuple[Problem, str]] = set()
"""Problems and methods for which this process has compiled the kernels."""


def _warm_up(problem: Problem, solver: Solver, request: RunLine, limits: SearchOptions) -> None:
    """Compile the kernels before the clock starts."""
    key = problem, repr(solver)
    if key in _warm:
        return
    _warm.add(key)
    seconds = WARM_UP_SECONDS if limits.seconds is None else min(WARM_UP_SECONDS, limits.seconds)
    with suppress(Exception):  # the run itself will raise it again, and report it
        solver(problem, request.target, request.seed, Budget.of(seconds, 1))


def _since(begun: float) -> float:
    return round(clock.now() - begun, 4)
