"""`pavane faults`: what every fault of a network costs, as gecco08 Table 5 has it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated

from pavane.errors import InputError
from pavane.io.request import Request, refuse_times
from pavane.model.collectives import taken_by
from pavane.model.problem import Problem
from pavane.ui.cli import options
from pavane.ui.cli.options import argument, option, seconds_option
from pavane.ui.cli.pool_options import PoolOptions
from pavane.ui.cli.progress import show_progress
from pavane.ui.cli.run_views import RunOutput
from pavane.ui.description import collective_text, messages_text, network_line

if TYPE_CHECKING:
    from pavane.campaign.fault_study import FaultStudy


@dataclass(frozen=True)
class FaultsRequest(Request):
    """Problems whose networks fail: one or several collectives."""

    LEFT_OUT = ("collective",)

    def problems(self, collectives: list[str]) -> list[Problem]:
        """Return the problem of each collective; of what was said about members, each gets what it takes."""
        return [refuse_times(one.problem(), "`faults`") for one in self.of_each(collectives)]

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
class PlanOptions:
    """What fails, and how to re-plan."""

    kind: Annotated[
        str | None,
        option(
            "--kind channel|link|router|processor",
            "What fails. [default: link, or channel where the network has one-way channels]",
        ),
    ] = None
    seed: options.SeedOption = 0
    seconds: Annotated[
        float | None, seconds_option("--time", "Stop each re-plan after this time, with its best so far.")
    ] = None


def command(
    *,
    collectives: Annotated[
        list[str] | None, argument("COLLECTIVE...", "One or several collectives, a column each.")
    ] = None,
    request: FaultsRequest,
    plan: PlanOptions,
    pool: PoolOptions,
    output: RunOutput,
) -> None:
    """Re-plan collectives for every fault of a network and report the cost of each fault."""
    output.refuse()
    problems = request.problems(collectives or [])
    study = _run(problems, plan, pool, output)
    output.present(
        study,
        headline(study, problems, collectives or []),
        study.summary(),
        shown=study.table(groups=True),
        about={"kind": study.kind, "proven": study.is_proven},
    )


def _run(problems: list[Problem], plan: PlanOptions, pool: PoolOptions, output: RunOutput) -> FaultStudy:
    """Re-plan for every fault, under the rules of the first problem."""
    from pavane.campaign.fault_study import faults as study_faults
    from pavane.model.faults import KINDS
    from pavane.search.options import SearchOptions

    first = problems[0]
    if plan.kind is not None and plan.kind not in KINDS:
        raise InputError(f"--kind {plan.kind!r} is not known; choose {', '.join(KINDS[:-1])} or {KINDS[-1]}")
    largest = max(problems, key=lambda problem: problem.num_deliveries)
    searches = len(problems) * first.network.num_channels // 2
    with pool.open(largest, searches) as workers, show_progress() as on_progress:
        return study_faults(
            first.network,
            [problem.collective for problem in problems],
            first.rules,
            SearchOptions(plan.seed, plan.seconds, workers=workers, on_progress=on_progress),
            kind=plan.kind,
            file=output.file,
        )


def headline(study: FaultStudy, problems: list[Problem], typed: list[str]) -> list[str]:
    """Return the lines that say what was studied."""
    names = typed if len(typed) == len(problems) else [None] * len(problems)
    texts = (collective_text(problem.collective, name) for problem, name in zip(problems, names, strict=True))
    cut = [f"{problem.collective.title} {messages_text(problem)}" for problem in problems if problem.has_pieces]
    return [
        network_line(study.network),
        f"collectives {', '.join(texts)}",
        *([f"messages    {', '.join(cut)}"] if cut else []),
        f"rules       {problems[0].rules}",
        f"faults      {len(study.rows)} single {study.kind}s",
    ]
