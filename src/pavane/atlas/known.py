"""The schedule and the bound that an atlas has for a problem, judged: nothing in a file is trusted.

A schedule is renumbered for the problem and judged by the rules; a bound counts if the judge proves its certificate.
What fails is dropped, with a note; from the file, too, if that is open for writing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from pavane.atlas.atlas_file import AtlasFile, AtlasRow, Figures
from pavane.atlas.blobs import (
    packed_bound,
    packed_problem,
    packed_schedule,
    read_bound,
    read_problem_object,
    read_schedule_columns,
)
from pavane.atlas.forms import Form, form_of
from pavane.errors import InputError, InvalidSchedule
from pavane.judge.result import Provenance, Result
from pavane.judge.verdict import EXHAUSTIVE, Verdict
from pavane.model.bound import Bound
from pavane.model.messages import kind_title
from pavane.model.problem import Problem
from pavane.symmetry.renumbering import Renumbering
from pavane.text import VERSION, counted

FROM_ATLAS = "atlas: "
"""The prefix of the solver's name if a schedule comes from an atlas."""

REFUSED = (InputError, InvalidSchedule, ValueError)
"""Errors that reading and judging an invalid row raises."""

MOST_SHOWN = 60
"""Characters of a problem's name in a note."""

MOST_DELIVERIES = 5_000_000
"""Rows of larger problems are read only for a problem that is given, not by their keys."""


@dataclass(frozen=True)
class Known:
    """What is known of a problem: the part of a row that the judge accepts."""

    result: Result | None
    """The schedule and the bound, as far as there are any; None if there is neither."""
    figures: Figures | None
    """The figures of the row; None without a row."""

    @property
    def is_settled(self) -> bool:
        """Whether the steps are proven to be the fewest."""
        return self.result is not None and self.result.has_fewest_steps

    def has_effort(self, seconds: float | None, evaluations: int | None) -> bool:
        """Return whether one search had as much time and as many evaluations before."""
        row = self.figures
        return row is not None and row.seconds >= (seconds or 0) and row.evaluations >= (evaluations or 0)


def known_of(atlas: AtlasFile, problem: Problem, note: Callable[[str], None], form: Form | None = None) -> Known:
    """Return what an atlas has for a problem, judged and in the numbers of the problem."""
    form = form or form_of(problem)
    row = atlas.row(form.key)
    if row is None:
        return Known(None, None)
    return Known(_judged(atlas, row, problem, form.renumbering.back(), note), row.figures)


def _judged(
    atlas: AtlasFile, row: AtlasRow, problem: Problem, back: Renumbering, note: Callable[[str], None]
) -> Result | None:
    """Return what the judge accepts of a row; the rest is dropped with a note."""
    result, bound = None, None
    if row.schedule is not None or row.figures.steps is not None:
        try:
            result = _schedule(row, problem, back)
        except REFUSED as error:
            note(_dropped(atlas, row.figures, f"a schedule of {_steps(row.figures.steps)}", error))
            if atlas.is_written:
                atlas.drop_schedule(row)
    if row.certificate is not None or row.figures.bound is not None:
        try:
            bound = _bound(row, problem, back)
        except REFUSED as error:
            note(_dropped(atlas, row.figures, f"a bound of {_steps(row.figures.bound)}", error))
            if atlas.is_written:
                atlas.drop_bound(row)
    if bound is None:
        return result
    return Result(problem, None, (bound,)) if result is None else result.amended(bounds=(bound,))


def _steps(number: int | None) -> str:
    return "no steps" if number is None else counted(number, "step")


def _dropped(atlas: AtlasFile, figures: Figures, what: str, error: Exception) -> str:
    where = f"{kind_title(figures.collective)} on {figures.network}"[:MOST_SHOWN]
    return f"{atlas.path}: {what} of {where} is dropped: {error}"


def _schedule(row: AtlasRow, problem: Problem, back: Renumbering) -> Result:
    stored, figures = read_schedule_columns(row.schedule), row.figures
    if stored.num_steps != figures.steps:
        raise ValueError(f"it has {counted(stored.num_steps, 'step')}")
    if len(stored.messages) < problem.num_messages:
        raise ValueError(f"it carries {len(stored.messages):,} messages, and there are {problem.num_messages:,}")
    about = Provenance(
        f"{FROM_ATLAS}{figures.solver or 'unknown'}", figures.seed or 0, 0.0, figures.version or "", True
    )
    return Result(problem, back.schedule(stored), (), about)


def _bound(row: AtlasRow, problem: Problem, back: Renumbering) -> Bound:
    try:
        bound = back.bound(read_bound(row.certificate))
    except TypeError as error:
        raise ValueError(f"its certificate cannot be read: {error}") from None
    if bound.steps != row.figures.bound:
        raise ValueError(f"it is one of {counted(bound.steps, 'step')}")
    objection = Verdict(problem, bound, None).objection
    if objection:
        raise ValueError(objection)
    return bound


# -- rows by their keys


def stored_problem(row: AtlasRow) -> tuple[Problem, Form]:
    """Return the problem of a row in the numbering in which it was stored first, and its form."""
    problem = read_problem_object(row.problem)
    if problem.num_deliveries > MOST_DELIVERIES:
        raise InputError(f"its problem has {problem.num_deliveries:,} deliveries; at most {MOST_DELIVERIES:,} are read")
    form = form_of(problem)
    if form.key != row.figures.key:
        raise InputError("its problem does not match its key")
    return problem, form


def known_by_key(atlas: AtlasFile, key: str, note: Callable[[str], None]) -> Result | None:
    """Return what an atlas has under a key, judged, for the problem as it was stored first; None without a row."""
    row = atlas.row(key)
    if row is None:
        return None
    try:
        problem, form = stored_problem(row)
    except REFUSED as error:
        raise InputError(f"{atlas.path}: the row {key[:12]} cannot be used: {error}") from None
    return _judged(atlas, row, problem, form.renumbering.back(), note)


def all_known(atlas: AtlasFile, note: Callable[[str], None]) -> Iterator[tuple[Figures, Result | None]]:
    """Yield the rows of an atlas, judged; a row whose problem cannot be used has no result, and a note."""
    for figures in atlas.figures():
        yield figures, _known_or_noted(atlas, figures, note)


def _known_or_noted(atlas: AtlasFile, figures: Figures, note: Callable[[str], None]) -> Result | None:
    try:
        return known_by_key(atlas, figures.key, note)
    except InputError as error:
        note(str(error))
        return None


def judged_figures(atlas: AtlasFile, note: Callable[[str], None], choice: Callable[[Figures], bool]) -> list[Figures]:
    """Return the figures of the chosen rows without what the judge refuses, which is noted."""
    judged = []
    for figures in filter(choice, atlas.figures()):
        result = _known_or_noted(atlas, figures, note)
        if result is None or result.schedule is None:
            figures = replace(figures, steps=None, solver=None, seed=None, version=None)
        if result is None or not result.bounds:
            figures = replace(figures, bound=None, argument=None)
        judged.append(figures)
    return judged


# -- writing rows


def keep_judged(atlas: AtlasFile, results: Sequence[Result], note: Callable[[str], None]) -> list[Figures]:
    """Store results, all or none, and return the figures of their rows.

    Of each problem the better is stored: the result, or what the judge accepts of the file. A stored schedule
    or bound that fails is dropped with a note.
    """
    rows = []
    for result in results:
        form = form_of(result.problem)
        known_of(atlas, result.problem, note, form)
        rows.append(row_of(result, form=form))
    atlas.keep(rows)
    return [stored.figures for row in rows if (stored := atlas.row(row.figures.key)) is not None]


def row_of(
    result: Result, *, seconds: float | None = None, evaluations: int | None = None, form: Form | None = None
) -> AtlasRow:
    """Return a result as a row: its schedule, and the highest of its bounds that the judge proves.

    An exhaustive search has no certificate; its bound is stored separately, as a claim.
    """
    problem = result.problem
    form = form or form_of(problem)
    best = _best_proven(result)
    searched = [bound.steps for bound in result.bounds if bound.argument == EXHAUSTIVE]
    schedule = result.schedule
    figures = Figures(
        form.key,
        int(form.is_canonical),
        problem.network.name,
        problem.network.num_processors,
        problem.collective.kind,
        str(problem.rules),
        exhaustive=max(searched, default=None),
        seconds=seconds or 0.0,
        evaluations=evaluations or 0,
    )
    if schedule is not None:
        about = result.provenance
        solver = about.solver.removeprefix(FROM_ATLAS)
        version = about.version or VERSION
        figures = replace(figures, steps=schedule.num_steps, solver=solver, seed=about.seed, version=version)
    if best is not None:
        figures = replace(figures, bound=best.steps, argument=best.argument)
    there = form.renumbering
    return AtlasRow(
        figures,
        packed_problem(problem),
        None if schedule is None else packed_schedule(there.schedule(schedule)),
        None if best is None else packed_bound(there.bound(best)),
    )


def _best_proven(result: Result) -> Bound | None:
    """Return the highest bound of a result that the judge proves."""
    claims = [bound for bound in (*result.bounds, *result.claims) if isinstance(bound, Bound)]
    for bound in sorted(claims, key=lambda one: one.steps, reverse=True):
        if Verdict(result.problem, bound, None).is_proven:
            return bound
    return None
