"""`pavane verify`: judge a schedule file, its bounds included."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pavane.errors import InputError
from pavane.text import counted
from pavane.ui.cli import options
from pavane.ui.cli.costs import best_bounds, cost_figures, cost_line, with_bounds
from pavane.ui.cli.notes import heed_quiet
from pavane.ui.cli.options import argument, option
from pavane.ui.cli.progress import waited_for
from pavane.ui.cli.report import (
    bound_line,
    headline,
    overlap_lines,
    piece_figures,
    pieces_lines,
    print_json,
    print_lines,
    reached_text,
    with_router_names,
)

if TYPE_CHECKING:
    from pavane.io import Claim
    from pavane.judge.result import Result
    from pavane.judge.verdict import Verdict
    from pavane.model.network import Network
    from pavane.model.schedule import Schedule


def command(
    file: Annotated[Path, argument("FILE", "A schedule file.")],
    as_json: options.JsonOption = False,
    most: Annotated[int, option("--most N", "Violations of a rule to list.", min=1)] = 10,
    on: Annotated[
        str | None, option("--on NETWORK", "The network that a schedule of another program is for, if it names none.")
    ] = None,
    quiet: options.QuietOption = False,
) -> None:
    """Judge a schedule file and the bounds in it."""
    from pavane.io import read_schedule
    from pavane.io.result_texts import phase_figures
    from pavane.judge.rules import verify as judge

    heed_quiet(quiet)
    with waited_for(f"reading and judging {file}"):
        claim = read_schedule(file, None if on is None else _network(on))
        if claim.is_foreign:
            claim = with_bounds(claim)
        problem, schedule = claim.problem, claim.schedule
        violations = judge(problem, schedule, most)
        result = None if violations else claim.result()
        verdicts = _verdicts(claim, result)
    valid = result is not None and not any(_is_false(verdict, schedule) for verdict in verdicts)
    if as_json:
        print_json(
            {
                "valid": valid,
                "status": result.status if result is not None and valid else "invalid",
                "optimal": list(result.optimal) if result is not None and valid else [],
                "steps": schedule.num_steps,
                **({} if result is None else {**piece_figures(result), **phase_figures(problem, schedule)}),
                **({"tco": schedule.tco} if problem.rules.combining else {}),
                "transfers": len(schedule),
                "violations": [
                    {"rule": v.rule, "step": v.step, "message": v.message, "channel": v.channel, "text": v.text}
                    for v in violations
                ],
                **_told(verdicts, schedule, is_combined=problem.rules.combining),
                **(cost_figures(claim) if claim.is_foreign else {}),
            }
        )
    elif not quiet:
        print_lines(headline(problem))
        print(f"schedule    {reached_text(schedule, problem)}, {counted(len(schedule), 'transfer')}")
        if result is not None:
            print_lines(pieces_lines(result))
            print_lines(overlap_lines(problem, schedule))
        if claim.is_foreign:
            print_lines(bound_line(problem, bound) for bound in best_bounds(claim))
            print_lines([cost_line(claim)])
        print_lines(
            f"bound       {verdict.figure} ({verdict.bound.argument}): {_text(verdict, schedule)}"
            for verdict in (() if claim.is_foreign else verdicts)
        )
        print_lines(
            f"violation   {violation.rule}: {with_router_names(problem.network, violation.text)}"
            for violation in violations
        )
        print(f"verdict     {'valid, ' + result.status_text if result is not None and valid else 'invalid'}")
    options.stop(0 if valid else 1)


def _network(text: str) -> Network:
    """Return the network that a schedule is for."""
    from pavane.io.request import network_from
    from pavane.model.problem import Problem

    found = network_from(text)
    if isinstance(found, Problem):
        raise InputError(f"{text} is a whole problem, where `on` takes a network; name a family or a network file")
    return found


def _verdicts(claim: Claim, result: Result | None) -> list[Verdict]:
    """Return what the judge says about each bound: those on the steps first, and last what has no certificate."""
    from pavane.judge.verdict import Verdict
    from pavane.model.bound import OccupancyBound

    if result is not None:
        found = list(result.verdicts)  # which the status is derived from, so that each is checked once
    else:
        found = [Verdict(claim.problem, bound, claim.schedule.num_steps) for bound in claim.claims]
    return sorted(found, key=lambda verdict: (verdict.is_on_trust, isinstance(verdict.bound, OccupancyBound)))


def _is_false(verdict: Verdict, schedule: Schedule) -> bool:
    """Whether a claim is shown to be wrong; an exhaustive search may be right unless the schedule has less."""
    return _is_refuted(verdict, schedule) if verdict.is_on_trust else not verdict.is_proven


def _is_refuted(verdict: Verdict, schedule: Schedule) -> bool:
    from pavane.model.bound import Bound

    bound = verdict.bound
    reached = schedule.num_steps if isinstance(bound, Bound) else schedule.tco
    return verdict.is_on_trust and bound.holds_for(schedule.num_steps) and bound.figure > reached


def _text(verdict: Verdict, schedule: Schedule) -> str:
    from pavane.model.bound import Bound

    less = "fewer steps" if isinstance(verdict.bound, Bound) else "less TCO"
    return f"{verdict}; this schedule has {less}" if _is_refuted(verdict, schedule) else str(verdict)


def _told(verdicts: list[Verdict], schedule: Schedule, *, is_combined: bool) -> dict[str, Any]:
    """Return the bounds for JSON, under the keys of a schedule file."""
    from pavane.model.bound import Bound

    steps: list[dict[str, Any]] = []
    occupancy: list[dict[str, Any]] = []
    for verdict in verdicts:
        bound, text = verdict.bound, None if verdict.is_proven else _text(verdict, schedule)
        said = {"argument": bound.argument, "proven": verdict.is_proven, "text": text}
        if isinstance(bound, Bound):
            steps.append({"steps": bound.steps, **said})
        else:
            occupancy.append({"tco": bound.tco, "start_ups": bound.num_steps, **said})
    return {"bounds": steps, **({"occupancy": occupancy} if is_combined or occupancy else {})}
