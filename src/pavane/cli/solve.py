"""`pavane solve`: find a schedule and say how good it is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pavane.cli import options
from pavane.cli.progress import shown_progress
from pavane.errors import InputError
from pavane.model.problem import Problem
from pavane.words import counted

if TYPE_CHECKING:
    from pavane.judge.result import Result

MOST_TRANSFERS_PRINTED = 5_000


def solve(
    network: options.NetworkArgument,
    collective: options.CollectiveArgument = None,
    switching: options.SwitchingOption = None,
    ports: options.PortsOption = None,
    duplex: options.DuplexOption = None,
    routing: options.RoutingOption = None,
    combining: options.CombiningOption = False,
    root: options.RootOption = None,
    senders: options.SendersOption = None,
    receivers: options.ReceiversOption = None,
    pairs: options.PairsOption = None,
    fault: options.FaultOption = None,
    form: options.FromOption = None,
    method: Annotated[str, typer.Option("--method", metavar="NAME", help="The solver; auto chooses.")] = "auto",
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="SETTING=VALUE", help="A setting of the solver. May be repeated."),
    ] = None,
    steps: Annotated[int | None, typer.Option("--steps", metavar="S", help="Ask for at most so many steps.")] = None,
    seed: Annotated[int, typer.Option("--seed", metavar="N", min=0, help="Same seed, same answer.")] = 0,
    seconds: Annotated[
        float | None, typer.Option("--time", metavar="SECONDS", help="End the search then, with the best so far.")
    ] = None,
    evaluations: Annotated[
        int | None,
        typer.Option("--evaluations", metavar="N", min=1, help="Limit each call of a solver that counts them."),
    ] = None,
    workers: Annotated[int, typer.Option("--workers", metavar="N", help="Processes to search with.")] = 1,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Write a schedule file.")
    ] = None,
    trace: Annotated[
        Path | None,
        typer.Option("--trace", metavar="FILE", help="Draw the conflicts of the search (.svg, .png, .pdf)."),
    ] = None,
    front: Annotated[
        Path | None,
        typer.Option("--front", metavar="DIR", help="With --combining: write every schedule of the front."),
    ] = None,
    startup: Annotated[
        str | None, typer.Option("--startup", metavar="TIME", help="With --combining: time of a start-up, as 10ns.")
    ] = None,
    per_byte: Annotated[
        str | None, typer.Option("--per-byte", metavar="TIME", help="With --combining: time of a byte, or 1GB/s.")
    ] = None,
    size: Annotated[
        str | None, typer.Option("--bytes", metavar="SIZE", help="With --combining: size of one message, as 4 or 1KiB.")
    ] = None,
    as_json: options.JsonOption = False,
) -> None:
    """Find a schedule and prove how good it is."""
    from pavane.cli.solvers import solver_from
    from pavane.formats import write_schedule
    from pavane.formats.files import refuse_unwritable
    from pavane.search.synthesis import synthesize

    parts = ALLREDUCE if collective is not None and collective.strip().lower() == "allreduce" else (collective,)
    problems = [
        options.problem_from(
            network,
            part,
            switching=switching,
            ports=ports,
            duplex=duplex,
            routing=routing,
            combining=combining,
            root=root,
            senders=senders,
            receivers=receivers,
            pairs=pairs,
            fault=fault,
            form=form,
        )
        for part in parts
    ]
    outputs = [_part_of(output, part) if len(parts) > 1 else output for part in parts]
    for file in outputs:
        if file is not None:
            refuse_unwritable(file)
    if trace is not None:
        from pavane.plot.figures import refuse_undrawable

        refuse_undrawable(trace)
    solver = solver_from(method, settings)
    # Under combining there is no one best schedule, unless a number of steps or a method is named.
    if problems[0].rules.combining and method == "auto" and steps is None:
        from pavane.cli.front import Wish, solve_fronts

        wish = Wish.of(startup, per_byte, size)
        answered = solve_fronts(
            problems, outputs, front, wish, seed=seed, seconds=seconds, workers=workers, as_json=as_json
        )
        options.stop(0 if answered else 1)
    for option, value in (("--front", front), ("--startup", startup), ("--per-byte", per_byte), ("--bytes", size)):
        if value is not None:
            raise InputError(f"{option} goes with --combining, and without --method and --steps")
    results = []
    for problem, file in zip(problems, outputs, strict=True):
        with shown_progress() as progress:
            result = synthesize(
                problem,
                method=method,
                solver=solver,
                num_steps=steps,
                seed=seed,
                seconds=seconds,
                evaluations=evaluations,
                workers=workers,
                progress=progress,
            )
        if file is not None and result.schedule is not None:
            write_schedule(file, result)
        results.append(result)
    if trace is not None:
        _draw_trace(trace, results)
    answered = all(result.schedule is not None for result in results)
    total = sum(result.num_steps or 0 for result in results) if answered else None
    if as_json:
        told = [figures(result, file) for result, file in zip(results, outputs, strict=True)]
        whole = {"network": told[0]["network"], "collective": "ALLREDUCE", "steps": total, "parts": told}
        print(json.dumps(told[0] if len(told) == 1 else whole, indent=1))
    else:
        for result, file in zip(results, outputs, strict=True):
            for line in report(result, file):
                print(line)
        if len(results) > 1 and total is not None:
            print(f"allreduce   {counted(total, 'step')}: a reduce-scatter, then an allgather")
    options.stop(0 if answered else 1)


def _draw_trace(file: Path, results: list[Result]) -> None:
    from pavane.plot.figures import axes_or_new, write_figure
    from pavane.plot.loads import plot_trace

    ax = axes_or_new(None)
    counting = [result for result in results if result.run is not None and result.run.trace]
    if not counting:
        raise InputError("--trace draws conflicts, and this method counts none; choose one that does, such as umda")
    for result in counting:
        assert result.run is not None
        plot_trace(result.run, ax=ax, label=f"{result.provenance.solver}, {result.problem.collective.kind}")
    write_figure(file, ax)


ALLREDUCE = ("reduce-scatter", "allgather")
"""The collectives that an allreduce consists of, one after the other."""


def _part_of(output: Path | None, part: str | None) -> Path | None:
    """Return the file of one part: result.json becomes result.allgather.json."""
    return None if output is None else output.with_name(f"{output.stem}.{part}{output.suffix}")


def figures(result: Result, output: Path | None = None) -> dict[str, Any]:
    """Return the figures of a result, for JSON."""
    problem, schedule = result.problem, result.schedule
    return {
        "network": problem.network.name,
        "collective": problem.collective.kind,
        "rules": problem.rules.to_dict(),
        "messages": problem.num_messages,
        "bounds": bound_figures(problem, result),
        "bound": result.bound.steps if result.bound else None,
        "steps": result.num_steps,
        "asked": result.asked,
        "status": result.status,
        "transfers": None if schedule is None else len(schedule),
        "tco": None if schedule is None else schedule.tco,
        "solver": result.provenance.solver,
        "seed": result.provenance.seed,
        "seconds": result.provenance.seconds,
        "file": None if output is None or schedule is None else str(output),
    }


def bound_figures(problem: Problem, result: Result) -> list[dict[str, Any]]:
    """Return the bounds of a result, for JSON."""
    from pavane.bounds import explain

    return [{"steps": b.steps, "argument": b.argument, "text": explain(problem, b)} for b in result.bounds]


def headline(problem: Problem) -> list[str]:
    """Return the lines that say what the problem is."""
    network = problem.network
    return [
        f"network     {network.name}: {counted(network.num_routers, 'router')}, "
        f"{counted(network.num_channels, 'channel')}, {counted(network.num_processors, 'processor')}",
        f"collective  {problem.collective}: {counted(problem.num_messages, 'message')}",
        f"rules       {problem.rules}",
    ]


def report(result: Result, output: Path | None) -> list[str]:
    """Return a result in words, with the schedule in the papers' notation."""
    from pavane.bounds import explain
    from pavane.formats.notation import path_lines

    problem, schedule = result.problem, result.schedule
    lines = headline(problem)
    if result.bound is not None:
        steps, argument = counted(result.bound.steps, "step"), result.bound.argument
        lines.append(f"bound       {steps} ({argument}): {explain(problem, result.bound)}")
    if schedule is None:
        asked = "" if result.asked is None else f" in {counted(result.asked, 'step')}"
        lines += [f"reached     no schedule{asked}", f"status      {result.status}"]
    else:
        lines += [f"reached     {counted(schedule.num_steps, 'step')}", f"status      {result.status}"]
    about = result.provenance
    lines.append(f"time        {about.seconds:.2f} s (solver {about.solver}, seed {about.seed})")
    if schedule is None:
        return lines
    if output is not None:
        lines.append(f"file        {output}")
    if len(schedule) > MOST_TRANSFERS_PRINTED:
        hint = "" if output is not None else "; -o FILE keeps them"
        return [*lines, f"schedule    {len(schedule):,} transfers, too many to print{hint}"]
    width = len(str(schedule.num_steps))
    return [*lines, "schedule", *(f"{step:>{width + 2}}  {text}" for step, text in path_lines(problem, schedule))]
