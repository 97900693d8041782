"""Several numbers of pieces in `pavane solve --pieces K,L,...`: their search, their files and their report."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from pavane.text import counted
from pavane.text.table import Table
from pavane.timing import time_text
from pavane.ui.cli.multi_output import MultiOutput, nondominated
from pavane.ui.cli.report import fractional_line, table_lines
from pavane.ui.cli.solve_run import Weights
from pavane.ui.description import fraction_text, headline

if TYPE_CHECKING:
    from pavane.judge.result import Result
    from pavane.search.pieces import PieceSweep
    from pavane.ui.cli.solve_run import SolveRun


def refuse_for_pieces(run: SolveRun) -> None:
    """Refuse options that mean one schedule, and incomplete weights."""
    run.refuse_one_schedule()
    run.front.weights()


def solve_pieces(run: SolveRun) -> bool:
    """Search for several numbers of pieces, write and print the schedules; return whether there is one."""
    from pavane.search.pieces import sweep_pieces

    search, output, weights = run.search, run.files.output, run.front.weights()
    cost = (weights if weights.is_given else Weights(startup=0.0)).cost
    files = MultiOutput(output, run.front.folder, cost, _file_name)
    with run.searching(files.write_so_far if files.are_wanted_soon else None) as options:
        found = sweep_pieces(run.problem, run.request.piece_counts, options, method=search.method, solver=run.solver)
    files.write_folder(nondominated(found.solved))
    run.finish(found, chosen(found, weights) if found.solved else None)
    file = str(output) if found.solved and output is not None else None
    lines = pieces_lines(found, weights, run.request.collective)
    run.report(
        lambda: {**pieces_figures(found, weights), "file": file},
        lambda: lines if file is None else [*lines, f"file        {file}"],
    )
    return bool(found.solved)


def chosen(found: PieceSweep, weights: Weights) -> Result:
    """Return the fastest result for a message size, and without one that of the fewest message times."""
    return found.best(weights.startup, weights.per_message) if weights.is_given else found.best()


def _file_name(result: Result) -> str:
    """Return the name of a schedule in the folder of all."""
    return f"pieces-{result.problem.collective.pieces}-steps-{result.num_steps}.json"


def pieces_lines(found: PieceSweep, weights: Weights, typed: str | None = None) -> list[str]:
    """Return the report, with a row for each number of pieces."""
    from pavane.io.result_texts import times_text, unit_of

    unit, step = unit_of(found.problem), found.problem.rules.step_word
    lines = [*headline(found.problem, typed), fractional_line(found.problem, found.fractional)]
    lines.append(f"tried       {counted(len(found.results), 'number')} of pieces, {found.seconds:.2f} s")
    best = chosen(found, weights) if found.solved else None
    titles = ["", "pieces", "bound", f"{step}s", f"{unit} times", "", *["time"] * weights.is_given, "proven", "solver"]
    rows = [
        [
            "->" if result is best else "",
            result.problem.collective.pieces,
            None if result.bound is None else result.bound.figure,
            result.num_steps,
            *_times(result.per_message),
            *[_time_text(result, weights)] * weights.is_given,
            _proven(found, result),
            result.provenance.solver,
        ]
        for result in found.results
    ]
    lines += table_lines(Table.of(titles, rows, align="numbers", leading=2), indent=2)
    if best is None:
        return [*lines, "chosen      no schedule was found"]
    stays = {id(result) for result in nondominated(found.solved)}
    beaten = [str(result.problem.collective.pieces) for result in found.solved if id(result) not in stays]
    if beaten:
        lines.append(f"left out    {', '.join(beaten)} pieces: others have no more {step}s and fewer {unit} times")
    why = "the fastest for this message size" if weights.is_given else f"the fewest {unit} times"
    pieces, steps = counted(best.problem.collective.pieces, "piece"), counted(best.num_steps or 0, step)
    return [*lines, f"chosen      {pieces}: {steps}, {times_text(found.problem, best.per_message)}, {why}"]


def _time_text(result: Result, weights: Weights) -> str | None:
    """Return how long a schedule takes at the message size; None without a schedule."""
    from pavane.search.pieces import time_of

    if result.schedule is None:
        return None
    return time_text(float(time_of(result, weights.startup, weights.per_message)))


def _times(times: Fraction | None) -> tuple[str, str]:
    """Return message times as a fraction, and where it is one as a decimal number."""
    if times is None:
        return "-", ""
    return str(times), "" if times.denominator == 1 else f"{float(times):.3f}"


def _proven(found: PieceSweep, result: Result) -> str:
    """Return for which numbers of pieces the message times are proven minimal."""
    if found.is_final(result):
        return "for any number of pieces"
    return f"for {counted(result.problem.collective.pieces, 'piece')}" if result.has_least_figure else "-"


def pieces_figures(found: PieceSweep, weights: Weights) -> dict[str, Any]:
    """Return the figures for JSON; fractions are text."""
    from pavane.search.pieces import time_of

    problem, best = found.problem, chosen(found, weights) if found.solved else None
    return {
        "network": problem.network.name,
        "collective": problem.collective.kind,
        "rules": problem.rules.to_dict(),
        "messages": len(problem.distinct_ends),
        "fractional": fraction_text(None if found.fractional is None else found.fractional.per_message),
        "seconds": found.seconds,
        "pieces": [
            {
                "pieces": result.problem.collective.pieces,
                "pieces_in_all": result.problem.num_messages,
                "bound": result.bound.figure if result.bound else None,
                "steps": result.num_steps,
                "message_times": fraction_text(result.per_message),
                "status": result.status,
                "optimal_for_any_pieces": found.is_final(result),
                "predicted_seconds": (
                    float(time_of(result, weights.startup, weights.per_message))
                    if weights.is_given and result.schedule is not None
                    else None
                ),
                "solver": result.provenance.solver,
                "seconds": result.provenance.seconds,
                "chosen": result is best,
            }
            for result in found.results
        ],
    }
