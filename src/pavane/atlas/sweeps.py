"""A sweep: many problems, each searched for a while from what an atlas has, and stored when its search is finished.

Problems that are proven, or had as much time or as many evaluations before, are not searched again: a sweep that was
interrupted resumes where it was. Only this process writes to the file, wherever the searches run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from pavane.atlas.atlas_file import AtlasFile, Figures
from pavane.atlas.forms import Form, form_of
from pavane.atlas.known import known_of, row_of
from pavane.errors import InputError, InvalidSchedule, in_one_line, is_interrupt
from pavane.judge.result import Provenance, Result
from pavane.model.bound import Bound
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.parallel.campaign import Campaign
from pavane.parallel.pools import as_workers
from pavane.parallel.tasks import TaskContext, WorkerLost
from pavane.search.fewest_steps import find_or_interrupt
from pavane.search.options import SearchOptions

SearchParts = tuple[Schedule | None, tuple[Bound, ...], Provenance]
"""What a search returns from its worker; it is judged in this process."""


@dataclass(frozen=True)
class Sweep:
    """The counts of a sweep."""

    problems: int
    """Different problems that were listed."""
    proven: int
    """Those of them whose steps are now proven to be the fewest."""
    searched: int
    """Those that were searched this time."""
    bettered: int
    """Those with fewer steps or a higher bound than before."""
    failures: tuple[str, ...] = ()
    """Errors, a line each."""
    interrupted: bool = False


@dataclass(frozen=True)
class _Task:
    problem: Problem
    form: Form
    known: Result | None

    def is_improved(self, row: Figures) -> bool:
        """Return whether a row has fewer steps or a higher bound than what was known."""
        before = self.known or Result(self.problem, None)
        is_fewer = row.steps is not None and row.steps < (before.num_steps or 2**31)
        return is_fewer or (row.bound is not None and row.bound > (before.bound.steps if before.bound else 0))


def sweep(
    atlas: AtlasFile,
    problems: Iterable[Problem],
    options: SearchOptions,
    *,
    again: bool = False,
    note: Callable[[str], None] = lambda _: None,
) -> Sweep:
    """Search many problems, and store in an atlas what is better than what it has.

    The limits are those of each problem. With `again` all problems that are not proven are searched, whatever was tried
    before. An interrupt (Ctrl-C) ends the sweep; the file has the problems that are finished.
    """
    if options.seconds is None and options.evaluations is None:
        raise InputError("a sweep needs `seconds` or `evaluations`: what the search for one problem may take")
    tasks: list[_Task] = []
    keys: set[str] = set()
    proven = 0
    for problem in problems:
        form = form_of(problem)
        if form.key in keys:
            continue
        keys.add(form.key)
        known = known_of(atlas, problem, note, form)
        if known.is_settled:
            proven += 1
        elif again or not known.has_effort(options.seconds, options.evaluations):
            tasks.append(_Task(problem, form, known.result))
    campaign = Campaign[int, Figures | str](
        len(tasks),
        lambda number: problem_text(tasks[number].problem),
        options.on_progress,
        outcome=lambda row: "failed" if isinstance(row, str) else "proven" if row.is_closed else "",
    )
    campaign.collect(_search_all(atlas, tasks, options), may_be_empty=True)
    rows = {number: row for number, row in campaign.results.items() if isinstance(row, Figures)}
    return Sweep(
        len(keys),
        proven + sum(row.is_closed for row in rows.values()),
        len(campaign.results),
        sum(tasks[number].is_improved(row) for number, row in rows.items()),
        tuple(f"{tasks[number].problem}: {row}" for number, row in campaign.results.items() if isinstance(row, str)),
        campaign.interrupted,
    )


def _search_all(atlas: AtlasFile, tasks: list[_Task], options: SearchOptions) -> Iterator[tuple[int, Figures | str]]:
    """Yield the row of each task as its search finishes, or why the search failed."""
    shared = SearchOptions(seed=options.seed, evaluations=options.evaluations)
    calls = [(task.problem, task.known, options.seconds) for task in tasks]
    with as_workers(options.workers).pool(len(tasks), shared) as pool:
        for number, answer in pool.results(search_problem, calls, in_order=False):
            task = tasks[number]
            try:
                result = judge_search(task.problem, answer)
            except (InputError, InvalidSchedule) as error:
                yield number, str(error)
                continue
            row = row_of(result, seconds=options.seconds, evaluations=options.evaluations, form=task.form)
            atlas.keep([row])
            yield number, row.figures


def search_problem(
    options: SearchOptions, context: TaskContext, problem: Problem, known: Result | None, seconds: float | None
) -> SearchParts | WorkerLost:
    """Search one problem as a task of a pool, from what is known; an error ends this task only."""
    try:
        result = find_or_interrupt(problem, replace(options, seconds=seconds), start=known)
    except Exception as error:
        if is_interrupt(error):
            raise KeyboardInterrupt from error
        return WorkerLost(str(error) if isinstance(error, InputError) else in_one_line(error))
    return result.schedule, result.bounds, result.provenance


def judge_search(problem: Problem, answer: SearchParts | WorkerLost) -> Result:
    """Return what a search found, judged.

    Raises:
        InputError: If the search failed.
        InvalidSchedule: If its schedule breaks a rule.
    """
    if isinstance(answer, WorkerLost):
        raise InputError(answer.why)
    return Result(problem, *answer)


def problem_text(problem: Problem) -> str:
    """Return a problem in short, for progress reports."""
    return f"{problem.collective.title} on {problem.network.name}"
