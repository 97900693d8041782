"""`--atlas`: a search that starts from the best result of an atlas, and stores a better one there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from pavane.errors import InputError
from pavane.jit import clock
from pavane.ui.cli.notes import note

if TYPE_CHECKING:
    from pavane.judge.result import Result
    from pavane.ui.cli.solve_run import SolveRun


def refuse_atlas(run: SolveRun) -> None:
    """Refuse an atlas for searches that it does not store: it has one schedule per problem, of fewest steps."""
    if run.search.atlas is None:
        return
    if run.problem.rules.combining:
        raise InputError(
            "--atlas stores the fewest steps, and under --combining the TCO counts, too; leave one of them out"
        )
    if not run.request.has_one_piece_count:
        raise InputError("--atlas stores one number of pieces per problem; give one number with --pieces")
    if run.files.trace is not None:
        raise InputError("--trace draws a search, and with --atlas there may be none; leave one of them out")


def solved_from(atlas: str, run: SolveRun, solve: Callable[[Result | None], Result]) -> Result:
    """Return the result of an atlas if it answers the request; else search from there and store the result."""
    started, problem, search = clock.now(), run.problem, run.search
    from pavane.atlas.atlas_file import AtlasFile
    from pavane.atlas.forms import form_of
    from pavane.atlas.known import known_of

    with AtlasFile(atlas, is_written=True) as opened:
        form = form_of(problem)
        known = known_of(opened, problem, note, form)
        found = None if known.result is None else _answer(known.result, search.steps)
        if found is not None:
            elapsed = round(clock.now() - started, 3)
            return found.amended(provenance=replace(found.provenance, seconds=elapsed))
        result = solve(known.result)
        if opened.is_written:
            from pavane.atlas.known import row_of

            if result.interrupted:  # it has not used its limits
                search = replace(search, seconds=None, evaluations=None)
            opened.keep([row_of(result, seconds=search.seconds, evaluations=search.evaluations, form=form)])
    return result


def _answer(known: Result, requested_steps: int | None) -> Result | None:
    """Return what is known as the answer, where it is one: no fewer steps can be, or no more are requested."""
    steps = known.num_steps
    if requested_steps is not None and known.bound is not None and known.bound.steps > requested_steps:
        return type(known)(known.problem, None, known.bounds, known.provenance, requested_steps)
    is_enough = known.has_fewest_steps if requested_steps is None else steps is not None and steps <= requested_steps
    return known.amended(requested_steps=requested_steps) if is_enough else None
