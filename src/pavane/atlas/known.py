"""What an atlas knows of a problem, judged: nothing is believed because it stands in a file.

A schedule is carried over to the problem's own numbers and judged by the rules; a bound counts if the judge proves its
certificate. What fails is dropped, from the file, too, where that is open for writing, and told in one line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
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
from pavane.model.problem import Problem
from pavane.symmetry.renumbering import Renumbering
from pavane.text import VERSION

FROM_ATLAS = "atlas: "
"""What stands before the name of a solver whose schedule comes from an atlas."""

REFUSED = (InputError, InvalidSchedule, ValueError)
"""What reading and judging a row raises where it is not as it should be."""

MOST_SAID = 60
"""Characters of a problem's name in a note."""

MOST_DELIVERIES = 5_000_000
"""Rows of larger problems are read by whoever asks for such a problem, and not for what their files say."""


@dataclass(frozen=True)
class Known:
    """What is known of a problem: the judged rest of a row."""

    result: Result | None
    """The schedule, if there is one, and the bound, if there is one; None where there is neither."""
    figures: Figures | None
    """What the row says; None where there is none."""

    @property
    def is_settled(self) -> bool:
        """Whether nothing is left to find: no schedule has fewer steps."""
        return self.result is not None and self.result.has_fewest_steps

    def has_effort(self, seconds: float | None, evaluations: int | None) -> bool:
        """Say whether one search was given as much time and as many evaluations already."""
        row = self.figures
        return row is not None and row.seconds >= (seconds or 0) and row.evaluations >= (evaluations or 0)


def known_of(atlas: AtlasFile, problem: Problem, note: Callable[[str], None], form: Form | None = None) -> Known:
    """Return what an atlas knows of a problem, judged and in the problem's own numbers."""
    form = form or form_of(problem)
    row = atlas.row(form.key)
    if row is None:
        return Known(None, None)
    return Known(_judged(atlas, row, problem, form.renumbering.back(), note), row.figures)


def _judged(
    atlas: AtlasFile, row: AtlasRow, problem: Problem, back: Renumbering, note: Callable[[str], None]
) -> Result | None:
    """Return what of a row the judge accepts; the rest is dropped and told."""
    result, bound = None, None
    if row.schedule is not None or row.figures.steps is not None:
        try:
            result = _schedule(row, problem, back)
        except REFUSED as error:
            note(_dropped(atlas, row.figures, f"a schedule of {row.figures.steps} steps", error))
            if atlas.is_written:
                atlas.drop_schedule(row)
    if row.certificate is not None or row.figures.bound is not None:
        try:
            bound = _bound(row, problem, back)
        except REFUSED as error:
            note(_dropped(atlas, row.figures, f"a bound of {row.figures.bound} steps", error))
            if atlas.is_written:
                atlas.drop_bound(row)
    if bound is None:
        return result
    return Result(problem, None, (bound,)) if result is None else result.amended(bounds=(bound,))


def _dropped(atlas: AtlasFile, said: Figures, what: str, error: Exception) -> str:
    where = f"{said.collective} on {said.network}"[:MOST_SAID]
    return f"{atlas.path}: {what} of {where} is dropped: {error}"


def _schedule(row: AtlasRow, problem: Problem, back: Renumbering) -> Result:
    kept, said = read_schedule_columns(row.schedule), row.figures
    if kept.num_steps != said.steps:
        raise ValueError(f"it has {kept.num_steps:,} steps")
    if len(kept.messages) < problem.num_messages:
        raise ValueError(f"it carries {len(kept.messages):,} messages, and there are {problem.num_messages:,}")
    about = Provenance(f"{FROM_ATLAS}{said.solver or 'unknown'}", said.seed or 0, 0.0, said.version or "", True)
    return Result(problem, back.schedule(kept), (), about)


def _bound(row: AtlasRow, problem: Problem, back: Renumbering) -> Bound:
    try:
        bound = back.bound(read_bound(row.certificate))
    except TypeError as error:
        raise ValueError(f"its certificate cannot be read: {error}") from None
    if bound.steps != row.figures.bound:
        raise ValueError(f"it is one of {bound.steps:,} steps")
    objection = Verdict(problem, bound, None).objection
    if objection:
        raise ValueError(objection)
    return bound


# -- rows by their keys


def kept_problem(row: AtlasRow) -> tuple[Problem, Form]:
    """Return the problem of a row, as whoever kept it first had numbered it, and its form."""
    problem = read_problem_object(row.problem)
    if problem.num_deliveries > MOST_DELIVERIES:
        raise InputError(f"its problem has {problem.num_deliveries:,} deliveries; at most {MOST_DELIVERIES:,} are read")
    form = form_of(problem)
    if form.key != row.figures.key:
        raise InputError("its problem is another one than its key says")
    return problem, form


def known_by_key(atlas: AtlasFile, key: str, note: Callable[[str], None]) -> Result | None:
    """Return what an atlas knows under a key, judged, for the problem as it was kept first; None for nothing."""
    row = atlas.row(key)
    if row is None:
        return None
    try:
        problem, form = kept_problem(row)
    except REFUSED as error:
        raise InputError(f"{atlas.path}: the row {key[:12]} cannot be used: {error}") from None
    return _judged(atlas, row, problem, form.renumbering.back(), note)


def all_known(atlas: AtlasFile, note: Callable[[str], None]) -> Iterator[tuple[Figures, Result | None]]:
    """Yield all that the rows of an atlas know, judged; a row whose problem cannot be used is told, and has nothing."""
    for figures in atlas.figures():
        try:
            yield figures, known_by_key(atlas, figures.key, note)
        except InputError as error:
            note(str(error))
            yield figures, None


# -- what to keep


def row_of(
    result: Result, *, seconds: float | None = None, evaluations: int | None = None, form: Form | None = None
) -> AtlasRow:
    """Return the row that keeps a result: its schedule, and the highest of its bounds that the judge proves.

    An exhaustive search leaves nothing to prove; what it says is kept apart, as a claim.
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
