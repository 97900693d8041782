"""`pavane verify`: judge a schedule file, its bounds included."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pavane.cli import options
from pavane.cli.report import headline, print_json, print_lines
from pavane.errors import InputError
from pavane.model.problem import Problem
from pavane.words import counted

if TYPE_CHECKING:
    from pavane.model.bound import Bound

ON_TRUST = "not checked, it rests on an exhaustive search"
"""A solver's refutation of fewer steps has no certificate that could be checked apart; the status leaves it out."""


def command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A schedule file.", show_default=False)],
    as_json: options.JsonOption = False,
    most: Annotated[int, typer.Option("--most", metavar="N", min=1, help="Violations of a rule to list.")] = 10,
) -> None:
    """Judge a schedule file and the bounds in it."""
    from pavane.formats import read_schedule
    from pavane.judge.result import Result
    from pavane.judge.rules import verify as judge

    claim = read_schedule(file)
    violations = judge(claim.problem, claim.schedule, most)
    checkable = [bound for bound in claim.bounds if bound.argument != "exhaustive"]
    verdicts = [(bound, _verdict(claim.problem, bound)) for bound in checkable]
    trusted = [(bound, ON_TRUST) for bound in claim.bounds if bound.argument == "exhaustive"]
    valid = not violations and not any(text for _, text in verdicts)
    status = Result(claim.problem, claim.schedule, tuple(checkable), claim.provenance).status if valid else "invalid"
    if as_json:
        print_json(
            {
                "valid": valid,
                "status": status,
                "steps": claim.schedule.num_steps,
                "transfers": len(claim.schedule),
                "violations": [
                    {"rule": v.rule, "step": v.step, "message": v.message, "channel": v.channel, "text": v.text}
                    for v in violations
                ],
                "bounds": [
                    {"steps": b.steps, "argument": b.argument, "proven": not text, "text": text or None}
                    for b, text in [*verdicts, *trusted]
                ],
            }
        )
    else:
        print_lines(headline(claim.problem))
        print(f"schedule    {counted(claim.schedule.num_steps, 'step')}, {counted(len(claim.schedule), 'transfer')}")
        for bound, text in [*verdicts, *trusted]:
            print(f"bound       {counted(bound.steps, 'step')} ({bound.argument}): {text or 'proven'}")
        for violation in violations:
            print(f"violation   {violation.rule}: {violation.text}")
        print(f"verdict     {'valid, ' + status if valid else 'invalid'}")
    options.stop(0 if valid else 1)


def _verdict(problem: Problem, bound: Bound) -> str:
    """Say what is wrong with a bound; nothing where its certificate proves it."""
    from pavane.judge.certificates import proven_steps

    try:
        proven = proven_steps(problem, bound)
    except InputError as error:
        return str(error)
    return "" if proven >= bound.steps else f"its certificate proves {proven} steps only"
