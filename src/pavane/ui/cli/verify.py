"""`pavane verify`: judge a schedule file and the bounds in it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

from pavane.text import counted
from pavane.ui.cli import options
from pavane.ui.cli.costs import best_bounds, cost_figures, cost_line, with_bounds
from pavane.ui.cli.inputs import read_network
from pavane.ui.cli.options import option
from pavane.ui.cli.progress import waited_for
from pavane.ui.cli.report import (
    answer,
    bound_line,
    headline,
    overlap_lines,
    piece_figures,
    pieces_lines,
    reached_text,
    with_router_names,
)
from pavane.ui.cli.timed import verify_timed_file

if TYPE_CHECKING:
    from pavane.io import Claim
    from pavane.judge.result import Result
    from pavane.judge.verdict import Verdict
    from pavane.judge.violation import Violation
    from pavane.model.schedule import Schedule


def command(
    file: options.ScheduleArgument,
    as_json: options.JsonOption = False,
    most: Annotated[int, option("--most N", "Maximum number of violations listed for each rule.", min=1)] = 10,
    on: Annotated[
        str | None, option("--on NETWORK", "The network of another program's schedule, if the file names none.")
    ] = None,
) -> int:
    """Judge a schedule file and the bounds in it."""
    from pavane.io import read_schedule
    from pavane.io.timed_file import is_timed_file
    from pavane.judge.rules import verify

    if is_timed_file(file):
        return verify_timed_file(file, most, as_json)
    with waited_for(f"reading and judging {file}"):
        claim = read_schedule(file, None if on is None else read_network(on))
        if claim.is_foreign:
            claim = with_bounds(claim)
        violations = verify(claim.problem, claim.schedule, most)
        result = None if violations else claim.result()
        verdicts = _verdicts(claim, result)
    valid = None if any(_is_false(verdict, claim.schedule) for verdict in verdicts) else result
    answer(
        as_json,
        lambda: _figures(claim, violations, result, valid, verdicts),
        lambda: _lines(claim, violations, result, valid, verdicts),
    )
    return 1 if valid is None else 0


def _figures(
    claim: Claim, violations: list[Violation], result: Result | None, valid: Result | None, verdicts: list[Verdict]
) -> dict[str, Any]:
    """Return the judgement for JSON; `valid` is the result if all its bounds hold."""
    from pavane.io.result_texts import phase_figures

    problem, schedule = claim.problem, claim.schedule
    return {
        "valid": valid is not None,
        "status": "invalid" if valid is None else valid.status,
        "optimal": [] if valid is None else list(valid.optimal),
        "steps": schedule.num_steps,
        **({} if result is None else {**piece_figures(result), **phase_figures(problem, schedule)}),
        **({"tco": schedule.tco} if problem.rules.combining else {}),
        "transfers": len(schedule),
        "violations": [
            {"rule": v.rule, "step": v.step, "message": v.message, "channel": v.channel, "text": v.text}
            for v in violations
        ],
        **_bound_figures(verdicts, schedule, is_combined=problem.rules.combining),
        **(cost_figures(claim) if claim.is_foreign else {}),
    }


def _lines(
    claim: Claim, violations: list[Violation], result: Result | None, valid: Result | None, verdicts: list[Verdict]
) -> Iterator[str]:
    """Yield the report of the judgement."""
    problem, schedule = claim.problem, claim.schedule
    yield from headline(problem)
    yield f"schedule    {reached_text(schedule, problem)}, {counted(len(schedule), 'transfer')}"
    if result is not None:
        yield from (*pieces_lines(result), *overlap_lines(problem, schedule))
    if claim.is_foreign:
        yield from (bound_line(problem, bound) for bound in best_bounds(claim))
        yield cost_line(claim)
    else:
        for verdict in verdicts:
            yield f"bound       {verdict.figure} ({verdict.bound.argument}): {_text(verdict, schedule)}"
    for violation in violations:
        yield f"violation   {violation.rule}: {with_router_names(problem.network, violation.text)}"
    yield f"verdict     {'invalid' if valid is None else f'valid, {valid.status_text}'}"


def _verdicts(claim: Claim, result: Result | None) -> list[Verdict]:
    """Return the judge's verdict on each bound: those on the steps first, those without a certificate last."""
    from pavane.judge.verdict import Verdict
    from pavane.model.bound import OccupancyBound

    if result is not None:
        verdicts = list(result.verdicts)  # checked when the result was made
    else:
        verdicts = [Verdict(claim.problem, bound, claim.schedule.num_steps) for bound in claim.claims]
    return sorted(verdicts, key=lambda verdict: (verdict.is_on_trust, isinstance(verdict.bound, OccupancyBound)))


def _is_false(verdict: Verdict, schedule: Schedule) -> bool:
    """Return whether a bound is wrong; an exhaustive search may be right unless the schedule has less."""
    return _is_refuted(verdict, schedule) if verdict.is_on_trust else not verdict.is_proven


def _is_refuted(verdict: Verdict, schedule: Schedule) -> bool:
    from pavane.model.bound import Bound

    bound = verdict.bound
    reached = schedule.num_steps if isinstance(bound, Bound) else schedule.tco
    return verdict.is_on_trust and bound.holds_for(schedule.num_steps) and bound.figure > reached


def _text(verdict: Verdict, schedule: Schedule) -> str:
    from pavane.model.bound import Bound

    less = f"fewer {verdict.problem.rules.step_word}s" if isinstance(verdict.bound, Bound) else "less TCO"
    return f"{verdict}; this schedule has {less}" if _is_refuted(verdict, schedule) else str(verdict)


def _bound_figures(verdicts: list[Verdict], schedule: Schedule, *, is_combined: bool) -> dict[str, Any]:
    """Return the bounds for JSON, under the keys of a schedule file."""
    from pavane.model.bound import Bound

    steps: list[dict[str, Any]] = []
    occupancy: list[dict[str, Any]] = []
    for verdict in verdicts:
        bound, text = verdict.bound, None if verdict.is_proven else _text(verdict, schedule)
        about = {"argument": bound.argument, "proven": verdict.is_proven, "text": text}
        if isinstance(bound, Bound):
            steps.append({"steps": bound.steps, **about})
        else:
            occupancy.append({"tco": bound.tco, "start_ups": bound.num_steps, **about})
    return {"bounds": steps, **({"occupancy": occupancy} if is_combined or occupancy else {})}
