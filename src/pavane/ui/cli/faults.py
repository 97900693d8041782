"""`pavane faults`: what every fault of a network costs, as gecco08 Table 5 has it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pavane.errors import InputError
from pavane.io.request import Request, refuse_times, request_field
from pavane.model.collectives import taken_by
from pavane.model.problem import Problem
from pavane.text import counted
from pavane.ui.cli import options
from pavane.ui.cli.notes import note
from pavane.ui.cli.options import argument, option, seconds_option
from pavane.ui.cli.outputs import is_stdout
from pavane.ui.cli.pool_options import PoolOptions
from pavane.ui.cli.progress import show_progress
from pavane.ui.cli.report import collective_text, messages_text, network_line, print_json, print_lines
from pavane.ui.cli.signals import ended_by

if TYPE_CHECKING:
    from pavane.campaign.faults import FaultColumn, FaultStudy

BOTH = "both"


@dataclass(frozen=True)
class FaultsRequest(Request):
    """Problems whose networks fail: one or several collectives, under one routing or both."""

    LEFT_OUT = ("collective",)

    routing: str | None = request_field(
        "minimal|any|both|ORDER",
        "Shortest paths only, or any, or both in columns of their own; or an order, as for solve. [default: minimal]",
    )

    def problems(self, collectives: list[str]) -> list[Problem]:
        """Return the problem of each collective; of what was said about members, each gets what it takes."""
        first = replace(self, routing="minimal" if self.routing == BOTH else self.routing)
        return [refuse_times(one.problem(), "`faults`") for one in first.of_each(collectives)]

    def of_each(self, collectives: list[str]) -> list[Request]:
        """Give each collective the members that it takes; what none takes goes to the first, which refuses it."""
        if len(collectives) < 2:
            return [replace(self, collective=collectives[0] if collectives else None)]
        taken = [set(taken_by(name)) for name in collectives]
        members = {"root", "senders", "receivers", "pairs"}
        taken[0] |= members - set().union(*taken)
        return [
            replace(self, collective=name, **dict.fromkeys(members - takes))  # type: ignore[arg-type]
            for name, takes in zip(collectives, taken, strict=True)
        ]


@dataclass(frozen=True)
class Failing:
    """What fails."""

    kind: Annotated[
        str | None,
        option(
            "--kind channel|link|router|processor",
            "What fails. [default: link, or channel where the network has one-way channels]",
        ),
    ] = None


@dataclass(frozen=True)
class PlanOptions:
    """How to re-plan, and for how long."""

    seed: options.SeedOption = 0
    seconds: Annotated[
        float | None, seconds_option("--time", "Stop each re-plan after this time, with its best so far.")
    ] = None
    output: Annotated[
        Path | None, option("-o --output FOLDER", "Store finished re-plans there, and resume from them.")
    ] = None

    def refuse(self) -> None:
        """Refuse to store re-plans on stdout, from which no study can resume."""
        if is_stdout(self.output):
            raise InputError("-o -: re-plans are stored in a folder, to resume from them; name one")


@dataclass(frozen=True)
class FaultsOutput:
    """The output."""

    whole: Annotated[bool, option("--all", "List every fault; long tables group equal ones.")] = False
    as_json: options.JsonOption = False
    quiet: options.QuietOption = False


def command(
    *,
    collectives: Annotated[
        list[str] | None, argument("COLLECTIVE...", "One or several collectives, a column each.")
    ] = None,
    failing: Failing,
    request: FaultsRequest,
    plan: PlanOptions,
    pool: PoolOptions,
    table: FaultsOutput,
) -> None:
    """Re-plan collectives for every fault of a network and report the cost of each fault."""
    from pavane.campaign.faults.table import summary, text_table

    plan.refuse()
    problems = request.problems(collectives or [])
    study = _run(problems, request.routing == BOTH, failing, plan, pool)
    for text in study.notes:
        note(text)

    if table.as_json:
        print_json(figures(study))
    elif not table.quiet:
        print_lines(
            [
                *headline(study, problems, collectives or []),
                "",
                *text_table(study, table.whole),
                "",
                *summary(study, table.whole),
            ]
        )
    if study.interrupted:
        note(f"{ended_by()}: {counted(study.num_not_planned, 'figure')} of the table could not be planned any more")
        options.stop(1)


def _run(problems: list[Problem], both: bool, failing: Failing, plan: PlanOptions, pool: PoolOptions) -> FaultStudy:
    """Re-plan for every fault, under the rules of the first problem, or under minimal and under any routing."""
    from pavane.campaign.faults import faults as study_faults
    from pavane.model.faults import KINDS
    from pavane.search.options import SearchOptions

    first, kind = problems[0], failing.kind
    if kind is not None and kind not in KINDS:
        raise InputError(f"--kind {kind!r} is not known; choose {', '.join(KINDS[:-1])} or {KINDS[-1]}")
    largest = max(problems, key=lambda problem: problem.num_deliveries)
    searches = len(problems) * first.network.num_channels // 2
    with pool.open(largest, searches) as workers, show_progress() as on_progress:
        return study_faults(
            first.network,
            [problem.collective for problem in problems],
            [replace(first.rules, routing=way) for way in ("minimal", "any")] if both else [first.rules],
            SearchOptions(plan.seed, plan.seconds, workers=workers, on_progress=on_progress),
            kind=kind,
            folder=plan.output,
        )


def headline(study: FaultStudy, problems: list[Problem], typed: list[str]) -> list[str]:
    """Return the lines that say what was studied."""
    names = typed if len(typed) == len(problems) else [None] * len(problems)
    texts = (collective_text(problem.collective, name) for problem, name in zip(problems, names, strict=True))
    routings = list(dict.fromkeys(column.problem.rules.routing for column in study.columns))
    rules = str(study.columns[0].problem.rules).replace(f"{routings[0]} routing", f"{' and '.join(routings)} routing")
    cut = [f"{problem.collective.title} {messages_text(problem)}" for problem in problems if problem.has_pieces]
    return [
        network_line(study.network),
        f"collectives {', '.join(texts)}",
        *([f"messages    {', '.join(cut)}"] if cut else []),
        f"rules       {rules}",
        f"faults      {len(study.rows)} single {study.kind}s",
    ]


def figures(study: FaultStudy) -> dict[str, Any]:
    """Return a study for JSON."""

    def row(name: str, replans: Any) -> dict[str, Any]:
        cells = {
            column.title: {
                "steps": replan.steps,
                **_message_times(column, replan.steps),
                "bound": replan.bound,
                "outcome": replan.outcome,
                "degraded": study.is_degraded(replan, at),
                "same_as": replan.same_as,
                "seconds": replan.seconds,
                "solver": replan.solver or None,
            }
            for at, (column, replan) in enumerate(zip(study.columns, replans, strict=True))
        }
        return {"fault": name, "replans": cells}

    columns = [
        {
            "title": column.title,
            "collective": column.problem.collective.kind,
            "rules": column.problem.rules.to_dict(),
            **({"pieces": column.pieces} if column.pieces > 1 else {}),
            "no_fault": study.no_fault.replans[at].steps,
            "worst": study.worst(at),
            "histogram": {str(steps): number for steps, number in study.histogram(at).items()},
            "impossible": study.impossible(at),
        }
        for at, column in enumerate(study.columns)
    ]
    return {
        "network": study.network.name,
        "kind": study.kind,
        "faults": len(study.rows),
        "seed": study.seed,
        "proven": study.is_proven,
        **({"interrupted": True} if study.interrupted else {}),
        "columns": columns,
        "no_fault": row("no fault", study.no_fault.replans),
        "rows": [row(line.fault.name, line.replans) for line in study.rows],
    }


def _message_times(column: FaultColumn, steps: int | None) -> dict[str, str]:
    """Return steps by pieces, as a fraction, for JSON; nothing where a message is one piece."""
    return {"message_times": str(Fraction(steps, column.pieces))} if column.pieces > 1 and steps is not None else {}
