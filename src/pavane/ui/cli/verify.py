"""`pavane verify`: judge a schedule file and the bounds in it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

from pavane.errors import InputError
from pavane.model.schedule import Schedule
from pavane.text import counted
from pavane.ui.cli import options
from pavane.ui.cli.costs import best_bounds, cost_figures, cost_line, with_bounds
from pavane.ui.cli.inputs import read_network
from pavane.ui.cli.options import option
from pavane.ui.cli.progress import waited_for
from pavane.ui.cli.report import answer, most_of_a_rule, violation_lines
from pavane.ui.cli.timed_sweep import show_plans
from pavane.ui.description import bound_line, cost_text, figures_of, headline, reached_lines

if TYPE_CHECKING:
    from pavane.io import Claim
    from pavane.judge.result import Result
    from pavane.judge.verdict import Verdict
    from pavane.judge.violation import Violation


def command(
    file: options.ScheduleArgument,
    as_json: options.JsonOption = False,
    lists_all: Annotated[
        bool, option("--all", "List all violations, not only the first five; causes come before consequences.")
    ] = False,
    on: Annotated[
        str | None, option("--on NETWORK", "The network of another program's schedule, if the file names none.")
    ] = None,
    wrap: Annotated[
        bool, option("--wrap", "Judge slots that do not repeat (tdm) in the shortest period in which they can.")
    ] = False,
    prove: Annotated[
        bool,
        option("--prove", "Search for a schedule of one step less: none, and the schedule is optimal by search."),
    ] = False,
    seconds: Annotated[
        float | None, options.seconds_option("--time", "With --prove: stop the search after this time.")
    ] = None,
) -> int:
    """Check a schedule file and its bounds."""
    from pavane.io import read_schedule
    from pavane.io.files import is_plan_folder
    from pavane.judge.refusal import order_of_causes
    from pavane.judge.rules import verify

    if seconds is not None and not prove:
        raise InputError("--time limits the search of --prove; add --prove, or leave it out")
    most = most_of_a_rule(lists_all)
    if is_plan_folder(file):
        if prove:
            raise InputError(f"--prove counts steps, and {file} is a folder of plans; leave it out")
        show_plans(file, as_json)
        return 0
    with waited_for(f"reading and judging {file}"):
        claim = read_schedule(file, None if on is None else read_network(on))
        if prove and claim.problem.has_times:
            raise InputError(f"--prove counts steps, and {file} has start times; leave it out")
        violations = verify(claim.problem, claim.content, most)
        if wrap and not violations:
            claim = _wrapped(claim)
            violations = verify(claim.problem, claim.content, most)
        if claim.is_foreign:
            claim = with_bounds(claim)
        result, objection = (None, "") if violations else _result_of(claim)
        verdicts = _verdicts(claim, result)
    if not claim.problem.has_times:
        violations.sort(key=order_of_causes)
    valid = None if any(_is_false(verdict, claim) for verdict in verdicts) else result
    attempt = None
    if prove and valid is not None and not valid.has_least_figure:
        attempt = _attempt(valid, seconds)
        if attempt.num_steps is None:
            valid = valid.amended(bounds=attempt.bounds)
        elif any(verdict.is_on_trust and verdict.bound.objective == "steps" for verdict in verdicts):
            valid = None
    answer(
        as_json,
        lambda: {
            **_figures(claim, violations, result, valid, verdicts),
            **({"objection": objection} if objection else {}),
        },
        lambda: [
            *_lines(claim, violations, result, verdicts, lists_all=lists_all),
            *([f"violation   {objection}"] if objection else []),
            *([] if attempt is None else _attempt_lines(attempt)),
            f"verdict     {'invalid' if valid is None else f'valid, {valid.status_text}'}",
        ],
    )
    return 1 if valid is None else 0


def _result_of(claim: Claim) -> tuple[Result | None, str]:
    """Return the result of a valid schedule, or why the end that its file states is wrong."""
    try:
        return claim.result(), ""
    except InputError as error:
        return None, str(error)


def _attempt(result: Result, seconds: float | None) -> Result:
    """Search for a schedule of one step less."""
    from pavane.search.options import SearchOptions
    from pavane.search.synthesis import solve

    fewer = (result.num_steps or 1) - 1
    with waited_for(f"searching for a schedule of {counted(fewer, result.problem.rules.step_word)}"):
        return solve(result.problem, SearchOptions(seconds=seconds), num_steps=fewer)


def _attempt_lines(attempt: Result) -> Iterator[str]:
    """Yield the line on the search for a schedule of fewer steps."""
    steps = counted(attempt.requested_steps or 0, attempt.problem.rules.step_word)
    if attempt.num_steps is not None:
        found = f"a schedule of {counted(attempt.num_steps, attempt.problem.rules.step_word)} exists"
    else:
        found = f"no schedule of {steps} exists" if attempt.status == "impossible" else f"none of {steps} was found"
    yield f"search      {found} ({attempt.provenance.seconds:.2f} s)"


def _wrapped(claim: Claim) -> Claim:
    """Return a table that repeats instead of a valid one that ends, as if another program had written it."""
    from pavane.model.slots import wrapped

    problem, schedule = wrapped(claim.problem, claim.schedule)
    return replace(claim, problem=problem, content=schedule, bounds=(), is_foreign=True)


def _figures(
    claim: Claim, violations: list[Violation], result: Result | None, valid: Result | None, verdicts: list[Verdict]
) -> dict[str, Any]:
    """Return the judgement for JSON; `valid` is the result if all its bounds hold."""
    problem, content = claim.problem, claim.content
    count = len(content) if isinstance(content, Schedule) else content.num_transfers(problem)
    return {
        **({"steps": content.num_steps} if result is None and not problem.has_times else {}),
        **({} if result is None else figures_of(result)),
        "valid": valid is not None,
        "status": "invalid" if valid is None else valid.status,
        "status_text": "invalid" if valid is None else valid.status_text,
        "optimal": [] if valid is None else list(valid.optimal),
        "transfers": count,
        "violations": [
            {"rule": v.rule, "step": v.step, "message": v.message, "channel": v.channel, "text": v.text}
            for v in violations
        ],
        "bounds": _bound_figures(verdicts, claim),
        **(cost_figures(claim) if claim.is_foreign and result is not None else {}),
    }


def _lines(
    claim: Claim,
    violations: list[Violation],
    result: Result | None,
    verdicts: list[Verdict],
    *,
    lists_all: bool,
) -> Iterator[str]:
    """Yield the report of the judgement."""
    problem = claim.problem
    yield from headline(problem)
    if result is not None:
        yield from reached_lines(result)
    elif not problem.has_times:
        yield f"reached     {cost_text(problem, claim.content)}"
    if claim.is_foreign:
        yield from (bound_line(problem, bound) for bound in best_bounds(claim))
        if result is not None:
            yield cost_line(claim)
    else:
        # Bounds of collectives that are alike read the same.
        texts = (f"{verdict.figure} ({verdict.bound.argument}): {_text(verdict, claim)}" for verdict in verdicts)
        yield from (f"bound       {text}" for text in dict.fromkeys(texts))
    yield from violation_lines(violations, problem.network, lists_all=lists_all)


def _verdicts(claim: Claim, result: Result | None) -> list[Verdict]:
    """Return the judge's verdict on each bound: those on the steps first, those without a certificate last."""
    from pavane.judge.verdict import Verdict

    if result is not None:
        verdicts = list(result.verdicts)  # checked when the result was made
    else:
        verdicts = [Verdict(claim.problem, bound, claim.content.num_steps) for bound in claim.bounds]
    return sorted(verdicts, key=lambda verdict: (verdict.is_on_trust, verdict.bound.objective == "tco"))


def _is_false(verdict: Verdict, claim: Claim) -> bool:
    """Return whether a bound is wrong; an exhaustive search may be right unless the schedule has less."""
    return _is_refuted(verdict, claim) if verdict.is_on_trust else not verdict.is_proven


def _is_refuted(verdict: Verdict, claim: Claim) -> bool:
    bound, schedule = verdict.bound, claim.content
    if not verdict.is_on_trust or claim.finish is not None:
        return verdict.is_on_trust and bound.figure > (claim.finish or 0)
    reached = schedule.num_steps if bound.objective == "steps" else getattr(schedule, "tco", 0)
    return bound.holds_for(schedule.num_steps) and bound.figure > reached


def _text(verdict: Verdict, claim: Claim) -> str:
    less = f"fewer {verdict.problem.rules.step_word}s" if verdict.bound.objective == "steps" else "less TCO"
    return f"{verdict}; this schedule has {less}" if _is_refuted(verdict, claim) else str(verdict)


def _bound_figures(verdicts: list[Verdict], claim: Claim) -> list[dict[str, Any]]:
    """Return the bounds for JSON, with the keys of a schedule file."""
    from pavane.io.result_texts import figures_of

    return [
        figures_of(verdict.bound, verdict.is_proven, None if verdict.is_proven else _text(verdict, claim))
        for verdict in verdicts
    ]
